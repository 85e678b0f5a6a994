#include "app/gui/touch_scene.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/base/touch.hpp"
#include "app/gui/scene_display.hpp"
#include "sim/base/clock.hpp"

namespace tri::app::gui {
namespace {

constexpr double kLookShare = 0.1;           // of the time, at most
constexpr double kShown = 20;                // times in which the usual speed leads over a quarter of the scene
constexpr std::size_t kReadEachStep = 4096;  // bodies; of more, a path starts from those at the press
constexpr float kShake = 4;                  // pixels at scale 1 that are no drag

bool is_drag(const Stroke& s, float scale) {
  return std::hypot(s.to[0] - s.from[0], s.to[1] - s.from[1]) > kShake * scale;
}

Place away_from(const Place& from, const Place& to, double factor) {
  return {(to[0] - from[0]) * factor, (to[1] - from[1]) * factor, (to[2] - from[2]) * factor};
}

Place centre_of(const Bodies& b, const std::vector<u32>& bodies) {
  Place sum{}, plain{};
  double mass = 0;
  for (const u32 i : bodies) {
    const Place p{b.x[i], b.y[i], b.z[i]};
    for (std::size_t a = 0; a < 3; ++a) sum[a] += b.m[i] * p[a], plain[a] += p[a];
    mass += b.m[i];
  }
  for (std::size_t a = 0; a < 3; ++a) sum[a] = mass > 0 ? sum[a] / mass : plain[a] / static_cast<double>(bodies.size());
  return sum;
}

}  // namespace

void TouchScene::forget(TouchState& touch, const SessionModel& model) {
  touch.stroke.reset(), touch.box.reset(), touch.draft.reset();
  touch.selection.bodies.clear(), touch.measures.clear(), touch.picked.clear();
  touch.selection.hidden = touch.selection.followed = false;
  touch.population = model.population;
}

void TouchScene::work(Session& session, GuiState& state, const Rect& scene, Requests& requests) {
  TouchState& t = state.touch;
  follow_population(t, state.view, session.model().population);
  if (std::exchange(t.deletes, false)) {
    std::vector<u32> bodies = t.selection.bodies;
    if (bodies.empty() && state.view.selected) bodies = {*state.view.selected};
    requests.push_back(ask::DeleteBodies{bodies});
  }
  if (scene.w < 1 || scene.h < 1) return;
  try {
    if (t.box && t.box->done) take_box(session, t, state.view, scene);
    if (t.stroke) draw(session, state, scene, requests);
  } catch (const std::exception& error) {
    t.box.reset(), t.stroke.reset(), t.draft.reset();
    session.note(error.what(), true);
  }
  if (!t.stroke) t.draft.reset();
}

void TouchScene::take_box(const Session& session, TouchState& t, const SceneView& view, const Rect& scene) {
  const Stroke box = *std::exchange(t.box, std::nullopt);
  const auto [left, right] = std::minmax(box.from[0], box.to[0]);
  const auto [top, low] = std::minmax(box.from[1], box.to[1]);
  t.selection.bodies.clear();
  t.selection.hidden = t.selection.followed = false;
  for (const Instance& body : session.drawn()) {
    const auto at = pixels_of(view.camera, scene, {body.x, body.y, body.z});
    if (!at || !((*at)[0] >= left && (*at)[0] <= right && (*at)[1] >= top && (*at)[1] <= low)) continue;
    t.selection.bodies.push_back(body.id);
  }
  std::sort(t.selection.bodies.begin(), t.selection.bodies.end());
}

/// The bodies as they are: what the path goes by, and where a thrown body starts.
void TouchScene::take_bodies(const Session& session, Draft& draft) {
  Bodies b = session.bodies();
  const SessionModel& m = session.model();
  steps_ = m.steps, reversed_ = m.backwards;
  if (draft.body) {
    const BodyValues body = values_of(b, *draft.body);
    draft.place = body.place, draft.mass = body.mass, draft.radius = body.radius;
  }
  if (reversed_) {  // the way back is the way of reversed velocities
    for (auto* v : {&b.vx, &b.vy, &b.vz}) {
      for (double& value : *v) value = -value;
    }
  }
  field_ = path_field(b, m.scene.field, draft.body);
  drawn_.done = true;  // the path is to be computed anew
}

void TouchScene::begin_draft(const Session& session, GuiState& state, const Rect& scene) {
  TouchState& t = state.touch;
  const Pixels& from = t.stroke->from;
  Draft& draft = t.draft.emplace();
  draft.body = SceneDisplay::body_at(session, state, from[0], from[1], scene);
  const Population& population = *session.model().population;
  draft.mass = t.mass.value_or(median_of(population.bodies.m));
  draft.radius = t.radius.value_or(median_of(population.bodies.r));
  const auto& target = state.view.camera.pose.target;
  draft.place = place_at(state.view.camera, scene, from, {target.x, target.y, target.z});
  take_bodies(session, draft);
  const double extent = std::max(1e-30, static_cast<double>(state.view.lengths.extent));
  speed_ = usual_speed(session.bodies(), session.model().scene.field, extent) / (extent / 4);
}

void TouchScene::draw(const Session& session, GuiState& state, const Rect& scene, Requests& requests) {
  TouchState& t = state.touch;
  const SessionModel& m = session.model();
  if (!t.draft) begin_draft(session, state, scene);
  Draft& draft = *t.draft;
  const Stroke& stroke = *t.stroke;
  const bool moves = steps_ != m.steps || reversed_ != m.backwards;
  if (moves && m.n <= kReadEachStep) take_bodies(session, draft);
  const bool dragged = is_drag(stroke, state.panels.scale);
  if (drawn_.done || drawn_.to != stroke.to) {
    draft.arrow = place_at(state.view.camera, scene, stroke.to, draft.place);
    draft.velocity = dragged ? away_from(draft.place, draft.arrow, speed_) : Place{};
    const Place start = away_from({}, draft.velocity, reversed_ ? -1 : 1);
    draft.path = predicted_path(field_, {draft.place, start, draft.mass}, {.time = kShown / speed_});
    draft.about = field_.text();
    drawn_ = {stroke.from, stroke.to, false};
  }
  if (!stroke.done) return;
  if (!draft.body) {
    requests.push_back(ask::AddBodies{{{draft.place, draft.velocity, draft.mass, draft.radius}}});
  } else if (dragged) {
    requests.push_back(ask::ChangeBody{*draft.body, {.velocity = draft.velocity}});
  } else {
    state.view.select(draft.body);
  }
  t.stroke.reset();
}

void TouchScene::look(Session& session, GuiState& state, double now) {
  TouchState& t = state.touch;
  follow_population(t, state.view, session.model().population);
  if (t.selection.bodies.empty()) t.selection.followed = false;
  if (t.measures.empty() && !t.selection.followed) return;
  const bool fresh =
      std::any_of(t.measures.begin(), t.measures.end(), [](const Measure& m) { return m.places.empty(); });
  if (!fresh && now - looked_at_ < look_cost_ / kLookShare) return;
  const double begin = clock_s();
  try {
    const Bodies b = session.bodies();
    for (Measure& m : t.measures) {
      m.places.clear();
      for (const u32 i : m.bodies) m.places.push_back({b.x[i], b.y[i], b.z[i]});
    }
    if (t.selection.followed) {
      const Place centre = centre_of(b, t.selection.bodies);
      state.view.follow = false;
      for (int a = 0; a < 3; ++a)
        state.view.camera.pose.target[a] = static_cast<float>(centre[static_cast<std::size_t>(a)]);
    }
  } catch (const std::exception& error) {
    session.note(error.what(), true);
  }
  look_cost_ = clock_s() - begin, looked_at_ = now;
}

}  // namespace tri::app::gui
