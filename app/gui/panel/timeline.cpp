// Time: the steps of the run that can be shown again, its keyframes, and the other branch.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/base/widgets.hpp"
#include "app/gui/film/time_lanes.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

/// Steps from left to right.
struct StepAxis {
  ImVec2 low, high;
  u64 first = 0, last = 0;
  float x(u64 step) const {
    const double share = last > first ? static_cast<double>(step - first) / static_cast<double>(last - first) : 0;
    return low.x + static_cast<float>(share) * (high.x - low.x);
  }
  u64 step(float at) const {
    const double share = std::clamp((at - low.x) / std::max(1.0f, high.x - low.x), 0.0f, 1.0f);
    return first + static_cast<u64>(std::llround(share * static_cast<double>(last - first)));
  }
};

/// A line over the steps from `from` to `to` with its keyframes; `dashed`: of the other branch.
void draw_run(ImDrawList& draw, const StepAxis& axis, float y, float scale, u64 from, u64 to,
              const std::vector<TimelineModel::Tick>& keyframes, bool dashed) {
  const ImU32 ink = dashed ? theme().text2 : ImGui::GetColorU32(ImGuiCol_Text);
  const float begin = axis.x(from), end = axis.x(to), dash = 5 * scale, tick = 5 * scale;
  for (float x = begin; x < end; x += dashed ? 2 * dash : end - begin) {
    draw.AddLine({x, y}, {dashed ? std::min(x + dash, end) : end, y}, ink, 2 * scale);
  }
  for (const TimelineModel::Tick& k : keyframes) {
    const float x = axis.x(k.step);
    draw.AddLine({x, y - tick}, {x, y + tick}, ink, scale);
  }
}

void draw_bar(const SessionModel& model, const StepAxis& axis, float scale) {
  const TimelineModel& t = model.timeline;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled({axis.low.x - 6 * scale, axis.low.y}, {axis.high.x + 6 * scale, axis.high.y},
                     ImGui::GetColorU32(ImGuiCol_FrameBg), 2 * scale);
  const float y = axis.low.y + 12 * scale, other_y = axis.low.y + 28 * scale;
  draw_run(draw, axis, y, scale, t.first, t.last, t.keyframes, false);
  if (t.branch) {
    const float x = axis.x(std::max(*t.branch, t.first));
    draw.AddLine({x, y}, {x, other_y}, theme().text2, scale);
    draw_run(draw, axis, other_y, scale, std::max(*t.branch, t.first), t.other_last, t.other_keyframes, true);
  }
  const float x = axis.x(std::clamp(model.steps, axis.first, axis.last));
  const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
  draw.AddLine({x, axis.low.y}, {x, axis.high.y}, ink, 2 * scale);
  draw.AddTriangleFilled({x - 5 * scale, axis.low.y}, {x + 5 * scale, axis.low.y}, {x, axis.low.y + 6 * scale}, ink);
}

/// Step of a time, between keyframes by their times; before and after them by the mean length of a step.
u64 step_at(const SessionModel& model, double time) {
  const TimelineModel& t = model.timeline;
  std::vector<TimelineModel::Tick> ticks = t.keyframes;
  if (ticks.empty() || ticks.back().step < t.last) ticks.push_back({t.last, t.last_time});
  const auto after = std::upper_bound(ticks.begin(), ticks.end(), time,
                                      [](double at, const TimelineModel::Tick& k) { return at < k.time; });
  if (after == ticks.begin()) return ticks.front().step;
  const TimelineModel::Tick& before = *std::prev(after);
  const double steps = static_cast<double>(t.last - ticks.front().step), times = t.last_time - ticks.front().time;
  const double each = steps > 0 && times > 0 ? times / steps : std::max(model.scene.dt, 1e-300);
  const double way = after == ticks.end() ? (time - before.time) / each
                                          : static_cast<double>(after->step - before.step) * (time - before.time) /
                                                (after->time - before.time);
  return before.step + static_cast<u64>(std::llround(std::clamp(way, 0.0, 1e15)));
}

/// Of what is under the pointer.
std::string label_at(const SessionModel& model, const StepAxis& axis, float scale) {
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const u64 near = axis.step(axis.low.x + 4 * scale) - axis.first;
  const bool lower = model.timeline.branch && pointer.y > axis.low.y + 20 * scale;
  return film::tick_text(model, axis.step(pointer.x), near, lower);
}

/// While the pointer drags, the keyframe before it, which is there at once; where it lets go, the very step.
void scrub(const TimelineModel& t, const StepAxis& axis, u64 now, Requests& requests) {
  const bool active = ImGui::IsItemActive(), left = ImGui::IsItemDeactivated();
  if (!active && !left) return;
  const u64 wanted = std::min(axis.step(ImGui::GetIO().MousePos.x), t.last);
  const auto after = std::upper_bound(t.keyframes.begin(), t.keyframes.end(), wanted,
                                      [](u64 step, const TimelineModel::Tick& k) { return step < k.step; });
  const u64 step = left || after == t.keyframes.begin() ? wanted : std::prev(after)->step;
  const u64 there = t.seek ? t.seek->to : now;
  if (step != there) requests.push_back(ask::GoTo{step});
}

std::string position(const SessionModel& model) {
  const TimelineModel& t = model.timeline;
  const ClockUnit clock = clock_unit(find_unit_system(model.scene.units));
  if (t.seek && t.recorded) return fmt::format("reading step {}", t.seek->to);
  if (t.seek) {
    const double whole = static_cast<double>(std::max<u64>(1, t.seek->to - t.seek->from));
    return fmt::format("going to step {}: {:.0f} %", t.seek->to,
                       100 * static_cast<double>(model.steps - t.seek->from) / whole);
  }
  const bool past = model.steps < t.last && !t.recorded;
  return fmt::format("step {}, t = {:.6g}{}{}", model.steps, clock.size * model.time, clock.behind,
                     past ? fmt::format(", shown again; the last is {}", t.last) : "");
}

/// The steps at both ends of the bar.
void ends_text(const SessionModel& model, u64 end, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  write(draw, Face::caption, at, theme().text2, fmt::format("step {}", grouped(model.timeline.first)));
  write(draw, Face::caption, {at.x + width, at.y}, theme().text2, grouped(end), Align::right);
  ImGui::Dummy({width, ImGui::GetFontSize()});
}

/// How many keyframes there are, and of what.
std::string kept_text(const TimelineModel& t) {
  const std::size_t count = t.keyframes.size() + (t.branch ? t.other_keyframes.size() : 0);
  std::string kept =
      fmt::format("{} keyframe{}, {:.3g} MB", count, count == 1 ? "" : "s", static_cast<double>(t.bytes) / 1e6);
  if (t.branch) kept += fmt::format("; the runs part at step {}, the other ends at {}", *t.branch, t.other_last);
  if (!t.exact) kept += "; with fast sums on a GPU steps are taken again up to rounding";
  return kept;
}

}  // namespace

void timeline(const SessionModel& model, GuiState& state, Requests& requests) {
  const TimelineModel& t = model.timeline;
  const float scale = state.panels.scale;
  if (!t.kept) {
    ImGui::TextDisabled("no steps are kept");
    return;
  }
  const auto button = [&](const char* label, bool enabled, const char* text, const Request& request) {
    ImGui::BeginDisabled(!enabled);
    if (ImGui::Button(label) && enabled) requests.push_back(request);
    tip(text);
    ImGui::EndDisabled();
  };
  const u64 going = t.seek ? t.seek->to : model.steps;
  button("Step back", going > t.first, "One step back (Backspace)", ask::StepBack{});
  same_line(60 * scale);
  button(model.running ? "Pause###play" : "Play###play", true,
         t.recorded ? "Shows one state after another, at the pace of time (Space)"
                    : "From here on; steps that were taken are taken again (Space)",
         ask::Run{!model.running});
  same_line(50 * scale);
  button("Step", true, "One step (N)", ask::Take{1});
  same_line(100 * scale);
  button("Branch here", !model.broken, "Another run begins here; later steps stay as the other branch", ask::Branch{});
  same_line(110 * scale);
  button("Other branch", t.branch.has_value(), "The other run, at this step or its last", ask::OtherBranch{});

  const float margin = 6 * scale, width = std::max(20 * scale, ImGui::GetContentRegionAvail().x);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float height = (t.branch ? 40 : 26) * scale;
  ImGui::InvisibleButton("bar", {width, height});
  u64 end = t.branch ? std::max(t.last, t.other_last) : t.last;
  const auto& marks = state.view.path.marks();
  if (!marks.empty()) end = std::max(end, step_at(model, marks.back().time));
  const StepAxis axis{{corner.x + margin, corner.y}, {corner.x + width - margin, corner.y + height}, t.first, end};
  scrub(t, axis, model.steps, requests);
  if (!ImGui::IsItemActive()) tip(label_at(model, axis, scale));
  draw_bar(model, axis, scale);
  ends_text(model, end, width);
  coloured_text(ImGui::GetColorU32(ImGuiCol_Text), position(model));
  const double last = std::max(
      {t.last_time, t.branch ? t.other_last_time : t.last_time, marks.empty() ? t.last_time : marks.back().time});
  const double first = t.keyframes.empty() ? 0 : t.keyframes.front().time;
  const film::TimeAxis times{axis.low.x, axis.high.x, std::min(first, marks.empty() ? first : marks.front().time),
                             std::max(last, first)};
  if (t.recorded) {
    coloured_text(theme().text2,
                  fmt::format("a recorded run of {} states; Branch here goes on from this one", t.keyframes.size()));
  } else {
    coloured_text(theme().text2, kept_text(t));
  }
  film::two_runs_part(model, state.second);
  film::camera_lane(model, state, times, requests);
  film::film_part(model, state.film, marks.size() > 1, scale);
}

}  // namespace tri::app::gui::panel
