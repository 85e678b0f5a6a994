/// The interpreter of typed laws: each operation against the program's own evaluation, for ordinary and special
/// numbers; buffers that are used again; rows, ragged ends and tiles of any shape.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/base/splitmix64.hpp"
#include "sim/cpu/kernels/body_store.hpp"
#include "sim/cpu/typed/typed_tiles.hpp"

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
  SplitMix64 random{n};
  Bodies b;
  for (u32 i = 0; i < n; ++i) {
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    b.add(x, y, z, 0, 0, 0, 1 + random.uniform());
    b.q.resize(b.size());
    b.q.back() = random.uniform() - 0.5;
  }
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
