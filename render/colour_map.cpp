#include "render/colour_map.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/contracts.hpp"

namespace tri::render {
namespace {

constexpr u32 kViridis[] = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};
constexpr u32 kInferno[] = {0x000004, 0x1f0c48, 0x550f6d, 0x88226a, 0xba3655, 0xe35933, 0xf98c0a, 0xf9c932, 0xfcffa4};
constexpr u32 kCividis[] = {0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173,
                            0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838};
constexpr u32 kOrangeBlue[] = {0xf09a3a, 0xece4dc, 0x4a98f7};
constexpr u32 kPlain[] = {0xfff6ea, 0xfff6ea};
constexpr float kCoolest = 2000, kHottest = 20000;  // kelvin

std::span<const u32> knots(ColourMap map) {
  switch (map) {
    case ColourMap::viridis:
      return kViridis;
    case ColourMap::inferno:
      return kInferno;
    case ColourMap::cividis:
      return kCividis;
    case ColourMap::orange_blue:
      return kOrangeBlue;
    case ColourMap::plain:
      return kPlain;
    case ColourMap::black_body:
      break;  // computed
  }
  TRI_UNREACHABLE("a ColourMap outside its enum");
}

}  // namespace

std::string_view to_string(ColourMap map) {
  static constexpr std::string_view kNames[kColourMapCount] = {"viridis",    "inferno",     "cividis",
                                                               "black-body", "orange-blue", "plain"};
  return kNames[static_cast<u32>(map)];
}

bool begins_dark(ColourMap map) {
  return map != ColourMap::black_body && map != ColourMap::orange_blue && map != ColourMap::plain;
}

std::array<float, 2> black_body_chromaticity(float kelvin) {
  const double t = std::clamp(static_cast<double>(kelvin), 1667.0, 25000.0), k = 1000 / t;
  const double x = t <= 4000 ? ((-0.2661239 * k - 0.2343589) * k + 0.8776956) * k + 0.179910
                             : ((-3.0258469 * k + 2.1070379) * k + 0.2226347) * k + 0.240390;
  const double y = t <= 2222   ? ((-1.1063814 * x - 1.34811020) * x + 2.18555832) * x - 0.20219683
                   : t <= 4000 ? ((-0.9549476 * x - 1.37418593) * x + 2.09137015) * x - 0.16748867
                               : ((3.0817580 * x - 5.87338670) * x + 3.75112997) * x - 0.37001483;
  return {static_cast<float>(x), static_cast<float>(y)};
}

std::array<float, 3> black_body(float kelvin) {
  const auto [x, y] = black_body_chromaticity(kelvin);
  const float X = x / y, Z = (1 - x - y) / y;
  // From XYZ to linear RGB with the primaries of sRGB (IEC 61966-2-1); a colour outside them loses its negative part.
  std::array<float, 3> rgb{3.2406f * X - 1.5372f - 0.4986f * Z, -0.9689f * X + 1.8758f + 0.0415f * Z,
                           0.0557f * X - 0.2040f + 1.0570f * Z};
  const float brightest = *std::max_element(rgb.begin(), rgb.end());
  for (float& channel : rgb) channel = to_srgb(std::max(channel, 0.0f) / brightest);
  return rgb;
}

std::array<float, 3> sample(ColourMap map, float t) {
  if (map == ColourMap::black_body) {
    return black_body(kCoolest * std::pow(kHottest / kCoolest, std::clamp(t, 0.0f, 1.0f)));
  }
  const std::span<const u32> points = knots(map);
  const float x = std::clamp(t, 0.0f, 1.0f) * static_cast<float>(points.size() - 1);
  const std::size_t left = std::min(static_cast<std::size_t>(x), points.size() - 2);
  const float fraction = x - static_cast<float>(left);
  std::array<float, 3> rgb{};
  for (u32 k = 0; k < 3; ++k) {
    const auto channel = [&](u32 hex) { return static_cast<float>((hex >> (16 - 8 * k)) & 255u) / 255.0f; };
    rgb[k] = channel(points[left]) * (1 - fraction) + channel(points[left + 1]) * fraction;
  }
  return rgb;
}

float to_linear(float s) { return s <= 0.04045f ? s / 12.92f : std::pow((s + 0.055f) / 1.055f, 2.4f); }
float to_srgb(float l) { return l <= 0.0031308f ? l * 12.92f : 1.055f * std::pow(l, 1 / 2.4f) - 0.055f; }

}  // namespace tri::render
