// Where sums on tensor cores apply, and what a backend without them says.

#include "sim/backend/arithmetic.hpp"

#include "tests/sim/backend/cases.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::test {
namespace {

TEST(Arithmetic, BodiesOnALineAreFound) {
  Bodies line, thin, plane;
  for (int i = 0; i < 1000; ++i) {
    const double t = i * 0.01, side = i % 2 == 0 ? 1 : -1;
    line.add(1e3 + t, -2 * t, 0.5 * t + 7, 0, 0, 0, 1);
    thin.add(t + 0.01 * side, -2 * t, 0.5 * t + 0.01 * (i % 3 - 1), 0, 0, 0, 1);
    plane.add(t, i % 31, 4, 0, 0, 0, 1);
  }
  EXPECT_TRUE(on_a_line(line));
  EXPECT_FALSE(on_a_line(thin));
  EXPECT_FALSE(on_a_line(plane));
  EXPECT_FALSE(on_a_line(cloud_bodies(100)));
  Bodies point;
  for (int i = 0; i < 5; ++i) point.add(3, 4, 5, 0, 0, 0, 1);
  EXPECT_TRUE(on_a_line(point));
}

TEST(Arithmetic, TensorCoresAreOfTriples) {
  EngineConfig config;
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    config.precision = precision;
    EXPECT_EQ(tensor_refusal(triple_field(), config), "");
  }
}

TEST(Arithmetic, TensorCoresAreOfGravityInFp32) {
  EngineConfig config;
  EXPECT_EQ(tensor_refusal(gravity_field(), config), "");
  EXPECT_NE(tensor_refusal(lennard_jones_field(), config).find("lennard-jones"), std::string::npos);
  EXPECT_NE(tensor_refusal(contact_field(), config).find("contact"), std::string::npos);
  config.precision = Precision::fp64;
  EXPECT_NE(tensor_refusal(gravity_field(), config).find("--precision fp32"), std::string::npos);
}

TEST(Arithmetic, TheCpuRefusesTensorCoresAndSaysWhatItUses) {
  const auto backend = make_backend("cpu");
  EngineConfig config;
  EXPECT_EQ(backend->make_engine(cloud_bodies(10), gravity_field(), config)->config().arithmetic, Arithmetic::float32);
  config.arithmetic = Arithmetic::tensor;
  const std::string text =
      message_of<ConfigError>([&] { backend->make_engine(cloud_bodies(10), gravity_field(), config); });
  EXPECT_NE(text.find("the cpu backend has no tensor cores"), std::string::npos) << text;
  BenchSpec spec;
  spec.kernel = BenchKernel::gravity, spec.arithmetic = BenchArithmetic::tensor;
  EXPECT_NE(message_of<ConfigError>([&] { backend->make_bench(spec); }).find("tensor"), std::string::npos);
}

}  // namespace
}  // namespace tri::test
