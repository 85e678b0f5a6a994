// Proofs: what is counted, what comes first, and that they agree with the checker of maps.

#include <gtest/gtest.h>

#include <bit>

#include "sim/base/progress.hpp"
#include "sim/mapfile/built_in_map.hpp"
#include "sim/mapfile/proof.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/sim/mapfile/map_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::mapfile {
namespace {

const std::string kLambda = "row = (isqrt(8*w + 1) - 1)/2\ncol = w - row*(row + 1)/2\n";
const std::string kProofLine = "[\"m*(m + 1)/2\"]";

TEST(MapProof, ARightMap) {
  const Proof p = prove(*test::map_of("pairs", "[\"m\", \"m\"]", "idle = x > y; row = y; col = x"), 9);
  EXPECT_TRUE(p.passed());
  EXPECT_EQ(p.launched, 81u);
  EXPECT_EQ(p.useful, 45u);
  EXPECT_EQ(p.idle(), 36u);
  EXPECT_EQ(p.expected, 45u);
  EXPECT_EQ(p.fault_text(), "");
}

TEST(MapProof, WhatIsMissedMetAgainOutsideAndWithoutAValue) {
  // Position 3 = (2, 0) goes to (1, 1), position 4 = (2, 1) outside, position 8 = (3, 2) has no value.
  const std::string tile =
      kLambda + "row = w == 3 ? 1 : row\ncol = w == 3 ? 1 : w == 4 ? -7 : w == 8 ? 1/(w - 8) : col";
  const Proof p = prove(*test::map_of("pairs", kProofLine, tile), 4);
  EXPECT_FALSE(p.passed());
  EXPECT_EQ(p.launched, 10u);
  EXPECT_EQ(p.useful, 9u);
  EXPECT_EQ(p.missed, 3u);
  EXPECT_EQ(p.duplicates, 1u);
  EXPECT_EQ(p.outside, 1u);
  EXPECT_EQ(p.faults, 1u);
  EXPECT_EQ(p.first_missed, (AnyTile{2, 0, 0}));
  EXPECT_EQ(p.first_twice->omega, 3u);
  EXPECT_EQ(p.first_twice->position.x, 3u);
  EXPECT_EQ(p.first_twice->tile, (AnyTile{1, 1, 0}));
  EXPECT_EQ(p.met_before->omega, 2u);
  EXPECT_EQ(p.first_outside->omega, 4u);
  EXPECT_EQ(p.first_outside->tile, (AnyTile{2, -7, 0}));
  EXPECT_EQ(p.first_fault->omega, 8u);
  test::expect_parts(p.fault_text(),
                     {"omega 8 (x = 8, y = 0) has no tile: '/' by 0 in line 9",
                      "omega 4 (x = 4, y = 0) is sent outside, to (row 2, col -7)",
                      "omega 3 (x = 3, y = 0) meets (row 1, col 1), which omega 2 (x = 2, y = 0) meets, too",
                      "(row 2, col 0) is missed", "3 of 10 tiles missed, 1 met again, 1 outside, 1 without"});
}

TEST(MapProof, EachKindOfFaultAloneFails) {
  const auto fails = [](const std::string& launch, const std::string& tile) {
    return !prove(*test::map_of("pairs", launch, tile), 5).passed();
  };
  EXPECT_FALSE(fails(kProofLine, kLambda));
  EXPECT_TRUE(fails(kProofLine, kLambda + "idle = w == 7")) << "one missed";
  EXPECT_TRUE(fails("[\"m*(m + 1)/2 + 1\"]", kLambda + "t = w == 15\nrow = t ? 0 : row\ncol = t ? 0 : col"))
      << "one again";
  EXPECT_TRUE(fails("[\"m*(m + 1)/2 + 1\"]", kLambda)) << "one outside";
  EXPECT_TRUE(fails("[\"m*(m + 1)/2 + 1\"]", kLambda + "idle = w == 15 && 1/(w - 15)")) << "one without a value";
  EXPECT_TRUE(fails("[\"m/0\"]", kLambda)) << "no launch";
  EXPECT_TRUE(fails("[\"0\"]", kLambda)) << "all missed";
  EXPECT_TRUE(fails(kProofLine, "row = 1 << 40; col = 0")) << "beyond 32 bits";
  EXPECT_TRUE(fails(kProofLine, kLambda + "row = row + (1 << 32)")) << "the lower 32 bits alone are right";
}

TEST(MapProof, OmegaCountsAllLaunches) {
  const Proof p = prove(*test::map_of("pairs", "[[\"2\", \"3\"], [\"m\"]]", "idle = pass == 0; row = x; col = 0"), 4);
  EXPECT_EQ(p.launched, 10u);
  EXPECT_EQ(p.useful, 4u);
  EXPECT_EQ(p.first_missed, (AnyTile{1, 1, 0}));
  const Proof q = prove(*test::map_of("pairs", "[[\"2\", \"3\"], [\"m\"]]", "row = pass == 0 ? 0 : x; col = 0"), 4);
  EXPECT_EQ(q.first_twice->omega, 1u);
  EXPECT_EQ(q.duplicates, 6u);
}

TEST(MapProof, DomainsHaveTheirTiles) {
  EXPECT_TRUE(prove(*test::map_of("triples", "[\"m\", \"m\", \"m\"]",
                                  "idle = !(x <= y && y <= z); col = x; row = y; layer = z"),
                    7)
                  .passed());
  const Proof t = prove(
      *test::map_of("triples", "[\"m\", \"m\", \"m\"]", "idle = !(x <= y && y < z); col = x; row = y; layer = z"), 3);
  EXPECT_EQ(t.first_missed, (AnyTile{0, 0, 0}));
  EXPECT_EQ(t.missed, 6u);
  EXPECT_TRUE(prove(*test::map_of("gasket", "[\"m\", \"m\"]", "idle = x & ~y; row = y; col = x"), 16).passed());
  const Proof g = prove(*test::map_of("gasket", "[\"m\", \"m\"]", "idle = y & ~x; row = y; col = x"), 4);
  EXPECT_GT(g.outside, 0u);
  EXPECT_EQ(g.first_missed, (AnyTile{1, 0, 0}));
}

/// Random wrong maps: the counts are those of the checker, which takes a byte a tile and knows no text.
TEST(MapProof, AgreesWithTheCheckerOfMaps) {
  for (u32 k = 0; k < 40; ++k) {
    const std::string noise = "h = (w*2654435761 + " + std::to_string(k * 7919) + ") >> 7 & 15\n";
    const auto map = test::map_of("pairs", kProofLine,
                                  kLambda + noise + "col = h == 3 ? col - 1 : h == 5 ? col + 1 : col\nidle = h == 9");
    const u32 side = 3 + k;
    const Proof p = prove(*map, side);
    const MapReport r = check_triangle_map(TypedTriangle(side, Diagonal::with, *map));
    EXPECT_EQ(p.launched, r.launched);
    EXPECT_EQ(p.missed, r.holes);
    EXPECT_EQ(p.duplicates, r.duplicates);
    EXPECT_GE(p.outside, r.outside) << "a column below 0 is idle for the checker";
    EXPECT_EQ(p.passed(), r.passed());
  }
}

/// The report of the checker of maps, with the workers of a proof.
MapReport checked(Domain domain, u32 id, u32 side) {
  MapReport r;
  const auto check = [&](const auto& cells) { return [&](const auto& m) { r = check_cover(m, cells); }; };
  if (domain == Domain::triangle) {
    const TriangleCells cells{side, false};
    visit_triangle_map(static_cast<TriangleMapId>(id), side, Diagonal::with, kProofWorkers, check(cells));
  } else if (domain == Domain::tetrahedron) {
    const TetraCells cells{side, false};
    visit_tetra_map(static_cast<TetraMapId>(id), side, Diagonal::with, kProofWorkers, check(cells));
  } else {
    const GasketCells cells{side};
    const u32 levels = static_cast<u32>(std::countr_zero(side));
    visit_gasket_map(static_cast<GasketMapId>(id), levels, kProofWorkers, check(cells));
  }
  return r;
}

/// Every built-in map, at some sides, and the published ones also one tile beyond their limit.
TEST(MapProof, BuiltInMapsAgreeWithTheCheckerOfMaps) {
  for (const Domain domain : {Domain::triangle, Domain::tetrahedron, Domain::gasket}) {
    for (u32 id = 0; id < built_in_maps(domain).size(); ++id) {
      const BuiltInMap map(domain, id);
      std::vector<u64> sides = {1, 2, 4, 8, 32};
      if (domain != Domain::gasket) sides.insert(sides.end(), {3, 7, 21, 45});
      if (map.info().historical) sides.insert(sides.end(), {map.info().max_side, map.info().max_side + 1});
      for (const u64 side : sides) {
        SCOPED_TRACE(std::string(map.info().name) + " at side " + std::to_string(side));
        ASSERT_EQ(proof_refusal(map, side), "");
        const Proof p = prove(map, static_cast<u32>(side));
        const MapReport r = checked(domain, id, static_cast<u32>(side));
        EXPECT_EQ(p.launched, r.launched);
        EXPECT_EQ(p.useful, r.useful);
        EXPECT_EQ(p.expected, r.expected);
        EXPECT_EQ(p.missed, r.holes);
        EXPECT_EQ(p.duplicates, r.duplicates);
        EXPECT_EQ(p.outside, r.outside);
        EXPECT_EQ(p.passed(), side <= map.info().max_side);
      }
    }
  }
}

TEST(MapProof, APositionWithSeveralTilesIsAnsweredForEach) {
  const BuiltInMap stream(Domain::triangle, static_cast<u32>(TriangleMapId::lambda_stream));
  std::vector<u64> omegas;
  std::vector<AnyTile> tiles;
  for_each_answer(stream, 3, [&](const MetAt& met, bool idle, bool fault) {
    EXPECT_FALSE(idle || fault);
    omegas.push_back(met.omega), tiles.push_back(met.tile);
    return true;
  });
  EXPECT_EQ(omegas, (std::vector<u64>{0, 0, 1, 1, 2, 3}));
  EXPECT_EQ(tiles, (std::vector<AnyTile>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0}}));
  u32 calls = 0;
  for_each_answer(stream, 3, [&](const MetAt&, bool, bool) { return ++calls < 4; });
  EXPECT_EQ(calls, 4u) << "ends when the visitor says so";
}

struct Stop : ProgressSink {
  void report(const ProgressReport& r) override {
    name = r.name;
    throw InterruptedError("stopped here");
  }
  std::string name;
};

TEST(MapProof, IsCancelledByItsProgressSink) {
  Stop stop;
  const ScopedProgressSink bound(stop);
  const auto map = test::map_of("pairs", kProofLine, kLambda);
  EXPECT_THROW(prove(*map, 2000), InterruptedError);
  test::expect_parts(stop.name, {"proving", map->info().name, "m = 2000"});
}

TEST(MapProof, RefusesSidesThatItCannotWalk) {
  const auto gasket = test::map_of("gasket", "[\"m\"]", "row = x; col = 0");
  EXPECT_EQ(proof_refusal(*gasket, 8), "");
  test::expect_parts(proof_refusal(*gasket, 12), {"a power of two", "12"});
  test::expect_parts(proof_refusal(*gasket, 0), {"0"});
  test::expect_parts(proof_refusal(*test::map_of("pairs", kProofLine, kLambda), 200000), {"20000100000 tiles", "2^33"});
  const BuiltInMap box(Domain::triangle, static_cast<u32>(TriangleMapId::bb));
  EXPECT_EQ(proof_refusal(box, 90000), "");
  test::expect_parts(proof_refusal(box, 130000), {"bb launches 16900000000 positions", "2^33"});
  test::expect_parts(proof_refusal(BuiltInMap(Domain::tetrahedron, static_cast<u32>(TetraMapId::tetra)), 2642245),
                     {"the side of tetra is 1 to 2642244"});
  test::expect_parts(proof_refusal(BuiltInMap(Domain::gasket, static_cast<u32>(GasketMapId::gasket)), 12),
                     {"a power of two"});
}

}  // namespace
}  // namespace tri::mapfile
