#include "app/gui/base/view_defaults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <map>

#include "app/session/session_text.hpp"
#include "render/scale_bar.hpp"
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
  // What glows has the colours of stars; matter has those that are easiest to compare.
  style.colours = style.shape == render::BodyShape::glow ? render::ColourMap::black_body : render::ColourMap::viridis;
  take(scene.view.colours, render::kColourMapCount, style.colours);
  take(scene.view.colour, render::kQuantityCount, style.quantity);
}

std::string_view to_string(StarColours colours) {
  static constexpr std::string_view kNames[kStarColoursCount] = {"mass", "temperature", "plain"};
  return kNames[static_cast<u32>(colours)];
}

void set_star_colours(render::BodyStyle& style, StarColours colours) {
  style.colours = colours == StarColours::plain ? render::ColourMap::plain : render::ColourMap::black_body;
  if (colours == StarColours::plain) return;
  style.quantity = colours == StarColours::mass ? render::Quantity::mass : render::Quantity::speed;
  style.logarithmic = colours == StarColours::mass;  // the masses of stars differ by factors
}

std::optional<StarColours> star_colours_of(const render::BodyStyle& style) {
  if (style.colours == render::ColourMap::plain) return StarColours::plain;
  for (const StarColours colours : {StarColours::mass, StarColours::temperature}) {
    render::BodyStyle same = style;
    set_star_colours(same, colours);
    if (same.colours == style.colours && same.quantity == style.quantity && same.logarithmic == style.logarithmic)
      return colours;
  }
  return std::nullopt;
}

void set_usual_trails(TrailChoice& trails, std::size_t bodies) {
  constexpr std::size_t kFew = 20;
  trails.shown = bodies < kFew;
}

std::vector<float> luminosities(std::span<const Instance> bodies) {
  constexpr std::size_t kFewest = 64, kMostKinds = 16;
  constexpr float kHeavy = 3, kOfHalo = 0.1f;
  constexpr double kRare = 0.1, kMostMass = 0.5;
  if (bodies.size() < kFewest) return {};
  std::map<float, std::size_t> kinds;  // bodies by their mass
  auto kind = kinds.end();             // of the body before: mostly the same
  for (const Instance& body : bodies) {
    if (kind == kinds.end() || kind->first != body.mass) kind = kinds.try_emplace(body.mass, 0).first;
    ++kind->second;
    if (kinds.size() > kMostKinds) return {};
  }
  const float lightest = kinds.begin()->first;
  double all = 0, halo = 0;
  std::size_t count = 0;
  for (const auto& [mass, number] : kinds) {
    const double of_kind = static_cast<double>(mass) * static_cast<double>(number);
    all += of_kind;
    if (mass > kHeavy * lightest) halo += of_kind, count += number;
  }
  const auto rare = static_cast<std::size_t>(kRare * static_cast<double>(bodies.size()));
  if (!(lightest > 0) || halo <= kMostMass * all || count < rare || bodies.size() - count < rare) return {};
  std::vector<float> light(bodies.size(), 1);
  for (const Instance& body : bodies) {
    if (body.mass > kHeavy * lightest) light[body.id] = kOfHalo;
  }
  return light;
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

namespace {

/// Of those that have a radius; 0 where none has.
float mean_radius(std::span<const Instance> bodies) {
  double sum = 0;
  std::size_t count = 0;
  for (const Instance& body : bodies) {
    if (body.radius > 0) sum += static_cast<double>(body.radius), ++count;
  }
  return count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : 0;
}

/// The box of those bodies that shine, where others are dim; along each axis without the outer 2 % at both ends.
Box bright_box(const Session& session, std::span<const Instance> bodies) {
  Box box = session.view_box();
  const std::vector<float> light = luminosities(bodies);
  if (light.empty()) return box;
  constexpr double kOutside = 0.02;
  std::array<std::vector<float>, 3> places;
  for (const Instance& body : bodies) {
    if (light[body.id] < 1 || !std::isfinite(body.x + body.y + body.z)) continue;
    places[0].push_back(body.x), places[1].push_back(body.y), places[2].push_back(body.z);
  }
  for (std::size_t a = 0; a < 3; ++a) {
    std::sort(places[a].begin(), places[a].end());
    const auto last = places[a].size() - 1;
    const auto out = static_cast<std::size_t>(kOutside * static_cast<double>(last));
    box.low[a] = static_cast<double>(places[a][out]), box.high[a] = static_cast<double>(places[a][last - out]);
  }
  return box;
}

}  // namespace

SceneLengths fit_camera(render::Camera& camera, const Session& session, float aspect) {
  const ForceField& field = session.model().scene.field;
  const std::vector<Instance> bodies = session.drawn();
  const Box box = bright_box(session, bodies), &walls = field.box;
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
  lengths.extent = diagonal;
  const glm::vec3 middle = 0.5f * (bounds.low + bounds.high), half_size = 0.5f * (bounds.high - bounds.low);
  lengths.ground = glm::dot(middle, camera.up) - glm::dot(half_size, glm::abs(camera.up));
  lengths.sphere_radius = mean_radius(bodies);
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

float adaptation_in(double seconds) {
  constexpr double kSlowness = 0.25;
  return static_cast<float>(1 - std::exp(-seconds / kSlowness));
}

std::array<float, 3> period_of(const Box& box) {
  std::array<float, 3> period{};
  for (std::size_t a = 0; a < 3 && box.boundary == Boundary::periodic; ++a) {
    period[a] = static_cast<float>(box.high[a] - box.low[a]);
  }
  return period;
}

std::vector<render::Line> ground_grid(const render::Camera& camera, const SceneLengths& lengths) {
  constexpr int kEachWay = 10;
  constexpr std::array kInk{0.03f, 0.034f, 0.04f};
  const glm::vec3 up = camera.up;
  const glm::vec3 right =
      glm::normalize(glm::cross(up, std::abs(up.x) < 0.9f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0)));
  const glm::vec3 ahead = glm::cross(up, right);
  const auto step = static_cast<float>(render::round_length(static_cast<double>(lengths.extent) / kEachWay));
  // Lines stay where they are when the target moves: they pass through whole multiples of the step.
  const auto whole = [&](const glm::vec3& axis) {
    return std::round(glm::dot(camera.pose.target, axis) / step) * step;
  };
  const glm::vec3 middle = lengths.ground * up + whole(right) * right + whole(ahead) * ahead;
  const float reach = kEachWay * step;
  std::vector<render::Line> lines;
  for (int k = -kEachWay; k <= kEachWay; ++k) {
    const glm::vec3 a = middle + static_cast<float>(k) * step * right,
                    b = middle + static_cast<float>(k) * step * ahead;
    lines.push_back({a - reach * ahead, a + reach * ahead, kInk});
    lines.push_back({b - reach * right, b + reach * right, kInk});
  }
  return lines;
}

render::ImageTexts picture_texts(const SessionModel& model) {
  return {{"Software", fmt::format("Triangulum {}", kVersionFull)},
          {"Title", model.scene.title},
          {kSessionKey, session_text(model)}};
}

}  // namespace tri::app::gui
