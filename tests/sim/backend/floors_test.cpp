// Floors: least times from made-up rates, the instructions of the laws counted, and what the machine's backends
// measure.

#include "sim/backend/floors.hpp"

#include <gtest/gtest.h>

#include "sim/backend/bench_kernels.hpp"
#include "sim/base/error.hpp"
#include "sim/laws/axilrod_teller.hpp"
#include "sim/laws/gravity.hpp"
#include "sim/laws/overlap.hpp"
#include "tests/sim/backend/cases.hpp"

namespace tri {
namespace {

using K = BenchKernel;

/// 1e9 lanes, 1e9 bytes and 1e6 launches a second: a lane or a byte takes 1e-6 ms, a launch 1e-3.
Floors round_rates() { return {{1e9, ""}, {1e9, ""}, {1e6, ""}}; }

BenchSpec floor_spec(BenchKernel kernel, u64 n, const std::string& map) {
  BenchSpec spec;
  spec.kernel = kernel, spec.n = n, spec.map = map, spec.form = info(kernel).default_form();
  return spec;
}

TEST(Floors, TheLargestOfThreeTimesBounds) {
  const BenchSpec gravity = floor_spec(K::gravity, 101, "lambda");
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
  BenchSpec edm = floor_spec(K::edm, 101, "bb");
  edm.features = 3;
  floor = kernel_floor(edm, "cuda", 123456, 1, round_rates());
  EXPECT_EQ(floor->kind, FloorKind::memory);
  EXPECT_DOUBLE_EQ(floor->ms, 123456e-6);
  floor = kernel_floor(edm, "cuda", 1, 1, round_rates());
  EXPECT_DOUBLE_EQ(floor->ms, 5050 * 8e-6) << "two instructions a feature, a root and a store";
}

TEST(Floors, ThreadsOfAMapInThreadSpaceAreNoBlocks) {
  const auto floor = kernel_floor(floor_spec(K::dummy, 64, "utm"), "cuda", 0, 256000, round_rates());
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
      const BenchSpec spec = floor_spec(K::gasket, n, "gasket");
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
  BenchSpec spec = floor_spec(K::gravity, 100, "lambda");
  EXPECT_TRUE(has(spec));
  spec.precision = Precision::fp64;
  EXPECT_FALSE(has(spec));
  spec = floor_spec(K::gravity, 100, "lambda"), spec.law = "1/r";
  EXPECT_FALSE(has(spec));
  spec = floor_spec(K::gravity, 100, "lambda"), spec.accumulate = Accumulate::ordered;
  EXPECT_FALSE(has(spec));
  spec = floor_spec(K::gravity, 100, "lambda"), spec.arithmetic = BenchArithmetic::tensor;
  EXPECT_FALSE(has(spec));
  EXPECT_FALSE(has(floor_spec(K::gravity, 100, "plain")));
  EXPECT_FALSE(has(floor_spec(K::edm, 100, "fill")));
  spec = floor_spec(K::dummy, 100, "bb"), spec.form = BenchForm::write;
  EXPECT_FALSE(has(spec));
  spec = floor_spec(K::collision, 100, "bb"), spec.dimensions = 1;
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
  /// An estimate, and a Newton step of two products and two multiply-adds (sim/cpu/kernels/simd_math.hpp).
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
  EXPECT_EQ(lanes_an_item(floor_spec(K::gravity, 1, "bb"), "cpu"), counted - 3 + 6);
  counted = 0;
  laws::Overlap<float>{}(CountingMath{}, body, body);
  EXPECT_EQ(lanes_an_item(floor_spec(K::collision, 1, "bb"), "cpu"), counted + 1) << "and a count";
  counted = 0;
  laws::AxilrodTeller<float>(AxilrodTellerParams{})(CountingMath{}, body, body, body);
  // Without the energy (a multiply-add and a product) and what is the same along a row: the side between row and layer,
  // its length and the square of its inverse. With four additions a component: column, row, and two of the layer.
  const u32 same_along_a_row = 3 + 3 + 5 + 1;
  EXPECT_EQ(lanes_an_item(floor_spec(K::triplet, 1, "bb"), "cpu"), counted - 2 - same_along_a_row + 12);
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
