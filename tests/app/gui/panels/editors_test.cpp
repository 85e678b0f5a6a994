// The editors of laws and maps: what can be used, what cannot and why, examples, and texts that come back.

#include "app/gui/base/widgets.hpp"
#include "app/gui/panels/panels.hpp"
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

TEST_F(LawEditorPanel, EveryExampleIsALaw) {
  for (const auto over : {expression::Over::pairs, expression::Over::triples}) {
    const std::span<const Example> all = examples(over);
    ASSERT_GE(all.size(), 2u);
    for (const Example& e : all) {
      editor_state().over = over, editor_state().text = e.text;
      EXPECT_NE(draw().find("Use this law"), std::string::npos) << e.name << ": " << editor_state().sketch.error;
      EXPECT_FALSE(editor_state().curves.r.empty()) << e.name;
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

}  // namespace
}  // namespace tri::app::gui
