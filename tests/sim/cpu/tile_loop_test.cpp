// The walk over a launch grid: every tile once, a fixed share for each thread, exceptions rethrown to the caller.

#include "sim/cpu/kernels/tile_loop.hpp"

#include <atomic>
#include <stdexcept>

#include "sim/base/progress.hpp"
#include "sim/cpu/kernels/tuning.hpp"
#include "tests/sim/backend/cases.hpp"

namespace tri::test {
namespace {

using namespace cpu;

TEST(TileLoop, EveryTileOnceForAnyNumberOfThreads) {
  for (u32 n : {1u, 2u, 7u, 64u, 65u}) {
    for (u32 block : {1u, 4u, 100u}) {
      for (TriangleMapId map : usable_maps(n, block)) {
        const TileGrid grid = triangle_grid(map, n, block);
        for (u32 threads : {1u, 2u, 3u, 7u}) {
          std::vector<std::atomic<u32>> seen(std::size_t{grid.side} * grid.side);
          for_each_tile(map, grid, threads, [&](u32 thread, Tile2 t) {
            EXPECT_LT(thread, threads);
            ++seen.at(std::size_t{t.row} * grid.side + t.col);
          });
          for (u32 row = 0; row < grid.side; ++row) {
            for (u32 col = 0; col < grid.side; ++col) {
              const bool inside = grid.diagonal == Diagonal::with ? col <= row : col < row;
              ASSERT_EQ(seen[std::size_t{row} * grid.side + col], inside ? 1u : 0u)
                  << info(map).name << ", side " << grid.side << ", threads " << threads;
            }
          }
        }
      }
    }
  }
}

// Single pairs of thread-space maps are joined into strips; joined or not, each pair once and by one thread.
TEST(TileLoop, PairTilesCoverEveryPairOnce) {
  for (u32 n : {1u, 2u, 33u, 130u}) {
    for (u32 block : {1u, 7u, 64u}) {
      for (TriangleMapId map : usable_maps(n, block)) {
        const TileGrid grid = triangle_grid(map, n, block);
        for (u32 threads : {1u, 3u}) {
          std::vector<std::atomic<u32>> seen(std::size_t{n} * n);
          std::atomic<u64> calls{0};
          for_each_pair_tile(map, grid, threads, [&](u32, const PairTile& t) {
            ++calls;
            for (u32 i = t.row0; i < t.row1; ++i) {
              for (u32 j = t.col0; j < (t.diagonal ? i : t.col1); ++j) ++seen.at(std::size_t{i} * n + j);
            }
          });
          for (u32 i = 0; i < n; ++i) {
            for (u32 j = 0; j < n; ++j) {
              ASSERT_EQ(seen[std::size_t{i} * n + j], j < i ? 1u : 0u)
                  << info(map).name << ", n " << n << ", block " << block;
            }
          }
          if (info(map).space == Space::thread && n == 130) {
            EXPECT_LT(calls * 16, u64{n} * n / 2) << "neighbours of " << info(map).name << " stay single";
          }
        }
      }
    }
  }
}

// Ranks of unlike threads and unequal shares, one of them tiny: together every tile once, on every map.
TEST(TileLoop, SharesOfRanksCoverEveryTileOnce) {
  const std::vector<u64> cuts[] = {{0, RankShare::kWhole / 2, RankShare::kWhole},
                                   {0, 5, RankShare::kWhole / 3, RankShare::kWhole / 3 + 70000, RankShare::kWhole}};
  for (const std::vector<u64>& marks : cuts) {
    const auto on_ranks = [&](const auto& walk) {
      for (std::size_t r = 0; r + 1 < marks.size(); ++r)
        walk(static_cast<u32>(r + 1), RankShare{marks[r], marks[r + 1]});
    };
    for (const u32 n : {1u, 130u, 401u}) {
      for (TriangleMapId map : usable_maps(n, 7)) {
        const TileGrid grid = triangle_grid(map, n, 7);
        std::vector<std::atomic<u32>> tiles(std::size_t{grid.side} * grid.side), pairs(std::size_t{n} * n);
        on_ranks([&](u32 threads, RankShare share) {
          const auto pair = [&](u32, const PairTile& t) {
            for (u32 i = t.row0; i < t.row1; ++i) {
              for (u32 j = t.col0; j < (t.diagonal ? i : t.col1); ++j) ++pairs.at(std::size_t{i} * n + j);
            }
          };
          const auto tile = [&](u32, Tile2 t) { ++tiles.at(std::size_t{t.row} * grid.side + t.col); };
          for_each_tile(map, grid, threads, tile, share);
          for_each_pair_tile(map, grid, threads, pair, share);
        });
        for (u32 i = 0; i < n; ++i) {
          for (u32 j = 0; j < n; ++j) ASSERT_EQ(pairs[std::size_t{i} * n + j], j < i ? 1u : 0u) << info(map).name;
        }
        for (u32 i = 0; i < grid.side; ++i) {
          for (u32 j = 0; j < grid.side; ++j) {
            const bool inside = grid.diagonal == Diagonal::with ? j <= i : j < i;
            ASSERT_EQ(tiles[std::size_t{i} * grid.side + j], inside ? 1u : 0u) << info(map).name;
          }
        }
      }
    }
    for (TetraMapId map : usable_triple_maps(33, 4)) {
      const TileGrid grid = tetra_grid(map, 33, 4);
      std::vector<std::atomic<u32>> seen(std::size_t{grid.side} * grid.side * grid.side);
      on_ranks([&](u32 threads, RankShare share) {
        for_each_tile(
            map, grid, threads,
            [&](u32, Tile3 t) { ++seen.at((std::size_t{t.z} * grid.side + t.y) * grid.side + t.x); }, share);
      });
      u64 met = 0;
      for (const auto& count : seen) {
        EXPECT_LE(count, 1u) << info(map).name;
        met += count;
      }
      const u64 side = grid.side;
      EXPECT_EQ(met, grid.diagonal == Diagonal::with ? tetrahedral(side) : tetrahedral(side - 2)) << info(map).name;
    }
  }
}

TEST(TileLoop, EveryTripleTileOnce) {
  for (TetraMapId map : usable_triple_maps(33, 4)) {
    const TileGrid grid = tetra_grid(map, 33, 4);
    std::vector<std::atomic<u32>> seen(std::size_t{grid.side} * grid.side * grid.side);
    for_each_tile(map, grid, 3,
                  [&](u32, Tile3 t) { ++seen.at((std::size_t{t.z} * grid.side + t.y) * grid.side + t.x); });
    for (u32 z = 0; z < grid.side; ++z) {
      for (u32 y = 0; y < grid.side; ++y) {
        for (u32 x = 0; x < grid.side; ++x) {
          ASSERT_EQ(seen[(std::size_t{z} * grid.side + y) * grid.side + x], x <= y && y <= z ? 1u : 0u);
        }
      }
    }
  }
}

TEST(TileLoop, SharesDependOnGridAndThreadsOnly) {
  const TileGrid grid = triangle_grid(TriangleMapId::rec, 1000, 16);
  const auto shares = [&] {
    std::vector<u32> owner(std::size_t{grid.side} * grid.side);
    for_each_tile(TriangleMapId::rec, grid, 4,
                  [&](u32 thread, Tile2 t) { owner[std::size_t{t.row} * grid.side + t.col] = thread; });
    return owner;
  };
  const auto first = shares();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(shares() == first);
}

TEST(TileLoop, IdlePositionsAreBalanced) {
  std::vector<TriangleMapId> maps = usable_maps(4096, 64);
  std::erase_if(maps, [](TriangleMapId map) { return info(map).space == Space::thread; });
  ASSERT_FALSE(maps.empty());
  for (TriangleMapId map : maps) {
    const TileGrid grid = triangle_grid(map, 4096, 64);
    for (u32 threads : {2u, 4u}) {
      std::vector<u64> count(threads * 8);
      for_each_tile(map, grid, threads, [&](u32 thread, Tile2) { ++count[thread * 8]; });
      const double fair = static_cast<double>(grid.side) * (grid.side + 1) / 2 / threads;
      for (u32 t = 0; t < threads; ++t)
        EXPECT_NEAR(static_cast<double>(count[t * 8]) / fair, 1.0, 0.05) << info(map).name;
    }
  }
}

TEST(TileLoop, ExceptionsReachTheCaller) {
  const TileGrid grid = triangle_grid(TriangleMapId::lambda, 100, 4);
  for (u32 threads : {1u, 3u}) {
    EXPECT_THROW(for_each_tile(TriangleMapId::lambda, grid, threads,
                               [](u32, Tile2 t) {
                                 if (t.row == 7) throw std::runtime_error("seven");
                               }),
                 std::runtime_error);
  }
}

class StoppingSink final : public ProgressSink {
 public:
  explicit StoppingSink(double end_at) : end_at_(end_at) {}
  void report(const ProgressReport& r) override {
    EXPECT_EQ(r.name, "a walk");
    EXPECT_LE(last, r.done);
    last = r.done, whole = r.total;
    if (r.done >= end_at_ * r.total) throw std::runtime_error("enough");
  }
  double last = 0, whole = 0;

 private:
  double end_at_;
};

// Stops a third of the way through, on all threads; work without a name is not reported.
TEST(TileLoop, ReportsProgressAndStopsOnRequest) {
  for (TriangleMapId map : usable_maps(700, 4)) {
    const TileGrid grid = triangle_grid(map, 700, 4);
    for (u32 threads : {1u, 3u}) {
      std::atomic<u64> pairs{0};
      const auto count = [&](u32, const PairTile& t) {
        for (u32 i = t.row0; i < t.row1; ++i) pairs += t.diagonal ? i - t.row0 : t.col1 - t.col0;
      };
      StoppingSink patient(2), hasty(0.3);
      const ScopedProgressSink watching(patient);
      for_each_pair_tile(map, grid, threads, count);
      EXPECT_EQ(patient.whole, 0) << "work without a name is not reported";
      const ScopedTask name("a walk");
      pairs = 0;
      for_each_pair_tile(map, grid, threads, count);
      EXPECT_EQ(pairs, 700u * 699 / 2);
      EXPECT_GT(patient.last, 0.9 * patient.whole) << info(map).name;
      EXPECT_GE(patient.whole, static_cast<double>(count_launch(map, grid, threads).useful)) << info(map).name;
      pairs = 0;
      const ScopedProgressSink cutting(hasty);
      EXPECT_THROW(for_each_pair_tile(map, grid, threads, count), std::runtime_error) << info(map).name;
      EXPECT_LT(pairs, 700u * 699 / 2) << info(map).name << ", threads " << threads;
    }
  }
}

TEST(TileLoop, LaunchCounts) {
  const TileGrid grid = triangle_grid(TriangleMapId::bb, 1000, 10);
  EXPECT_EQ(count_launch(TriangleMapId::bb, grid, 1).launched, 10000u);
  EXPECT_EQ(count_launch(TriangleMapId::bb, grid, 1).useful, 5050u);
  EXPECT_EQ(count_launch(TriangleMapId::lambda, grid, 1).launched, 5050u);
  EXPECT_EQ(count_launch(GasketMapId::bb, 3).launched, 64u);
  EXPECT_EQ(count_launch(GasketMapId::bb, 3).useful, 27u);
}

TEST(TileLoop, ErrorsNameTheLimit) {
  expect_parts(message_of<ConfigError>([] { triangle_grid(TriangleMapId::utm, 8192, 1); }), {"utm", "8192"});
}

TEST(Tuning, BlocksGrowWithTheWork) {
  EXPECT_EQ(default_pair_block(1), 16u);
  EXPECT_EQ(default_pair_block(16384), 256u);
  EXPECT_EQ(default_triple_block(1000), 32u);
  EXPECT_EQ(worthwhile_threads(40000, 2), 1u);
  EXPECT_EQ(worthwhile_threads(1u << 20, 2), 2u);
}

}  // namespace
}  // namespace tri::test
