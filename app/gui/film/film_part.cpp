// The film in the panel Time, and the mark of a recording over the scene.

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/base/widgets.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/film/time_lanes.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"

namespace tri::app::gui::film {
namespace {

struct Size {
  const char* name;
  u32 width, height;
};
constexpr std::array kSizes{Size{"1280 x 720", 1280, 720}, Size{"1920 x 1080", 1920, 1080},
                            Size{"2560 x 1440", 2560, 1440}, Size{"3840 x 2160", 3840, 2160},
                            Size{"the window's", 0, 0}};

/// With panels also that of the window, 0 x 0.
void choose_size(FilmChoice& choice) {
  std::vector<std::string> names;
  if (!choice.panels && choice.width == 0) choice.width = FilmChoice{}.width, choice.height = FilmChoice{}.height;
  const u32 count = static_cast<u32>(kSizes.size()) - (choice.panels ? 0 : 1);
  u32 at = count;
  for (u32 k = 0; k < count; ++k) {
    names.emplace_back(kSizes[k].name);
    if (choice.width == kSizes[k].width && choice.height == kSizes[k].height) at = k;
  }
  if (panel::choose("picture", at, names, 0, fmt::format("{} x {}", choice.width, choice.height))) {
    choice.width = kSizes[at].width, choice.height = kSizes[at].height;
  }
}

void progress(const FilmProgress& now, FilmState& film, float scale) {
  const double share = static_cast<double>(now.frames) / static_cast<double>(std::max<u64>(1, now.all));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = 6 * scale;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, at.y + height}, theme().line, 2 * scale);
  draw.AddRectFilled(at, {at.x + width * static_cast<float>(share), at.y + height}, theme().record, 2 * scale);
  ImGui::Dummy({width, height});
  std::string text = fmt::format("{:.0f} %, {} of {} frames", 100 * share, now.frames, now.all);
  if (now.frames > 1 && now.seconds > 1) text += fmt::format(", about {:.0f} s left", now.seconds * (1 / share - 1));
  panel::coloured_text(theme().text2, text);
  if (ImGui::Button("Stop and keep")) film.stop = true;
  panel::tip("The frames so far become the film");
}

std::string speed_unit(const SessionModel& model) {
  return unit_behind(find_unit_system(model.scene.units), "time") + " a second";
}

}  // namespace

void film_part(const SessionModel& model, FilmState& film, bool has_path, float scale) {
  {
    const InFace strong(Face::strong);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("Film");
  }
  if (film.now) return progress(*film.now, film, scale);
  constexpr const char* kMake = "Make film";
  const float wide = ImGui::CalcTextSize(kMake).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine(ImGui::GetContentRegionMax().x - wide);
  if (ImGui::Button(kMake)) film.start = true;
  panel::tip("Every frame is exact, whatever it takes to compute and to draw");
  FilmChoice& c = film.choice;
  ImGui::Checkbox("with panels", &c.panels);
  panel::tip("The whole window, which is drawn at the film's size meanwhile; else the bodies alone");
  choose_size(c);
  u64 fps = c.fps;
  if (panel::whole("frames a second", fps, "Of the film")) {
    c.fps = static_cast<u32>(std::clamp<u64>(fps, 1, FilmChoice::kMaxFps));
  }
  const FilmSteps steps = film_steps(c, std::max(model.scene.dt, 1e-300), model.pace);
  double speed = c.speed > 0 ? c.speed : steps.speed;
  if (!model.timeline.recorded && panel::number("speed", speed, "Simulated time a second of film", speed_unit(model))) {
    c.speed = std::max(0.0, speed);
  }
  double seconds = c.seconds;
  if (panel::number("length", seconds, "Of the film", " s")) c.seconds = std::clamp(seconds, 0.0, 1e6);
  ImGui::SetNextItemWidth(panel::field_width(13));
  ImGui::InputText("file", &c.path);
  panel::tip("FILE.mp4 by ffmpeg, or a folder of PNG files");
  const bool automatic = model.scene.eta > 0;
  panel::coloured_text(
      theme().text2,
      model.timeline.recorded
          ? fmt::format("{} frames, one a recorded state.", film_frames(c))
          : fmt::format("{} frames from here, {} step{} each: {}{}{}. {}", film_frames(c), steps.a_frame,
                        steps.a_frame == 1 ? "" : "s", three_digits(steps.speed), speed_unit(model),
                        automatic ? " at most, for steps have lengths of their own" : "",
                        has_path ? "The camera goes along its path." : "The camera is that of the window."));
}

std::string mark_text(const SessionModel& model, const RecordMark& mark) {
  std::string text = fmt::format("REC {:.0f} s", std::floor(mark.seconds));
  const ClockUnit clock = clock_unit(find_unit_system(model.scene.units));
  if (mark.speed > 0) text += fmt::format(", {}{} a second", three_digits(clock.size * mark.speed), clock.behind);
  return text;
}

void record_mark(const SessionModel& model, const RecordMark& mark, float scale, const Rect& scene) {
  const std::string text = mark_text(model, mark);
  const float wide = width_in(Face::strong, text.c_str()) + 34 * scale, high = 24 * scale;
  if (scene.w < wide || scene.h < 3 * high) return;
  const ImVec2 low{scene.x + scene.w - wide - 12 * scale, scene.y + 54 * scale};
  ImGui::SetNextWindowPos(low);
  ImGui::SetNextWindowSize({wide, high});
  ImGui::Begin(kMarkWindow, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const Theme& dark = theme_of(true);  // as the scene in both themes
  draw.AddRectFilled(low, {low.x + wide, low.y + high}, faded(dark.panel, 0.9f), 4 * scale);
  draw.AddCircleFilled({low.x + 13 * scale, low.y + high / 2}, 5 * scale, dark.record);
  write_middle(draw, Face::strong, {low.x + 24 * scale, low.y + high / 2}, dark.text, text);
  ImGui::End();
}

}  // namespace tri::app::gui::film
