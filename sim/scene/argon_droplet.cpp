/// Molecular dynamics: a droplet of argon in vacuum, Lennard-Jones pairs and Axilrod-Teller triples.
///
/// Reduced units: the length sigma = 3.405 Angstrom, the energy epsilon = 119.8 K times Boltzmann's constant, the mass
/// of an atom; the unit of time is 2.16 picoseconds. nu = 0.072 is argon's triple-dipole strength.
///
/// The n atoms are the sites of a face-centred cubic lattice nearest to one of them (ties in a fixed order), so that
/// the droplet starts near its minimum energy. Velocities are Maxwellian at `temperature`, with kinetic energy 3/2 (n -
/// 1) T and no drift. About half of it quickly becomes potential energy: the default 0.9 gives a droplet near its
/// melting point (0.36 at n = 135), 0.4 stays a crystal, 2 boils atoms off.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "sim/scene/argon_units.hpp"
#include "sim/scene/random.hpp"
#include "sim/scene/scene_table.hpp"

namespace tri::scene {

namespace {

/// A site in units of spacing / sqrt(2): integers with an even sum.
using Site = std::array<i32, 3>;

i64 square(const Site& s) { return i64{s[0]} * s[0] + i64{s[1]} * s[1] + i64{s[2]} * s[2]; }

/// The n sites nearest to the origin, by distance, then by coordinates.
std::vector<Site> nearest_sites(u32 n) {
  // Two unit cubes per site give the radius of a ball of n sites; the margin covers partly filled shells.
  const auto reach = static_cast<i32>(std::ceil(std::cbrt(3.0 * 2.0 * n / (4.0 * std::numbers::pi)))) + 2;
  std::vector<Site> sites;
  for (i32 z = -reach; z <= reach; ++z) {
    for (i32 y = -reach; y <= reach; ++y) {
      for (i32 x = -reach; x <= reach; ++x) {
        const Site s{x, y, z};
        if ((x + y + z) % 2 == 0 && square(s) <= i64{reach} * reach) sites.push_back(s);
      }
    }
  }
  const auto nearer = [](const Site& a, const Site& b) {
    const i64 ra = square(a), rb = square(b);
    return ra != rb ? ra < rb : a < b;
  };
  std::nth_element(sites.begin(), sites.begin() + (n - 1), sites.end(), nearer);
  sites.resize(n);
  std::sort(sites.begin(), sites.end(), nearer);
  return sites;
}

}  // namespace

Scene argon_droplet(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 256, 1, 1u << 24);
  scene.seed = keys.seed();
  const double temperature = keys.real("temperature", 0.9, kNotNegative);
  const double spacing = keys.real("spacing", 1.09, kPositive);
  const double nu = keys.real("nu", 0.072, kNotNegative);
  scene.dt = keys.real("dt", 0.002, kPositive);
  keys.done();

  scene.units = "reduced: sigma (3.405 Angstrom), epsilon (119.8 K), mass of an atom, time 2.16 ps";
  scene.molecular = kArgon;
  scene.field.pair = PairLaw::lennard_jones;
  scene.field.triple = nu > 0 ? TripleLaw::axilrod_teller : TripleLaw::none;
  scene.field.axilrod_teller.nu = nu;
  const double edge = spacing / std::numbers::sqrt2;
  for (const Site& s : nearest_sites(n)) scene.bodies.add(edge * s[0], edge * s[1], edge * s[2], 0, 0, 0, 1.0);
  centre_positions(scene.bodies);
  Random random(scene.seed);
  if (temperature > 0) set_thermal_velocities(scene.bodies, 1.5 * (n - 1.0) * temperature, random);
  return scene;
}

}  // namespace tri::scene
