/// Energies of springs in contact, through the grid and by all pairs, against plain loops over all pairs.

#include <algorithm>
#include <cmath>

#include "tests/sim/backend/cases.hpp"

namespace tri::test {
namespace {

/// Spheres of radii r to 8 r in the unit cube, each of which touches a few others.
Bodies spheres_in_contact(u32 n) {
  SplitMix64 random{n + 11};
  const double r = 0.16 * std::cbrt(1.0 / n);
  Bodies b;
  const auto unit = [&] { return random.uniform(); };
  for (u32 i = 0; i < n; ++i) {
    const double x = unit(), y = unit(), z = unit();
    b.add(x, y, z, unit() - 0.5, unit() - 0.5, unit() - 0.5, 0.5 + unit(), std::min(0.125, r * std::pow(8.0, unit())));
  }
  return b;
}

/// Numbers of float32, so that both precisions have the same state.
void round_to_floats(Bodies& b) {
  for (auto* column : {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.m, &b.r}) {
    for (double& v : *column) v = static_cast<double>(static_cast<float>(v));
  }
}

struct Crowd {
  std::string name;
  Bodies bodies;
  Boundary boundary = Boundary::open;
};

std::vector<Crowd> crowds() {
  std::vector<Crowd> all;
  for (const u32 n : {1u, 2u, 3u, 33u, 500u, 3000u}) {
    for (const Boundary boundary : {Boundary::open, Boundary::reflecting, Boundary::periodic}) {
      all.push_back({std::to_string(n) + " spheres, " + to_string(boundary), spheres_in_contact(n), boundary});
    }
  }
  Bodies b = spheres_in_contact(2000);
  for (std::size_t i = 0; i < b.size(); i += 3) b.x[i] += i % 2 == 0 ? 0.75 : -1.5, b.z[i] -= 0.5;
  all.push_back({"a third outside the box", b, Boundary::reflecting});
  b = spheres_in_contact(1500);
  for (auto* axis : {&b.x, &b.y, &b.z}) {
    for (double& v : *axis) v = 0.25 + 0x1p-6 * v;
  }
  all.push_back({"all in one cell", b, Boundary::reflecting});
  all.push_back({"all in one cell of a periodic box", b, Boundary::periodic});
  b = spheres_in_contact(900);
  b.add(1e6, -1e6, 0, 0, 0, 0, 1, 0.125);
  b.add(1e6, -1e6, 0.125, 0, 0, 0, 1, 0.125);
  all.push_back({"two in contact far away", b});
  for (Crowd& c : all) round_to_floats(c.bodies);
  return all;
}

using ContactEnergies = BackendTest;
TRI_ON_EVERY_BACKEND(ContactEnergies);

TEST_P(ContactEnergies, AreThoseOfPlainLoopsOverAllPairs) {
  double largest = 0;
  for (const Crowd& c : crowds()) {
    ForceField field;
    field.pair = PairLaw::contact;
    field.contact = {500, 2, 1, false, 1};
    field.box = {{0, 0, 0}, {1, 1, 1}, c.boundary};
    const ReferenceForces want = reference_forces(c.bodies, field);
    largest = std::max(largest, want.potential);
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      for (const BroadPhase broad_phase : {BroadPhase::all_pairs, BroadPhase::grid, BroadPhase::automatic}) {
        const std::string what = c.name + ", " + to_string(precision) + ", " + to_string(broad_phase);
        EngineConfig config;
        config.precision = precision, config.broad_phase = broad_phase;
        const auto engine = backend().make_engine(c.bodies, field, config);
        const Diagnostics got = engine->diagnose();
        EXPECT_NEAR(got.potential, want.potential, 1e-12 * want.potential) << what;
        EXPECT_NEAR(got.virial, want.virial, 1e-12 * std::abs(want.virial)) << what;
        EXPECT_NEAR(engine->forces().potential, want.potential, 1e-12 * want.potential) << what;
      }
    }
  }
  EXPECT_GT(largest, 1.0) << "there are contacts";
}

// Through the grid the work of energies is in proportion to the number of spheres, of any density.
TEST_P(ContactEnergies, LookAtNeighboursAlone) {
  for (const u32 n : {20000u, 80000u}) {
    ForceField field;
    field.pair = PairLaw::contact;
    field.box = {{0, 0, 0}, {1, 1, 1}, Boundary::reflecting};
    Bodies b = spheres_in_contact(n);
    std::fill(b.r.begin(), b.r.end(), 0.3 * std::cbrt(1.0 / n));
    const auto engine = backend().make_engine(b, field, EngineConfig{});
    EXPECT_EQ(engine->config().broad_phase, BroadPhase::grid);
    EXPECT_LT(engine->forces().work_items, u64{200} * n) << n;
  }
}

// A cloud in open space that grows 100-fold keeps its neighbours, and its search stays as quick.
TEST_P(ContactEnergies, OfACloudThatGrowsStayQuick) {
  const u32 n = 9000;
  ForceField field;
  field.pair = PairLaw::contact;
  Bodies b = spheres_in_contact(n);
  std::fill(b.r.begin(), b.r.end(), 0.25 * std::cbrt(1.0 / n));
  for (u32 i = 0; i < n; ++i) {
    b.vx[i] = 99 * b.x[i], b.vy[i] = 99 * b.y[i], b.vz[i] = 99 * b.z[i];
    if (i % 2 == 1) {  // in contact with the one before, and with it later
      b.x[i] = b.x[i - 1] + 0x1p-9, b.y[i] = b.y[i - 1], b.z[i] = b.z[i - 1];
      b.vx[i] = b.vx[i - 1], b.vy[i] = b.vy[i - 1], b.vz[i] = b.vz[i - 1];
    }
  }
  field.contact.stiffness = 1e-9;  // which does not disturb the growth
  EngineConfig config;
  config.broad_phase = BroadPhase::grid, config.accumulate = Accumulate::ordered;
  config.precision = Precision::fp64;
  const auto engine = backend().make_engine(b, field, config);
  const u64 before = engine->forces().work_items;
  engine->advance(Integrator::kdk, 0.25, 4);
  const Bodies grown = engine->read();
  EXPECT_GT(*std::max_element(grown.x.begin(), grown.x.end()), 99.0);
  const ForceResult got = engine->forces();
  EXPECT_LT(got.work_items, 2 * before);
  const ReferenceForces want = reference_forces(grown, field);
  EXPECT_GT(want.potential, 0);
  EXPECT_NEAR(got.potential, want.potential, 1e-12 * want.potential);
  config.broad_phase = BroadPhase::all_pairs;
  const ForceResult by_all = backend().make_engine(grown, field, config)->forces();
  EXPECT_TRUE(same_bits(got.fx, by_all.fx) && same_bits(got.fy, by_all.fy) && same_bits(got.fz, by_all.fz));
}

}  // namespace
}  // namespace tri::test
