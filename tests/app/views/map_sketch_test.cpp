// What the editor of maps shows: who meets each tile, at sides that are right and wrong.

#include "app/views/map_sketch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tri::app {
namespace {

constexpr const char* kLambda = R"(name = "sketched"
domain = "pairs"
launch = ["m*(m + 1)/2"]
tile = """
  row = (isqrt(8*w + 1) - 1)/2
  col = w - row*(row + 1)/2
"""
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kLambda;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST(MapSketch, EveryTileOfAGoodMapIsMetOnceInOrder) {
  const MapSketch sketch = sketch_map(kLambda, 9);
  ASSERT_EQ(sketch.error, "");
  EXPECT_TRUE(sketch.proof.passed());
  ASSERT_EQ(sketch.tiles.size(), 45u);
  for (std::size_t k = 0; k < sketch.tiles.size(); ++k) {
    EXPECT_EQ(sketch.tiles[k].times, 1u);
    EXPECT_EQ(sketch.tiles[k].omega, k) << "row by row";
  }
}

TEST(MapSketch, MissedTilesAndThoseMetAgainAreMarked) {
  const MapSketch sketch = sketch_map(with("col = w - row*(row + 1)/2", "col = 0"), 4);
  ASSERT_EQ(sketch.error, "");
  EXPECT_FALSE(sketch.proof.passed());
  for (const SketchTile& t : sketch.tiles) EXPECT_EQ(t.times, t.col == 0 ? t.row + 1 : 0) << t.row << " " << t.col;
}

TEST(MapSketch, TilesOutsideAreLeftToTheProof) {
  const MapSketch sketch = sketch_map(with("col = w - row*(row + 1)/2", "col = w - row*(row + 1)/2 + 1"), 5);
  ASSERT_EQ(sketch.error, "");
  EXPECT_EQ(sketch.proof.outside, 5u);
  EXPECT_EQ(std::count_if(sketch.tiles.begin(), sketch.tiles.end(), [](const SketchTile& t) { return t.times == 0; }),
            5);
}

TEST(MapSketch, ATextThatIsNoMapSaysWhy) {
  for (const std::string& text :
       {std::string(), std::string("name = 3"), with("isqrt", "isqart"), with("pairs", "quads")}) {
    const MapSketch sketch = sketch_map(text, 8);
    EXPECT_EQ(sketch.map, nullptr) << text;
    EXPECT_NE(sketch.error, "");
    EXPECT_TRUE(sketch.tiles.empty());
  }
}

TEST(MapSketch, ALargeSideIsShownAsTheLargestThatIsDrawn) {
  EXPECT_EQ(sketch_map(kLambda, 1u << 20).proof.side, most_sketched(Domain::triangle));
}

}  // namespace
}  // namespace tri::app
