// Charges in the kernels of the cpu backend, by a law of this test that reads them, qi qj / r. Forces and energies must
// be those of a plain loop for sizes that leave ragged vectors, pieces and tiles, and without charges nothing acts.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/sim/cpu/charge_kernel_test.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/pair_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {

/// Repels where charges are alike.
struct ChargeLaw {
  static constexpr u32 kUses = laws::kCharge;
  static constexpr laws::Sums kSums = laws::Sums::force;

  template <class M, class V = typename M::Value>
  HWY_INLINE law_space::PairTerm<V> operator()(M, const law_space::Body<V>& i, const law_space::Body<V>& j) const {
    const V dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
    const V r2 = M::mul_add(dz, dz, M::mul_add(dy, dy, dx * dx));
    const V product = i.q * j.q, strength = M::set(-1) * product * M::rsqrt_cubed(r2);
    return {strength * dx, strength * dy, strength * dz, product * M::rsqrt(r2)};
  }
};

void charge_tile_float(const BodyView<float>& bodies, const PairTile& tile, FastSums& sums) {
  PairTileForces<FastParts<float>>::run(ChargeLaw{}, bodies, tile, sums);
}
void charge_tile_double(const BodyView<double>& bodies, const PairTile& tile, FastSums& sums) {
  PairTileForces<FastParts<double>>::run(ChargeLaw{}, bodies, tile, sums);
}

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "sim/base/numbers.hpp"
#include "sim/cpu/body_store.hpp"

namespace tri::cpu {
HWY_EXPORT(charge_tile_float);
HWY_EXPORT(charge_tile_double);
namespace {

Bodies charged_cloud(u32 n) {
  SplitMix64 random{n};
  const auto any = [&] { return 2 * random.uniform() - 1; };
  Bodies b;
  for (u32 i = 0; i < n; ++i) {
    b.add(4 * any(), 4 * any(), 4 * any(), 0, 0, 0, 1);
    b.q.resize(b.size());
    b.q.back() = any();
  }
  return b;
}

using Axes = std::array<std::vector<double>, 3>;

/// Sums over all pairs, in tiles of this side.
template <class Real>
Axes tiled(const BodyView<Real>& view, u32 n, u32 side) {
  Axes axes;
  FastSums sums;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    axes[axis].assign(n + kPadding, 0);
    sums.axis[axis] = axes[axis].data();
  }
  for (u32 row = 0; row < n; row += side) {
    for (u32 col = 0; col <= row; col += side) {
      const PairTile tile{row, std::min(row + side, n), col, std::min(col + side, n), row == col};
      if constexpr (std::is_same_v<Real, float>) {
        HWY_DYNAMIC_DISPATCH(charge_tile_float)(view, tile, sums);
      } else {
        HWY_DYNAMIC_DISPATCH(charge_tile_double)(view, tile, sums);
      }
    }
  }
  for (std::vector<double>& axis : axes) axis.resize(n);
  return axes;
}

/// The same in a plain loop, and with the sum of magnitudes that errors are relative to.
Axes plain(const Bodies& b, double& magnitude) {
  Axes axes;
  for (std::vector<double>& axis : axes) axis.assign(b.size(), 0);
  magnitude = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (i == j) continue;
      const double d[3] = {b.x[i] - b.x[j], b.y[i] - b.y[j], b.z[i] - b.z[j]};
      const double r = std::hypot(d[0], d[1], d[2]);
      for (std::size_t axis = 0; axis < 3; ++axis) axes[axis][i] += b.q[i] * b.q[j] / (r * r * r) * d[axis];
      magnitude = std::max(magnitude, std::abs(b.q[i] * b.q[j]) / (r * r));
    }
  }
  return axes;
}

template <class Real>
void expect_charges_act(double tolerance) {
  for (const u32 n : {1u, 2u, 3u, 7u, 16u, 17u, 63u, 129u, 300u, 517u}) {
    const Bodies b = charged_cloud(n);
    const BodyStore<Real> store(b);
    double magnitude = 0;
    const Axes expected = plain(b, magnitude);
    Bodies neutral = b;
    neutral.q.clear();
    const BodyStore<Real> without(neutral);
    EXPECT_EQ(without.view().q, nullptr);
    EXPECT_TRUE(without.read().q.empty());
    for (const u32 side : {1u, 5u, 64u, 257u, 600u}) {
      const Axes got = tiled<Real>(store.view(), n, side), none = tiled<Real>(without.view(), n, side);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        for (u32 i = 0; i < n; ++i) {
          ASSERT_NEAR(got[axis][i], expected[axis][i], tolerance * magnitude)
              << n << ", side " << side << ", body " << i;
          ASSERT_EQ(none[axis][i], 0) << n << ", side " << side << ", body " << i;
        }
      }
    }
  }
}

TEST(Charges, ReachEveryLaneOfAKernel) {
  expect_charges_act<double>(1e-12);
  expect_charges_act<float>(1e-4);
}

TEST(Charges, BelongToTheStateOfAnEngine) {
  const Bodies b = charged_cloud(33);
  const BodyStore<double> first(b), copy(first);
  EXPECT_EQ(copy.read().q, b.q);
  EXPECT_NE(copy.q.data(), first.q.data());
  for (u32 k = 0; k < kPadding; ++k) EXPECT_EQ(first.q[33 + k], 0) << "bodies beyond n have no charge";
  std::vector<double> rounded;
  for (const double q : b.q) rounded.push_back(static_cast<double>(static_cast<float>(q)));
  EXPECT_EQ(BodyStore<float>(b).read().q, rounded);
}

}  // namespace
}  // namespace tri::cpu
#endif
