#pragma once
/// Colours for numbers: maps whose lightness grows evenly from one end to the other, so that equal steps of the number
/// look like equal steps, in print and to eyes that miss a colour.
///
/// Source: the control points are samples of matplotlib's viridis, inferno (van der Walt and Smith 2015) and cividis
/// (Nunez, Anderton and Renslow 2018), all CC0.

#include <array>
#include <span>
#include <string_view>

#include "sim/base/platform.hpp"

namespace tri::render {

enum class ColourMap : u8 { viridis, inferno, cividis };
inline constexpr u32 kColourMapCount = 3;

std::string_view to_string(ColourMap map);

/// sRGB, each 0..1, of t in [0, 1].
std::array<float, 3> sample(ColourMap map, float t);

/// sRGB to linear light and back, of one channel.
float to_linear(float srgb);
float to_srgb(float linear);

}  // namespace tri::render
