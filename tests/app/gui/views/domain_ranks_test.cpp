// The domain view of several ranks: every tile has the colour of the rank that computes it.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/look/rank_ink.hpp"
#include "app/gui/views/domain_paint.hpp"
#include "app/gui/views/domain_view.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

class DomainOfRanks : public PanelFixture {
 protected:
  std::string draw() {
    return frame([this] { view.draw(model, PaneContext{state.view, true, 1, 0.02f}, {0, 40, 520, 700}); });
  }
  /// Squares of this colour in the last frame.
  static std::size_t squares(ImU32 colour) {
    std::size_t corners = 0;
    for (const ImDrawVert& v : ImGui::FindWindowByName("test")->DrawList->VtxBuffer) corners += v.col == colour;
    return corners / 4;
  }

  DomainChoice choice;
  DomainView view{choice};
};

TEST_F(DomainOfRanks, ColoursAreThoseOfTheOwners) {
  const u64 whole = RankShare::kWhole;
  for (const RankShares& shares : {RankShares{2}, RankShares{3}, RankShares{3, {0, whole / 8, whole / 2, whole}}}) {
    for (const TriangleMapId map : {TriangleMapId::bb, TriangleMapId::lambda, TriangleMapId::lambda_stream}) {
      model.pair_shares = shares;
      model.asked.pair_map = map;
      const std::string text = draw();
      const MapTrace trace = trace_map(map, choice.side, trace_workers(shares.ranks));
      const std::vector<u32> of = owners(trace, shares);
      for (u32 r = 0; r < shares.ranks; ++r) {
        std::size_t blocks = 0, tiles = 0;
        for (u32 k = 0; k < of.size(); ++k) {
          if (of[k] == r) blocks += trace.cells[k].count > 0, tiles += trace.cells[k].count;
        }
        EXPECT_GT(tiles, 0U);
        EXPECT_EQ(squares(rank_colour(r)), blocks + tiles + 1) << "rank " << r << " and the legend";
        EXPECT_NE(text.find(std::to_string(r) + ": " + std::to_string(tiles)), std::string::npos) << text;
      }
    }
  }
}

TEST_F(DomainOfRanks, OneRankAndAWishShowOmega) {
  draw();
  EXPECT_EQ(squares(rank_colour(1)), 0U);
  model.pair_shares = {2};
  draw();
  EXPECT_GT(squares(rank_colour(1)), 0U);
  choice.by_rank = false;
  EXPECT_EQ(draw().find("1: "), std::string::npos) << "no legend";
  EXPECT_EQ(squares(rank_colour(1)), 0U);
  EXPECT_GT(squares(omega_colour(3, 78)), 0U);
}

TEST_F(DomainOfRanks, NoMapOfAnotherDomainIsShared) {
  model.pair_shares = model.triple_shares = {2};
  for (const Domain other : {Domain::tetrahedron, Domain::gasket}) {
    choice.domain = other;
    EXPECT_EQ(draw().find("by rank"), std::string::npos);
  }
}

}  // namespace
}  // namespace tri::app::gui
