// The bars of the window: the head of the scene, the run bar, the status line, the card of the tour.
//
// Over the scene, at the top: its name and one sentence; buttons to fit, photograph and fill the window.

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/look.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/support/run_config.hpp"
#include "sim/base/progress.hpp"

namespace tri::app::gui {

void scene_head(const SessionModel& model, GuiState& state, const Rect& scene) {
  const float scale = state.panels.scale, size = 36 * scale, pad = 20 * scale;
  if (scene.w < 5 * size || scene.h < 4 * size) return;
  const float buttons = 3 * size;  // and half of pad: kHeadButtons
  // Not across the line between two runs.
  const float room = std::min(scene.w - buttons - 3 * pad, state.second.shown ? scene.w / 2 - 2 * pad : scene.w);
  const FixedWindow window("scene head", {scene.x + scene.w - buttons - pad / 2, scene.y + 10 * scale, buttons, size},
                           kBare | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoFocusOnAppearing |
                               ImGuiWindowFlags_NoBringToFrontOnFocus,
                           {.padding = ImVec2(0, 0), .small = true});
  ImDrawList& draw = *ImGui::GetBackgroundDrawList();
  const bool captioned = !state.overlay.caption.empty() || !state.overlay.waiting.empty();  // which stands there
  // Of a file its name; the panel Scene has its folder.
  const std::string whole = scene_name(model.spec), last = whole.substr(whole.find_last_of('/') + 1);
  const std::string name = captioned ? "" : fitting(Face::title, last, room);
  const float y = scene.y + 10 * scale + size / 2;
  write_middle(draw, Face::title, {scene.x + pad, y}, theme_of(true).text, name);
  const float after = width_in(Face::title, name.c_str()) + 14 * scale;
  if (!captioned && room > after + 60 * scale) {
    write_middle(
        draw, Face::body, {scene.x + pad + after, y}, theme_of(true).text2,
        fitting(Face::body, last == whole ? model.scene.title : counted(model.n, "body", "bodies"), room - after));
  }
  const auto button_of = [&](const char* id, const char* glyph, const char* about) {
    const bool pressed = icon_button(id, glyph, size, scale, about, {.over_scene = true});
    ImGui::SameLine(0, 0);
    return pressed;
  };
  if (button_of("fit", icon::kFit, "Shows all bodies (F)")) state.pending.fit = true;
  if (button_of("still", icon::kStill, kAboutPicture)) state.picture.start = true;
  if (button_of("full", icon::kFull, "Presentation: the scene alone (F11); Esc brings the panels back")) {
    state.panels.presents = true;
  }
}

// The run bar over the scene: back to the start, play, step, speed, time, record.

namespace {

constexpr float kWide = 608, kNarrow = 544, kMinBar = 330;  // widths of the run bar, with less and less on it

/// "\u03c3\u221a(m/\u03b5)" for "sigma sqrt(m/epsilon)".
std::string short_unit(std::string unit) {
  for (const auto& [word, sign] : {std::pair{"sigma ", "\u03c3"}, {"sqrt", "\u221a"}, {"epsilon", "\u03b5"}}) {
    if (const auto at = unit.find(word); at != std::string::npos) unit.replace(at, std::string_view(word).size(), sign);
  }
  return unit;
}

/// Simulated time a second on a logarithmic slider; its middle is the pace that the scene came with.
void speed(const SessionModel& model, double usual, float width, float scale, Requests& requests) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const bool paced = model.pace > 0;
  const bool behind = paced && model.pace_reached > 0 && model.pace_reached < 0.9 * model.pace;
  const std::string asked = clock_text(model, model.pace) + " / s";
  const std::string now = behind  ? phrase("{} of {}", clock_parts(model, model.pace_reached).number, asked)
                          : paced ? asked
                                  : phrase("{} a frame", counted(model.steps_per_frame, "step"));
  const float word = width_in(Face::caption, (std::string(tr("Speed")) + " ").c_str());
  const bool has_word = paced || width_in(Face::caption, now.c_str()) <= width - word;
  const float after = has_word ? word : 0;
  if (has_word) write(draw, Face::caption, {at.x, at.y + 1 * scale}, theme().text2, "Speed");
  const bool whole = width_in(Face::caption, now.c_str()) <= width - after || !paced;
  write(
      draw, Face::caption, {at.x + after, at.y + 1 * scale}, theme().text,
      fitting(Face::caption, whole ? now : clock_parts(model, behind ? model.pace_reached : model.pace).number + " / s",
              width - after));
  ImGui::SetCursorScreenPos({at.x, at.y + 18 * scale});
  ImGui::SetNextItemWidth(width);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {4 * scale, 0});
  constexpr double kFactor = 100, kMaxSteps = 1e6;
  const double unit = clock_of(model).size;  // of the number that is shown
  double value = paced ? unit * model.pace : model.steps_per_frame;
  const double middle = paced ? unit * usual : 1;
  if (bare_slider("##speed", value, paced ? middle / kFactor : 1, middle * kFactor, "%.4g", true)) {
    if (paced) {
      requests.push_back(ask::PaceOfTime{std::max(0.0, value / unit)});
    } else {
      requests.push_back(ask::StepsPerFrame{static_cast<u32>(std::clamp(std::round(value), 1.0, kMaxSteps))});
    }
  }
  ImGui::PopStyleVar();
  tip(behind ? phrase("As fast as it can: {} a second. The panel Physics takes any number.",
                      clock_text(model, model.pace_reached))
             : "Simulated time a second of the clock. The panel Physics takes any number.");
  ImGui::SetCursorScreenPos({at.x + width + 10 * scale, at.y});
}

void divider(float scale) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine({at.x + 4 * scale, at.y + 2 * scale}, {at.x + 4 * scale, at.y + 34 * scale},
                                      theme().line);
  ImGui::SetCursorScreenPos({at.x + 12 * scale, at.y});
}

void record_button(bool recording, bool words, float size, float scale, PendingActions& pending) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = (words ? 98 : 36) * scale;
  if (invisible_button("record", {width, size})) pending.record = true;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width, at.y + size};
  draw.AddRectFilled(at, end, ImGui::IsItemHovered() ? theme().selected : theme().raised, 4 * scale);
  draw.AddRect(at, end, recording ? theme().record : theme().edge, 4 * scale);
  const float y = at.y + size / 2;
  const ImVec2 dot{at.x + 18 * scale, y};
  if (recording) {
    draw.AddRectFilled({dot.x - 5 * scale, dot.y - 5 * scale}, {dot.x + 5 * scale, dot.y + 5 * scale}, theme().record);
  } else {
    draw.AddCircleFilled(dot, 6 * scale, theme().record);
  }
  if (words) write_middle(draw, Face::strong, {at.x + 32 * scale, y}, theme().text, recording ? "Stop" : "Record");
  if (!recording) tip(kAboutRecord);  // which would be in every frame
}

}  // namespace

RunClock run_clock(const SessionModel& model, float room) {
  RunClock clock{"Time", clock_text(model, model.time)};
  if (width_in(Face::strong, clock.text.c_str()) <= room) return clock;
  const ClockParts parts = clock_parts(model, model.time);
  const std::string unit = short_unit(parts.unit);
  clock.head = phrase("Time, {}", unit);
  if (width_in(Face::caption, clock.head.c_str()) > room) clock.head = unit;
  return {fitting(Face::caption, clock.head, room), fitting(Face::strong, parts.number, room)};
}

void run_bar(const SessionModel& model, GuiState& state, const Rect& scene, Requests& requests) {
  const float scale = state.panels.scale;
  const Rect place = run_bar_place(scene, scale);
  if (place.w <= 0) return;
  const float wide = place.w / scale;
  const bool has_speed = wide >= kMinBar + 90, has_time = wide >= kMinBar + 200, words = wide >= kWide;
  const FixedWindow window("run bar", place,
                           kBare | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoFocusOnAppearing,
                           {.padding = ImVec2(8 * scale, 6 * scale), .rounding = 8 * scale});
  const float size = 36 * scale;
  const auto asks_for = [&](const char* id, const char* glyph, const char* about, const Request& request) {
    if (icon_button(id, glyph, size, scale, about)) requests.push_back(request);
    ImGui::SameLine(0, 4 * scale);
  };
  asks_for("reset", icon::kReset, "Back to the start, with the present laws and time step (R)", ask::Reset{});
  if (wide >= kNarrow) asks_for("back", icon::kBack, "One step back (Backspace)", ask::StepBack{});
  if (bold_button("run", model.running ? icon::kPause : icon::kPlay, model.running ? "Pause" : "Play",
                  {92 * scale, size}, 12, 38, scale, "Space")) {
    requests.push_back(ask::Run{!will_run(model, requests)});
  }
  ImGui::SameLine(0, 4 * scale);
  asks_for("step", icon::kStep, "One step (N)", ask::Take{1});
  if (has_speed) {
    divider(scale);
    const double usual = model.scene.pace > 0 ? model.scene.pace : std::max(model.pace, 1e-12);
    speed(model, usual, (words ? 140 : 110) * scale, scale, requests);
  }
  if (has_time) {
    divider(scale);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float room = (words ? 96 : 80) * scale;
    const RunClock clock = run_clock(model, room);
    const std::string head =
        model.until ? fitting(Face::caption, phrase("Time, to {}", clock_text(model, *model.until)), room) : clock.head;
    write(draw, Face::caption, {at.x, at.y + scale}, theme().text2, head);
    ImGui::SetCursorScreenPos({at.x, at.y + 16 * scale});
    double until = model.until.value_or(model.time);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {2 * scale, 0});
    if (clicked_time("time", model, until, clock.text, {room, 19 * scale})) {
      requests.push_back(go_to_time(model, until));
    }
    ImGui::PopStyleVar();
    tip(phrase("A click takes a time. {}.", kAboutUntil));
  }
  const float record = (words ? 98 : 36) * scale;
  ImGui::SetCursorScreenPos(
      {ImGui::GetWindowPos().x + wide * scale - 8 * scale - record, ImGui::GetWindowPos().y + 6 * scale});
  record_button(state.frames.recording, words, size, scale, state.pending);
}

// The status line, and the help over the scene.

namespace {

/// Frames drawn per second and, where the display shows fewer, those shown.
std::string rates(const FrameState& frames) {
  double ms = 0;  // in total: frames that wait for the display's driver are few and long
  for (const FrameCost& f : frames.costs) ms += static_cast<double>(f.whole() + f.rest);
  const double drawn = ms > 0 ? 1000 * static_cast<double>(frames.costs.size()) / ms : 0;
  const std::string count = fmt::format("{:.{}f}", drawn, drawn > 0 && drawn < 0.95 ? 1 : 0);
  std::string text = count == "1" ? phrase("{} frame/s", count) : phrase("{} frames/s", count);
  if (frames.shown_per_second > 0 && frames.shown_per_second < 0.9 * drawn) {
    text += phrase(", {:.0f} shown", frames.shown_per_second);
  }
  return text;
}

/// "interop", or "copy" without its reason, which `triangulum doctor` and --verbose tell.
std::string present_text(const std::string& present) { return present.substr(0, present.find(" (")); }

std::string notices_text(const SessionModel& model) {
  const std::size_t count = model.notices.size();
  return count == 0 ? "no notices" : counted(count, "notice");
}

/// All of them, above their number.
void notices_button(const SessionModel& model, const Rect& place, float scale) {
  ImGui::SetCursorScreenPos({place.x, place.y});
  if (invisible_button("notices", {place.w, place.h})) ImGui::OpenPopup("all notices");
  tip(phrase("{}\nA click shows all.", model.notices.back().text));
  ImGui::SetNextWindowPos({place.x + place.w, place.y}, ImGuiCond_Always, {1, 1});
  ImGui::SetNextWindowSize({std::min(480 * scale, ImGui::GetIO().DisplaySize.x), 0});
  if (!ImGui::BeginPopup("all notices")) return;
  notices(model);
  ImGui::EndPopup();
}

}  // namespace

void status(const SessionModel& model, const FrameState& frames, float scale, const Rect& place) {
  const FixedWindow window("status", place, kBare | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = place.y + place.h / 2, gap = 20 * scale;
  float x = place.x + 12 * scale;
  draw.AddCircleFilled({x + 4 * scale, y}, 4 * scale,
                       model.broken     ? theme().fault
                       : frames.filming ? theme().record
                       : model.running  ? theme().running
                                        : theme().text3);
  x += 14 * scale;
  const std::string busy = step_under_way(frames, clock_s());
  const std::string state = model.broken     ? "stopped: numbers not finite"
                            : !busy.empty()  ? busy
                            : frames.filming ? "making a film"
                            : model.running  ? (model.comparing ? "all maps take turns" : "running")
                                             : "paused";
  write_middle(draw, Face::caption, {x, y}, theme().text, state);
  x += width_in(Face::caption, state.c_str()) + gap;
  std::vector<std::string> left{phrase("step {}", grouped(model.steps)), "t = " + clock_text(model, model.time),
                                counted(model.n, "body", "bodies")};
  // Later rows stay when the run goes back.
  const auto later = std::find_if(model.diagnostics.begin(), model.diagnostics.end(),
                                  [&](const DiagnosticsRow& row) { return row.step > model.steps; });
  if (later != model.diagnostics.begin() && conserves_energy(model.scene.field)) {
    const DiagnosticsRow& last = *std::prev(later);
    const std::string error = power_text(last.energy_error);
    const bool is_old = last.step < model.steps - model.steps / 10;  // where energies take many times a step's time
    left.push_back(is_old ? phrase("energy error {} at step {}", error, grouped(last.step))
                          : phrase("energy error {}", error));
  }
  if (model.overlap_max > 0) left.push_back(phrase("overlap seen {} of a radius", number_text(model.overlap_max, 2)));
  const float end = place.x + place.w - 12 * scale;
  for (const std::string& part : left) {
    const float width = width_in(Face::caption, part.c_str());
    if (x + width > end) break;
    write_middle(draw, Face::caption, {x, y}, theme().text2, part);
    x += width + gap;
  }
  const u32 ranks = model.backend.ranks;
  const std::string device = (ranks > 1 ? phrase("{} ranks \u00b7 ", ranks) : "") + model.backend.device;
  const std::string notes = notices_text(model);
  std::vector<std::string> right{rates(frames), device + " \u00b7 " + tr(present_text(frames.present)), notes};
  const auto room_of = [&](float sum, const std::string& part) {
    return sum + width_in(Face::caption, part.c_str()) + gap;
  };
  // The last one is left out first; the first, whose length changes, stands where it moves no other.
  while (!right.empty() && std::accumulate(right.begin(), right.end(), -gap, room_of) > end - x) right.pop_back();
  float from = end;
  for (auto part = right.rbegin(); part != right.rend(); ++part) {
    const float width = width_in(Face::caption, part->c_str());
    if (*part == notes && !model.notices.empty()) notices_button(model, {from - width, place.y, width, place.h}, scale);
    write_middle(draw, Face::caption, {from, y}, theme().text2, *part, Align::right);
    from -= width + gap;
  }
}

void help(GuiState& state, float scale, const Rect& scene) {
  const float window = ImGui::GetIO().DisplaySize.x;
  // In the centre of the scene, or of the window where the scene is too narrow.
  const bool wide = scene.w >= 420 * scale;
  ImGui::SetNextWindowPos({wide ? scene.x + scene.w / 2 : window / 2, scene.y + scene.h / 2}, ImGuiCond_Always,
                          {0.5f, 0.5f});
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse;
  ImGui::SetNextWindowSizeConstraints({0, 0}, {window, scene.h});  // beyond that it scrolls
  ImGui::Begin("Keys###Keys", &state.panels.help, kFlags);
  if (button("Take the tour", "Six stops through the window (F3); Esc leaves it")) start_tour(state);
  if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingFixedFit)) {
    for (const Action& row : actions()) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(row.keys);
      ImGui::TableNextColumn();
      ImGui::TextDisabled("%s", row.does);
    }
    ImGui::EndTable();
  }
  ImGui::TextDisabled(
      "Drag: rotate. Right button: pan. Wheel: zoom.\nClick: select a body.\nDrop a file of bodies or a screenshot to "
      "open it.");
  ImGui::End();
}

namespace {

constexpr float kPad = 20;

void wrapped(Face which, ImU32 colour, const std::string& text) {
  const InFace in(which);
  coloured_text(colour, text);
}

void dots(const TourState& tour, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  ImVec2 at = ImGui::GetCursorScreenPos();
  const float size = 6 * scale;
  for (std::size_t k = 0; k < TourState::kStops; ++k) {
    const float width = k == tour.stop ? 16 * scale : size;
    draw.AddRectFilled(at, {at.x + width, at.y + size}, k == tour.stop ? theme().text : theme().edge, size / 2);
    at.x += width + size;
  }
  ImGui::Dummy({1, size});
}

/// A link: words with a line below them.
bool link(const char* text) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::CalcTextSize(text);
  const bool pressed = invisible_button(text, {size.x, ImGui::GetFrameHeight()});
  const ImU32 ink = ImGui::IsItemHovered() ? theme().text : theme().text2;
  const float y = at.y + (ImGui::GetFrameHeight() - size.y) / 2;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  write(draw, Face::body, {at.x, y}, ink, text);
  draw.AddLine({at.x, y + size.y}, {at.x + size.x, y + size.y}, ink);
  return pressed;
}

bool primary_button(const char* text, float width) {
  ImGui::PushStyleColor(ImGuiCol_Button, theme().text);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, theme().text2);
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, theme().text2);
  ImGui::PushStyleColor(ImGuiCol_Text, theme().panel);
  const bool pressed = ImGui::Button(text, {width, 0});
  ImGui::PopStyleColor(4);
  return pressed;
}

/// The ring around the part, and a line from the card to it.
void ring(const Rect& part, const Rect& card, float scale) {
  ImDrawList& draw = *ImGui::GetForegroundDrawList();
  const float in = scale;
  const ImVec2 low{part.x + in, part.y + in}, high{part.x + part.w - in, part.y + part.h - in};
  draw.AddRect(low, high, theme().focus, 4 * scale, 0, 2 * scale);
  const auto nearest = [](float at, float from, float size) { return std::clamp(at, from, from + size); };
  const ImVec2 middle{card.x + card.w / 2, card.y + card.h / 2};
  const ImVec2 to{nearest(middle.x, low.x, high.x - low.x), nearest(middle.y, low.y, high.y - low.y)};
  const ImVec2 from{nearest(to.x, card.x, card.w), nearest(to.y, card.y, card.h)};
  const float dx = to.x - from.x, dy = to.y - from.y, most = 40 * scale;  // farther, it would cross something
  if (dx * dx + dy * dy < most * most) draw.AddLine(from, to, theme().focus, 2 * scale);
}

/// What stands on a card: above, the words; below, a link and up to two buttons, the last of them the primary one.
struct Card {
  std::string above, title, text, action;
  ImU32 action_ink;
  bool has_dots;
  const char *link, *second, *primary;  ///< second may be null
};

/// The words of a card; scrolls where it has no room for them.
void card_words(const Card& card, float width, float height, float s) {
  ImGui::BeginChild("words", {width, height}, false, ImGuiWindowFlags_NavFlattened);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {8 * s, 4 * s});
  wrapped(Face::caption, theme().text2, card.above);
  ImGui::PopStyleVar();
  wrapped(Face::title, theme().text, card.title);
  if (!card.text.empty()) wrapped(Face::body, theme().text, card.text);
  if (!card.action.empty()) wrapped(Face::strong, card.action_ink, card.action);
  ImGui::EndChild();
}

/// Draws it, and returns where; w = 0: it has no place. pressed: the link (0), the second (1), the primary button (2).
Rect draw_card(const Card& card, const TourState& tour, const Layout& places, float s, int& pressed) {
  const float pad = kPad * s, gap = 8 * s, foot_height = ImGui::GetFrameHeight();
  const float each = 60 * s, link_width = ImGui::CalcTextSize(card.link).x;
  const float wide = std::max(each, ImGui::CalcTextSize(card.primary, nullptr, true).x + 3 * gap);
  // An offer is no wider than its buttons.
  const float most = card.text.empty() ? (2 * pad + link_width + 3 * gap + wide) / s : 312;
  const float inner = card_place(places, 1e9f, s, most).w - 2 * pad;
  const float least = card.action.empty() ? 0 : gap + wrapped_height(Face::strong, card.action, inner);
  const float body = card.text.empty() ? 0 : gap + wrapped_height(Face::body, card.text, inner);
  const float words =
      height_of(face(Face::caption)) + 4 * s + wrapped_height(Face::title, card.title, inner) + body + least + gap;
  const float foot_and_dots = foot_height + 2 * gap + (card.has_dots ? 6 * s + 2 * gap : 0);
  const Rect place = card_place(places, 2 * pad + words + foot_and_dots, s, most);
  if (place.w <= 0) return place;
  const FixedWindow window("tour", place, kBare | ImGuiWindowFlags_NoFocusOnAppearing,
                           {.padding = ImVec2(pad, pad), .spacing = ImVec2(gap, gap), .rounding = 8 * s});
  card_words(card, inner, place.h - 2 * pad - foot_and_dots, s);
  const float foot = place.h - pad - foot_height, right = place.w - pad;
  if (card.has_dots) {
    ImGui::SetCursorPos({pad, foot - 2 * gap - 6 * s});
    dots(tour, s);
  }
  ImGui::SetCursorPos({pad, foot});
  if (link(card.link)) pressed = 0;
  if (card.second != nullptr) {
    ImGui::SetCursorPos({right - 2 * each - gap, foot});
    if (ImGui::Button(card.second, {each, 0})) pressed = 1;
  }
  ImGui::SetCursorPos({right - wide, foot});
  if (primary_button(card.primary, wide)) pressed = 2;
  return place;
}

void offer_card(GuiState& state, const Layout& places) {
  const Card card{"6 stops, two minutes", "A tour?", "", "", theme().text, false, "No, thanks", nullptr,
                  "Take the tour"};
  int pressed = -1;
  constexpr float kMinCard = 176;
  Layout at_side = places;  // beside what stands over the scene
  at_side.narrow = places.free.w < kMinCard * state.panels.scale && places.right.w > 0 && places.narrow;
  if (places.free.w >= kMinCard * state.panels.scale) at_side.scene = places.free;
  draw_card(card, state.tour, at_side, state.panels.scale, pressed);
  if (pressed == 0) state.first = {};
  if (pressed == 2) start_tour(state);
}

}  // namespace

void tour_card(const SessionModel& model, GuiState& state, const Layout& places) {
  TourState& tour = state.tour;
  const bool covered = state.paged() || state.files.browser.shown();
  if (!state.panels.visible() || covered) return;
  const bool is_filmed = state.frames.recording || state.frames.filming;  // and the card would be in every frame
  if (state.first.part == FirstMinute::Part::offer) return is_filmed ? void() : offer_card(state, places);
  if (!tour.shown) return;
  const TourWords words = tour_words(tour.stop, model, state);
  const bool last = tour.stop + 1 == TourState::kStops;
  const Card card{phrase("Step {} of {}", tour.stop + 1, TourState::kStops),
                  words.title,
                  words.text,
                  tour.done_at ? "Done." : words.action,
                  tour.done_at ? theme().running : theme().text,
                  true,
                  "Leave the tour",
                  tour.stop > 0 ? "Back" : nullptr,
                  last ? "End###next" : "Next###next"};
  int pressed = -1;
  const Rect place = draw_card(card, tour, places, state.panels.scale, pressed);
  const Rect& part = tour.places[tour.stop];
  if (place.w > 0 && part.w > 0) ring(part, place, state.panels.scale);
  if (pressed == 2) next_stop(state);
  if (pressed == 1) previous_stop(state);
  if (pressed == 0) leave_tour(state);
}

}  // namespace tri::app::gui
