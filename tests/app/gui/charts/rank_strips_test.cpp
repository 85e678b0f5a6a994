// The strips of ranks: shares and times of each, on one scale; nothing where one is alone.

#include "app/gui/charts/rank_strips.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/look/rank_ink.hpp"
#include "app/gui/panel/panels.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

class RankStrips : public PanelFixture {
 protected:
  void share(const std::vector<u64>& marks, u32 ranks, const std::vector<double>& ms) {
    model.pair_shares = {ranks, marks};
    model.backend.ranks = ranks;
    model.backend.rank_names.clear(), model.rank_ms.clear();
    for (u32 r = 0; r < ranks; ++r) model.backend.rank_names.push_back("GPU " + std::to_string(r));
    for (const double each : ms) model.rank_ms.emplace_back().add(each);
  }
  std::string text() {
    return frame([this] { charts::rank_strips(model, 1); });
  }
  /// From the left to the right end of all that was drawn in this colour in the last frame.
  static float width_of(ImU32 colour) {
    float low = 1e9f, high = -1e9f;
    for (const ImDrawVert& v : ImGui::FindWindowByName("test")->DrawList->VtxBuffer) {
      if (v.col == colour) low = std::min(low, v.pos.x), high = std::max(high, v.pos.x);
    }
    return high - low;
  }
};

TEST_F(RankStrips, OfOneRankThereIsNone) {
  EXPECT_EQ(text().find("rank"), std::string::npos);
  const std::string timing = frame([this] { panel::timing(model, state.frames, 1); });
  EXPECT_EQ(timing.find("ranks"), std::string::npos);
}

TEST_F(RankStrips, SayWhoIsSlowest) {
  share({}, 2, {1.5, 1.0});
  const std::string said = text();
  EXPECT_NE(said.find("2 ranks"), std::string::npos) << said;
  EXPECT_NE(said.find("0 GPU 0 50.0 % 1.50 ms"), std::string::npos) << said;
  EXPECT_NE(said.find("1 GPU 1 50.0 % 1.00 ms"), std::string::npos) << said;
  EXPECT_NE(said.find("Rank 0 is the slowest: 1.20 \u00d7 the mean"), std::string::npos) << said;
  EXPECT_NEAR(width_of(rank_colour(1)) / width_of(rank_colour(0)), 1.0 / 1.5, 0.02) << "one scale, from 0";
  EXPECT_NE(frame([this] { panel::timing(model, state.frames, 1); }).find("2 ranks"), std::string::npos);
}

TEST_F(RankStrips, HaveTheSharesOfRanges) {
  const u64 whole = RankShare::kWhole;
  share({0, whole / 4, whole / 2, whole}, 3, {});
  const std::string said = text();
  EXPECT_NE(said.find("1 GPU 1 25.0 %"), std::string::npos) << said;
  EXPECT_NE(said.find("2 GPU 2 50.0 %"), std::string::npos) << said;
  model.rank_parts = {0.5, 0.3, 0.2};
  EXPECT_NE(text().find("1 GPU 1 30.0 %"), std::string::npos) << "those that were timed, not those to come";
  EXPECT_NE(said.find("Not measured yet"), std::string::npos) << said;
}

TEST_F(RankStrips, SayWhatDevicesDoNotMeasure) {
  share({}, 2, {});
  model.backend.name = "cuda";
  EXPECT_NE(text().find("Not measured yet"), std::string::npos);
  model.scene.field.pair = PairLaw::contact;
  EXPECT_NE(text().find("Devices do not measure impulses, few contacts"), std::string::npos);
  model.engine.broad_phase = BroadPhase::grid;
  EXPECT_NE(text().find("Not measured yet"), std::string::npos) << "springs through the grid are shared";
  model.scene.field.contact.impulse = true;
  EXPECT_NE(text().find("Devices do not measure impulses"), std::string::npos);
  model.backend.name = "cpu";
  EXPECT_NE(text().find("Not measured yet"), std::string::npos);
}

TEST_F(RankStrips, OfManyRanksTheFirstAndTheRangeOfTheOthers) {
  std::vector<double> ms(40, 2.0);
  ms[30] = 1.0, ms[35] = 3.0;
  share({}, 40, ms);
  const std::string said = text();
  EXPECT_NE(said.find("15 GPU 15 2.5 %"), std::string::npos) << said;
  EXPECT_EQ(said.find("16 GPU 16"), std::string::npos) << said;
  EXPECT_NE(said.find("and 24 more, 1.00 ms to 3.00 ms"), std::string::npos) << said;
  EXPECT_NE(said.find("Rank 35 is the slowest"), std::string::npos) << said;
}

}  // namespace
}  // namespace tri::app::gui
