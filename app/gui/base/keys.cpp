#include "app/gui/base/keys.hpp"

#include <GLFW/glfw3.h>

#include <algorithm>

#include "app/gui/base/race.hpp"
#include "app/gui/base/tour.hpp"
#include "app/gui/base/view_defaults.hpp"

namespace tri::app::gui {
namespace {

template <class Enum>
void next(Enum& value, u32 count) {
  value = static_cast<Enum>((static_cast<u32>(value) + 1) % count);
}

void next_map(const ActionContext& c, bool backwards) {
  const auto& rows = shown_maps(c.model);
  if (rows.empty()) return;
  const std::size_t now = map_in_use(c.model), to = next_fitting(rows, now, backwards ? rows.size() - 1 : 1);
  if (to != now) c.requests.push_back(map_request(c.model, to));
}

void next_quantity(const ActionContext& c) {
  do {
    next(c.state.view.style.quantity, render::kQuantityCount);
  } while (!can_colour(c.state.view.style.quantity, c.model).ok);
}

void resize(const ActionContext& c, float factor) {
  constexpr float kMin = 0.01f, kMax = 100;
  c.state.view.style.size = std::clamp(c.state.view.style.size * factor, kMin, kMax);
}

/// The page of the map in use.
void turn_page(const ActionContext& c) {
  PageChoice& page = c.state.page;
  page.shown = !page.shown && !shown_maps(c.model).empty();
  page.domain = c.model.triple_maps.empty() ? Domain::triangle : Domain::tetrahedron;
  page.map = static_cast<u32>(map_in_use(c.model));
}

/// A tool in use goes before what is open, as its text over the scene says; then what it left, and the selection.
void leave(const ActionContext& c) {
  PanelState& panels = c.state.panels;
  const TouchState& touch = c.state.touch;
  const bool in_use = touch.tool != Tool::look || touch.stroke || touch.box;
  if (panels.help) {
    panels.help = false;
  } else if (panels.presents) {
    panels.presents = false;
  } else if (c.state.tour.shown && !c.state.race.shown && !c.state.page.shown) {
    leave_tour(c.state);
  } else if (in_use && !c.state.race.shown && !c.state.page.shown) {
    leave_touch(c.state.touch);
  } else if (!panels.open.empty() && !panels.pinned) {
    panels.open.clear();
  } else if (c.state.race.shown) {
    c.state.race.shown = false;
  } else if (c.state.page.shown) {
    c.state.page.shown = false;
  } else if (!leave_touch(c.state.touch)) {
    c.state.view.select(std::nullopt);
  }
}

/// The tool, or none where it is in use.
void take_tool(const ActionContext& c, Tool tool) {
  TouchState& touch = c.state.touch;
  touch.tool = touch.tool == tool ? Tool::look : tool;
  touch.stroke.reset(), touch.draft.reset(), touch.picked.clear();
}

using C = const ActionContext&;
constexpr float kSizeStep = 1.25f;

/// Keys without an action here (act null) are handled below, for the palette offers what they do one by one.
constexpr Action kActions[] = {
    {"Space", "run or pause", {GLFW_KEY_SPACE}, [](C c) { c.requests.push_back(ask::Run{!c.model.running}); }},
    {"N", "one step", {GLFW_KEY_N}, [](C c) { c.requests.push_back(ask::Take{1}); }},
    {"Backspace, Shift+N", "one step back", {GLFW_KEY_BACKSPACE}, [](C c) { c.requests.push_back(ask::StepBack{}); }},
    {"B", "reverse time", {GLFW_KEY_B}, [](C c) { c.requests.push_back(ask::Reverse{}); }},
    {"R", "back to the start", {GLFW_KEY_R}, [](C c) { c.requests.push_back(ask::Reset{}); }},
    {"1 to 9", "map by its number", {}, nullptr},
    {"Page Down", "next map that fits", {GLFW_KEY_PAGE_DOWN}, [](C c) { next_map(c, false); }},
    {"Page Up", "previous map that fits", {GLFW_KEY_PAGE_UP}, [](C c) { next_map(c, true); }},
    {"Tab",
     "keyboard to the next part of the window (arrows, Enter)",
     {GLFW_KEY_TAB},
     [](C c) { ++c.state.panels.focus_turn; }},
    {"Shift+Tab", "keyboard to the part before", {GLFW_KEY_TAB, false, true}, [](C c) { --c.state.panels.focus_turn; }},
    {"M",
     "all maps take turns, or not",
     {GLFW_KEY_M},
     [](C c) { c.requests.push_back(ask::Compare{!c.model.comparing}); }},
    {"Y", "race: three workloads, every map", {GLFW_KEY_Y}, [](C c) { open_race(c.model, c.state.race); }},
    {"I", "page of the map in use, or back to the scene", {GLFW_KEY_I}, turn_page},
    {"O",
     "bottom pane: where blocks go, distances, automata",
     {GLFW_KEY_O},
     [](C c) { c.state.panes.shown = !c.state.panes.shown; }},
    {"U", "where the time goes, in lanes", {GLFW_KEY_U}, [](C c) { c.state.lanes.shown = !c.state.lanes.shown; }},
    {"F", "fit all bodies", {GLFW_KEY_F}, [](C c) { c.state.pending.fit = true; }},
    {"Ctrl+1 to 5", "save this view", {}, nullptr},
    {"Shift+1 to 5", "restore a saved view", {}, nullptr},
    {"Z",
     "follow the selected body",
     {GLFW_KEY_Z},
     [](C c) { c.state.view.follow = c.state.view.selected && !c.state.view.follow; }},
    {"Esc", "close what is open, put the tool away, or deselect", {GLFW_KEY_ESCAPE}, leave},
    {"J", "add bodies by a drag, or throw them", {GLFW_KEY_J}, [](C c) { take_tool(c, Tool::add); }},
    {"K", "measure distances and angles by clicks", {GLFW_KEY_K}, [](C c) { take_tool(c, Tool::measure); }},
    {"Delete",
     "delete the selected bodies, or the picked one",
     {GLFW_KEY_DELETE},
     [](C c) { c.state.touch.deletes = true; }},
    {"Shift+drag", "select the bodies in a box", {}, nullptr},
    {"V", "next body shape", {GLFW_KEY_V}, [](C c) { next(c.state.view.style.shape, render::kBodyShapeCount); }},
    {"C", "next quantity to colour by", {GLFW_KEY_C}, next_quantity},
    {"L",
     "logarithmic colours",
     {GLFW_KEY_L},
     [](C c) { c.state.view.style.logarithmic = !c.state.view.style.logarithmic; }},
    {"X",
     "box and axes",
     {GLFW_KEY_X},
     [](C c) { c.state.view.box = c.state.view.axes = !(c.state.view.box && c.state.view.axes); }},
    {"T", "trails", {GLFW_KEY_T}, [](C c) { c.state.view.trails.shown = !c.state.view.trails.shown; }},
    {"+", "larger bodies", {GLFW_KEY_EQUAL}, [](C c) { resize(c, kSizeStep); }},
    {"-", "smaller bodies", {GLFW_KEY_MINUS}, [](C c) { resize(c, 1 / kSizeStep); }},
    {"G", "orbit or fly (W A S D Q E)", {GLFW_KEY_G}, [](C c) { next(c.state.view.camera.mode, 2); }},
    {"H, F2",
     "all panels, or the scene alone",
     {GLFW_KEY_H},
     [](C c) {
       c.state.panels.shown = !c.state.panels.visible();
       c.state.panels.presents = false;
     }},
    {"F3", "tour: six stops through the window", {GLFW_KEY_F3}, [](C c) { start_tour(c.state); }},
    {"F1", "this help", {GLFW_KEY_F1}, [](C c) { c.state.panels.help = !c.state.panels.help; }},
    {"F11",
     "presentation: the scene fills the window, or not",
     {GLFW_KEY_F11},
     [](C c) { c.state.panels.presents = !c.state.panels.presents; }},
    {"F9", "start or stop recording", {GLFW_KEY_F9}, [](C c) { c.state.pending.record = true; }},
    {"F12", "screenshot", {GLFW_KEY_F12}, [](C c) { c.state.pending.screenshot = true; }},
    {"Ctrl+P", "find: actions, maps, scenes, panels", {GLFW_KEY_P, true}, [](C c) { c.state.palette.show(); }},
    {"Ctrl+O",
     "open a file",
     {GLFW_KEY_O, true},
     [](C c) { c.state.files.browser.show(FileBrowser::Purpose::open, c.state.files.browser.folder()); }},
    {"Ctrl+S",
     "save the bodies",
     {GLFW_KEY_S, true},
     [](C c) { c.state.files.browser.show(FileBrowser::Purpose::save, c.state.files.save_path); }},
    {"Ctrl+Z", "undo the last change", {GLFW_KEY_Z, true}, [](C c) { c.requests.push_back(ask::Undo{}); }},
    {"Ctrl+Q", "quit", {GLFW_KEY_Q, true}, [](C c) { c.state.pending.quit = true; }},
};

/// The bookmark of a digit key.
std::optional<std::size_t> bookmark_of(int key) {
  const int number = key - GLFW_KEY_1;
  if (number < 0 || number >= static_cast<int>(SceneView::kBookmarks)) return std::nullopt;
  return static_cast<std::size_t>(number);
}

/// Other keys for the same action.
KeyPress usual_key(KeyPress press) {
  if (press.key == GLFW_KEY_F2) press.key = GLFW_KEY_H;
  if (press.key == GLFW_KEY_N && press.shift) press.key = GLFW_KEY_BACKSPACE;
  if (press.key == GLFW_KEY_KP_ADD) press.key = GLFW_KEY_EQUAL;
  if (press.key == GLFW_KEY_KP_SUBTRACT) press.key = GLFW_KEY_MINUS;
  if (press.key != GLFW_KEY_TAB && !bookmark_of(press.key)) press.shift = false;
  return press;
}

}  // namespace

const std::vector<MapRow>& shown_maps(const SessionModel& model) {
  return model.triple_maps.empty() ? model.pair_maps : model.triple_maps;
}

Request map_request(const SessionModel& model, std::size_t row) {
  if (!model.triple_maps.empty()) return ask::TripleMap{static_cast<TetraMapId>(row)};
  return ask::PairMap{static_cast<TriangleMapId>(row)};
}

std::size_t map_in_use(const SessionModel& model) {
  return model.triple_maps.empty() ? static_cast<std::size_t>(model.asked.pair_map)
                                   : static_cast<std::size_t>(model.asked.triple_map);
}

std::span<const Action> actions() { return kActions; }

void on_key(const KeyPress& pressed, const SessionModel& model, GuiState& state, Requests& requests) {
  if (state.files.browser.shown()) {  // a dialog owns the keyboard
    if (pressed.key == GLFW_KEY_ESCAPE) state.files.browser.hide();
    return;
  }
  if (state.palette.shown) {
    if (pressed.key == GLFW_KEY_ESCAPE) state.palette.shown = false;
    if (pressed.key == GLFW_KEY_DOWN) ++state.palette.at;
    if (pressed.key == GLFW_KEY_UP && state.palette.at > 0) --state.palette.at;
    if (pressed.key == GLFW_KEY_ENTER || pressed.key == GLFW_KEY_KP_ENTER) state.palette.accepted = true;
    return;
  }
  const KeyPress press = usual_key(pressed);
  if (const auto number = bookmark_of(press.key); number && (press.ctrl || press.shift)) {
    press.ctrl ? state.view.save_bookmark(*number) : void(state.view.restore_bookmark(*number));
    return;
  }
  if (press.key >= GLFW_KEY_1 && press.key <= GLFW_KEY_9 && !press.ctrl) {
    const auto row = static_cast<std::size_t>(press.key - GLFW_KEY_1);
    if (row < shown_maps(model).size()) requests.push_back(map_request(model, row));
    return;
  }
  for (const Action& action : kActions) {
    if (action.act != nullptr && action.press == press) return action.act({model, state, requests});
  }
}

}  // namespace tri::app::gui
