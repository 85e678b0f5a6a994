// Who computes a tile: RankShares say of every position what the engines do.

#include "sim/backend/rank_shares.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sim/backend_ranks.hpp"
#include "sim/cpu/kernels/tile_loop.hpp"
#include "sim/maps/launch_split.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/scene/scene.hpp"

namespace tri {
namespace {

/// Calls f(launch, position, omega, launched) for all positions of a map.
template <class M, class F>
void for_each_position(const M& map, const F& f) {
  const u64 launched = launched_positions(map);
  u64 omega = 0;
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    const Launch launch = map.launch(pass);
    for (u32 z = 0; z < launch.z; ++z) {
      for (u32 y = 0; y < launch.y; ++y) {
        for (u64 x = 0; x < launch.x; ++x) f(launch, Position{x, y, z, pass}, omega++, launched);
      }
    }
  }
}

using Key = std::tuple<u32, u64, u32, u32>;
Key key_of(const Position& p) { return {p.pass, p.x, p.y, p.z}; }

// As a device's blocks find their positions: every block of every rank's grid.
template <class M>
void expect_devices_share(const M& map, const std::string& name) {
  for (const u32 ranks : {1U, 2U, 3U, 8U}) {
    std::map<Key, u32> computed;
    for (u32 pass = 0; pass < map.launch_count(); ++pass) {
      for_each_grid(map.launch(pass), [&](GridPiece piece) {
        for (piece.step = ranks, piece.first = 0; piece.first < ranks; ++piece.first) {
          for (u32 z = 0; z < piece.z; ++z) {
            for (u32 y = 0; y < piece.y; ++y) {
              for (u32 x = 0; x <= (piece.x - 1) / ranks; ++x) {
                Position at;
                if (!share_of(piece, x, y, z, at)) continue;
                EXPECT_TRUE(computed.emplace(key_of(at), piece.first).second) << name;
              }
            }
          }
        }
      });
    }
    const RankShares shares{ranks};
    for_each_position(map, [&](const Launch& launch, const Position& at, u64 omega, u64 launched) {
      const auto by = computed.find(key_of(at));
      ASSERT_NE(by, computed.end()) << name << ": nobody computes " << omega;
      ASSERT_EQ(shares.owner(launch, at, omega, launched), by->second) << name << " " << ranks << " " << omega;
    });
    EXPECT_EQ(computed.size(), launched_positions(map));
    EXPECT_DOUBLE_EQ(shares.part(ranks - 1), 1.0 / ranks);
  }
}

TEST(Owners, OfDevicesAreThoseOfTheirBlocks) {
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    const auto map = static_cast<TriangleMapId>(id);
    for (const u32 side : {1U, 2U, 7U, 12U, 33U}) {
      visit_triangle_map(map, side, Diagonal::with, 12,
                         [&](const auto& m) { expect_devices_share(m, std::string(info(map).name)); });
    }
  }
  for (u32 id = 0; id < kTetraMapCount; ++id) {
    const auto map = static_cast<TetraMapId>(id);
    for (const u32 side : {1U, 2U, 5U, 8U}) {
      visit_tetra_map(map, side, Diagonal::with, 12,
                      [&](const auto& m) { expect_devices_share(m, std::string(info(map).name)); });
    }
  }
}

template <class T>
std::tuple<u32, u32, u32> place(const T& tile) {
  if constexpr (requires { tile.row; }) {
    return {tile.col, tile.row, 0};
  } else {
    return {tile.x, tile.y, tile.z};
  }
}

// As the cpu backend walks: each rank its own range, which need not be even.
template <class Id>
void expect_cpu_shares(Id id, const cpu::TileGrid& grid, const auto& visit) {
  const u64 whole = RankShare::kWhole;
  for (const std::vector<u64>& marks :
       {std::vector<u64>{0, whole}, {0, whole / 2, whole}, {0, 1000, whole / 3, whole}, {0, 1, 2, whole - 7, whole}}) {
    const RankShares shares{static_cast<u32>(marks.size()) - 1, marks};
    std::map<std::tuple<u32, u32, u32>, u32> computed;
    for (u32 rank = 0; rank < shares.ranks; ++rank) {
      cpu::for_each_tile(
          id, grid, 1,
          [&](u32, const auto& tile) { EXPECT_TRUE(computed.emplace(place(tile), rank).second) << info(id).name; },
          {marks[rank], marks[rank + 1]});
    }
    constexpr u32 kSharedWorkers = 4096;  // of cpu/kernels/tile_loop.cpp
    u64 tiles = 0;
    double parts = 0;
    for (u32 rank = 0; rank < shares.ranks; ++rank) parts += shares.part(rank);
    EXPECT_NEAR(parts, 1, 1e-12);
    visit(shares.ranks == 1 ? 4U : kSharedWorkers, [&](const auto& map) {
      for_each_position(map, [&](const Launch& launch, const Position& at, u64 omega, u64 launched) {
        const u32 owner = shares.owner(launch, at, omega, launched);
        for (auto t = map.begin(at); t.valid(); t.next(), ++tiles) {
          const auto by = computed.find(place(t.tile()));
          ASSERT_NE(by, computed.end()) << info(id).name;
          ASSERT_EQ(by->second, owner) << info(id).name << " omega " << omega << " of " << launched;
        }
      });
    });
    EXPECT_EQ(tiles, computed.size()) << info(id).name;
  }
}

TEST(Owners, OfCpuRanksAreThoseThatWalk) {
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    const auto map = static_cast<TriangleMapId>(id);
    for (const u32 side : {1U, 5U, 12U, 33U}) {
      const cpu::TileGrid grid = cpu::triangle_grid(map, side, 1);
      expect_cpu_shares(map, grid,
                        [&](u32 workers, const auto& f) { visit_triangle_map(map, side, grid.diagonal, workers, f); });
    }
  }
  for (u32 id = 0; id < kTetraMapCount; ++id) {
    const auto map = static_cast<TetraMapId>(id);
    for (const u32 side : {1U, 4U, 8U}) {
      const cpu::TileGrid grid = cpu::tetra_grid(map, side, 1);
      expect_cpu_shares(map, grid,
                        [&](u32 workers, const auto& f) { visit_tetra_map(map, side, grid.diagonal, workers, f); });
    }
  }
}

TEST(Owners, AnEngineTellsSharesAndTimes) {
  const auto alone = make_backend("cpu");
  const auto three = make_local_cluster(3, "cpu", make_rank_backend, {"one", "two"});
  EXPECT_TRUE(alone->info().rank_names.empty());
  EXPECT_EQ(three->info().rank_names, (std::vector<std::string>{"one", "two", "rank 2"}));
  for (const char* name : {"plummer:n=900", "argon-droplet:n=60", "plummer:n=200,integrator=hermite"}) {
    const Scene scene = make_scene(name);
    EngineConfig config;
    config.precision = Precision::fp64;
    const auto engine = three->make_engine(scene.bodies, scene.field, config);
    EXPECT_TRUE(engine->timing().rank_ms.empty()) << name;
    engine->advance(scene.integrator, scene.dt, 2);
    const std::vector<double> ms = engine->timing().rank_ms;
    ASSERT_EQ(ms.size(), 3U) << name;
    const std::vector<double> parts = engine->timing().rank_parts;
    ASSERT_EQ(parts.size(), 3U) << name;
    EXPECT_NEAR(parts[0] + parts[1] + parts[2], 1, 1e-12) << name;
    double sum = 0;
    for (const double each : ms) {
      EXPECT_GT(each, 0) << name;
      sum += each;
    }
    EXPECT_LE(sum, 3 * 1.5 * engine->timing().force + 100) << name;
    for (const Domain domain : {Domain::triangle, Domain::tetrahedron}) {
      const RankShares shares = engine->shares(domain);
      ASSERT_EQ(shares.ranks, 3U) << name;
      ASSERT_EQ(shares.marks.size(), 4U);
      EXPECT_EQ(shares.marks.front(), 0U);
      EXPECT_EQ(shares.marks.back(), RankShare::kWhole);
    }
    const auto one = alone->make_engine(scene.bodies, scene.field, config);
    one->advance(scene.integrator, scene.dt, 1);
    EXPECT_TRUE(one->timing().rank_ms.empty());
    EXPECT_EQ(one->shares(Domain::triangle), RankShares());
  }
}

}  // namespace
}  // namespace tri
