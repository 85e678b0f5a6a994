/// Checks of bodies and laws: ranges, resolution, devices.
///
/// check(): what is accepted, and that an error names the position, the value and the range.

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/checks.hpp"
#include "tests/support/expect.hpp"

namespace tri {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
std::string error_of(const T& value) {
  return test::message_of<ConfigError>([&] { check(value); });
}

Bodies some_bodies() {
  Bodies b;
  for (int i = 0; i < 5; ++i) b.add(i, 0, 0, 0, 1, 0, 1.0, 0.5);
  return b;
}

TEST(CheckBodies, AcceptsValidBodies) {
  Bodies b = some_bodies();
  b.m[1] = 0, b.r[2] = 0, b.x[3] = -1e300;
  EXPECT_EQ(error_of(b), "");
}

TEST(CheckBodies, RejectsNoBodiesAndUnequalLengths) {
  EXPECT_EQ(error_of(Bodies{}), "there are no bodies; a scene needs at least one.");
  Bodies b = some_bodies();
  b.vz.pop_back();
  EXPECT_EQ(error_of(b), "the array vz holds 4 values for 5 bodies; every array needs one value a body.");
}

TEST(CheckBodies, EveryBodyHasAGroupOrNoneHas) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1);
  EXPECT_EQ(group_count(b), 0u);
  b.add(1, 0, 0, 0, 0, 0, 1);
  b.add(2, 0, 0, 0, 0, 0, 1);
  b.set_group(2, 65535);
  EXPECT_EQ(b.group, (std::vector<std::uint16_t>{0, 0, 65535}));
  EXPECT_EQ(group_count(b), 65536u);
  b.add(3, 0, 0, 0, 0, 0, 1);
  b.set_group(1, 4);
  EXPECT_EQ(b.group, (std::vector<std::uint16_t>{0, 4, 4, 4}));
  b.resize(5);
  EXPECT_EQ(b.group.size(), 5u);
  EXPECT_NO_THROW(check(b));
  b.group.pop_back();
  EXPECT_THROW(check(b), ConfigError);
}

TEST(CheckBodies, EveryBodyHasAChargeOrNoneHas) {
  Bodies b = some_bodies();
  b.q = {-1, 0, 1e300, 2, -0.0};
  EXPECT_EQ(error_of(b), "");
  b.add(0, 0, 0, 0, 0, 0, 1);
  EXPECT_EQ(b.q.size(), 6u);
  EXPECT_EQ(b.q[5], 0);
  b.resize(4);
  EXPECT_EQ(b.q, (std::vector<double>{-1, 0, 1e300, 2}));
  b.q[2] = kInfinity, b.q[3] = kNaN;
  EXPECT_EQ(error_of(b), "body 2 has q = inf; every charge must be a finite number.");
  b.q.pop_back();
  EXPECT_EQ(error_of(b), "the array q holds 3 values for 4 bodies; give one charge a body, or none at all.");
}

TEST(CheckBodies, NamesTheFirstBadBody) {
  const std::function<std::vector<double>*(Bodies&)> columns[] = {
      [](Bodies& b) { return &b.x; },  [](Bodies& b) { return &b.y; },  [](Bodies& b) { return &b.z; },
      [](Bodies& b) { return &b.vx; }, [](Bodies& b) { return &b.vy; }, [](Bodies& b) { return &b.vz; },
      [](Bodies& b) { return &b.m; },  [](Bodies& b) { return &b.r; }};
  const char* names[] = {"x", "y", "z", "vx", "vy", "vz", "m", "r"};
  for (std::size_t c = 0; c < 8; ++c) {
    for (const double bad : {kNaN, kInfinity, -kInfinity}) {
      Bodies b = some_bodies();
      (*columns[c](b))[3] = bad;
      (*columns[c](b))[4] = bad;
      const std::string message = error_of(b);
      EXPECT_EQ(message.find(std::string("body 3 has ") + names[c] + " = "), 0u) << message;
    }
  }
  Bodies b = some_bodies();
  b.x[4] = kNaN, b.r[2] = -0.25;  // the smaller index is reported, whatever the column
  EXPECT_EQ(error_of(b), "body 2 has r = -0.25; a radius may not be negative.");
  b.m[1] = -1;
  EXPECT_EQ(error_of(b), "body 1 has m = -1; a mass may not be negative.");
}

TEST(CheckPoints, AcceptsValidPoints) {
  EXPECT_EQ(error_of(PointSet{1, 1, {0}}), "");
  EXPECT_EQ(error_of(PointSet{2, 16, std::vector<double>(32, -1e300)}), "");
}

TEST(CheckPoints, NamesTheError) {
  EXPECT_EQ(error_of(PointSet{0, 3, {}}), "there are no points; give at least one.");
  EXPECT_EQ(error_of(PointSet{1, 0, {}}), "the points have 0 features; give 1 to 16.");
  EXPECT_EQ(error_of(PointSet{1, 17, std::vector<double>(17)}), "the points have 17 features; give 1 to 16.");
  EXPECT_EQ(error_of(PointSet{2, 2, {1, 2, 3}}), "3 values are not 2 points of 2 features.");
  EXPECT_EQ(error_of(PointSet{3, 2, {1, 2, 3, kNaN, kInfinity, 6}}),
            "point 1 has feature 1 = nan; every value must be a finite number.");
  EXPECT_EQ(error_of(PointSet{3, 2, {1, 2, 3, 4, -kInfinity, 6}}),
            "point 2 has feature 0 = -inf; every value must be a finite number.");
}

TEST(CheckField, AcceptsTheDefaultAndEachLaw) {
  ForceField f;
  EXPECT_EQ(error_of(f), "");
  f.gravity.G = -1;  // repulsive, and finite
  f.lennard_jones.cutoff = 2.5, f.lennard_jones.shifted = true;
  f.contact.restitution = 0;
  f.field = {0, -9.81, 0};
  EXPECT_EQ(error_of(f), "");
}

TEST(CheckField, NamesFieldValueAndRange) {
  struct Row {
    std::function<void(ForceField&)> spoil;
    const char* message;
  };
  const Row rows[] = {
      {[](ForceField& f) { f.gravity.G = kNaN; }, "gravity G = nan; it must be a finite number."},
      {[](ForceField& f) { f.gravity.softening = -0.5; }, "gravity softening = -0.5; it must be at least 0."},
      {[](ForceField& f) { f.lennard_jones.epsilon = 0; }, "lennard-jones epsilon = 0; it must be more than 0."},
      {[](ForceField& f) { f.lennard_jones.sigma = -1; }, "lennard-jones sigma = -1; it must be more than 0."},
      {[](ForceField& f) { f.lennard_jones.cutoff = kInfinity; },
       "lennard-jones cutoff = inf; it must be a finite number."},
      {[](ForceField& f) { f.contact.stiffness = 0; }, "contact stiffness = 0; it must be more than 0."},
      {[](ForceField& f) { f.contact.damping = -2; }, "contact damping = -2; it must be at least 0."},
      {[](ForceField& f) { f.contact.shear = kNaN; }, "contact shear = nan; it must be a finite number."},
      {[](ForceField& f) { f.contact.restitution = 1.5; },
       "contact restitution = 1.5; it must be at least 0 and at most 1."},
      {[](ForceField& f) { f.contact.restitution = kNaN; }, "contact restitution = nan; it must be a finite number."},
      {[](ForceField& f) { f.axilrod_teller.nu = kInfinity; }, "axilrod-teller nu = inf; it must be a finite number."},
      {[](ForceField& f) { f.box.low[1] = 3; }, "box low y = 3 and high y = 1; low must be below high."},
      {[](ForceField& f) { f.box.high[2] = kInfinity; }, "box high z = inf; it must be a finite number."},
      {[](ForceField& f) { f.field[0] = kNaN; }, "uniform field x = nan; it must be a finite number."},
  };
  for (const Row& row : rows) {
    ForceField f;
    row.spoil(f);
    EXPECT_EQ(error_of(f), row.message);
  }
  ForceField f;
  f.lennard_jones.shifted = true;
  EXPECT_NE(error_of(f).find("give a cutoff above 0"), std::string::npos);
}

ForceField periodic(PairLaw law) {
  ForceField f;
  f.pair = law;
  f.box = Box{{0, 0, 0}, {4, 3, 5}, Boundary::periodic};
  return f;
}

TEST(CheckField, PeriodicWallsAcceptLawsThatEndWithinHalfASide) {
  EXPECT_EQ(error_of(periodic(PairLaw::none)), "");
  EXPECT_EQ(error_of(periodic(PairLaw::contact)), "");
  ForceField f = periodic(PairLaw::lennard_jones);
  EXPECT_EQ(
      error_of(f),
      "periodic walls with lennard-jones cutoff = 0; it must be above 0 and at most 1.5, half the shortest side of "
      "the box, so that a body meets one image of another.");
  f.lennard_jones.cutoff = 1.5;
  EXPECT_EQ(error_of(f), "");
  f.lennard_jones.cutoff = std::nextafter(1.5, 2.0);
  EXPECT_NE(error_of(f).find("at most 1.5"), std::string::npos);
  EXPECT_EQ(error_of(periodic(PairLaw::gravity)).find("periodic walls with gravity: it reaches every image"), 0u);
  f = periodic(PairLaw::none);
  f.triple = TripleLaw::axilrod_teller;
  EXPECT_EQ(error_of(f).find("periodic walls with axilrod-teller: it has no cut-off"), 0u);
}

TEST(CheckField, PeriodicWallsAreTwoDiametersApart) {
  const ForceField f = periodic(PairLaw::contact);
  EXPECT_NO_THROW(check(f, 0.75));
  EXPECT_EQ(test::message_of<ConfigError>([&] { check(f, 0.76); }),
            "periodic walls with a sphere of radius 0.76; its diameter must be at most 1.5, half the shortest side "
            "of the box, so that a sphere meets one image of another.");
  ForceField open = f;
  open.box.boundary = Boundary::open;
  EXPECT_NO_THROW(check(open, 100));
  ForceField walls = f;
  walls.box.boundary = Boundary::reflecting;
  EXPECT_NO_THROW(check(walls, 1.5));
  const std::string wide = test::message_of<ConfigError>([&] { check(walls, 1.51); });
  EXPECT_EQ(wide.find("reflecting walls with a sphere of radius 1.51, which does not fit between those along"), 0u);
  walls.pair = PairLaw::gravity;
  EXPECT_NO_THROW(check(walls, 1.51));
}

// What float32 cannot hold is refused with the quantity, and what it can hold is let through.

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

// What a floating-point type cannot resolve is said with the body, its place and how far apart numbers are there.

using test::expect_parts;

constexpr double kAnyStep = std::numeric_limits<double>::infinity();

ForceField field_of(PairLaw pair) {
  ForceField field;
  field.pair = pair;
  return field;
}

std::string loss32(const Bodies& b, const ForceField& field, double dt) {
  EXPECT_EQ(resolution_loss(b, field, dt, Precision::fp64), "");
  return resolution_loss(b, field, dt, Precision::fp32);
}

/// On a circle of this radius with masses of 1/2, about (x, 0, 0).
Bodies binary(double radius, double x) {
  const double v = 0.5 / std::sqrt(2 * radius);
  Bodies b;
  b.add(x - radius / 2, 0, 0, 0, -v, 0, 0.5), b.add(x + radius / 2, 0, 0, 0, v, 0, 0.5);
  return b;
}

TEST(Resolution, AShortWayAtAFarPlace) {
  Bodies b;
  b.add(1e6, 0, 0, 1, 0, 0, 1);
  expect_parts(loss32(b, field_of(PairLaw::none), 0.01), {"at 1e+06", "numbers of float32 are 0.062 apart", "0.01"});
  EXPECT_EQ(loss32(b, field_of(PairLaw::none), 10), "");
  // One of many: the others keep their way.
  for (int i = 0; i < 100; ++i) b.add(i, 0, 0, 0, 1, 0, 1);
  expect_parts(loss32(b, field_of(PairLaw::none), 0.01), {"body 0 is at 1e+06"});
  b.vx[0] = 0.01;  // as slow as if it was at rest
  EXPECT_EQ(loss32(b, field_of(PairLaw::none), 0.01), "");
  b.x[0] = 1e15, b.vx[0] = 1;
  expect_parts(resolution_loss(b, field_of(PairLaw::none), 0.01, Precision::fp64), {"body 0", "numbers of float64"});
}

TEST(Resolution, ATinyStep) {
  expect_parts(loss32(binary(1, 0), field_of(PairLaw::gravity), 1e-8), {"move by", "in a time step"});
  EXPECT_EQ(loss32(binary(1, 0), field_of(PairLaw::gravity), 1e-3), "");
  Bodies cold = binary(1, 0);  // what it will move by
  cold.vy = {0, 0};
  expect_parts(loss32(cold, field_of(PairLaw::gravity), 1e-8), {"move by"});
  EXPECT_EQ(loss32(cold, field_of(PairLaw::gravity), 1e-3), "");
  expect_parts(loss32(binary(1e-30, 0), field_of(PairLaw::none), 1e-50), {"time step is 1e-50", "float32"});
}

TEST(Resolution, AChangeOfAFastVelocity) {
  Bodies b;
  b.add(0, 0, 0, 1e4, 0, 0, 1), b.add(1, 0, 0, 1e4, 0, 0, 1);
  ForceField field = field_of(PairLaw::none);
  field.field = {0, 0, -9.81};
  expect_parts(loss32(b, field, 1e-5), {"the speeds are at 10000", "0.00098 apart", "change by 9.8e-05"});
  EXPECT_EQ(loss32(b, field, 1e-2), "");
}

TEST(Resolution, NeighboursAndRadiiAtAFarPlace) {
  expect_parts(loss32(binary(0.01, 8122), field_of(PairLaw::gravity), 1e-3),
               {"bodies 0 and 1", "at 8121.99", "0.00049"});
  ForceField soft = field_of(PairLaw::gravity);
  soft.gravity.softening = 1;
  EXPECT_EQ(loss32(binary(0.01, 8122), soft, 1), "");
  // A lattice of beads whose corner is at (2000, 3000, 100) m.
  Bodies beads;
  for (int i = 0; i < 125; ++i) {
    beads.add(2000.1 + 0.02 * (i % 5), 3000.1 + 0.02 * (i / 5 % 5), 100.1 + 0.02 * (i / 25), 0.5, 0, 0, 0.01, 0.005);
  }
  expect_parts(loss32(beads, field_of(PairLaw::contact), 1e-1), {"body 0 is at 3000.1", "its radius is 0.005"});
  for (PairLaw law : {PairLaw::gravity, PairLaw::lennard_jones}) {
    expect_parts(loss32(beads, field_of(law), kAnyStep), {"bodies ", "0.02 from each other"});
  }
  for (double& x : beads.x) x -= 2000;
  for (double& y : beads.y) y -= 3000;
  for (double& z : beads.z) z -= 100;
  EXPECT_EQ(loss32(beads, field_of(PairLaw::contact), 1e-4), "");
  EXPECT_EQ(loss32(beads, field_of(PairLaw::gravity), kAnyStep), "");
}

TEST(Resolution, WhatARunInFloat32WouldRefuse) {
  Bodies b = binary(1, 0);
  b.m[1] = 1e-300;
  expect_parts(loss32(b, field_of(PairLaw::gravity), 1e-3), {"body 1 has the mass 1e-300"});
}

TEST(Resolution, ForcesBetweenNeighboursThatFloat32HasNot) {
  Bodies b;
  for (const double x : {-3e-14, 3e-14, 1e-12, 1.0}) b.add(x, 0, 0, 0, 0, 0, 1);
  const std::vector<std::string> says{"bodies 0 and 1 are 6e-14 apart", "gravity", "range of float32"};
  ForceField f = field_of(PairLaw::gravity);
  expect_parts(loss32(b, f, 0.01), says);
  f.gravity.softening = 2e-13;
  EXPECT_EQ(loss32(b, f, 0.01), "");
  f = field_of(PairLaw::gravity);
  b.x[0] = -2e-13;
  EXPECT_EQ(loss32(b, f, 0.01), "");
  f.gravity.G = 100;
  expect_parts(loss32(b, f, 0.01), {"bodies 0 and 1 are 2.3e-13 apart"});
  EXPECT_EQ(loss32(b, field_of(PairLaw::none), 0.01), "");
  // 48 epsilon sigma^12/r^14 is beyond 3.4e38 from 0.0023 sigma on, where gravity is far from it.
  Bodies atoms;
  for (const double x : {-0.001, 0.001, 3.0}) atoms.add(x, 0, 0, 0, 1, 0, 1);
  expect_parts(loss32(atoms, field_of(PairLaw::lennard_jones), 0.01),
               {"bodies 0 and 1 are 0.002 apart, where lennard"});
  atoms.x[0] = -0.0015;
  EXPECT_EQ(loss32(atoms, field_of(PairLaw::lennard_jones), 0.01), "");
}

TEST(Resolution, AWatchSaysWhatFliesAwayAndNotWhatRests) {
  Bodies b;
  for (int i = 0; i < 10; ++i) b.add(i, 0, 0, 0, 1, 0, 1);
  MotionWatch watch;
  const ForceField none = field_of(PairLaw::none);
  EXPECT_EQ(watch.look(1, b, none, 0.01, Precision::fp32), "");
  for (double& v : b.vy) v = 1e-9;  // a pile that has come to rest
  EXPECT_EQ(watch.look(2, b, none, 0.01, Precision::fp32), "");
  b.x[3] = 1e7, b.vy[3] = 0.5;
  expect_parts(watch.look(3, b, none, 0.01, Precision::fp32), {"step 3: body 3 is at 1e+07", "--precision fp64"});
  EXPECT_EQ(watch.look(3, b, none, 0.01, Precision::fp64), "");
}

TEST(Resolution, AWatchLooksAtFewBodiesEachTimeThatTheStepsHaveDoubled) {
  Bodies b;
  for (int i = 0; i < 4; ++i) b.add(i, 0, 0, 0, 1, 0, 1);
  MotionWatch watch;
  std::vector<u64> looks;
  for (u64 step = 100; step <= 1200; ++step) {
    if (watch.steps_to_look(step, 100, b.size()) > 0) continue;
    looks.push_back(step - 100);
    EXPECT_EQ(watch.look(step, b, field_of(PairLaw::none), 0.01, Precision::fp32), "");
  }
  EXPECT_EQ(looks, (std::vector<u64>{16, 32, 64, 128, 256, 512, 1024}));
  EXPECT_EQ(watch.steps_to_look(1200, 100, b.size()), 100u + 2048 - 1200);
  EXPECT_EQ(watch.steps_to_look(u64{1} << 40, 100, 4097), ~u64{0}) << "by the clock alone";
}

// Two of many come so near to each other that the text's numbers leave float32, or so far apart.
TEST(Resolution, AWatchSaysThatATypedLawIsLost) {
  ForceField law;
  set_pair_law(law, "r^-3*exp(-1e-15/r^4)");
  Bodies b;
  for (int i = 0; i < 60; ++i) b.add(i, (i * 7) % 11, (i * 5) % 13, 1, 0, 0, 1);
  EXPECT_EQ(MotionWatch().look(1, b, law, 1, Precision::fp32), "");
  b.x[40] = b.x[17] + 1e-3, b.y[40] = b.y[17], b.z[40] = b.z[17];  // exp(-1000) is 0 in float32, and no force at all
  set_pair_law(law, "-mi*mj/r");
  Bodies two;
  two.add(0, 0, 0, 1, 0, 0, 1), two.add(1e12, 0, 0, 1, 0, 0, 1);
  EXPECT_EQ(MotionWatch().look(1, two, law, 1e12, Precision::fp32), "");
  two.x[1] = 1e15;
  expect_parts(
      MotionWatch().look(7, two, law, 1e12, Precision::fp32),
      {"step 7: the typed law of pairs would be lost in float32", "acceleration on body 0", "--precision fp64"});
  EXPECT_EQ(MotionWatch().look(7, two, law, 1e12, Precision::fp64), "");
}

TEST(Overlaps, AWatchKeepsTheDeepestAndSaysTheFirstDeepOne) {
  ForceField field = field_of(PairLaw::contact);
  field.contact.stiffness = 10;
  EXPECT_TRUE(OverlapWatch::wants(field));
  EXPECT_FALSE(OverlapWatch::wants(field_of(PairLaw::gravity)));
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1, 0.5), b.add(0.9, 0, 0, 0, 0, 0, 1, 0.5);
  OverlapWatch watch;
  EXPECT_EQ(watch.look(b, field, 0.1), "");
  EXPECT_NEAR(watch.largest().of_radius, 0.2, 1e-12);
  b.x[1] = 0.5;
  expect_parts(watch.look(b, field, 0.2), {"bodies 0 and 1 overlap by 0.5, 100 %", "at t = 0.2", "stiffness than 10"});
  b.x[1] = 0.4;
  EXPECT_EQ(watch.look(b, field, 0.3), "") << "once";
  b.x[1] = 0.8;
  EXPECT_EQ(watch.look(b, field, 0.4), "");
  EXPECT_NEAR(watch.largest().of_radius, 1.2, 1e-12);
  EXPECT_EQ(watch.largest().time, 0.3);
  // Eight radii outside a wall.
  field.box = Box{{-1, -1, -1}, {1, 1, 1}, Boundary::reflecting};
  b.x = {0, 4.5};
  EXPECT_EQ(watch.look(b, field, 0.5), "");
  EXPECT_NEAR(watch.largest().of_radius, 8, 1e-12);
}

TEST(Massless, ApartWhereOnlySuchBodiesCoincide) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1), b.add(1, 1, 0, 0, 0, 0, 0), b.add(1, 1, 0, 0, 0, 0, 0);
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    const auto softening = [&] {
      const auto field = apart(b, field_of(PairLaw::gravity), precision);
      return field ? field->gravity.softening : 0;
    };
    EXPECT_GT(softening(), 0);
    EXPECT_LT(softening(), 1e-11);
    for (const char* text :
         {"-mi*mj/r", "-G*mi*mj/sqrt(r^2 + softening2); G = 1e-11; softening2 = 0", "-mi*mj/r; softening = 0"}) {
      ForceField law;
      set_pair_law(law, text);
      const auto field = apart(b, law, precision);
      ASSERT_TRUE(field) << text;
      EXPECT_NE(pair_law_text(*field).find("softening = "), std::string::npos) << pair_law_text(*field);
      EXPECT_EQ(pair_law_text(law).find("softening = 1"), std::string::npos) << "the other one is as it was";
    }
    ForceField forces;
    set_pair_law(forces, "1/r");
    EXPECT_FALSE(apart(b, forces, precision)) << "no masses";
    b.x[2] = 0, b.y[2] = 0;
    EXPECT_EQ(softening(), 0) << "at the place of one that pulls";
    b.x[2] = 1, b.y[2] = 1;
  }
  b.x[2] = 1.5;
  EXPECT_FALSE(apart(b, field_of(PairLaw::gravity), Precision::fp64)) << "none coincide";
}

// What is so far away that kernels would take it for the bodies beyond n is refused before it gets to a device.

std::string device_refusal(const Bodies& b, const ForceField& field, Precision precision) {
  try {
    check_device_range(b, field, precision);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(DeviceRange, WhatIsNearTheBodiesBeyondTheLastIsRefused) {
  const std::function<double&(Bodies&)> columns[] = {
      [](Bodies& b) -> double& { return b.x[1]; }, [](Bodies& b) -> double& { return b.y[1]; },
      [](Bodies& b) -> double& { return b.z[1]; }, [](Bodies& b) -> double& { return b.r[1]; }};
  ForceField none;
  none.pair = PairLaw::none;
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    const double most = device_reach(precision);
    // Kernels put the others at 1e18 and 1e150: two squared distances from there, and from here, differ.
    EXPECT_LE(most, precision == Precision::fp32 ? 1e17 : 1e149);
    for (const auto& column : columns) {
      for (const double sign : {1.0, -1.0}) {
        Bodies b;
        b.add(0, 0, 0, 0, 0, 0, 1, 0.5), b.add(1, 0, 0, 0, 0, 0, 1, 0.5);
        if (sign < 0 && &column == &columns[3]) continue;  // no radius
        column(b) = sign * most;
        EXPECT_EQ(device_refusal(b, none, precision), "");
        column(b) = sign * 1.01 * most;
        test::expect_parts(device_refusal(b, none, precision), {"a coordinate or the radius of body 1",
                                                                "the cuda backend computes up to", "--backend cpu"});
        EXPECT_EQ(device_refusal(b, none, precision).find("--precision fp64") != std::string::npos,
                  precision == Precision::fp32);
      }
    }
  }
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1), b.add(1, 0, 0, 0, 0, 0, 1);
  ForceField argon;
  argon.pair = PairLaw::lennard_jones;
  argon.lennard_jones.sigma = 2e16, argon.lennard_jones.epsilon = 1e33;
  test::expect_parts(device_refusal(b, argon, Precision::fp32), {"sigma is 2e+16", "up to 1e+16 in fp32"});
  EXPECT_EQ(device_refusal(b, argon, Precision::fp64), "");
}

}  // namespace
}  // namespace tri
