// The palette: what it finds, and that Enter carries it out.

#include "app/gui/panel/palette.hpp"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <string>

#include "app/gui/panel/panel_table.hpp"
#include "sim/scene/scene.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

using test::only;

class Palette : public PanelFixture {
 protected:
  std::vector<panel::PaletteEntry> entries = panel::palette_entries(model);

  /// The text of the first entry found; empty without one.
  std::string first(const std::string& text) {
    const auto found = panel::palette_matches(entries, text);
    return found.empty() ? "" : entries[found.front()].text;
  }
};

TEST_F(Palette, HasEveryActionMapSceneAndPanel) {
  std::size_t expected = list_scenes().size() + panel::panel_rows().size();
  for (const Action& action : actions()) expected += action.act != nullptr;
  for (const MapRow& map : model.pair_maps) {
    expected += map.fits();
    EXPECT_EQ(first("use map " + map.name) == "use map " + map.name, map.fits()) << map.name;
  }
  EXPECT_GT(entries.size(), expected) << "and demonstrations and bottom panes";
  for (const SceneInfo& scene : list_scenes()) EXPECT_NE(first(scene.name).find(scene.name), std::string::npos);
}

TEST_F(Palette, FindsAllWordsInAnyOrderAndCase) {
  EXPECT_EQ(first("FOLD map"), "use map fold");
  EXPECT_EQ(first("map lambda"), "use map lambda") << "before lambda-x";
  EXPECT_EQ(first("screensh"), "screenshot");
  EXPECT_EQ(first("fold xyzzy"), "");
  EXPECT_EQ(panel::palette_matches(entries, "").size(), entries.size());
  EXPECT_EQ(panel::palette_matches(entries, "  ").size(), entries.size());
}

TEST_F(Palette, EnterCarriesOutTheEntryAndClosesIt) {
  const auto draw = [this] { panel::palette(model, state, {0, 0, 800, 600}, requests); };
  state.palette.show();
  frame(draw);
  state.palette.text = "use map fold", state.palette.at = 0;
  frame(draw);
  EXPECT_TRUE(requests.empty());
  state.palette.accepted = true;
  frame(draw);
  ASSERT_TRUE(only<ask::PairMap>(requests));
  EXPECT_EQ(only<ask::PairMap>(requests)->map, TriangleMapId::fold);
  EXPECT_FALSE(state.palette.shown || state.palette.accepted);
}

TEST_F(Palette, NothingFoundDoesNothing) {
  const auto draw = [this] { panel::palette(model, state, {0, 0, 800, 600}, requests); };
  state.palette.show();
  state.palette.text = "xyzzy", state.palette.accepted = true;
  frame(draw);
  EXPECT_TRUE(requests.empty());
  EXPECT_TRUE(state.palette.shown);
}

TEST_F(Palette, EveryEntryRunsWithoutASimulation) {
  for (const panel::PaletteEntry& entry : entries) entry.act({model, state, requests});
  EXPECT_TRUE(state.palette.shown) << "one of them is the palette itself";
}

}  // namespace
}  // namespace tri::app::gui
