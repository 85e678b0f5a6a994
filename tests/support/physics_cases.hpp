#pragma once
/// Configurations with known forces, energies or orbits, for every implementation of the laws: the oracle, the law
/// functors, and each backend. The numbers are closed forms or come from independent programs in float64; a printed
/// number has the relative precision of its digits.

#include <gtest/gtest.h>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "sim/base/numbers.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/diagnostics.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/model/integrator.hpp"
#include "sim/reference/reference.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {

using Vec3 = std::array<double, 3>;

/// A known number and its relative precision.
struct Known {
  double value = 0;
  double precision = 1e-14;
};

/// A state and the expected forces.
struct ForceCase {
  std::string name;
  Bodies bodies = {};
  ForceField field = {};
  std::optional<Known> potential = {};
  std::optional<Known> largest_component = {};  ///< of the force on any body
  std::optional<Known> largest_force = {};      ///< its magnitude
  std::optional<Known> rms_acceleration = {};
  std::optional<std::array<Known, 3>> force0 = {};  ///< on body 0
  double tolerance64 = 1e-12;                       ///< relative, of energies and, against the largest, of forces
  double tolerance32 = 1e-5;
};

inline Bodies bodies_at(const std::vector<Vec3>& positions, double mass = 1.0, double radius = 0.0) {
  Bodies b;
  for (const Vec3& p : positions) b.add(p[0], p[1], p[2], 0, 0, 0, mass, radius);
  return b;
}

inline std::vector<Vec3> cube_corners(double low, double high) {
  std::vector<Vec3> corners;
  for (const double x : {low, high}) {
    for (const double y : {low, high}) {
      for (const double z : {low, high}) corners.push_back({x, y, z});
    }
  }
  return corners;
}

inline ForceField gravity_field(double softening = 0.0) {
  ForceField f;
  f.gravity.softening = softening;
  return f;
}

inline ForceField lennard_jones_field(double cutoff = 0.0, bool shifted = false) {
  ForceField f;
  f.pair = PairLaw::lennard_jones;
  f.lennard_jones.cutoff = cutoff;
  f.lennard_jones.shifted = shifted;
  return f;
}

inline ForceField contact_field(double k, double c = 0.0, double shear = 0.0) {
  ForceField f;
  f.pair = PairLaw::contact;
  f.contact.stiffness = k;
  f.contact.damping = c;
  f.contact.shear = shear;
  return f;
}

inline ForceField impulse_field(double restitution) {
  ForceField f = contact_field(1e4);
  f.contact.impulse = true;
  f.contact.restitution = restitution;
  return f;
}

inline ForceField triple_field(double nu) {
  ForceField f;
  f.pair = PairLaw::none;
  f.triple = TripleLaw::axilrod_teller;
  f.axilrod_teller.nu = nu;
  return f;
}

/// The cloud of n points spread over [-1, 1)^3, masses 1/n.
inline Bodies centred_cloud(u32 n) {
  std::vector<Vec3> positions = cloud(n);
  for (Vec3& p : positions) {
    for (double& v : p) v = 2.0 * v - 1.0;
  }
  return bodies_at(positions, 1.0 / n);
}

/// n equal masses on a circle of radius 1 in the plane z = 0, moving at angular velocity w.
inline Bodies ring(u32 n, double w = 0.0) {
  Bodies b;
  for (u32 k = 0; k < n; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / n;
    b.add(std::cos(angle), std::sin(angle), 0, -w * std::sin(angle), w * std::cos(angle), 0, 1.0);
  }
  return b;
}

/// Chenciner and Montgomery's three bodies on one curve.
inline Bodies figure8() {
  Bodies b;
  const double x = 0.97000436, y = -0.24308753, vx = -0.93240737, vy = -0.86473146;
  b.add(x, y, 0, -vx / 2, -vy / 2, 0, 1.0);
  b.add(-x, -y, 0, -vx / 2, -vy / 2, 0, 1.0);
  b.add(0, 0, 0, vx, vy, 0, 1.0);
  return b;
}

/// Three unit masses at the corners of a triangle of side 1, rotating about its centre with w = sqrt(3).
inline Bodies lagrange() {
  Bodies b = ring(3, std::sqrt(3.0));
  for (auto* a : {&b.x, &b.y, &b.vx, &b.vy}) {
    for (double& v : *a) v /= std::sqrt(3.0);
  }
  return b;
}

/// Two halves of a unit mass on an orbit of semi-major axis 1 and this eccentricity, at apocentre; period 2 pi.
inline Bodies kepler(double eccentricity) {
  const double r = 1.0 + eccentricity, v = std::sqrt((1.0 - eccentricity) / (1.0 + eccentricity));
  Bodies b;
  b.add(r / 2, 0, 0, 0, v / 2, 0, 0.5);
  b.add(-r / 2, 0, 0, 0, -v / 2, 0, 0.5);
  return b;
}

inline std::vector<ForceCase> gravity_cases() {
  std::vector<ForceCase> cases;
  const double m = 1.0 / 64;
  cases.push_back(
      {.name = "cloud of 64",
       .bodies = centred_cloud(64),
       .field = gravity_field(),
       .potential = Known{-0.458167837299766, 2e-15},
       .rms_acceleration = Known{1.3198798646448, 4e-14},
       .force0 = {{Known{-0.328307145618795 * m}, Known{0.468143803176902 * m}, Known{0.444150799028052 * m}}}});
  cases.push_back(
      {.name = "softened cloud of 64",
       .bodies = centred_cloud(64),
       .field = gravity_field(0.1),
       .potential = Known{-0.448389108258552, 2e-15},
       .force0 = {{Known{-0.311439732780386 * m}, Known{0.413172125632333 * m}, Known{0.392101321433558 * m}}}});
  cases.push_back({.name = "unit cube of 8 unit masses",
                   .bodies = bodies_at(cube_corners(0, 1)),
                   .field = gravity_field(),
                   .potential = Known{-22.794682450997072}});
  for (const auto& [n, w2] : {std::pair{4u, 0.957106781186547}, std::pair{16u, 7.37889798312625}}) {
    cases.push_back({.name = "ring of " + std::to_string(n),
                     .bodies = ring(n),
                     .field = gravity_field(),
                     .largest_force = Known{w2, 1e-14},
                     .rms_acceleration = Known{w2, 1e-14},
                     .force0 = {{Known{-w2}, Known{0}, Known{0}}}});
  }
  cases.push_back(
      {.name = "figure 8",
       .bodies = figure8(),
       .field = gravity_field(),
       // E minus the kinetic energy of the given velocities, (3/4) |v3|^2
       .potential = Known{-1.28714199176633 - 0.75 * (0.93240737 * 0.93240737 + 0.86473146 * 0.86473146), 3e-15}});
  cases.push_back({.name = "Lagrange triangle",
                   .bodies = lagrange(),
                   .field = gravity_field(),
                   .potential = Known{-3.0},
                   .largest_force = Known{std::sqrt(3.0)}});
  return cases;
}

inline std::vector<ForceCase> axilrod_teller_cases() {
  std::vector<ForceCase> cases;
  const auto add = [&cases](std::string name, const std::vector<Vec3>& positions, Known energy,
                            double nu = 1.0) -> auto& {
    ForceCase c;
    c.name = std::move(name);
    c.bodies = bodies_at(positions);
    c.field = triple_field(nu);
    c.potential = energy;
    cases.push_back(std::move(c));
    return cases.back();
  };
  for (const double r : {0.25, 1.0, 3.0}) {
    add("equilateral, side " + std::to_string(r), {{0, 0, 0}, {r, 0, 0}, {r / 2, r * std::sqrt(0.75), 0}},
        {11.0 / 8.0 * std::pow(r, -9)})
        .largest_force = Known{33.0 / 8.0 * std::sqrt(3.0) * std::pow(r, -10)};
  }
  add("equilateral, side 1, off centre", {{5, 6, 7}, {6, 6, 7}, {5.5, 6 + std::sqrt(0.75), 7}}, {11.0 / 8.0})
      .largest_force = Known{7.14470958122, 1e-12};
  for (const double d : {1.0, 1.75}) {
    add("collinear, spaced by " + std::to_string(d), {{0, 0, 0}, {0, d, 0}, {0, 2 * d, 0}}, {-0.25 * std::pow(d, -9)})
        .largest_component = Known{1.125 * std::pow(d, -10)};
  }
  add("right triangle 3-4-5", {{0, 0, 0}, {3, 0, 0}, {0, 4, 0}}, {4.62962962962963e-6, 1e-15}).largest_component =
      Known{6.29629629630e-6, 1e-12};
  add("right triangle 1-1-sqrt2", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0.3535533905932738}).largest_component =
      Known{1.59099025767, 1e-12};
  // All four forces point outward along (+-1, +-1, +-1), so 4 * 3 * F = sum r.F = 9 E.
  add("regular tetrahedron", {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}, {4.747421016267e-4, 1e-13})
      .largest_component = Known{0.75 * 4.747421016267e-4, 1e-13};
  add("unit cube", cube_corners(0, 1), {10.604410448159774}).largest_component = Known{7.95330783612, 1e-12};
  add("four bodies, nu = 1.5", {{0, 0, 0}, {1, 0, 0}, {0, 1.1, 0.3}, {0.4, 0, -0.8}}, {3.4629393128191794}, 1.5)
      .force0 = {{Known{-13.2404964433892}, Known{0.15661175610046}, Known{7.93076922068964}}};
  return cases;
}

inline std::vector<ForceCase> lennard_jones_cases() {
  const double well = std::pow(2.0, 1.0 / 6.0);
  const double at_cut = 4.0 * (std::pow(1.5, -12) - std::pow(1.5, -6));
  const auto pair = [](double r, double cutoff, bool shifted, double energy, double force) {
    ForceCase c;
    c.name = "Lennard-Jones r = " + std::to_string(r) + ", cut-off " + std::to_string(cutoff);
    c.bodies = bodies_at({{1, 2, 3}, {1 + 0.6 * r, 2, 3 + 0.8 * r}});
    c.field = lennard_jones_field(cutoff, shifted);
    c.potential = Known{energy};
    c.force0 = {{Known{0.6 * force}, Known{0}, Known{0.8 * force}}};
    // The position of a body is known to 2e-16 (2e-7), and the force falls with the 13th power of the distance.
    c.tolerance64 = 1e-12;
    c.tolerance32 = 2e-5;
    return c;
  };
  std::vector<ForceCase> cases{
      pair(1.0, 0, false, 0.0, -24.0),                // the potential's zero
      pair(well, 0, false, -1.0, 0.0),                // the bottom of the well
      pair(2.0, 0, false, -63.0 / 1024, 93.0 / 512),  // 4 (2^-12 - 2^-6); -12 (2^-11 - 2^-6)
      pair(2.0, 1.5, false, 0.0, 0.0),                // beyond the cut-off
      pair(1.0, 1.5, true, -at_cut, -24.0),           // shifted: only the energy changes
  };
  return cases;
}

inline std::vector<ForceCase> contact_cases() {
  std::vector<ForceCase> cases;
  const auto add = [&cases](std::string name, const Bodies& b, const ForceField& f, double energy, Vec3 force0) {
    ForceCase c;
    c.name = std::move(name);
    c.bodies = b;
    c.field = f;
    c.potential = Known{energy};
    c.force0 = {{Known{force0[0]}, Known{force0[1]}, Known{force0[2]}}};
    cases.push_back(std::move(c));
  };
  Bodies pair;  // radii 1 and 2, centres 2.5 apart on a 3-4-5 line: overlap 1/2, normal (0.6, 0.8, 0)
  pair.add(0, 0, 0, 0, 0, 0, 1.0, 1.0);
  pair.add(1.5, 2.0, 0, 0, 0, 0, 3.0, 2.0);
  add("overlap of unequal spheres", pair, contact_field(100), 12.5, {-30, -40, 0});

  Bodies closing = pair;  // body 1 moves by (-3, -4, 5): normal velocity -5, tangential (0, 0, 5)
  closing.vx[1] = -3, closing.vy[1] = -4, closing.vz[1] = 5;
  add("dashpot", closing, contact_field(100, 2), 12.5, {-30 - 6, -40 - 8, 0});
  add("dashpot and shear", closing, contact_field(100, 2, 3), 12.5, {-36, -48, 15});

  Bodies apart = closing;
  apart.x[1] = 1.9, apart.y[1] = 2.4;  // |d| = 3.06 > 3
  add("apart", apart, contact_field(100, 2, 3), 0.0, {0, 0, 0});

  Bodies together = pair;  // coincident centres: no normal, so no force, but the energy of the full overlap
  together.x[1] = together.y[1] = 0;
  add("coincident centres", together, contact_field(100, 2), 450.0, {0, 0, 0});

  Bodies corner;  // radius 1/2, 1/4 past the low x wall's reach and 1/8 past the high y wall's
  corner.add(0.25, 3.625, 2.0, -1, 2, 3, 1.0, 0.5);
  ForceField boxed = contact_field(64, 2, 0.5);
  boxed.box = Box{{0, 0, 0}, {4, 4, 4}, Boundary::reflecting};
  // x wall: 64/4 + 2*1, shear -0.5*(2, 3); y wall: -(64/8) - 2*2, shear -0.5*(-1, 3)
  add("body in the corner of a box", corner, boxed, 2.0 + 0.5, {18 + 0.5, -12 - 1, -1.5 - 1.5});
  return cases;
}

inline std::vector<ForceCase> force_cases() {
  std::vector<ForceCase> all = gravity_cases();
  for (const auto& group : {axilrod_teller_cases(), lennard_jones_cases(), contact_cases()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

}  // namespace tri::test

// The shared physics suites (tests/sim/reference): anything that has a state, advances it and computes its forces. A
// test program links the suites and defines subjects(), so the oracle, the law functors and every backend pass the same
// tests.

namespace tri::test {

/// One state under test.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual void advance(Integrator integrator, double dt, u64 steps) = 0;
  virtual ReferenceForces forces() = 0;  ///< triple_potential may be left unset
  virtual Diagnostics diagnose() = 0;
  virtual Bodies read() = 0;
};

struct Subject {
  std::string name;  ///< letters, digits and _
  Precision precision = Precision::fp64;
  std::function<std::unique_ptr<Probe>(const Bodies&, const ForceField&)> make;
  Availability usable = {true, ""};  ///< whether its backend works on this machine
};

/// How gtest prints a parameter.
inline void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

/// Defined once in each test program.
std::vector<Subject> subjects();

/// A suite over the subjects. Instantiate it with TRI_ON_EVERY_SUBJECT(suite).
class SubjectTest : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override { require_usable(GetParam().usable); }
  bool fp64() const { return GetParam().precision == Precision::fp64; }
  std::unique_ptr<Probe> make(const Bodies& b, const ForceField& f) const { return GetParam().make(b, f); }
};

}  // namespace tri::test

#define TRI_ON_EVERY_SUBJECT(suite) \
  INSTANTIATE_TEST_SUITE_P(Subjects, suite, testing::ValuesIn(tri::test::subjects()), \
                           [](const auto& instance) { return instance.param.name; })
