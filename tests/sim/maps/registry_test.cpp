/// Names, limits and refusals.

#include <gtest/gtest.h>

#include <span>
#include <string_view>

#include "tests/sim/maps/map_support.hpp"

namespace tri::test {
namespace {

/// Each name finds its id, so that no two maps of a domain share one.
template <class Id, class Find>
void expect_found(std::span<const MapInfo> maps, Domain domain, Find find) {
  for (u32 i = 0; i < maps.size(); ++i) {
    EXPECT_EQ(find(maps[i].name), static_cast<Id>(i)) << maps[i].name;
    EXPECT_EQ(&info(static_cast<Id>(i)), &maps[i]);
    EXPECT_EQ(maps[i].domain, domain) << maps[i].name;
  }
}

TEST(Registry, EachNameFindsItsId) {
  expect_found<TriangleMapId>(triangle_maps(), Domain::triangle, find_triangle_map);
  expect_found<TetraMapId>(tetra_maps(), Domain::tetrahedron, find_tetra_map);
  expect_found<GasketMapId>(gasket_maps(), Domain::gasket, find_gasket_map);
  EXPECT_EQ(triangle_maps().size(), kTriangleMapCount);
  EXPECT_EQ(tetra_maps().size(), kTetraMapCount);
  EXPECT_EQ(gasket_maps().size(), kGasketMapCount);
}

TEST(Registry, NamesAsTyped) {
  EXPECT_EQ(find_triangle_map("bb"), TriangleMapId::bb);
  EXPECT_EQ(find_triangle_map("lambda"), TriangleMapId::lambda);
  EXPECT_EQ(find_triangle_map("lambda-x"), TriangleMapId::lambda_x);
  EXPECT_EQ(find_triangle_map("lambda-n"), TriangleMapId::lambda_n);
  EXPECT_EQ(find_triangle_map("lambda-r"), TriangleMapId::lambda_r);
  EXPECT_EQ(find_triangle_map("lambda-lut"), TriangleMapId::lambda_lut);
  EXPECT_EQ(find_triangle_map("lambda-stream"), TriangleMapId::lambda_stream);
  EXPECT_EQ(find_triangle_map("fold"), TriangleMapId::fold);
  EXPECT_EQ(find_triangle_map("rb"), TriangleMapId::rb);
  EXPECT_EQ(find_triangle_map("rec"), TriangleMapId::rec);
  EXPECT_EQ(find_triangle_map("h"), TriangleMapId::h);
  EXPECT_EQ(find_triangle_map("utm"), TriangleMapId::utm);
  EXPECT_EQ(find_triangle_map("utm-block"), TriangleMapId::utm_block);
  EXPECT_EQ(find_triangle_map("circulant"), TriangleMapId::circulant);
  EXPECT_EQ(find_triangle_map("lambda-grouped"), TriangleMapId::lambda_grouped);
  EXPECT_EQ(find_triangle_map("lambda-longest"), TriangleMapId::lambda_longest);
  EXPECT_EQ(find_tetra_map("bb"), TetraMapId::bb);
  EXPECT_EQ(find_tetra_map("tetra"), TetraMapId::tetra);
  EXPECT_EQ(find_tetra_map("tetra-r"), TetraMapId::tetra_r);
  EXPECT_EQ(find_tetra_map("tetra-lut"), TetraMapId::tetra_lut);
  EXPECT_EQ(find_tetra_map("tetra-stream"), TetraMapId::tetra_stream);
  EXPECT_EQ(find_tetra_map("tetra-h"), TetraMapId::tetra_h);
  EXPECT_EQ(find_gasket_map("bb"), GasketMapId::bb);
  EXPECT_EQ(find_gasket_map("gasket"), GasketMapId::gasket);
  EXPECT_EQ(find_gasket_map("gasket-digits"), GasketMapId::gasket_digits);
  EXPECT_EQ(find_gasket_map("gasket-stream"), GasketMapId::gasket_stream);
  EXPECT_EQ(find_triangle_map("lamda"), std::nullopt);
  EXPECT_EQ(find_triangle_map(""), std::nullopt);
  EXPECT_EQ(find_tetra_map("lambda"), std::nullopt);
  EXPECT_EQ(find_gasket_map("subbox"), std::nullopt);
}

TEST(Registry, VisitGivesTheMapOfThatName) {
  for (const TriangleMapId id : all_triangle_maps()) {
    visit_triangle_map(id, 5, Diagonal::without, 2, [&](const auto& map) {
      EXPECT_STREQ(map.kInfo.name, info(id).name);
      EXPECT_EQ(map.side(), 5u);
      EXPECT_EQ(map.diagonal(), Diagonal::without);
    });
  }
  for (const TetraMapId id : all_tetra_maps()) {
    visit_tetra_map(id, 5, Diagonal::with, 2, [&](const auto& map) {
      EXPECT_STREQ(map.kInfo.name, info(id).name);
      EXPECT_EQ(map.diagonal(), Diagonal::with);
    });
  }
  for (const GasketMapId id : all_gasket_maps()) {
    visit_gasket_map(id, 5, 7, [&](const auto& map) {
      EXPECT_STREQ(map.kInfo.name, info(id).name);
      EXPECT_EQ(map.side(), 32u);
    });
  }
}

TEST(Registry, EveryAlternativeExistsAndReachesFurther) {
  const auto check = [](std::span<const MapInfo> maps) {
    for (const MapInfo& map : maps) {
      EXPECT_STRNE(map.formula, "");
      EXPECT_STRNE(map.source, "");
      EXPECT_STRNE(map.limit, "");
      EXPECT_EQ(map.historical && map.alternative == nullptr, false) << map.name;
      if (map.alternative == nullptr) continue;
      bool found = false;
      for (const MapInfo& other : maps) {
        if (std::string_view(other.name) != map.alternative) continue;
        found = true;
        EXPECT_FALSE(other.historical);
        EXPECT_GE(other.max_side, map.max_side);
      }
      EXPECT_TRUE(found) << map.name;
    }
  };
  check(triangle_maps());
  check(tetra_maps());
  check(gasket_maps());
}

TEST(Refusal, NamesTheLimitAndTheExactAlternative) {
  EXPECT_EQ(refusal(info(TriangleMapId::utm), 8192, 32),
            "--map utm is exact to n = 4097 in float32; n = 8192. Use --map utm-block, or --n 4097 or less.");
  EXPECT_EQ(refusal(info(TriangleMapId::utm), 4097, 32), "");
  EXPECT_EQ(
      refusal(info(TriangleMapId::lambda_x), 200000, 32),
      "--map lambda-x is exact to 4607 tiles a side in float32, with --block 32 to n = 147424; n = 200000. Use --map "
      "lambda, or --n 147424 or less.");
  EXPECT_EQ(refusal(info(TetraMapId::tetra_r), 1633, 8),
            "--map tetra-r is exact to 203 tiles a side in float32, with --block 8 to n = 1624; n = 1633. Use --map "
            "tetra, or "
            "--n 1624 or less.");
}

TEST(Refusal, ComesExactlyBeyondTheLimit) {
  const auto check = [](const MapInfo& map, u32 block) {
    const u64 width = map.space == Space::thread ? 1 : block;
    EXPECT_EQ(refusal(map, map.max_side * width, block, ~u64{0}), "") << map.name;
    EXPECT_EQ(refusal(map, 1, block), "") << map.name;
    const std::string text = refusal(map, map.max_side * width + 1, block, ~u64{0});
    EXPECT_NE(text.find(std::to_string(map.max_side * width)), std::string::npos) << text;
    if (map.alternative != nullptr) {
      EXPECT_NE(text.find(map.alternative), std::string::npos) << text;
    }
  };
  for (const u32 block : {1u, 7u, 32u}) {
    for (const MapInfo& map : triangle_maps()) check(map, block);
    for (const MapInfo& map : tetra_maps()) check(map, block);
  }
}

TEST(Refusal, LookUpTableThatDoesNotFit) {
  const MapInfo& lut = info(TriangleMapId::lambda_lut);
  // 1 MiB holds 131072 entries of 8 bytes: 511 rows (130816 entries), not 512.
  EXPECT_EQ(refusal(lut, 511 * 16, 16, 1u << 20), "");
  EXPECT_EQ(refusal(lut, 512 * 16, 16, 1u << 20),
            "--map lambda-lut needs a table of 1 MiB at n = 8192 with --block 16, and 1 MiB may be taken. Use --map "
            "lambda, or "
            "--n 8176 or less.");
  EXPECT_NE(refusal(lut, u64{1} << 31, 1), "") << "no machine has 16 EiB";
}

TEST(Registry, TablesAreAsLargeAsTheirMapsSay) {
  const u32 side = 37;
  const auto bytes = [](const auto& table) { return table.size() * sizeof(table[0]); };
  EXPECT_EQ(table_bytes(info(TriangleMapId::lambda_lut), side * 16, 16),
            bytes(TriangleLambdaLut::make_table(side, Diagonal::with)));
  EXPECT_EQ(table_bytes(info(TetraMapId::tetra_lut), side * 8, 8), bytes(TetraLut::make_table(side, Diagonal::with)));
  EXPECT_EQ(table_bytes(info(TriangleMapId::lambda), 1u << 20, 16), 0u);
}

TEST(Refusal, GasketSides) {
  const MapInfo& map = info(GasketMapId::gasket);
  for (u32 r = 0; r <= 31; ++r) EXPECT_EQ(refusal(map, u64{1} << r, 1), "");
  EXPECT_EQ(refusal(map, 1000, 8),
            "--map gasket needs a side that is a power of two; n = 1000. Use --n 512 or --n 1024.");
  EXPECT_NE(refusal(map, 0, 8), "");
  EXPECT_EQ(refusal(map, 1024, 12),
            "--map gasket needs a block side that is a power of two and at most n = 1024; block = 12. Use --block 16.");
  EXPECT_NE(refusal(map, 8, 16), "");
  EXPECT_NE(refusal(map, u64{1} << 40, 16), "");
}

TEST(Registry, TilesPerSideRoundUp) {
  EXPECT_EQ(tiles_per_side(info(TriangleMapId::lambda), 1025, 32), 33u);
  EXPECT_EQ(tiles_per_side(info(TriangleMapId::lambda), 1024, 32), 32u);
  EXPECT_EQ(tiles_per_side(info(TriangleMapId::rb), 1025, 32), 1025u);
  EXPECT_EQ(tiles_per_side(info(TriangleMapId::lambda), 7, 0), 7u);
}

}  // namespace
}  // namespace tri::test
