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

std::span<const u32> knots(ColourMap map) {
  switch (map) {
    case ColourMap::viridis:
      return kViridis;
    case ColourMap::inferno:
      return kInferno;
    case ColourMap::cividis:
      return kCividis;
  }
  TRI_UNREACHABLE("a ColourMap outside its enum");
}

}  // namespace

std::string_view to_string(ColourMap map) {
  static constexpr std::string_view kNames[kColourMapCount] = {"viridis", "inferno", "cividis"};
  return kNames[static_cast<u32>(map)];
}

std::array<float, 3> sample(ColourMap map, float t) {
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
