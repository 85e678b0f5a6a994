/// Each law functor, in float and double: against the oracle on random states, against the derivative of its own
/// energy, and against its symmetries.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "sim/base/numbers.hpp"
#include "sim/laws/distance.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/maps/triangle_blocks.hpp"
#include "sim/reference/reference.hpp"
#include "tests/sim/laws/law_probe.hpp"
#include "tests/support/physics_cases.hpp"

namespace tri::test {
namespace {

template <class Real>
constexpr bool kIsDouble = sizeof(Real) == 8;

/// Random bodies whose values are exact in Real, so that only the law's arithmetic is measured.
template <class Real>
Bodies random_bodies(u32 n, u64 seed, double spread, double least_distance) {
  SplitMix64 random{seed};
  const auto exact = [&random](double low, double high) {
    return static_cast<double>(static_cast<Real>(low + (high - low) * random.uniform()));
  };
  Bodies b;
  while (b.size() < n) {
    const double x = exact(-spread, spread), y = exact(-spread, spread), z = exact(-spread, spread);
    bool free = true;
    for (std::size_t i = 0; i < b.size(); ++i) {
      free = free && std::hypot(b.x[i] - x, b.y[i] - y, b.z[i] - z) > least_distance;
    }
    if (free) b.add(x, y, z, exact(-1, 1), exact(-1, 1), exact(-1, 1), exact(0.5, 2), exact(0.1, 0.6));
  }
  return b;
}

/// Largest difference of two force arrays relative to the root mean square of the second.
double force_error(const ReferenceForces& a, const ReferenceForces& exact) {
  double most = 0, square = 0;
  for (std::size_t i = 0; i < a.fx.size(); ++i) {
    most = std::max(most, std::hypot(a.fx[i] - exact.fx[i], a.fy[i] - exact.fy[i], a.fz[i] - exact.fz[i]));
    square += exact.fx[i] * exact.fx[i] + exact.fy[i] * exact.fy[i] + exact.fz[i] * exact.fz[i];
  }
  return square == 0 ? most : most / std::sqrt(square / static_cast<double>(a.fx.size()));
}

ForceField all_of_contact() {
  ForceField f = contact_field(50, 1.5, 0.75);
  f.box = Box{{-0.75, -1, -1}, {1, 0.875, 1}, Boundary::reflecting};
  return f;
}

struct LawRow {
  const char* name;
  ForceField field;
  double spread, least;
  double tolerance32;  // largest error relative to the rms force: a steeper law amplifies rounding
};

std::vector<LawRow> law_rows() {
  ForceField argon = lennard_jones_field(2.5, true);
  argon.triple = TripleLaw::axilrod_teller;
  return {{"gravity", gravity_field(), 1, 0.05, 5e-6},
          {"softened gravity", gravity_field(0.1), 1, 0, 2e-6},
          {"lennard-jones", lennard_jones_field(), 2, 0.8, 2e-5},
          {"lennard-jones cut and shifted", lennard_jones_field(2.5, true), 2, 0.8, 2e-5},
          {"contact in a box", all_of_contact(), 1, 0, 1e-5},
          {"axilrod-teller", triple_field(1.5), 2, 0.7, 2e-5},
          {"argon", argon, 2, 0.8, 2e-5}};
}

template <class Real>
void expect_oracle_agrees() {
  for (const LawRow& row : law_rows()) {
    for (u64 seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(std::string(row.name) + ", seed " + std::to_string(seed));
      const Bodies b = random_bodies<Real>(40, seed, row.spread, row.least);
      const ReferenceForces exact = reference_forces(b, row.field);
      LawProbe<Real> probe(b, row.field);
      const ReferenceForces f = probe.forces();
      const double tolerance = kIsDouble<Real> ? 1e-12 : row.tolerance32;
      EXPECT_LT(force_error(f, exact), tolerance);
      EXPECT_NEAR(f.potential, exact.potential, tolerance * std::fabs(exact.potential));
      EXPECT_NEAR(f.triple_potential, exact.triple_potential, tolerance * std::fabs(exact.triple_potential));
      EXPECT_NEAR(f.virial, exact.virial, 4 * tolerance * std::max(1.0, std::fabs(exact.virial)));
    }
  }
}

TEST(Laws, AgreeWithTheOracleInDouble) { expect_oracle_agrees<double>(); }
TEST(Laws, AgreeWithTheOracleInFloat) { expect_oracle_agrees<float>(); }

laws::Body<double> body_at(double x, double y, double z) { return {x, y, z, 1, 0, 0, 0, 0, 0}; }

using Math = laws::ScalarMath<double>;

/// -dE/dx by a five-point difference, for every coordinate of every body.
void expect_forces_are_the_slope(const Bodies& start, const ForceField& field, double tolerance) {
  const ReferenceForces f = LawProbe<double>(start, field).forces();
  Bodies b = start;
  const auto energy = [&b, &field](double& coordinate, double value) {
    const double kept = std::exchange(coordinate, value);
    const double e = LawProbe<double>(b, field).forces().potential;
    coordinate = kept;
    return e;
  };
  double scale = 0;
  for (std::size_t i = 0; i < b.size(); ++i) scale = std::max({scale, std::fabs(f.fx[i]), std::fabs(f.fy[i])});
  for (std::size_t i = 0; i < b.size(); ++i) {
    const std::pair<double*, double> coordinates[] = {{&b.x[i], f.fx[i]}, {&b.y[i], f.fy[i]}, {&b.z[i], f.fz[i]}};
    for (const auto& [coordinate, force] : coordinates) {
      const double at = *coordinate, h = 1e-3;
      const double slope = (energy(*coordinate, at - 2 * h) - 8 * energy(*coordinate, at - h) +
                            8 * energy(*coordinate, at + h) - energy(*coordinate, at + 2 * h)) /
                           (12 * h);
      EXPECT_NEAR(force, -slope, tolerance * scale) << "body " << i;
    }
  }
}

TEST(Laws, ForcesAreTheSlopeOfTheEnergy) {
  const Bodies loose = random_bodies<double>(6, 11, 1.5, 0.9);
  expect_forces_are_the_slope(loose, gravity_field(), 1e-8);
  expect_forces_are_the_slope(loose, gravity_field(0.3), 1e-8);
  expect_forces_are_the_slope(loose, lennard_jones_field(), 1e-6);
  expect_forces_are_the_slope(loose, triple_field(1.0), 1e-7);
  Bodies packed = loose;  // all in contact, none just touching
  for (double& r : packed.r) r = 2.5;
  ForceField box = contact_field(30);
  box.box = Box{{-2, -2, -2}, {2, 2, 2}, Boundary::reflecting};
  expect_forces_are_the_slope(packed, box, 1e-8);
}

/// strength() times the distance vector is the force, at every distance, on both sides of a cut-off.
template <class Law>
void expect_strength_is_force_over_distance(const Law& law) {
  SplitMix64 random{5};
  for (int k = 0; k < 200; ++k) {
    const double length = 0.8 + 0.02 * k, u = random.uniform() - 0.5, v = random.uniform() - 0.5;
    const double unit = std::sqrt(1 + u * u + v * v);
    const double d[3] = {length / unit, length * u / unit, length * v / unit};
    const auto term = law(Math{}, {1, 2, 3, 1, 0, 0, 0, 0, 0}, {1 + d[0], 2 + d[1], 3 + d[2], 1, 0, 0, 0, 0, 0});
    // The distance in the law's arithmetic.
    const double x = 1 + d[0] - 1, y = 2 + d[1] - 2, z = 3 + d[2] - 3, strength = law.strength(Math{}, x, y, z);
    const double tolerance = 1e-14 * std::hypot(term.fx, term.fy, term.fz);
    EXPECT_NEAR(strength * x, term.fx, tolerance) << Law::kName << " at " << length;
    EXPECT_NEAR(strength * y, term.fy, tolerance) << Law::kName << " at " << length;
    EXPECT_NEAR(strength * z, term.fz, tolerance) << Law::kName << " at " << length;
  }
}

TEST(Laws, StrengthIsTheForceOverTheDistance) {
  expect_strength_is_force_over_distance(laws::Gravity<double>(GravityParams{2.5, 0.3}));
  expect_strength_is_force_over_distance(laws::LennardJones<double>(LennardJonesParams{1.5, 1.1, 2.5, true}));
  expect_strength_is_force_over_distance(laws::LennardJones<double>(LennardJonesParams{1.5, 1.1, 0, false}));
}

TEST(Laws, PairTermsTurnWithThePair) {
  const Bodies b = random_bodies<double>(12, 5, 0.7, 0.1);
  const laws::Gravity<double> gravity(GravityParams{2.0, 0.1});
  const laws::LennardJones<double> lennard_jones(LennardJonesParams{1.5, 0.5, 2.0, true});
  const laws::Contact<double> contact(ContactParams{40, 2, 1, false, 1});
  const auto expect_odd = [](const auto& law, const laws::Body<double>& i, const laws::Body<double>& j) {
    const auto ij = law(Math{}, i, j), ji = law(Math{}, j, i);
    EXPECT_EQ(ij.fx, -ji.fx);
    EXPECT_EQ(ij.fy, -ji.fy);
    EXPECT_EQ(ij.fz, -ji.fz);
    EXPECT_EQ(ij.potential, ji.potential);
  };
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const laws::Body<double> p{b.x[i], b.y[i], b.z[i], b.m[i], b.r[i], b.vx[i], b.vy[i], b.vz[i], 0};
      const laws::Body<double> q{b.x[j], b.y[j], b.z[j], b.m[j], b.r[j], b.vx[j], b.vy[j], b.vz[j], 0};
      expect_odd(gravity, p, q), expect_odd(lennard_jones, p, q), expect_odd(contact, p, q);
    }
  }
}

template <class Real>
void expect_triple_identities(double tolerance) {
  const laws::AxilrodTeller<Real> law(AxilrodTellerParams{1.0});
  for (u64 seed = 1; seed <= 200; ++seed) {
    const Bodies b = random_bodies<Real>(3, seed, 1.0, 0.3);
    laws::Body<Real> s[3];
    for (std::size_t i = 0; i < 3; ++i) s[i] = {Real(b.x[i]), Real(b.y[i]), Real(b.z[i]), 1, 0, 0, 0, 0, 0};
    const auto t = law(laws::ScalarMath<Real>{}, s[0], s[1], s[2]);
    const Vec3 fi{double(t.fix), double(t.fiy), double(t.fiz)}, fj{double(t.fjx), double(t.fjy), double(t.fjz)};
    const Vec3 fk{-fi[0] - fj[0], -fi[1] - fj[1], -fi[2] - fj[2]};
    const Vec3 f[3] = {fi, fj, fk};
    double size = 0, virial = 0, torque[3] = {0, 0, 0};
    for (std::size_t i = 0; i < 3; ++i) {
      size += std::hypot(f[i][0], f[i][1], f[i][2]);
      virial += b.x[i] * f[i][0] + b.y[i] * f[i][1] + b.z[i] * f[i][2];
      torque[0] += b.y[i] * f[i][2] - b.z[i] * f[i][1];
      torque[1] += b.z[i] * f[i][0] - b.x[i] * f[i][2];
      torque[2] += b.x[i] * f[i][1] - b.y[i] * f[i][0];
    }
    EXPECT_NEAR(virial, 9.0 * double(t.potential), tolerance * size) << "seed " << seed;
    for (const double component : torque) EXPECT_NEAR(component, 0.0, tolerance * size) << "seed " << seed;

    // The force on a body does not depend on the order of the three.
    const auto turned = law(laws::ScalarMath<Real>{}, s[2], s[0], s[1]);
    EXPECT_NEAR(turned.potential, t.potential, tolerance * size);
    EXPECT_NEAR(turned.fjx, t.fix, tolerance * size);
    EXPECT_NEAR(turned.fix, fk[0], tolerance * size);
    EXPECT_NEAR(turned.fiz, fk[2], tolerance * size);
  }
}

TEST(Laws, TripleForcesBalanceTurnNothingAndObeyTheVirial) {
  expect_triple_identities<double>(1e-13);
  expect_triple_identities<float>(2e-6);
}

TEST(Laws, AxilrodTellerKeepsItsDigitsOverItsFloatRange) {
  const laws::AxilrodTeller<float> law(AxilrodTellerParams{1.0});
  for (const double r : {5e-4, 1e-3, 0.1, 10.0, 1e3, 2.8e3}) {
    SCOPED_TRACE(r);
    const auto f = [r](double v) { return static_cast<float>(v * r); };
    const auto t = law(laws::ScalarMath<float>{}, {0, 0, 0, 1, 0, 0, 0, 0, 0}, {f(1), 0, 0, 1, 0, 0, 0, 0, 0},
                       {f(0.5), f(std::sqrt(0.75)), 0, 1, 0, 0, 0, 0, 0});
    const double energy = 11.0 / 8.0 * std::pow(r, -9), force = 33.0 / 8.0 * std::sqrt(3.0) * std::pow(r, -10);
    EXPECT_NEAR(double(t.potential) / energy, 1.0, 1e-5);
    EXPECT_NEAR(std::hypot(double(t.fix), double(t.fiy)) / force, 1.0, 1e-5);
  }
}

/// Two close bodies, the third far away: where a+b-c formed from the squares would lose its digits.
TEST(Laws, AxilrodTellerKeepsItsDigitsInThinTriangles) {
  for (const double width : {1e-1, 1e-2, 1e-3}) {
    SCOPED_TRACE(width);
    const auto exact = [](double v) { return double(float(v)); };
    const Bodies b = bodies_at({{0, 0, 0}, {exact(0.3 * width), exact(width), 0}, {1, exact(0.7), exact(-0.4)}});
    const ReferenceForces known = reference_forces(b, triple_field(1.0));
    EXPECT_LT(force_error(LawProbe<float>(b, triple_field(1.0)).forces(), known), 2e-6);
  }
}

TEST(Laws, LennardJonesEndsAtItsCutOff) {
  const laws::LennardJones<double> plain(LennardJonesParams{1, 1, 2.5, false}),
      shifted(LennardJonesParams{1, 1, 2.5, true});
  const auto inside = body_at(2.5 * (1 - 1e-12), 0, 0), on = body_at(2.5, 0, 0), beyond = body_at(2.6, 0, 0);
  const auto origin = body_at(0, 0, 0);
  const double step = 4.0 * (std::pow(2.5, -12) - std::pow(2.5, -6));
  EXPECT_NEAR(plain(Math{}, origin, inside).potential, step, 1e-12);
  EXPECT_NEAR(shifted(Math{}, origin, inside).potential, 0.0, 1e-12);
  EXPECT_EQ(plain(Math{}, origin, inside).fx, shifted(Math{}, origin, inside).fx);
  EXPECT_NE(plain(Math{}, origin, inside).fx, 0.0);
  for (const auto& body : {on, beyond}) {
    EXPECT_EQ(plain(Math{}, origin, body).potential, 0.0);
    EXPECT_EQ(shifted(Math{}, origin, body).potential, 0.0);
    EXPECT_EQ(shifted(Math{}, origin, body).fx, 0.0);
  }
}

TEST(Laws, LennardJonesScalesWithEpsilonAndSigma) {
  const laws::LennardJones<double> law(LennardJonesParams{3.0, 2.0, 0, false});
  const double well = 2.0 * std::pow(2.0, 1.0 / 6.0);
  EXPECT_NEAR(law(Math{}, body_at(0, 0, 0), body_at(0, well, 0)).potential, -3.0, 1e-14);
  EXPECT_NEAR(law(Math{}, body_at(0, 0, 0), body_at(0, well, 0)).fy, 0.0, 1e-13);
  EXPECT_NEAR(law(Math{}, body_at(0, 0, 0), body_at(0, 0, 2)).fz, -24.0 * 3.0 / 2.0, 1e-13);
}

TEST(Laws, SofteningMakesCoincidentBodiesHarmless) {
  const auto t = laws::Gravity<float>(GravityParams{1, 0.5})(laws::ScalarMath<float>{}, {1, 2, 3, 2, 0, 0, 0, 0, 0},
                                                             {1, 2, 3, 4, 0, 0, 0, 0, 0});
  EXPECT_EQ(t.fx, 0.0f);
  EXPECT_EQ(t.potential, -16.0f);
}

template <class Real>
void expect_contact_is_safe_at_zero() {
  const laws::Contact<Real> law(ContactParams{100, 5, 2, false, 1});
  const laws::Body<Real> a{1, 1, 1, 1, Real(0.5), 1, 0, 0, 0}, b{1, 1, 1, 1, Real(0.25), 0, 0, 0, 0};
  const auto t = law(laws::ScalarMath<Real>{}, a, b);
  EXPECT_EQ(t.fx, Real(-2));  // shear acts on the full relative velocity
  EXPECT_EQ(t.fy, Real(0));
  EXPECT_NEAR(t.potential, 0.5 * 100 * 0.5625, 1e-5);
  // The smallest positive distance must not overflow either.
  laws::Body<Real> near = b;
  near.x = std::nextafter(Real(1), Real(2));
  EXPECT_TRUE(std::isfinite(law(laws::ScalarMath<Real>{}, a, near).fx));
  laws::Body<Real> origin_a{0, 0, 0, 1, 1, 0, 0, 0, 0},
      origin_b{std::numeric_limits<Real>::denorm_min(), 0, 0, 1, 1, 0, 0, 0, 0};
  EXPECT_TRUE(std::isfinite(law(laws::ScalarMath<Real>{}, origin_a, origin_b).fx));
}

TEST(Laws, ContactIsSafeWhereCentresCoincide) {
  expect_contact_is_safe_at_zero<double>();
  expect_contact_is_safe_at_zero<float>();
}

/// Float64 has normals where float32 has none.
TEST(Laws, ContactHasNormalsAtSmallDistances) {
  const laws::Contact<double> wide(ContactParams{100, 0, 0, false, 1});
  for (const double unit : {1.0, 1e-10, 1e-16, 1e-60, 1e-140}) {
    const laws::Body<double> a{0, 0, 0, 1, unit, 0, 0, 0, 0}, b{0.03 * unit, 0.04 * unit, 0, 1, unit, 0, 0, 0, 0};
    const auto t = wide(Math{}, a, b);
    EXPECT_NEAR(t.fx / unit, -100 * 1.95 * 0.6, 1e-11) << unit;
    EXPECT_NEAR(t.fy / unit, -100 * 1.95 * 0.8, 1e-11) << unit;
  }
  const laws::Contact<float> narrow(ContactParams{100, 0, 0, false, 1});
  const laws::Body<float> a{0, 0, 0, 1, 1e-14f, 0, 0, 0, 0}, b{3e-18f, 4e-18f, 0, 1, 1e-14f, 0, 0, 0, 0};
  EXPECT_NEAR(narrow(laws::ScalarMath<float>{}, a, b).fx / 1e-14f, -200 * 0.6, 0.1);
}

/// The dashpots dissipate energy: the force beyond the spring's opposes the relative motion.
TEST(Laws, ContactDampingOnlyTakesEnergy) {
  const laws::Contact<double> spring(ContactParams{100, 0, 0, false, 1}), damped(ContactParams{100, 4, 3, false, 1});
  u32 touching = 0;
  for (u64 seed = 1; seed <= 300; ++seed) {
    const Bodies b = random_bodies<double>(2, seed, 0.5, 0);
    const laws::Body<double> p{b.x[0], b.y[0], b.z[0], b.m[0], b.r[0], b.vx[0], b.vy[0], b.vz[0], 0};
    const laws::Body<double> q{b.x[1], b.y[1], b.z[1], b.m[1], b.r[1], b.vx[1], b.vy[1], b.vz[1], 0};
    const auto s = spring(Math{}, p, q), d = damped(Math{}, p, q);
    // Power of the dashpots on both: F_i.v_i + F_j.v_j with F_j = -F_i.
    const double power = (d.fx - s.fx) * (p.vx - q.vx) + (d.fy - s.fy) * (p.vy - q.vy) + (d.fz - s.fz) * (p.vz - q.vz);
    EXPECT_LE(power, 1e-14);
    EXPECT_EQ(d.potential, s.potential);
    const bool apart = std::hypot(b.x[1] - b.x[0], b.y[1] - b.y[0], b.z[1] - b.z[0]) >= b.r[0] + b.r[1];
    EXPECT_EQ(s.potential == 0, apart);
    EXPECT_EQ(power == 0, apart);
    touching += apart ? 0 : 1;
  }
  EXPECT_GT(touching, 50u);
  EXPECT_LT(touching, 290u);
}

TEST(Laws, ContactUnderImpulseGivesNoForce) {
  ContactParams p;
  p.impulse = true;
  const laws::Body<double> a{0, 0, 0, 1, 1, 1, 0, 0, 0}, b{1, 0, 0, 1, 1, 0, 0, 0, 0};
  const auto t = laws::Contact<double>(p)(Math{}, a, b);
  EXPECT_EQ(t.fx, 0.0);
  EXPECT_EQ(t.potential, 0.0);
}

TEST(Laws, OverlapCountsTouchingSpheres) {
  const laws::Overlap<float> overlap;
  using Float = laws::ScalarMath<float>;
  const laws::Body<float> a{0, 0, 0, 1, 2, 0, 0, 0, 0};
  EXPECT_TRUE(overlap(Float{}, a, {3, 4, 0, 1, 3, 0, 0, 0, 0}));
  EXPECT_FALSE(overlap(Float{}, a, {3, std::nextafter(4.0f, 5.0f), 0, 1, 3, 0, 0, 0, 0}));
  EXPECT_TRUE(overlap(Float{}, a, {0, 0, 0, 1, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(overlap(Float{}, {1, 1, 1, 1, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 0, 0, 0, 0, 0})) << "two coincident points";
}

TEST(Laws, OverlapFindsTheOraclesPairs) {
  const Bodies b = random_bodies<float>(150, 9, 2.0, 0);
  std::vector<std::pair<u32, u32>> of_float, of_double;
  for (u32 i = 0; i < b.size(); ++i) {
    for (u32 j = 0; j < i; ++j) {
      const auto body = [&b]<class Real>(u32 k, Real) {
        return laws::Body<Real>{Real(b.x[k]), Real(b.y[k]), Real(b.z[k]), 1, Real(b.r[k]), 0, 0, 0, 0};
      };
      if (laws::Overlap<float>{}(laws::ScalarMath<float>{}, body(i, 0.0f), body(j, 0.0f))) of_float.emplace_back(i, j);
      if (laws::Overlap<double>{}(Math{}, body(i, 0.0), body(j, 0.0))) of_double.emplace_back(i, j);
    }
  }
  EXPECT_GT(of_double.size(), 100u);
  EXPECT_EQ(of_double, reference_collisions(b));
  EXPECT_EQ(of_float, of_double) << "no pair of this cloud is within float32's rounding of touching";
}

TEST(Laws, DeclareWhatTheyReadAndSum) {
  EXPECT_EQ(laws::Gravity<float>::kUses, u32{laws::kMass});
  EXPECT_EQ(laws::Gravity<float>::kSums, laws::Sums::acceleration);
  EXPECT_EQ(laws::LennardJones<float>::kUses, u32{laws::kPosition});
  EXPECT_EQ(laws::LennardJones<float>::kSums, laws::Sums::force);
  EXPECT_EQ(laws::Contact<float>::kUses, u32{laws::kRadius | laws::kVelocity});
  EXPECT_EQ(laws::Contact<float>::kSums, laws::Sums::force);
  EXPECT_EQ(laws::AxilrodTeller<float>::kSums, laws::Sums::force);
  EXPECT_EQ(laws::Gravity<float>::kName, to_string(PairLaw::gravity));
  EXPECT_EQ(laws::LennardJones<float>::kName, to_string(PairLaw::lennard_jones));
  EXPECT_EQ(laws::Contact<float>::kName, to_string(PairLaw::contact));
  EXPECT_EQ(laws::AxilrodTeller<float>::kName, to_string(TripleLaw::axilrod_teller));
}

/// float32 against float64 of the rounded inputs for n = 4096: the tolerance for a backend.
TEST(Laws, FloatGravityOf4096IsWithinTheStatedError) {
  Bodies b = centred_cloud(4096);
  for (auto* a : {&b.x, &b.y, &b.z, &b.m}) {
    for (double& v : *a) v = double(float(v));
  }
  const ReferenceForces exact = reference_forces(b, gravity_field(0.01));
  const ReferenceForces f = LawProbe<float>(b, gravity_field(0.01)).forces();
  double square = 0, error = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    square += exact.fx[i] * exact.fx[i] + exact.fy[i] * exact.fy[i] + exact.fz[i] * exact.fz[i];
    const double dx = f.fx[i] - exact.fx[i], dy = f.fy[i] - exact.fy[i], dz = f.fz[i] - exact.fz[i];
    error += dx * dx + dy * dy + dz * dz;
  }
  EXPECT_LT(std::sqrt(error / square), 1e-5);
  EXPECT_LT(force_error(f, exact), 1e-4);
}

}  // namespace
}  // namespace tri::test

// Distances: the oracle and the functor against known sums, extremes, the sum-of-squares identity and the layouts.

namespace tri {
namespace {

PointSet cloud_points(u32 n) {
  PointSet points{n, 3, {}};
  for (const auto& p : cloud(n)) points.values.insert(points.values.end(), p.begin(), p.end());
  return points;
}

template <class Real>
Real law_distance(const PointSet& p, u32 a, u32 b) {
  using Math = laws::ScalarMath<Real>;
  Real sum = 0;
  for (u32 f = 0; f < p.features; ++f) {
    const auto value = [&p, f](u32 point) { return static_cast<Real>(p.values[std::size_t{point} * p.features + f]); };
    sum = laws::Distance::add(Math{}, sum, value(a), value(b));
  }
  return laws::Distance::finish(Math{}, sum);
}

TEST(Cloud, FirstTriple) {
  const auto first = cloud(1).front();
  EXPECT_NEAR(first[0], 0.741564878771823, 5e-16);
  EXPECT_NEAR(first[1], 0.159910392876920, 5e-16);
  EXPECT_NEAR(first[2], 0.278601130255139, 5e-16);
  EXPECT_EQ(cloud(5)[4], cloud(9)[4]);
  EXPECT_NE(cloud(1, 43).front(), first);
}

TEST(Distance, SumsOverTheCloud) {
  const struct {
    u32 n;
    double sum, squares;
    double sum_digits, squares_digits;  // half a unit of the last digit given
  } rows[] = {{64, 1367.96998719, 1054.3780022392, 5e-9, 5e-11},
              {1024, 344796.617847, 259072.72347081, 5e-7, 5e-9},
              {4096, 5507054.03228, 4127954.4932762, 5e-6, 5e-8}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.n);
    const PointSet points = cloud_points(row.n);
    const std::vector<double> d = reference_distances(points, DistanceLayout::condensed);
    ASSERT_EQ(d.size(), std::size_t{row.n} * (row.n - 1) / 2);
    double sum = 0, squares = 0, law_sum = 0;
    for (const double v : d) sum += v, squares += v * v;
    EXPECT_NEAR(sum, row.sum, row.sum_digits + 1e-13 * row.sum);
    EXPECT_NEAR(squares, row.squares, row.squares_digits + 1e-13 * row.squares);
    for (u32 a = 0; a < row.n; ++a) {
      for (u32 b = a + 1; b < row.n; ++b) law_sum += law_distance<double>(points, a, b);
    }
    EXPECT_NEAR(law_sum, row.sum, row.sum_digits + 1e-13 * row.sum);

    // sum d^2 = n sum |x|^2 - |sum x|^2
    double of_squares = 0, centre[3] = {0, 0, 0};
    for (u32 i = 0; i < row.n; ++i) {
      for (u32 f = 0; f < 3; ++f) {
        const double v = points.values[std::size_t{i} * 3 + f];
        of_squares += v * v;
        centre[f] += v;
      }
    }
    const double identity =
        row.n * of_squares - (centre[0] * centre[0] + centre[1] * centre[1] + centre[2] * centre[2]);
    EXPECT_NEAR(squares, identity, 1e-12 * identity);
  }
}

TEST(Distance, ExtremesAndFirstOf64) {
  const std::vector<double> d = reference_distances(cloud_points(64), DistanceLayout::condensed);
  EXPECT_NEAR(*std::min_element(d.begin(), d.end()), 0.0250244530332619, 1e-15);
  EXPECT_NEAR(*std::max_element(d.begin(), d.end()), 1.30702526700622, 1e-14);
  EXPECT_NEAR(d[0], 0.721402072148202, 1e-15);
  EXPECT_NEAR(law_distance<double>(cloud_points(64), 0, 1), 0.721402072148202, 1e-15);
}

TEST(Distance, LayoutsHoldTheSameNumbersInTheirOrder) {
  for (const u32 n : {1u, 2u, 3u, 17u, 64u}) {
    const PointSet points = cloud_points(n);
    const auto condensed = reference_distances(points, DistanceLayout::condensed);
    const auto square = reference_distances(points, DistanceLayout::square);
    const auto lower = reference_distances(points, DistanceLayout::lower);
    const auto blocks = reference_distances(points, DistanceLayout::blocks);
    ASSERT_EQ(blocks.size(), blocks_count(n, kDistanceBlock));
    for (u64 k = 0; k < blocks.size(); ++k) {
      const auto [i, j] = blocks_cell(k, kDistanceBlock);
      EXPECT_EQ(blocks[k], i < n && j < n ? square[std::size_t{i} * n + j] : 0.0);
    }
    ASSERT_EQ(square.size(), std::size_t{n} * n);
    ASSERT_EQ(lower.size(), std::size_t{n} * (n + 1) / 2);
    ASSERT_EQ(condensed.size(), std::size_t{n} * (n - 1) / 2);
    for (u32 i = 0; i < n; ++i) {
      EXPECT_EQ(square[std::size_t{i} * n + i], 0.0);
      for (u32 j = 0; j <= i; ++j) {
        const double d = law_distance<double>(points, i, j);
        EXPECT_NEAR(square[std::size_t{i} * n + j], d, 1e-15);
        EXPECT_EQ(square[std::size_t{i} * n + j], square[std::size_t{j} * n + i]);
        EXPECT_EQ(lower[std::size_t{i} * (i + 1) / 2 + j], square[std::size_t{i} * n + j]);
        if (i == j) continue;
        // SciPy: of (a, b), a < b: n a - a(a+1)/2 + (b - a - 1); read backwards it is the strict lower triangle.
        const std::size_t scipy = std::size_t{n} * j - std::size_t{j} * (j + 1) / 2 + (i - j - 1);
        EXPECT_EQ(condensed[scipy], square[std::size_t{i} * n + j]);
        const u64 row = n - 1 - j, column = n - 1 - i;
        EXPECT_EQ(scipy, u64{n} * (n - 1) / 2 - 1 - (row * (row - 1) / 2 + column));
      }
    }
  }
}

TEST(Distance, AnyNumberOfFeaturesAndFloat) {
  for (u32 features = 1; features <= laws::Distance::kMaxFeatures; ++features) {
    SplitMix64 random{features};
    PointSet points{20, features, {}};
    for (u32 v = 0; v < 20 * features; ++v)
      points.values.push_back(static_cast<float>(100.0 * random.uniform() - 50.0));
    const auto square = reference_distances(points, DistanceLayout::square);
    for (u32 i = 0; i < 20; ++i) {
      for (u32 j = 0; j < 20; ++j) {
        const double d = square[std::size_t{i} * 20 + j];
        EXPECT_NEAR(law_distance<double>(points, i, j), d, 1e-14 * (1 + d));
        EXPECT_NEAR(law_distance<float>(points, i, j), d, 1e-6 * (1e-30 + d)) << features << " features";
      }
    }
  }
}

TEST(Distance, IrisFirstRows) {
  std::ifstream file(TRI_TEST_DATA "/iris.csv");
  ASSERT_TRUE(file) << "no " TRI_TEST_DATA "/iris.csv";
  PointSet points{0, 4, {}};
  for (std::string line; std::getline(file, line);) {
    double v[4];
    if (std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf", &v[0], &v[1], &v[2], &v[3]) != 4) continue;
    points.values.insert(points.values.end(), v, v + 4);
    ++points.n;
  }
  ASSERT_EQ(points.n, 150u);
  const auto d = reference_distances(points, DistanceLayout::condensed);
  ASSERT_EQ(d.size(), 11175u);
  // (5.1, 3.5, 1.4, 0.2) to (4.9, 3.0, 1.4, 0.2): sqrt(0.04 + 0.25); to (4.7, 3.2, 1.3, 0.2): sqrt(0.16 + 0.09 + 0.01)
  EXPECT_NEAR(d[0], std::sqrt(0.29), 1e-14);
  EXPECT_NEAR(d[1], std::sqrt(0.26), 1e-14);
}

}  // namespace
}  // namespace tri
