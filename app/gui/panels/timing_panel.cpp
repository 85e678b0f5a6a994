// The panel Timing: lanes of the work of the last frames, ranks, the times of a step.

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/gui/base/look.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/plot/canvas.hpp"
#include "app/support/measurement.hpp"

namespace tri::app::gui {
namespace {

constexpr double kRefreshEvery = 0.25, kLongStep = 0.1;  // seconds
constexpr double kMinShown = 2e-6;                       // seconds
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
  if (static_cast<WorkLane>(lane) == WorkLane::gpu_draw) return phrase("{} draw", frames.drawn_by);
  constexpr std::array kNames{"step thread", "draw thread", "GPU step"};
  return kNames[lane];
}

bool is_step(const WorkSpan& s) { return std::string_view(s.name) == "steps" || std::string_view(s.name) == "force"; }

/// "force 1.05 ms · 44 % of its frame".
std::string about(const WorkSpan& span, const WorkTrace& work) {
  std::string text = phrase("{} {}", span.name, time_text(1e3 * span.seconds()));
  for (const WorkTrace::Frame& f : work.frames()) {
    if (span.begin < f.begin || span.begin >= f.end) continue;
    return text + phrase(" \u00b7 {:.0f} % of a frame of {}", 100 * span.seconds() / (f.end - f.begin),
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
    const std::string name = phrase("{} {}", span.name, time_text(1e3 * span.seconds()));
    for (const std::string& text : {name, std::string(tr(span.name))}) {
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
    const std::string text = first ? "0 ms" : number_text(tick.value, 4);
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
  if (button(state.frozen ? "Go on###freeze" : "Freeze###freeze",
             state.frozen ? "Shows the last frames again" : "Keeps what is shown, to look at it", {true, ""},
             80 * scale)) {
    state.frozen = !state.frozen;
    if (!state.frozen) state.from = state.to = 0;
  }
  ImGui::SameLine();
  if (ImGui::Button("Close###close", {72 * scale, 0})) state.shown = false;
}

/// Zoom, move, reset.
void handle_pointer(LanesState& state, const Extent& all, const TimeScale& at, bool hovered, bool held) {
  const ImGuiIO& io = ImGui::GetIO();
  Extent next = at.shown;
  if (hovered && io.MouseWheel != 0) {
    next =
        zoomed(next, at.time(io.MousePos.x), std::pow(kZoomStep, static_cast<double>(io.MouseWheel)), all, kMinShown);
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
  std::string text = phrase("this step, {:.1f} s so far", now - *frames.step_begun);
  if (frames.waiting > 0) text += fmt::format(", {}", counted(frames.waiting, "request waits", "requests wait"));
  return text;
}

void refresh(LanesState& lanes, const FrameState& frames, double now) {
  if (lanes.frozen || (lanes.taken_at > 0 && now - lanes.taken_at < kRefreshEvery)) return;
  lanes.held = frames.work, lanes.taken_at = now;
}

void lanes(LanesState& state, const FrameState& frames, ImU32 step_colour, double now, const Rect& place, float scale) {
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
  invisible_button("lanes", {at.right - at.left, bottom - top});
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && pointed != nullptr) ImGui::SetTooltip("%s", about(*pointed, state.held).c_str());
  handle_pointer(state, *all, at, hovered, ImGui::IsItemActive());
}

namespace {

constexpr u32 kMaxStrips = 16;

/// Times of all ranks, on one scale from 0.
struct RankTimes {
  std::vector<double> ms;  ///< [ranks] medians; empty: not measured
  double longest = 0, mean = 0;
};

RankTimes times_of(const SessionModel& model) {
  RankTimes times;
  for (const Samples& samples : model.rank_ms) times.ms.push_back(samples.median());
  for (const double ms : times.ms) {
    times.longest = std::max(times.longest, ms);
    times.mean += ms / static_cast<double>(times.ms.size());
  }
  return times;
}

/// Its number and name, its share, its time; below them the bar, and where the mean is.
void strip(const SessionModel& model, u32 rank, const RankTimes& times, ImVec2 at, float width, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = at.y + 9 * scale, bar = at.y + 19 * scale, thick = 8 * scale, right = at.x + width;
  const std::string ms = times.ms.empty() ? "" : time_text(times.ms[rank]);
  const bool measured = rank < model.rank_parts.size();
  const double part = measured ? model.rank_parts[rank] : model.main_shares().part(rank);
  const std::string share = fmt::format("{:.1f} %", 100 * part);
  const float share_right = right - 64 * scale;
  write_middle(draw, Face::body, {right, y}, theme().text, ms, Align::right);
  write_middle(draw, Face::caption, {share_right, y}, theme().text2, share, Align::right);
  const float name_left = at.x + width_in(Face::body, "00") + 8 * scale;
  write_middle(draw, Face::strong, {at.x, y}, theme().text, fmt::format("{}", rank));
  const std::string name = rank < model.backend.rank_names.size() ? model.backend.rank_names[rank] : "";
  write_middle(draw, Face::caption, {name_left, y}, theme().text2,
               fitting(Face::caption, name, share_right - 56 * scale - name_left));
  draw.AddRectFilled({at.x, bar}, {right, bar + thick}, theme().line, 2);
  if (times.longest > 0) {
    const auto x_of = [&](double time) { return at.x + width * static_cast<float>(time / times.longest); };
    const float least = times.ms[rank] > 0 ? at.x + 4 * scale : at.x;  // who worked is seen, however slow another was
    draw.AddRectFilled({at.x, bar}, {std::max(x_of(times.ms[rank]), least), bar + thick}, rank_colour(rank), 2);
    const float mean = x_of(times.mean);
    draw.AddLine({mean, bar - 3 * scale}, {mean, bar + thick + 3 * scale}, theme().text, std::max(1.0f, scale));
  }
  ImGui::LogText("%u %s %s %s | ", rank, name.c_str(), share.c_str(), ms.c_str());
}

/// Devices measure their tiles of all pairs and triples, and contacts that they share; neither other ones nor jerks.
bool measures(const SessionModel& model) {
  const Scene& scene = model.scene;
  const bool jerks = scene.integrator == Integrator::hermite || scene.eta > 0;
  const bool contacts = scene.field.pair == PairLaw::contact;
  const bool shared = !scene.field.contact.impulse && model.engine.broad_phase == BroadPhase::grid;
  return model.backend.name != "cuda" || (contacts ? shared : !jerks);
}

std::string sentence(const SessionModel& model, const RankTimes& times) {
  if (!measures(model)) return "Devices do not measure impulses, few contacts, nor steps with jerks.";
  if (times.ms.empty()) return "Not measured yet: with the first steps.";
  if (!(times.mean > 0)) return "Too short to measure.";
  const auto slowest = std::max_element(times.ms.begin(), times.ms.end()) - times.ms.begin();
  return phrase("Rank {} is the slowest: {} the mean, which the line marks.", slowest,
                times_text(times.longest / times.mean));
}

}  // namespace

void rank_strips(const SessionModel& model, float scale) {
  const u32 count = model.main_shares().ranks;
  if (count < 2) return;
  const RankTimes times = times_of(model);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float width = ImGui::GetContentRegionAvail().x;
  ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string title = phrase("{} ranks", count);
  write_head(draw, at, title, "share of the work, own time", width, scale);
  ImGui::LogText("%s | ", title.c_str());
  ImGui::Dummy({1, 26 * scale - ImGui::GetStyle().ItemSpacing.y});
  const u32 shown = std::min(count, kMaxStrips);
  for (u32 r = 0; r < shown; ++r) {
    at = ImGui::GetCursorScreenPos();
    strip(model, r, times, at, width, scale);
    ImGui::Dummy({width, 30 * scale - ImGui::GetStyle().ItemSpacing.y});
  }
  if (shown < count) {
    std::string more = phrase("and {} more", count - shown);
    if (!times.ms.empty()) {
      const auto [least, most] = std::minmax_element(times.ms.begin() + shown, times.ms.end());
      more += phrase(", {} to {}", time_text(*least), time_text(*most));
    }
    ImGui::TextDisabled("%s", more.c_str());
  }
  ImGui::TextWrapped("%s", sentence(model, times).c_str());
  ImGui::Dummy({1, 4 * scale});
}

// The frame strip: where the time of a frame goes, as parts of 100 %.
namespace {

constexpr double kRefresh = 0.25;  // seconds; numbers that change more often cannot be read

/// Neighbours joined where they are too narrow for a label.
struct Piece {
  std::string name, about;
  double ms = 0;
  bool steps = false;
  ImU32 colour = 0;
};

std::string label(const Piece& p, double whole, float room) {
  const std::string percent = fmt::format("{:.0f} %", 100 * p.ms / whole);
  const std::string all = fmt::format("{} {} \u00b7 {}", p.name, time_text(p.ms), percent);
  for (const std::string& text : {all, fmt::format("{} {}", p.name, percent), percent}) {
    if (width_in(Face::caption, text.c_str()) <= room) return text;
  }
  return "";
}

std::vector<Piece> pieces_of(const StripTimes& times, float width, float scale, ImU32 map_colour) {
  std::vector<Piece> pieces;
  const float least = 60 * scale;
  bool joins = false;
  for (std::size_t k = 0; k < kFramePartCount; ++k) {
    const double ms = times.parts[k];
    const bool steps = static_cast<FramePart>(k) == FramePart::steps;
    const bool narrow = !steps && width * static_cast<float>(ms / times.whole) < least;
    const std::string about = phrase("{}: {}. {}.", kFrameParts[k].name, time_text(ms), kFrameParts[k].text);
    if (narrow && joins) {
      Piece& last = pieces.back();
      last.name += std::string(" + ") + tr(kFrameParts[k].name), last.ms += ms, last.about += "\n" + about;
    } else {
      pieces.push_back({tr(kFrameParts[k].name), about, ms, steps, steps ? map_colour : 0});
    }
    joins = narrow;
  }
  return pieces;
}

void refresh(StripTimes& times, const std::deque<FrameCost>& costs, double now) {
  if (costs.empty() || (times.whole > 0 && now - times.at < kRefresh)) return;
  times.at = now;
  times.parts = {};
  for (const FrameCost& f : costs) {
    for (std::size_t k = 0; k < kFramePartCount; ++k) times.parts[k] += static_cast<double>(f.parts[k]);
  }
  times.whole = 0;
  for (double& part : times.parts) part /= static_cast<double>(costs.size()), times.whole += part;
}

}  // namespace

ImU32 step_colour(const SessionModel& model) {
  const auto& maps = shown_maps(model);
  return maps.empty() ? theme().text2 : map_ink(maps[map_in_use(model)].name).colour;
}

void frame_strip(const SessionModel& model, GuiState& state, double now, const Rect& place) {
  if (place.w < 1 || place.h < 1) return;
  StripTimes& times = state.frames.strip;
  refresh(times, state.frames.costs, now);
  const float scale = state.panels.scale;
  const FixedWindow window("frame strip", place, kBehind | ImGuiWindowFlags_NoNav, {.padding = ImVec2(0, 0)});
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = place.y + place.h / 2, pad = 12 * scale;
  draw.AddLine({place.x, place.y}, {place.x + place.w, place.y}, theme().line);
  write_middle(draw, Face::caption, {place.x + pad, y}, theme().text2, "Frame");
  const std::string whole = times.whole > 0 ? time_text(times.whole) : "-";
  write_middle(draw, Face::strong,
               {place.x + pad + width_in(Face::caption, (std::string(tr("Frame")) + " ").c_str()), y}, theme().text,
               whole);
  const float left = place.x + 144 * scale, right = place.x + place.w - 75 * scale;
  write_middle(draw, Face::caption, {place.x + place.w - pad, y}, theme().text2, "100 %", Align::right);
  if (times.whole > 0 && right > left + 40 * scale) {
    const std::vector<Piece> pieces = pieces_of(times, right - left, scale, step_colour(model));
    const float half = (place.h - 8 * scale) / 2;
    double done = 0;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      const Piece& p = pieces[k];
      const auto x_of = [&](double ms) { return left + (right - left) * static_cast<float>(ms / times.whole); };
      const ImVec2 low{x_of(done), y - half}, high{std::max(low.x + 1, x_of(done += p.ms) - 1), y + half};
      const ImU32 colour = p.steps ? p.colour : k % 2 == 0 ? theme().edge : theme().line;
      draw.AddRectFilled(low, high, colour, 2);
      const std::string text = label(p, times.whole, high.x - low.x - 8 * scale);
      write_middle(draw, Face::caption, {low.x + 4 * scale, y}, p.steps ? theme().page : theme().text, text);
      if (ImGui::IsMouseHoveringRect(low, high) && ImGui::IsWindowHovered()) {
        if (pointer_rests(ImGui::GetID(p.name.c_str()))) ImGui::SetTooltip("%s", p.about.c_str());
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) state.lanes.shown = !state.lanes.shown;
      }
    }
  }
}

// Timing: the parts of a frame with their noise, and the throughput of the kernel. Diagnostics: conserved quantities
// over time.

namespace {

/// Of a FramePart.
ImU32 frame_part_colour(std::size_t part) {
  return part == static_cast<std::size_t>(FramePart::other) ? theme().text2
                                                            : series_colour(static_cast<unsigned>(part));
}

/// The last frames as stacked columns of their parts.
void draw_frame_costs(const std::deque<FrameCost>& frames, float height, float scale) {
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 corner = ImGui::GetCursorScreenPos(), size{width, height * scale};
  invisible_button("frame costs", size);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(corner, {corner.x + size.x, corner.y + size.y}, ImGui::GetColorU32(ImGuiCol_FrameBg));
  if (frames.empty()) return;
  std::vector<float> sums;
  for (const FrameCost& f : frames) sums.push_back(f.whole());
  std::vector<float> sorted = sums;
  std::sort(sorted.begin(), sorted.end());
  // The scale ends above the 95th percentile, so that one slow frame does not flatten all others.
  const float top = std::max(1.25f * sorted[(sorted.size() - 1) * 19 / 20], 1e-6f);
  const float column = size.x / static_cast<float>(FrameState::kMaxFrames);
  float x = corner.x + size.x - column * static_cast<float>(frames.size());
  for (std::size_t k = 0; k < frames.size(); ++k, x += column) {
    const FrameCost& f = frames[k];
    float y = corner.y + size.y;
    for (std::size_t part = 0; part < kFramePartCount; ++part) {
      const float above = std::max(corner.y, y - f.parts[part] / top * size.y);
      if (y - above > 0.25f) draw.AddRectFilled({x, above}, {x + column, y}, frame_part_colour(part));
      y = above;
    }
  }
  const std::string scale_text = time_text(static_cast<double>(top));
  draw.AddText({corner.x + 3 * scale, corner.y + 1 * scale}, ImGui::GetColorU32(ImGuiCol_Text), scale_text.c_str());
  if (!hovered) return;
  const float from_right = (corner.x + size.x - ImGui::GetIO().MousePos.x) / column;
  const auto back = static_cast<std::size_t>(std::max(0.0f, from_right));
  if (back >= frames.size()) return;
  const FrameCost& f = frames[frames.size() - 1 - back];
  std::string text;
  for (std::size_t part = 0; part < kFramePartCount; ++part) {
    text += phrase("{} {}\n", kFrameParts[part].name, time_text(static_cast<double>(f.parts[part])));
  }
  tip_beside(text + phrase("frame {}", time_text(static_cast<double>(f.whole()))));
}

/// A row: a time, and its noise; nothing where there is no sample.
void line(const char* name, const std::optional<std::pair<double, double>>& time, ImU32 mark, const char* text = "") {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(mark), "%s", name);
  tip(text);
  ImGui::TableNextColumn();
  if (!time) {
    ImGui::TextDisabled("-");
    ImGui::TableNextColumn();
    return;
  }
  ImGui::TextUnformatted(three_digits(time->first).c_str());
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", three_digits(time->second).c_str());
}

/// Mean and interquartile range over the frames. Means of parts sum to the mean of the whole; medians do not.
std::pair<double, double> of_frames(const std::deque<FrameCost>& frames, const auto& part) {
  std::vector<double> values;
  for (const FrameCost& f : frames) values.push_back(static_cast<double>(part(f)));
  const SampleStats stats = sample_stats(values);
  return {stats.mean, stats.iqr};
}

void line_of(const char* name, const Samples& samples, const char* text) {
  const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
  if (samples.empty()) return line(name, {}, ink, text);
  const SampleStats stats = sample_stats(samples.values());
  line(name, std::pair{stats.median, stats.iqr}, ink, text);
}

bool begin_times(const char* id, const char* what, const char* time) {
  if (!ImGui::BeginTable(id, 3, ImGuiTableFlags_SizingStretchProp)) return false;
  for (const char* column : {what, time, "noise ms"}) ImGui::TableSetupColumn(column);
  ImGui::TableHeadersRow();
  return true;
}

void frame_table(const FrameState& frames) {
  if (frames.costs.empty() || !begin_times("frame", "part", "mean ms")) return;
  for (std::size_t k = 0; k < kFramePartCount; ++k) {
    line(kFrameParts[k].name, of_frames(frames.costs, [k](const FrameCost& f) { return f.parts[k]; }),
         frame_part_colour(k), kFrameParts[k].text);
  }
  line("frame", of_frames(frames.costs, [](const FrameCost& f) { return f.whole(); }),
       ImGui::GetColorU32(ImGuiCol_Text), "The sum of the parts");
  ImGui::EndTable();
}

/// What goes on beside the parts of a frame, or within them.
void work_table(const SessionModel& model, const FrameState& frames) {
  if (!begin_times("work", "work", "median ms")) return;
  line_of("force", model.force, "One evaluation, of the last 240");
  line_of("integrate", model.integrate, "The rest of a step");
  line_of("publish", model.publish, "By the backend");
  if (!frames.costs.empty()) {
    std::vector<double> drawing;
    for (const FrameCost& f : frames.costs) drawing.push_back(static_cast<double>(f.drawing));
    const SampleStats stats = sample_stats(drawing);
    line(phrase("drawing ({})", frames.drawn_by).c_str(), std::pair{stats.median, stats.iqr},
         ImGui::GetColorU32(ImGuiCol_Text), "The bodies of a frame, at the same time as its parts");
  }
  ImGui::EndTable();
}

/// "1.23 G": with an SI prefix.
std::string with_prefix(double value) {
  constexpr const char* kPrefixes[] = {"", " k", " M", " G", " T", " P"};
  std::size_t k = 0;
  for (; value >= 1000 && k + 1 < std::size(kPrefixes); ++k) value /= 1000;
  return fmt::format("{:.3g}{}", value, kPrefixes[k]);
}

}  // namespace

void timing(const SessionModel& model, const FrameState& frames, float scale) {
  rank_strips(model, scale);
  draw_frame_costs(frames.costs, 64, scale);
  frame_table(frames);
  work_table(model, frames);
  const double ms = model.force.median();
  if (model.scene.field.pair == PairLaw::contact && model.engine.broad_phase == BroadPhase::grid) {
    ImGui::TextDisabled("contacts by grid: not all pairs are tested");
    return;
  }
  if (ms > 0 && model.work_items() > 0) {
    const char* items = model.triple_maps.empty() ? "pairs" : "pairs and triples";
    ImGui::Text("%s %s/s", with_prefix(model.work_items() / ms * 1000).c_str(), tr(items));
  } else {
    ImGui::TextDisabled("pairs/s: not running yet");
  }
}

void diagnostics(const SessionModel& model, float scale) {
  const auto& rows = model.diagnostics;
  const UnitSystem* units = find_unit_system(model.scene.units);
  const ClockUnit of_energy = reading_unit(units, "energy"), of_speed = reading_unit(units, "velocity");
  std::vector<double> x;
  PlotLine error{"error", {}}, virial{"virial", {}}, kinetic{"kinetic", {}}, potential{"potential", {}},
      momentum{"|p|", {}};
  for (const DiagnosticsRow& row : rows) {
    // Steps keep counting when time is reversed, so the lines never run backwards.
    x.push_back(static_cast<double>(row.step));
    error.y.push_back(row.energy_error);
    virial.y.push_back(row.values.virial_ratio());
    kinetic.y.push_back(of_energy.size * row.values.kinetic);
    potential.y.push_back(of_energy.size * row.values.potential);
    const auto& p = row.values.momentum;
    momentum.y.push_back(of_speed.size * std::hypot(p[0], p[1], p[2]));
  }
  draw_plot({"energy error", "energy error, relative", x, "step", {error}}, scale);
  const std::string unit = with_powers(of_energy.behind);
  PlotSpec energies{"energies", unit.empty() ? "energy" : phrase("energy,{}", unit), x, "step", {kinetic, potential}};
  energies.unit = unit;
  draw_plot(energies, scale);
  draw_plot({"virial", "\u22122K / sum r.F", x, "step", {virial}}, scale);
  const std::string mass = unit_behind(units, "mass"), velocity = of_speed.behind;
  PlotSpec momenta{"momentum", "momentum |p|", x, "step", {momentum}};
  if (!mass.empty() && !velocity.empty())
    momenta.unit = mass + velocity, momenta.title = tr(momenta.title) + "," + momenta.unit;
  draw_plot(momenta, scale);
}

/// Each of two runs has its own steps.
PlotSpec energy_plot(const SessionModel& model, const SessionModel* second) {
  PlotSpec plot{"energy error", "", {}, "step", {{second != nullptr ? "A" : "error", {}}}};
  plot.runs = second != nullptr;
  if (plot.runs) plot.lines.push_back({"B", {}});
  std::map<u64, std::array<double, 2>> errors;  // by step
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (const DiagnosticsRow& row : model.diagnostics) errors[row.step] = {row.energy_error, kNone};
  if (second != nullptr) {
    for (const DiagnosticsRow& row : second->diagnostics) {
      errors.try_emplace(row.step, std::array{kNone, kNone}).first->second[1] = row.energy_error;
    }
  }
  for (const auto& [step, error] : errors) {
    plot.x.push_back(static_cast<double>(step));
    for (std::size_t k = 0; k < plot.lines.size(); ++k) plot.lines[k].y.push_back(error[k]);
  }
  plot.title = phrase("Energy error, relative, to step {}", grouped(errors.empty() ? 0 : errors.rbegin()->first));
  return plot;
}

void energy_chart(const SessionModel& model, const SessionModel* second, float height, float width, float scale) {
  PlotSpec plot = energy_plot(model, second);
  if (plot.x.size() < 2) {
    coloured_text(theme().text2, "Energy error: its line begins with the first steps.");
    return;
  }
  plot.height = height, plot.width = width;
  draw_plot(plot, scale);
}

}  // namespace tri::app::gui
