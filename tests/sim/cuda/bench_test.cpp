// The bench cases: every kernel, form and map yields the right result, and its check detects a single damaged value.

#include <algorithm>

#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/fractal/fractal.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using CudaBench = CudaTest;

std::vector<u64> bench_sizes() {
  return small_only() ? std::vector<u64>{1, 65} : std::vector<u64>{1, 2, 65, 300, 1300};
}

TEST_F(CudaBench, DummyInEveryForm) {
  const auto backend = make_backend("cuda");
  for (const BenchForm form : {BenchForm::hold, BenchForm::store, BenchForm::write, BenchForm::automaton}) {
    for (const u64 n : bench_sizes()) {
      for (const u32 block : thinned<u32>({0, 32, 8})) {
        for (const TriangleMapId map : usable_maps(static_cast<u32>(n), block == 0 ? 16 : block)) {
          BenchSpec spec = spec_of(BenchKernel::dummy, info(map).name, n, block);
          spec.form = form;
          exercise(*backend, spec);
        }
      }
    }
  }
}

TEST_F(CudaBench, EdmInEveryLayout) {
  const auto backend = make_backend("cuda");
  for (const DistanceLayout layout : kDistanceLayouts) {
    for (const Precision precision : kPrecisions) {
      for (const u64 n : bench_sizes()) {
        for (const u32 block : {0u, 16u}) {
          for (const TriangleMapId map : usable_maps(static_cast<u32>(n), 16)) {
            BenchSpec spec = spec_of(BenchKernel::edm, info(map).name, n, block);
            spec.layout = layout;
            spec.precision = precision;
            spec.features = n == 300 ? 16 : 4;
            exercise(*backend, spec);
          }
        }
      }
    }
  }
}

TEST_F(CudaBench, Baselines) {
  const auto backend = make_backend("cuda");
  for (const u64 n : bench_sizes()) {
    for (const DistanceLayout layout : kDistanceLayouts) {
      for (const char* map : {"fill", "lambda-alone"}) {
        BenchSpec spec = spec_of(BenchKernel::edm, map, n);
        spec.layout = layout;
        exercise(*backend, spec);
      }
    }
    for (const u32 block : {cuda::kCollisionTileSmall, cuda::kCollisionTileLarge}) {
      exercise(*backend, spec_of(BenchKernel::collision, "lambda-alone", n, block));
    }
  }
  BenchSpec wide = spec_of(BenchKernel::edm, "lambda-alone", 100);
  wide.features = 5;
  EXPECT_THROW(backend->make_bench(wide), ConfigError);
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::edm, "lambda-alone", 100, 16)), ConfigError);
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::dummy, "fill", 100)), ConfigError);
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::collision, "fill", 100)), ConfigError);
}

TEST_F(CudaBench, CollisionInEveryDimension) {
  const auto backend = make_backend("cuda");
  for (const u32 dimensions : {1u, 3u}) {
    for (const Precision precision : kPrecisions) {
      for (const u64 n : bench_sizes()) {
        for (const u32 block : thinned<u32>({0, cuda::kCollisionTileLarge, 8})) {
          for (const TriangleMapId map : usable_maps(static_cast<u32>(n), 8)) {
            if (block > 32 && info(map).space == Space::thread) continue;
            BenchSpec spec = spec_of(BenchKernel::collision, info(map).name, n, block);
            spec.dimensions = dimensions;
            spec.precision = precision;
            exercise(*backend, spec);
          }
        }
      }
    }
  }
}

TEST_F(CudaBench, GravityInEveryPrecisionAndAccumulation) {
  const auto backend = make_backend("cuda");
  for (const Precision precision : kPrecisions) {
    for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
      for (const u64 n : bench_sizes()) {
        for (const u32 block : thinned<u32>({0, 256, 1024})) {
          for (const TriangleMapId map : maps_for(n, 128)) {
            BenchSpec spec = spec_of(BenchKernel::gravity, info(map).name, n, block);
            spec.precision = precision;
            spec.accumulate = accumulate;
            exercise(*backend, spec);
          }
        }
      }
    }
  }
}

TEST_F(CudaBench, Dummy3InEveryForm) {
  const auto backend = make_backend("cuda");
  for (const BenchForm form : {BenchForm::hold, BenchForm::store, BenchForm::write}) {
    for (const u64 n : bench_sizes()) {
      if (n > 300) continue;
      for (const u32 block : thinned<u32>({0, 10, 4})) {
        for (const TetraMapId map : usable_triple_maps(static_cast<u32>(n), block == 0 ? 8 : block)) {
          BenchSpec spec = spec_of(BenchKernel::dummy3, info(map).name, n, block);
          spec.form = form;
          exercise(*backend, spec);
        }
      }
    }
  }
  BenchSpec life = spec_of(BenchKernel::dummy3, "tetra", 64);
  life.form = BenchForm::automaton;
  EXPECT_THROW(backend->make_bench(life), ConfigError);
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::dummy3, "tetra", 64, 11)), ConfigError);
  const auto bb = backend->make_bench(spec_of(BenchKernel::dummy3, "bb", 80));
  EXPECT_EQ(bb->work_items(), 82160u);
  EXPECT_EQ(bb->blocks_launched(), 1000u);
  EXPECT_EQ(bb->blocks_useful(), 220u);
}

TEST_F(CudaBench, TripletInEveryPrecisionAndAccumulation) {
  const auto backend = make_backend("cuda");
  for (const Precision precision : kPrecisions) {
    for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
      for (const u64 n : bench_sizes()) {
        for (const u32 block : thinned<u32>({0, 8, 64})) {
          if (block == 8 && (precision == Precision::fp64 || accumulate == Accumulate::ordered)) continue;
          for (const TetraMapId map : usable_triple_maps(static_cast<u32>(n), block == 0 ? 32 : block)) {
            BenchSpec spec = spec_of(BenchKernel::triplet, info(map).name, n, block);
            spec.precision = precision;
            spec.accumulate = accumulate;
            exercise(*backend, spec);
          }
        }
      }
    }
  }
}

TEST_F(CudaBench, RecInThreeWays) {
  const auto backend = make_backend("cuda");
  for (const RecForm rec : {RecForm::launches, RecForm::graph, RecForm::device}) {
    for (const BenchKernel kernel : {BenchKernel::dummy, BenchKernel::edm}) {
      for (const u64 n : bench_sizes()) {
        BenchSpec spec = spec_of(kernel, "rec", n);
        spec.rec = rec;
        exercise(*backend, spec);
        spec.block = 8;
        exercise(*backend, spec);
        spec.timing = LaunchTiming::synchronised;
        exercise(*backend, spec);
      }
    }
  }
  BenchSpec wide = spec_of(BenchKernel::edm, "rec", 100);
  wide.rec = RecForm::device;
  wide.precision = Precision::fp64;
  EXPECT_THROW(backend->make_bench(wide), ConfigError);
  BenchSpec large = spec_of(BenchKernel::dummy, "rec", 65536 * 8 + 1, 8);
  large.rec = RecForm::device;
  EXPECT_THROW(backend->make_bench(large), ConfigError);
}

std::string gasket_text(const BenchSpec& s) {
  return s.fractal + ", form " + std::to_string(static_cast<int>(s.form)) + ", placement " +
         std::to_string(static_cast<int>(s.placement));
}

TEST_F(CudaBench, GasketInEveryForm) {
  const auto backend = make_backend("cuda");
  const std::pair<const char*, u32> fractals[] = {{"gasket", 9}, {"vicsek", 4}, {"carpet", 4}, {"gasket-3d", 5}};
  for (const auto& [fractal, levels] : fractals) {
    const FractalShape shape = open_fractal(fractal).shape;
    for (const BenchForm form : info(BenchKernel::gasket).forms) {
      for (const GasketPlacement placement : {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll}) {
        for (const MapInfo& map : gasket_maps()) {
          // One launch of a whole kernel is enough to time it, so that thousands of graphs need not be created.
          for (const u32 r : small_only() ? std::vector<u32>{3} : std::vector<u32>{0, 2, levels}) {
            for (u32 block = 1; block <= 32 && block <= power_of(shape.scale(), r); block *= shape.scale()) {
              if (placement == GasketPlacement::subbox && power_of(block, shape.dimensions()) > 1024) continue;
              if (small_only() && block == 1) continue;
              BenchSpec spec = spec_of(BenchKernel::gasket, map.name, power_of(shape.scale(), r), block);
              spec.form = form, spec.fractal = fractal, spec.placement = placement;
              spec.timing = block == 4 ? LaunchTiming::work : LaunchTiming::synchronised;
              SCOPED_TRACE(gasket_text(spec));
              exercise(*backend, spec);
            }
          }
        }
      }
    }
  }
}

TEST_F(CudaBench, GasketBySectors) {
  const auto backend = make_backend("cuda");
  for (const MapInfo& map : gasket_maps()) {
    for (const u32 r : {5u, 6u, 11u}) {
      BenchSpec spec = spec_of(BenchKernel::gasket, map.name, u64{1} << r, 32);
      spec.placement = GasketPlacement::sectors;
      spec.timing = r == 6 ? LaunchTiming::averaged : LaunchTiming::work;
      exercise(*backend, spec);
    }
  }
  BenchSpec bad = spec_of(BenchKernel::gasket, "gasket", 1024, 16);
  bad.placement = GasketPlacement::sectors;
  EXPECT_THROW(backend->make_bench(bad), ConfigError);
  bad.block = 32, bad.form = BenchForm::reduce;
  EXPECT_THROW(backend->make_bench(bad), ConfigError);
  bad.placement = GasketPlacement::subbox, bad.block = 64;
  EXPECT_THROW(backend->make_bench(bad), ConfigError) << "4096 threads";
}

/// r to 17: whole arrays of bytes, and sums, at the side where indices need more than 32 bits.
TEST_F(CudaBench, GasketAtSeventeenLevels) {
  if (small_only()) GTEST_SKIP() << "large";
  const auto backend = make_backend("cuda");
  if (backend->memory_bytes() < (u64{20} << 30)) GTEST_SKIP() << "needs 17 GiB of the card's memory";
  for (const MapInfo& map : gasket_maps()) {
    for (const GasketPlacement placement : {GasketPlacement::lut, GasketPlacement::sectors}) {
      BenchSpec spec = spec_of(BenchKernel::gasket, map.name, u64{1} << 17, 32);
      spec.placement = placement;
      const auto bench = backend->make_bench(spec);
      bench->run();
      EXPECT_TRUE(bench->check().passed) << map.name;
      EXPECT_EQ(bench->work_items(), 129140163u);
    }
    BenchSpec spec = spec_of(BenchKernel::gasket, map.name, u64{1} << 17, 16);
    spec.form = BenchForm::compact, spec.placement = GasketPlacement::unroll;
    const auto bench = backend->make_bench(spec);
    bench->run();
    EXPECT_TRUE(bench->check().passed) << map.name;
  }
}

TEST_F(CudaBench, SynchronisedTimesHoldTheLaunch) {
  if (small_only()) GTEST_SKIP() << "times mean nothing under a checker";
  const auto backend = make_backend("cuda");
  BenchSpec spec = spec_of(BenchKernel::dummy, "lambda", 64);
  const auto work = backend->make_bench(spec);
  spec.timing = LaunchTiming::synchronised;
  const auto whole = backend->make_bench(spec);
  double best_work = 1e9, best_whole = 1e9;
  for (int i = 0; i < 20; ++i)
    best_work = std::min(best_work, work->run()), best_whole = std::min(best_whole, whole->run());
  EXPECT_TRUE(whole->check().passed);
  EXPECT_LT(best_work, best_whole);
}

TEST_F(CudaBench, LargerThanTheOracleReaches) {
  if (small_only()) GTEST_SKIP() << "large";
  const auto backend = make_backend("cuda");
  exercise(*backend, spec_of(BenchKernel::edm, "lambda", 8193));
  exercise(*backend, spec_of(BenchKernel::collision, "lambda", 70000));
  exercise(*backend, spec_of(BenchKernel::dummy, "lambda-stream", 65536));
  BenchSpec gravity = spec_of(BenchKernel::gravity, "lambda", 30001);
  exercise(*backend, gravity);
  gravity.accumulate = Accumulate::ordered;
  exercise(*backend, gravity);
  gravity.precision = Precision::fp64;
  exercise(*backend, gravity);
}

TEST_F(CudaBench, ErrorsNameTheRemedy) {
  const auto backend = make_backend("cuda");
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::dummy, "lambda", 100, 33)), ConfigError);
  for (const char* map : {"rb", "utm", "plain"}) {
    EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::gravity, map, 100)), ConfigError) << map;
  }
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::gravity, "lambda", 100, 16)), ConfigError);
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::gravity, "lambda", 0)), ConfigError);
  BenchSpec branches = spec_of(BenchKernel::gravity, "rec", 100);
  branches.rec = RecForm::graph;
  EXPECT_THROW(backend->make_bench(branches), ConfigError);
  BenchSpec flat = spec_of(BenchKernel::collision, "lambda", 100);
  flat.dimensions = 2;
  EXPECT_THROW(backend->make_bench(flat), ConfigError);
}

TEST_F(CudaBench, BlocksOfDistances) {
  const auto backend = make_backend("cuda");
  EXPECT_EQ(backend->make_bench(spec_of(BenchKernel::edm, "lambda", 1024))->block(), cuda::kDistanceTile);
  EXPECT_EQ(backend->make_bench(spec_of(BenchKernel::edm, "rb", 1024))->block(), 16u);
}

}  // namespace
}  // namespace tri::test
