#include "app/gui/panels/panels.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include "app/gui/base/look.hpp"
#include "app/gui/base/settings.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panes.hpp"
#include "app/session/demo_table.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app::gui {
namespace {

/// By the names of their ImGui windows, in the order of Tab.
constexpr const char* kParts[] = {"tour",     "rail",   "left", "scene head", "run bar", "right",
                                  "map page", "puzzle", "race", "lanes",      "lower",   "###Keys"};

}  // namespace

void claim_navigation_keys() {
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  activate_by_enter();
}

void turn_focus(int parts) {
  if (parts == 0) return;
  ImGuiContext& g = *ImGui::GetCurrentContext();
  std::vector<ImGuiWindow*> shown;
  for (const char* name : kParts) {
    ImGuiWindow* window = ImGui::FindWindowByName(name);
    if (window != nullptr && window->WasActive && !window->Hidden) shown.push_back(window);
  }
  if (shown.empty()) return;
  const auto count = static_cast<int>(shown.size());
  int now = parts > 0 ? -1 : count;
  for (int k = 0; k < count; ++k) {
    if (g.NavWindow != nullptr && g.NavWindow->RootWindow == shown[static_cast<std::size_t>(k)]) now = k;
  }
  ImGuiWindow* next = shown[static_cast<std::size_t>(((now + parts) % count + count) % count)];
  ImGui::ClearActiveID();
  ImGui::FocusWindow(next);
  if (g.NavId == 0) ImGui::NavInitWindow(next, true);
  show_focus();
}

void draw_focus(float scale) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  ImGuiWindow* window = g.NavWindow;
  if (!shows_focus() || window == nullptr || g.NavId == 0 || !window->Active) return;
  if ((window->Flags & ImGuiWindowFlags_NoNavInputs) != 0) return;
  const ImRect item = ImGui::WindowRectRelToAbs(window, window->NavRectRel[g.NavLayer]);
  const ImRect seen = window->OuterRectClipped;
  // In the gap around the item, whose letters may begin at its edge; at an edge of the window within that.
  const float out = 3 * scale, in = scale;
  const ImVec2 low{std::max(item.Min.x - out, std::min(item.Min.x, seen.Min.x) + in),
                   std::max(item.Min.y - out, std::min(item.Min.y, seen.Min.y) + in)};
  const ImVec2 high{std::min(item.Max.x + out, std::max(item.Max.x, seen.Max.x) - in),
                    std::min(item.Max.y + out, std::max(item.Max.y, seen.Max.y) - in)};
  ImDrawList& draw = *ImGui::GetForegroundDrawList();
  draw.PushClipRect(seen.Min, seen.Max);
  draw.AddRect(low, high, theme().focus, 4 * scale, 0, 2 * scale);
  draw.PopClipRect();
}

// Panels that are here alone; each is a file of its own.
void distribution(const PanelContext& c);

namespace {

void heading(const char* text) {
  ImGui::Dummy({1, 2});
  strong_text(text);
}

constexpr PanelRow kRows[] = {
    {"Scene", icon::kScene, "Scenes, files, demonstrations", false,
     [](const PanelContext& c) { scene(c.model, c.state, c.requests); }},
    {"Physics", icon::kPhysics, "Laws, integrator, time step, blocks and sums, history of changes", false,
     [](const PanelContext& c) {
       integrator(c.model, c.requests);
       heading("Laws");
       physics(c.model, c.state, c.requests);
       heading("Computation");
       computation(c.model, c.requests);
       heading("History");
       history(c.model, c.requests);
     }},
    {"View", icon::kView, "How the bodies are drawn, camera, saved views", false,
     [](const PanelContext& c) { view(c.model, c.state); }},
    {"Bodies", icon::kBodies, "Add, throw, select and measure bodies; one of them in numbers", false,
     [](const PanelContext& c) {
       touch_controls(c.model, c.state.touch, c.requests);
       heading("One body");
       inspector(c.model, c.state.view, c.requests);
     }},
    {"Charts", icon::kCharts, "Conserved quantities, times, notices", false,
     [](const PanelContext& c) {
       diagnostics(c.model, c.state.panels.scale);
       heading("Where the time goes");
       timing(c.model, c.state.frames, c.state.panels.scale);
       heading("Notices");
       notices(c.model);
     }},
    {"Profile", icon::kProfile, "How the bodies are distributed", false, distribution},
    {"Time", icon::kTime, "Film, keyframes, step back, branches, camera path", false,
     [](const PanelContext& c) { timeline(c.model, c.state, c.requests); }},
    {"Bench", icon::kBench, "Times maps over a range of sizes", false,
     [](const PanelContext& c) { benchmark(c.state.bench, c.state.panels.scale); }},
    {"Editor", icon::kEdit, "Laws and maps of your own", false,
     [](const PanelContext& c) {
       MapEditor& map = c.state.map_editor;
       if (chosen_button("A law", !map.shown, theme().edge)) map.shown = false;
       ImGui::SameLine();
       if (chosen_button("A map", map.shown, theme().edge)) map.shown = true;
       FileBrowser& files = c.state.files.browser;
       if (map.shown) {
         map_editor(c.model, map, c.state.panels.scale, c.requests);
         return text_buttons(files, FileBrowser::Kind::map, map.path, map.text, map.before);
       }
       LawEditor& law = c.state.law_editor;
       law_editor(c.model, law, c.state.panels.scale, c.requests);
       text_buttons(files, FileBrowser::Kind::law, law.path, law.text, law.before);
     }},
    {"Settings", icon::kSettings, "Theme, scale, V-sync", true,
     [](const PanelContext& c) { window(c.state.panels, c.state.panes.shown); }},
};

}  // namespace

std::span<const PanelRow> panel_rows() { return kRows; }

const PanelRow* find_panel(std::string_view name) {
  for (const PanelRow& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

bool has_panel(std::string_view name) { return find_panel(name) != nullptr; }

void toggle_panel(PanelState& panels, std::string_view name) {
  panels.open = panels.open == name ? std::string() : std::string(name);
}

// The palette: actions, maps, scenes, demonstrations and panels by words.

namespace {

constexpr std::size_t kShown = 9;

/// Of ASCII and the letters of Western Europe.
std::string lower(std::string text) {
  unsigned char before = 0;
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool accented = before == 0xC3 && byte >= 0x80 && byte <= 0x9E;
    c = static_cast<char>(accented ? byte + 0x20 : byte < 0x80 ? std::tolower(byte) : byte);
    before = byte;
  }
  return text;
}

}  // namespace

namespace {

/// A pattern and its texts, in the language in use and in English.
template <class... Args>
PaletteEntry palette_entry(std::string keys, std::function<void(const ActionContext&)> act,
                           fmt::format_string<Args...> pattern, Args&&... args) {
  return {phrase(pattern, std::forward<Args>(args)...), std::move(keys), std::move(act),
          fmt::format(pattern, std::forward<Args>(args)...)};
}

bool asks_for_film(const std::string& text) {
  const std::string plain = lower(text);
  constexpr std::array kWords{"film", "video", "movie", "animation", "mp4", "gif"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const char* word) { return plain.find(word) != std::string::npos; });
}

}  // namespace

std::vector<PaletteEntry> palette_entries(const SessionModel& model) {
  std::vector<PaletteEntry> entries;
  for (const Action& action : actions()) {
    if (action.act != nullptr) entries.push_back(palette_entry(action.keys, action.act, "{}", action.does));
  }
  for (u32 k = 0; k < render::kQuantityCount; ++k) {
    const auto quantity = static_cast<render::Quantity>(k);
    if (!can_colour(quantity, model).ok) continue;
    const auto choose = [quantity](const ActionContext& c) { c.state.view.style.quantity = quantity; };
    const std::string name = to_string(quantity);
    entries.push_back(palette_entry("", choose, "colour by {}", name.c_str()));
  }
  const auto& maps = shown_maps(model);
  for (std::size_t k = 0; k < maps.size(); ++k) {
    if (!maps[k].fits()) continue;
    const auto use = [k](const ActionContext& c) { c.requests.push_back(map_request(c.model, k)); };
    entries.push_back(palette_entry(k < 9 ? std::to_string(k + 1) : "", use, "use map {}", maps[k].name));
  }
  const Domain domain = model.triple_maps.empty() ? Domain::triangle : Domain::tetrahedron;
  for (std::size_t k = 0; k < maps.size(); ++k) {
    const auto open = [k, domain](const ActionContext& c) {
      c.state.page.shown = true, c.state.page.domain = domain, c.state.page.map = static_cast<u32>(k);
    };
    entries.push_back(palette_entry("", open, "page of map {}", maps[k].name));
  }
  for (const SceneInfo& scene : list_scenes()) {
    const auto open = [name = std::string(scene.name)](const ActionContext& c) {
      c.requests.push_back(ask::Open{name});
    };
    const std::string name = scene.name, title = scene.title;
    entries.push_back(palette_entry("", open, "open scene {}: {}", name.c_str(), title.c_str()));
  }
  for (const std::string_view name : demo_names()) {
    const auto play = [name = std::string(name)](const ActionContext& c) { c.state.pending.demo = name; };
    entries.push_back(palette_entry("", play, "demonstration {}", name));
  }
  for (std::size_t k = 0; k < kPuzzleCount; ++k) {
    const auto open = [k](const ActionContext& c) {
      c.state.puzzle.shown = true, c.state.puzzle.level = k;
      c.state.page.shown = c.state.race.shown = false;
    };
    entries.push_back(palette_entry("", open, "puzzle {}: {}", puzzles()[k].name, puzzles()[k].task));
  }
  for (const PanelRow& row : panel_rows()) {
    const auto open = [name = row.name](const ActionContext& c) {
      c.state.panels.open = name;
      if (c.state.panels.open == "Time") c.state.film.wanted = asks_for_film(c.state.palette.text);
    };
    entries.push_back(palette_entry("", open, "panel {}: {}", row.name, row.about));
  }
  const auto edits = [](bool map) {
    return [map](const ActionContext& c) { c.state.panels.open = "Editor", c.state.map_editor.shown = map; };
  };
  entries.push_back(palette_entry("", edits(false), "{}", "a law of your own, typed as an energy"));
  entries.push_back(palette_entry("", edits(true), "{}", "a map of your own, proved as you type"));
  for (const PaneRow& row : pane_rows()) {
    const auto open = [name = row.name](const ActionContext& c) { show_pane(name, c.state.panes); };
    entries.push_back(palette_entry("", open, "bottom pane {}: {}", row.name, row.about));
  }
  return entries;
}

namespace {

/// Words that people look for, and what the window calls it: the better answer first.
struct Synonym {
  const char* word;
  std::array<const char*, 3> means;
};
constexpr Synonym kSynonyms[] = {
    {"animation", {"recording", "film"}},
    {"benchmark", {"panel bench", "race:"}},
    {"before", {"panel time", "step back"}},
    {"best", {"race:", "panel bench"}},
    {"box", {"why bb", "box and axes", "panel physics"}},
    {"center", {"centre", "fit all"}},
    {"close", {"quit", "close"}},
    {"code", {"panel editor"}},
    {"collision", {"collide", "step back"}},
    {"color", {"colour"}},
    {"coloured", {"colour"}},
    {"compare", {"race:", "panel time", "panel bench"}},
    {"csv", {"open a file", "save the bodies", "panel charts"}},
    {"cuda", {"lanes", "panel charts", "panel bench"}},
    {"custom", {"panel editor", "puzzle:"}},
    {"equation", {"panel editor", "page of the map", "panel physics"}},
    {"exercise", {"puzzle:"}},
    {"exit", {"quit"}},
    {"export", {"save the bodies", "panel bodies", "screenshot"}},
    {"fast", {"race:", "panel bench"}},
    {"fastest", {"race:", "panel bench"}},
    {"figure", {"screenshot", "panel view"}},
    {"film", {"recording"}},
    {"file", {"save the bodies", "open a file"}},
    {"force", {"panel physics", "panel editor", "acceleration"}},
    {"forces", {"panel physics", "panel editor", "race:"}},
    {"formula", {"panel editor", "page of the map"}},
    {"fullscreen", {"presentation"}},
    {"full", {"presentation"}},
    {"future", {"panel time"}},
    {"futures", {"panel time"}},
    {"game", {"puzzle:"}},
    {"gif", {"recording", "film"}},
    {"gpu", {"lanes", "panel charts", "panel bench"}},
    {"gravity", {"panel physics", "panel editor"}},
    {"grey", {"colour"}},
    {"image", {"screenshot"}},
    {"import", {"open a file"}},
    {"load", {"open a file"}},
    {"movie", {"recording", "film"}},
    {"menger", {"puzzle sponge"}},
    {"mp4", {"recording", "film"}},
    {"own", {"of your own", "panel editor", "puzzle:"}},
    {"paper", {"screenshot", "panel view"}},
    {"performance", {"race:", "lanes", "panel bench"}},
    {"photo", {"screenshot"}},
    {"picture", {"screenshot"}},
    {"play", {"run or pause", "demonstration"}},
    {"planet", {"add bodies", "panel bodies"}},
    {"plot", {"panel charts", "panel profile"}},
    {"png", {"screenshot"}},
    {"quickest", {"race:", "panel bench"}},
    {"restart", {"back to the start"}},
    {"rewind", {"back to the start", "step back"}},
    {"save", {"screenshot"}},
    {"screen", {"presentation"}},
    {"settings", {"panel settings"}},
    {"shortcut", {"this help"}},
    {"slow", {"lanes", "panel physics"}},
    {"speed", {"panel physics", "quantity to colour", "panel profile"}},
    {"start", {"run or pause", "back to the start"}},
    {"stop", {"run or pause", "recording"}},
    {"style", {"panel view", "body shape"}},
    {"tutorial", {"tour"}},
    {"until", {"panel time"}},
    {"velocity", {"panel bodies", "panel time", "quantity to colour"}},
    {"video", {"recording", "film"}},
    {"waste", {"why bb", "where blocks go"}},
    {"year", {"panel time", "step back"}},
    {"zoom", {"fit all"}},
};

/// How well a word fits the text; none: not at all. What the text itself says goes first, the plural of a word last.
/// whole: not as the beginning of a longer one, as the singular of "stars" in "starts".
std::optional<std::size_t> rank_of(const std::string& word, const std::string& where, bool whole = false) {
  constexpr std::size_t kInside = 1000, kSynonym = 3000, kMinGlyphs = 3;
  const auto is_letter = [&](std::size_t k) {
    return k < where.size() && std::isalnum(static_cast<unsigned char>(where[k])) != 0;
  };
  if (const std::size_t at = where.find(word); at != std::string::npos && !(whole && is_letter(at + word.size()))) {
    return at + (at == 0 || !is_letter(at - 1) ? 0 : kInside);
  }
  std::optional<std::size_t> best;
  for (const Synonym& synonym : kSynonyms) {
    if (word.size() < kMinGlyphs || !std::string_view(synonym.word).starts_with(word)) continue;
    for (std::size_t k = 0; k < synonym.means.size(); ++k) {
      if (synonym.means[k] == nullptr || where.find(synonym.means[k]) == std::string::npos) continue;
      best = std::min(best.value_or(~std::size_t{0}), kSynonym + 100 * k);
    }
  }
  if (!best && word.size() > kMinGlyphs && word.back() == 's')
    return rank_of(word.substr(0, word.size() - 1), where, true);
  return best;
}

/// The words of what was typed, without those that say nothing, unless there are no others.
std::vector<std::string> words_of(const std::string& text) {
  constexpr std::string_view kFillers[] = {"a",   "an",   "and", "by",   "do",   "find", "for", "how",
                                           "i",   "in",   "is",  "it",   "make", "my",   "of",  "out",
                                           "the", "this", "to",  "want", "we",   "with"};
  std::vector<std::string> all, telling;
  std::string plain = lower(text);
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return c == ',' || c == '?' || c == '"'; }, ' ');
  std::istringstream stream(plain);
  for (std::string word; stream >> word;) {
    all.push_back(word);
    if (std::find(std::begin(kFillers), std::end(kFillers), word) == std::end(kFillers)) telling.push_back(word);
  }
  return telling.empty() ? all : telling;
}

}  // namespace

std::vector<std::size_t> palette_matches(const std::vector<PaletteEntry>& entries, const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  struct Match {
    std::size_t missing, rank, entry;  ///< words that the entry lacks, and where the others stand
  };
  std::vector<Match> found;
  constexpr std::size_t kSentence = 3;  // words, of which an entry may lack some
  std::size_t least = words.size() < kSentence ? 0 : words.size() - 1;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::string where = lower(translates() ? entries[k].text + " " + entries[k].english : entries[k].text);
    Match match{0, 0, k};
    for (const std::string& word : words) {
      const auto at = rank_of(word, where);
      match.rank += at.value_or(0), match.missing += at ? 0 : 1;
    }
    least = std::min(least, match.missing);
    found.push_back(match);
  }
  // A sentence asks for several things: what has all but one of the words that the best has comes after it.
  if (words.size() >= kSentence && least + 2 <= words.size()) ++least;
  std::erase_if(found, [least](const Match& m) { return m.missing > least; });
  std::stable_sort(found.begin(), found.end(), [](const Match& a, const Match& b) {
    return std::pair{a.missing, a.rank} < std::pair{b.missing, b.rank};
  });
  std::vector<std::size_t> matches;
  for (const Match& m : found) matches.push_back(m.entry);
  return matches;
}

void palette(const SessionModel& model, GuiState& state, const Rect& scene, Requests& requests) {
  PaletteState& p = state.palette;
  if (!p.shown) return;
  const std::vector<PaletteEntry> entries = palette_entries(model);
  const float scale = state.panels.scale, row = 30 * scale, pad = 8 * scale;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float width = std::min(560 * scale, window.x - 2 * pad);
  const float middle = scene.w > width ? scene.x + scene.w / 2 : window.x / 2;
  std::optional<std::size_t> chosen;
  const FixedWindow shown("palette", {std::floor(middle - width / 2), std::floor(scene.y + 56 * scale), width, 0},
                          kFixed | ImGuiWindowFlags_NoNav,
                          {.padding = ImVec2(pad, pad), .spacing = ImVec2(0, 2 * scale), .rounding = 8 * scale});
  if (p.focus) ImGui::SetKeyboardFocusHere(), expect_field(1);
  ImGui::SetNextItemWidth(width - 2 * pad);
  if (ImGui::InputTextWithHint("##find", "an action, a map, a scene, a panel", &p.text)) p.at = 0;
  p.focus = p.focus && !ImGui::IsItemActive();
  const std::vector<std::size_t> matches = palette_matches(entries, p.text);
  if (!matches.empty()) p.at = std::min(p.at, matches.size() - 1);
  const std::size_t first = p.at >= kShown ? p.at - kShown + 1 : 0;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  for (std::size_t k = first; k < std::min(matches.size(), first + kShown); ++k) {
    const PaletteEntry& entry = entries[matches[k]];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(k));
    if (invisible_button("entry", {width - 2 * pad, row})) chosen = matches[k];
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    if (hovered || k == p.at) {
      draw.AddRectFilled(at, {at.x + width - 2 * pad, at.y + row}, k == p.at ? theme().selected : theme().raised,
                         4 * scale);
    }
    const float y = at.y + row / 2, keys = width_in(Face::caption, entry.keys.c_str());
    write_middle(draw, Face::body, {at.x + pad, y}, theme().text,
                 fitting(Face::body, entry.text, width - 5 * pad - keys));
    write_middle(draw, Face::caption, {at.x + width - 3 * pad, y}, theme().text2, entry.keys, Align::right);
  }
  if (matches.empty()) ImGui::TextDisabled("Nothing has these words.");
  const bool left = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowHovered();
  // What was typed before Enter may come in a later frame.
  if (!keys_wait() && std::exchange(p.accepted, false) && !matches.empty()) chosen = matches[p.at];
  if (chosen || left) p.shown = false;
  if (chosen) entries[*chosen].act({model, state, requests});
}

// The rail at the left edge: a button for each panel, and the open panel beside it.

namespace {

bool rail_button(const char* name, const char* glyph, const char* about, bool open, float width, float height,
                 float scale) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = invisible_button(name, {width, height});
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 low{at.x + 2 * scale, at.y}, high{at.x + width - 2 * scale, at.y + height};
  if (open || ImGui::IsItemHovered()) draw.AddRectFilled(low, high, theme().selected, 4 * scale);
  const ImU32 ink = open ? theme().text : theme().text2;
  const float middle = at.x + width / 2, line = height_of(face(Face::rail));
  const bool has_words = height > 20 * scale + line;
  write_middle(draw, Face::icon, {middle, at.y + (height - (has_words ? line : 0)) / 2}, ink, glyph, Align::centre);
  if (has_words) write(draw, Face::rail, {middle, at.y + height - line - scale}, ink, name, Align::centre);
  if (!open) tip(about);
  return pressed;
}

}  // namespace

void rail(const SessionModel&, GuiState& state, const Layout& places) {
  const Rect& place = places.rail;
  if (place.w < 1) return;
  const float scale = state.panels.scale;
  const FixedWindow window("rail", place, kBehind, {.padding = ImVec2(0, 0), .spacing = ImVec2(0, 0)});
  std::size_t ends = 2;  // find and help
  for (const PanelRow& row : panel_rows()) ends += row.at_end;
  const std::size_t count = panel_rows().size() + 3 + (places.narrow ? 1 : 0);
  const float most = 50 * scale, height = std::min(most, (place.h - 8 * scale) / static_cast<float>(count));
  const auto button = [&](const PanelRow& row) {
    if (&row == panel_rows().data()) {
      state.tour.mark(TourPart::scenes, {place.x, ImGui::GetCursorScreenPos().y, place.w, height});
    }
    if (rail_button(row.name, row.glyph, row.about, state.panels.open == row.name, place.w, height, scale)) {
      toggle_panel(state.panels, row.name);
    }
  };
  ImGui::SetCursorPosY(6 * scale);
  if (places.narrow && rail_button(kMapsPanel, icon::kRace, "The maps and their times", state.panels.open == kMapsPanel,
                                   place.w, height, scale)) {
    toggle_panel(state.panels, kMapsPanel);
  }
  for (const PanelRow& row : panel_rows()) {
    if (!row.at_end) button(row);
  }
  if (rail_button("Puzzle", icon::kPuzzle, "Send 136 blocks onto 136 tiles by a map of your own (P)",
                  state.puzzle.shown, place.w, height, scale)) {
    state.puzzle.shown = !state.puzzle.shown;
    state.page.shown = state.race.shown = false;
  }
  ImGui::SetCursorPosY(std::max(ImGui::GetCursorPosY(), place.h - height * static_cast<float>(ends) - 2 * scale));
  if (rail_button("Find", icon::kFind, "Finds actions, maps, scenes and panels (Ctrl+P)", state.palette.shown, place.w,
                  height, scale)) {
    state.palette.show();
  }
  if (rail_button("Help", icon::kHelp, "Keys (F1)", state.panels.help, place.w, height, scale)) {
    state.panels.help = !state.panels.help;
  }
  for (const PanelRow& row : panel_rows()) {
    if (row.at_end) button(row);
  }
  ImGui::GetWindowDrawList()->AddLine({place.x + place.w - 1, place.y}, {place.x + place.w - 1, place.y + place.h},
                                      theme().line);
}

void left_panel(const SessionModel& model, GuiState& state, const Rect& place, Requests& requests) {
  const PanelRow* row = find_panel(state.panels.open);
  if (row == nullptr || place.w < 1) return;
  const float scale = state.panels.scale;
  {
    const FixedWindow window("left", place);
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    write(draw, Face::title, at, theme().text, row->name);
    const float side = 24 * scale;
    const ImVec2 corner{place.x + place.w - side - 8 * scale, at.y};
    ImGui::SetCursorScreenPos(corner);
    if (icon_button("close", icon::kClose, side, scale, "Closes the panel (Esc)", {.ink = theme().text2})) {
      state.panels.open.clear();
    }
    ImGui::SetCursorScreenPos({corner.x - side - 4 * scale, at.y});
    const bool pinned = state.panels.pinned;
    if (icon_button("pin", icon::kPin, side, scale, "Pinned, the panel narrows the scene, and Esc leaves it open",
                    {.on = pinned, .ink = pinned ? theme().text : theme().text2})) {
      state.panels.pinned = !pinned;
    }
    ImGui::SetCursorScreenPos({at.x, at.y + 32 * scale});
    ImGui::BeginChild(row->name, {0, 0}, false, ImGuiWindowFlags_NavFlattened);  // it scrolls, and the head stays
    ImGui::PushID(row->name);
    row->draw({model, state, requests});
    ImGui::PopID();
    ImGui::EndChild();
    draw.AddLine({place.x + place.w - 1, place.y}, {place.x + place.w - 1, place.y + place.h}, theme().line);
  }
  if (const auto x = dragged_edge("left edge", place.x + place.w - 6 * scale, place.y, place.h, scale)) {
    state.panels.width = std::clamp((*x - place.x) / scale, kMinLeft, kMaxLeft);
  }
}

// All panels in their columns, and the notices.

namespace {

/// The column of maps: the rows, where their blocks go, and the energy error, as far as there is room.
void column(const SessionModel& model, const ShownRuns& runs, GuiState& state, const Layout& places, float seconds,
            Requests& requests) {
  const Rect& place = places.right;
  if (place.w < 1) return;
  const float scale = state.panels.scale;
  const bool compact = places.compact || place.w < 400 * scale;
  {
    const FixedWindow window("right", place, kFixed | ImGuiWindowFlags_NoBringToFrontOnFocus,
                             {.padding = ImVec2(0, 0)});
    state.tour.mark(TourPart::pairs, {place.x, place.y, place.w - 220 * scale, 44 * scale});
    state.tour.mark(TourPart::race, {place.x + place.w - 98 * scale, place.y, 98 * scale, 44 * scale});
    const bool asked = state.page.shown && state.page.why;
    maps(model, {scale, places.row, compact}, state.panels.sort, state.split, state.page, state.race, requests);
    if (state.panels.calm && state.page.why && !asked) state.page.sweeps = false, state.page.launched = 1;
    const float chart = 110 * scale, least = 130 * scale, most = 320 * scale;
    const float rows = place.y + 44 * scale;
    state.tour.mark(TourPart::maps, {place.x, rows, place.w, ImGui::GetCursorScreenPos().y - rows});
    const float left = place.y + place.h - ImGui::GetCursorScreenPos().y;
    const float figure_needs = model.triple_maps.empty() ? least : 240 * scale;  // a cube needs more than a square
    const bool has_chart = left > chart + figure_needs + 24 * scale;
    const float figure = std::min(most, left - (has_chart ? chart + 16 * scale : 0));
    ImGui::SetCursorScreenPos({place.x, ImGui::GetCursorScreenPos().y + (compact ? 0 : 8 * scale)});
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (figure > least) state.tour.mark(TourPart::blocks, {at.x, at.y, place.w, figure});
    if (figure > least) blocks(model, state.panes.domain, figure - 8 * scale, seconds, scale, compact);
    if (has_chart) {
      const float pad = 12 * scale;
      ImGui::SetCursorScreenPos({at.x, at.y + figure});
      ImGui::GetWindowDrawList()->AddLine({at.x, at.y + figure}, {at.x + place.w, at.y + figure}, theme().line);
      ImGui::SetCursorScreenPos({at.x + pad, at.y + figure + 8 * scale});
      ImGui::PushItemWidth(-pad);
      energy_chart(runs.first, runs.second, (left - figure - 28 * scale) / scale, place.w - 2 * pad, scale);
      ImGui::PopItemWidth();
    }
    ImGui::GetWindowDrawList()->AddLine({place.x, place.y}, {place.x, place.y + place.h}, theme().line);
  }
  bool again = false;
  if (const auto x = dragged_edge("right edge", place.x, place.y, place.h, scale, &again)) {
    state.panels.column = std::clamp((place.x + place.w - *x) / scale, kMinColumn, kMaxColumn);
  }
  if (again) state.panels.column = 0;
}

WindowLook page_look(float scale) { return {.padding = ImVec2(24 * scale, 16 * scale), .ground = theme().page}; }

bool has_room(const Rect& place, float least) { return place.w >= least && place.h >= least; }

/// The page over the scene: of a map, of puzzles or of the race. seconds: since the last frame.
void pages(const SessionModel& model, GuiState& state, const Layout& layout, float seconds, Requests& requests) {
  const float scale = state.panels.scale;
  const std::optional<Rect> place = page_place(state, layout);
  if (!place) return;
  if (state.race.shown) {
    const FixedWindow window_of_race("race", *place, kBehind, page_look(scale));
    race(model, state.race, *place, scale);
    if (std::exchange(state.race.asks_why, false)) state.race.shown = false, open_why(model, state.page);
  } else if (state.page.shown) {
    const FixedWindow window_of_page("map page", *place, kBehind, page_look(scale));
    state.page.why ? why_page(model, state.page, *place, seconds, scale)
                   : map_page(model, state.page, state.race, *place, seconds, scale, requests);
  } else {
    const FixedWindow window_of_puzzle("puzzle", *place, kBehind, page_look(scale));
    puzzle_page(model, state, *place, seconds, requests);
  }
}

}  // namespace

std::optional<Rect> page_place(const GuiState& state, const Layout& layout) {
  if (!state.panels.visible() || !state.paged()) return std::nullopt;
  Rect page = layout.scene;
  page.h += layout.pane.h;
  if (state.race.shown) page.w = layout.status.w - page.x;  // the column of maps makes room
  return has_room(page, (state.race.shown ? 300 : 200) * state.panels.scale) ? std::optional(page) : std::nullopt;
}

/// The newest first.
void notices(const SessionModel& model) {
  if (model.notices.empty()) ImGui::TextDisabled("none");
  for (auto n = model.notices.rbegin(); n != model.notices.rend(); ++n) {
    coloured_text(n->error ? theme().fault : ImGui::GetColorU32(ImGuiCol_Text),
                  n->count > 1 ? phrase("{} ({} times)", n->text, n->count) : n->text);
  }
}

void all(const ShownRuns& runs, GuiState& state, const Layout& layout, double seconds, double now, Requests& requests) {
  const SessionModel& model = runs.first;
  // What these show and change is of the run that is chosen; there is one clock.
  const SessionModel& chosen = runs.second != nullptr && state.second.controls_b ? *runs.second : model;
  const float scale = state.panels.scale;
  turn_focus(std::exchange(state.panels.focus_turn, 0));
  follow_first_minute(model, state, now, requests);
  follow_tour(model, state, now, layout.narrow);
  state.tour.places = {};
  if (state.panels.visible()) {
    state.tour.mark(TourPart::strip, layout.strip);
    const bool paged = state.paged();
    if (!paged) {
      if (!state.first.alone()) scene_head(model, state, layout.free);
      run_bar(model, state, layout.free, requests);
    }
    // A page that opens is not covered by a panel that nobody pinned.
    const bool over_page = state.panels.open != kMapsPanel || state.page.why;
    if (paged && !state.panels.paged && !state.panels.pinned && over_page) state.panels.open.clear();
    state.panels.paged = paged;
    pages(chosen, state, layout, static_cast<float>(seconds), requests);
    rail(model, state, layout);
    if (!state.race.shown) column(chosen, runs, state, layout, static_cast<float>(seconds), requests);
    frame_strip(model, state, now, layout.strip);
    if (const Rect& place = layout.lanes; state.lanes.shown && has_room(place, 1)) {
      refresh(state.lanes, state.frames, now);
      const FixedWindow window_of_lanes("lanes", place, kBehind, {.padding = ImVec2(0, 0)});
      ImGui::GetWindowDrawList()->AddLine({place.x, place.y}, {place.x + place.w, place.y}, theme().line);
      lanes(state.lanes, state.frames, step_colour(model), now, place, scale);
    }
    status(model, state.frames, scale, layout.status);
    left_panel(state.panels.open == "Time" ? model : chosen, state, layout.left, requests);
  }
  let_go_of_time(state.panels, requests);
  if (const auto path = files(state.files.browser, state.files.recent, scale)) {
    const FileBrowser& browser = state.files.browser;
    if (browser.kind() != FileBrowser::Kind::bodies) {
      (browser.kind() == FileBrowser::Kind::law ? state.law_editor.path : state.map_editor.path) = *path;
      state.pending.text_file = TextFile{*path, browser.kind(), browser.purpose()};
    } else if (browser.purpose() == FileBrowser::Purpose::open) {
      state.pending.open = *path;
    } else {
      requests.push_back(ask::Save{*path});
      state.files.save_path = *path;
      state.files.recent.add(*path);
    }
  }
  tour_card(model, state, layout);
  palette(model, state, layout.scene, requests);
  if (state.panels.help) help(state, scale, layout.scene);
  draw_focus(scale);
}

}  // namespace tri::app::gui
