/// Plummer's sphere, the ball and the box: energies, radii, speeds and moments against closed forms.

#include <algorithm>
#include <numbers>

#include "sim/reference/reference.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

using std::numbers::pi;

constexpr double kPlummerLength = 3.0 * pi / 16.0;

std::string with_seed(const std::string& spec, u64 seed) { return spec + ",seed=" + std::to_string(seed); }

TEST(Plummer, HasTheEnergyOfVirialUnits) {
  for (const u64 seed : {42u, 1u, 2u, 3u}) {
    const Bodies b = make_scene(with_seed("plummer:n=4096", seed)).bodies;
    const double potential = potential_of(b);
    const double kinetic = kinetic_of(b);
    EXPECT_NEAR(kinetic, 0.25 * (1 - 1.0 / 4096), 1e-12);
    EXPECT_NEAR(potential, -0.5, 0.01) << "seed " << seed;
    EXPECT_NEAR(kinetic + potential, -0.25, 0.03 * 0.25) << "seed " << seed;
    EXPECT_NEAR(2 * kinetic / -potential, 1, 0.02) << "seed " << seed;
  }
}

TEST(Plummer, HalfOfTheMassIsWithinItsRadius) {
  // The sampling error of a median of n radii is about 1.1 a / sqrt(n) if they were independent.
  for (const u64 seed : {42u, 5u}) {
    std::vector<double> r = distances_to_origin(make_scene(with_seed("plummer:n=40000", seed)).bodies);
    std::sort(r.begin(), r.end());
    EXPECT_NEAR(r[r.size() / 2] / kPlummerLength, 1.30476602650411, 0.01);
    // The whole profile, not the median alone: mass within r is r^3 (r^2 + a^2)^(-3/2).
    double worst = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
      const double within = std::pow(r[i] / std::hypot(r[i], kPlummerLength), 3);
      worst = std::max(worst, std::abs(within - (static_cast<double>(i) + 0.5) / static_cast<double>(r.size())));
    }
    EXPECT_LT(worst, 0.01);
  }
}

TEST(Plummer, SpeedsFollowTheDistributionFunctionAndAreIsotropic) {
  const Bodies b = make_scene("plummer:n=40000").bodies;
  // q = v / v_escape has the same distribution at every radius; the mean of q^2 is B(5/2, 9/2) / B(3/2, 9/2) = 1/4.
  double inner = 0, outer = 0, radial = 0, total = 0;
  int inner_count = 0, outer_count = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double r = std::hypot(b.x[i], b.y[i], b.z[i]);
    const double q2 = std::pow(speed_of(b, i), 2) / (2 / std::hypot(r, kPlummerLength));
    EXPECT_LT(q2, 1.02);
    (r < kPlummerLength ? inner : outer) += q2;
    ++(r < kPlummerLength ? inner_count : outer_count);
    radial += std::pow((b.x[i] * b.vx[i] + b.y[i] * b.vy[i] + b.z[i] * b.vz[i]) / r, 2);
    total += std::pow(speed_of(b, i), 2);
  }
  EXPECT_NEAR(inner / inner_count, 0.25, 0.006);
  EXPECT_NEAR(outer / outer_count, 0.25, 0.006);
  EXPECT_NEAR(radial / total, 1.0 / 3.0, 0.006);
}

TEST(Plummer, SpeedsHaveTheShapeOfTheDistributionFunction) {
  // u = q^2 has the density of Beta(3/2, 9/2): <u^2> / <u>^2 = 10/7. It is independent of the scale of the speeds.
  const Bodies b = make_scene("plummer:n=200000").bodies;
  double first = 0, second = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double r = std::hypot(b.x[i], b.y[i], b.z[i]);
    const double u = std::pow(speed_of(b, i), 2) / (2 / std::hypot(r, kPlummerLength));
    first += u / 200000;
    second += u * u / 200000;
  }
  EXPECT_NEAR(second / (first * first), 10.0 / 7.0, 0.008);
}

TEST(Plummer, RadiusIsIndependentOfTheIndex) {
  const std::vector<double> r = distances_to_origin(make_scene("plummer:n=10000").bodies);
  double first = 0, second = 0;
  for (std::size_t i = 0; i < r.size(); ++i) (i < r.size() / 2 ? first : second) += std::min(r[i], 10.0);
  EXPECT_NEAR(first / second, 1.0, 0.05);
}

TEST(UniformBall, HasThePotentialOfTheBall) {
  double sum = 0;
  for (u64 seed = 1; seed <= 8; ++seed) {
    const Bodies b = make_scene(with_seed("uniform-ball:n=2000", seed)).bodies;
    const double potential = potential_of(b);
    EXPECT_NEAR(potential, -0.6 * (1 - 1.0 / 2000), 0.015);
    sum += potential;
  }
  EXPECT_NEAR(sum / 8, -0.6 * (1 - 1.0 / 2000), 0.004);
}

TEST(UniformBall, FillsTheBallEvenly) {
  const Bodies b = make_scene("uniform-ball:n=40000").bodies;
  std::vector<double> r = distances_to_origin(b);
  std::sort(r.begin(), r.end());
  EXPECT_LE(r.back(), 1.0);
  double worst = 0;  // Kolmogorov's distance; exceeds 1.63 / sqrt(n) = 0.008 with probability 0.01
  for (std::size_t i = 0; i < r.size(); ++i) {
    worst = std::max(worst, std::abs(std::pow(r[i], 3) - (static_cast<double>(i) + 0.5) / 40000));
  }
  EXPECT_LT(worst, 0.01);
  int above = 0;
  for (const double z : b.z) above += z > 0.5;  // a cap of height 1/2 is 5/32 of the ball
  EXPECT_NEAR(above / 40000.0, 5.0 / 32.0, 0.007);
}

TEST(UniformBox, HasThePotentialOfTheCube) {
  // The mean inverse distance of two points of the unit cube, 1.88231264438966, to six digits by the closed form.
  double sum = 0;
  for (u64 seed = 1; seed <= 8; ++seed) sum += potential_of(make_scene(with_seed("uniform-box:n=2000", seed)).bodies);
  EXPECT_NEAR(sum / 8, -0.5 * 1.88231264438966 * (1 - 1.0 / 2000), 0.006);
  const Bodies b = make_scene("uniform-box:n=1000,virial=0.5").bodies;
  EXPECT_NEAR(kinetic_of(b), 0.25 * 0.5 * 1.88231264438966 * (1 - 1.0 / 1000), 1e-12);
}

TEST(UniformBox, FillsTheBoxEvenly) {
  const Bodies b = make_scene("uniform-box:n=64000").bodies;
  std::array<int, 64> cells{};
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (const double c : {b.x[i], b.y[i], b.z[i]}) ASSERT_TRUE(c >= -0.5 && c < 0.5);
    const auto cell = [](double c) { return static_cast<std::size_t>((c + 0.5) * 4); };
    ++cells[cell(b.x[i]) * 16 + cell(b.y[i]) * 4 + cell(b.z[i])];
  }
  double chi2 = 0;  // 63 degrees of freedom: above 103 with probability 0.001
  for (const int count : cells) chi2 += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi2, 110);
}

TEST(UniformScenes, TheVirialKeySetsTheKineticEnergy) {
  EXPECT_EQ(kinetic_of(make_scene("uniform-ball:n=500,virial=0").bodies), 0.0);
  const double full = 0.3 * (1 - 1.0 / 500);
  EXPECT_NEAR(kinetic_of(make_scene("uniform-ball:n=500").bodies), full, 1e-13);
  EXPECT_NEAR(kinetic_of(make_scene("uniform-ball:n=500,virial=0.3").bodies), 0.3 * full, 1e-13);
}

class Cloud : public testing::TestWithParam<const char*> {};

TEST_P(Cloud, NIsExactMassIsOneAndMomentumZero) {
  for (const u32 n : {1u, 2u, 3u, 257u, 10241u}) {
    const Scene s = make_scene(std::string(GetParam()) + ":n=" + std::to_string(n));
    ASSERT_EQ(s.bodies.size(), n);
    check(s.bodies);
    double mass = 0;
    for (const double m : s.bodies.m) mass += m;
    EXPECT_NEAR(mass, 1.0, 1e-12);
    const auto moments = first_moments(s.bodies);
    for (int c = 3; c < 6; ++c) EXPECT_NEAR(moments[c], 0, 1e-14) << n;
    if (std::string(GetParam()) == "plummer") {
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(moments[c], 0, 1e-13) << n;
    }
  }
}

TEST_P(Cloud, TheSeedDeterminesTheState) {
  const std::string spec = std::string(GetParam()) + ":n=1000";
  const Scene a = make_scene(spec);
  EXPECT_TRUE(same_bits(a.bodies, make_scene(with_seed(spec, 42)).bodies));
  EXPECT_FALSE(same_bits(a.bodies, make_scene(with_seed(spec, 43)).bodies));
  EXPECT_EQ(a.seed, 42u);
  EXPECT_EQ(make_scene(with_seed(spec, 18446744073709551615u)).seed, 18446744073709551615u);
}

TEST_P(Cloud, KeysReachTheLaw) {
  const Scene s = make_scene(std::string(GetParam()) + ":n=100,eps=0.125,G=4,dt=0.5");
  EXPECT_EQ(s.field.pair, PairLaw::gravity);
  EXPECT_EQ(s.field.triple, TripleLaw::none);
  EXPECT_EQ(s.field.gravity.softening, 0.125);
  EXPECT_EQ(s.field.gravity.G, 4.0);
  EXPECT_EQ(s.dt, 0.5);
  EXPECT_EQ(s.field.box.boundary, Boundary::open);
}

// With four times G the same positions need twice the speeds and half the step.
TEST_P(Cloud, SpeedsScaleWithTheRootOfG) {
  const Scene one = make_scene(std::string(GetParam()) + ":n=100");
  const Scene four = make_scene(std::string(GetParam()) + ":n=100,G=4");
  EXPECT_EQ(one.bodies.x, four.bodies.x);
  EXPECT_NEAR(four.bodies.vx[7], 2 * one.bodies.vx[7], 1e-14);
  EXPECT_EQ(four.dt, one.dt / 2);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Cloud, testing::Values("plummer", "uniform-ball", "uniform-box"));

TEST(DefaultScene, IsOneOfTheList) { EXPECT_EQ(make_scene(kDefaultScene).bodies.size(), 4096u); }

}  // namespace
}  // namespace tri::test
