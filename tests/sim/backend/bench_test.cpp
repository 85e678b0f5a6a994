// Bench cases: every kernel on every map yields the right result, and its check detects a single damaged value.

#include <chrono>
#include <cmath>

#include <gtest/gtest.h>

#include "sim/backend/bench.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/laws/axilrod_teller.hpp"
#include "sim/laws/gravity.hpp"
#include "sim/laws/overlap.hpp"
#include "sim/reference/reference.hpp"
#include "tests/sim/backend/cases.hpp"

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
  if (!forces) return;
  wide.accumulate = Accumulate::ordered;
  exercise(backend(), wide);
}

TEST_P(Bench, Dummy) { exercise_pairs(BenchKernel::dummy); }
TEST_P(Bench, Edm) { exercise_pairs(BenchKernel::edm); }
TEST_P(Bench, Collision) { exercise_pairs(BenchKernel::collision); }
TEST_P(Bench, Gravity) { exercise_pairs(BenchKernel::gravity); }

TEST_P(Bench, GravityByATree) {
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    for (const u64 n : {u64{1}, u64{300}, u64{9000}}) {
      for (const char* map : {"bb", "lambda", "rec", "h"}) {
        BenchSpec spec = spec_of(BenchKernel::gravity, map, n);
        spec.precision = precision, spec.pairs = BenchPairs::tree, spec.tolerance = Tolerance::e_4;
        exercise(backend(), spec);
        const auto bench = backend().make_bench(spec);
        bench->run();
        const std::optional<TreeWork> work = bench->tree();
        ASSERT_TRUE(work) << map;
        EXPECT_EQ(work->near < n * (n - 1) / 2, n == 9000) << map;
        EXPECT_EQ(work->series > 0, n == 9000) << map;
      }
    }
  }
  BenchSpec spec = spec_of(BenchKernel::gravity, "lambda", 300);
  EXPECT_FALSE(backend().make_bench(spec)->tree()) << "all pairs";
  const auto refused = [&](const BenchSpec& wrong) { EXPECT_THROW(backend().make_bench(wrong), ConfigError); };
  spec.pairs = BenchPairs::tree;
  BenchSpec wrong = spec;
  wrong.block = 64, refused(wrong);
  wrong = spec, wrong.map = "utm", refused(wrong);
  wrong = spec, wrong.map = "rb", refused(wrong);
  wrong = spec, wrong.tolerance = Tolerance::e_9, refused(wrong);
  wrong = spec, wrong.arithmetic = BenchArithmetic::tensor, refused(wrong);
  wrong = spec, wrong.law = "-mi*mj/r", refused(wrong);
}

/// The promise decides, not the precision: 2e-5 is right at 1e-4 and wrong at 1e-5.
TEST(BenchChecks, ATreeIsHeldToItsTolerance) {
  const ForceErrors errors{4e-10, 1, 4e-10};
  BenchSpec spec = spec_of(BenchKernel::gravity, "lambda", 300);
  for (const auto& [tolerance, passed] : {std::pair{Tolerance::e_4, true}, std::pair{Tolerance::e_5, false}}) {
    spec.tolerance = tolerance;
    const BenchCheck check = tree_check(errors, spec, "by hand");
    EXPECT_EQ(check.passed, passed);
    EXPECT_DOUBLE_EQ(check.max_rel_err, 2e-5);
  }
}

TEST(BenchChecks, SampledErrorsAreThoseOfAThousandBodies) {
  BenchSpec spec = spec_of(BenchKernel::gravity, "lambda", 2500);
  const Bodies bodies = force_bench_bodies(spec);
  const GravityParams gravity = force_bench_field(spec).gravity;
  ReferenceForces f = reference_forces(bodies, force_bench_field(spec));
  TypedSums got{f.fx, f.fy, f.fz};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    got.x[i] /= bodies.m[i], got.y[i] /= bodies.m[i], got.z[i] /= bodies.m[i];
  }
  u64 sampled = 0;
  EXPECT_LT(rms_of(sampled_errors(got, bodies, gravity, &sampled)), 1e-13);
  EXPECT_EQ(sampled, 834u) << "every third of 2,500, the last among them";
  got.z.back() += 1;
  const ForceErrors errors = sampled_errors(got, bodies, gravity, &sampled);
  EXPECT_NEAR(errors.differences, 1, 1e-9);
  got.z.back() = std::nan("");
  EXPECT_FALSE(tree_check(sampled_errors(got, bodies, gravity, &sampled), spec, "by hand").passed);
}

TEST_P(Bench, DummiesInEveryForm) {
  for (const BenchKernel kernel : {BenchKernel::dummy, BenchKernel::dummy3}) {
    const bool pairs = kernel == BenchKernel::dummy;
    for (const BenchForm form : {BenchForm::store, BenchForm::write, BenchForm::automaton}) {
      for (const u64 n : pairs ? std::vector<u64>{2, 65, 300} : std::vector<u64>{3, 33}) {
        for (const u32 block : element_blocks({1, 7, 16}, pairs ? 32 : 10)) {
          std::vector<std::string> maps;
          for (const auto map : usable_maps(static_cast<u32>(n), block)) maps.emplace_back(info(map).name);
          if (!pairs) maps = {"bb", "tetra", "tetra-stream", "tetra-lut"};
          for (const std::string& map : maps) {
            BenchSpec spec = spec_of(kernel, map, n, block);
            spec.form = form;
            if (!pairs && form == BenchForm::automaton) {
              EXPECT_THROW(backend().make_bench(spec), ConfigError);
            } else {
              exercise(backend(), spec);
            }
          }
        }
      }
    }
  }
}

TEST_P(Bench, CollisionInOneDimension) {
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    for (const char* map : {"bb", "lambda", "rb", "h"}) {
      for (const u64 n : {2u, 65u, 1000u}) {
        BenchSpec spec = spec_of(BenchKernel::collision, map, n, 16);
        spec.dimensions = 1, spec.precision = precision;
        exercise(backend(), spec);
        if (n < 1000) continue;
        const auto bench = backend().make_bench(spec);
        bench->run(), bench->corrupt_output();
        EXPECT_LT(bench->check().max_rel_err, 0.01) << "one of hundreds of contacts, which spheres would not have";
      }
    }
  }
  BenchSpec plane = spec_of(BenchKernel::collision, "lambda", 100);
  plane.dimensions = 2;
  EXPECT_THROW(backend().make_bench(plane), ConfigError);
}

TEST_P(Bench, EdmInEveryLayout) {
  for (const DistanceLayout layout : kDistanceLayouts) {
    for (const char* map : {"bb", "lambda", "utm", "rec"}) {
      for (const u64 n : {2u, 65u, 300u}) {
        BenchSpec spec = spec_of(BenchKernel::edm, map, n, 16);
        spec.layout = layout;
        exercise(backend(), spec);
      }
    }
  }
}

TEST_P(Bench, AveragesAreMeansOfSeveralRuns) {
  BenchSpec spec = spec_of(BenchKernel::gasket, "gasket", 64);
  spec.timing = LaunchTiming::averaged;
  exercise(backend(), spec);
}

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
  const std::pair<const char*, u32> fractals[] = {
      {"gasket", 6}, {"vicsek", 4}, {"carpet", 3}, {"gasket-3d", 4}, {"menger", 2}};
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
  const ForceField field = force_bench_field(spec);
  const Bodies bodies = force_bench_bodies(spec);
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
  BenchSpec rec = spec_of(BenchKernel::dummy, "rec", 100);
  rec.rec = RecForm::graph;
  EXPECT_THROW(backend->make_bench(rec), ConfigError);
  for (const char* map : {"fill", "lambda-alone"}) {
    expect_parts(message_of<ConfigError>([&] { backend->make_bench(spec_of(BenchKernel::edm, map, 100)); }),
                 {"cuda backend only"});
  }
}

TEST_P(Bench, WorkAndIdleBlocks) {
  const auto bb = backend().make_bench(spec_of(BenchKernel::dummy, "bb", 1000, 10));
  EXPECT_EQ(bb->work_items(), 499500u);
  EXPECT_EQ(bb->blocks_launched(), 10000u);
  EXPECT_EQ(bb->blocks_useful(), 5050u);
  const auto shared = backend().make_bench(spec_of(BenchKernel::gravity, "bb", 1000, 128));
  EXPECT_EQ(shared->blocks_launched(), 64u);
  EXPECT_EQ(shared->blocks_useful(), 36u);
  EXPECT_EQ(backend().make_bench(spec_of(BenchKernel::triplet, "tetra", 1000))->work_items(), 166167000u);
  EXPECT_EQ(backend().make_bench(spec_of(BenchKernel::gasket, "gasket", 1024))->work_items(), 59049u);
  EXPECT_EQ(backend().make_bench(spec_of(BenchKernel::edm, "lambda", 1024))->bytes(), (523776u + 4096u) * 4);
}

}  // namespace
}  // namespace tri::test

// The table of bench kernels and baselines, and the figures that follow from a spec alone.

namespace tri {
namespace {

using K = BenchKernel;

BenchSpec spec_of(BenchKernel kernel, u64 n, const std::string& map = "bb") {
  BenchSpec spec;
  spec.kernel = kernel, spec.n = n, spec.map = map, spec.form = info(kernel).default_form();
  return spec;
}

TEST(BenchKernels, NamesAndDomains) {
  const struct {
    BenchKernel kernel;
    const char* name;
    Domain domain;
  } rows[] = {{K::dummy, "dummy", Domain::triangle},         {K::edm, "edm", Domain::triangle},
              {K::collision, "collision", Domain::triangle}, {K::gravity, "gravity", Domain::triangle},
              {K::triplet, "triplet", Domain::tetrahedron},  {K::dummy3, "dummy3", Domain::tetrahedron},
              {K::gasket, "gasket", Domain::gasket}};
  EXPECT_EQ(bench_kernels().size(), std::size(rows));
  for (const auto& row : rows) {
    EXPECT_STREQ(to_string(row.kernel), row.name);
    EXPECT_EQ(info(row.kernel).domain, row.domain);
  }
}

TEST(BenchKernels, SmokeSizesAreNoMultiplesOfBlocks) {
  for (const BenchKernelInfo& kernel : bench_kernels()) {
    EXPECT_TRUE(kernel.domain == Domain::gasket || kernel.smoke_n % 8 != 0) << kernel.name;
    EXPECT_GT(kernel.usual_n, kernel.smoke_n) << kernel.name;
  }
}

TEST(BenchKernels, RandomDataAreThoseOfTheSeed) {
  EXPECT_TRUE(info(K::edm).reads_seed(BenchForm::hold)) << "no forms: always";
  EXPECT_TRUE(info(K::dummy).reads_seed(BenchForm::automaton));
  EXPECT_FALSE(info(K::dummy).reads_seed(BenchForm::store));
  EXPECT_FALSE(info(K::dummy3).reads_seed(BenchForm::automaton));
  EXPECT_FALSE(info(K::gasket).reads_seed(BenchForm::write));
  EXPECT_TRUE(info(K::gasket).reads_seed(BenchForm::reduce));
}

TEST(BenchKernels, SubjectsAreMapsOfTheDomainOrBaselinesOfTheKernel) {
  const auto subject = [](BenchKernel kernel, const char* name, const char* backend) {
    return subject_of(spec_of(kernel, 100, name), backend);
  };
  EXPECT_EQ(subject(K::gravity, "lambda", "cpu"), BenchSubject(TriangleMapId::lambda));
  EXPECT_EQ(subject(K::triplet, "bb", "cuda"), BenchSubject(TetraMapId::bb));
  EXPECT_EQ(subject(K::gasket, "bb", "cpu"), BenchSubject(GasketMapId::bb));
  EXPECT_EQ(subject(K::gravity, "plain", "cpu"), BenchSubject(Baseline::plain));
  EXPECT_EQ(subject(K::edm, "fill", "cuda"), BenchSubject(Baseline::fill));
  EXPECT_EQ(subject(K::collision, "lambda-alone", "cuda"), BenchSubject(Baseline::lambda_alone));
  EXPECT_THROW(subject(K::gravity, "plain", "cuda"), ConfigError);
  EXPECT_THROW(subject(K::edm, "fill", "cpu"), ConfigError);
  EXPECT_THROW(subject(K::collision, "fill", "cuda"), ConfigError) << "collision writes next to nothing";
  EXPECT_THROW(subject(K::dummy, "plain", "cpu"), ConfigError);
  EXPECT_THROW(subject(K::gravity, "tetra", "cpu"), ConfigError);
  BenchSpec gasket = spec_of(K::gasket, 64);
  gasket.form = BenchForm::hold;
  EXPECT_THROW(subject_of(gasket, "cpu"), ConfigError);
}

TEST(BenchKernels, BlocksOfBaselines) {
  EXPECT_FALSE(has_blocks(spec_of(K::edm, 100, "fill")));
  EXPECT_FALSE(has_blocks(spec_of(K::gravity, 100, "plain")));
  EXPECT_TRUE(has_blocks(spec_of(K::edm, 100, "lambda-alone")));
  EXPECT_TRUE(has_blocks(spec_of(K::edm, 100, "bb")));
}

TEST(BenchKernels, FeaturesOfPoints) {
  BenchSpec spec;
  for (spec.features = 1; spec.features <= 16; ++spec.features) EXPECT_NO_THROW(check_features(spec));
  for (const u32 features : {0u, 17u, 4294967295u}) {
    spec.features = features;
    EXPECT_THROW(check_features(spec), ConfigError) << features;
  }
}

TEST(BenchKernels, ItemsAndBytes) {
  BenchSpec s = spec_of(K::edm, 10);
  s.features = 3;
  EXPECT_EQ(data_bytes(s), 4u * (45 + 30));
  s.layout = DistanceLayout::lower, s.precision = Precision::fp64;
  EXPECT_EQ(data_bytes(s), 8u * (55 + 30));
  s.layout = DistanceLayout::square;
  EXPECT_EQ(data_bytes(s), 8u * (100 + 30));
  EXPECT_EQ(data_bytes(spec_of(K::gravity, 10)), 0u);
  EXPECT_EQ(data_bytes(spec_of(K::dummy, 10)), 0u);
  s = spec_of(K::dummy, 10), s.form = BenchForm::write;
  EXPECT_EQ(data_bytes(s), 4u * 55);
  s.form = BenchForm::automaton;
  EXPECT_EQ(data_bytes(s), 2u * 100);
  s = spec_of(K::dummy3, 10), s.form = BenchForm::write;
  EXPECT_EQ(data_bytes(s), 4u * 220);
  EXPECT_EQ(item_count(spec_of(K::gravity, 10)), 45u);
  EXPECT_EQ(item_count(spec_of(K::triplet, 5)), 10u);
  EXPECT_EQ(item_count(spec_of(K::triplet, 2)), 0u);
  EXPECT_EQ(item_count(spec_of(K::gasket, 8)), 27u);
  EXPECT_EQ(item_count(spec_of(K::gasket, 1)), 1u);
  BenchSpec carpet = spec_of(K::gasket, 9);
  carpet.fractal = "carpet";
  EXPECT_EQ(item_count(carpet), 64u);
  EXPECT_EQ(data_bytes(carpet), 81u);
  carpet.form = BenchForm::compact;
  EXPECT_EQ(data_bytes(carpet), 128u);
}

TEST(BenchKernels, BoundsByLaunchedBlocks) {
  const auto bound = [](BenchKernel kernel, u64 n, u32 block, const char* fractal = "gasket") {
    BenchSpec spec = spec_of(kernel, n);
    spec.fractal = fractal;
    return launch_bound(spec, block);
  };
  EXPECT_DOUBLE_EQ(bound(K::gravity, 10, 16).value(), 1.0);
  EXPECT_DOUBLE_EQ(bound(K::edm, 49, 16).value(), 1.6);     // 16 blocks against 10
  EXPECT_DOUBLE_EQ(bound(K::triplet, 32, 8).value(), 3.2);  // 64 against 20
  EXPECT_NEAR(bound(K::gasket, 256, 16).value(), 256.0 / 81.0, 1e-12);
  EXPECT_NEAR(bound(K::gasket, 81, 9, "vicsek").value(), 81.0 / 25.0, 1e-12);
  EXPECT_NEAR(bound(K::gasket, 8, 1, "gasket-3d").value(), 512.0 / 64.0, 1e-12);
  EXPECT_FALSE(bound(K::gasket, 80, 1, "vicsek").has_value());
  EXPECT_FALSE(bound(K::gasket, 16, 16, "no-such-file.toml").has_value());
  EXPECT_NEAR(bound(K::gravity, 1000000, 1).value(), 2.0, 1e-5);
  EXPECT_NEAR(bound(K::dummy3, 1000000, 1).value(), 6.0, 1e-4);
}

// Floors: least times from made-up rates, the instructions of the laws counted, and what the machine's backends
// measure.

/// 1e9 lanes, 1e9 bytes and 1e6 launches a second: a lane or a byte takes 1e-6 ms, a launch 1e-3.
Floors round_rates() { return {{1e9, ""}, {1e9, ""}, {1e6, ""}}; }

TEST(Floors, TheLargestOfThreeTimesBounds) {
  const BenchSpec gravity = spec_of(K::gravity, 101, "lambda");
  auto floor = kernel_floor(gravity, "cuda", 0, 10, round_rates());
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->kind, FloorKind::arithmetic);
  EXPECT_DOUBLE_EQ(floor->ms, 5050 * 17e-6);
  floor = kernel_floor(gravity, "cuda", 0, 5000, round_rates());
  EXPECT_EQ(floor->kind, FloorKind::launches);
  EXPECT_DOUBLE_EQ(floor->ms, 5);
  floor = kernel_floor(gravity, "cpu", 0, 5000, round_rates());
  EXPECT_EQ(floor->kind, FloorKind::arithmetic) << "tiles of a cpu are no launches";
  EXPECT_DOUBLE_EQ(floor->ms, 5050 * 23e-6);
  BenchSpec edm = spec_of(K::edm, 101, "bb");
  edm.features = 3;
  floor = kernel_floor(edm, "cuda", 123456, 1, round_rates());
  EXPECT_EQ(floor->kind, FloorKind::memory);
  EXPECT_DOUBLE_EQ(floor->ms, 123456e-6);
  floor = kernel_floor(edm, "cuda", 1, 1, round_rates());
  EXPECT_DOUBLE_EQ(floor->ms, 5050 * 8e-6) << "two instructions a feature, a root and a store";
}

TEST(Floors, ThreadsOfAMapInThreadSpaceAreNoBlocks) {
  const auto floor = kernel_floor(spec_of(K::dummy, 64, "utm"), "cuda", 0, 256000, round_rates());
  EXPECT_EQ(floor->kind, FloorKind::launches);
  EXPECT_DOUBLE_EQ(floor->ms, 1);
}

TEST(Floors, TheGasketTouchesWholePiecesOfMemory) {
  for (const auto& [backend, piece] : {std::pair{"cuda", u64{32}}, std::pair{"cpu", u64{64}}}) {
    for (const u64 n : {u64{4}, u64{32}, u64{64}, u64{256}}) {
      // Every piece of a row that holds a cell, by the rule of the gasket: x & y == 0, in any of its mirror images.
      u64 pieces = 0;
      for (u64 y = 0; y < n; ++y) {
        for (u64 x = 0; x < n; x += piece) {
          bool any = false;
          for (u64 k = x; k < std::min(n, x + piece); ++k) any = any || (k & y) == 0;
          pieces += any ? 1 : 0;
        }
      }
      const BenchSpec spec = spec_of(K::gasket, n, "gasket");
      const auto floor = kernel_floor(spec, backend, item_count(spec), 0, round_rates());
      EXPECT_EQ(floor->kind, FloorKind::memory);
      EXPECT_DOUBLE_EQ(floor->ms, static_cast<double>(pieces * piece) * 1e-6) << backend << " n = " << n;
    }
  }
}

TEST(Floors, OtherArithmeticAndBaselinesHaveNone) {
  const auto has = [](const BenchSpec& spec) {
    return kernel_floor(spec, "cuda", 100, 100, round_rates()).has_value();
  };
  BenchSpec spec = spec_of(K::gravity, 100, "lambda");
  EXPECT_TRUE(has(spec));
  spec.precision = Precision::fp64;
  EXPECT_FALSE(has(spec));
  spec = spec_of(K::gravity, 100, "lambda"), spec.law = "1/r";
  EXPECT_FALSE(has(spec));
  spec = spec_of(K::gravity, 100, "lambda"), spec.accumulate = Accumulate::ordered;
  EXPECT_FALSE(has(spec));
  spec = spec_of(K::gravity, 100, "lambda"), spec.arithmetic = BenchArithmetic::tensor;
  EXPECT_FALSE(has(spec));
  spec = spec_of(K::gravity, 100, "lambda"), spec.pairs = BenchPairs::tree;
  EXPECT_FALSE(has(spec));
  EXPECT_FALSE(has(spec_of(K::gravity, 100, "plain")));
  EXPECT_FALSE(has(spec_of(K::edm, 100, "fill")));
  spec = spec_of(K::dummy, 100, "bb"), spec.form = BenchForm::write;
  EXPECT_FALSE(has(spec));
  spec = spec_of(K::collision, 100, "bb"), spec.dimensions = 1;
  EXPECT_FALSE(has(spec));
}

/// Counts the instructions of a lane that a law asks for; its values are no numbers.
u32 counted = 0;
struct Counted {
  friend Counted operator+(Counted, Counted) { return ++counted, Counted{}; }
  friend Counted operator-(Counted, Counted) { return ++counted, Counted{}; }
  friend Counted operator*(Counted, Counted) { return ++counted, Counted{}; }
};
struct CountingMath {
  using Value = Counted;
  using Mask = bool;
  static Counted set(double) { return {}; }
  static Counted mul_rounded(Counted a, Counted b) { return a * b; }
  static Counted mul_add(Counted, Counted, Counted) { return ++counted, Counted{}; }
  static Counted neg_mul_add(Counted, Counted, Counted) { return ++counted, Counted{}; }
  /// An estimate, and a Newton step of two products and two multiply-adds (sim/cpu/tile_common.hpp).
  static Counted rsqrt(Counted) { return counted += 5, Counted{}; }
  static bool less_equal(Counted, Counted) { return ++counted, true; }
  static bool less(Counted, Counted) { return ++counted, true; }
  static Counted only_if(bool, Counted) { return ++counted, Counted{}; }
};

TEST(Floors, TheInstructionsOfTheCpuAreThoseOfTheLaws) {
  const laws::Body<Counted> body{};
  counted = 0;
  laws::Gravity<float>(GravityParams{})(CountingMath{}, body, body);
  // Without the energy: a difference, and two products. With a multiply-add for each component of both bodies.
  EXPECT_EQ(lanes_an_item(spec_of(K::gravity, 1, "bb"), "cpu"), counted - 3 + 6);
  counted = 0;
  laws::Overlap<float>{}(CountingMath{}, body, body);
  EXPECT_EQ(lanes_an_item(spec_of(K::collision, 1, "bb"), "cpu"), counted + 1) << "and a count";
  counted = 0;
  laws::AxilrodTeller<float>(AxilrodTellerParams{})(CountingMath{}, body, body, body);
  // Without the energy (a multiply-add and a product) and what is the same along a row: the side between row and layer,
  // its length and the square of its inverse. With four additions a component: column, row, and two of the layer.
  const u32 same_along_a_row = 3 + 3 + 5 + 1;
  EXPECT_EQ(lanes_an_item(spec_of(K::triplet, 1, "bb"), "cpu"), counted - 2 - same_along_a_row + 12);
}

class MeasuredFloors : public test::OnBackend {};

TEST_P(MeasuredFloors, AreRatesOfARealDevice) {
  if (GetParam() == "ranks") {
    EXPECT_THROW(backend().floors(0), ConfigError) << "several processes are not one device";
    return;
  }
  const Floors floors = backend().floors(0);
  for (const FloorRate* rate : {&floors.lanes, &floors.bytes, &floors.launches}) EXPECT_FALSE(rate->how.empty());
  EXPECT_GT(floors.lanes.per_s, 1e8);
  EXPECT_LT(floors.lanes.per_s, 1e16);
  EXPECT_GT(floors.bytes.per_s, 1e8);
  EXPECT_LT(floors.bytes.per_s, 1e14);
  EXPECT_GT(floors.launches.per_s, 1e3);
  EXPECT_LT(floors.launches.per_s, 1e11);
}

TEST(CpuFloors, AreThoseOfTheThreadsAskedFor) {
  const Floors one = make_backend("cpu")->floors(1);
  EXPECT_NE(one.lanes.how.find("on 1 thread"), std::string::npos) << one.lanes.how;
  EXPECT_NE(one.bytes.how.find("on 1 thread"), std::string::npos) << one.bytes.how;
}

TRI_ON_EVERY_BACKEND(MeasuredFloors);

}  // namespace
}  // namespace tri
