/// check(): what is accepted, and that an error names the position, the value and the range.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "sim/base/error.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "tests/support/error_messages.hpp"

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

}  // namespace
}  // namespace tri
