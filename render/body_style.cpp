#include "render/body_style.hpp"

#include <algorithm>
#include <cmath>

namespace tri::render {
namespace {

constexpr float kGlowFloor = 0.6f, kMatterFloor = 0.3f;  // of the brightest channel

/// Quantities that tell bodies apart, of which none is less than another.
bool is_name(Quantity quantity) { return quantity == Quantity::group || quantity == Quantity::index; }

}  // namespace

std::string_view to_string(BodyShape shape) {
  static constexpr std::string_view kNames[kBodyShapeCount] = {"spheres", "glow", "points"};
  return kNames[static_cast<u32>(shape)];
}

std::string_view to_string(Quantity quantity) {
  static constexpr std::string_view kNames[kQuantityCount] = {"speed", "acceleration", "mass",    "radius",
                                                              "index", "group",        "contacts"};
  return kNames[static_cast<u32>(quantity)];
}

InstanceScalar scalar_of(Quantity quantity) {
  return quantity == Quantity::group      ? InstanceScalar::group
         : quantity == Quantity::contacts ? InstanceScalar::contacts
                                          : InstanceScalar::mass;
}

std::array<float, 3> colour_at(const BodyStyle& style, float t) {
  constexpr float kFirst = 0.3f;
  const bool skips = is_name(style.quantity) && begins_dark(style.colours);
  std::array<float, 3> rgb = sample(style.colours, skips ? kFirst + (1 - kFirst) * t : t);
  const float floor = to_linear(style.shape == BodyShape::glow ? kGlowFloor : kMatterFloor);
  const float brightest = to_linear(*std::max_element(rgb.begin(), rgb.end()));
  if (brightest >= floor) return rgb;
  for (float& channel : rgb) channel = brightest > 0 ? to_srgb(to_linear(channel) * floor / brightest) : to_srgb(floor);
  return rgb;
}

GlowSize glow_size(std::size_t bodies, int height) {
  constexpr float kUsualHeight = 1080, kAllPixels = 2.5e6f;
  const float n = static_cast<float>(std::max<std::size_t>(bodies, 1));
  const float picture = std::max(1.0f, static_cast<float>(height) / kUsualHeight);
  const float affordable = std::sqrt(kAllPixels / n);
  GlowSize size{};
  size.radii = std::clamp(6 * std::pow(20 / n, 0.3f), 1.2f, 6.0f);
  size.least_pixels = std::clamp(affordable, 1.5f, 2 * picture);
  size.most_pixels = std::max(std::min(4.2f * size.radii * picture, 2 * affordable), size.least_pixels);
  size.floor = std::clamp(0.66f * std::pow(8192 / n, 0.3f), 0.1f, 0.66f);
  return size;
}

}  // namespace tri::render
