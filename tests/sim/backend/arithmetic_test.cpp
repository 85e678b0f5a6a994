// Where sums on tensor cores apply, and what a backend without them says.

#include "sim/backend/arithmetic.hpp"

#include "tests/sim/backend/cases.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::test {
namespace {

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
