#pragma once
/// Colour maps. viridis, inferno and cividis are perceptually uniform: lightness increases evenly, also in greyscale
/// and with colour vision deficiency. black-body has the colours of stars, from 2,000 K to 20,000 K on a logarithmic
/// scale. orange-blue tells two kinds apart, or a middle from two ends. plain is one white.
///
/// Source: samples of matplotlib's viridis, inferno (van der Walt and Smith 2015) and cividis (Nunez, Anderton and
/// Renslow 2018), all CC0. Chromaticities of black bodies: Kim et al., US patent 7024034 (2006), cubic fits.

#include <array>
#include <span>
#include <string_view>

#include "sim/base/platform.hpp"

namespace tri::render {

enum class ColourMap : u8 { viridis, inferno, cividis, black_body, orange_blue, plain };
inline constexpr u32 kColourMapCount = 6;

std::string_view to_string(ColourMap map);

/// The sRGB colour, channels in [0, 1], of t in [0, 1].
std::array<float, 3> sample(ColourMap map, float t);

/// Whether the colour of 0 is much darker than that of 1.
bool begins_dark(ColourMap map);

/// CIE 1931 chromaticity (x, y) of a black body; kelvin in [1667, 25000], clamped.
std::array<float, 2> black_body_chromaticity(float kelvin);
/// Its sRGB colour, with the brightest channel at 1.
std::array<float, 3> black_body(float kelvin);

/// Converts one channel between sRGB and linear light.
float to_linear(float srgb);
float to_srgb(float linear);

}  // namespace tri::render
