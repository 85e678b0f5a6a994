#include "app/gui/render_style.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "app/gui/base/view_defaults.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {
namespace {

template <class Enum>
void take(const char* option, const std::string& name, u32 count, Enum& value) {
  if (!name.empty()) value = enum_from<Enum>(option, name, count);
}

float radians(double degrees) { return static_cast<float>(std::remainder(degrees, 360.0) * std::numbers::pi / 180); }

}  // namespace

void check_look(const RenderOptions& options) { style_of(options, Scene{}); }

void check_look(const RenderOptions& options, const render::BodyStyle& style) {
  if (style.shape == render::BodyShape::points && options.body_size != 1) {
    throw ConfigError("--body-size: points have no size; leave it out, or add --shape spheres or glow.");
  }
  if (style.colours != render::ColourMap::plain) return;
  if (!options.colour.empty() || options.logarithm) {
    throw ConfigError(
        fmt::format("--{}: all bodies have one colour under plain; leave it out, or choose other "
                    "--colours.",
                    options.logarithm ? "logarithm" : "colour"));
  }
}

render::BodyStyle style_of(const RenderOptions& options, const Scene& scene) {
  render::BodyStyle style;
  set_usual_style(style, scene);
  take("--shape", options.shape, render::kBodyShapeCount, style.shape);
  take("--colour", options.colour, render::kQuantityCount, style.quantity);
  take("--colours", options.colours, render::kColourMapCount, style.colours);
  style.logarithmic = options.logarithm;
  style.size = static_cast<float>(options.body_size);
  style.exposure = static_cast<float>(options.light);
  style.background = kBackground;
  style.ordered = true;
  return style;
}

render::Camera camera_of(const RenderOptions& options, const render::Camera& whole, u64 frame, u64 frames) {
  render::Camera camera = whole;
  if (options.yaw) camera.pose.yaw = radians(*options.yaw);
  if (options.pitch) camera.pose.pitch = radians(*options.pitch);
  camera.zoom(static_cast<float>(1 / options.zoom));
  const double step = options.orbit ? 360.0 / static_cast<double>(frames) : options.turn;
  // From the first frame, not from the previous one: no error accumulates, and an orbit closes.
  camera.pose.yaw =
      std::remainder(camera.pose.yaw + radians(step * static_cast<double>(frame)), 2 * std::numbers::pi_v<float>);
  return camera;
}

}  // namespace tri::app::gui
