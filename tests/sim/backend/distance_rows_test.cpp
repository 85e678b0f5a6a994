// Blocks of rows of distances: the bits of the whole matrix, whatever the blocks, and in order from several workers.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "sim/backend/row_pipeline.hpp"
#include "sim/base/progress.hpp"
#include "tests/sim/backend/cases.hpp"

namespace tri::test {
namespace {

class Rows : public BackendTest {
 protected:
  void check_rows(u32 n, u32 features, DistanceLayout layout, const EngineConfig& config);
};
TRI_ON_EVERY_BACKEND(Rows);

PointSet points_of(u32 n, u32 features) {
  PointSet p{n, features, std::vector<double>(std::size_t{n} * features)};
  SplitMix64 random{n * 31 + features};
  for (double& v : p.values) v = random.uniform();
  return p;
}

/// The bytes of the values.
std::string bytes_of(const DistanceValues& values) {
  return std::visit(
      [](const auto& v) { return std::string(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(v[0])); },
      values);
}

void Rows::check_rows(u32 n, u32 features, DistanceLayout layout, const EngineConfig& config) {
  const PointSet points = points_of(n, features);
  const std::string whole = bytes_of(backend().distances(points, layout, config).values);
  const auto rows = backend().distance_rows(points, layout, config);
  for (const u32 at_once : {1u, 7u, n / 2 + 1, n + 5}) {
    DistanceValues values;
    std::string joined;
    for (const RowBlock& block : row_blocks(n, layout, 0, at_once, 0)) {
      rows->rows(block.first, block.last, values);
      joined += bytes_of(values);
    }
    ASSERT_TRUE(joined == whole) << describe(config, n) << ", layout " << static_cast<int>(layout) << ", " << at_once
                                 << " rows at once";
  }
}

TEST_P(Rows, JoinedBlocksHaveTheBitsOfTheWhole) {
  for (const u32 n : {1u, 2u, 3u, 31u, 67u, 129u, 257u}) {
    for (const Precision precision : kPrecisions) {
      for (const DistanceLayout layout : kDistanceLayouts) {
        for (const u32 block : cuda() ? std::vector<u32>{0, 8} : std::vector<u32>{0, 5}) {
          for (const TriangleMapId map : usable_maps(n, block == 0 ? 16 : block)) {
            if (info(map).space == Space::thread && block == 0) continue;
            check_rows(n, n % 3 + 3, layout, config_of(precision, Accumulate::fast, map, block, 2));
          }
        }
      }
    }
  }
}

// Several tiles of the largest kernels, with rectangles on either side of the block.
TEST_P(Rows, ABlockInTheMiddle) {
  constexpr u32 kN = 1531;
  const PointSet points = points_of(kN, 3);
  for (const Precision precision : kPrecisions) {
    for (const DistanceLayout layout : kDistanceLayouts) {
      const EngineConfig config = config_of(precision, Accumulate::fast);
      const std::string whole = bytes_of(backend().distances(points, layout, config).values);
      const auto rows = backend().distance_rows(points, layout, config);
      DistanceValues values;
      const u64 size = precision == Precision::fp32 ? 4 : 8;
      for (const auto& [first, last] : {RowBlock{0, 1}, {400, 1100}, {1, kN - 1}, {777, 778}, {kN - 300, kN}}) {
        rows->rows(first, last, values);
        const u64 begin = distance_row_begin(kN, layout, first) * size;
        ASSERT_TRUE(bytes_of(values) == whole.substr(begin, distance_row_begin(kN, layout, last) * size - begin))
            << first << ", " << last << ", layout " << static_cast<int>(layout);
        std::visit(
            [&, first = first, last = last]<class Real>(const std::vector<Real>& expected) {
              std::vector<Real> memory(expected.size(), Real(-1));
              rows->rows_into(first, last, std::span(memory));
              EXPECT_EQ(memory, expected);
            },
            values);
      }
    }
  }
}

TEST_P(Rows, AMapIsLimitedByTheRowsOfABlock) {
  const PointSet points = points_of(5000, 1);
  EngineConfig config = config_of(Precision::fp32, Accumulate::fast, TriangleMapId::utm, 1);
  DistanceValues values;
  const auto rows = backend().distance_rows(points, DistanceLayout::lower, config);
  EXPECT_THROW(rows->rows(0, 5000, values), ConfigError) << "utm is exact to 4,097";
  rows->rows(4000, 5000, values);
  EXPECT_EQ(std::get<std::vector<float>>(values).size(), u64{5000} * 5001 / 2 - u64{4000} * 4001 / 2);
}

TEST(RowBlocks, ByRowsAndByValues) {
  const auto ends = [](u32 n, DistanceLayout layout, u32 from, u32 at_once, u64 values) {
    std::vector<u32> result;
    u32 next = from;
    for (const auto& [first, last] : row_blocks(n, layout, from, at_once, values)) {
      EXPECT_EQ(first, next);
      result.push_back(next = last);
    }
    return result;
  };
  EXPECT_EQ(ends(10, DistanceLayout::square, 0, 4, 0), (std::vector<u32>{4, 8, 10}));
  EXPECT_EQ(ends(10, DistanceLayout::square, 9, 4, 0), (std::vector<u32>{10}));
  EXPECT_EQ(ends(10, DistanceLayout::square, 10, 4, 0), (std::vector<u32>{}));
  EXPECT_EQ(ends(10, DistanceLayout::square, 0, 0, 35), (std::vector<u32>{3, 6, 9, 10}));
  EXPECT_EQ(ends(10, DistanceLayout::square, 0, 0, 3), (std::vector<u32>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(ends(6, DistanceLayout::lower, 0, 0, 6), (std::vector<u32>{3, 4, 5, 6}));
  EXPECT_EQ(ends(6, DistanceLayout::condensed, 0, 0, 6), (std::vector<u32>{1, 2, 6}));
  EXPECT_EQ(ends(4294967295u, DistanceLayout::lower, 4294967290u, 4294967295u, 0), (std::vector<u32>{4294967295u}));
}

TEST(RowBlocks, BeginsOfRows) {
  for (const u64 n : {0, 1, 2, 7}) {
    for (const DistanceLayout layout : kDistanceLayouts) {
      u64 begin = 0;
      for (u64 row = 0; row <= n; ++row) {
        EXPECT_EQ(distance_row_begin(n, layout, row), begin);
        begin += layout == DistanceLayout::square ? n : layout == DistanceLayout::lower ? row + 1 : n - 1 - row;
      }
      EXPECT_EQ(distance_count(n, layout), distance_row_begin(n, layout, n));
    }
  }
  EXPECT_EQ(distance_count(4294967295u, DistanceLayout::condensed), u64{4294967295u} * 4294967294u / 2);
}

/// Rows whose values are their numbers; slow, and failing at one of them.
class NumberedRows final : public DistanceRows {
 public:
  NumberedRows(u32 failing, std::atomic<int>& running) : failing_(failing), running_(running) {}
  double rows(u32 first, u32 last, DistanceValues& to) override {
    ++running_;
    LoopProgress progress(1000);
    for (u64 step = 0; step < 1000 && first == endless; ++step) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      progress.at(step);
    }
    --running_;
    if (first <= failing_ && failing_ < last) throw NumericalError("the failing row");
    std::this_thread::sleep_for(std::chrono::microseconds(first * 7919 % 500));
    std::vector<double>& values = to.emplace<std::vector<double>>();
    for (u32 i = first; i < last; ++i) values.push_back(i);
    return last - first;
  }
  static constexpr u32 none = ~0u, endless = 5000;

 private:
  u32 failing_;
  std::atomic<int>& running_;
};

std::vector<std::unique_ptr<DistanceRows>> numbered(u32 count, u32 failing, std::atomic<int>& running) {
  std::vector<std::unique_ptr<DistanceRows>> workers;
  for (u32 w = 0; w < count; ++w) workers.push_back(std::make_unique<NumberedRows>(failing, running));
  return workers;
}

TEST(RowPipelines, GiveBlocksInOrderWhateverTheWorkers) {
  std::atomic<int> running{0};
  for (const u32 workers : {1u, 2u, 3u, 8u}) {
    for (const u32 n : {1u, 2u, 5u, 100u}) {
      RowPipeline pipeline(numbered(workers, NumberedRows::none, running),
                           row_blocks(n, DistanceLayout::lower, 0, 3, 0));
      u32 next = 0;
      double ms = 0;
      while (const RowPipeline::Done* block = pipeline.next([](double) {})) {
        EXPECT_EQ(block->rows.first, next);
        for (const double value : std::get<std::vector<double>>(block->values)) EXPECT_EQ(value, next++);
        EXPECT_EQ(block->rows.last, next);
        ms += block->ms;
      }
      EXPECT_EQ(next, n);
      EXPECT_EQ(ms, n);
    }
  }
}

TEST(RowPipelines, PassFailuresOnAfterTheBlocksBefore) {
  std::atomic<int> running{0};
  RowPipeline pipeline(numbered(3, 20, running), row_blocks(100, DistanceLayout::lower, 0, 3, 0));
  for (u32 b = 0; b < 6; ++b) ASSERT_NE(pipeline.next([](double) {}), nullptr);
  EXPECT_THROW(pipeline.next([](double) {}), NumericalError);
}

TEST(RowPipelines, StopWhatIsBeingComputed) {
  std::atomic<int> running{0};
  const auto begin = std::chrono::steady_clock::now();
  {
    RowPipeline pipeline(numbered(2, NumberedRows::none, running), {{NumberedRows::endless, 5001}, {0, 1}});
    const auto impatient = [&](double part) {
      EXPECT_LE(part, 1);
      if (running == 1) throw InterruptedError("enough");
    };
    EXPECT_THROW(pipeline.next(impatient), InterruptedError);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << "of the 10 s that the block takes";
}

}  // namespace
}  // namespace tri::test
