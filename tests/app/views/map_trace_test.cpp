// Traces of maps: each tile of the domain once, at the launch position that the map gives, for every map and side.

#include "app/views/map_trace.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "sim/mapfile/add_map.hpp"
#include "sim/maps/launch_counts.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {
namespace {

void check(const MapTrace& p, u64 tiles, const std::string& name) {
  EXPECT_EQ(p.tiles.size(), tiles) << name;
  std::set<std::tuple<u32, u32, u32>> seen;
  for (const TraceTile& t : p.tiles) seen.insert({t.x, t.y, t.z});
  EXPECT_EQ(seen.size(), tiles) << name << ": a tile twice";
  u64 launched = 0, counted = 0;
  for (const Launch& l : p.launches) launched += positions(l);
  EXPECT_EQ(p.cells.size(), launched) << name;
  for (u32 k = 0; k < p.cells.size(); ++k) {
    const TracePosition& c = p.cells[k];
    // x runs fastest, then y, then z, then the launches: the order in which blocks are numbered.
    const Launch& l = p.launches[c.at.pass];
    u64 omega = c.at.x + l.x * (c.at.y + u64{l.y} * c.at.z);
    for (u32 pass = 0; pass < c.at.pass; ++pass) omega += positions(p.launches[pass]);
    EXPECT_EQ(omega, k) << name;
    EXPECT_EQ(c.first, counted) << name << ": tiles are in the order of their positions";
    for (u32 t = c.first; t < c.first + c.count; ++t) EXPECT_EQ(p.tiles[t].cell, k) << name;
    counted += c.count;
  }
  EXPECT_EQ(counted, tiles) << name;
}

TEST(MapTrace, EveryTileOfTheTriangleOnce) {
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    for (const u32 side : {1u, 2u, 3u, 7u, 12u, 33u, kMaxTriangleSide}) {
      const auto map = static_cast<TriangleMapId>(id);
      const MapTrace p = trace_map(map, side);
      check(p, u64{side} * (side + 1) / 2, std::string(info(map).name) + " " + std::to_string(side));
      u32 diagonal = 0;
      for (const TraceTile& t : p.tiles) {
        EXPECT_LE(t.x, t.y);
        EXPECT_LT(t.y, side);
        diagonal += t.diagonal;
      }
      EXPECT_EQ(diagonal, side);
      visit_triangle_map(map, side, Diagonal::with, 4,
                         [&](const auto& m) { EXPECT_EQ(p.useful(), launch_counts(m).useful); });
    }
  }
}

TEST(MapTrace, AWrongTypedMapStaysInsideAndEnds) {
  const auto trace_of = [](const std::string& name, const std::string& launch, const std::string& tile) {
    const std::string text =
        "name = \"" + name + "\"\ndomain = \"pairs\"\nlaunch = [\"" + launch + "\"]\ntile = \"" + tile + "\"";
    mapfile::add_map(mapfile::MapFile::from_text(text, name));
    return trace_map(*find_triangle_map(name), 5);
  };
  const MapTrace right = trace_of("trace-right", "m*(m+1)/2", "row = (isqrt(8*w+1)-1)/2; col = w - row*(row+1)/2");
  check(right, 15, "typed");
  const MapTrace outside = trace_of("trace-outside", "8", "row = x; col = x < 4 ? 0 : 4000000000");
  EXPECT_EQ(outside.tiles.size(), 4u);
  EXPECT_EQ(outside.cells.size(), 8u);
  EXPECT_EQ(outside.useful(), 4u);
  const MapTrace huge = trace_of("trace-huge", "1 << 60", "row = 0; col = 0");
  EXPECT_EQ(huge.cells.size(), std::size_t{1} << 20);
}

TEST(MapTrace, EveryTileOfTheTetrahedronOnce) {
  for (u32 id = 0; id < kTetraMapCount; ++id) {
    for (const u32 side : {1u, 2u, 5u, kMaxTetraSide}) {
      const auto map = static_cast<TetraMapId>(id);
      const MapTrace p = trace_map(map, side);
      check(p, u64{side} * (side + 1) * (side + 2) / 6, std::string(info(map).name) + " " + std::to_string(side));
      for (const TraceTile& t : p.tiles) {
        EXPECT_TRUE(t.x <= t.y && t.y <= t.z && t.z < side);
        EXPECT_EQ(t.diagonal, t.x == t.y || t.y == t.z);
      }
    }
  }
}

TEST(MapTrace, EveryCellOfTheGasketOnce) {
  u64 cells = 1;
  for (u32 levels = 0; levels <= kMaxLevels; ++levels, cells *= 3) {
    for (u32 id = 0; id < kGasketMapCount; ++id) {
      const MapTrace p = trace_map(static_cast<GasketMapId>(id), levels);
      check(p, cells, info(static_cast<GasketMapId>(id)).name);
      EXPECT_EQ(p.side, u32{1} << levels);
    }
  }
}

TEST(MapTrace, IdlePositionsMatchTheClosedForms) {
  EXPECT_EQ(trace_map(TriangleMapId::bb, 12).cells.size() - trace_map(TriangleMapId::bb, 12).useful(), 66u);
  EXPECT_EQ(trace_map(TriangleMapId::lambda, 12).cells.size(), 78u);
  EXPECT_EQ(trace_map(TriangleMapId::lambda_stream, 12).cells.size(), 4u) << "four positions, each with its run";
  EXPECT_EQ(trace_map(TetraMapId::bb, 4).cells.size(), 64u);
}

}  // namespace
}  // namespace tri::app
