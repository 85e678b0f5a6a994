#pragma once
/// The camera. Numbers only: no window, no GL.
///
/// Orbit: the eye rotates about a target, with inertia. Fly: the eye moves through the scene. To follow a body, orbit
/// and move the target. Lengths are scene units, angles radians, times seconds.

#include <array>
#include <cstddef>
#include <string_view>

#include <glm/mat4x4.hpp>
#include <glm/vec3.hpp>

#include "sim/backend/engine.hpp"
#include "sim/base/platform.hpp"
#include "sim/base/user_values.hpp"

namespace tri::render {

/// Axis-aligned box of the scene; low <= high.
struct Bounds {
  glm::vec3 low{-1}, high{1};
};

enum class CameraMode : u8 { orbit, fly };

/// The complete state of a view, as stored in a bookmark.
struct CameraPose {
  glm::vec3 target{0};
  float distance = 5;  ///< > 0, eye to target
  float yaw = 0.6f;    ///< about Camera::up
  float pitch = 0.4f;  ///< above the plane across it, within +-89 degrees
  bool operator==(const CameraPose&) const = default;
};

class Camera {
 public:
  CameraMode mode = CameraMode::orbit;
  CameraPose pose;
  float field_of_view = 0.8f;  ///< vertical, radians
  glm::vec3 up{0, 0, 1};       ///< unit vector that points upwards in the picture

  /// Rotates by the angles of a pointer drag over `seconds`; drift() continues the rotation.
  void turn(float yaw, float pitch, float seconds);
  /// Continues the last turn() with inertia; call once per frame. `held`: the pointer is down, no drift.
  void drift(float seconds, bool held);
  void stop() { yaw_speed_ = pitch_speed_ = 0; }
  /// Moves target and eye parallel to the view plane: (1, 0) is the width of the view at the target.
  void pan(float right, float up, float aspect);
  /// Multiplies the distance by a factor > 0.
  void zoom(float factor);
  /// Moves through the scene; speeds in distances to the target per second.
  void fly(float right, float up, float forward, float seconds);
  /// Fits the box into the view in any orientation; aspect = width / height.
  void fit(const Bounds& bounds, float aspect);

  glm::vec3 eye() const;
  glm::vec3 forward() const;  ///< unit vector
  glm::mat4 view() const;
  /// Reversed depth without a far plane: 1 at the near plane, 0 at infinity.
  glm::mat4 projection(float aspect) const;

 private:
  void clamp_pitch();
  float yaw_speed_ = 0, pitch_speed_ = 0;  ///< radians per second
};

// A scale bar: a round length of the scene and how long it is in the picture. Numbers only.

/// The largest of 1, 2 and 5 times a power of ten that is at most `most` > 0.
double round_length(double most);

struct ScaleBar {
  double length;  ///< scene units, round
  float pixels;   ///< at the distance of the camera's target
};

/// The longest bar of at most `most_pixels` > 0 in a picture of this height in pixels.
ScaleBar scale_bar(const Camera& camera, float height, float most_pixels);

// Colour maps. viridis, inferno and cividis are perceptually uniform: lightness increases evenly, also in greyscale
// and with colour vision deficiency. black-body has the colours of stars, from 2,000 K to 20,000 K on a logarithmic
// scale. orange-blue tells two kinds apart, or a middle from two ends. plain is one white.
//
// Source: samples of matplotlib's viridis, inferno (van der Walt and Smith 2015) and cividis (Nunez, Anderton and
// Renslow 2018), all CC0. Chromaticities of black bodies: Kim et al., US patent 7024034 (2006), cubic fits.

enum class ColourMap : u8 { viridis, inferno, cividis, black_body, orange_blue, plain };
constexpr auto enum_table(ColourMap) {
  return enum_names<ColourMap>("colour map", "viridis", "inferno", "cividis", "black-body", "orange-blue", "plain");
}
inline constexpr u32 kColourMapCount = kNamesOf<ColourMap>.names.size();

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

// How bodies look: shape, quantity that colours them, colours, size and light. Numbers only, no GL.

enum class BodyShape : u8 { spheres, glow, points };
/// Quantity that colours bodies. For group and contacts, a backend publishes that scalar instead of the mass.
enum class Quantity : u8 { speed, acceleration, mass, radius, index, group, contacts };
constexpr auto enum_table(BodyShape) { return enum_names<BodyShape>("shape", "spheres", "glow", "points"); }
constexpr auto enum_table(Quantity) {
  return enum_names<Quantity>("quantity", "speed", "acceleration", "mass", "radius", "index", "group", "contacts");
}
inline constexpr u32 kBodyShapeCount = kNamesOf<BodyShape>.names.size();
inline constexpr u32 kQuantityCount = kNamesOf<Quantity>.names.size();
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
