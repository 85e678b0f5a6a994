#include "app/gui/base/touch.hpp"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/vec4.hpp>
#include <numbers>

namespace tri::app::gui {
namespace {

Place between(const Place& a, const Place& b) { return {b[0] - a[0], b[1] - a[1], b[2] - a[2]}; }
double length_of(const Place& a) { return std::hypot(a[0], a[1], a[2]); }

/// The same bodies where they are now.
void follow_indices(std::vector<u32>& bodies, const Population& before, const Population& now) {
  std::vector<u32> after;
  for (const u32 body : bodies) {
    if (body >= before.ids.size()) continue;
    const std::size_t at = index_of(now, before.ids[body]);
    if (at < now.ids.size()) after.push_back(static_cast<u32>(at));
  }
  bodies = std::move(after);
}

}  // namespace

std::string to_string(Tool tool) {
  static constexpr std::array kNames{"look", "add", "measure"};
  return kNames[static_cast<std::size_t>(tool)];
}

double Measure::value() const {
  if (bodies.size() == 2) return length_of(between(places[0], places[1]));
  const Place a = between(places[1], places[0]), b = between(places[1], places[2]);
  const Place cross{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  return std::atan2(length_of(cross), a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) * 180 / std::numbers::pi;
}

bool take_pointer(TouchState& touch, const Pointer& pointer) {
  if (pointer.pressed && pointer.shift) {
    touch.box = Stroke{pointer.at, pointer.at};
  } else if (pointer.pressed && touch.tool == Tool::add) {
    touch.stroke = Stroke{pointer.at, pointer.at};
  }
  for (auto* stroke : {&touch.box, &touch.stroke}) {
    if (!*stroke || (*stroke)->done || (*stroke)->held) continue;
    (*stroke)->to = pointer.at;
    (*stroke)->done = !pointer.down;
    return true;
  }
  return false;
}

bool touch_pending(const TouchState& touch) {
  const auto done = [](const std::optional<Stroke>& s) { return s && s->done; };
  const auto fresh = [](const Measure& m) { return m.places.empty(); };
  return done(touch.box) || done(touch.stroke) || touch.deletes ||
         std::any_of(touch.measures.begin(), touch.measures.end(), fresh);
}

bool leave_touch(TouchState& touch) {
  if (touch.stroke || touch.box) {
    touch.stroke.reset(), touch.box.reset(), touch.draft.reset();
  } else if (!touch.picked.empty()) {
    touch.picked.clear();
  } else if (touch.tool != Tool::look) {
    touch.tool = Tool::look;
  } else if (!touch.measures.empty()) {
    touch.measures.pop_back();
  } else if (!touch.selection.bodies.empty()) {
    touch.selection.bodies.clear();
  } else {
    return false;
  }
  return true;
}

void measure_body(TouchState& touch, u32 body) {
  auto& picked = touch.picked;
  if (std::find(picked.begin(), picked.end(), body) != picked.end()) return;
  picked.push_back(body);
  if (picked.size() == 2) touch.measures.push_back({picked, {}});
  if (picked.size() < 3) return;
  if (!touch.measures.empty()) touch.measures.pop_back();
  touch.measures.push_back({picked, {}});
  picked.clear();
}

void follow_population(TouchState& touch, SceneView& view, const PopulationPtr& now) {
  const PopulationPtr before = std::exchange(touch.population, now);
  if (before == now || !before || !now) return;
  follow_indices(touch.selection.bodies, *before, *now);
  follow_indices(touch.picked, *before, *now);
  for (Measure& m : touch.measures) follow_indices(m.bodies, *before, *now);
  std::erase_if(touch.measures,
                [](const Measure& m) { return m.bodies.size() < std::max<std::size_t>(2, m.places.size()); });
  if (touch.draft && touch.draft->body) touch.stroke.reset(), touch.draft.reset();
  if (!view.selected) return;
  std::vector<u32> selected{*view.selected};
  follow_indices(selected, *before, *now);
  if (selected.empty()) {
    view.select(std::nullopt);
  } else {
    view.selected = selected.front();
  }
}

Place place_at(const render::Camera& camera, const Rect& scene, const Pixels& at, const Place& through) {
  const float slope = std::tan(camera.field_of_view / 2);
  const float x = (2 * at[0] / scene.w - 1) * slope * scene.w / scene.h, y = (1 - 2 * at[1] / scene.h) * slope;
  const glm::mat4 view = camera.view();
  const glm::vec3 right(view[0][0], view[1][0], view[2][0]), up(view[0][1], view[1][1], view[2][1]);
  const glm::vec3 eye = camera.eye(), ahead = camera.forward();
  const glm::vec3 point(static_cast<float>(through[0]), static_cast<float>(through[1]), static_cast<float>(through[2]));
  const glm::vec3 p = eye + glm::dot(point - eye, ahead) * (ahead + x * right + y * up);
  return {p.x, p.y, p.z};
}

std::optional<Pixels> pixels_of(const render::Camera& camera, const Rect& scene, const Place& place) {
  const glm::vec4 world(static_cast<float>(place[0]), static_cast<float>(place[1]), static_cast<float>(place[2]), 1);
  const glm::vec4 p = camera.projection(scene.w / scene.h) * camera.view() * world;
  if (!(p.w > 0)) return std::nullopt;
  return Pixels{(p.x / p.w * 0.5f + 0.5f) * scene.w, (0.5f - p.y / p.w * 0.5f) * scene.h};
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double usual_speed(const Bodies& b, const ForceField& field, double extent) {
  double mass = 0;
  std::vector<double> speeds;
  for (std::size_t i = 0; i < b.size(); ++i) {
    mass += b.m[i];
    speeds.push_back(std::hypot(b.vx[i], b.vy[i], b.vz[i]));
  }
  const double orbit = field.pair == PairLaw::gravity ? std::sqrt(field.gravity.G * mass / (extent / 4)) : 0;
  if (std::isfinite(orbit) && orbit > 0) return orbit;
  const double usual = median_of(std::move(speeds));
  return usual > 0 ? usual : 1;
}

}  // namespace tri::app::gui
