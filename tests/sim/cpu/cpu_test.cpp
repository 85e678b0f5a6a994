// The cpu backend's own: SIMD targets, programs, loops over tiles, teams of threads.
//
// The kernels of every SIMD target: scalar, SSE4, AVX2, AVX-512. Skips those that this processor cannot run.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>
#include <time.h>

#include "hwy/detect_targets.h"
#include "hwy/targets.h"
#include "sim/backend/backend.hpp"
#include "sim/base/hilbert.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/body_store.hpp"
#include "sim/cpu/cpu_engine.hpp"
#include "sim/cpu/kernels.hpp"
#include "sim/cpu/tile_loop.hpp"
#include "sim/cpu/tree.hpp"
#include "sim/cpu/typed_tiles.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/sim/backend/law_cases.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {
namespace {

/// Limits dispatch to some targets while it exists. The scalar targets are always available and remain if no other
/// does.
class Only {
 public:
  explicit Only(i64 targets) { hwy::SetSupportedTargetsForTest(targets), refresh(); }
  ~Only() { hwy::SetSupportedTargetsForTest(0), refresh(); }
  Only(const Only&) = delete;
  Only& operator=(const Only&) = delete;

 private:
  static void refresh() { hwy::GetChosenTarget().Update(hwy::SupportedTargets()); }
};

struct Target {
  i64 bit;
  const char* name;
  i64 twin;  ///< gives the same bits: both have a fused multiply-add, or neither
};
constexpr Target kTargets[] = {{HWY_SCALAR, "SCALAR", HWY_SCALAR},
                               {HWY_SSE4, "SSE4", HWY_SCALAR},
                               {HWY_AVX2, "AVX2", HWY_AVX2},
                               {HWY_AVX3, "AVX-512", HWY_AVX2}};

class SimdTargets : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    const Target& target = GetParam();
    if ((HWY_TARGETS & target.bit) == 0) GTEST_SKIP() << target.name << " is not compiled in this build";
    if (target.bit != HWY_SCALAR && (hwy::SupportedTargets() & target.bit) == 0) {
      GTEST_SKIP() << "this processor has no " << target.name;
    }
    only_.emplace(target.bit);
    ASSERT_STREQ(cpu::simd_target(), target.name);
  }
  std::optional<Only> only_;
};

TEST_P(SimdTargets, ForcesOfEveryLawAndMode) {
  const auto backend = make_backend("cpu");
  expect_laws(*backend, pair_laws(), {67, 131}, {1, 13, 64, 200});
  expect_laws(*backend, {axilrod_teller()}, {41}, {1, 13, 64});
}

TEST_P(SimdTargets, DistancesAndCollisions) {
  const auto backend = make_backend("cpu");
  PointSet points{75, 5, {}};
  SplitMix64 random{3};
  for (u32 i = 0; i < 75 * 5; ++i) points.values.push_back(random.uniform());
  for (DistanceLayout layout : kDistanceLayouts) {
    const auto expected = reference_distances(points, layout);
    const auto got =
        backend->distances(points, layout, config_of(Precision::fp64, Accumulate::fast, TriangleMapId::lambda, 13));
    const auto& values = std::get<std::vector<double>>(got.values);
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected[i], 1e-15);
  }
  for (Precision precision : kPrecisions) {
    const Bodies bodies = as_held(cloud_bodies(300), precision);
    EXPECT_TRUE(backend->collisions(bodies, config_of(precision, Accumulate::fast)).pairs ==
                reference_collisions(bodies));
    BenchSpec spec;
    spec.kernel = BenchKernel::collision;
    spec.precision = precision;
    const auto bench = backend->make_bench(spec);
    bench->run();
    EXPECT_TRUE(bench->check().passed);
  }
}

// Ordered: bit-equal over tile sides within a target and between twins.
TEST_P(SimdTargets, OrderedBitsWithinAndAcrossTargets) {
  const auto backend = make_backend("cpu");
  for (Precision precision : kPrecisions) {
    const auto forces = [&](u32 block) {
      EngineConfig config = config_of(precision, Accumulate::ordered, TriangleMapId::lambda, block, 2);
      config.triple_block = block;
      return backend->make_engine(lattice_bodies(60), argon_field(), config)->forces();
    };
    only_.emplace(GetParam().twin);
    const ForceResult expected = forces(64);
    only_.emplace(GetParam().bit);
    for (u32 block : {1u, 5u, 64u}) {
      const ForceResult got = forces(block);
      EXPECT_TRUE(got.fx == expected.fx && got.fy == expected.fy && got.fz == expected.fz);
    }
  }
}

TEST_P(SimdTargets, KeysOfTheTreeAreThoseOfTheCurve) {
  SplitMix64 random{3};
  u32 cells[3][cpu::kKeysAtOnce];
  u64 keys[cpu::kKeysAtOnce];
  for (auto& axis : cells) {
    for (u32& cell : axis) cell = static_cast<u32>(random.uniform() * (1u << cpu::kCellBits));
  }
  cpu::curve_keys(cells[0], cells[1], cells[2], keys);
  for (u32 i = 0; i < cpu::kKeysAtOnce; ++i) {
    EXPECT_EQ(keys[i], hilbert_key<cpu::kCellBits>(cells[0][i], cells[1][i], cells[2][i])) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SimdTargets, testing::ValuesIn(kTargets), [](const auto& row) {
  std::string name = row.param.name;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace tri::test

// The interpreter of typed laws: each operation against the program's own evaluation, for ordinary and special
// numbers; buffers that are used again; rows, ragged ends and tiles of any shape.

namespace tri::cpu {
namespace {

using expression::Op;
using expression::PairInput;
using expression::Program;

const std::vector<double> kUniformValues{1, 0.75};

TypedPairs law_of(const Program& program) {
  TypedPairs law;
  law.plan = ProgramPlan(program, kUniformValues, expression::kPairInputs);
  return law;
}

/// One operation of mi, mj and ri, which a test may set to any numbers.
Program program_of(Op op) {
  Program p;
  for (const PairInput input : {PairInput::mi, PairInput::mj, PairInput::ri}) {
    p.code.push_back({Op::input, static_cast<u32>(input), 0, 0});
  }
  p.code.push_back({op, 0, 1, 2});
  p.outputs = {3};
  return p;
}

template <class Real>
double run(const Program& p, std::array<double, 3> v) {
  const std::vector<Real> inputs{1, Real(v[0]), Real(v[1]), Real(v[2]), 0, 0, 0};
  const std::vector<Real> uniforms(kUniformValues.begin(), kUniformValues.end());
  return static_cast<double>(p.run<Real>(inputs, uniforms)[0]);
}

/// The strengths of a body that is the row of `values`, against as many columns: each is one set of operands.
template <class Real, class Sums, class Total>
std::vector<double> strengths(const Program& p, const std::vector<std::array<double, 3>>& values) {
  std::vector<double> found;
  for (const auto& v : values) {
    // The first body is the column, the second the row: mi is of the row.
    Bodies b;
    b.add(1, 0, 0, 0, 0, 0, 1), b.add(0, 0, 0, 0, 0, 0, 1);
    BodyStore<Real> store(b);
    store.m[0] = Real(v[1]), store.m[1] = Real(v[0]), store.r[1] = Real(v[2]);
    std::vector<Total> x(2), y(2), z(2);
    Sums sums{};
    sums.axis[0] = x.data(), sums.axis[1] = y.data(), sums.axis[2] = z.data();
    add_tile(law_of(p), store.view(), PairTile{1, 2, 0, 1, false}, sums);
    EXPECT_TRUE(x[0] == -x[1] || std::isnan(static_cast<double>(x[0])));
    found.push_back(static_cast<double>(x[1]));  // d = (1, 0, 0)
  }
  return found;
}

constexpr double kInf = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<std::array<double, 3>> operands() {
  std::vector<std::array<double, 3>> all;
  SplitMix64 random{7};
  for (u32 k = 0; k < 400; ++k) {
    all.push_back({4 * random.uniform() - 1, 4 * random.uniform() - 1, 4 * random.uniform() - 1});
  }
  for (const double a : {0.0, 1.0, -1.0, 0.5, 80.0, -80.0, 1e6, -1e6, 1e-6, 700.0, -700.0, 1e30, kInf, -kInf, kNaN}) {
    for (const double b : {2.0, -0.5, 0.0}) all.push_back({a, b, 3});
  }
  return all;
}

bool is_fused(Op op) { return op == Op::multiply_add || op == Op::neg_multiply_add; }

template <class Real, class Sums, class Total>
void expect_operation(Op op, double tolerance) {
  const Program p = program_of(op);
  const auto values = operands();
  const auto got = strengths<Real, Sums, Total>(p, values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double want = run<Real>(p, values[k]);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got[k])) << name_of(op) << " of " << values[k][0] << ": " << got[k];
    } else if (std::isinf(want)) {
      EXPECT_EQ(got[k], want) << name_of(op) << " of " << values[k][0];
    } else {
      // Relative, but for zeros of the functions, and for the one rounding of a fused operation.
      EXPECT_NEAR(got[k], want, tolerance * std::max(is_fused(op) ? 10 : 1e-3, std::abs(want)))
          << name_of(op) << " of " << values[k][0] << ", " << values[k][1];
    }
  }
}

constexpr Op kLastOp = Op::below;

TEST(TypedPrograms, EveryOperationIsThatOfTheProgram) {
  for (u32 o = static_cast<u32>(Op::add); o <= static_cast<u32>(kLastOp); ++o) {
    SCOPED_TRACE(name_of(static_cast<Op>(o)));
    expect_operation<double, FastSums, double>(static_cast<Op>(o), 4e-15);
    expect_operation<float, FastSums, double>(static_cast<Op>(o), 2e-6);
  }
}

/// A program with several numbers alive at once, whose buffers are used again, reused operands and scalars on each
/// side: E' = ((r2 + u)(r2 + u) - 3 r2) / (mi + mj r2) + qi qj.
Program long_program() {
  Program p;
  p.numbers = {3};
  p.code = {{Op::input, 0, 0, 0},          {Op::uniform, 1, 0, 0}, {Op::add, 0, 1, 0},
            {Op::multiply, 2, 2, 0},       {Op::number, 0, 0, 0},  {Op::neg_multiply_add, 4, 0, 3},
            {Op::input, 1, 0, 0},          {Op::input, 2, 0, 0},   {Op::multiply_add, 7, 0, 6},
            {Op::divide, 5, 8, 0},         {Op::input, 5, 0, 0},   {Op::input, 6, 0, 0},
            {Op::multiply_add, 10, 11, 9}, {Op::tanh, 3, 0, 0}};
  p.outputs = {12};
  return p;
}

double long_strength(double r2, double mi, double mj, double qq) {
  const double s = r2 + 0.75;
  return (s * s - 3 * r2) / (mi + mj * r2) + qq;
}

TEST(TypedPrograms, FewBuffersAndNoStepThatNothingNeeds) {
  const TypedPairs law = law_of(long_program());
  EXPECT_EQ(law.plan.steps().size(), 6u) << "tanh is not an output";
  EXPECT_LE(law.plan.buffers(), 2u);
  EXPECT_EQ(law.plan.scalars(), 2u);
  EXPECT_TRUE(law.plan.reads(0) && law.plan.reads(6));
  EXPECT_FALSE(law.plan.reads(3));
}

Bodies any_bodies(u32 n) {
  Bodies b = test::cloud_bodies(n);
  SplitMix64 random{n};
  for (u32 i = 0; i < n; ++i) b.m[i] = 1 + random.uniform(), b.q.push_back(random.uniform() - 0.5);
  return b;
}

TEST(TypedPrograms, TilesOfAnyShapeGiveThePlainLoop) {
  const TypedPairs law = law_of(long_program());
  for (const u32 n : {1u, 2u, 3u, 16u, 17u, 255u, 259u, 530u}) {
    const Bodies b = any_bodies(n);
    const BodyStore<double> store(b);
    std::vector<double> want(n);
    for (u32 i = 0; i < n; ++i) {
      for (u32 j = 0; j < n; ++j) {
        if (i == j) continue;
        const double dx = b.x[j] - b.x[i], dy = b.y[j] - b.y[i], dz = b.z[j] - b.z[i];
        const u32 larger = std::max(i, j), smaller = std::min(i, j);  // the law is not symmetric, to see the order
        want[i] += long_strength(dx * dx + dy * dy + dz * dz, b.m[larger], b.m[smaller], b.q[i] * b.q[j]) * dx;
      }
    }
    for (const u32 side : {1u, 3u, 64u, 256u, 300u, 1000u}) {
      std::array<std::vector<double>, 3> axes;
      FastSums sums;
      for (std::size_t a = 0; a < 3; ++a) axes[a].assign(n, 0), sums.axis[a] = axes[a].data();
      for (u32 row = 0; row < n; row += side) {
        for (u32 col = 0; col <= row; col += side) {
          const PairTile tile{row, std::min(row + side, n), col, std::min(col + side, n), row == col};
          add_tile(law, store.view(), tile, sums);
        }
      }
      for (u32 i = 0; i < n; ++i) ASSERT_NEAR(axes[0][i], want[i], 1e-12 * n) << n << ", side " << side << ", " << i;
    }
  }
}

TEST(TypedPrograms, AStrengthMayBeAConstantOrAnInput) {
  Program constant;
  constant.code = {{Op::uniform, 1, 0, 0}};
  constant.outputs = {0};
  EXPECT_EQ((strengths<double, FastSums, double>(constant, {{1, 1, 1}})), std::vector<double>{0.75});
  Program mass;
  mass.code = {{Op::input, static_cast<u32>(PairInput::mi), 0, 0}};
  mass.outputs = {0};
  EXPECT_EQ((strengths<float, FastSums, double>(mass, {{5, 1, 1}})), std::vector<double>{5});
}

}  // namespace
}  // namespace tri::cpu

// The prediction of the memory that steps with jerks take: against what they take, and its message.

namespace tri::test {
namespace {

EngineConfig jerk_config(Accumulate accumulate, u32 threads) {
  EngineConfig config;
  config.precision = Precision::fp64, config.accumulate = accumulate, config.threads = threads;
  return config;
}

/// Bytes of the heap in use.
double heap_bytes() {
  const struct mallinfo2 all = mallinfo2();
  return static_cast<double>(all.uordblks) + static_cast<double>(all.hblkhd);
}

TEST(JerkMemory, IsWhatIsPredicted) {
  if (heap_bytes() == 0) GTEST_SKIP() << "under a sanitizer the heap is not counted";
  const u32 n = 20000;
  const Bodies bodies = cloud_bodies(n);
  for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
    for (const u32 threads : {1u, 3u}) {
      const auto engine = make_backend("cpu")->make_engine(bodies, ForceField{}, jerk_config(accumulate, threads));
      const double before = heap_bytes();
      engine->advance(Integrator::hermite, 1e-6, 1);
      const double took = heap_bytes() - before;
      const double predicted = static_cast<double>(cpu::jerk_steps_bytes(n, accumulate, threads));
      EXPECT_LE(took, 1.02 * predicted) << to_string(accumulate) << ", " << threads;
      EXPECT_GE(took, 0.8 * predicted) << to_string(accumulate) << ", " << threads;
    }
  }
}

// With many threads: the sums of forces fit, those of accelerations and jerks do not.
TEST(JerkMemory, ThatIsNotThereIsRefusedWithWhatFits) {
  const auto engine_needs = [](u64 n) {
    return cpu::engine_bytes(n, ForceField{}, Precision::fp64, Accumulate::ordered, kMaxThreads);
  };
  const u64 n = largest_that_fits(engine_needs, available_memory() / 4 * 3);
  if (n > 4'000'000) GTEST_SKIP() << "too much memory is free for a quick test";
  const auto engine = make_backend("cpu")->make_engine(cloud_bodies(static_cast<u32>(n)), ForceField{},
                                                       jerk_config(Accumulate::ordered, kMaxThreads));
  const std::string text = message_of<MemoryError>([&] { engine->advance(Integrator::hermite, 1e-6, 1); });
  expect_parts(text, {"steps with jerks of " + std::to_string(n) + " bodies would take", "Use ", " bodies or fewer"});
  const u64 fits = std::stoull(text.substr(text.find("Use ") + 4));
  EXPECT_GT(fits, n / 3);
  EXPECT_LT(fits, n);
}

// The walk over a launch grid: every tile once, a fixed share for each thread, exceptions rethrown to the caller.

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

// Stops a third of the way through, on all threads; work without a name is not reported.
TEST(TileLoop, ReportsProgressAndStopsOnRequest) {
  for (TriangleMapId map : usable_maps(700, 4)) {
    const TileGrid grid = triangle_grid(map, 700, 4);
    for (u32 threads : {1u, 3u}) {
      std::atomic<u64> pairs{0};
      const auto count = [&](u32, const PairTile& t) {
        for (u32 i = t.row0; i < t.row1; ++i) pairs += t.diagonal ? i - t.row0 : t.col1 - t.col0;
      };
      EndingSink patient(0), hasty = EndingSink::at_part(0.3);
      const ScopedProgressSink watching(patient);
      for_each_pair_tile(map, grid, threads, count);
      EXPECT_EQ(patient.total, 0) << "work without a name is not reported";
      const ScopedTask name("a walk");
      pairs = 0;
      for_each_pair_tile(map, grid, threads, count);
      EXPECT_EQ(pairs, 700u * 699 / 2);
      EXPECT_EQ(patient.name, "a walk");
      EXPECT_EQ(patient.falls, 0u);
      EXPECT_GT(patient.done, 0.9 * patient.total) << info(map).name;
      EXPECT_GE(patient.total, static_cast<double>(count_launch(map, grid, threads).useful)) << info(map).name;
      pairs = 0;
      const ScopedProgressSink cutting(hasty);
      EXPECT_THROW(for_each_pair_tile(map, grid, threads, count), InterruptedError) << info(map).name;
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
  EXPECT_EQ(default_distance_block(16384), 1024u);
  // Before a first tile of more memory ends, Ctrl-C waits for seconds.
  for (const u64 n : {1000u, 10'000u, 30'000u, 60'000u}) EXPECT_LE(default_distance_block(n) * n * 8, 128u << 20) << n;
  EXPECT_EQ(worthwhile_threads(40000, 2), 1u);
  EXPECT_EQ(worthwhile_threads(1u << 20, 2), 2u);
}

// The team of threads: each share once, the first by the caller, and no processor time while it waits.

using namespace cpu;

double cpu_seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

TEST(ThreadTeam, EachShareOnceForAnyNumber) {
  ThreadTeam team;
  for (u32 run = 0; run < 3000; ++run) {
    const u32 shares = 1 + run % 17;
    std::vector<std::atomic<u32>> seen(shares);
    std::thread::id first;
    team.run(shares, [&](u32 share) {
      ++seen.at(share);
      if (share == 0) first = std::this_thread::get_id();
    });
    for (u32 share = 0; share < shares; ++share) ASSERT_EQ(seen[share], 1u) << "run " << run << ", share " << share;
    ASSERT_EQ(first, std::this_thread::get_id());
  }
}

TEST(ThreadTeam, ThreadsHaveTeamsOfTheirOwn) {
  std::atomic<u64> sum{0};
  std::vector<std::thread> callers;
  for (u32 caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (u32 run = 0; run < 500; ++run) on_threads(3, [&](u32 share) { sum += share + 1; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, u64{4} * 500 * 6);
}

// A thread that spins while it waits takes a core from those that compute.
TEST(ThreadTeam, WaitingTakesNoProcessorTime) {
  ThreadTeam team;
  constexpr u32 kRuns = 100;
  constexpr double kSeconds = 0.002;
  const double before = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (u32 run = 0; run < kRuns; ++run) {
    team.run(2, [](u32 share) {
      if (share != 0) return;
      for (const double end = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) + kSeconds;
           cpu_seconds(CLOCK_THREAD_CPUTIME_ID) < end;) {
      }
    });
  }
  EXPECT_LT(cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - before, 1.4 * kRuns * kSeconds);
}

}  // namespace
}  // namespace tri::test
