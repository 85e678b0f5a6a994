/// Rock salt: a neutral crystal of ions with its lattice constants, and charges that stay with their bodies.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/laws/uses.hpp"
#include "sim/scene/random.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

Scene salt(const std::string& keys) { return make_scene("salt:" + keys); }

double total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(Salt, IsNeutralForEveryEvenNumberOfIons) {
  for (const u32 n : {1u, 2u, 7u, 8u, 10u, 27u, 36u, 64u, 101u, 124u, 250u, 512u}) {
    const Scene s = salt("n=" + std::to_string(n));
    ASSERT_EQ(s.bodies.size(), n);
    EXPECT_NO_THROW(check(s.bodies));
    EXPECT_EQ(s.field.pair, PairLaw::typed);
    EXPECT_EQ(s.field.typed_pair.law->uses(), laws::kCharge);
    EXPECT_EQ(std::abs(total(s.bodies.q)), n % 2) << n;
    for (const double q : s.bodies.q) EXPECT_EQ(std::abs(q), 1.0);
    for (const double moment : first_moments(s.bodies)) EXPECT_NEAR(moment, 0, 1e-10);
  }
}

TEST(Salt, NeighboursHaveOppositeChargesAtTheSpacing) {
  const Bodies b = salt("n=216,temperature=0,spacing=1.5,charge=2,ratio=3").bodies;
  std::vector<int> unlike(216, 0), like(216, 0);
  for (u32 i = 0; i < 216; ++i) {
    EXPECT_EQ(b.m[i], b.q[i] > 0 ? 1.0 : 3.0);
    for (u32 j = 0; j < 216; ++j) {
      if (i == j) continue;
      const double r = std::hypot(b.x[i] - b.x[j], b.y[i] - b.y[j], b.z[i] - b.z[j]);
      EXPECT_GT(r, 1.5 - 1e-12);
      if (std::abs(r - 1.5) < 1e-9) {
        EXPECT_EQ(b.q[i] * b.q[j], -4.0);
        ++unlike[i];
      } else if (std::abs(r - 1.5 * std::sqrt(2.0)) < 1e-9) {
        EXPECT_EQ(b.q[i] * b.q[j], 4.0);
        ++like[i];
      }
    }
  }
  // 4^3 ions within the cube of 6^3 have all of their 6 and 12 neighbours.
  EXPECT_EQ(std::count(unlike.begin(), unlike.end(), 6), 64);
  EXPECT_EQ(std::count(like.begin(), like.end(), 12), 64);
}

/// The energy of the middle ion of a cube of c^3 (c odd), of which those on faces, edges and corners count by a half, a
/// fourth and an eighth (Evjen, Phys. Rev. 39, 675, 1932): minus Madelung's constant.
TEST(Salt, HasMadelungsConstant) {
  const u32 c = 17, n = c * c * c, middle = n / 2;
  const Bodies b = salt("temperature=0,n=" + std::to_string(n)).bodies;
  const double reach = (c - 1) / 2;
  double energy = 0;
  for (u32 i = 0; i < n; ++i) {
    if (i == middle) continue;
    const double d[3] = {b.x[i] - b.x[middle], b.y[i] - b.y[middle], b.z[i] - b.z[middle]};
    double weight = 1;
    for (const double v : d) weight *= std::abs(std::abs(v) - reach) < 1e-9 ? 0.5 : 1;
    energy += weight * b.q[i] * b.q[middle] / std::hypot(d[0], d[1], d[2]);
  }
  EXPECT_NEAR(energy, -1.747565, 1e-3);
}

TEST(Salt, TemperatureJitterAndSeed) {
  const Scene hot = salt("n=125,temperature=0.02");
  EXPECT_NEAR(kinetic_of(hot.bodies), 1.5 * 124 * 0.02, 1e-10);
  EXPECT_TRUE(same_bits(hot.bodies, salt("n=125,temperature=0.02").bodies));
  const Bodies still = salt("n=64,temperature=0").bodies, moved = salt("n=64,temperature=0,jitter=0.1").bodies;
  EXPECT_EQ(kinetic_of(moved), 0);
  EXPECT_EQ(still.q, moved.q);
  double largest = 0;
  for (u32 i = 0; i < 64; ++i) largest = std::max(largest, std::abs(still.x[i] - moved.x[i]));
  EXPECT_GT(largest, 0.05);
  EXPECT_LT(largest, 0.15);  // the centre moves, too
  EXPECT_NE(moved.x, salt("n=64,temperature=0,jitter=0.1,seed=7").bodies.x);
}

TEST(Salt, RefusesBadKeys) {
  expect_parts(message_of<Error>([] { salt("ratio=0"); }), {"ratio"});
  expect_parts(message_of<Error>([] { salt("jitter=-1"); }), {"jitter"});
  expect_parts(message_of<Error>([] { salt("n=0"); }), {"n = '0'"});
}

TEST(Charges, JoinedBodiesKeepThem) {
  Bodies plain, charged;
  plain.add(0, 0, 0, 0, 0, 0, 1), plain.add(1, 0, 0, 0, 0, 0, 1);
  charged.add(2, 0, 0, 0, 0, 0, 1), charged.q = {-3};
  Bodies first = plain, second = charged, neither = plain;
  scene::append(first, charged), scene::append(second, plain), scene::append(neither, plain);
  EXPECT_EQ(first.q, (std::vector<double>{0, 0, -3}));
  EXPECT_EQ(second.q, (std::vector<double>{-3, 0, 0}));
  EXPECT_TRUE(neither.q.empty());
}

}  // namespace
}  // namespace tri::test
