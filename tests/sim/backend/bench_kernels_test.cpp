// The table of bench kernels and baselines, and the figures that follow from a spec alone.

#include "sim/backend/bench_kernels.hpp"

#include <gtest/gtest.h>

#include "sim/base/error.hpp"

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

}  // namespace
}  // namespace tri
