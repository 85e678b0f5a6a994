#pragma once
/// Perceptually uniform colour maps: lightness increases evenly, also in greyscale and with colour vision deficiency.
///
/// Source: samples of matplotlib's viridis, inferno (van der Walt and Smith 2015) and cividis (Nunez, Anderton and
/// Renslow 2018), all CC0.

#include <array>
#include <span>
#include <string_view>

#include "sim/base/platform.hpp"

namespace tri::render {

enum class ColourMap : u8 { viridis, inferno, cividis };
inline constexpr u32 kColourMapCount = 3;

std::string_view to_string(ColourMap map);

/// The sRGB colour, channels in [0, 1], of t in [0, 1].
std::array<float, 3> sample(ColourMap map, float t);

/// Converts one channel between sRGB and linear light.
float to_linear(float srgb);
float to_srgb(float linear);

}  // namespace tri::render
