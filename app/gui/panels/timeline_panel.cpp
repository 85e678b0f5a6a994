// The panel Time: the timeline, the camera's path, films, two runs.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/base/look.hpp"
#include "app/gui/base/scene_view.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "render/image.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {
namespace {

constexpr u64 kHead = 4096;  // bytes of a video whose frames still wait in the encoder: they say nothing of its size

constexpr float kLane = 22;

std::string mark_time(const SessionModel& model, double time) {
  const ClockUnit clock = clock_of(model);
  return number_text(clock.size * time, 6) + clock.behind;
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
    if (invisible_button("mark", {2 * size, 2 * size})) {
      view.mark = k;
      view.camera.pose = mark.pose, view.on_path = false;
      view.camera.stop();
    }
    const bool drags = ImGui::IsItemActive() && ImGui::IsMouseDragging(0, 3 * scale);
    if (!drags) {
      tip(phrase("Bookmark {}, t = {}. A click shows it, a drag moves it.", k + 1, mark_time(model, mark.time)));
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
  const bool saves = !view.path.empty();  // else there is room for both in one line, and the film stands higher
  const float buttons = button_width("Open path") + (saves ? button_width("Save path") : 0) +
                        (saves ? 2 : 1) * ImGui::GetStyle().ItemSpacing.x;
  const float usual = ImGui::CalcTextSize("camera.toml").x + 3 * ImGui::GetStyle().FramePadding.x;
  const bool beside = ImGui::GetContentRegionAvail().x - buttons >= usual;  // else the name is a line of its own
  ImGui::SetNextItemWidth(beside ? -std::max((saves ? 160 : 80) * ImGui::GetFontSize() / 14, buttons) : -1);
  ImGui::InputText("##path file", &view.path_file);
  tip("File of the camera path, in TOML; a name that is taken gets a number");
  const auto attempt = [&](const auto& work) {
    view.path_note.clear();
    try {
      work();
    } catch (const Error& error) {
      view.path_note = stated(error.what());
    }
  };
  if (beside) ImGui::SameLine();
  if (ImGui::Button("Open path")) attempt([&] { view.path = read_camera_path(view.path_file); });
  if (saves) ImGui::SameLine();
  if (saves && ImGui::Button("Save path")) {
    attempt([&] {
      const std::string path = free_path(view.path_file);
      write_camera_path(path, view.path);
      view.path_note = phrase("wrote {}", path);
    });
  }
  if (!view.path_note.empty()) coloured_text(theme().text2, view.path_note);
}

}  // namespace

std::string tick_text(const SessionModel& model, u64 step, u64 near, bool other) {
  const TimelineModel& t = model.timeline;
  const auto meets = [&](u64 at) { return at <= step + near && step <= at + near; };
  if (t.branch && meets(*t.branch)) return phrase("The runs part at step {}", grouped(*t.branch));
  const char* name = t.recorded ? "Recorded state" : other ? "Keyframe of the other branch" : "Keyframe";
  for (const TimelineModel::Tick& k : other ? t.other_keyframes : t.keyframes) {
    if (meets(k.step)) return phrase("{}: step {}, t = {}", name, grouped(k.step), mark_time(model, k.time));
  }
  return "";
}

namespace {

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

}  // namespace

Request go_to_time(const SessionModel& model, double time) {
  const TimelineModel& t = model.timeline;
  const u64 step = t.kept && !t.recorded && !model.backwards && time < model.time ? step_at(model, time) : model.steps;
  return step < model.steps ? Request{ask::GoTo{step}} : Request{ask::RunUntil{time}};
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
  strong_text("Camera");
  ImGui::SameLine();
  ImGui::TextDisabled("%s", count == 0 ? "no path" : counted(count, "bookmark").c_str());
  marks(model, view, axis, scale);
  if (button("Add here", "A bookmark of the present view at the present time; the path goes through it",
             {count < CameraPath::kMax, "The path is full."})) {
    view.mark = view.path.add(model.time, view.camera.pose);
  }
  same_line(60 * scale, "Delete");
  if (button("Delete", "Deletes the bookmark that was clicked", {view.mark.has_value(), "None was clicked."})) {
    view.path.remove(*view.mark);
    view.mark.reset();
  }
  same_line(80 * scale, "Play path");
  if (button(view.on_path ? "Leave path###path" : "Play path###path",
             "Runs from the first bookmark, with the camera on its path; a drag in the scene leaves it",
             {count >= 2, "A path has two bookmarks at least: Add here makes one."})) {
    view.on_path ? void(view.on_path = false) : play_path(model, view, requests);
  }
  open_or_save(view);
}

// The film in the panel Time, and the mark of a recording over the scene.

namespace {

struct Size {
  const char* name;
  u32 width, height;
};
constexpr std::array kSizes{Size{"1280 \u00d7 720", 1280, 720},   Size{"1920 \u00d7 1080", 1920, 1080},
                            Size{"2560 \u00d7 1440", 2560, 1440}, Size{"3840 \u00d7 2160", 3840, 2160},
                            Size{"7680 \u00d7 4320", 7680, 4320}, Size{"the window's", 0, 0}};

}  // namespace

void choose_picture_size(u32& width, u32& height, bool of_window) {
  std::vector<std::string> names;
  if (!of_window && width == 0) width = FilmChoice{}.width, height = FilmChoice{}.height;
  const u32 count = static_cast<u32>(kSizes.size()) - (of_window ? 0 : 1);
  u32 at = count;
  for (u32 k = 0; k < count; ++k) {
    names.emplace_back(kSizes[k].name);
    if (width == kSizes[k].width && height == kSizes[k].height) at = k;
  }
  if (choose("size##of picture", at, names, 0, fmt::format("{} \u00d7 {}", width, height))) {
    width = kSizes[at].width, height = kSizes[at].height;
  }
}

void mark_boxes(PictureMarks& marks) {
  checkbox("axes##mark", marks.axes, "x, y and z from the origin");
  ImGui::SameLine();
  checkbox("scale bar", marks.scale_bar, "A round length at the distance of what the camera looks at");
  checkbox("legend", marks.legend, "What the colours stand for");
  ImGui::SameLine();
  checkbox("clock##mark", marks.clock, "The simulated time, with its unit");
}

namespace {

/// What a film can be here.
std::string film_kinds() {
  return render::video_available()
             ? "FILE.mp4 or FILE.webp, both by ffmpeg, or a folder of PNG files"
             : "A folder of PNG files, which any encoder takes; with ffmpeg installed FILE.mp4 or "
               "FILE.webp, too";
}

/// Where a film of this name goes, which replaces nothing.
std::string place_text(const std::string& path) {
  std::error_code fault;
  const std::string free = free_path(path), place = film_place(free);
  const auto whole = std::filesystem::absolute(place, fault).lexically_normal();
  const std::string text =
      phrase("It goes to {}.", fault || path.empty() ? tr("the folder of the program") : whole.string());
  if (place != free) return phrase("Without ffmpeg, {} becomes PNG files. {}", path, text);
  return free == path ? text : phrase("{} is taken. {}", path, text);
}

void progress(const FilmProgress& now, FilmState& film, float scale) {
  const double share = static_cast<double>(now.frames) / static_cast<double>(std::max<u64>(1, now.all));
  progress_bar(share, theme().record, scale);
  std::string text = phrase("{:.0f} %, {} of {}", 100 * share, grouped(now.frames), counted(now.all, "frame"));
  constexpr const char* kEnds = "The last frames are being written.";
  if (now.ends) {
    text += fmt::format(". {}", tr(kEnds));
  } else if (now.frames > 1 && now.seconds > 1) {
    text += phrase(", about {:.0f} s left", now.seconds * (1 / share - 1));
  }
  coloured_text(theme().text2, text);
  const Availability can{!now.ends, kEnds};
  if (button("Stop and keep", "The frames so far become the film (Esc)", can)) film.stop = true;
  if (now.bytes < kHead || now.frames == 0) return;
  const auto all = static_cast<u64>(static_cast<double>(now.bytes) / share);
  coloured_text(theme().text2, phrase("{} of about {}", bytes_text(now.bytes), bytes_text(all)));
}

/// What the film will take of the disk, as far as that is known, and what is free.
std::string disk_text(const FilmChoice& c) {
  constexpr u64 kPixel = 3;  // bytes; PNG files are never much larger
  const u64 most = film_frames(c) * c.width * c.height * kPixel;
  const auto free = free_bytes(c.path);
  const std::string place = film_place(c.path);
  const bool pictures = !place.ends_with(".mp4") && !place.ends_with(".webp") && most > 0;
  std::string text = pictures ? phrase("At most {} of PNG files", bytes_text(most)) : "";
  if (pictures && !render::video_available()) text += tr(" (a video needs ffmpeg, which is not installed)");
  if (free) text += phrase("{}{} are free", text.empty() ? "" : "; ", bytes_text(*free));
  return text.empty() ? text : text + ".";
}

}  // namespace

std::string film_place(const std::string& path) {
  const bool video = path.ends_with(".mp4") || path.ends_with(".webp");
  return video && !render::video_available() ? free_path(path.substr(0, path.rfind('.')) + "/") : path;
}

void film_part(const SessionModel& model, FilmState& film, bool has_path, float scale) {
  ImGui::AlignTextToFramePadding();
  strong_text("Film");
  if (std::exchange(film.wanted, false)) ImGui::SetScrollHereY(0);
  if (film.now) return progress(*film.now, film, scale);
  constexpr const char* kMake = "Make film";
  const float wide = ImGui::CalcTextSize(kMake).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine(ImGui::GetContentRegionMax().x - wide);
  if (button(kMake, "Every frame is exact, whatever it takes to compute and to draw")) {
    film.start = true, film.start_as = free_path(film.choice.path);
  }
  FilmChoice& c = film.choice;
  if (c.path.empty()) c.path = render::video_available() ? "film.mp4" : "film/";
  checkbox("with panels", c.panels,
           "The whole window, which is drawn at the film's size meanwhile; else the bodies alone");
  choose_picture_size(c.width, c.height, c.panels);
  if (!c.panels) mark_boxes(c.marks);
  u64 fps = c.fps;
  if (whole("frames a second", fps, "Of the film")) {
    c.fps = static_cast<u32>(std::clamp<u64>(fps, 1, FilmChoice::kMaxFps));
  }
  const FilmSteps steps = film_steps(c, std::max(model.scene.dt, 1e-300), model.pace);
  double speed = steps.speed;  // that of the film, whatever was asked for
  if (!model.timeline.recorded && time_number("speed", model, speed, "Simulated time a second of film", " a second")) {
    c.speed = std::max(0.0, speed);
  }
  if (!model.timeline.recorded && c.speed > 0 && std::abs(c.speed - steps.speed) > 1e-6 * c.speed) {
    coloured_text(theme().text2, phrase("The nearest to {} with whole steps a frame.", clock_text(model, c.speed)));
  }
  double seconds = c.seconds;
  if (number("length", seconds, "Of the film", " s")) c.seconds = std::clamp(seconds, 0.0, 1e6);
  ImGui::SetNextItemWidth(field_width(13));
  ImGui::InputText("file", &c.path);
  tip(tr(film_kinds()) + tr("; a name that is taken gets a number"));
  coloured_text(theme().text2, place_text(c.path));
  film.in_sight = true;
  if (film.preview.texture != 0) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = std::min(ImGui::GetContentRegionAvail().x, static_cast<float>(film.preview.width) * scale);
    const float height = width * static_cast<float>(film.preview.height) / static_cast<float>(film.preview.width);
    ImGui::GetWindowDrawList()->AddImage(texture_of(film.preview.texture), at, {at.x + width, at.y + height});
    ImGui::Dummy({width, height});
    tip("A frame of the film as it would be now");
  }
  const bool automatic = model.scene.eta > 0;
  coloured_text(theme().text2, disk_text(c));
  coloured_text(theme().text2,
                model.timeline.recorded
                    ? phrase("{}, one a recorded state.", counted(film_frames(c), "frame"))
                    : phrase("{} from here, {} each: {} a second{}. {}", counted(film_frames(c), "frame"),
                             counted(steps.a_frame, "step"), clock_text(model, steps.speed),
                             automatic ? " at most, for steps have lengths of their own" : "",
                             has_path ? "The camera goes along its path." : "The camera is that of the window."));
}

std::string mark_text(const SessionModel& model, const RecordMark& mark) {
  std::string text = phrase("REC {:.0f} s of film", std::floor(mark.seconds));
  if (mark.waits) return text + tr(", waits for the run");
  if (mark.speed > 0) text += phrase(", {} of time in each second", clock_text(model, mark.speed));
  if (mark.bytes < kHead) return text;
  text += ", " + bytes_text(mark.bytes);
  if (mark.free) text += phrase(" of {} free", bytes_text(*mark.free));
  return text;
}

void record_mark(const SessionModel& model, const RecordMark& mark, float scale, const Rect& scene) {
  const std::string text = mark_text(model, mark);
  const float wide = width_in(Face::strong, text.c_str()) + 34 * scale, high = 24 * scale;
  if (scene.w < wide || scene.h < 3 * high) return;
  const ImVec2 low{scene.x + scene.w - wide - 12 * scale, scene.y + 54 * scale};
  const FixedWindow window(kMarkWindow, {low.x, low.y, wide, high},
                           kBehind | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground |
                               ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const Theme& dark = theme_of(true);  // as the scene in both themes
  draw.AddRectFilled(low, {low.x + wide, low.y + high}, faded(dark.panel, 0.9f), 4 * scale);
  draw.AddCircleFilled({low.x + 13 * scale, low.y + high / 2}, 5 * scale, dark.record);
  write_middle(draw, Face::strong, {low.x + 24 * scale, low.y + high / 2}, dark.text, text);
}

// Two runs side by side: their marks over the scene, and the choice of which one the panels control.

namespace {

std::string map_name(const SessionModel& model) {
  const auto& rows = shown_maps(model);
  return rows.empty() ? std::string(tr("no map")) : rows[std::min(map_in_use(model), rows.size() - 1)].name;
}

void mark_run(ImDrawList& draw, const SessionModel& model, const char* name, const std::string& about, bool controlled,
              const Rect& half, float scale) {
  const Theme& dark = theme_of(true);
  const std::string what = fmt::format("{}{}{}, {}", tr(about), about.empty() ? "" : " \u00b7 ", map_name(model),
                                       tr(to_string(model.asked.accumulate)));
  const std::string where = phrase("step {}, t = {}", grouped(model.steps), clock_text(model, model.time));
  const float x = half.x + 20 * scale, y = half.y + 58 * scale, room = half.w - 60 * scale;
  if (room < 60 * scale) return;
  const bool all = width_in(Face::body, what.c_str()) <= room;  // else the map, which the column has, is left out
  write(draw, Face::title, {x, y}, dark.text, name);
  write(draw, Face::body, {x + 24 * scale, y + 3 * scale}, dark.text2,
        fitting(Face::body, all || about.empty() ? what : tr(about), room));
  write(draw, Face::caption, {x, y + 26 * scale}, dark.text, fitting(Face::caption, where, room));
  if (controlled) draw.AddLine({x, y + 24 * scale}, {x + 14 * scale, y + 24 * scale}, dark.text, 2 * scale);
}

}  // namespace

void two_runs_marks(const SessionModel& a, const SessionModel& b, const SecondChoice& choice, float scale,
                    const Rect& scene) {
  if (scene.w < 1) return;
  ImDrawList& draw = *ImGui::GetBackgroundDrawList();
  const float half = std::floor(scene.w / 2);
  draw.AddLine({scene.x + half, scene.y}, {scene.x + half, scene.y + scene.h}, theme_of(true).edge, 2 * scale);
  const std::string of_a = choice.is_branch ? phrase("branch at step {}", grouped(choice.from)) : "";
  const std::string of_b = choice.is_branch ? tr("the other branch") : phrase("from step {}", grouped(choice.from));
  mark_run(draw, a, "A", of_a, !choice.controls_b, {scene.x, scene.y, half, scene.h}, scale);
  mark_run(draw, b, "B", of_b, choice.controls_b, {scene.x + half, scene.y, scene.w - half, scene.h}, scale);
}

void two_runs_part(const SessionModel& model, SecondChoice& choice) {
  {
    const Disabled recorded(model.timeline.recorded);
    const bool branched = model.timeline.branch.has_value();
    checkbox("A and B", choice.on,
             branched && choice.of_branch ? "The other branch beside this run"
                                          : "A second run beside this one, from where it stands");
    if (model.timeline.recorded) tip(kRecorded);
    if (branched && !choice.shown) {
      ImGui::SameLine();
      checkbox("B is the other branch", choice.of_branch, "Else a second run begins where this one stands");
    }
  }
  if (!choice.shown) return;
  ImGui::SameLine();
  if (ImGui::RadioButton("panels of A", !choice.controls_b)) choice.controls_b = false;
  ImGui::SameLine();
  if (ImGui::RadioButton("of B", choice.controls_b)) choice.controls_b = true;
  tip("Maps, laws, sums, steps and bodies are then those of B, and the pointer acts in its half; both take the same "
      "number of steps");
}

// Time: the steps of the run that can be shown again, its keyframes, and the other branch.
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

/// The first of 1, 2, 5, 10, 20, ... that is not less.
double round_up(double value) {
  const double ten = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * ten >= value * (1 - 1e-9)) return factor * ten;
  }
  return 10 * ten;
}

/// Round times above the bar, in the unit of clocks.
void draw_scale(const SessionModel& model, const StepAxis& axis, const TimeAxis& times, float scale) {
  const ClockUnit clock = clock_of(model);
  const double first = clock.size * times.first, last = clock.size * times.last,
               room = (times.right - times.left) / (56 * scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  if (last > first && room >= 1) {
    const double each = round_up((last - first) / room);
    float free = -HUGE_VALF, before = free;  // a run of few steps has several times at one of them
    for (double k = std::ceil(first / each - 1e-9); k * each <= last * (1 + 1e-9); ++k) {
      const float x = axis.x(step_at(model, k * each / clock.size));
      if (x <= std::exchange(before, x)) continue;
      const std::string text = number_text(k * each, 6) + (k * each == 0 || (k - 1) * each < first ? clock.behind : "");
      const float end = x + width_in(Face::caption, text.c_str());
      if (x >= free && end <= axis.high.x + 6 * scale) {
        write(draw, Face::caption, {x, at.y}, theme().text2, text);
        free = end + 4 * scale;
      }
      draw.AddLine({x, at.y + 14 * scale}, {x, at.y + 18 * scale}, theme().text2, scale);
    }
  }
  ImGui::Dummy({1, 18 * scale});
}

/// The run in pictures: of each part of the bar the last that was kept there, or the nearest before it.
void draw_thumbs(const SessionModel& model, const TimeThumbs& thumbs, const StepAxis& axis, float high, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float all = axis.high.x - axis.low.x, wide = std::max(high * thumbs.aspect, 12 * scale);
  const auto count = static_cast<int>(std::max(1.0f, std::floor(all / wide)));
  for (int k = 0; k < count; ++k) {
    const float x = axis.low.x + all * static_cast<float>(k) / static_cast<float>(count);
    const ImVec2 low{x, axis.low.y - high},
        end{x + all / static_cast<float>(count) - 2 * scale, axis.low.y - 2 * scale};
    const u64 from = axis.step(low.x), to = axis.step(end.x);
    const TimeThumb* const thumb =
        from > model.timeline.last ? nullptr : thumbs.of(0, std::min(to, model.timeline.last));
    draw.AddRectFilled(low, end, theme_of(true).page);
    if (thumb != nullptr) draw.AddImage(texture_of(thumb->texture), low, end);
    draw.AddRect(low, end, theme().edge);
  }
}

/// The lane of the second run, from where it left.
void draw_second(const SecondChoice& second, const StepAxis& axis, float y, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float from = axis.x(std::clamp(second.from, axis.first, axis.last));
  draw.AddLine({from, axis.low.y + 12 * scale}, {from, y}, theme().text2, scale);
  draw_run(draw, axis, y, scale, std::clamp(second.from, axis.first, axis.last),
           std::clamp(second.to, axis.first, axis.last), {}, true);
  write(draw, Face::caption, {axis.low.x, y - 7 * scale}, theme().text2, "B");
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

/// Of what is under the pointer.
std::string label_at(const SessionModel& model, const StepAxis& axis, float scale) {
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const u64 near = axis.step(axis.low.x + 4 * scale) - axis.first;
  const bool lower = model.timeline.branch && pointer.y > axis.low.y + 20 * scale;
  return tick_text(model, axis.step(pointer.x), near, lower);
}

/// While the pointer drags, the run holds at the keyframe before it, which is there at once; where it lets go, the very
/// step.
void scrub(const SessionModel& model, const StepAxis& axis, bool& held, Requests& requests) {
  const TimelineModel& t = model.timeline;
  const bool active = ImGui::IsItemActive(), left = ImGui::IsItemDeactivated();
  if (!active && !left) return;
  if (active && will_run(model, requests)) held = true, requests.push_back(ask::Run{false});
  const u64 wanted = std::min(axis.step(ImGui::GetIO().MousePos.x), t.last);
  const auto after = std::upper_bound(t.keyframes.begin(), t.keyframes.end(), wanted,
                                      [](u64 step, const TimelineModel::Tick& k) { return step < k.step; });
  const u64 step = left || after == t.keyframes.begin() ? wanted : std::prev(after)->step;
  const u64 there = t.seek ? t.seek->to : model.steps;
  if (step != there) requests.push_back(ask::GoTo{step});
}

std::string position(const SessionModel& model) {
  const TimelineModel& t = model.timeline;
  if (t.seek && t.recorded) return phrase("reading step {}", grouped(t.seek->to));
  if (t.seek) {
    const double whole = static_cast<double>(std::max<u64>(1, t.seek->to - t.seek->from));
    return phrase("going to step {}: {:.0f} %", grouped(t.seek->to),
                  100 * static_cast<double>(model.steps - t.seek->from) / whole);
  }
  const bool past = model.steps < t.last && !t.recorded;
  return phrase("step {}, t = {}{}", grouped(model.steps), mark_time(model, model.time),
                model.until ? phrase(", runs until {}", mark_time(model, *model.until))
                : past      ? phrase(", shown again; the last is {}", grouped(t.last))
                            : "");
}

/// The steps at both ends of the bar.
void ends_text(const SessionModel& model, u64 end, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  write(draw, Face::caption, at, theme().text2, phrase("step {}", grouped(model.timeline.first)));
  write(draw, Face::caption, {at.x + width, at.y}, theme().text2, grouped(end), Align::right);
  ImGui::Dummy({width, ImGui::GetFontSize()});
}

/// How many keyframes there are, and of what.
std::string kept_text(const TimelineModel& t) {
  const std::size_t count = t.keyframes.size() + (t.branch ? t.other_keyframes.size() : 0);
  std::string kept = counted(count, "keyframe") + ", " + bytes_text(t.bytes);
  if (t.branch) {
    kept += phrase("; the runs part at step {}, the other ends at {}", grouped(*t.branch), grouped(t.other_last));
  }
  if (!t.exact) kept += tr("; with fast sums on a GPU steps are taken again up to rounding");
  return kept;
}

void time_buttons(const SessionModel& model, float scale, Requests& requests) {
  const TimelineModel& t = model.timeline;
  const auto asks_for = [&](const char* label, const Availability& can, const char* text, const Request& request) {
    if (button(label, text, can)) requests.push_back(request);
  };
  const u64 going = t.seek ? t.seek->to : model.steps;
  asks_for("Step back", {going > t.first, "This is the first step that is kept."}, "One step back (Backspace)",
           ask::StepBack{});
  same_line(60 * scale, "Play");
  asks_for(model.running ? "Pause###play" : "Play###play", {true, ""},
           t.recorded ? "Shows one state after another, at the pace of time (Space)"
                      : "From here on; steps that were taken are taken again (Space)",
           ask::Run{!will_run(model, requests)});
  same_line(50 * scale, "Step");
  asks_for("Step", {true, ""}, "One step (N)", ask::Take{1});
  same_line(100 * scale, "Branch here");
  asks_for("Branch here", {!model.broken, "A number of the state is not finite: step back first."},
           "Another run begins here; later steps stay as the other branch", ask::Branch{});
  same_line(110 * scale, "Other branch");
  asks_for("Other branch", {t.branch.has_value(), "There is none yet: Branch here makes one."},
           "The other run, at this step or its last", ask::OtherBranch{});
}

}  // namespace

void let_go_of_time(PanelState& panels, Requests& requests) {
  if (panels.drags_time && !ImGui::IsMouseDown(0)) panels.drags_time = false, requests.push_back(ask::Run{true});
}

void timeline(const SessionModel& model, GuiState& state, Requests& requests) {
  const TimelineModel& t = model.timeline;
  const float scale = state.panels.scale;
  if (!t.kept) {
    ImGui::TextDisabled("no steps are kept");
    return;
  }
  time_buttons(model, scale, requests);
  const float margin = 6 * scale, width = std::max(20 * scale, ImGui::GetContentRegionAvail().x);
  const SecondChoice& second = state.second;
  const float thumbs = 36 * scale, lanes = (t.branch ? 40 : 26) * scale,
              height = lanes + (second.shown ? 16 * scale : 0);
  u64 end = t.branch ? std::max(t.last, t.other_last) : t.last;
  const auto& marks = state.view.path.marks();
  if (!marks.empty()) end = std::max(end, step_at(model, marks.back().time));
  if (second.shown) end = std::max(end, second.to);
  const double last = std::max(
      {t.last_time, t.branch ? t.other_last_time : t.last_time, marks.empty() ? t.last_time : marks.back().time});
  const double first = t.keyframes.empty() ? 0 : t.keyframes.front().time;
  ImVec2 corner = ImGui::GetCursorScreenPos();
  const TimeAxis times{corner.x + margin, corner.x + width - margin,
                       std::min(first, marks.empty() ? first : marks.front().time), std::max(last, first)};
  draw_scale(model, {{times.left, 0}, {times.right, 0}, t.first, end}, times, scale);
  corner = ImGui::GetCursorScreenPos();
  invisible_button("bar", {width, thumbs + height});
  const StepAxis axis{{times.left, corner.y + thumbs}, {times.right, corner.y + thumbs + height}, t.first, end};
  scrub(model, axis, state.panels.drags_time, requests);
  if (!ImGui::IsItemActive()) tip(label_at(model, axis, scale));
  draw_bar(model, axis, scale);
  draw_thumbs(model, state.thumbs, axis, thumbs, scale);
  if (second.shown) draw_second(second, axis, corner.y + thumbs + lanes + 6 * scale, scale);
  ends_text(model, end, width);
  coloured_text(ImGui::GetColorU32(ImGuiCol_Text), position(model));
  double until = model.until.value_or(model.time);
  if (time_number("run until", model, until, kAboutUntil)) requests.push_back(go_to_time(model, until));
  if (second.shown) {
    coloured_text(theme().text2, phrase("B left A at step {}, t = {}, and is at step {}", grouped(second.from),
                                        mark_time(model, second.from_time), grouped(second.to)));
  }
  if (t.recorded) {
    coloured_text(theme().text2, phrase("a recorded run of {}; Branch here goes on from this one",
                                        counted(t.keyframes.size(), "state")));
  } else {
    coloured_text(theme().text2, kept_text(t));
  }
  two_runs_part(model, state.second);
  camera_lane(model, state, times, requests);
  film_part(model, state.film, marks.size() > 1, scale);
}

}  // namespace tri::app::gui
