/// Row tiles of masked attention, the band of their tiles, and the queue of persistent blocks: by brute force at small
/// sizes, by neighbours and ends at large ones.

#include <atomic>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "sim/maps/map_registry.hpp"
#include "sim/maps/triangle_attention.hpp"
#include "sim/maps/triangle_batch.hpp"
#include "sim/maps/work_queue.hpp"
#include "tests/sim/maps/map_support.hpp"

namespace tri::test {
namespace {

struct Pairs {
  bool any = false, all = true;
};

/// Whether a tile holds a pair of the mask, and whether it is full of them: no query beyond the last counts, but a key.
Pairs pairs_of(const AttentionMask& mask, u32 row, u32 col, u32 tile_queries, u32 tile_keys) {
  Pairs found;
  for (u32 q = row * tile_queries; q < (row + 1) * tile_queries && q < mask.queries; ++q) {
    for (u32 k = col * tile_keys; k < (col + 1) * tile_keys; ++k) {
      const bool in = mask.holds(q, k);
      found.any |= in, found.all &= in;
    }
  }
  return found;
}

std::string name_of(const AttentionMask& m, u32 tile_queries, u32 tile_keys) {
  return std::to_string(m.queries) + " x " + std::to_string(m.keys) + ", " + std::to_string(m.low) + " to " +
         std::to_string(m.high) + ", tiles " + std::to_string(tile_queries) + " x " + std::to_string(tile_keys);
}

void expect_rows(const AttentionMask& mask, u32 tile_queries, u32 tile_keys) {
  const AttentionTiling tiling(mask, tile_queries, tile_keys);
  const std::string name = name_of(mask, tile_queries, tile_keys);
  ASSERT_EQ(tiling.rows(), (mask.queries + tile_queries - 1) / tile_queries) << name;
  for (u32 row = 0; row < tiling.rows(); ++row) {
    const AttentionRow r = tiling.row(row);
    ASSERT_TRUE(r.first <= r.whole && r.whole <= r.whole_end && r.whole_end <= r.end && r.end <= tiling.cols()) << name;
    for (u32 col = 0; col < tiling.cols(); ++col) {
      const Pairs found = pairs_of(mask, row, col, tile_queries, tile_keys);
      ASSERT_EQ(found.any, r.first <= col && col < r.end) << name << ", tile " << row << ", " << col;
      ASSERT_EQ(found.all, r.whole <= col && col < r.whole_end) << name << ", tile " << row << ", " << col;
    }
  }
}

/// Every row of every head once, sections in their order, and none much longer than one before it.
void expect_order(const AttentionMask& mask, u32 tile_queries, u32 tile_keys, u32 heads, u32 sequences, u32 section) {
  const AttentionTiling tiling(mask, tile_queries, tile_keys);
  const AttentionRows rows(tiling, heads, sequences, section);
  const std::string name = name_of(mask, tile_queries, tile_keys);
  const u32 problems = heads * sequences, size = section == 0 ? problems : section;
  ASSERT_EQ(rows.tile_count(), u64{tiling.rows()} * problems) << name;
  std::set<u64> met;
  u32 shortest = ~0u, before = 0;
  for (u64 w = 0; w < rows.tile_count(); ++w) {
    const AttentionRow r = rows.begin({w, 0, 0, 0}).tile();
    const u32 problem = r.sequence * heads + r.head, slack = tile_queries == tile_keys ? 0 : 2;
    ASSERT_TRUE(r.head < heads && r.sequence < sequences && r.row < tiling.rows()) << name;
    ASSERT_TRUE(met.insert(u64{problem} << 32 | r.row).second) << name << ", row " << r.row;
    ASSERT_EQ(r.length(), tiling.row(r.row).length());
    ASSERT_EQ(rows.position_of(r), w) << name;
    if (problem / size != before) shortest = ~0u;
    ASSERT_GE(problem / size, before) << name;
    before = problem / size;
    ASSERT_TRUE(shortest == ~0u || r.length() <= shortest + slack) << name << ", position " << w;
    shortest = std::min(shortest, r.length());
  }
}

TEST(Attention, SmallMasksByBruteForce) {
  for (u32 queries = 0; queries <= 9; ++queries) {
    for (u32 keys = 0; keys <= 9; ++keys) {
      for (i64 low = -10; low <= 10; low += 2) {
        for (i64 high = low - 1; high <= 11; ++high) {
          for (const auto& [tile_queries, tile_keys] : {std::pair{1u, 1u}, {2u, 2u}, {3u, 3u}, {2u, 3u}, {4u, 1u}}) {
            const AttentionMask mask{queries, keys, low, high};
            expect_rows(mask, tile_queries, tile_keys);
            expect_order(mask, tile_queries, tile_keys, 2, 1, 0);
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Attention, RandomMasksByBruteForce) {
  Random random;
  for (u32 round = 0; round < 150; ++round) {
    const u32 queries = static_cast<u32>(random.below(200)), keys = static_cast<u32>(random.below(200));
    const i64 left = static_cast<i64>(random.below(160)) - 40, right = static_cast<i64>(random.below(80)) - 40;
    const AttentionMask mask = AttentionMask::windowed(queries, keys, left, right);
    const u32 tile = 1 + static_cast<u32>(random.below(17)), other = 1 + static_cast<u32>(random.below(17));
    for (const u32 tile_keys : {tile, other}) {
      expect_rows(mask, tile, tile_keys);
      expect_rows(mask.transposed(), tile_keys, tile);
      expect_order(mask, tile, tile_keys, 3, 2, static_cast<u32>(random.below(8)));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Attention, WindowsAreAlignedAtTheLastQueryAndKey) {
  const AttentionMask causal = AttentionMask::causal(3, 5), window = AttentionMask::windowed(3, 5, 1, 0);
  EXPECT_TRUE(causal.holds(0, 2) && !causal.holds(0, 3) && causal.holds(2, 4) && causal.holds(2, 0));
  EXPECT_TRUE(window.holds(0, 2) && window.holds(0, 1) && !window.holds(0, 0) && !causal.holds(3, 0));
  for (u32 q = 0; q < 3; ++q) {
    for (u32 k = 0; k < 5; ++k) EXPECT_EQ(window.holds(q, k), window.transposed().holds(k, q));
  }
  const AttentionRows rows(AttentionTiling(AttentionMask::causal(10, 7), 2, 2), 1, 1);
  std::string order;
  for (u64 w = 0; w < rows.tile_count(); ++w) order += std::to_string(rows.begin({w, 0, 0, 0}).tile().row);
  EXPECT_EQ(order, "43210") << "as the head of the header draws it";
}

TEST(Attention, NothingIsLaunchedForNothing) {
  const AttentionTiling none(AttentionMask::causal(0, 5), 2, 2), some(AttentionMask::causal(5, 0), 2, 2);
  EXPECT_EQ(positions(AttentionRows(none, 4, 4).launch(0)), 0u);
  EXPECT_EQ(positions(AttentionRows(some, 0, 4).launch(0)), 0u);
  EXPECT_EQ(positions(AttentionRows(some, 4, 0).launch(0)), 0u);
  EXPECT_EQ(positions(AttentionRows(some, 1, 1).launch(0)), 3u) << "queries without a key have rows to write";
  EXPECT_EQ(AttentionRows(some, 1, 1).begin({0, 0, 0, 0}).tile().length(), 0u);
}

TEST(Attention, LargeMasksKeep64Bits) {
  constexpr u32 kMaxSide = 1u << 31;
  const AttentionTiling causal(AttentionMask::causal(kMaxSide, kMaxSide), 1, 1);
  const AttentionRows rows(causal, 65536, 65535, 8);
  EXPECT_EQ(rows.tile_count(), u64{kMaxSide} * 65536 * 65535);
  const AttentionRow first = rows.begin({0, 0, 0, 0}).tile(),
                     last = rows.begin({rows.tile_count() - 1, 0, 0, 0}).tile();
  EXPECT_TRUE(first.row == kMaxSide - 1 && first.end == kMaxSide && first.head == 0 && first.sequence == 0);
  EXPECT_TRUE(last.row == 0 && last.end == 1 && last.head == 65535 && last.sequence == 65534);
  EXPECT_EQ(rows.position_of(last), rows.tile_count() - 1);
  const AttentionRow ninth = rows.begin({u64{kMaxSide} * 8, 0, 0, 0}).tile();
  EXPECT_TRUE(ninth.row == kMaxSide - 1 && ninth.head == 8);
  const AttentionTiling slid(AttentionMask::windowed(kMaxSide, kMaxSide, 1000, 17), 128, 176);
  for (const u32 row : {0u, 1u, 12345678u, slid.rows() - 1}) {
    const AttentionRow r = slid.row(row);
    const i64 top = i64{row} * 128;
    EXPECT_EQ(r.first, static_cast<u32>(std::max<i64>(0, top - 1000) / 176));
    EXPECT_EQ(r.end, std::min<i64>(slid.cols(), (top + 127 + 17) / 176 + 1));
  }
}

TEST(Attention, BatchesAreSortedOverAllSequences) {
  Random random;
  std::vector<AttentionMask> masks;
  for (u32 k = 0; k < 60; ++k) {
    const u32 queries = static_cast<u32>(random.below(300)), keys = queries + static_cast<u32>(random.below(100));
    masks.push_back(k % 3 == 0 ? AttentionMask::windowed(queries, keys, 40, 0) : AttentionMask::causal(queries, keys));
  }
  masks.push_back(AttentionMask::causal(0, 0));
  const auto table = AttentionBatch::make_table(masks, 16, 24);
  u64 expected = 0;
  for (const AttentionMask& mask : masks) expected += AttentionTiling(mask, 16, 24).rows();
  ASSERT_EQ(table.size(), expected);
  const AttentionBatch batch(table.data(), static_cast<u32>(table.size()), 3);
  ASSERT_EQ(positions(batch.launch(0)), 3 * expected);
  std::set<std::array<u32, 3>> met;
  u32 length = ~0u;
  for (u64 w = 0; w < batch.tile_count(); ++w) {
    const AttentionRow r = batch.begin({w, 0, 0, 0}).tile();
    const AttentionRow own = AttentionTiling(masks[r.sequence], 16, 24).row(r.row);
    ASSERT_TRUE(met.insert({r.sequence, r.row, r.head}).second && r.head < 3);
    ASSERT_TRUE(r.first == own.first && r.end == own.end && r.whole == own.whole && r.whole_end == own.whole_end);
    ASSERT_LE(r.length(), length) << "longest first";
    length = r.length();
  }
  EXPECT_TRUE(AttentionBatch::make_table(std::span<const AttentionMask>{}, 16, 16).empty());
  const std::vector<AttentionMask> many(3, AttentionMask::causal(1u << 31, 1));
  EXPECT_THROW(AttentionBatch::make_table(many, 1, 1), std::length_error);
}

// The band of a mask, and the inverse of the map of bands.

void expect_band_of(const AttentionMask& mask, u32 tile) {
  const TriangleBand band = band_of(mask, tile);
  const u32 rows = (mask.queries + tile - 1) / tile, cols = (mask.keys + tile - 1) / tile;
  u64 w = 0;
  for (u32 row = 0; row < rows; ++row) {
    for (u32 col = 0; col < cols; ++col) {
      if (!pairs_of(mask, row, col, tile, tile).any) continue;
      ASSERT_LT(w, band.tile_count()) << name_of(mask, tile, tile);
      ASSERT_EQ(band.begin({w, 0, 0, 0}).tile(), (Tile2{row, col})) << name_of(mask, tile, tile) << ", position " << w;
      ASSERT_EQ(band.position_of({row, col}), w) << name_of(mask, tile, tile);
      ++w;
    }
  }
  ASSERT_EQ(w, band.tile_count()) << name_of(mask, tile, tile);
}

TEST(Attention, BandsOfMasksByBruteForce) {
  for (u32 queries = 0; queries <= 9; ++queries) {
    for (u32 keys = 0; keys <= 9; ++keys) {
      for (i64 low = -11; low <= 11; ++low) {
        for (i64 high = low - 1; high <= 11; high += 2) {
          for (u32 tile = 1; tile <= 4; ++tile) {
            expect_band_of({queries, keys, low, high}, tile);
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
  for (const i64 left : {-1, 0, 5, 100, 5000}) expect_band_of(AttentionMask::windowed(130, 500, left, 3), 16);
}

TEST(Attention, PositionsOfLargeBandsAreInverse) {
  Random random;
  constexpr u32 kMaxSide = 1u << 31;
  for (const AttentionMask& mask :
       {AttentionMask::causal(kMaxSide, kMaxSide), AttentionMask::windowed(kMaxSide, kMaxSide, 1 << 20, 1 << 10),
        AttentionMask::windowed(kMaxSide, kMaxSide, -1, -1), AttentionMask::causal(kMaxSide, 5000000)}) {
    const TriangleBand band = band_of(mask, 2);
    for (u32 k = 0; k < 3000; ++k) {
      const u64 w = k == 0 ? band.tile_count() - 1 : random.below(band.tile_count());
      const Tile2 tile = band.begin({w, 0, 0, 0}).tile();
      ASSERT_EQ(band.position_of(tile), w);
      const i64 low = 2 * i64{tile.col} - 2 * i64{tile.row} - 1;  // the smallest key - query of the tile
      ASSERT_TRUE(low <= mask.high && low + 2 >= mask.low && tile.row < kMaxSide / 2 && 2 * u64{tile.col} < mask.keys);
    }
  }
}

// Batches of triangles: the largest first, and equal runs.

TEST(Attention, RunsOfABatchAreEqual) {
  Random random;
  for (u32 round = 0; round < 60; ++round) {
    std::vector<u32> sides(random.below(40));
    for (u32& side : sides) side = static_cast<u32>(random.below(random.below(3) == 0 ? 30 : 4));
    for (const Diagonal diagonal : kBothDiagonals) {
      const std::vector<u64> table = TriangleBatch::make_table(sides, diagonal);
      const u32 problems = static_cast<u32>(sides.size()), workers = static_cast<u32>(random.below(9));
      const TriangleBatch batch(table.data(), problems, table.back(), diagonal);
      const TriangleBatchStream stream(table.data(), problems, table.back(), diagonal, workers);
      ASSERT_EQ(stream.launch(0).x, std::min<u64>(std::max(workers, 1u), table.back()));
      u64 w = 0;
      for (u64 worker = 0; worker < stream.launch(0).x; ++worker) {
        const u64 before = w;
        for (auto tiles = stream.begin({worker, 0, 0, 0}); tiles.valid(); tiles.next(), ++w) {
          ASSERT_EQ(tiles.tile(), batch.begin({w, 0, 0, 0}).tile()) << "position " << w;
        }
        ASSERT_LE(w - before - table.back() / stream.launch(0).x, 1u) << "runs differ by one at most";
      }
      ASSERT_EQ(w, table.back());
    }
  }
  const std::vector<u32> sides{3, 0, 7, 3, 9};
  EXPECT_EQ(TriangleBatch::longest_first(sides), (std::vector<u32>{4, 2, 0, 3, 1}));
  EXPECT_TRUE(TriangleBatch::longest_first(std::vector<u32>{}).empty());
}

// The queue: every position once, by threads that race, and a counter that is ready for the next launch.

TEST(WorkQueue, EveryPositionOnceByThreads) {
  std::atomic<u64> counter = 0;
  for (const u64 positions : {u64{0}, u64{1}, u64{2}, u64{7}, u64{1000}, u64{4099}}) {
    for (const u32 workers : {0u, 1u, 3u, 4u, 5000u}) {
      for (const u32 chunk : {0u, 1u, 3u, 5000u}) {
        const WorkQueue queue(positions, workers, chunk);
        ASSERT_LE(queue.workers(), std::max(workers, 1u));
        ASSERT_EQ(queue.workers() == 0, positions == 0);
        std::vector<std::atomic<u32>> met(positions);
        const auto work = [&](u32 worker) {
          for (Share run = queue.first(worker); run.length != 0;) {
            for (u64 k = 0; k < run.length; ++k) met[run.first + k].fetch_add(1);
            const u64 ticket = counter.fetch_add(1);
            if (queue.is_last(ticket)) counter = 0;
            run = queue.next(ticket);
          }
        };
        if (queue.workers() <= 4) {
          std::vector<std::thread> threads;
          for (u32 k = 0; k < queue.workers(); ++k) threads.emplace_back(work, k);
          for (std::thread& thread : threads) thread.join();
        } else {
          for (u32 k = 0; k < queue.workers(); ++k) work(k);
        }
        for (u64 w = 0; w < positions; ++w) ASSERT_EQ(met[w], 1u) << positions << ", " << workers << ", " << chunk;
        ASSERT_EQ(counter, 0u) << positions << ", " << workers << ", " << chunk;
      }
    }
  }
}

TEST(WorkQueue, LargeOnesKeep64Bits) {
  const u64 positions = (u64{1} << 61) + 6;
  const WorkQueue queue(positions, 4096, 7);
  const u64 chunks = positions / 7 + 1;
  EXPECT_EQ(queue.first(4095).first, 4095u * 7);
  const Share last = queue.next(chunks - 4096 - 1);
  EXPECT_TRUE(last.first + last.length == positions && last.length == positions % 7);
  EXPECT_EQ(queue.next(chunks - 4096).length, 0u);
  EXPECT_TRUE(queue.is_last(chunks - 1) && !queue.is_last(chunks - 2));
}

TEST(WorkQueue, PositionsOfEveryMapInTheirOrder) {
  for (const TriangleMapId id : all_triangle_maps()) {
    for (const u32 side : {0u, 1u, 8u, 21u}) {
      visit_triangle_map(id, side, Diagonal::with, 3, [](const auto& map) {
        u64 w = 0;
        for_each_position(map, [&](Position p) {
          const Position q = WorkQueue::position_at(map, w++);
          ASSERT_TRUE(p.x == q.x && p.y == q.y && p.z == q.z && p.pass == q.pass) << map.kInfo.name << ", " << w - 1;
        });
      });
    }
  }
}

}  // namespace
}  // namespace tri::test
