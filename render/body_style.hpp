#pragma once
/// How bodies look: shape, quantity that colours them, colours, size and light. Numbers only, no GL.

#include <array>
#include <cstddef>
#include <string_view>

#include "render/colour_map.hpp"
#include "sim/backend/instance_sink.hpp"

namespace tri::render {

enum class BodyShape : u8 { spheres, glow, points };
/// Quantity that colours bodies. For group and contacts, a backend publishes that scalar instead of the mass.
enum class Quantity : u8 { speed, acceleration, mass, radius, index, group, contacts };
inline constexpr u32 kBodyShapeCount = 3, kQuantityCount = 7;
std::string_view to_string(BodyShape shape);
std::string_view to_string(Quantity quantity);
/// The scalar that a backend must publish for a quantity.
InstanceScalar scalar_of(Quantity quantity);

/// How small bodies are drawn: by compute shaders (splats) or by the rasteriser (points). Both give the same image up
/// to rounding.
enum class SmallBodies : u8 {
  automatic,  ///< TRIANGULUM_SMALL_BODIES (splats or points) in the environment, else the faster method
  splats,
  points,
};

/// Appearance of bodies.
struct BodyStyle {
  BodyShape shape = BodyShape::glow;
  Quantity quantity = Quantity::speed;
  bool logarithmic = false;  ///< colour by the logarithm of the quantity
  ColourMap colours = ColourMap::black_body;
  float size = 1;          ///< factor on every radius, > 0; the light of a glowing body stays the same
  float point_pixels = 2;  ///< radius of plain points, pixels
  bool ordered = false;    ///< blend large lights in the order of bodies: reproducible bits, for more vertices
  float exposure = 1;      ///< factor on all light, > 0; for glow beside the metered one
  SmallBodies small = SmallBodies::automatic;
  std::array<float, 3> background{0.016f, 0.018f, 0.024f};  ///< sRGB
};

/// sRGB colour of t in [0, 1], from the minimum to the maximum value. Groups and indices skip the dark end of the map,
/// so that the first is as visible as the last, and no colour is black: what is darker gets as bright as a floor, in
/// its own hue. The floor is higher for glow, whose colours are hues and not brightness.
std::array<float, 3> colour_at(const BodyStyle& style, float t);

/// How large bodies that glow are drawn, and how bright at least.
struct GlowSize {
  float radii;         ///< radius of the light in radii of the body: large for few bodies, points of light for many
  float least_pixels;  ///< radius below which light is drawn larger and dimmer
  float most_pixels;   ///< radius above which it is drawn smaller and brighter: stars are points, however near they are
  float floor;         ///< sRGB brightness of a single body: the more there are, the less each one counts
};

/// In a picture of this height in pixels. Sizes grow with the picture, except for so many bodies that their pixels
/// would take too long (H200: some ten a nanosecond).
GlowSize glow_size(std::size_t bodies, int height);

}  // namespace tri::render
