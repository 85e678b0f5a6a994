// The editors of laws and maps: what can be used, what cannot and why, examples, and texts that come back. Typing into
// panels. The pages over the scene: where they stand, and where their letters do.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include <GLFW/glfw3.h>

#include "app/bench/bench_runner.hpp"
#include "app/gui/base/race.hpp"
#include "app/gui/base/settings.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/gui/panels/panes.hpp"
#include "tests/app/gui/base/gui_support.hpp"

namespace tri::app::gui {
namespace {

using test::only;

// The editor of typed laws: what can be used, what cannot and why, and its examples.

class LawEditorPanel : public PanelFixture {
 protected:
  std::string draw() {
    return frame([this] { law_editor(model, state.law_editor, 1, requests); });
  }
  LawEditor& editor_state() { return state.law_editor; }
};

TEST_F(LawEditorPanel, UsesTheLawThatWasTyped) {
  const auto panel = [this] { law_editor(model, state.law_editor, 1, requests); };
  editor_state().text = "energy = D*((1 - exp(-a*(r - r0)))^2 - 1)\nD = 2\na = 6\nr0 = 1.1";
  EXPECT_NE(draw().find("Use this law"), std::string::npos);
  press({"###use"}, panel);
  const auto* asked = only<ask::Field>(requests);
  ASSERT_NE(asked, nullptr);
  EXPECT_EQ(asked->field.pair, PairLaw::typed);
  ASSERT_TRUE(asked->field.typed_pair);
  EXPECT_EQ(asked->field.typed_pair.law->find("r0"), 2u);
  EXPECT_EQ(asked->field.typed_pair.values[0], 2);
  model.scene.field = asked->field;
  EXPECT_NE(draw().find("In use"), std::string::npos);
  press({"###use"}, panel);
  EXPECT_TRUE(requests.empty()) << "it acts already";
}

TEST_F(LawEditorPanel, ATextThatIsNoLawCannotBeUsed) {
  const auto panel = [this] { law_editor(model, state.law_editor, 1, requests); };
  editor_state().text = "energy = 4*epps/r\neps = 1";
  const std::string text = draw();
  EXPECT_NE(text.find("epps"), std::string::npos);
  EXPECT_EQ(text.find("Use this law"), std::string::npos);
  press({"###use"}, panel);
  EXPECT_TRUE(requests.empty());
  EXPECT_NE(text.find("\nenergy = 4*epps/r\n           ^"), std::string::npos)
      << "below the first letter of epps: " << text;
}

TEST_F(LawEditorPanel, WhatWasTypedComesBack) {
  const auto panel = [this] {
    law_editor(model, state.law_editor, 1, requests);
    text_buttons(state.files.browser, FileBrowser::Kind::law, "law.txt", editor_state().text, editor_state().before);
  };
  const auto choose_row = [&](const char* combo, const char* row) {
    press({combo}, panel);
    EXPECT_TRUE(has_popup()) << "so that Esc closes it and nothing else";
    activate(ImHashStr(row, 0, ImGui::FindWindowByName("##Combo_00")->ID));
    frame(panel), frame(panel);
    EXPECT_FALSE(has_popup());
  };
  const std::string mine = editor_state().text = "energy = q/r\nq = 3";
  choose_row("##over", "of triples");
  EXPECT_NE(editor_state().text, mine);
  choose_row("##over", "of pairs");
  EXPECT_EQ(editor_state().text, mine);
  choose_row("##examples", "Morse");
  EXPECT_NE(editor_state().text.find("r0"), std::string::npos);
  press({"law.txt", "Text before"}, panel);
  EXPECT_EQ(editor_state().text, mine);
  press({"law.txt", "Save as..."}, panel);
  EXPECT_TRUE(state.files.browser.shown() && state.files.browser.kind() == FileBrowser::Kind::law);
}

TEST_F(LawEditorPanel, EscLeavesTheTextAndTakesNothingBack) {
  draw();
  activate(ImHashStr("##law", 0, ImGui::FindWindowByName("test")->ID));
  ImGui::GetCurrentContext()->NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
  draw(), draw(), draw();
  ASSERT_TRUE(ImGui::IsAnyItemActive());
  ImGui::GetIO().AddInputCharactersUTF8("x");
  draw(), draw();
  const std::string typed = editor_state().text;
  EXPECT_NE(typed.find('x'), std::string::npos) << typed;
  set_key(ImGuiKey_Escape, true);
  draw(), draw();
  set_key(ImGuiKey_Escape, false);
  draw();
  EXPECT_EQ(editor_state().text, typed) << "all that was typed was gone";
}

TEST_F(LawEditorPanel, EveryExampleIsALaw) {
  for (const auto over : {expression::Over::pairs, expression::Over::triples}) {
    const std::span<const Example> all = examples(over);
    ASSERT_GE(all.size(), 2u);
    for (const Example& e : all) {
      editor_state().over = over, editor_state().text = e.text;
      EXPECT_NE(draw().find("Use this law"), std::string::npos) << e.name << ": " << editor_state().sketch.error;
      EXPECT_FALSE(editor_state().curves.r.empty()) << e.name;
      // As wide as the panel, which cut two of them.
      std::istringstream lines(e.text);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 37u) << line;
    }
  }
}

TEST_F(LawEditorPanel, ATripleLawIsAddedBesideThatOfPairs) {
  const auto panel = [this] { law_editor(model, state.law_editor, 1, requests); };
  editor_state().over = expression::Over::triples;
  editor_state().text = examples(expression::Over::triples)[1].text;
  press({"###use"}, panel);
  const auto* asked = only<ask::Field>(requests);
  ASSERT_NE(asked, nullptr);
  EXPECT_EQ(asked->field.triple, TripleLaw::typed);
  EXPECT_EQ(asked->field.pair, model.scene.field.pair);
}

// The editor of maps: what is proved is added, what is not says so.

class MapEditorPanel : public PanelFixture {
 protected:
  std::string draw() {
    return frame([this] { map_editor(model, state.map_editor, 1, requests); });
  }
};

TEST_F(MapEditorPanel, AMapThatIsProvedIsAdded) {
  const auto panel = [this] { map_editor(model, state.map_editor, 1, requests); };
  state.map_editor.side = 7;
  EXPECT_NE(draw().find("Proved for m = 7: 28 tiles"), std::string::npos);
  press({"###add"}, panel);
  const auto* asked = only<ask::AddMap>(requests);
  ASSERT_NE(asked, nullptr);
  EXPECT_STREQ(asked->map->info().name, "mine");
}

TEST_F(MapEditorPanel, ItsFigureHasTheColoursOfOmegaAsEveryOther) {
  draw();
  for (const u32 omega : {0u, 70u, 135u}) {
    const ImU32 colour = omega_colour(omega, 136);
    bool found = false;
    const ImDrawData& all = *ImGui::GetDrawData();
    for (int k = 0; k < all.CmdListsCount; ++k) {
      for (const ImDrawVert& v : all.CmdLists[k]->VtxBuffer) found |= v.col == colour;
    }
    EXPECT_TRUE(found) << omega;
  }
}

TEST_F(MapEditorPanel, AMapThatMissesATileSaysSoAndCannotBeAdded) {
  const auto panel = [this] { map_editor(model, state.map_editor, 1, requests); };
  std::string& text = state.map_editor.text;
  text.replace(text.find("\"mine\""), 6, "\"wrong\"");
  text.replace(text.find("col = w"), 7, "col = 0*w");
  const std::string shown = draw();
  EXPECT_NE(shown.find("At m = 16"), std::string::npos) << shown;
  EXPECT_NE(shown.find("Only a map that is proved joins the others; at m = 16 this one is not."), std::string::npos);
  press({"###add"}, panel);
  EXPECT_TRUE(requests.empty());
}

TEST_F(MapEditorPanel, AnErrorOfTheTextIsShownWithItsPlace) {
  std::string& text = state.map_editor.text;
  text.replace(text.find("isqrt"), 5, "isqart");
  const std::string shown = draw();
  EXPECT_NE(shown.find("isqart"), std::string::npos);
  EXPECT_NE(shown.find("Add to the maps"), std::string::npos) << "grey, with its reason:";
  EXPECT_NE(shown.find("this text is none yet"), std::string::npos) << shown;
  EXPECT_NE(shown.find("\n  row = (isqart(8*w + 1) - 1)/2\n         ^"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("Proved"), std::string::npos);
}

// The page of puzzles: every level begins wrong, a solution is raced, and what was typed comes back.

class PuzzlePage : public PanelFixture {
 protected:
  std::function<void()> page = [this] { puzzle_page(model, state, {0, 0, 1380, 1000}, 0, requests); };
  /// Presses an item of the part with the text.
  void press_in_work(const char* item) {
    frame(page);
    for (const ImGuiWindow* w : ImGui::GetCurrentContext()->Windows) {
      const std::string_view name = w->Name;
      if (name.starts_with("test/work_") && name.find("##") == name.npos) activate(ImHashStr(item, 0, w->ID));
    }
    frame(page);
  }
};

TEST_F(PuzzlePage, FindKnowsItByName) {
  for (const char* word : {"puzzle", "136", "menger", "sponge", "game", "own"}) {
    const auto entries = palette_entries(model);
    bool found = false;
    for (const std::size_t k : palette_matches(entries, word)) found |= entries[k].text.starts_with("puzzle");
    EXPECT_TRUE(found) << word;
  }
  on_key({GLFW_KEY_P}, model, state, requests);
  EXPECT_TRUE(state.puzzle.shown && state.paged());
  on_key({GLFW_KEY_ESCAPE}, model, state, requests);
  EXPECT_FALSE(state.puzzle.shown);
}

TEST_F(PuzzlePage, ALevelBeginsWrongAndSaysWhatIsMissed) {
  state.puzzle.level = 2;
  const std::string text = frame(page);
  EXPECT_NE(text.find("Send 136 blocks onto 136 tiles"), std::string::npos) << text;
  EXPECT_NE(text.find("At m = 16: "), std::string::npos) << text;
  EXPECT_NE(text.find(" is missed"), std::string::npos) << text;
  EXPECT_FALSE(state.puzzle.solved[2]);
  press_in_work("###race");
  EXPECT_TRUE(requests.empty()) << "only what is proved may race";
}

TEST_F(PuzzlePage, ASolutionIsAddedAndRaced) {
  state.puzzle.level = 2;
  press_in_work("Show a solution");
  EXPECT_NE(frame(page).find("Solved: 136 blocks, 136 tiles"), std::string::npos);
  std::string& text = state.puzzle.texts[2];
  text.replace(text.find("my-lambda"), 9, "raced-one");
  press_in_work("###race");
  const auto* asked = only<ask::AddMap>(requests);
  ASSERT_NE(asked, nullptr);
  EXPECT_FALSE(state.race.start) << "not before it is among the maps";
  const auto goes_on = [&, map = asked->map] {
    mapfile::add_map(map);
    frame(page);
    const bool raced =
        state.race.start && state.race.shown && state.race.maps == std::vector<std::string>{"bb", "raced-one"};
    state.race.start = false;
    text += "# changed";
    const bool says = frame(page).find("Another map has the name raced-one; change the name.") != std::string::npos;
    std::_Exit(raced && says ? 0 : 1);
  };
  EXPECT_EXIT(goes_on(), testing::ExitedWithCode(0), "") << "a program's maps stay until its end, so this one ends";
}

TEST_F(PuzzlePage, TheSpongeIsSolvedAndSaysWhyItDoesNotRace) {
  state.puzzle.level = kPuzzleCount - 1;
  EXPECT_NE(frame(page).find("Send 400 blocks onto 400 tiles"), std::string::npos);
  press_in_work("Show a solution");
  EXPECT_NE(frame(page).find("Solved: 400 blocks, 400 tiles"), std::string::npos);
  press_in_work("###race");
  EXPECT_TRUE(requests.empty());
  press_in_work("Text before");
  EXPECT_EQ(state.puzzle.texts.back(), puzzles().back().begin);
  EXPECT_TRUE(state.puzzle.solved.back()) << "once solved, always solved";
}

TEST_F(PuzzlePage, ThePointerSaysWhereABlockGoesAndWhatIsWrongWithATile) {
  state.puzzle.level = 0;
  page = [this] { puzzle_page(model, state, {0, 0, 520, 1000}, 0, requests); };  // as wide as the window of the test
  const auto pointed = [this] {
    std::string all;
    for (float y = 160; y < 270; y += 4) {
      for (float x = 285; x < 500; x += 5) {
        ImGui::GetIO().MousePos = {x, y};
        all += frame(page);
      }
    }
    return all;
  };
  const std::string box = pointed();
  EXPECT_NE(box.find("block \u03c9 = 0: row 0, column 0"), std::string::npos);
  EXPECT_NE(box.find("block \u03c9 = 1 is sent"), std::string::npos);
  state.puzzle.texts[0] = puzzles()[2].begin;
  EXPECT_NE(pointed().find(", col 0) is missed"), std::string::npos);
}

TEST_F(PuzzlePage, TextsComeBackWithTheNextStart) {
  frame(page);
  state.puzzle.texts[1] = puzzles()[1].solution;
  GuiState next;
  apply_drafts(drafts_text(state), "drafts", next);
  EXPECT_EQ(next.puzzle.texts[1], puzzles()[1].solution);
  frame([&] { puzzle_page(model, next, {0, 0, 1380, 1000}, 0, requests); });
  EXPECT_TRUE(next.puzzle.solved[1]);
  EXPECT_FALSE(next.puzzle.solved[0]);
}

TEST_F(PuzzlePage, ItFitsAnySizeOfTheWindow) {
  for (const auto& [w, h] : {std::pair{752.0f, 540.0f}, std::pair{300.0f, 200.0f}, std::pair{3000.0f, 2000.0f}}) {
    for (state.puzzle.level = 0; state.puzzle.level < kPuzzleCount; ++state.puzzle.level) {
      frame([this, w = w, h = h] { puzzle_page(model, state, {0, 0, w, h}, 0, requests); });
    }
  }
}

// The page of the race: what it draws, letter by letter.

/// Boxes of what was drawn: half a letter, or half a line no thicker than 2 pixels in the colour of texts.
struct Ink {
  std::vector<Rect> letters, lines;
};
Ink ink_of(const ImDrawList& draw, float top, float bottom) {
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  Ink ink;
  for (int k = 0; k + 2 < draw.IdxBuffer.Size; k += 3) {
    ImVec2 low{1e9f, 1e9f}, high{-1e9f, -1e9f};
    bool letter = false, text = true;
    for (int c = 0; c < 3; ++c) {
      const ImDrawVert& v = draw.VtxBuffer[draw.IdxBuffer[k + c]];
      low = {std::min(low.x, v.pos.x), std::min(low.y, v.pos.y)};
      high = {std::max(high.x, v.pos.x), std::max(high.y, v.pos.y)};
      letter |= v.uv.x != white.x || v.uv.y != white.y, text &= v.col == theme().text;
    }
    const Rect box{low.x, low.y, high.x - low.x, high.y - low.y};
    if (box.y < top || box.y + box.h > bottom) continue;
    if (letter) ink.letters.push_back(box);
    if (!letter && text && std::min(box.w, box.h) <= 2) ink.lines.push_back(box);
  }
  return ink;
}
/// By more than so many pixels both ways.
bool cover(const Rect& a, const Rect& b, float by) {
  return a.x + by < b.x + b.w && b.x + by < a.x + a.w && a.y + by < b.y + b.h && b.y + by < a.y + a.h;
}

/// Left and right ends of the texts between two heights and two sides, from left to right.
std::vector<std::array<float, 2>> texts_of(const Ink& ink, const Rect& within) {
  std::vector<std::array<float, 2>> ends;
  for (const Rect& l : ink.letters) {
    const float middle = l.y + l.h / 2, x = l.x + l.w / 2;
    if (middle > within.y && middle < within.y + within.h && x > within.x && x < within.x + within.w)
      ends.push_back({l.x, l.x + l.w});
  }
  std::sort(ends.begin(), ends.end());
  std::vector<std::array<float, 2>> texts;
  for (const auto& e : ends) {
    const bool goes_on = !texts.empty() && e[0] < texts.back()[1] + 7;
    goes_on ? void(texts.back()[1] = std::max(texts.back()[1], e[1])) : texts.push_back(e);
  }
  return texts;
}

/// A race of all maps with long times and wide intervals.
BenchGroup wide_group(BenchKernel kernel, BenchForm form) {
  BenchGroup g;
  g.common.kernel = kernel, g.common.form = form;
  for (const MapInfo& map : triangle_maps()) {
    BenchRow row;
    row.spec.kernel = kernel, row.spec.form = form, row.spec.map = map.name;
    row.check.passed = true;
    const double usual = std::pow(1.2, static_cast<double>(g.rows.size()));  // "1.00 ms" to "15.4 ms"
    const int shift = static_cast<int>(g.rows.size());
    for (int k = 0; k < 15; ++k) row.samples_ms.push_back(usual * (1 + 0.2 * ((k * 7 + 4 * shift) % 15)));
    g.rows.push_back(std::move(row));
  }
  add_statistics(g, "bb");
  return g;
}

class RaceInk : public PanelFixture {
 protected:
  /// What the page draws below its head, or in it, at this width.
  Ink drawn(float wide, bool head) {
    auto status = std::make_shared<BenchStatus>();
    status->groups = {wide_group(BenchKernel::dummy, BenchForm::hold), wide_group(BenchKernel::dummy, BenchForm::store),
                      wide_group(BenchKernel::gravity, BenchForm::hold)};
    state.race.status = status, state.race.timed = 65536;
    ImGui::GetIO().DisplaySize = {2000, 2000};
    ImGui::GetStyle().AntiAliasedLines = false;
    requests.clear();
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({wide, 900});
    ImGui::Begin("page", nullptr, ImGuiWindowFlags_NoDecoration);
    race(model, state.race, {0, 0, wide, 900}, 1);
    const Ink ink = head ? ink_of(*ImGui::GetWindowDrawList(), 0, 64) : ink_of(*ImGui::GetWindowDrawList(), 64, 900);
    ImGui::End();
    ImGui::Render();
    return ink;
  }
};

TEST_F(RaceInk, LeadsToThePageThatSaysWhy) {
  press({"###why"}, [this] { race(model, state.race, {0, 0, 1200, 900}, 1); });
  EXPECT_TRUE(state.race.asks_why);
}

TEST_F(RaceInk, NoWhiskerCoversALetterAndNoLetterAnother) {
  for (const float wide : {752.0f, 1000.0f, 1232.0f, 1800.0f}) {
    const Ink ink = drawn(wide, false), head = drawn(wide, true);
    EXPECT_GT(ink.lines.size(), 40u) << "there are whiskers";
    EXPECT_GT(ink.letters.size(), 400u);
    for (const Rect& line : ink.lines) {
      for (const Rect& letter : ink.letters) {
        ASSERT_FALSE(cover(line, letter, 0.01f)) << wide << ": " << line.x << ", " << line.y << ", letter " << letter.x;
      }
    }
    for (const Ink* part : {&head, &ink}) {  // the word "bodies" stands between the sentence and the numbers
      for (std::size_t a = 0; a < part->letters.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          const Rect &one = part->letters[a], &two = part->letters[b];
          const bool same = std::abs(one.x - two.x) < 0.5f && std::abs(one.y - two.y) < 0.5f;  // halves of a letter
          ASSERT_FALSE(!same && cover(one, two, 2.5f)) << wide << ": letters at " << one.x << ", " << one.y;
        }
      }
    }
  }
}

TEST_F(RaceInk, TimesEndInOneColumn) {
  for (const float wide : {1100.0f, 1232.0f, 1800.0f}) {
    const Ink ink = drawn(wide, false);
    std::map<int, int> rows;  // by pixel: those that have a whisker there
    for (const Rect& line : ink.lines) {
      if (line.w > 3 && line.h <= 2) rows[static_cast<int>(std::lround(line.y))] = 0;
    }
    EXPECT_GE(rows.size(), 12u) << wide;
    std::map<int, std::size_t> ends;  // by pixel: how many texts end there
    for (const auto& [y, none] : rows) {
      for (const auto& text : texts_of(ink, {0, static_cast<float>(y) - 6, wide, 12}))
        ++ends[static_cast<int>(std::lround(text[1]))];
    }
    const auto columns =
        std::count_if(ends.begin(), ends.end(), [&](const auto& e) { return e.second == rows.size(); });
    EXPECT_GE(columns, 3) << wide << ": the times of three workloads";
  }
}

// The ring of the keyboard, and cells of the table of maps that have no ratio.

class FocusRing : public PanelFixture {};

/// It covered the first pixels of letters that begin at the edge of their item.
TEST_F(FocusRing, LeavesTheLettersOfItsItemClear) {
  int turns = 0;
  ImRect item;
  const auto drawn = [&] {
    ImGui::NewFrame();
    turn_focus(std::exchange(turns, 0));
    ImGui::SetNextWindowPos({100, 100});
    ImGui::SetNextWindowSize({200, 100});
    ImGui::Begin("left", nullptr, ImGuiWindowFlags_NoDecoration);
    invisible_button("word", {60, 20});
    item = {ImGui::GetItemRectMin(), ImGui::GetItemRectMax()};
    ImGui::End();
    draw_focus(1);
    std::vector<ImVec2> places;
    for (const ImDrawVert& v : ImGui::GetForegroundDrawList()->VtxBuffer) places.push_back(v.pos);
    ImGui::Render();
    return places;
  };
  claim_navigation_keys();
  drawn(), turns = 1, drawn(), drawn();
  const std::vector<ImVec2> ring = drawn();
  ASSERT_FALSE(ring.empty());
  for (const ImVec2& p : ring) {
    EXPECT_FALSE(p.x > item.Min.x && p.x < item.Max.x && p.y > item.Min.y && p.y < item.Max.y) << p.x << ", " << p.y;
    EXPECT_TRUE(p.x > item.Min.x - 5 && p.x < item.Max.x + 5) << p.x;
  }
}

/// The cell "over bb" was empty, and nothing said why.
TEST_F(FocusRing, ARowWithoutARatioSaysWhy) {
  auto& rows = model.pair_maps;
  const auto cell = [&](std::size_t k) { return no_gain(model, k, rows, figures_of(rows)[k]).cell; };
  MapsPlace place{1, 32, false};
  const auto text = [&] {
    return frame([&] { maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); });
  };
  EXPECT_EQ(cell(0), "") << "the baseline";
  EXPECT_EQ(cell(1), "not timed yet");
  EXPECT_NE(text().find("not timed yet"), std::string::npos) << text();
  rows[1].force.add(1);
  EXPECT_EQ(cell(1), "no turn yet") << "its time stands beside it";
  rows[1].turns.add(2, 1);
  EXPECT_EQ(cell(1), "too few turns");
  EXPECT_NE(no_gain(model, 1, rows, figures_of(rows)[1]).whole.find("1 turn "), std::string::npos);
  for (int k = 0; k < 20; ++k) rows[1].turns.add(2 + 0.01 * k, 1);
  EXPECT_EQ(cell(1), "");
  rows[2].failed = 3;
  EXPECT_EQ(cell(2), "not timed");
  model.scene.field.pair = PairLaw::contact, model.scene.field.contact.impulse = true;
  EXPECT_EQ(cell(3), "not timed");
  rows[4].reason = "--map mine is wrong at m = 9 tiles a side: (0, 0) is missed.";
  EXPECT_NE(text().find("wrong map"), std::string::npos) << text();
}

TEST(PagePlace, CoversTheWholeSceneWhereItHasRoom) {
  GuiState state;
  const auto at = [&](float width, float height) {
    return page_place(state, layout(width, height, 1, {.panels = true, .pane = state.panes.shown}));
  };
  const auto hides = [&](float width, float height) {
    const Layout places = layout(width, height, 1, {.panels = true, .pane = state.panes.shown});
    const auto page = page_place(state, places);
    return page && page->x <= places.scene.x && page->y <= places.scene.y &&
           page->x + page->w >= places.scene.x + places.scene.w && page->y + page->h >= places.scene.y + places.scene.h;
  };
  EXPECT_FALSE(at(1280, 720)) << "there is no page";
  for (bool* const shown : {&state.page.shown, &state.puzzle.shown, &state.race.shown}) {
    *shown = true;
    EXPECT_TRUE(hides(1280, 720));
    EXPECT_TRUE(hides(800, 600));
    EXPECT_FALSE(at(230, 230)) << "no room: the scene is drawn";
    state.panes.shown = true;
    EXPECT_TRUE(hides(1280, 720)) << "and the pane";
    state.panes.shown = false;
    state.panels.presents = true;
    EXPECT_FALSE(at(1280, 720)) << "the scene alone";
    state.panels.presents = *shown = false;
  }
  state.race.shown = true;
  EXPECT_EQ(at(1280, 720)->x + at(1280, 720)->w, 1280) << "the race has the place of the maps, too";
}

// The page of a map, and that which says why bb starts more blocks.

class MapPages : public PanelFixture {
 protected:
  MapsPlace place{1, 32, false};
};

TEST_F(MapPages, EveryMapHasAPage) {
  const auto page = [this] {
    return frame([this] { map_page(model, state.page, state.race, {0, 0, 1380, 1000}, 0, 1, requests); });
  };
  for (const Domain domain : {Domain::triangle, Domain::tetrahedron}) {
    const auto maps = domain == Domain::triangle ? triangle_maps() : tetra_maps();
    for (u32 k = 0; k < maps.size(); ++k) {
      state.page.domain = domain, state.page.map = k;
      const std::string text = page();
      for (const char* part : {maps[k].name, maps[k].source, maps[k].formula}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
      }
      EXPECT_EQ(text.find("first wrong tile") != std::string::npos, maps[k].historical) << maps[k].name;
      EXPECT_EQ(text.find("The tests walk every position at each side up to") != std::string::npos,
                !maps[k].historical);
      EXPECT_EQ(text.find("every side up to there"), std::string::npos) << "nobody walks 2^31 tiles a side";
    }
  }
  state.page.map = 99;
  page();
  EXPECT_LT(state.page.map, kTetraMapCount) << "another domain has fewer";
}

TEST_F(MapPages, APageNamesThePaperAndWhereTheSceneIs) {
  const auto page = [this](TriangleMapId map) {
    state.page.map = static_cast<u32>(map);
    return frame([this] { map_page(model, state.page, state.race, {0, 0, 1380, 900}, 0, 1, requests); });
  };
  const std::string lambda = page(TriangleMapId::lambda);
  EXPECT_NE(lambda.find("2014: GPU Maps for the Space of Computation in Triangular Domain Problems"),
            std::string::npos);
  EXPECT_NE(lambda.find("LTM III-A"), std::string::npos) << "the equation";
  EXPECT_NE(lambda.find("now: 16 tiles |"), std::string::npos) << "1000 bodies in blocks of 64";
  EXPECT_NE(lambda.find("Without the repair, as lambda-x has it, 4,608 tiles a side go wrong here: | "),
            std::string::npos)
      << "what the repair is for, where the card has room: " << lambda;
  EXPECT_NE(lambda.find("row 4,607, column 4,607 is missed"), std::string::npos) << lambda;
  EXPECT_NE(page(TriangleMapId::rb).find("now: 1,000 tiles"), std::string::npos) << "of threads";
  model.pair_maps.clear(), state.page.domain = Domain::triangle;
  EXPECT_EQ(page(TriangleMapId::lambda).find("now:"), std::string::npos) << "the scene has no pairs";
}

TEST_F(MapPages, ThePointerShowsWhereABlockGoesOnItsPage) {
  const auto page = [this] { map_page(model, state.page, state.race, {0, 0, 1000, 900}, 0, 1, requests); };
  state.page.map = static_cast<u32>(TriangleMapId::lambda);
  std::string all = frame(page);
  EXPECT_NE(all.find("block \u03c9 = 77: row 11, column 11"), std::string::npos) << "the last one: " << all;
  EXPECT_EQ(all.find("block \u03c9 = 30"), std::string::npos);
  for (float y = 100; y < 500; y += 12) {
    for (float x = 30; x < 500; x += 12) {
      ImGui::GetIO().MousePos = {x, y};
      all += frame(page);
    }
  }
  EXPECT_NE(all.find("block \u03c9 = 30: row 7, column 2"), std::string::npos);
}

TEST_F(MapPages, WhyShowsBothMapsAndWhatIdleBlocksCostHere) {
  const auto column = [this] { maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); };
  const auto page = [this] { return frame([this] { why_page(model, state.page, {0, 0, 1000, 700}, 0, 1); }); };
  press({"###why"}, column);
  ASSERT_TRUE(state.page.shown && state.page.why && state.page.sweeps);
  auto& rows = model.pair_maps;
  rows[0].blocks = {256, 136}, rows[1].blocks = {136, 136};
  const auto has = [&](const char* part) {
    const std::string text = page();
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  };
  has("0 launched, 0 useful, 0 idle");
  has("Maps are timed while the scene runs: 0 turns of lambda");
  state.page.launched = 1;
  has("256 launched, 136 useful, 120 idle");
  has("16 tiles a side, as in the scene");
  for (int k = 0; k < 12; ++k) rows[1].turns.add(2 + 0.001 * (k % 3), 2 - 0.001 * (k % 2));
  has("only tiles on and below the diagonal have work");
  has("An idle block is free here: lambda and bb take as long as each other, as far as their times tell (1.00 \u00d7, "
      "1.00 to 1.00); on an NVIDIA H200, measured with 65,536 bodies, lambda-stream is 9.09 \u00d7 over bb with an "
      "empty kernel, lambda "
      "2.00 \u00d7.");
  has("of 2,001 \u00b5s an evaluation here");
  // Times far apart are no proof while the interval holds 1, and the sentence follows from the figures above it.
  rows[1].turns.clear();
  for (int k = 0; k < 12; ++k) rows[1].turns.add(13.5, k % 3 == 0 ? 15 : 10.8);
  has("On this machine lambda and bb take as long as each other, as far as their times tell (1.25 \u00d7, 0.90 to "
      "1.25); an idle block costs 22 \u00b5s at most; on an");
  has("of 10,800 \u00b5s an evaluation here | 10,800 \u00b5s to 15,000 \u00b5s | ");
  EXPECT_EQ(page().find("is free here"), std::string::npos);
  rows[1].turns.clear();
  for (int k = 0; k < 12; ++k) rows[1].turns.add(3, 2);
  has("An idle block costs 8.3 \u00b5s here: the 120 more of bb take 1,000 \u00b5s, and lambda is 1.50 \u00d7 over it, "
      "1.50 to 1.50");
  model.backend.name = "cuda";
  EXPECT_EQ(page().find("H200"), std::string::npos) << "this is a GPU";
  rows[1].turns.clear();
  for (int k = 0; k < 12; ++k) rows[1].turns.add(2, 3);
  has("Idle blocks are not what decides here: lambda is 0.67 \u00d7 over bb");
  model.asked.pair_map = TriangleMapId::bb;
  has("| lambda |");
  model = test::triples_model();
  state.page.domain = Domain::tetrahedron;
  has("tetra");
  on_key({GLFW_KEY_ESCAPE}, model, state, requests);
  EXPECT_FALSE(state.page.shown);
  on_key({GLFW_KEY_I, false, true}, model, state, requests);
  EXPECT_TRUE(state.page.shown && state.page.why);
}

}  // namespace
}  // namespace tri::app::gui
