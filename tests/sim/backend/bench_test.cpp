// Bench cases: every kernel on every map yields the right result, and its check detects a single damaged value.

#include <chrono>
#include <cmath>

#include "sim/backend/typed_bench.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/reference/reference.hpp"
#include "tests/sim/backend/bench_exercise.hpp"

namespace tri::test {
namespace {

class Bench : public BackendTest {
 protected:
  void exercise_pairs(BenchKernel kernel);
};
TRI_ON_EVERY_BACKEND(Bench);

void Bench::exercise_pairs(BenchKernel kernel) {
  const bool forces = kernel == BenchKernel::gravity;
  const std::vector<u32> blocks{1, 16, 100};
  for (u64 n : {1ull, 2ull, 65ull, 300ull}) {
    for (u32 block : forces ? force_blocks(blocks) : element_blocks(blocks)) {
      const std::vector<TriangleMapId> maps = usable_maps(static_cast<u32>(n), block);
      for (TriangleMapId map : forces ? force_maps(maps) : maps) {
        exercise(backend(), spec_of(kernel, info(map).name, n, block));
      }
    }
  }
  BenchSpec wide = spec_of(kernel, "lambda", 1000);
  wide.precision = Precision::fp64;
  exercise(backend(), wide);
}

TEST_P(Bench, Dummy) { exercise_pairs(BenchKernel::dummy); }
TEST_P(Bench, Edm) { exercise_pairs(BenchKernel::edm); }
TEST_P(Bench, Collision) { exercise_pairs(BenchKernel::collision); }
TEST_P(Bench, Gravity) { exercise_pairs(BenchKernel::gravity); }

TEST_P(Bench, EdmWithEveryNumberOfFeatures) {
  for (u32 features = 1; features <= 16; ++features) {
    BenchSpec spec = spec_of(BenchKernel::edm, "lambda", 100);
    spec.features = features;
    exercise(backend(), spec);
  }
  BenchSpec bad = spec_of(BenchKernel::edm, "lambda", 100);
  bad.features = 17;
  EXPECT_THROW(backend().make_bench(bad), ConfigError);
}

TEST_P(Bench, CollisionDataContainContacts) {
  // A check of two empty results would pass as well: the data must contain contacts.
  Bodies b;
  SplitMix64 random{42};
  const u32 n = 4000;
  const double mean = 0.5 * std::cbrt(3.0 / (4.0 * M_PI * n));
  for (u32 i = 0; i < n; ++i) {
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    b.add(x, y, z, 0, 0, 0, 1, mean * (0.5 + random.uniform()));
  }
  EXPECT_GT(backend().collisions(b, {}).pairs.size(), 1000u);
  exercise(backend(), spec_of(BenchKernel::collision, "lambda", n));
}

TEST_P(Bench, Dummy3) {
  for (const u64 n : {1u, 2u, 3u, 33u, 100u}) {
    for (const u32 block : element_blocks({0, 1, 7, 32}, 10)) {
      for (const TetraMapId map : usable_triple_maps(static_cast<u32>(n), block == 0 ? 8 : block)) {
        exercise(backend(), spec_of(BenchKernel::dummy3, info(map).name, n, block));
      }
    }
  }
  // 64-bit indices: triples pass 2^31 at n = 2346.
  exercise(backend(), spec_of(BenchKernel::dummy3, "tetra-stream", 2346));
}

/// Pairs and triples of different elements, also where the kernel visits the diagonals: else rates of backends and of
/// kernels could not be compared.
TEST_P(Bench, ItemsAreCountedAlikeOnEveryBackend) {
  for (const BenchKernelInfo& kernel : bench_kernels()) {
    const bool pairs = kernel.domain == Domain::triangle, triples = kernel.domain == Domain::tetrahedron;
    const u64 n = pairs || triples ? 100 : 64;
    const BenchSpec spec = spec_of(kernel.id, pairs ? "lambda" : triples ? "tetra" : "gasket", n);
    const u64 expected = pairs ? 4950 : triples ? 161700 : 729;
    EXPECT_EQ(backend().make_bench(spec)->work_items(), expected) << kernel.name;
    EXPECT_EQ(item_count(spec), expected) << kernel.name;
  }
}

TEST_P(Bench, Triplet) {
  for (u64 n : {1ull, 2ull, 3ull, 40ull, 65ull}) {
    for (u32 block : cuda() ? std::vector<u32>{8, 64} : std::vector<u32>{1, 8, 50}) {
      for (TetraMapId map : usable_triple_maps(static_cast<u32>(n), block)) {
        exercise(backend(), spec_of(BenchKernel::triplet, info(map).name, n, block));
      }
    }
  }
  BenchSpec ordered = spec_of(BenchKernel::triplet, "tetra", 100);
  ordered.accumulate = Accumulate::ordered;
  ordered.precision = Precision::fp64;
  exercise(backend(), ordered);
}

TEST_P(Bench, FractalsInEveryForm) {
  const std::pair<const char*, u32> fractals[] = {{"gasket", 6}, {"vicsek", 4}, {"carpet", 3}, {"gasket-3d", 4}};
  for (const BenchForm form : info(BenchKernel::gasket).forms) {
    for (const auto& [fractal, levels] : fractals) {
      const u32 s = open_fractal(fractal).shape.scale();
      for (const MapInfo& map : gasket_maps()) {
        for (const GasketPlacement placement :
             {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll}) {
          for (const u32 inner : {0u, 1u, 2u}) {
            BenchSpec spec =
                spec_of(BenchKernel::gasket, map.name, power_of(s, levels), static_cast<u32>(power_of(s, inner)));
            spec.form = form, spec.fractal = fractal, spec.placement = placement;
            exercise(backend(), spec);
          }
        }
      }
      BenchSpec chosen = spec_of(BenchKernel::gasket, "gasket-stream", power_of(s, levels));
      chosen.form = form, chosen.fractal = fractal;
      exercise(backend(), chosen);
    }
  }
}

TEST_P(Bench, Gasket) {
  for (const MapInfo& map : gasket_maps()) {
    for (GasketPlacement placement : {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll}) {
      for (u64 n : {1ull, 2ull, 16ull, 256ull}) {
        for (u32 block : {1u, 2u, 16u}) {
          BenchSpec spec = spec_of(BenchKernel::gasket, map.name, n, block);
          spec.placement = placement;
          if (block > n) {
            EXPECT_THROW(backend().make_bench(spec), ConfigError);
          } else {
            exercise(backend(), spec);
          }
        }
      }
    }
  }
  EXPECT_THROW(backend().make_bench(spec_of(BenchKernel::gasket, "gasket", 100)), ConfigError);
  BenchSpec sectors = spec_of(BenchKernel::gasket, "gasket", 64, 16);
  sectors.placement = GasketPlacement::sectors;
  EXPECT_THROW(backend().make_bench(sectors), ConfigError) << "none on the cpu, and only blocks of 32 elsewhere";
}

/// All bodies are compared at the smaller sizes, some at the larger ones.
TEST_P(Bench, TypedLawsInThePlaceOfTheKernels) {
  const char* const pairs[] = {"-mi*mj/sqrt(r^2 + 0.01)", "4*((1/r)^12 - (1/r)^6)", "qi*qj*exp(-r)/r + ri*rj/r"};
  const auto exercise_pairs_under = [&](const char* law, Precision precision, u64 n) {
    BenchSpec spec = spec_of(BenchKernel::gravity, "lambda", n);
    spec.law = law, spec.precision = precision;
    exercise(backend(), spec);
  };
  for (const char* const law : pairs) {
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      for (const u64 n : {1ull, 2ull, 133ull}) exercise_pairs_under(law, precision, n);
    }
  }
  exercise_pairs_under(pairs[2], Precision::fp32, 1500);
  for (const u64 n : {3ull, 40ull, 130ull}) {
    BenchSpec spec = spec_of(BenchKernel::triplet, "tetra", n);
    spec.law = "exp(-(a + b + c)/3)/(a*b*c)";
    exercise(backend(), spec);
  }
  BenchSpec wrong = spec_of(BenchKernel::gravity, "lambda", 100);
  wrong.law = "mi/r";
  EXPECT_THROW(backend().make_bench(wrong), ConfigError) << "not the same under i <-> j";
}

TEST(TypedBench, ErrorsAreFound) {
  BenchSpec spec = spec_of(BenchKernel::gravity, "lambda", 50);
  spec.law = "qi*qj/r + 1/r^6", spec.precision = Precision::fp64;
  const ForceField field = typed_bench_field(spec);
  const Bodies bodies = typed_bench_bodies(spec);
  const ReferenceForces expected = reference_forces(bodies, field);
  TypedSums sums{expected.fx, expected.fy, expected.fz};
  const TypedErrors right = typed_errors(field, bodies, sums);
  EXPECT_TRUE(right.all);
  EXPECT_TRUE(typed_check(right, spec.precision).passed) << right.rms << ' ' << right.max << ' ' << right.total;
  sums.z[17] += 1e-8 * std::fabs(sums.z[17]);
  EXPECT_FALSE(typed_check(typed_errors(field, bodies, sums), spec.precision).passed);
  sums.z[17] = std::nan("");
  EXPECT_FALSE(typed_check(typed_errors(field, bodies, sums), Precision::fp32).passed);
}

TEST(CpuBench, PlainLoopsAgreeWithTheKernels) {
  const auto backend = make_backend("cpu");
  exercise(*backend, spec_of(BenchKernel::gravity, "plain", 700));
  exercise(*backend, spec_of(BenchKernel::triplet, "plain", 90));
}

// Above the size at which the plain loop is affordable, the check uses sums over the whole output; it must detect
// damage too.
TEST(CpuBench, LargeSizesAreCheckedBySums) {
  const auto backend = make_backend("cpu");
  BenchSpec triplet = spec_of(BenchKernel::triplet, "tetra", 1101);
  const auto bench = backend->make_bench(triplet);
  bench->run();
  const BenchCheck good = bench->check();
  EXPECT_TRUE(good.passed) << good.max_rel_err;
  EXPECT_NE(good.reference.find("9 E"), std::string::npos) << good.reference;
  bench->corrupt_output();
  EXPECT_FALSE(bench->check().passed);
}

/// Repeats the work for as long as a meter needs, and leaves a case that can be sampled afterwards.
TEST_P(Bench, RunsForAWhile) {
  const auto bench = backend().make_bench(spec_of(BenchKernel::collision, "lambda", 300));
  EXPECT_GE(bench->run_for(0), 1u);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_GE(bench->run_for(0.05), 2u);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(50));
  bench->run();
  EXPECT_TRUE(bench->check().passed);
}

TEST_P(Bench, ErrorsAndNames) {
  EXPECT_THROW(backend().make_bench(spec_of(BenchKernel::dummy, "utm", 8192)), ConfigError);
  EXPECT_THROW(backend().make_bench(spec_of(BenchKernel::dummy, "lamda", 100)), ConfigError);
  EXPECT_THROW(backend().make_bench(spec_of(BenchKernel::dummy, "lambda", 0)), ConfigError);
  EXPECT_THROW(backend().make_bench(spec_of(BenchKernel::edm, "plain", 100)), ConfigError);
  EXPECT_THROW(backend().make_bench(spec_of(BenchKernel::edm, "lambda", 100000000)), MemoryError);
}

TEST(CpuBench, DeviceFormsAreRejected) {
  const auto backend = make_backend("cpu");
  BenchSpec dummy = spec_of(BenchKernel::dummy, "lambda", 100), edm = spec_of(BenchKernel::edm, "lambda", 100),
            collision = spec_of(BenchKernel::collision, "lambda", 100), rec = spec_of(BenchKernel::dummy, "rec", 100);
  dummy.form = BenchForm::store;
  edm.layout = DistanceLayout::lower;
  collision.dimensions = 1;
  rec.rec = RecForm::graph;
  for (const BenchSpec& spec : {dummy, edm, collision, rec}) EXPECT_THROW(backend->make_bench(spec), ConfigError);
  for (const char* map : {"fill", "lambda-alone"}) {
    expect_parts(message_of<ConfigError>([&] { backend->make_bench(spec_of(BenchKernel::edm, map, 100)); }),
                 {"cuda backend only"});
  }
}

TEST(CpuBench, WorkAndIdleBlocks) {
  const auto backend = make_backend("cpu");
  const auto bb = backend->make_bench(spec_of(BenchKernel::dummy, "bb", 1000, 10));
  EXPECT_EQ(bb->work_items(), 499500u);
  EXPECT_EQ(bb->blocks_launched(), 10000u);
  EXPECT_EQ(bb->blocks_useful(), 5050u);
  EXPECT_EQ(backend->make_bench(spec_of(BenchKernel::triplet, "tetra", 1000))->work_items(), 166167000u);
  EXPECT_EQ(backend->make_bench(spec_of(BenchKernel::gasket, "gasket", 1024))->work_items(), 59049u);
  EXPECT_EQ(backend->make_bench(spec_of(BenchKernel::edm, "lambda", 1024))->bytes(), (523776u + 4096u) * 4);
}

}  // namespace
}  // namespace tri::test
