/// What float32 cannot hold is refused with the quantity, and what it can hold is let through.

#include "sim/model/float_range.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "sim/base/error.hpp"
#include "tests/support/error_messages.hpp"

namespace tri {
namespace {

using test::expect_parts;

constexpr double kSolarMass = 1.98841e30, kNewton = 6.6743e-11;

std::string refusal_of(const Bodies& bodies, const ForceField& field, Precision precision = Precision::fp32) {
  return test::message_of<ConfigError>([&] {
    check_float_values(bodies, precision);
    check_float_range(bodies, field, precision);
  });
}

ForceField gravity(double G, double softening = 0) {
  ForceField f;
  f.gravity.G = G, f.gravity.softening = softening;
  return f;
}

/// Two bodies of masses M and m on a circle about each other, at distance r.
Bodies pair_of(double M, double m, double r, double speed) {
  Bodies b;
  b.add(0, 0, 0, 0, -speed * m / (M + m), 0, M);
  b.add(r, 0, 0, 0, speed * M / (M + m), 0, m);
  return b;
}

Bodies sun_and_jupiter() { return pair_of(kSolarMass, 1.898e27, 7.785e11, 1.306e4); }

TEST(FloatRange, GravityInMetresAndKilogramsIsRefused) {
  expect_parts(refusal_of(sun_and_jupiter(), gravity(kNewton)),
               {"the gravity on body 1", "r = 7.78e+11 from the centre of mass", "G/r^3 = 1.4", "e-46",
                "below the smallest number of float32", "--precision fp64"});
  EXPECT_EQ(refusal_of(sun_and_jupiter(), gravity(kNewton), Precision::fp64), "");
  // Neptune: 1/r^3 is subnormal, which devices take as 0.
  expect_parts(refusal_of(pair_of(kSolarMass, 1.024e26, 4.5e12, 5.4e3), gravity(kNewton)), {"1/r^3 = 1.1e-38"});
}

TEST(FloatRange, GravityInCentimetresAndGramsIsRefused) {
  const Bodies b = pair_of(1e3 * kSolarMass, 1.898e30, 7.785e13, 1.306e6);
  expect_parts(refusal_of(b, gravity(1e3 * kNewton)),
               {"body 0", "at r = 7.42e+10", "G/r^3 = 1.63e-40", "--precision fp64"});
}

TEST(FloatRange, TheLimitIsTheSmallestNormalNumber) {
  const double least = static_cast<double>(std::numeric_limits<float>::min());
  const double limit = std::cbrt(1 / least);
  // The other mass is 0, so the centre of mass is the first body, and a body at rest feels everything.
  EXPECT_EQ(refusal_of(pair_of(1, 0, 0.999 * limit, 0), gravity(1)), "");
  expect_parts(refusal_of(pair_of(1, 0, 1.001 * limit, 0), gravity(1)), {"body 1", "1/r^3 = 1.17e-38"});
  EXPECT_EQ(refusal_of(pair_of(1, 0, 0.099 * limit, 0), gravity(1e-3)), "");
  expect_parts(refusal_of(pair_of(1, 0, 0.101 * limit, 0), gravity(1e-3)), {"G/r^3 = 1.14e-38"});
  expect_parts(refusal_of(pair_of(1, 0, 1, 0), gravity(1, 1e20)), {"body 0", "r = 1e+20", "1/r^3 = 1e-60"});
  expect_parts(refusal_of(pair_of(1e-30, 0, 1, 0), gravity(1e-10)), {"G times the largest mass = 1e-40"});
}

TEST(FloatRange, ABodyThatGravityCannotSlowDownIsNoReason) {
  EXPECT_EQ(refusal_of(pair_of(1, 0, 1e13, 1), gravity(1)), "");  // G M / r = 1e-13, v^2 = 1
  EXPECT_NE(refusal_of(pair_of(1, 0, 1e13, 1e-6), gravity(1)), "");
}

TEST(FloatRange, NoMassAndNoGravityAreNoReason) {
  Bodies massless = pair_of(1, 1, 1e30, 0);
  massless.m = {0, 0};
  EXPECT_EQ(refusal_of(massless, gravity(1)), "");
  EXPECT_EQ(refusal_of(pair_of(1, 1, 1e30, 0), gravity(0)), "");
  Bodies one;
  one.add(1e30, 0, 0, 0, 0, 0, 1);
  EXPECT_EQ(refusal_of(one, gravity(1)), "");
}

TEST(FloatRange, ScalesByPowersOfTenAroundOneAreLetThrough) {
  for (const double scale : {1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9}) {
    EXPECT_EQ(refusal_of(pair_of(3, 2, scale, 1 / std::sqrt(scale)), gravity(1)), "") << scale;
  }
  // Kiloparsecs, km/s and solar masses; AU, years and solar masses.
  EXPECT_EQ(refusal_of(pair_of(1e12, 1e11, 780, 110), gravity(4.30091727e-6)), "");
  EXPECT_EQ(refusal_of(pair_of(1, 1e-3, 30, 1.1), gravity(39.478)), "");
}

TEST(FloatRange, ValuesBeyondFloat32NameTheBody) {
  const std::function<double&(Bodies&)> columns[] = {
      [](Bodies& b) -> double& { return b.x[1]; }, [](Bodies& b) -> double& { return b.vz[1]; },
      [](Bodies& b) -> double& { return b.m[1]; }, [](Bodies& b) -> double& { return b.r[1]; }};
  for (const auto& column : columns) {
    Bodies b = pair_of(1, 1, 1, 1);
    column(b) = 1e39;
    expect_parts(refusal_of(b, gravity(1)), {"body 1 holds a value beyond the range of float32"});
    EXPECT_EQ(refusal_of(b, gravity(1), Precision::fp64), "");
  }
  Bodies charged = pair_of(1, 1, 1, 1);
  charged.q = {0, -1e39};
  expect_parts(refusal_of(charged, gravity(1)), {"body 1 has the charge -1e+39", "--precision fp64"});
  EXPECT_EQ(refusal_of(charged, gravity(1), Precision::fp64), "");
  expect_parts(refusal_of(pair_of(1, 1e-300, 1, 1), gravity(1)), {"body 1 has the mass 1e-300", "--precision fp64"});
}

ForceField argon(double sigma, double epsilon, double nu) {
  ForceField f;
  f.pair = PairLaw::lennard_jones, f.triple = TripleLaw::axilrod_teller;
  f.lennard_jones.sigma = sigma, f.lennard_jones.epsilon = epsilon, f.axilrod_teller.nu = nu;
  return f;
}

TEST(FloatRange, MoleculesInMetresAndKilograms) {
  const double sigma = 3.405e-10, epsilon = 119.8 * 1.380649e-23;
  Bodies atoms;
  for (int i = 0; i < 3; ++i) atoms.add(i * sigma, 0, 0, 0, 0, 0, 6.63e-26);
  ForceField pairs = argon(sigma, epsilon, 0);
  pairs.triple = TripleLaw::none;
  EXPECT_EQ(refusal_of(atoms, pairs), "");  // 24 epsilon / sigma^2 = 0.34
  expect_parts(refusal_of(atoms, argon(sigma, epsilon, 0.072 * epsilon * std::pow(sigma, 9))),
               {"axilrod-teller", "nu = 7.3", "--precision fp64"});
  expect_parts(refusal_of(atoms, argon(1e-20, 1, 0)), {"lennard-jones", "sigma = 1e-20", "sigma^2 = 1e-40"});
  expect_parts(refusal_of(atoms, argon(1, 1e-39, 0)), {"epsilon = 1e-39"});
  EXPECT_EQ(refusal_of(atoms, argon(1, 1, 0.072)), "");
  EXPECT_EQ(refusal_of(atoms, argon(sigma, epsilon, 0.072), Precision::fp64), "");
}

TEST(FloatRange, TriplesAloneAreMeasuredAtTheirSpacing) {
  ForceField f = argon(1, 1, 0.072);
  f.pair = PairLaw::none;
  const auto triangle = [](double side) {
    Bodies b;
    b.add(0, 0, 0, 0, 0, 0, 1), b.add(side, 0, 0, 0, 0, 0, 1), b.add(0, side, 0, 0, 0, 0, 1);
    return b;
  };
  EXPECT_EQ(refusal_of(triangle(1), f), "");
  EXPECT_EQ(refusal_of(triangle(1000), f), "");
  expect_parts(refusal_of(triangle(1e4), f), {"axilrod-teller", "the spacing 9.24e+03", "3 nu/r^11"});
}

TEST(FloatRange, SpheresAndBoxes) {
  ForceField f;
  f.pair = PairLaw::contact;
  const auto spheres = [](double r) {
    Bodies b;
    b.add(0, 0, 0, 0, 0, 0, 1, 0), b.add(r, 0, 0, 0, 0, 0, 1, r);
    return b;
  };
  EXPECT_EQ(refusal_of(spheres(1e-12), f), "");
  EXPECT_EQ(refusal_of(spheres(1e18), f), "");
  expect_parts(refusal_of(spheres(1e19), f), {"body 1", "r = 1e+19", "(2 r)^2 = 4e+38", "above the largest"});
  EXPECT_EQ(refusal_of(spheres(1e19), f, Precision::fp64), "");
  // The law's own limit.
  expect_parts(refusal_of(spheres(1e-15), f), {"body 1", "radius 1e-15", "from 1e-14 on", "unit of length"});
  EXPECT_EQ(refusal_of(spheres(1e-15), f, Precision::fp64), "");
  expect_parts(refusal_of(spheres(1e-150), f, Precision::fp64), {"body 1", "radius 1e-150", "from 1e-149 on"});
  expect_parts(test::message_of<ConfigError>([&] { check_float_spheres(spheres(1e-20), Precision::fp32); }),
               {"body 1", "(2 r)^2 = 4e-40", "--precision fp64"});
  EXPECT_NO_THROW(check_float_spheres(spheres(1e-20), Precision::fp64));

  ForceField far = gravity(1);
  far.box = {{0, 1e9, 0}, {1, 1e9 + 1, 1}, Boundary::reflecting};
  expect_parts(refusal_of(pair_of(1, 1, 1, 1), far), {"the box from y = 1e+09 to 1e+09", "no finite width"});
  EXPECT_EQ(refusal_of(pair_of(1, 1, 1, 1), far, Precision::fp64), "");
  far.box.boundary = Boundary::open;
  EXPECT_EQ(refusal_of(pair_of(1, 1, 1, 1), far), "");
}

ForceField typed_pair(const std::string& text) {
  ForceField f;
  f.pair = PairLaw::typed;
  f.typed_pair = expression::typed_law(text, expression::Over::pairs);
  return f;
}

Bodies sun_and_earth(double distance, double heavy = 2e30, double light = 6e24) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, heavy);
  b.add(distance, 0, 0, 0, 0, 0, light);
  return b;
}

TEST(FloatRange, NoBodiesAreInEveryRange) {
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    EXPECT_EQ(refusal_of({}, gravity(1, 0.1), precision), "");
    EXPECT_EQ(refusal_of({}, typed_pair("-mi*mj/r"), precision), "");
  }
}

/// Products of the strength that vanish, and those that only lose digits.
TEST(FloatRange, TypedLawsThatUnderflowAreRefused) {
  const ForceField newton = typed_pair("-G*mi*mj/r; G = 6.674e-11");
  expect_parts(refusal_of(sun_and_earth(5e11), newton), {"the typed law of pairs would be lost in float32", "body 0",
                                                         "would be 0 in float32 and is 1.6e-09", "--precision fp64"});
  EXPECT_NE(refusal_of(sun_and_earth(6e10, 2e28, 1e20), newton), "");  // subnormal: some digits
  EXPECT_EQ(refusal_of(sun_and_earth(1e9, 2e28, 1e20), newton), "");
  EXPECT_EQ(refusal_of(sun_and_earth(5e11), newton, Precision::fp64), "");
  for (double r = 6e10; r < 1e12; r *= 1.17) EXPECT_NE(refusal_of(sun_and_earth(r, 2e28, 1e20), newton), "") << r;
  EXPECT_NE(refusal_of(sun_and_earth(1e160, 1e300, 1e300), typed_pair("-mi*mj/r"), Precision::fp64), "");
  expect_parts(refusal_of(sun_and_earth(1e150, 1e300, 1e300), typed_pair("-mi*mj/r"), Precision::fp64),
               {"would be lost in float64", "units in which lengths and masses are nearer to 1"});
}

TEST(FloatRange, TypedLawsAreTriedWhereTheBodiesAre) {
  // An inner result overflows at these charges alone; the force does not.
  ForceField charged = typed_pair("(qi*qj)^4*1e-80/r");
  Bodies b = sun_and_earth(2, 1, 1);
  b.q = {1, 1e10};
  EXPECT_EQ(refusal_of(b, typed_pair("qi*qj/r")), "");
  EXPECT_NE(refusal_of(b, charged), "");
  b.q = {1, 1};
  EXPECT_NE(refusal_of(b, charged), "") << "its factor is below float32";
  // Nor is s^12 a number of float64 here.
  expect_parts(refusal_of(sun_and_earth(2e-28, 1, 1), typed_pair("4*((s/r)^12 - (s/r)^6); s = 2e-28"), Precision::fp64),
               {"lost in float64"});
  // A force that is small beside the others is no loss, nor what rounding the distance costs at an equilibrium.
  Bodies far = sun_and_earth(1, 1, 1);
  far.add(1e5, 0, 0, 0, 0, 0, 1);
  EXPECT_EQ(refusal_of(far, typed_pair("4*((s/r)^12 - (s/r)^6); s = 1")), "");
  EXPECT_EQ(refusal_of(sun_and_earth(1.25 * (1 + 1e-6), 1, 1), typed_pair("(1 - exp(-a*(r - d)))^2; a = 9; d = 1.25")),
            "");
  ForceField triples;
  triples.pair = PairLaw::none, triples.triple = TripleLaw::typed;
  triples.typed_triple = expression::typed_law("nu/(a*b*c)^3; nu = 1", expression::Over::triples);
  EXPECT_EQ(refusal_of(far, triples), "");
  for (double& x : far.x) x *= 1e6;
  EXPECT_NE(refusal_of(far, triples), "");
}

}  // namespace
}  // namespace tri
