/// Argon: pieces of a lattice at the requested temperature, bound, with zero momentum; the crystal in physical units.

#include <algorithm>
#include <array>
#include <set>

#include "sim/reference/reference.hpp"
#include "sim/reference/reference_advance.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

double smallest_distance(const Bodies& b) {
  double smallest = 1e300;
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      smallest = std::min(smallest, std::hypot(b.x[i] - b.x[j], b.y[i] - b.y[j], b.z[i] - b.z[j]));
    }
  }
  return smallest;
}

TEST(ArgonDroplet, IsThePairAndTripleSceneInReducedUnits) {
  const Scene s = make_scene("argon-droplet");
  EXPECT_EQ(s.bodies.size(), 256u);
  EXPECT_EQ(s.field.pair, PairLaw::lennard_jones);
  EXPECT_EQ(s.field.triple, TripleLaw::axilrod_teller);
  EXPECT_EQ(s.field.axilrod_teller.nu, 0.072);
  EXPECT_EQ(s.field.lennard_jones.sigma, 1.0);
  EXPECT_EQ(s.field.lennard_jones.epsilon, 1.0);
  EXPECT_EQ(s.bodies.m, std::vector<double>(256, 1.0));
  check(s.bodies);
  check(s.field);
  EXPECT_EQ(make_scene("argon-droplet:nu=0").field.triple, TripleLaw::none);
}

TEST(ArgonDroplet, NSeedTemperatureAndMomentumAreExact) {
  for (const u32 n : {1u, 2u, 13u, 55u, 300u}) {
    const Scene s = make_scene("argon-droplet:temperature=0.7,n=" + std::to_string(n));
    ASSERT_EQ(s.bodies.size(), n);
    EXPECT_NEAR(kinetic_of(s.bodies), 1.5 * (n - 1.0) * 0.7, 1e-10);
    for (const double moment : first_moments(s.bodies)) EXPECT_NEAR(moment, 0, 1e-11);
  }
  const Scene a = make_scene("argon-droplet:n=100"), b = make_scene("argon-droplet:n=100,seed=7");
  EXPECT_TRUE(same_bits(a.bodies, make_scene("argon-droplet:n=100").bodies));
  EXPECT_EQ(a.bodies.x, b.bodies.x);  // the lattice is the same, the velocities are not
  EXPECT_NE(a.bodies.vx, b.bodies.vx);
}

TEST(ArgonDroplet, IsTheNearestPartOfAFaceCentredLattice) {
  // Shells of the lattice about a site: 1, 12, 6, 24, 12, 24, 8, 48 sites at squared distances 0 to 7 spacings.
  const Bodies b = make_scene("argon-droplet:n=135,temperature=0,spacing=1.2").bodies;
  EXPECT_NEAR(smallest_distance(b), 1.2, 1e-12);
  std::vector<int> shells(8, 0);
  for (const double r : distances_to_origin(b)) {
    const double square = r * r / (1.2 * 1.2);
    EXPECT_NEAR(square, std::round(square), 1e-10);
    ASSERT_LT(square, 7.5);
    ++shells[static_cast<std::size_t>(std::lround(square))];
  }
  EXPECT_EQ(shells, (std::vector<int>{1, 12, 6, 24, 12, 24, 8, 48}));
}

TEST(ArgonDroplet, StartsNearItsMinimumOfEnergy) {
  const auto energy = [](const char* spacing) {
    const Scene s = make_scene(std::string("argon-droplet:n=135,temperature=0,spacing=") + spacing);
    return reference_forces(s.bodies, s.field).potential;
  };
  const double here = energy("1.09");
  EXPECT_LT(here, -4.5 * 135);  // -8.6 per atom in the bulk, less at the surface
  EXPECT_LT(here, energy("1.05"));
  EXPECT_LT(here, energy("1.14"));
}

TEST(ArgonDroplet, KeepsItsEnergyAndStaysOneDrop) {
  const Scene s = make_scene("argon-droplet:n=55");
  Bodies b = s.bodies;
  const double before = kinetic_of(b) + reference_forces(b, s.field).potential;
  reference_advance(b, s.field, s.integrator, s.dt, 500);
  const double after = kinetic_of(b) + reference_forces(b, s.field).potential;
  EXPECT_LT(before, 0);
  EXPECT_NEAR(after, before, 2e-4 * std::abs(before));
  const std::vector<double> r = distances_to_origin(b);
  EXPECT_LT(*std::max_element(r.begin(), r.end()), 6.0);
}

TEST(ArgonCrystal, WholeCubesAreFaceCentredInNanometres) {
  for (const u32 cells : {1u, 2u, 3u}) {
    const u32 n = 4 * cells * cells * cells;
    const Scene s = make_scene("argon-crystal:temperature=0,n=" + std::to_string(n));
    const Bodies& b = s.bodies;
    ASSERT_EQ(b.size(), n);
    const double side = 0.5316 / s.molecular.nanometre;
    EXPECT_NEAR(smallest_distance(b), side / std::sqrt(2.0), 1e-12);
    // Every site once: multiples of half a cell whose coordinates have an even sum.
    std::set<std::array<long, 3>> sites;
    const double low[3] = {*std::min_element(b.x.begin(), b.x.end()), *std::min_element(b.y.begin(), b.y.end()),
                           *std::min_element(b.z.begin(), b.z.end())};
    for (u32 i = 0; i < n; ++i) {
      const std::array<long, 3> at{std::lround(2 * (b.x[i] - low[0]) / side), std::lround(2 * (b.y[i] - low[1]) / side),
                                   std::lround(2 * (b.z[i] - low[2]) / side)};
      EXPECT_EQ((at[0] + at[1] + at[2]) % 2, 0);
      for (const long c : at) EXPECT_LT(c, 2 * static_cast<long>(cells));
      sites.insert(at);
    }
    EXPECT_EQ(sites.size(), n);
  }
  EXPECT_EQ(make_scene("argon-crystal:n=37").bodies.size(), 37u);
  const Bodies wide = make_scene("argon-crystal:n=32,temperature=0,box=2").bodies;
  EXPECT_NEAR(smallest_distance(wide), 1 / std::sqrt(2.0), 1e-12);
}

TEST(ArgonCrystal, TemperatureIsInKelvinAndTimeInPicoseconds) {
  const Scene s = make_scene("argon-crystal:n=108,temperature=60,dt=0.002");
  EXPECT_NEAR(kinetic_of(s.bodies) / (1.5 * 107) * s.molecular.kelvin, 60, 1e-9);
  EXPECT_EQ(s.dt, 0.002);
  EXPECT_EQ(s.molecular.picosecond, 1);
  // sigma sqrt(m / epsilon): 0.3405 nm, 39.948 u, 119.8 K.
  const double tau = 0.3405e-9 * std::sqrt(39.948 * 1.66053906660e-27 / (119.8 * 1.380649e-23)) * 1e12;
  const Scene droplet = make_scene("argon-droplet");
  EXPECT_NEAR(droplet.molecular.picosecond, tau, 5e-4);
  EXPECT_EQ(droplet.molecular.kelvin, 119.8);
  EXPECT_EQ(make_scene("plummer").molecular.kelvin, 0);
}

TEST(ArgonCrystal, BindsAndKeepsItsEnergy) {
  const Scene s = make_scene("argon-crystal:n=108");
  Bodies b = s.bodies;
  const ReferenceForces first = reference_forces(b, s.field);
  EXPECT_LT(first.potential, -4.0 * 108 * s.field.lennard_jones.epsilon);
  EXPECT_GT(first.triple_potential, 0) << "triples lower the binding energy of a crystal";
  EXPECT_LT(first.triple_potential, 0.1 * std::abs(first.potential));
  const double before = kinetic_of(b) + first.potential;
  reference_advance(b, s.field, s.integrator, s.dt, 60);
  EXPECT_NEAR(kinetic_of(b) + reference_forces(b, s.field).potential, before, 2e-4 * std::abs(before));
}

}  // namespace
}  // namespace tri::test
