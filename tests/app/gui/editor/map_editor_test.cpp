// The editor of maps: what is proved is added, what is not says so.

#include "app/gui/editor/map_editor.hpp"

#include <gtest/gtest.h>

#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

using test::only;

class MapEditorPanel : public PanelFixture {
 protected:
  std::string draw() {
    return frame([this] { editor::map_editor(model, state.map_editor, 1, requests); });
  }
};

TEST_F(MapEditorPanel, AMapThatIsProvedIsAdded) {
  const auto panel = [this] { editor::map_editor(model, state.map_editor, 1, requests); };
  state.map_editor.side = 7;
  EXPECT_NE(draw().find("Proved for m = 7: 28 tiles"), std::string::npos);
  press({"###add"}, panel);
  const auto* asked = only<ask::AddMap>(requests);
  ASSERT_NE(asked, nullptr);
  EXPECT_STREQ(asked->map->info().name, "mine");
}

TEST_F(MapEditorPanel, AMapThatMissesATileSaysSoAndCannotBeAdded) {
  const auto panel = [this] { editor::map_editor(model, state.map_editor, 1, requests); };
  std::string& text = state.map_editor.text;
  text.replace(text.find("\"mine\""), 6, "\"wrong\"");
  text.replace(text.find("col = w"), 7, "col = 0*w");
  const std::string shown = draw();
  EXPECT_NE(shown.find("At m = 16"), std::string::npos) << shown;
  press({"###add"}, panel);
  EXPECT_TRUE(requests.empty());
}

TEST_F(MapEditorPanel, AnErrorOfTheTextIsShownWithItsPlace) {
  std::string& text = state.map_editor.text;
  text.replace(text.find("isqrt"), 5, "isqart");
  const std::string shown = draw();
  EXPECT_NE(shown.find("isqart"), std::string::npos);
  EXPECT_EQ(shown.find("Proved"), std::string::npos);
}

}  // namespace
}  // namespace tri::app::gui
