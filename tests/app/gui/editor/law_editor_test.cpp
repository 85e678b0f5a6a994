// The editor of typed laws: what can be used, what cannot and why, and its examples.

#include "app/gui/editor/law_editor.hpp"

#include <gtest/gtest.h>

#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

using test::only;

class LawEditorPanel : public PanelFixture {
 protected:
  std::string draw() {
    return frame([this] { editor::law_editor(model, state.law_editor, 1, requests); });
  }
  LawEditor& editor_state() { return state.law_editor; }
};

TEST_F(LawEditorPanel, UsesTheLawThatWasTyped) {
  const auto panel = [this] { editor::law_editor(model, state.law_editor, 1, requests); };
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
  const auto panel = [this] { editor::law_editor(model, state.law_editor, 1, requests); };
  editor_state().text = "energy = 4*epps/r\neps = 1";
  const std::string text = draw();
  EXPECT_NE(text.find("epps"), std::string::npos);
  EXPECT_EQ(text.find("Use this law"), std::string::npos);
  press({"###use"}, panel);
  EXPECT_TRUE(requests.empty());
}

TEST_F(LawEditorPanel, EveryExampleIsALaw) {
  for (const auto over : {expression::Over::pairs, expression::Over::triples}) {
    const std::span<const editor::Example> all = editor::examples(over);
    ASSERT_GE(all.size(), 2u);
    for (const editor::Example& e : all) {
      editor_state().over = over, editor_state().text = e.text;
      EXPECT_NE(draw().find("Use this law"), std::string::npos) << e.name << ": " << editor_state().sketch.error;
      EXPECT_FALSE(editor_state().curves.r.empty()) << e.name;
    }
  }
}

TEST_F(LawEditorPanel, ATripleLawIsAddedBesideThatOfPairs) {
  const auto panel = [this] { editor::law_editor(model, state.law_editor, 1, requests); };
  editor_state().over = expression::Over::triples;
  editor_state().text = editor::examples(expression::Over::triples)[1].text;
  press({"###use"}, panel);
  const auto* asked = only<ask::Field>(requests);
  ASSERT_NE(asked, nullptr);
  EXPECT_EQ(asked->field.triple, TripleLaw::typed);
  EXPECT_EQ(asked->field.pair, model.scene.field.pair);
}

}  // namespace
}  // namespace tri::app::gui
