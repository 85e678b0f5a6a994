// What a presentation says of the map in use.

#include "app/gui/start/presented_map.hpp"

#include <gtest/gtest.h>

#include "tests/app/gui/gui_models.hpp"

namespace tri::app::gui::start {
namespace {

TEST(PresentedMap, HasItsImprovementOnceThatIsDecided) {
  SessionModel model = test::gravity_model();
  MapRow& lambda = model.pair_maps[static_cast<std::size_t>(TriangleMapId::lambda)];
  EXPECT_EQ(map_in_words(model), "lambda");
  lambda.turns.add(3, 2);
  EXPECT_EQ(map_in_words(model), "lambda") << "one turn decides nothing";
  for (int k = 0; k < 40; ++k) lambda.turns.add(3 + 0.001 * (k % 3), 2);
  EXPECT_EQ(map_in_words(model), "lambda, 1.50 \u00d7 over bb");
  lambda.turns.clear();
  for (int k = 0; k < 40; ++k) lambda.turns.add(k % 2 == 0 ? 2 : 3, k % 2 == 0 ? 3 : 2);
  EXPECT_EQ(map_in_words(model), "lambda, no difference to bb");
  model.asked.pair_map = TriangleMapId::bb;
  EXPECT_EQ(map_in_words(model), "bb, the baseline");
  model.pair_maps.clear();
  EXPECT_EQ(map_in_words(model), "");
}

}  // namespace
}  // namespace tri::app::gui::start
