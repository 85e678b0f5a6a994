/// Forces and energies in the states of physics_cases.hpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/sim/reference/subject.hpp"
#include "tests/support/physics_cases.hpp"

namespace tri::test {
namespace {

struct Measured {
  double largest_component = 0;
  double largest_force = 0;
  double rms_acceleration = 0;
};

Measured measure(const Bodies& b, const ReferenceForces& f) {
  Measured m;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double square = f.fx[i] * f.fx[i] + f.fy[i] * f.fy[i] + f.fz[i] * f.fz[i];
    m.largest_component = std::max({m.largest_component, std::fabs(f.fx[i]), std::fabs(f.fy[i]), std::fabs(f.fz[i])});
    m.largest_force = std::max(m.largest_force, std::sqrt(square));
    m.rms_acceleration += square / (b.m[i] * b.m[i]);
  }
  m.rms_acceleration = std::sqrt(m.rms_acceleration / static_cast<double>(b.size()));
  return m;
}

using ForceTest = SubjectTest;
TRI_ON_EVERY_SUBJECT(ForceTest);

TEST_P(ForceTest, MatchesTheKnownNumbers) {
  for (const ForceCase& c : force_cases()) {
    SCOPED_TRACE(c.name);
    const double tolerance = fp64() ? c.tolerance64 : c.tolerance32;
    const auto near = [tolerance](double measured, const std::optional<Known>& known, double scale, const char* what) {
      if (!known) return;
      EXPECT_NEAR(measured, known->value, scale * std::max(tolerance, known->precision)) << what;
    };
    const auto probe = make(c.bodies, c.field);
    const ReferenceForces f = probe->forces();
    const Measured m = measure(c.bodies, f);
    // If the expected value is 0, the terms that cancel set the scale: 1 is that of the wells and walls here.
    const double force_scale =
        c.largest_force || c.largest_component ? m.largest_component : std::max(1.0, m.largest_force);
    near(f.potential, c.potential, c.potential && c.potential->value != 0 ? std::fabs(c.potential->value) : 1.0,
         "potential");
    near(m.largest_component, c.largest_component, m.largest_component, "largest component");
    near(m.largest_force, c.largest_force, m.largest_force, "largest force");
    near(m.rms_acceleration, c.rms_acceleration, m.rms_acceleration, "rms acceleration");
    if (!c.force0) continue;
    const double of_body0[] = {f.fx[0], f.fy[0], f.fz[0]};
    const bool gravity = c.field.pair == PairLaw::gravity;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      near(of_body0[axis], (*c.force0)[axis], gravity ? m.largest_force : force_scale, "force on body 0");
    }
  }
}

TEST_P(ForceTest, PairAndTripleForcesAddUpToNothing) {
  const double tolerance = fp64() ? 1e-12 : 1e-5;
  for (const ForceCase& c : force_cases()) {
    if (c.field.box.boundary == Boundary::reflecting) continue;
    SCOPED_TRACE(c.name);
    const ReferenceForces f = make(c.bodies, c.field)->forces();
    double total[3] = {0, 0, 0}, size = 0;
    for (std::size_t i = 0; i < c.bodies.size(); ++i) {
      total[0] += f.fx[i], total[1] += f.fy[i], total[2] += f.fz[i];
      size += std::fabs(f.fx[i]) + std::fabs(f.fy[i]) + std::fabs(f.fz[i]);
    }
    for (const double t : total) EXPECT_NEAR(t, 0.0, tolerance * std::max(size, 1e-30));
  }
}

/// r.F summed over bodies is, for a potential homogeneous of degree k, -k times the potential.
TEST_P(ForceTest, VirialIsThatOfAHomogeneousPotential) {
  const double tolerance = fp64() ? 1e-12 : 1e-5;
  for (const ForceCase& c : force_cases()) {
    const bool newton = c.field.pair == PairLaw::gravity && c.field.gravity.softening == 0;
    if (!newton && c.field.triple == TripleLaw::none) continue;
    SCOPED_TRACE(c.name);
    const ReferenceForces f = make(c.bodies, c.field)->forces();
    const double expected = (newton ? 1.0 : 9.0) * f.potential;
    EXPECT_NEAR(f.virial, expected, 4 * tolerance * std::fabs(expected));
    double of_forces = 0;
    for (std::size_t i = 0; i < c.bodies.size(); ++i) {
      of_forces += c.bodies.x[i] * f.fx[i] + c.bodies.y[i] * f.fy[i] + c.bodies.z[i] * f.fz[i];
    }
    // Far from the origin terms cancel in the sum: allow for the offset of the off-centre case.
    EXPECT_NEAR(of_forces, expected, 40 * tolerance * std::fabs(expected));
  }
}

TEST_P(ForceTest, DiagnosticsAgreeWithForces) {
  for (const ForceCase& c : force_cases()) {
    SCOPED_TRACE(c.name);
    const auto probe = make(c.bodies, c.field);
    const double tolerance = fp64() ? 1e-13 : 1e-6;
    const ReferenceForces f = probe->forces();
    const Diagnostics d = probe->diagnose();
    EXPECT_NEAR(d.potential, f.potential, tolerance * std::max(1e-6, std::fabs(f.potential)));
    EXPECT_NEAR(d.virial, f.virial, tolerance * std::max(1e-4, std::fabs(f.virial)));
    EXPECT_DOUBLE_EQ(d.triple_potential, c.field.triple == TripleLaw::none ? 0.0 : d.potential);
  }
}

TEST_P(ForceTest, KineticPartOfTheFigure8AndLagrange) {
  const double tolerance = fp64() ? 3e-15 : 1e-6;
  EXPECT_NEAR(make(figure8(), gravity_field())->diagnose().energy(), -1.28714199176633, 4 * tolerance);
  EXPECT_NEAR(make(lagrange(), gravity_field())->diagnose().energy(), -1.5, 4 * tolerance);
}

}  // namespace
}  // namespace tri::test
