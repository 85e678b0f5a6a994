// Panes: cells, distances, domains of maps.
//
// Cell views without a window: visible cells against a per-pixel search, means against plain sums, colours.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "app/gui/panels/cell_view.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/gui/panels/panes.hpp"
#include "tests/app/gui/base/gui_support.hpp"

namespace tri::app::gui {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

/// Every pixel's cell lies in the window, no row or column of texels lies outside the view, and texels are 1 to 2
/// pixels wide where cells are smaller than that.
void check_window(const Viewport2D& lens, u32 width, u32 height, u32 view_w, u32 view_h) {
  const CellWindow w = lens.window();
  ASSERT_EQ(w.step & (w.step - 1), 0u);
  ASSERT_EQ(w.col % w.step, 0u);
  ASSERT_EQ(w.row % w.step, 0u);
  ASSERT_GE(w.step * lens.pixels(), 1);
  if (w.step > 1) {
    ASSERT_LT(w.step * lens.pixels(), 2);
  }
  u32 seen = 0, low_col = ~0u, high_col = 0, low_row = ~0u, high_row = 0;
  for (u32 y = 0; y < view_h; ++y) {
    for (u32 x = 0; x < view_w; ++x) {
      const auto cell = lens.cell_at(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
      if (!cell) continue;
      ++seen;
      low_col = std::min(low_col, cell->col), high_col = std::max(high_col, cell->col);
      low_row = std::min(low_row, cell->row), high_row = std::max(high_row, cell->row);
    }
  }
  if (seen == 0) return;
  ASSERT_LE(w.col, low_col);
  ASSERT_LE(w.row, low_row);
  ASSERT_GT(w.col + w.cols * w.step, high_col);
  ASSERT_GT(w.row + w.rows * w.step, high_row);
  // At most one extra texel at each end, of which half a pixel may be visible.
  ASSERT_GE(w.col + 2 * w.step, low_col);
  ASSERT_LE(w.col + (w.cols - 1) * w.step, high_col + w.step);
  ASSERT_LT(w.col + (w.cols - 1) * w.step, width);
  ASSERT_LT(w.row + (w.rows - 1) * w.step, height);
}

TEST(Viewport2D, WindowContainsEveryVisibleCell) {
  std::mt19937 random(7);
  const auto up_to = [&](float most) { return std::uniform_real_distribution<float>(0, most)(random); };
  for (const auto& [width, height] : {std::pair{1u, 1u}, {7u, 3u}, {100u, 100u}, {16384u, 16384u}, {65535u, 2u}}) {
    Viewport2D lens;
    lens.set_array(width, height);
    lens.set_view(97, 61);
    check_window(lens, width, height, 97, 61);
    for (int k = 0; k < 60; ++k) {
      if (k % 3 == 0) lens.pan(up_to(80) - 40, up_to(80) - 40);
      if (k % 3 == 1) lens.zoom(0.3f + up_to(3), up_to(97), up_to(61));
      check_window(lens, width, height, 97, 61);
    }
  }
}

TEST(Viewport2D, FitShowsEverythingAndSurvivesAResize) {
  Viewport2D lens;
  lens.set_array(400, 100);
  lens.set_view(200, 200);
  EXPECT_DOUBLE_EQ(lens.pixels(), 0.5);
  EXPECT_EQ(lens.window(), (CellWindow{0, 0, 200, 50, 2}));
  const Rect r = lens.place(lens.window());
  EXPECT_EQ((std::array{r.x, r.y, r.w, r.h}), (std::array{0.0f, 75.0f, 200.0f, 50.0f}));
  EXPECT_FALSE(lens.cell_at(10, 74.9f)) << "above the array";
  EXPECT_EQ(lens.cell_at(199.9f, 124.9f), (Cell{399, 99}));
  lens.set_view(800, 800);
  EXPECT_DOUBLE_EQ(lens.pixels(), 2);
  lens.pan(-100, 0);
  lens.set_view(200, 200);
  EXPECT_DOUBLE_EQ(lens.pixels(), 2) << "who chose a place keeps it";
  lens.set_array(3, 3);
  EXPECT_EQ(lens.pixels(), 200.0 / 3) << "another array is seen as a whole";
  lens.set_view(2000, 2000);
  EXPECT_EQ(lens.pixels(), Viewport2D::kLargestCell);
}

TEST(Viewport2D, ZoomKeepsTheCellUnderThePointer) {
  Viewport2D lens;
  lens.set_array(16384, 16384);
  lens.set_view(640, 480);
  const auto before = lens.cell_at(400, 333);
  for (int k = 0; k < 40; ++k) lens.zoom(1.3f, 400, 333);
  ASSERT_TRUE(before);
  const auto after = lens.cell_at(400, 333);
  ASSERT_TRUE(after);
  EXPECT_NEAR(after->col, before->col, 18) << "half a pixel of the first view";
  EXPECT_NEAR(after->row, before->row, 18);
  EXPECT_EQ(lens.pixels(), Viewport2D::kLargestCell) << "and no larger";
  EXPECT_EQ(lens.window().step, 1u);
  for (int k = 0; k < 60; ++k) lens.zoom(0.7f, 400, 333);
  EXPECT_DOUBLE_EQ(lens.pixels(), 480.0 / 16384 / 2) << "no smaller than half the whole";
}

TEST(Viewport2D, CentreStaysInTheArray) {
  Viewport2D lens;
  lens.set_array(50, 20);
  lens.set_view(100, 100);
  lens.zoom(4, 50, 50);
  lens.pan(1e6f, -1e6f);
  EXPECT_EQ(lens.cell_at(50.5f, 49.5f), (Cell{0, 19}));
  EXPECT_FALSE(lens.cell_at(49, 49)) << "left of the array";
}

template <class T>
float plain_mean(const std::vector<T>& values, u32 width, std::optional<T> none, const CellWindow& w, u32 i, u32 j) {
  double sum = 0, count = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const u32 x = static_cast<u32>(k) % width, y = static_cast<u32>(k) / width;
    const bool inside = x >= w.col + i * w.step && x < w.col + (i + 1) * w.step && y >= w.row + j * w.step &&
                        y < w.row + (j + 1) * w.step;
    if (!inside || values[k] != values[k] || (none && values[k] == *none)) continue;
    sum += static_cast<double>(values[k]), ++count;
  }
  return count > 0 ? static_cast<float>(sum / count) : kNone;
}

template <class T, class Read>
void check_means(const std::vector<T>& values, u32 width, std::optional<T> none, const Read& read) {
  for (const CellWindow& w : {CellWindow{0, 0, 13, 11, 1},
                              {3, 5, 4, 2, 1},
                              {0, 0, 7, 6, 2},
                              {4, 4, 3, 2, 4},
                              {8, 8, 1, 1, 8},
                              {0, 0, 1, 1, 16}}) {
    std::vector<float> texels(std::size_t{w.cols} * w.rows, -1);
    read(w, texels);
    for (u32 k = 0; k < texels.size(); ++k) {
      const float want = plain_mean(values, width, none, w, k % w.cols, k / w.cols);
      ASSERT_EQ(std::isnan(want), std::isnan(texels[k]));
      if (!std::isnan(want)) {
        ASSERT_FLOAT_EQ(texels[k], want) << w.step << " " << k;
      }
    }
  }
}

TEST(CellSource, TexelsAreMeansOfTheirCells) {
  constexpr u32 kWidth = 13, kHeight = 11;
  std::vector<u8> bytes;
  std::vector<float> floats;
  for (u32 k = 0; k < kWidth * kHeight; ++k) {
    bytes.push_back(static_cast<u8>(k * 37 % 256));
    floats.push_back(k % 5 == 2 || (k / kWidth >= 8 && k % kWidth >= 8) ? kNone : 0.25f * static_cast<float>(k));
  }
  check_means<u8>(bytes, kWidth, std::nullopt,
                  [&](const CellWindow& w, auto& t) { mean_cells(bytes, kWidth, std::nullopt, w, t); });
  for (u8& b : bytes) b = b % 3;
  check_means<u8>(bytes, kWidth, u8{2}, [&](const CellWindow& w, auto& t) { mean_cells(bytes, kWidth, u8{2}, w, t); });
  check_means<float>(floats, kWidth, std::nullopt,
                     [&](const CellWindow& w, auto& t) { mean_cells(floats, kWidth, w, t); });
}

u32 rgba(u32 r, u32 g, u32 b) { return r | g << 8 | b << 16 | 255u << 24; }

TEST(CellSource, ValuesMapToColours) {
  const CellPaint index{{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, 0, 2, false, {0, 1, 0, 0.2f}};
  const std::vector<float> texels{0, 1, 2, 0.5f, 1.5f, -7, 9, kNone};
  std::vector<u32> colours(texels.size());
  paint_cells(texels, index, colours);
  EXPECT_EQ(colours, (std::vector<u32>{rgba(0, 0, 0), rgba(255, 0, 0), rgba(0, 0, 255), rgba(128, 0, 0),
                                       rgba(128, 0, 128), rgba(0, 0, 0), rgba(0, 0, 255), 255u << 8 | 51u << 24}));
  const CellPaint powers{{{0, 0, 0}, {0.8f, 0.8f, 0.8f}}, 1, 100, true, {}};
  const std::vector<float> numbers{1, 10, 100, 0, -1};
  colours.resize(numbers.size());
  paint_cells(numbers, powers, colours);
  EXPECT_EQ(colours,
            (std::vector<u32>{rgba(0, 0, 0), rgba(102, 102, 102), rgba(204, 204, 204), rgba(0, 0, 0), rgba(0, 0, 0)}));
  const CellPaint flat = cell_paint(render::ColourMap::viridis, 3, 3);
  const std::vector<float> same{3, 3};
  colours.resize(2);
  paint_cells(same, flat, colours);
  EXPECT_EQ(colours[0], colours[1]) << "one value alone is no division by zero";
}

/// Counts how often it is read.
struct Counted final : CellSource {
  u32 width() const override { return 4; }
  u32 height() const override { return 2; }
  u64 version() const override { return now; }
  void read(const CellWindow&, std::span<float> texels) const override {
    ++reads;
    std::fill(texels.begin(), texels.end(), static_cast<float>(now));
  }
  std::string describe(Cell) const override { return ""; }
  u64 now = 0;
  mutable int reads = 0;
};

TEST(CellPixels, AreRebuiltOnlyAfterAChange) {
  Counted source, other;
  CellPixels pixels;
  CellPaint paint{{{0, 0, 0}, {1, 1, 1}}, 0, 1, false, {}};
  const CellWindow all{0, 0, 4, 2, 1};
  EXPECT_TRUE(pixels.update(source, paint, all));
  EXPECT_EQ(pixels.rgba().size(), 8u);
  EXPECT_FALSE(pixels.update(source, paint, all));
  EXPECT_EQ(source.reads, 1);
  paint.high = 2;
  EXPECT_TRUE(pixels.update(source, paint, all));
  EXPECT_EQ(source.reads, 1) << "other colours of the same values";
  source.now = 2;
  EXPECT_TRUE(pixels.update(source, paint, all));
  EXPECT_EQ(pixels.rgba()[7], rgba(255, 255, 255));
  EXPECT_TRUE(pixels.update(source, paint, {0, 0, 2, 1, 1}));
  EXPECT_EQ(pixels.rgba().size(), 2u);
  EXPECT_TRUE(pixels.update(other, paint, {0, 0, 2, 1, 1}));
  EXPECT_EQ(coarseness({0, 0, 1, 1, 16}), "1:16, means");
  EXPECT_EQ(coarseness(all), "");
}

// Which bodies are in view, and in which order.

/// Looks from (0, 0, 10) to the origin; the picture is twice as wide as high.
render::Camera camera_above() {
  render::Camera camera;
  camera.pose.target = {0, 0, 0};
  camera.pose.yaw = 0, camera.pose.pitch = 0, camera.pose.distance = 10;
  return camera;
}

TEST(BodiesInView, AreThoseInsideTheViewport) {
  const render::Camera camera = camera_above();
  const glm::vec3 eye = camera.eye(), ahead = glm::normalize(camera.pose.target - eye);
  const float slope = std::tan(camera.field_of_view / 2);
  std::vector<Instance> bodies;
  for (u32 k = 0; k < 4000; ++k) {
    const auto at = [&](u32 by) { return 30 * std::sin(static_cast<float>(k * by)); };
    bodies.push_back({at(7), at(11), at(13), 0, 0, 0, 0, k});
  }
  const std::vector<u32> seen = bodies_in_view(bodies, camera, 2, 4000);
  std::vector<u32> plain;
  for (const Instance& b : bodies) {
    const glm::vec3 from_eye = glm::vec3(b.x, b.y, b.z) - eye;
    const float depth = glm::dot(from_eye, ahead);
    const glm::vec3 side = from_eye - depth * ahead;
    const glm::vec3 up(camera.view()[0][1], camera.view()[1][1], camera.view()[2][1]);
    const float high = glm::dot(side, up), wide = glm::length(side - high * up);
    if (depth > 0 && std::abs(high) <= slope * depth && wide <= 2 * slope * depth) plain.push_back(b.id);
  }
  EXPECT_GT(plain.size(), 100u);
  EXPECT_EQ(seen, plain);
  const std::vector<u32> some = bodies_in_view(bodies, camera, 2, 50);
  ASSERT_EQ(some.size(), 50u);
  for (std::size_t k = 0; k < 50; ++k) EXPECT_EQ(some[k], plain[k * plain.size() / 50]) << "evenly";
}

TEST(BodiesInView, SortedByDistanceFromTheirCentre) {
  const std::vector<Instance> bodies{{9, 0, 0, 0, 0, 0, 0, 0},
                                     {5, 0, 0, 0, 0, 0, 0, 1},
                                     {6, 0, 0, 0, 0, 0, 0, 2},
                                     {1, 0, 0, 0, 0, 0, 0, 3},
                                     {100, 0, 0, 0, 0, 0, 0, 4}};
  std::vector<u32> some{0, 1, 2, 3};  // in the middle of 5.25
  sort_by_centre(bodies, some);
  EXPECT_EQ(some, (std::vector<u32>{1, 2, 0, 3}));
  std::vector<u32> nobody;
  sort_by_centre(bodies, nobody);
  EXPECT_TRUE(nobody.empty());
}

// Geometry of the domain view: items stay in the view, do not overlap, and hit tests find what is drawn.

constexpr Rect kPlace{100, 50, 320, 240};

void check_flat(const GridLayout& m) {
  for (std::size_t i = 0; i < m.spots.size(); ++i) {
    const Spot& a = m.spots[i];
    ASSERT_GE(a.x - m.size / 2, kPlace.x - 0.01f);
    ASSERT_LE(a.x + m.size / 2, kPlace.x + kPlace.w + 0.01f);
    ASSERT_GE(a.y - m.size / 2, kPlace.y - 0.01f);
    ASSERT_LE(a.y + m.size / 2, kPlace.y + kPlace.h + 0.01f);
    ASSERT_EQ(m.at(a.x, a.y), std::vector<u32>{a.index});
    for (std::size_t j = 0; j < i; ++j) {
      const Spot& b = m.spots[j];
      ASSERT_GE(std::max(std::abs(a.x - b.x), std::abs(a.y - b.y)), 0.99f * m.size) << i << " over " << j;
    }
  }
}

TEST(DomainLayout, FlatMapsFillTheViewWithoutOverlap) {
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    for (const u32 side : {1u, 5u, 12u, 20u}) {
      const MapTrace p = trace_map(static_cast<TriangleMapId>(id), side);
      const GridLayout cells = place_cells(p, kPlace), tiles = place_tiles(p, kPlace);
      EXPECT_EQ(cells.spots.size(), p.cells.size());
      EXPECT_EQ(tiles.spots.size(), p.tiles.size());
      check_flat(cells);
      check_flat(tiles);
    }
  }
}

TEST(DomainLayout, CubesStayInTheViewAndTheNearestIsHit) {
  for (u32 id = 0; id < kTetraMapCount; ++id) {
    const MapTrace p = trace_map(static_cast<TetraMapId>(id), 6);
    const GridLayout tiles = place_tiles(p, kPlace);
    ASSERT_TRUE(tiles.deep);
    float depth = -1;
    for (const Spot& s : tiles.spots) {
      EXPECT_GE(s.depth, depth) << "what is nearer is drawn later";
      depth = s.depth;
      EXPECT_GE(s.y - tiles.size, kPlace.y - 0.01f);
      EXPECT_LE(s.y + tiles.size, kPlace.y + kPlace.h + 0.01f);
    }
    const Spot& front = tiles.spots.back();
    EXPECT_EQ(tiles.at(front.x, front.y).front(), front.index);
    EXPECT_TRUE(tiles.at(kPlace.x - 50, kPlace.y).empty());
    for (const Spot& s : tiles.spots) {  // every cube is found where it is, behind those that hide it
      const std::vector<u32> found = tiles.at(s.x, s.y);
      EXPECT_EQ(std::count(found.begin(), found.end(), s.index), 1);
    }
  }
}

TEST(DomainLayout, TheVisibleBlockIsPointedAtAndThoseBehindItAreTold) {
  const PointedBlocks all = pointed_blocks({7, 3, 3, 9}, 10);
  EXPECT_EQ(all.visible, 7u);
  EXPECT_EQ(all.hidden, (std::vector<u32>{3, 9}));
  const PointedBlocks some = pointed_blocks({7, 3, 9, 1}, 5);
  EXPECT_EQ(some.visible, 3u) << "7 is faint: 3 shows through it";
  EXPECT_EQ(some.hidden, (std::vector<u32>{9, 1}));
  EXPECT_EQ(pointed_blocks({7, 9}, 5).visible, 7u) << "only faint ones";
  EXPECT_EQ(pointed_blocks({}, 5).visible, std::nullopt);
}

TEST(DomainLayout, DataSpaceIsATriangleWithRowsGoingDown) {
  const MapTrace p = trace_map(TriangleMapId::lambda, 4);
  const GridLayout tiles = place_tiles(p, kPlace);
  for (const Spot& s : tiles.spots) {
    const TraceTile& t = p.tiles[s.index];
    EXPECT_NEAR(s.x - tiles.spots[0].x, static_cast<float>(t.x) * tiles.size, 0.01f);
    EXPECT_NEAR(s.y - tiles.spots[0].y, static_cast<float>(t.y) * tiles.size, 0.01f);
  }
}

// A turned cube is where its faces are drawn, it stays in the view, and what is nearer along the view comes later.
TEST(DomainLayout, TurnedFiguresStayInTheViewAndHideWhatIsBehind) {
  const MapTrace p = trace_map(TetraMapId::tetra, 5);
  for (const float yaw : {0.0f, 0.4f, kCornerYaw, 2.0f, 3.14159265f, -1.9f, -0.3f}) {
    for (const float pitch : {0.05f, 0.3f, kCornerPitch, 1.2f, 1.52f}) {
      const GridLayout tiles = place_tiles(p, kPlace, {yaw, pitch, 0});
      ASSERT_EQ(tiles.spots.size(), p.tiles.size());
      for (std::size_t i = 0; i < tiles.spots.size(); ++i) {
        const Spot& s = tiles.spots[i];
        for (const auto& corner : tiles.outline(s)) {
          EXPECT_GE(corner[0], kPlace.x - 0.01f);
          EXPECT_LE(corner[0], kPlace.x + kPlace.w + 0.01f);
          EXPECT_GE(corner[1], kPlace.y - 0.01f);
          EXPECT_LE(corner[1], kPlace.y + kPlace.h + 0.01f);
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {  // a point of a face is within the cube
          const auto f = tiles.face(s, axis);
          const float x = (f[0][0] + f[1][0] + f[2][0] + f[3][0]) / 4, y = (f[0][1] + f[1][1] + f[2][1] + f[3][1]) / 4;
          const std::vector<u32> hit = tiles.at(x, y);
          EXPECT_NE(std::find(hit.begin(), hit.end(), s.index), hit.end());
        }
        // No later cube is a neighbour behind this one.
        const TraceTile& a = p.tiles[s.index];
        const double d[] = {std::cos(yaw) * std::cos(pitch), std::sin(yaw) * std::cos(pitch), std::sin(pitch)};
        for (std::size_t j = i + 1; j < tiles.spots.size(); ++j) {
          const TraceTile& b = p.tiles[tiles.spots[j].index];
          const double towards = d[0] * (static_cast<double>(b.x) - a.x) + d[1] * (static_cast<double>(b.y) - a.y) +
                                 d[2] * (static_cast<double>(b.z) - a.z);
          EXPECT_GE(towards, -1e-4);
        }
      }
    }
  }
}

// Each layer taken off is that of the highest z, and the tiles below it are then the ones that the pointer meets.
TEST(DomainLayout, LayersAreTakenOffFromAbove) {
  constexpr u32 kSide = 6;
  const MapTrace p = trace_map(TetraMapId::tetra, kSide);
  for (u32 removed = 0; removed < kSide; ++removed) {
    const GridLayout tiles = place_tiles(p, kPlace, {kCornerYaw, kCornerPitch, removed});
    const auto left = static_cast<std::size_t>(
        std::count_if(p.tiles.begin(), p.tiles.end(), [&](const TraceTile& t) { return t.z < kSide - removed; }));
    ASSERT_EQ(tiles.spots.size(), left);
    for (const Spot& s : tiles.spots) EXPECT_LT(p.tiles[s.index].z, kSide - removed);
    if (removed == 0) continue;
    const auto hidden = std::find_if(p.tiles.begin(), p.tiles.end(), [&](const TraceTile& t) {
      return t.z == kSide - removed - 1 && t.x == 0 && t.y == 0;
    });
    const auto index = static_cast<u32>(hidden - p.tiles.begin());
    const auto spot =
        std::find_if(tiles.spots.begin(), tiles.spots.end(), [&](const Spot& s) { return s.index == index; });
    ASSERT_NE(spot, tiles.spots.end());
    const auto top = tiles.face(*spot, 2);
    EXPECT_EQ(tiles.at((top[0][0] + top[2][0]) / 2, (top[0][1] + top[2][1]) / 2).front(), index);
  }
  EXPECT_EQ(place_tiles(p, kPlace, {kCornerYaw, kCornerPitch, 0}).size,
            place_tiles(p, kPlace, {kCornerYaw, kCornerPitch, 3}).size)
      << "nothing moves";
}

// The domain view of several ranks: every tile has the colour of the rank that computes it.

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

TEST_F(DomainOfRanks, NoControlLeavesANarrowPane) {
  for (const Domain domain : {Domain::triangle, Domain::tetrahedron}) {
    choice.domain = domain;
    for (float width = 570; width < 1100; width += 26) {
      ImGui::NewFrame();
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({width, 900});
      ImGui::Begin("narrow");
      view.draw(model, PaneContext{state.view, true, 1, 0.02f}, {0, 40, width, 700});
      EXPECT_LE(ImGui::GetCurrentWindow()->DC.CursorMaxPos.x, width)
          << width << ", domain " << static_cast<int>(domain);
      ImGui::End();
      ImGui::Render();
    }
  }
}

TEST(DomainLayout, TheRingAroundABlockIsSeenOnEveryColour) {
  for (const bool dark : {true, false}) {
    ImguiContext context(1);
    context.set_theme(dark);
    std::vector<ImU32> below{theme().panel, theme().page, theme().idle, theme().raised};
    for (u32 omega = 0; omega < 100; ++omega) below.push_back(omega_colour(omega, 100));
    for (u32 rank = 0; rank < kRankColours; ++rank) below.push_back(rank_colour(rank));
    for (const ImU32 colour : below) {
      EXPECT_GE(std::max(contrast(kRingInks[0], colour), contrast(kRingInks[1], colour)), 3) << colour << dark;
    }
  }
  EXPECT_GE(contrast(kRingInks[0], kRingInks[1]), 15) << "and beside each other";
}

using TreePane = PanelFixture;

TEST_F(TreePane, ItsKeyNamesNearLeavesAndEachOrderOfSeries) {
  CellPaint paint;
  paint.ramp.resize(6);
  const std::string text = frame([&] { tree_key(paint); });
  std::size_t at = 0;
  for (const char* name : {"near", "2", "3", "4", "5"}) {
    at = text.find(name, at);
    ASSERT_NE(at, std::string::npos) << name << " in " << text;
  }
  EXPECT_EQ(text.find('1'), std::string::npos) << "no series has this order: " << text;
}

TEST_F(TreePane, ItsTipTellsWhichBodiesMeetHow) {
  TreePicture picture{32, 4, 100, {}};  // the last leaf has 4 bodies
  EXPECT_EQ(piece_text(picture, {3, 1, 2, 1, 0, 0}), "4 \u00d7 32 bodies are near: each pair meets by itself");
  EXPECT_EQ(piece_text(picture, {2, 2, 0, 2, 4, 2e-5}),
            "nodes of 36 and 64 bodies: one series each way, of order 4, error below 2.0 \u00d7 10\u207b\u2075 of the "
            "least pull on them");
}

/// After a branch two runs have their energies at steps of their own.
TEST(EnergyPlot, HasEveryRowOfBothRuns) {
  SessionModel a, b;
  for (const u64 step : {0, 5, 600, 700, 1404})
    a.diagnostics.push_back({step, 0, {}, 1e-7 * static_cast<double>(step)});
  for (const u64 step : {0, 5, 600, 703, 1666})
    b.diagnostics.push_back({step, 0, {}, 2e-7 * static_cast<double>(step)});
  const PlotSpec one = energy_plot(a, nullptr), two = energy_plot(a, &b);
  EXPECT_EQ(one.x, (std::vector<double>{0, 5, 600, 700, 1404}));
  EXPECT_EQ(one.title, "Energy error, relative, to step 1,404");
  EXPECT_EQ(two.x, (std::vector<double>{0, 5, 600, 700, 703, 1404, 1666}));
  EXPECT_EQ(two.title, "Energy error, relative, to step 1,666");
  for (const auto& [rows, line] :
       {std::pair{a.diagnostics, two.lines.at(0)}, std::pair{b.diagnostics, two.lines.at(1)}}) {
    std::vector<double> errors, shown;
    for (const DiagnosticsRow& row : rows) errors.push_back(row.energy_error);
    std::copy_if(line.y.begin(), line.y.end(), std::back_inserter(shown), [](double y) { return std::isfinite(y); });
    EXPECT_EQ(shown, errors) << line.name;
  }
}

// Where the blocks go: the maps launched at one speed, and the idle blocks of each.

class BlocksFigure : public PanelFixture {};

TEST_F(BlocksFigure, TheFigureOfTriplesDrawsTheIdleBlocksThatItCounts) {
  model = test::triples_model();
  const std::string text = frame([this] { blocks(model, state.panes.domain, 300, 0, 1, false); });
  EXPECT_NE(text.find("216 launched, 56 useful, 160 idle"), std::string::npos) << text;
  const ImDrawList& drawn = *ImGui::FindWindowByName("test")->DrawList;
  const auto idle = std::count_if(drawn.VtxBuffer.begin(), drawn.VtxBuffer.end(),
                                  [](const ImDrawVert& v) { return v.col == theme().idle; });
  EXPECT_GE(idle, 160 * 4) << "the upper face of each";
}

/// lambda-x counted three idle blocks and drew none.
TEST_F(BlocksFigure, AFigureOfTilesDrawsTheIdleBlocksThatItCounts) {
  for (const TriangleMapId map : {TriangleMapId::lambda_x, TriangleMapId::lambda, TriangleMapId::utm}) {
    model.asked.pair_map = map;
    const MapTrace trace = trace_map(map, 16);
    const std::size_t counted = trace.cells.size() - trace.useful();
    frame([this] { blocks(model, state.panes.domain, 300, 0, 1, false); });
    const ImDrawList& drawn = *ImGui::FindWindowByName("test")->DrawList;
    const auto corners = std::count_if(drawn.VtxBuffer.begin(), drawn.VtxBuffer.end(),
                                       [](const ImDrawVert& v) { return v.col == theme().idle; });
    EXPECT_EQ(static_cast<std::size_t>(corners), 4 * (120 + std::min<std::size_t>(counted, 120)))
        << static_cast<int>(map);
  }
}

TEST_F(BlocksFigure, AFigureOfCubesDrawsTheIdleBlocksThatItCounts) {
  model = test::triples_model();
  u32 with_idle = 0;
  for (u32 k = 1; k < kTetraMapCount; ++k) {
    const auto map = static_cast<TetraMapId>(k);
    model.asked.triple_map = map;
    const MapTrace bb = trace_map(TetraMapId::bb, 6), trace = trace_map(map, 6);
    const auto corners = [&](std::size_t idle) { return idle * 4; };
    frame([this] { blocks(model, state.panes.domain, 300, 0, 1, false); });
    const ImDrawList& drawn = *ImGui::FindWindowByName("test")->DrawList;
    const auto found = static_cast<std::size_t>(std::count_if(
        drawn.VtxBuffer.begin(), drawn.VtxBuffer.end(), [](const ImDrawVert& v) { return v.col == theme().idle; }));
    const std::size_t idle = trace.cells.size() - trace.useful();
    with_idle += idle > 0;
    EXPECT_GE(found, corners(bb.cells.size() - bb.useful() + idle)) << k;
  }
  EXPECT_GT(with_idle, 0u);
}

TEST_F(BlocksFigure, BothMapsAreLaunchedAtOneSpeed) {
  DomainChoice& choice = state.panes.domain;
  float seconds = 0;
  const auto draw = [&] { blocks(model, choice, 300, seconds, 1, false); };
  std::string first = frame(draw);
  EXPECT_NE(first.find("16 tiles a side, as in the scene |"), std::string::npos) << first;
  EXPECT_NE(first.find("After 256 blocks: bb 136 useful, 120 idle; lambda 136 useful, 0 idle."), std::string::npos);
  model.n = 9, model.engine.pair_block = 64;
  first = frame(draw);
  EXPECT_NE(first.find("After 144 blocks: bb 78 useful, 66 idle; lambda 78 useful, 0 idle."), std::string::npos);
  // The figure says how large it is, and how large the scene is: 9 bodies launch no 144 blocks.
  EXPECT_NE(first.find("12 tiles a side; the scene has 1 |"), std::string::npos) << first;
  first = frame([&] { blocks(model, choice, 300, seconds, 1, true); });
  EXPECT_NE(first.find("12 tiles a side: idle bb 66 of 144, lambda 0 of 78."), std::string::npos) << first;
  first = frame([&] {
    ImGui::BeginChild("column", {300, 700});
    blocks(model, choice, 170, seconds, 1, true);
    ImGui::EndChild();
  });
  for (const char* whole : {"66 of 144 idle |", "0 of 78 idle |", "bb 66 of 144. |"})
    EXPECT_NE(first.find(whole), std::string::npos) << first;
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
