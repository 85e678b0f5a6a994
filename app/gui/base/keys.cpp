#include "app/gui/base/keys.hpp"

#include <GLFW/glfw3.h>

#include <array>

#include "app/gui/base/view_defaults.hpp"

namespace tri::app::gui {
namespace {

constexpr std::array<KeyHelp, 28> kHelp{{
    {"Space", "run or pause"},
    {"N", "one step"},
    {"B", "reverse time"},
    {"R", "back to the start"},
    {"1 to 9", "map by its number"},
    {"Tab, Shift+Tab", "next or previous map that fits"},
    {"O", "bottom pane: where blocks go"},
    {"M", "compare: all maps take turns"},
    {"F", "fit all bodies"},
    {"Ctrl+1 to 5", "save this view"},
    {"Shift+1 to 5", "restore a saved view"},
    {"Z", "follow the selected body"},
    {"Esc", "close a dialog or this help; deselect the body"},
    {"V", "next body shape"},
    {"C", "next quantity to colour by"},
    {"L", "logarithmic colours"},
    {"X", "box and axes"},
    {"T", "trails"},
    {"+ and -", "larger or smaller bodies"},
    {"G", "orbit or fly (W A S D Q E)"},
    {"H, F2", "panels"},
    {"F1", "this help"},
    {"F9", "start or stop recording"},
    {"F12", "screenshot"},
    {"Ctrl+O", "open a file"},
    {"Ctrl+S", "save the bodies"},
    {"Ctrl+Z", "undo the last change"},
    {"Ctrl+Q", "quit"},
}};

void next_map(const SessionModel& model, bool backwards, Requests& requests) {
  const auto& rows = shown_maps(model);
  if (rows.empty()) return;
  const std::size_t now = map_in_use(model), next = next_fitting(rows, now, backwards ? rows.size() - 1 : 1);
  if (next != now) requests.push_back(map_request(model, next));
}

/// Keys for the session; false when this is none of them.
bool session_key(const KeyPress& press, const SessionModel& model, Requests& requests) {
  const auto& rows = shown_maps(model);
  if (press.key >= GLFW_KEY_1 && press.key <= GLFW_KEY_9) {
    const auto row = static_cast<std::size_t>(press.key - GLFW_KEY_1);
    if (row < rows.size()) requests.push_back(map_request(model, row));
    return true;
  }
  switch (press.key) {
    case GLFW_KEY_SPACE:
      requests.push_back(ask::Run{!model.running});
      return true;
    case GLFW_KEY_N:
      requests.push_back(ask::Take{1});
      return true;
    case GLFW_KEY_B:
      requests.push_back(ask::Reverse{});
      return true;
    case GLFW_KEY_R:
      requests.push_back(ask::Reset{});
      return true;
    case GLFW_KEY_TAB:
      next_map(model, press.shift, requests);
      return true;
    case GLFW_KEY_M:
      requests.push_back(ask::Compare{!model.comparing});
      return true;
    default:
      return false;
  }
}

/// The bookmark of a digit key.
std::optional<std::size_t> bookmark_of(int key) {
  const int number = key - GLFW_KEY_1;
  if (number < 0 || number >= static_cast<int>(SceneView::kBookmarks)) return std::nullopt;
  return static_cast<std::size_t>(number);
}

template <class Enum>
void next(Enum& value, u32 count) {
  value = static_cast<Enum>((static_cast<u32>(value) + 1) % count);
}

/// How bodies are drawn. Returns whether the key is one of these.
bool style_key(const KeyPress& press, const SessionModel& model, render::BodyStyle& style) {
  constexpr float kStep = 1.25f, kMin = 0.01f, kMax = 100;
  switch (press.key) {
    case GLFW_KEY_V:
      next(style.shape, render::kBodyShapeCount);
      return true;
    case GLFW_KEY_C:
      do {
        next(style.quantity, render::kQuantityCount);
      } while (!can_colour(style.quantity, model).ok);
      return true;
    case GLFW_KEY_L:
      style.logarithmic = !style.logarithmic;
      return true;
    case GLFW_KEY_EQUAL:
    case GLFW_KEY_KP_ADD:
      style.size = std::min(style.size * kStep, kMax);
      return true;
    case GLFW_KEY_MINUS:
    case GLFW_KEY_KP_SUBTRACT:
      style.size = std::max(style.size / kStep, kMin);
      return true;
    default:
      return false;
  }
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

std::span<const KeyHelp> key_help() { return kHelp; }

void on_key(const KeyPress& press, const SessionModel& model, GuiState& state, Requests& requests) {
  if (state.files.browser.shown()) {  // a dialog owns the keyboard
    if (press.key == GLFW_KEY_ESCAPE) state.files.browser.hide();
    return;
  }
  if (press.ctrl) {
    if (press.key == GLFW_KEY_Z) requests.push_back(ask::Undo{});
    if (press.key == GLFW_KEY_Q) state.pending.quit = true;
    if (press.key == GLFW_KEY_O) state.files.browser.show(FileBrowser::Purpose::open, state.files.browser.folder());
    if (press.key == GLFW_KEY_S) state.files.browser.show(FileBrowser::Purpose::save, state.files.save_path);
    if (const auto number = bookmark_of(press.key)) state.view.save_bookmark(*number);
    return;
  }
  if (const auto number = bookmark_of(press.key); press.shift && number) {
    state.view.restore_bookmark(*number);
    return;
  }
  if (session_key(press, model, requests) || style_key(press, model, state.view.style)) return;
  switch (press.key) {
    case GLFW_KEY_F:
      state.pending.fit = true;
      break;
    case GLFW_KEY_X:
      state.view.box = state.view.axes = !(state.view.box && state.view.axes);
      break;
    case GLFW_KEY_T:
      state.view.trails.shown = !state.view.trails.shown;
      break;
    case GLFW_KEY_Z:
      state.view.follow = state.view.selected && !state.view.follow;
      break;
    case GLFW_KEY_ESCAPE:
      if (state.panels.help) {
        state.panels.help = false;
      } else {
        state.view.select(std::nullopt);
      }
      break;
    case GLFW_KEY_O:
      state.panes.shown = !state.panes.shown;
      break;
    case GLFW_KEY_G:
      next(state.view.camera.mode, 2);
      break;
    case GLFW_KEY_H:
    case GLFW_KEY_F2:
      state.panels.shown = !state.panels.shown;
      break;
    case GLFW_KEY_F1:
      state.panels.help = !state.panels.help;
      break;
    case GLFW_KEY_F9:
      state.pending.record = true;
      break;
    case GLFW_KEY_F12:
      state.pending.screenshot = true;
      break;
    default:
      break;
  }
}

}  // namespace tri::app::gui
