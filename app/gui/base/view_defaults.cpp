#include "app/gui/base/view_defaults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "app/session/session_text.hpp"
#include "tri_version.hpp"

namespace tri::app::gui {

namespace {

/// The value of that name; an empty name changes nothing.
template <class Enum>
void take(const std::string& name, u32 count, Enum& value) {
  for (u32 k = 0; k < count; ++k) {
    if (to_string(static_cast<Enum>(k)) == name) value = static_cast<Enum>(k);
  }
}

}  // namespace

void set_usual_style(render::BodyStyle& style, const Scene& scene) {
  const ForceField& field = scene.field;
  const bool bodies_have_size = field.pair == PairLaw::contact || field.pair == PairLaw::lennard_jones;
  style.shape = bodies_have_size ? render::BodyShape::spheres : render::BodyShape::glow;
  style.quantity = render::BodyStyle{}.quantity;
  take(scene.view.shape, render::kBodyShapeCount, style.shape);
  // Light looks best in a colour map that begins in black, matter in one that does not.
  style.colours = style.shape == render::BodyShape::glow ? render::ColourMap::inferno : render::ColourMap::viridis;
  take(scene.view.colours, render::kColourMapCount, style.colours);
  take(scene.view.colour, render::kQuantityCount, style.quantity);
}

Availability can_colour(render::Quantity quantity, const SessionModel& model) {
  if (quantity == render::Quantity::group && model.groups == 0) {
    return {false, "This scene has no groups: its bodies are of one kind. Colour by mass or index."};
  }
  if (quantity == render::Quantity::contacts && model.scene.field.pair != PairLaw::contact) {
    return {false, "Only the contact law has contacts. Colour by acceleration or speed."};
  }
  return {true, ""};
}

std::array<float, 3> background(render::BodyShape shape, bool dark) {
  return dark || shape == render::BodyShape::glow ? std::array{0.016f, 0.018f, 0.024f}
                                                  : std::array{0.28f, 0.30f, 0.33f};
}

SceneLengths fit_camera(render::Camera& camera, const Session& session, float aspect) {
  const ForceField& field = session.model().scene.field;
  const Box box = session.view_box(), &walls = field.box;
  render::Bounds bounds;
  double volume = 1;
  for (int a = 0; a < 3; ++a) {
    const auto k = static_cast<std::size_t>(a);
    if (walls.boundary != Boundary::open) {
      bounds.low[a] = static_cast<float>(walls.low[k]), bounds.high[a] = static_cast<float>(walls.high[k]);
      continue;
    }
    bounds.low[a] = static_cast<float>(box.low[k]), bounds.high[a] = static_cast<float>(box.high[k]);
    volume *= std::max(box.high[k] - box.low[k], 1e-3);
  }
  const glm::vec3 down(field.field[0], field.field[1], field.field[2]);
  camera.up = glm::length(down) > 0 ? -glm::normalize(down) : glm::vec3(0, 0, 1);
  camera.fit(bounds, aspect);
  const float diagonal = camera.pose.distance * std::sin(camera.field_of_view / 2) * 2;
  const auto spacing = static_cast<float>(std::cbrt(volume / static_cast<double>(session.model().n)));
  SceneLengths lengths;
  lengths.body_radius = std::clamp(0.1f * spacing, 1e-4f * diagonal, 4e-3f * diagonal);
  if (field.pair == PairLaw::lennard_jones) lengths.body_radius = static_cast<float>(field.lennard_jones.sigma) / 2;
  lengths.axis_length = 0.35f * diagonal;
  return lengths;
}

std::vector<render::Line> scene_lines(const Box& box, bool edges, float axis_length) {
  std::vector<render::Line> lines;
  if (axis_length > 0) {
    const float l = axis_length;
    lines.push_back({{0, 0, 0}, {l, 0, 0}, {0.35f, 0.07f, 0.07f}});
    lines.push_back({{0, 0, 0}, {0, l, 0}, {0.07f, 0.3f, 0.07f}});
    lines.push_back({{0, 0, 0}, {0, 0, l}, {0.09f, 0.13f, 0.45f}});
  }
  if (!edges || box.boundary == Boundary::open) return lines;
  const auto corner = [&](u32 k) {
    const auto side = [&](std::size_t a) { return static_cast<float>((k >> a & 1u) ? box.high[a] : box.low[a]); };
    return glm::vec3(side(0), side(1), side(2));
  };
  for (u32 k = 0; k < 8; ++k) {
    for (const u32 bit : {1u, 2u, 4u}) {
      if ((k & bit) == 0) lines.push_back({corner(k), corner(k | bit), {0.2f, 0.22f, 0.26f}});
    }
  }
  return lines;
}

render::ImageTexts picture_texts(const SessionModel& model) {
  return {{"Software", fmt::format("Triangulum {}", kVersionFull)},
          {"Title", model.scene.title},
          {kSessionKey, session_text(model)}};
}

}  // namespace tri::app::gui
