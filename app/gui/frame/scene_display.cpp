#include "app/gui/frame/scene_display.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "app/gui/base/look.hpp"
#include "app/gui/base/settings.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/frame/frame.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/language.hpp"
#include "app/support/measurement.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app::gui {

void BodyPublisher::fall_back(Session& session, const std::string& why) {
  interop_failed_ = true;
  why_copy_ = why;
  session.note(phrase("the bodies are copied to graphics memory, because {}.", why), wanted_ == Present::interop);
}

void BodyPublisher::make_buffer(Session& session) {
  buffer_.reset();
  const std::size_t n = session.model().n;
  const bool cuda = session.model().backend.name == "cuda";
  if (wanted_ == Present::copy) {
    why_copy_ = "requested";
  } else if (!cuda) {
    if (wanted_ == Present::interop && why_copy_.empty()) {
      session.note("the bodies are copied to graphics memory, because the cpu backend computes them.", true);
    }
    why_copy_ = "cpu backend";
  } else if (!interop_failed_) {
    std::string why;
    buffer_ = render::make_interop_buffer(n, device_, why);
    if (buffer_ == nullptr) fall_back(session, why);
  }
  if (buffer_ == nullptr) buffer_ = render::make_copy_buffer(n);
}

bool BodyPublisher::write(Session& session) {
  try {
    InstanceSink sink = buffer_->sink();
    session.publish(sink);
    buffer_->written();
    return true;
  } catch (const gl::GlError& error) {
    if (buffer_->path() == render::PresentPath::copy) throw;
    fall_back(session, error.what());
    return false;
  }
}

void BodyPublisher::publish(Session& session) {
  const SessionModel& m = session.model();
  const bool other = buffer_ == nullptr || generation_ != session.generation() || backends_ != session.backends();
  if (!other && steps_ == m.steps && time_ == m.time && scalar_ == m.scalar) return;
  if (other) make_buffer(session);
  const u64 backends = session.backends();
  if (!write(session) || session.backends() != backends) {  // the path or the backend changed
    make_buffer(session);
    write(session);
  }
  generation_ = session.generation(), backends_ = session.backends(), steps_ = m.steps, time_ = m.time,
  scalar_ = m.scalar;
}

std::string BodyPublisher::path() const {
  if (buffer_ == nullptr) return "nothing yet";
  return buffer_->path() == render::PresentPath::interop ? "interop" : fmt::format("copy ({})", why_copy_);
}

namespace {

int line_at(const SplitChoice& split, int width) {
  return std::clamp(static_cast<int>(split.line * static_cast<float>(width)), 0, width);
}

/// A name and its time on a dark background, between low and high; at: the upper corner next to the line.
void label(ImDrawList& draw, ImVec2 at, bool left, const std::string& text, float scale, float low, float high) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const float pad = 5 * scale, wide = size.x + 2 * pad;
  const float x = std::max(low, std::min(left ? at.x - wide : at.x, high - wide));
  draw.AddRectFilled({x, at.y}, {x + size.x + 2 * pad, at.y + size.y + pad}, IM_COL32(8, 10, 14, 190), 3 * scale);
  draw.AddText({x + pad, at.y + pad / 2}, IM_COL32(240, 242, 246, 255), text.c_str());
}

}  // namespace

void SplitView::work(Session& session, SplitChoice& split) {
  const SessionModel& m = session.model();
  const auto& rows = shown_maps(m);
  if (!split.map || *split.map >= rows.size()) {
    split.map.reset();
    buffer_.reset();
    return;
  }
  const Key key{session.generation(), session.backends(), m.work, m.steps, m.time, *split.map, m.scalar};
  if (key.generation != made_.generation || key.work != made_.work || key.backends != made_.backends ||
      key.map != made_.map || beside_ != map_in_use(m)) {
    turns_.clear();
  }
  beside_ = map_in_use(m);
  const bool other = buffer_ == nullptr || key.generation != made_.generation || key.map != made_.map;
  if (!other && (key == made_ || !working_.is_due(clock_s()))) return;
  const double begin = clock_s();
  const bool worked = session.attempt([&] {
    if (buffer_ == nullptr || buffer_->size() != m.n) buffer_ = render::make_copy_buffer(m.n);
    InstanceSink sink = buffer_->sink();
    const auto [own, by_other] = session.publish_by(map_request(m, *split.map), sink);
    if (own > 0 && by_other > 0) turns_.add(own, by_other);
    buffer_->written();
  });
  if (!worked) split.map.reset(), buffer_.reset();
  made_ = key;
  working_.done(begin, clock_s());
}

void SplitView::draw(render::BodyRenderer& renderer, const render::FrameView& view, const render::BodyStyle& style,
                     const SplitChoice& split, GLuint texture, int x, int y) const {
  if (buffer_ == nullptr) return;
  renderer.draw(buffer_.get(), view, style);
  renderer.show(texture, x, y, line_at(split, view.width));
}

void SplitView::overlay(const SessionModel& model, SplitChoice& split, float scale, const Rect& scene,
                        const Rect& free) const {
  if (buffer_ == nullptr || !split.map || scene.w < 1) return;
  const auto& rows = shown_maps(model);
  if (*split.map >= rows.size()) return;
  const float s = scale, grip = 7 * s;
  const float x = scene.x + static_cast<float>(line_at(split, static_cast<int>(scene.w)));
  bool held = false;
  {
    const FixedWindow window("split", {x - grip, scene.y, 2 * grip, scene.h}, kBare | ImGuiWindowFlags_NoBackground,
                             {.padding = ImVec2(0, 0), .small = true});
    invisible_button("line", {2 * grip, scene.h});
    held = ImGui::IsItemActive();
    if (held) split.line = std::clamp((ImGui::GetIO().MousePos.x - scene.x) / scene.w, 0.02f, 0.98f);
    if (held || ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  }
  ImDrawList& draw = *ImGui::GetBackgroundDrawList();
  draw.PushClipRect({scene.x, scene.y}, {scene.x + scene.w, scene.y + scene.h});
  draw.AddLine({x, scene.y}, {x, scene.y + scene.h}, IM_COL32(240, 242, 246, held ? 255 : 170),
               held ? 3 * s : 1.5f * s);
  const MapRow &one = rows[map_in_use(model)], &two = rows[*split.map];
  std::string left = one.name, right = two.name;
  if (!turns_.own.empty()) {
    const PairedFigures figures = paired_figures(turns_.baseline.values(), turns_.own.values());
    const Improvement& all = figures.improvement;
    left += "  " + time_text(figures.baseline);
    right += "  " + time_text(figures.other);
    if (all.differs()) right += phrase("  ({} the time of {})", times_text(1 / figures.ratio()), one.name);
    if (all.decided() && !all.differs()) right += tr("  (no difference)");
  }
  const float top = scene.y + scene.h * 0.5f;
  // Where a panel leaves no room beside the line, one stands below the other.
  const float low = free.x + 4 * s, high = free.x + free.w - 4 * s;
  const float line = ImGui::GetTextLineHeight() + 9 * s;
  const bool narrow = x + 14 * s + ImGui::CalcTextSize(right.c_str()).x > high;
  label(draw, {x - 4 * s, top}, true, left, s, low, high);
  label(draw, {x + 4 * s, top + (narrow ? line : 0)}, false, right, s, low, high);
  draw.PopClipRect();
}

void label_bodies(const Session& session, std::vector<NamedBody>& labels) {
  constexpr std::size_t kMaxNames = 48;
  const SessionModel& m = session.model();
  labels.clear();
  if (m.names.empty() || m.names.size() > kMaxNames) return;
  const Bodies now = session.bodies();
  for (const auto& [id, name] : m.names) {
    const std::size_t k = index_of(*m.population, id);
    if (k >= m.n) continue;
    labels.push_back({name,
                      {static_cast<float>(now.x[k]), static_cast<float>(now.y[k]), static_cast<float>(now.z[k])},
                      static_cast<u32>(k)});
  }
}

namespace {

/// Of each body of `now` its index before; ~0: it is new.
std::vector<u32> indices_before(const Population& before, const Population& now) {
  std::vector<u32> all;
  for (const u32 id : now.ids) {
    const std::size_t at = index_of(before, id);
    all.push_back(at < before.ids.size() ? static_cast<u32>(at) : ~u32{0});
  }
  return all;
}

}  // namespace

SceneDisplay::SceneDisplay(const RunConfig& config)
    : renderer_(render::ShaderSources(config.view.shader_dir)),
      trails_(render::ShaderSources(config.view.shader_dir)),
      publisher_(config.view.present, first_device(config.common)),
      measured_(is_measured(config.view)) {}

void SceneDisplay::open(const Session& session, SceneView& view) {
  opened_ = true;
  renderer_.set_luminosities(luminosities(session.drawn()));
  set_usual_trails(view.trails, session.model().n);
  opened_scene_ = session.opened(), generation_ = session.generation();
  view.select(std::nullopt);
  view.bookmarks = {};
  view.path.clear(), view.path_note.clear(), view.mark.reset(), view.on_path = false;
  trails_.forget();
  population_ = session.model().population;
  label_bodies(session, view.labels);
  set_usual_style(view.style, session.model().scene);
  if (!can_colour(view.style.quantity, session.model()).ok) view.style.quantity = render::Quantity::speed;
  fit(session, view);
}

void SceneDisplay::fit(const Session& session, SceneView& view) {
  view.lengths = fit_camera(view.camera, session, view.aspect);
}

/// Selected bodies are hidden, or the others dim.
void SceneDisplay::mark(const Selection& s, std::size_t n) {
  std::vector<u32> marks;
  if (!s.bodies.empty() && (s.hidden || s.coloured)) {
    marks.assign(n, s.hidden ? 0 : render::BodyRenderer::kDim);
    for (const u32 body : s.bodies) {
      if (body < n) marks[body] = s.hidden ? render::BodyRenderer::kHidden : render::BodyRenderer::kSelected;
    }
  }
  if (marks == marks_) return;
  marks_ = std::move(marks);
  renderer_.set_marks(marks_);
}

namespace {

/// The selected body among so many; none where the selection is of the other of two runs, which has more or fewer.
std::optional<u32> selected_of(const SceneView& view, const TouchState& touch, std::size_t n) {
  return touch.population && touch.population->ids.size() != n ? std::nullopt : view.selected;
}

}  // namespace

void SceneDisplay::publish(Session& session, SceneView& view, const TouchState& touch) {
  const std::size_t n = session.model().n;
  mark(touch.selection, touch.population ? touch.population->ids.size() : n);
  if (std::exchange(generation_, session.generation()) != session.generation()) {
    renderer_.set_luminosities(luminosities(session.drawn()));
    const PopulationPtr before = std::exchange(population_, session.model().population);
    before ? trails_.follow(indices_before(*before, *population_), before->ids.size()) : trails_.forget();
  }
  session.set_scalar(scalar_of(view.style.quantity));
  publisher_.publish(session);
  const u64 steps = session.model().steps;
  if (!view.trails.shown || steps < trail_steps_) trails_.forget();  // switched off, or reset
  if (view.trails.shown) {
    trails_.choose(view.trails.bodies, view.trails.length);
    if (steps != trail_steps_ || trails_.filled() == 0)
      trails_.record(*publisher_.buffer(), selected_of(view, touch, n));
  }
  trail_steps_ = steps;
  label_bodies(session, view.labels);
}

std::optional<u32> SceneDisplay::body_at(const Session& session, const GuiState& state, float x, float y,
                                         const Rect& scene) {
  const int width = static_cast<int>(scene.w), height = static_cast<int>(scene.h);
  if (width < 1 || height < 1) return std::nullopt;
  const SceneView& view = state.view;
  const Selection& s = state.touch.selection;
  std::vector<Instance> shown = session.drawn();
  if (s.hidden) {
    std::erase_if(shown, [&](const Instance& i) { return std::binary_search(s.bodies.begin(), s.bodies.end(), i.id); });
  }
  return render::pick(shown, {view.camera, width, height, view.lengths.body_radius, {}, {}}, view.style, x, y);
}

void SceneDisplay::pick(Session& session, GuiState& state, float x, float y, const Rect& scene) {
  session.attempt([&] {
    const std::optional<u32> body = body_at(session, state, x, y, scene);
    if (state.touch.tool != Tool::measure) {
      state.view.select(body);
    } else if (body) {
      measure_body(state.touch, *body);
    }
  });
}

render::FrameView SceneDisplay::frame_of(const SessionModel& model, const SceneView& view, int width, int height) {
  const Box& box = model.scene.field.box;
  render::FrameView frame{view.camera,
                          width,
                          height,
                          view.lengths.body_radius,
                          view.selected,
                          scene_lines(box, view.box, view.axes ? view.lengths.axis_length : 0),
                          nullptr,
                          period_of(box),
                          view.lengths.extent,
                          1,
                          view.lengths.sphere_radius};
  if (view.grid) {
    const auto grid = ground_grid(view.camera, view.lengths);
    frame.lines.insert(frame.lines.end(), grid.begin(), grid.end());
  }
  return frame;
}

void SceneDisplay::draw(const SessionModel& model, GuiState& state, const Rect& scene, GLuint texture, u32 height,
                        render::InstanceBuffer* second) {
  const int whole = static_cast<int>(scene.w), h = static_cast<int>(scene.h);
  const int w = second == nullptr ? whole : whole / 2;
  if (w < 1 || h < 1) return;
  SceneView& view = state.view;
  view.style.background = kBackground;
  const auto& figures = state.frames.figures = renderer_.figures();
  // Figures are some frames old, and may be those of a body selected before.
  const bool known = view.selected && figures && figures->marked_body == view.selected;
  if (view.follow && known) view.camera.pose.target = figures->marked;
  render::FrameView frame = frame_of(model, view, w, h);
  frame.marked = selected_of(view, state.touch, model.n);
  if (state.first.plain()) frame.lines.clear();
  frame.trails = &trails_;
  const double now = clock_s();
  if (!measured_ && !opened_ && !state.panels.calm) frame.adaptation = adaptation_in(now - drawn_at_);
  opened_ = false, drawn_at_ = now;
  renderer_.draw(publisher_.buffer(), frame, view.style);
  const int x = static_cast<int>(scene.x), y = static_cast<int>(height) - h;
  renderer_.show(texture, x, y);
  if (!state.pending.transparent_path.empty()) {
    const gl::AlphaTarget target(w, h);
    renderer_.show_transparent(target.texture());
    target.bind();
    over_nothing_ = render::read_alpha_framebuffer(static_cast<u32>(w), static_cast<u32>(h));
  }
  frame.adaptation = 0;  // both sides of a split are exposed the same
  if (second != nullptr) {
    frame.trails = nullptr, frame.width = whole - w;
    frame.marked = selected_of(view, state.touch, second->size());
    renderer_.draw(second, frame, view.style);
    return renderer_.show(texture, x + w, y);
  }
  split_.draw(renderer_, frame, view.style, state.split, texture, x, y);
}

namespace {

constexpr double kShown = 20;                // times in which the usual speed leads over a quarter of the scene
constexpr std::size_t kReadEachStep = 4096;  // bodies; of more, a path starts from those at the press
constexpr float kShake = 4;                  // pixels at scale 1 that are no drag

bool is_drag(const Stroke& s, float scale) {
  return std::hypot(s.to[0] - s.from[0], s.to[1] - s.from[1]) > kShake * scale;
}

Place away_from(const Place& from, const Place& to, double factor) {
  return {(to[0] - from[0]) * factor, (to[1] - from[1]) * factor, (to[2] - from[2]) * factor};
}

/// The mean of these columns, weighed by mass.
Place centre_of(const Bodies& b, const std::vector<u32>& bodies, const std::vector<double>& x,
                const std::vector<double>& y, const std::vector<double>& z) {
  Place sum{}, plain{};
  double mass = 0;
  for (const u32 i : bodies) {
    const Place p{x[i], y[i], z[i]};
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
  if (std::exchange(state.view.rounds, false) && state.view.selected) {
    session.attempt([&] {
      const Bodies b = session.bodies();
      const BodyValues body = values_of(b, *state.view.selected);
      requests.push_back(ask::ChangeBody{
          *state.view.selected,
          {.velocity = circular_velocity(b, session.model().scene.field, body.place, body.mass, state.view.selected)}});
    });
  }
  if (std::exchange(t.deletes, false)) {
    std::vector<u32> bodies = t.selection.bodies;
    if (bodies.empty() && state.view.selected) bodies = {*state.view.selected};
    requests.push_back(ask::DeleteBodies{bodies});
  }
  if (scene.w < 1 || scene.h < 1) return;
  const bool worked = session.attempt([&] {
    if (t.box && t.box->done) select_box(session, t, state.view, scene);
    if (t.stroke) draw(session, state, scene, requests);
  });
  if (!worked) t.box.reset(), t.stroke.reset(), t.draft.reset();
  if (!t.stroke) t.draft.reset();
}

void TouchScene::select_box(const Session& session, TouchState& t, const SceneView& view, const Rect& scene) {
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
void TouchScene::read_bodies(const Session& session, Draft& draft) {
  Bodies b = session.bodies();
  const SessionModel& m = session.model();
  steps_ = m.steps, reversed_ = m.backwards;
  if (draft.body) {
    draft.place = centre_of(b, draft.bodies, b.x, b.y, b.z),
    draft.before = centre_of(b, draft.bodies, b.vx, b.vy, b.vz);
    draft.mass = 0, draft.radius = b.r[*draft.body];
    for (const u32 i : draft.bodies) draft.mass += b.m[i];
  }
  if (reversed_) {  // the way back is the way of reversed velocities
    for (auto* v : {&b.vx, &b.vy, &b.vz}) {
      for (double& value : *v) value = -value;
    }
  }
  plane_ = m.scene.field.pair == PairLaw::gravity ? orbit_plane(b) : std::nullopt;
  field_ = path_field(b, m.scene.field, draft.bodies);
  drawn_.done = true;  // the path is to be computed anew
}

/// In the plane of the orbits, moved to go through that place; where there is none, or it is seen from its edge, in
/// that across the view.
Place TouchScene::place_of(const SceneView& view, const Rect& scene, const Pixels& at, const Place& through) const {
  const auto on = plane_ ? place_on(view.camera, scene, at, {through, plane_->normal}) : std::nullopt;
  return on.value_or(place_at(view.camera, scene, at, through));
}

void TouchScene::begin_draft(const Session& session, GuiState& state, const Rect& scene) {
  TouchState& t = state.touch;
  const Pixels& from = t.stroke->from;
  Draft& draft = t.draft.emplace();
  draft.body = SceneDisplay::body_at(session, state, from[0], from[1], scene);
  const std::vector<u32>& selected = t.selection.bodies;
  const bool together = draft.body && std::binary_search(selected.begin(), selected.end(), *draft.body);
  if (draft.body) draft.bodies = together ? selected : std::vector{*draft.body};
  const Population& population = *session.model().population;
  draft.mass = t.mass.value_or(median_of(population.bodies.m));
  draft.radius = t.radius.value_or(median_of(population.bodies.r));
  read_bodies(session, draft);
  const auto& target = state.view.camera.pose.target;
  const Place through = plane_ ? plane_->centre : Place{target.x, target.y, target.z};
  if (!draft.body) draft.place = place_of(state.view, scene, from, through);
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
  if (moves && m.n <= kReadEachStep) read_bodies(session, draft);
  const bool dragged = is_drag(stroke, state.panels.scale);
  if (drawn_.done || drawn_.to != stroke.to) {
    draft.arrow = place_of(state.view, scene, stroke.to, draft.place);
    draft.velocity = dragged ? away_from(draft.place, draft.arrow, speed_) : Place{};
    const auto future = [&](const Place& velocity) {
      const Place start = away_from({}, velocity, reversed_ ? -1 : 1);
      return predicted_path(field_, {draft.place, start, draft.mass}, {.time = kShown / speed_, .seconds = 0.0015});
    };
    draft.path = future(dragged || !draft.body ? draft.velocity : draft.before);
    draft.unthrown = draft.body ? future(draft.before) : PredictedPath{};
    draft.about = field_.text();
    drawn_ = {stroke.from, stroke.to, false};
  }
  if (!stroke.done) return;
  if (!draft.body) {
    requests.push_back(ask::AddBodies{{{draft.place, draft.velocity, draft.mass, draft.radius}}});
    t.awaits = m.n;
  } else if (dragged) {
    draft.bodies.size() == 1
        ? requests.push_back(ask::ChangeBody{*draft.body, {.velocity = draft.velocity}})
        : requests.push_back(ask::ChangeBodies{draft.bodies, {.kick = away_from(draft.before, draft.velocity, 1)}});
  } else {
    state.view.select(draft.body);
  }
  t.stroke.reset();
}

void TouchScene::look(Session& session, GuiState& state, double now) {
  TouchState& t = state.touch;
  follow_population(t, state.view, session.model().population);
  if (const auto before = std::exchange(t.awaits, std::nullopt); before && session.model().n == *before + 1) {
    state.view.select(static_cast<u32>(*before));
  }
  if (t.selection.bodies.empty()) t.selection.followed = false;
  const bool shown = std::exchange(t.selection.in_sight, false) && !t.selection.bodies.empty();
  if (!shown) t.selection.velocity.reset();
  if (t.measures.empty() && !t.selection.followed && !shown) return;
  const bool fresh = (shown && !t.selection.velocity) || std::any_of(t.measures.begin(), t.measures.end(),
                                                                     [](const Measure& m) { return m.places.empty(); });
  if (!fresh && !looking_.is_due(now)) return;
  const double begin = clock_s();
  session.attempt([&] {
    const Bodies b = session.bodies();
    for (Measure& m : t.measures) {
      m.places.clear();
      for (const u32 i : m.bodies) m.places.push_back({b.x[i], b.y[i], b.z[i]});
    }
    if (shown) t.selection.velocity = centre_of(b, t.selection.bodies, b.vx, b.vy, b.vz);
    if (t.selection.followed) {
      const Place centre = centre_of(b, t.selection.bodies, b.x, b.y, b.z);
      state.view.follow = false;
      for (int a = 0; a < 3; ++a)
        state.view.camera.pose.target[a] = static_cast<float>(centre[static_cast<std::size_t>(a)]);
    }
  });
  looking_.at = now, looking_.cost = clock_s() - begin;
}

render::Image in_small(const render::Image& image, u32 times) {
  render::Image small{image.width / times, image.height / times, {}};
  small.rgb.reserve(std::size_t{3} * small.width * small.height);
  for (u32 y = 0; y < small.height; ++y) {
    for (u32 x = 0; x < small.width; ++x) {
      std::array<u32, 3> sum{}, most{};
      for (u32 k = 0; k < times * times; ++k) {
        const u8* const pixel = image.at(times * x + k % times, times * y + k / times);
        for (std::size_t c = 0; c < 3; ++c) sum[c] += pixel[c], most[c] = std::max<u32>(most[c], pixel[c]);
      }
      for (std::size_t c = 0; c < 3; ++c) {
        small.rgb.push_back(static_cast<u8>((sum[c] / (times * times) + most[c]) / 2));
      }
    }
  }
  return small;
}

void ThumbKeeper::keep(const Session& session, TimeThumbs& thumbs, GLuint texture, const Rect& scene, u32 height) {
  constexpr int kHeight = 60, kMaxWidth = 160, kTimes = 8;
  if (std::exchange(opened_, session.opened()) != session.opened()) thumbs.clear();
  const SessionModel& model = session.model();
  const bool wanted = scene.w >= 1 && scene.h >= 1 && !model.broken && thumbs.wants(model);
  std::erase_if(kept_, [&](const gl::Texture& t) {
    return std::none_of(thumbs.all.begin(), thumbs.all.end(), [&](const auto& k) { return k.texture == t.get(); });
  });
  if (!wanted) return;
  const int width = std::clamp(static_cast<int>(kHeight * scene.w / scene.h), kHeight / 2, kMaxWidth);
  thumbs.aspect = static_cast<float>(width) / kHeight;
  const gl::Framebuffer source = gl::make_framebuffer();
  glNamedFramebufferTexture(source.get(), GL_COLOR_ATTACHMENT0, texture, 0);
  const int x = static_cast<int>(scene.x), low = static_cast<int>(height) - static_cast<int>(scene.y + scene.h);
  const std::array<int, 4> part{x, low, x + static_cast<int>(scene.w), low + static_cast<int>(scene.h)};
  // Upside down, because ImGui draws pictures from their upper edge on.
  const int wide = kTimes * width, high = kTimes * kHeight;
  const gl::Texture large = gl::make_picture(GL_RGB8, wide, high, GL_LINEAR);
  const gl::Framebuffer to = gl::framebuffer_of(large);
  glBlitNamedFramebuffer(source.get(), to.get(), part[0], part[1], part[2], part[3], 0, high, wide, 0,
                         GL_COLOR_BUFFER_BIT, GL_LINEAR);
  render::Image image{static_cast<u32>(wide), static_cast<u32>(high), {}};
  image.rgb.resize(std::size_t{3} * image.width * image.height);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glGetTextureImage(large.get(), 0, GL_RGB, GL_UNSIGNED_BYTE, static_cast<GLsizei>(image.rgb.size()), image.rgb.data());
  const render::Image small = in_small(image, kTimes);
  gl::Texture picture = gl::make_picture(GL_RGB8, width, kHeight, GL_LINEAR);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTextureSubImage2D(picture.get(), 0, 0, 0, width, kHeight, GL_RGB, GL_UNSIGNED_BYTE, small.rgb.data());
  kept_.push_back(std::move(picture));
  thumbs.all.push_back({model.steps, kept_.back().get()});
}

void move_camera(render::Camera& camera, const CameraInput& in) {
  constexpr float kTurn = 3.14159265f;  // half a turn across the height of the scene
  constexpr float kClick = 0.88f;
  if (in.turns) {
    camera.turn(-in.dx / in.height * kTurn, in.dy / in.height * kTurn, in.seconds);
  } else if (in.pans) {
    camera.pan(-in.dx / in.width, in.dy / in.height, in.width / in.height);
    camera.stop();
  }
  if (in.scroll != 0) camera.zoom(std::pow(kClick, in.scroll));
  if (!in.glides) camera.stop();
  camera.drift(in.seconds, in.turns || in.pans);
  if (camera.mode == render::CameraMode::fly && (in.right != 0 || in.up != 0 || in.forward != 0)) {
    camera.fly(in.right, in.up, in.forward, in.seconds);
  }
}

std::optional<std::array<float, 2>> scene_click(const Release& release, const Rect& scene, float scale) {
  const float shake = 4 * scale, x = release.x - scene.x, y = release.y - scene.y;
  if (release.moved > shake * shake || x < 0 || y < 0 || x >= scene.w || y >= scene.h) return std::nullopt;
  return std::array{x, y};
}

void SceneView::save_bookmark(std::size_t number) { bookmarks[number] = Bookmark{camera.pose, camera.mode}; }

bool SceneView::restore_bookmark(std::size_t number) {
  const auto& saved = bookmarks[number];
  if (!saved) return false;
  camera.pose = saved->pose, camera.mode = saved->mode;
  camera.stop();
  follow = false;
  return true;
}

}  // namespace tri::app::gui
