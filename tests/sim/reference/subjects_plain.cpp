/// The subjects of test_physics: the oracle, and the law functors in plain loops.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

#include "sim/reference/reference.hpp"
#include "tests/sim/laws/law_probe.hpp"
#include "tests/support/physics_cases.hpp"

namespace tri::test {
namespace {

class ReferenceProbe final : public Probe {
 public:
  ReferenceProbe(const Bodies& bodies, const ForceField& field) : bodies_(bodies), field_(field) {}

  void advance(Integrator integrator, double dt, u64 steps) override {
    reference_advance(bodies_, field_, integrator, dt, steps);
  }
  ReferenceForces forces() override { return reference_forces(bodies_, field_); }
  Diagnostics diagnose() override {
    Diagnostics d = one_body_diagnostics(bodies_, field_);
    const ReferenceForces f = forces();
    d.potential += f.potential;
    d.virial = f.virial;
    d.triple_potential = f.triple_potential;
    return d;
  }
  Bodies read() override { return bodies_; }

 private:
  Bodies bodies_;
  ForceField field_;
};

template <class P>
Subject subject(const char* name, Precision precision) {
  return {name, precision,
          [](const Bodies& b, const ForceField& f) -> std::unique_ptr<Probe> { return std::make_unique<P>(b, f); }};
}

}  // namespace

std::vector<Subject> subjects() {
  return {subject<ReferenceProbe>("reference", Precision::fp64),
          subject<LawProbe<double>>("laws_fp64", Precision::fp64),
          subject<LawProbe<float>>("laws_fp32", Precision::fp32)};
}

// The Sun and eight planets: semi-major axes of the data, and a run of a hundred years.

namespace {

/// Columns m x y z vx vy vz in units of the solar mass, AU and year / 2 pi.
Bodies solar_system() {
  std::ifstream file(TRI_TEST_DATA "/solar_system.tab");
  Bodies b;
  for (std::string line; std::getline(file, line);) {
    double v[7];
    const int read =
        std::sscanf(line.c_str(), "%lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6]);
    if (read == 7) b.add(v[1], v[2], v[3], v[4], v[5], v[6], v[0]);
  }
  return b;
}

/// The two-body orbit that planet i would follow without the others: 1/a = 2/r - v^2 / (G (M + m)).
double semi_major_axis(const Bodies& b, std::size_t i) {
  const double r = std::hypot(b.x[i] - b.x[0], b.y[i] - b.y[0], b.z[i] - b.z[0]);
  const double v = std::hypot(b.vx[i] - b.vx[0], b.vy[i] - b.vy[0], b.vz[i] - b.vz[0]);
  return 1.0 / (2.0 / r - v * v / (b.m[0] + b.m[i]));
}

TEST(SolarSystem, SemiMajorAxes) {
  const Bodies b = solar_system();
  ASSERT_EQ(b.size(), 9u);
  const double known[] = {0.3871, 0.72333, 1.00001, 1.52367, 5.20223, 9.57493, 19.29163, 30.2869};
  for (std::size_t i = 1; i < 9; ++i) {
    const double unit = i == 1 || i == 8 ? 5e-5 : 5e-6;  // half of the last digit given
    EXPECT_NEAR(semi_major_axis(b, i), known[i - 1], unit) << "planet " << i;
  }
}

TEST(SolarSystem, KeepsItsEnergyOverAHundredYears) {
  LawProbe<double> probe(solar_system(), ForceField{});
  const double start = probe.diagnose().energy();
  double most = 0;
  for (int block = 0; block < 200; ++block) {
    probe.advance(Integrator::kdk, 0.01, 62832 / 200);
    most = std::max(most, std::fabs(probe.diagnose().energy() / start - 1.0));
  }
  EXPECT_LE(most, 1e-6);
  EXPECT_GT(most, 1e-7) << "an independent program gives 9.0e-7; this is too accurate for this step";
  const Bodies after = probe.read();
  EXPECT_NEAR(semi_major_axis(after, 3), 1.0000, 1e-3);
  EXPECT_NEAR(semi_major_axis(after, 5), 5.2, 0.02);
}

}  // namespace
}  // namespace tri::test
