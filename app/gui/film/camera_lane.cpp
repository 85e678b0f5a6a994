// The camera's path in the panel Time.

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "app/gui/base/widgets.hpp"
#include "app/gui/camera/path_file.hpp"
#include "app/gui/film/time_lanes.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui::film {
namespace {

constexpr float kLane = 22;

std::string mark_time(const SessionModel& model, double time) {
  const ClockUnit clock = clock_unit(find_unit_system(model.scene.units));
  return fmt::format("{:.6g}{}", clock.size * time, clock.behind);
}

/// A diamond with the number of its bookmark.
void diamond(ImDrawList& draw, ImVec2 at, float size, bool chosen, const std::string& number) {
  const Theme& t = theme();
  const ImVec2 points[] = {{at.x, at.y - size}, {at.x + size, at.y}, {at.x, at.y + size}, {at.x - size, at.y}};
  draw.AddConvexPolyFilled(points, 4, chosen ? t.text : t.raised);
  draw.AddPolyline(points, 4, t.text, ImDrawFlags_Closed, 1);
  write_middle(draw, Face::rail, at, chosen ? t.panel : t.text, number, Align::centre);
}

void marks(const SessionModel& model, SceneView& view, const TimeAxis& axis, float scale) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = corner.y + kLane * scale / 2, size = 8 * scale;
  draw.AddLine({axis.left, y}, {axis.right, y}, theme().line, 1.5f * scale);
  if (!view.path.empty()) {
    const auto& all = view.path.marks();
    draw.AddLine({axis.x(all.front().time), y}, {axis.x(all.back().time), y}, theme().text2, 1.5f * scale);
  }
  for (std::size_t k = 0; k < view.path.marks().size(); ++k) {
    const CameraPath::Mark& mark = view.path.marks()[k];
    const ImVec2 at{axis.x(mark.time), y};
    ImGui::SetCursorScreenPos({at.x - size, y - size});
    ImGui::PushID(static_cast<int>(k));
    if (ImGui::InvisibleButton("mark", {2 * size, 2 * size})) {
      view.mark = k;
      view.camera.pose = mark.pose, view.on_path = false;
      view.camera.stop();
    }
    const bool drags = ImGui::IsItemActive() && ImGui::IsMouseDragging(0, 3 * scale);
    if (!drags) {
      panel::tip(
          fmt::format("Bookmark {}, t = {}. A click shows it, a drag moves it.", k + 1, mark_time(model, mark.time)));
    }
    ImGui::PopID();
    diamond(draw, at, size, view.mark == k, std::to_string(k + 1));
    if (!drags) continue;
    // Between its neighbours: one that passed another would have to change its number under the pointer.
    const auto& list = view.path.marks();
    const double room = 1e-6 * (axis.last - axis.first);
    const double low = k > 0 ? list[k - 1].time + room : axis.first;
    const double high = k + 1 < list.size() ? list[k + 1].time - room : axis.last;
    if (low < high) view.path.move(k, std::clamp(axis.time(ImGui::GetIO().MousePos.x), low, high));
    view.mark = k;
  }
  ImGui::SetCursorScreenPos({corner.x, corner.y + kLane * scale});
  ImGui::Dummy({1, 1});
}

void open_or_save(SceneView& view) {
  ImGui::SetNextItemWidth(-160 * ImGui::GetFontSize() / 14);
  ImGui::InputText("##path file", &view.path_file);
  panel::tip("File of the camera path, in TOML");
  const auto attempt = [&](const auto& work) {
    view.path_note.clear();
    try {
      work();
    } catch (const Error& error) {
      view.path_note = error.what();
    }
  };
  ImGui::SameLine();
  if (ImGui::Button("Open path")) attempt([&] { view.path = read_camera_path(view.path_file); });
  ImGui::SameLine();
  ImGui::BeginDisabled(view.path.empty());
  if (ImGui::Button("Save path") && !view.path.empty()) {
    attempt([&] {
      write_camera_path(view.path_file, view.path);
      view.path_note = fmt::format("wrote {}", view.path_file);
    });
  }
  ImGui::EndDisabled();
  if (!view.path_note.empty()) panel::coloured_text(theme().text2, view.path_note);
}

}  // namespace

std::string tick_text(const SessionModel& model, u64 step, u64 near, bool other) {
  const TimelineModel& t = model.timeline;
  const auto meets = [&](u64 at) { return at <= step + near && step <= at + near; };
  if (t.branch && meets(*t.branch)) return fmt::format("The runs part at step {}", *t.branch);
  const char* name = t.recorded ? "Recorded state" : other ? "Keyframe of the other branch" : "Keyframe";
  for (const TimelineModel::Tick& k : other ? t.other_keyframes : t.keyframes) {
    if (meets(k.step)) return fmt::format("{}: step {}, t = {}", name, k.step, mark_time(model, k.time));
  }
  return "";
}

float TimeAxis::x(double at) const {
  const double share = last > first ? (at - first) / (last - first) : 0;
  return left + static_cast<float>(share) * (right - left);
}

double TimeAxis::time(float at) const {
  const float share = std::clamp((at - left) / std::max(1.0f, right - left), 0.0f, 1.0f);
  return first + static_cast<double>(share) * (last - first);
}

void play_path(const SessionModel& model, SceneView& view, Requests& requests) {
  if (view.path.empty()) return;
  const double first = view.path.marks().front().time;
  const auto& frames = model.timeline.keyframes;
  const auto after = std::upper_bound(frames.begin(), frames.end(), first,
                                      [](double t, const TimelineModel::Tick& k) { return t < k.time; });
  if (model.time > view.path.marks().back().time || model.time > first) {
    if (after != frames.begin()) requests.push_back(ask::GoTo{std::prev(after)->step});
  }
  requests.push_back(ask::Run{true});
  view.on_path = true;
}

void camera_lane(const SessionModel& model, GuiState& state, const TimeAxis& axis, Requests& requests) {
  SceneView& view = state.view;
  const float scale = state.panels.scale;
  const std::size_t count = view.path.marks().size();
  if (view.mark && *view.mark >= count) view.mark.reset();
  {
    const InFace strong(Face::strong);
    ImGui::TextUnformatted("Camera");
  }
  ImGui::SameLine();
  ImGui::TextDisabled("%s",
                      count == 0 ? "no path" : fmt::format("{} bookmark{}", count, count == 1 ? "" : "s").c_str());
  marks(model, view, axis, scale);
  ImGui::BeginDisabled(count == CameraPath::kMost);
  if (ImGui::Button("Add here") && count < CameraPath::kMost) view.mark = view.path.add(model.time, view.camera.pose);
  panel::tip("A bookmark of the present view at the present time; the path goes through it");
  ImGui::EndDisabled();
  panel::same_line(60 * scale);
  ImGui::BeginDisabled(!view.mark.has_value());
  if (ImGui::Button("Delete") && view.mark) {
    view.path.remove(*view.mark);
    view.mark.reset();
  }
  panel::tip("Deletes the bookmark that was clicked");
  ImGui::EndDisabled();
  panel::same_line(80 * scale);
  ImGui::BeginDisabled(count < 2);
  if (ImGui::Button(view.on_path ? "Leave path###path" : "Play path###path") && count >= 2) {
    if (view.on_path) {
      view.on_path = false;
    } else {
      play_path(model, view, requests);
    }
  }
  panel::tip("Runs from the first bookmark, with the camera on its path; a drag in the scene leaves it");
  ImGui::EndDisabled();
  open_or_save(view);
}

}  // namespace tri::app::gui::film
