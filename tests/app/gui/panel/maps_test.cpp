// The column of maps: rows, sorting, figures, and the two maps launched at one speed.

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "app/gui/panel/panels.hpp"
#include "app/gui/views/map_page.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

using test::only;

class Maps : public PanelFixture {
 protected:
  panel::MapsPlace place{1, 32, false};
};

TEST_F(Maps, EveryMapHasARowThatRequestsIt) {
  const auto draw = [this] {
    panel::maps(model, place, state.panels.sort, state.split, state.page, state.race, requests);
  };
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    press({"pairs", model.pair_maps[id].name.c_str()}, draw);
    if (static_cast<TriangleMapId>(id) == TriangleMapId::utm) {
      EXPECT_TRUE(requests.empty()) << "it does not fit";
      continue;
    }
    ASSERT_TRUE(only<ask::PairMap>(requests)) << model.pair_maps[id].name;
    EXPECT_EQ(static_cast<u32>(only<ask::PairMap>(requests)->map), id);
  }
}

TEST_F(Maps, AMapThatDoesNotFitSaysWhyInItsRow) {
  const auto text = [this] {
    return frame(
        [this] { panel::maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); });
  };
  EXPECT_NE(text().find("beyond its limit"), std::string::npos) << text();
  model.pair_maps[static_cast<u32>(TriangleMapId::utm)].reason = "--map utm gives pairs to threads, not tiles.";
  EXPECT_NE(text().find("not for forces: maps threads, not tiles"), std::string::npos) << text();
  model.pair_maps[static_cast<u32>(TriangleMapId::lambda_lut)].reason = "--map lambda-lut needs a table of 9 MiB";
  EXPECT_NE(text().find("its table does not fit"), std::string::npos) << text();
}

TEST_F(Maps, RowsAreSortedByTheHeadThatIsPressed) {
  auto& maps = model.pair_maps;
  maps[0].force.add(3), maps[1].force.add(2), maps[2].force.add(1);
  maps[0].blocks = {100, 55}, maps[1].blocks = {55, 55}, maps[2].blocks = {60, 55};
  const auto draw = [this] {
    panel::maps(model, place, state.panels.sort, state.split, state.page, state.race, requests);
  };
  const auto order = [&] {
    const std::string text = frame(draw);
    return std::array{text.find("| bb |"), text.find("| lambda |"), text.find("| lambda-x |")};
  };
  auto at = order();
  EXPECT_TRUE(at[0] < at[1] && at[1] < at[2]) << "in the order of the keys";
  press({"time a step"}, draw);
  at = order();
  EXPECT_TRUE(at[2] < at[1] && at[1] < at[0]) << "the fastest first";
  press({"blocks"}, draw);
  at = order();
  EXPECT_TRUE(at[1] < at[2] && at[2] < at[0]) << "the fewest idle blocks first";
  press({"map"}, draw);
  EXPECT_EQ(state.panels.sort, MapSort::key);
}

TEST_F(Maps, ImprovementsAreThoseOfTurnsAndTimesBelongToThem) {
  const auto text = [this] {
    return frame(
        [this] { panel::maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); });
  };
  auto& maps = model.pair_maps;
  for (int k = 0; k < 5; ++k) {
    if (k == 4) {
      EXPECT_EQ(text().find("2.00 \u00d7"), std::string::npos) << "too few";
    }
    const double now = 1 + k;  // the machine becomes slower
    maps[0].force.add(8.0), maps[1].force.add(4.0);
    maps[1].turns.add(2 * now, now);
    maps[2].force.add(1000.0), maps[2].turns.add(now, 125 * now);
    maps[3].force.add(30.7), maps[3].turns.add(k % 2 == 0 ? now : 1.2 * now, k % 2 == 0 ? 1.2 * now : now);
    maps[4].force.add(77.0);
  }
  const std::string shown = text();
  // bb, without turns, has its steps; lambda and lambda-x the middle turn; lambda-n no difference; lambda-r no ratio.
  for (const char* part : {"8.00 ms", "3.00 ms", "2.00 \u00d7", "375 ms", "0.008 \u00d7", "no difference", "77.0 ms"}) {
    EXPECT_NE(shown.find(part), std::string::npos) << part << " in " << shown;
  }
  for (const char* part : {"4.00 ms", "1.00 s", "0.26 \u00d7", "0.10 \u00d7"}) {
    EXPECT_EQ(shown.find(part), std::string::npos) << part << " in " << shown;
  }
}

TEST_F(Maps, TriplesHaveTheirOwnRows) {
  model = test::triples_model();
  press({"triples", "tetra-stream"},
        [this] { panel::maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); });
  ASSERT_TRUE(only<ask::TripleMap>(requests));
  EXPECT_EQ(only<ask::TripleMap>(requests)->map, TetraMapId::tetra_stream);
}

TEST_F(Maps, WhileAPageIsOpenAClickTurnsIt) {
  const auto draw = [this] {
    panel::maps(model, place, state.panels.sort, state.split, state.page, state.race, requests);
  };
  state.page.shown = true;
  press({"pairs", "h"}, draw);
  EXPECT_TRUE(requests.empty());
  EXPECT_EQ(state.page.map, static_cast<u32>(TriangleMapId::h));
}

TEST_F(Maps, EveryMapHasAPage) {
  const auto page = [this] {
    return frame([this] { map_page_items(model, state.page, state.race, {0, 0, 1380, 1000}, 0, 1, requests); });
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
    }
  }
  state.page.map = 99;
  page();
  EXPECT_LT(state.page.map, kTetraMapCount) << "another domain has fewer";
}

TEST_F(Maps, BothMapsAreLaunchedAtOneSpeed) {
  DomainChoice& choice = state.panes.domain;
  float seconds = 0;
  const auto draw = [&] { panel::blocks(model, choice, 300, seconds, 1, false); };
  EXPECT_NE(frame(draw).find("After 144 blocks: bb 78 useful, 66 idle; lambda 78 useful, 0 idle."), std::string::npos);
  press({"###sweep"}, draw);
  EXPECT_TRUE(choice.sweeps);
  choice.shown = 0;
  seconds = 2.5;  // of 24 blocks
  frame(draw);
  seconds = 0;
  const std::string text = frame(draw);
  EXPECT_NE(text.find("After 60 blocks: bb 15 useful, 45 idle; lambda 60 useful, 0 idle."), std::string::npos) << text;
}

}  // namespace
}  // namespace tri::app::gui
