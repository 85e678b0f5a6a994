#include "app/gui/charts/lanes.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"
#include "app/plot/plot_axis.hpp"

namespace tri::app::gui::charts {
namespace {

constexpr double kRefreshEvery = 0.25, kLongStep = 0.1;  // seconds
constexpr double kLeastShown = 2e-6;                     // seconds
constexpr std::size_t kUsualFrames = 3;
constexpr std::size_t kLateFrames = 4;  // for which the GPU has not told yet when it drew

/// Where times are on the screen.
struct TimeScale {
  Extent shown;
  float left = 0, right = 0;
  float x(double time) const { return left + (right - left) * static_cast<float>((time - shown.low) / shown.length()); }
  double time(float at) const { return shown.low + shown.length() * static_cast<double>((at - left) / (right - left)); }
};

std::string lane_name(std::size_t lane, const FrameState& frames) {
  if (static_cast<WorkLane>(lane) == WorkLane::gpu_draw) return frames.drawn_by + " draw";
  constexpr std::array kNames{"step thread", "draw thread", "GPU step"};
  return kNames[lane];
}

bool is_step(const WorkSpan& s) { return std::string_view(s.name) == "steps" || std::string_view(s.name) == "force"; }

/// "force 1.05 ms · 44 % of its frame".
std::string about(const WorkSpan& span, const WorkTrace& work) {
  std::string text = fmt::format("{} {}", span.name, time_text(1e3 * span.seconds()));
  for (const WorkTrace::Frame& f : work.frames()) {
    if (span.begin < f.begin || span.begin >= f.end) continue;
    return text + fmt::format(" \u00b7 {:.0f} % of a frame of {}", 100 * span.seconds() / (f.end - f.begin),
                              time_text(1e3 * (f.end - f.begin)));
  }
  return text;
}

/// Draws one lane; spans narrower than a pixel join. Returns the span under the pointer.
const WorkSpan* draw_lane(ImDrawList& draw, const WorkTrace& work, WorkLane lane, const TimeScale& at, const Rect& row,
                          ImU32 step_colour, float scale) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const WorkSpan* pointed = nullptr;
  std::array<float, 4> drawn_to{-1e9f, -1e9f, -1e9f, -1e9f};
  for (const WorkSpan& span : work.spans()) {
    if (span.lane != lane || span.end < at.shown.low || span.begin > at.shown.high) continue;
    const std::size_t depth = std::min<std::size_t>(span.depth, drawn_to.size() - 1);
    const float inset = static_cast<float>(depth) * 5 * scale;
    const ImVec2 low{std::max(at.x(span.begin), at.left), row.y + inset};
    const ImVec2 high{std::min(std::max(at.x(span.end), low.x + 1), at.right), row.y + row.h};
    if (mouse.x >= low.x && mouse.x < high.x && mouse.y >= low.y && mouse.y < high.y) pointed = &span;
    if (high.x <= drawn_to[depth] + 0.5f) continue;
    drawn_to[depth] = high.x;
    const bool step = is_step(span);
    const ImU32 ink = !step ? (span.name[0] % 2 == 0 ? theme().edge : theme().line)
                      : depth == 0 && lane != WorkLane::draw_thread ? faded(step_colour, 0.55f)
                                                                    : step_colour;
    draw.AddRectFilled(low, {std::max(low.x + 0.5f, high.x - 1), high.y}, ink, 2);
    const std::string name = fmt::format("{} {}", span.name, time_text(1e3 * span.seconds()));
    for (const std::string& text : {name, std::string(span.name)}) {
      if (width_in(Face::rail, text.c_str()) > high.x - low.x - 8 * scale) continue;
      write_middle(draw, Face::rail, {low.x + 4 * scale, (low.y + high.y) / 2}, step ? theme().page : theme().text,
                   text);
      break;
    }
  }
  return pointed;
}

void draw_scale(ImDrawList& draw, const TimeScale& at, const WorkTrace& work, float top, float bottom, float scale) {
  for (const WorkTrace::Frame& f : work.frames()) {
    if (f.begin < at.shown.low || f.begin > at.shown.high) continue;
    draw.AddLine({at.x(f.begin), top}, {at.x(f.begin), bottom}, theme().edge);
  }
  Range range;
  range.add(0), range.add(1e3 * at.shown.length());
  for (const Tick& tick : make_axis(Scale::linear, range, 6).ticks) {
    if (tick.label.empty() || tick.value > range.high) continue;
    const float x = at.x(at.shown.low + 1e-3 * tick.value);
    draw.AddLine({x, bottom}, {x, bottom + 4 * scale}, theme().text3);
    const bool first = std::abs(tick.value) < 1e-9 * range.high;
    const std::string text = first ? "0 ms" : fmt::format("{:.4g}", tick.value);
    if (x + width_in(Face::rail, text.c_str()) < at.right + 8 * scale) {
      write(draw, Face::rail, {x, bottom + 4 * scale}, theme().text2, text);
    }
  }
}

void controls(LanesState& state, const FrameState& frames, const Rect& place, double now, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float pad = 12 * scale, y = place.y + 6 * scale, buttons = 172 * scale;
  write(draw, Face::strong, {place.x + pad, y + 3 * scale}, theme().text, "Where the time goes");
  const float title = place.x + 2 * pad + width_in(Face::strong, "Where the time goes");
  std::string text = step_under_way(frames, now);
  if (text.empty()) text = "the wheel zooms, a drag moves, a double click shows the last frames";
  write(draw, Face::caption, {title, y + 5 * scale}, theme().text2,
        fitting(Face::caption, text, place.x + place.w - buttons - title));
  ImGui::SetCursorScreenPos({place.x + place.w - buttons, y});
  if (ImGui::Button(state.frozen ? "Go on###freeze" : "Freeze###freeze", {80 * scale, 0})) {
    state.frozen = !state.frozen;
    if (!state.frozen) state.from = state.to = 0;
  }
  panel::tip(state.frozen ? "Shows the last frames again" : "Keeps what is shown, to look at it");
  ImGui::SameLine();
  if (ImGui::Button("Close###close", {72 * scale, 0})) state.shown = false;
}

/// Zoom, move, reset.
void handle_pointer(LanesState& state, const Extent& all, const TimeScale& at, bool hovered, bool held) {
  const ImGuiIO& io = ImGui::GetIO();
  Extent next = at.shown;
  if (hovered && io.MouseWheel != 0) {
    next =
        zoomed(next, at.time(io.MousePos.x), std::pow(kZoomStep, static_cast<double>(io.MouseWheel)), all, kLeastShown);
  }
  if (held && io.MouseDelta.x != 0) {
    next = moved(next, -next.length() * static_cast<double>(io.MouseDelta.x / (at.right - at.left)), all);
  }
  if (!(next == at.shown)) state.from = next.low, state.to = next.high, state.frozen = true;
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) state.from = state.to = 0, state.frozen = false;
}

}  // namespace

std::optional<Extent> all_work(const WorkTrace& work) {
  if (work.frames().empty()) return std::nullopt;
  const Extent all{work.frames().front().begin, work.frames().back().end};
  return all.length() > 0 ? std::optional(all) : std::nullopt;
}

std::optional<Extent> shown_work(const LanesState& lanes, const FrameState& frames) {
  const std::optional<Extent> all = all_work(lanes.held);
  if (!all || lanes.to > lanes.from) return all ? std::optional(within({lanes.from, lanes.to}, *all)) : all;
  const auto& kept = lanes.held.frames();
  const bool late = lanes.held.has(WorkLane::gpu_draw) && kept.size() >= kUsualFrames + kLateFrames;
  const std::size_t after = kept.size() - (late ? kLateFrames : 0);
  Extent last{kept[after - std::min(after, kUsualFrames)].begin, kept[after - 1].end};
  if (frames.step_begun) last = {std::clamp(*frames.step_begun, all->low, last.low), all->high};
  return last;
}

std::string step_under_way(const FrameState& frames, double now) {
  if (!frames.step_begun || now - *frames.step_begun < kLongStep) return {};
  std::string text = fmt::format("step {:.1f} s", now - *frames.step_begun);
  if (frames.waiting > 0)
    text += fmt::format(", {} request{}", frames.waiting, frames.waiting == 1 ? " waits" : "s wait");
  return text;
}

void refresh(LanesState& lanes, const FrameState& frames, double now) {
  if (lanes.frozen || (lanes.taken_at > 0 && now - lanes.taken_at < kRefreshEvery)) return;
  lanes.held = frames.work, lanes.taken_at = now;
}

void lanes_items(LanesState& state, const FrameState& frames, ImU32 step_colour, double now, const Rect& place,
                 float scale) {
  controls(state, frames, place, now, scale);
  const std::optional<Extent> all = all_work(state.held);
  if (!all) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float pad = 12 * scale, names = 128 * scale, top = place.y + 40 * scale;
  const float bottom = place.y + place.h - 24 * scale;
  const TimeScale at{*shown_work(state, frames), place.x + pad + names, place.x + place.w - pad};
  if (at.right - at.left < 40 * scale || bottom - top < 20 * scale) return;
  draw_scale(draw, at, state.held, top, bottom, scale);
  std::size_t count = 0;
  const bool steps_now = frames.step_begun && !state.frozen;
  const auto is_shown = [&](std::size_t k) {
    return state.held.has(static_cast<WorkLane>(k)) || (k == 0 && steps_now);
  };
  for (std::size_t k = 0; k < kWorkLanes; ++k) count += is_shown(k);
  const float each = std::min(34 * scale, (bottom - top) / static_cast<float>(std::max<std::size_t>(count, 1)));
  const WorkSpan* pointed = nullptr;
  float y = top;
  for (std::size_t k = 0; k < kWorkLanes; ++k) {
    if (!is_shown(k)) continue;
    const auto lane = static_cast<WorkLane>(k);
    const Rect row{at.left, y + 2 * scale, at.right - at.left, each - 5 * scale};
    const double busy = state.held.sum(lane, at.shown.low, at.shown.high) / at.shown.length();
    write_middle(draw, Face::caption, {place.x + pad, y + each / 2}, theme().text2, lane_name(k, frames));
    write_middle(draw, Face::rail, {at.left - 6 * scale, y + each / 2}, theme().text2,
                 fmt::format("{:.0f} %", 100 * busy), Align::right);
    draw.AddLine({at.left, y + each - 2}, {at.right, y + each - 2}, theme().line);
    if (const WorkSpan* under = draw_lane(draw, state.held, lane, at, row, step_colour, scale)) pointed = under;
    if (lane == WorkLane::step_thread && steps_now) {
      const ImVec2 low{std::max(at.left, at.x(*frames.step_begun)), row.y}, high{at.right, row.y + row.h};
      if (high.x > low.x) draw.AddRect(low, high, step_colour, 2, 0, 1.5f * scale);
      write_middle(draw, Face::rail, {low.x + 6 * scale, (low.y + high.y) / 2}, theme().text,
                   step_under_way(frames, now));
    }
    y += each;
  }
  ImGui::SetCursorScreenPos({at.left, top});
  ImGui::InvisibleButton("lanes", {at.right - at.left, bottom - top});
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && pointed != nullptr) ImGui::SetTooltip("%s", about(*pointed, state.held).c_str());
  handle_pointer(state, *all, at, hovered, ImGui::IsItemActive());
}

void lanes(LanesState& state, const FrameState& frames, ImU32 step_colour, double now, const Rect& place, float scale) {
  if (!state.shown || place.w < 1 || place.h < 1) return;
  refresh(state, frames, now);
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("lanes", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::GetWindowDrawList()->AddLine({place.x, place.y}, {place.x + place.w, place.y}, theme().line);
  lanes_items(state, frames, step_colour, now, place, scale);
  ImGui::End();
  ImGui::PopStyleVar();
}

}  // namespace tri::app::gui::charts
