// The race page: three workloads side by side, a row a map, each workload on its own scale from 0.

#include "app/gui/base/race.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/imgui_versions.hpp"
#include "app/gui/look/map_ink.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/map_thumb.hpp"
#include "app/gui/panel/panels.hpp"
#include "app/support/axes.hpp"

namespace tri::app::gui::panel {
namespace {

void race_head(RaceState& race, bool running, float width, float scale) {
  if (ImGui::Button("Back to the scene###scene")) race.shown = false;
  ImGui::SameLine(0, 16 * scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = at.y + ImGui::GetFrameHeight() / 2, left = ImGui::GetWindowPos().x + 24 * scale;
  const float title = width_in(Face::figure, "Race") + 16 * scale, controls = (race.maps.empty() ? 490 : 570) * scale;
  const float room = left + width - controls - at.x - title;
  if (room > 0) write_middle(draw, Face::figure, {at.x, y}, theme().text, "Race");
  if (room > 60 * scale) {
    const std::string about = race.maps.empty() ? "three workloads, the same bodies, all maps in turns"
                                                : race.maps.back() + " and bb in turns, three workloads";
    write_middle(draw, Face::body, {at.x + title, y}, theme().text2, fitting(Face::body, about, room));
  }
  ImGui::SetCursorScreenPos({left + width - controls, at.y});
  ImGui::BeginDisabled(running);
  for (const u64 n : race_sizes(race.domain)) {
    const bool on = race.n == n;
    if (on) ImGui::PushStyleColor(ImGuiCol_Button, theme().selected);
    if (ImGui::Button(grouped(n).c_str()) && !running) race.n = n;
    if (on) ImGui::PopStyleColor();
    ImGui::SameLine(0, 4 * scale);
  }
  ImGui::EndDisabled();
  ImGui::SameLine(0, 12 * scale);
  const bool has_figures = race.status != nullptr && !race.status->groups.empty();
  ImGui::BeginDisabled(!has_figures);
  if (ImGui::Button("CSV###csv") && has_figures) race.save = "triangulum-race.csv";
  ImGui::EndDisabled();
  tip("Writes every figure of the race, and of what was timed beside it, to triangulum-race.csv");
  ImGui::SameLine(0, 12 * scale);
  const char* label = running ? "Cancel###go" : race.status != nullptr ? "Race again###go" : "Race###go";
  if (ImGui::Button(label)) (running ? race.cancel : race.start) = true;
  if (!running && !race.maps.empty()) {
    ImGui::SameLine();
    if (ImGui::Button("All maps")) race.maps.clear(), race.start = true;
  }
  tip(running ? "Stops after the current sample" : "Times every map on a thread of its own, and pauses the simulation");
}

void race_row(ImDrawList& draw, const RaceRow& row, double longest, const Rect& r, float scale) {
  const float y = r.y + r.h / 2, figures = 150 * scale, bar = std::max(20 * scale, r.w - figures);
  if (!row.reason.empty()) {
    write_middle(draw, Face::caption, {r.x, y}, theme().disabled, row.reason);
    return;
  }
  if (!(row.ms > 0)) return;
  const auto x_of = [&](double ms) { return r.x + bar * static_cast<float>(std::min(1.0, ms / longest)); };
  const float half = std::min(8 * scale, r.h / 3);
  draw.AddRectFilled({r.x, y - half}, {x_of(row.ms), y + half}, map_ink(row.map).colour, 2);
  if (row.ms > longest) {
    const float end = r.x + bar;
    draw.AddLine({end - 9 * scale, y + half}, {end - 5 * scale, y - half}, theme().panel, 2 * scale);
  }
  for (const double ms : {row.interval.low, row.interval.high}) {
    if (ms > longest) continue;
    draw.AddLine({x_of(ms), y - half - 2 * scale}, {x_of(ms), y + half + 2 * scale}, theme().text, scale);
  }
  const float time = r.x + bar + 76 * scale, gain = r.x + bar + figures;
  write_middle(draw, Face::body, {time, y}, theme().text, time_text(row.ms), Align::right);
  if (row.map == "bb") return write_middle(draw, Face::caption, {gain, y}, theme().text2, "baseline", Align::right);
  if (!row.improvement || !row.improvement->decided()) return;
  if (!row.improvement->differs()) {
    return write_middle(draw, Face::rail, {gain, y}, theme().text3, "no difference", Align::right);
  }
  write_middle(draw, Face::strong, {gain, y}, theme().text, times_text(row.improvement->ratio), Align::right);
}

void race_column(ImDrawList& draw, const RaceColumn& column, const Rect& r, float row_height, float scale) {
  write(draw, Face::strong, {r.x, r.y}, theme().text, column.title);
  const float at = width_in(Face::strong, column.title.c_str()) + 8 * scale;
  write(draw, Face::caption, {r.x + at, r.y + 2 * scale}, theme().text2,
        fitting(Face::caption, column.about, r.w - at - 8 * scale));
  const bool fits = width_in(Face::figure, column.headline.c_str()) < r.w - 12 * scale;
  write(draw, fits ? Face::figure : Face::title, {r.x, r.y + (fits ? 20 : 28) * scale},
        column.differs ? theme().text : theme().text3, column.headline);
  std::vector<double> times;
  for (const RaceRow& row : column.rows) {
    if (row.ms > 0) times.push_back(row.ms);
  }
  std::sort(times.begin(), times.end());
  constexpr double kOutlier = 3;  // one slow map does not flatten the others; its bar is cut
  const double longest = times.empty() ? 0 : std::min(times.back(), kOutlier * times[times.size() / 2]);
  if (longest > 0) {
    write(draw, Face::caption, {r.x, r.y + 58 * scale}, theme().text2,
          fitting(Face::caption, fmt::format("time a launch, 0 to {}; shorter is better", time_text(longest)),
                  r.w - 16 * scale));
  }
  float y = r.y + 80 * scale;
  for (const RaceRow& row : column.rows) {
    race_row(draw, row, longest, {r.x, y, r.w - 16 * scale, row_height}, scale);
    y += row_height;
  }
}

/// "5.89 x tetra", and the button that times it.
void extra_card(ImDrawList& draw, RaceState& race, RaceExtra extra, bool racing, const Rect& r, float scale) {
  constexpr std::array kTitles{"", "Triples", "Gasket"}, kAbout{"", "points, empty kernel", "a side, one write a cell"};
  constexpr std::array kButtons{"", "Race the triples", "Race the gasket"};
  const auto k = static_cast<std::size_t>(extra);
  const BenchStatus* status = race.extras[k].get();
  const auto figure = race_figure(status);
  write(draw, Face::strong, {r.x, r.y}, theme().text, kTitles[k]);
  const float y = r.y + 22 * scale;
  if (figure) {
    const std::string gain = times_text(figure->over_bb.ratio);
    write(draw, Face::figure, {r.x, y}, theme().text, gain);
    const float x = r.x + width_in(Face::figure, gain.c_str()) + 8 * scale;
    write(draw, Face::body, {x, y + 14 * scale}, map_ink(figure->map).colour,
          fitting(Face::body, figure->map, r.x + r.w - x));
    write(draw, Face::caption, {r.x, y + 38 * scale}, theme().text2,
          fitting(Face::caption, fmt::format("over bb, {} {}", grouped(figure->n), kAbout[k]), r.w));
  } else {
    const std::string text = status == nullptr        ? "not timed yet"
                             : !status->error.empty() ? status->error
                             : status->running        ? status->progress
                                                      : "no difference";
    write(draw, Face::caption, {r.x, y + 10 * scale}, theme().text2, fitting(Face::caption, text, r.w));
  }
  ImGui::SetCursorScreenPos({r.x, y + 58 * scale});
  ImGui::BeginDisabled(racing);
  if (ImGui::Button(kButtons[k]) && !racing) race.extra = extra;
  ImGui::EndDisabled();
}

/// Forces over n, triples and gasket.
void extras(ImDrawList& draw, RaceState& race, const Rect& r, float scale) {
  const bool racing = race_pending(race);
  const float chart = std::floor(r.w * 0.5f), card = (r.w - chart) / 2 - 16 * scale;
  const BenchStatus* over_n = race.extras[0].get();
  ImGui::SetCursorScreenPos({r.x, r.y});
  if (over_n != nullptr && !over_n->groups.empty()) {
    PlotSpec plot = race_plot(over_n);
    plot.title = over_n->running ? over_n->progress : "Forces: ms a launch over bodies";
    plot.height = r.h / scale, plot.width = chart;
    draw_plot(plot, scale);
  } else {
    write(draw, Face::strong, {r.x, r.y}, theme().text, "Forces over the number of bodies");
    const std::string text = over_n == nullptr        ? "bb and the best map at five sizes up to that of the race"
                             : !over_n->error.empty() ? over_n->error
                                                      : over_n->progress;
    write(draw, Face::caption, {r.x, r.y + 32 * scale}, theme().text2, fitting(Face::caption, text, chart));
    ImGui::SetCursorScreenPos({r.x, r.y + 80 * scale});
    ImGui::BeginDisabled(racing);
    if (ImGui::Button("Time forces over n") && !racing) race.extra = RaceExtra::over_n;
    ImGui::EndDisabled();
  }
  const float x = r.x + chart + 24 * scale;
  extra_card(draw, race, RaceExtra::triples, racing, {x, r.y, card, r.h}, scale);
  extra_card(draw, race, RaceExtra::gasket, racing, {x + card + 24 * scale, r.y, card, r.h}, scale);
}

}  // namespace

void race_items(const SessionModel& model, RaceState& race, const Rect& place, float scale) {
  const BenchStatus* status = race.status.get();
  const bool running = status != nullptr && status->running;
  const float width = place.w - 48 * scale, left = place.x + 24 * scale;
  race_head(race, running, width, scale);
  const std::vector<RaceColumn> columns = race_columns(race.domain, status);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto all_maps = maps_of(race.domain);
  std::vector<u32> maps;
  for (u32 k = 0; k < all_maps.size(); ++k) {
    const bool takes_part = race.maps.empty() || std::count(race.maps.begin(), race.maps.end(), all_maps[k].name) > 0;
    if (takes_part) maps.push_back(k);
  }
  const bool has_extras = place.h >= 620 * scale && place.w >= 700 * scale;
  const float extras_height = has_extras ? std::clamp(0.2f * place.h, 120 * scale, 200 * scale) : 0, head = 80 * scale;
  const float top = place.y + 64 * scale, foot = 104 * scale + extras_height;
  const float tall = place.h - 64 * scale - foot;
  float longest = 0;
  for (const u32 map : maps) longest = std::max(longest, width_in(Face::body, all_maps[map].name));
  const float names = std::clamp(longest + 56 * scale, 150 * scale, 220 * scale);
  const float row_height = std::min(46 * scale, (tall - head - 16 * scale) / static_cast<float>(maps.size()));
  draw.AddRectFilled({left, top}, {left + width, top + tall}, theme().panel, 4 * scale);
  draw.AddRect({left, top}, {left + width, top + tall}, theme().line, 4 * scale);
  float y = top + 12 * scale + head;
  for (const u32 map : maps) {
    const float size = std::min(24 * scale, row_height - 4 * scale), middle = y + row_height / 2;
    map_thumb(draw, race.domain, map, {left + 12 * scale, middle - size / 2}, size, false);
    write_middle(draw, Face::body, {left + 40 * scale, middle}, theme().text,
                 fitting(Face::body, all_maps[map].name, names - 52 * scale));
    y += row_height;
  }
  const float each = (width - names) / 3;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const float x = left + names + each * static_cast<float>(k);
    if (k > 0)
      draw.AddLine({x - 12 * scale, top + 12 * scale}, {x - 12 * scale, top + tall - 12 * scale}, theme().line);
    race_column(draw, columns[k], {x, top + 12 * scale, each, tall}, row_height, scale);
  }
  std::string text = race_sentence(columns, race.timed);
  if (running) text = status->progress;
  if (status == nullptr) {
    text =
        fmt::format("Choose a number of bodies and press Race: {} maps, 15 rounds, each result checked.", maps.size());
  }
  if (status != nullptr && !status->error.empty()) text = status->error;
  ImGui::LogText("%s | ", text.c_str());
  const Face which = width > 900 * scale ? Face::title : Face::body;
  draw.AddText(face(which), height_of(face(which)), {left, top + tall + 16 * scale},
               status != nullptr && !status->error.empty() ? theme().fault : theme().text, text.c_str(), nullptr,
               width);
  if (has_extras) extras(draw, race, {left, top + tall + 70 * scale, width, extras_height - 4 * scale}, scale);
  write(draw, Face::caption, {left, place.y + place.h - 26 * scale}, theme().text2,
        fmt::format("{}, {}", model.backend.device, model.backend.detail));
}

void race(const SessionModel& model, RaceState& race, const Rect& place, float scale) {
  if (!race.shown || place.w < 300 * scale || place.h < 300 * scale) return;
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme().page);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {24 * scale, 16 * scale});
  ImGui::Begin("race", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBringToFrontOnFocus);
  race_items(model, race, place, scale);
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

}  // namespace tri::app::gui::panel
