#include "app/gui/scene_display.hpp"

#include <algorithm>

#include "app/gui/base/view_defaults.hpp"
#include "app/gui/frame/frame_meter.hpp"
#include "app/support/engine_choice.hpp"
#include "render/pick.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/error.hpp"
#include "sim/scene/body_names.hpp"

namespace tri::app::gui {
namespace {

/// The first names of the scene's bodies; none where they cannot be read, or are of other bodies.
void name_bodies(const Session& session, SceneView& view) {
  constexpr std::size_t kMostNames = 48;
  view.labels.clear();
  try {
    const std::vector<std::string> names = body_names(session.model().spec);
    if (names.size() > session.model().n) return;
    for (std::size_t k = 0; k < std::min(names.size(), kMostNames); ++k) view.labels.push_back({names[k], {}});
  } catch (const Error&) {
    return;  // a file that changed since it was opened
  }
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
  name_bodies(session, view);
  named_of_ = session.model().n;
  set_usual_style(view.style, session.model().scene);
  if (!can_colour(view.style.quantity, session.model()).ok) view.style.quantity = render::Quantity::speed;
  fit(session, view);
}

void SceneDisplay::fit(const Session& session, SceneView& view) {
  view.lengths = fit_camera(view.camera, session, view.aspect);
}

/// Selected bodies are coloured or hidden.
void SceneDisplay::mark(const Selection& s, std::size_t n) {
  std::vector<u32> marks;
  if (!s.bodies.empty() && (s.hidden || s.coloured)) {
    marks.resize(n);
    for (const u32 body : s.bodies) {
      if (body < n) marks[body] = s.hidden ? render::BodyRenderer::kHidden : render::BodyRenderer::kSelected;
    }
  }
  if (marks == marks_) return;
  marks_ = std::move(marks);
  renderer_.set_marks(marks_);
}

void SceneDisplay::publish(Session& session, SceneView& view, const Selection& selection) {
  mark(selection, session.model().n);
  if (std::exchange(generation_, session.generation()) != session.generation()) {
    renderer_.set_luminosities(luminosities(session.drawn()));
    trails_.forget();
    if (session.model().n < named_of_) view.labels.clear();  // numbers have moved
  }
  session.set_scalar(scalar_of(view.style.quantity));
  publisher_.publish(session);
  const u64 steps = session.model().steps;
  if (!view.trails.shown || steps < trail_steps_) trails_.forget();  // switched off, or reset
  if (view.trails.shown) {
    trails_.choose(view.trails.bodies, view.trails.length);
    if (steps != trail_steps_ || trails_.filled() == 0) trails_.record(*publisher_.buffer(), view.selected);
  }
  trail_steps_ = steps;
  for (std::size_t k = 0; k < view.labels.size(); ++k) {
    const auto place = session.place_of(k);
    for (std::size_t a = 0; a < 3; ++a) view.labels[k].place[a] = static_cast<float>(place[a]);
  }
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
  try {
    const std::optional<u32> body = body_at(session, state, x, y, scene);
    if (state.touch.tool != Tool::measure) {
      state.view.select(body);
    } else if (body) {
      measure_body(state.touch, *body);
    }
  } catch (const std::exception& error) {
    session.note(error.what(), true);
  }
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
  frame.trails = &trails_;
  const double now = clock_s();
  if (!measured_ && !opened_) frame.adaptation = adaptation_in(now - drawn_at_);
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
    renderer_.draw(second, frame, view.style);
    return renderer_.show(texture, x + w, y);
  }
  split_.draw(renderer_, frame, view.style, state.split, texture, x, y);
}

}  // namespace tri::app::gui
