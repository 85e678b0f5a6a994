/// Molecular dynamics: argon in vacuum, Lennard-Jones pairs and Axilrod-Teller triples.
///
/// sigma = 0.3405 nm, epsilon = 119.8 K times Boltzmann's constant (Rahman, Phys. Rev. 136, A405, 1964), the mass of an
/// atom 39.948 u, tau = sigma sqrt(m / epsilon) = 2.156 ps; nu = 0.072 epsilon sigma^9 is argon's triple-dipole
/// strength. A scene has one system of units, for its keys, its laws and its bodies: lj (sigma, epsilon, m; a
/// temperature is k T / epsilon) or any of fixed size (a temperature is in kelvin). The key nu is in epsilon sigma^9 in
/// all of them. Velocities are Maxwellian at `temperature`, with kinetic energy 3/2 (n - 1) k T and no drift; about
/// half of it quickly becomes potential energy.
///
/// argon-droplet, by default in lj: the n atoms are the sites of a face-centred cubic lattice nearest to one of them
/// (ties in a fixed order), so that the droplet starts near its minimum energy. The default temperature 0.9 gives a
/// droplet near its melting point (0.36 at n = 135), 0.4 stays a crystal, 2 boils atoms off.
///
/// argon-crystal, by default in nm-ps-amu: the n atoms fill a face-centred cubic lattice of c^3 cells with four atoms
/// each, c as small as possible, layer by layer from below (n = 500, 864, 1372, 2048, 2916 and 4000 fill complete
/// cubes). `box` is the side of that cube; by default the cells have the lattice constant of argon at 20 K. 40 K
/// equilibrate to 20 K, 150 K melt the crystal from its corners.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/io/elements.hpp"
#include "sim/scene/random.hpp"
#include "sim/scene/scene_table.hpp"

namespace tri::scene {

namespace {

constexpr MolecularUnits kReduced{119.8, 0.3405, 2.156};
constexpr double kLatticeConstant = 0.5316;  // nm, Dobbs and Jones (Rep. Prog. Phys. 20, 516, 1957)
constexpr u8 kArgonNumber = 18;

/// Argon in the units of a scene.
struct Argon {
  const UnitSystem* units;
  MolecularUnits molecular;          ///< these units
  double sigma, epsilon, mass, tau;  ///< tau: of time
  double kelvin, hot;                ///< 1 K and epsilon / k in the scene's unit of temperature
  double nanometre;

  double thermal(double temperature) const { return temperature / hot * epsilon; }
};

Argon argon_in(const UnitSystem& s) {
  const double nm = 1e-9, ps = 1e-12;
  if (std::string_view(s.name) == "lj") {
    return {&s, kReduced, 1, 1, 1, 1, 1 / kReduced.kelvin, 1, 1 / kReduced.nanometre};
  }
  if (!s.is_physical()) {
    throw ConfigError(fmt::format("argon has a size, but units = {} have none; use lj or nm-ps-amu.", s.name));
  }
  Argon a{&s, {s.kelvin(), s.metre / nm, s.second / ps}, 0, 0, 0, 0, 1, kReduced.kelvin, nm / s.metre};
  a.sigma = kReduced.nanometre * a.nanometre;
  a.epsilon = kReduced.kelvin / s.kelvin();
  a.mass = io::weight_of(kArgonNumber) * (unit_system_from("nm-ps-amu").kilogram / s.kilogram);
  a.tau = a.sigma * std::sqrt(a.mass / a.epsilon);
  return a;
}

/// In the units that the scene names, or else in these.
Argon argon_of(const SceneKeys& keys, const char* otherwise) {
  return argon_in(keys.units != nullptr ? *keys.units : unit_system_from(otherwise));
}

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

/// The four atoms of a cell, in units of half its side.
constexpr u32 kCell[4][3] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};

u32 cells_for(u32 n) {
  u32 cells = 1;
  while (4 * u64{cells} * cells * cells < n) ++cells;
  return cells;
}

/// Laws and velocities of a scene whose atoms are in place. nu in epsilon sigma^9.
void finish(Scene& scene, const Argon& argon, double nu, double temperature) {
  scene.units = argon.units->name;
  scene.molecular = argon.molecular;
  ForceField& f = scene.field;
  f.pair = PairLaw::lennard_jones;
  f.lennard_jones.sigma = argon.sigma, f.lennard_jones.epsilon = argon.epsilon;
  f.triple = nu > 0 ? TripleLaw::axilrod_teller : TripleLaw::none;
  f.axilrod_teller.nu = nu * argon.epsilon * std::pow(argon.sigma, 9);
  scene.bodies.species.assign(scene.bodies.size(), kArgonNumber);
  centre_positions(scene.bodies);
  Random random(scene.seed);
  const double kinetic = 1.5 * (static_cast<double>(scene.bodies.size()) - 1.0) * argon.thermal(temperature);
  if (kinetic > 0) set_thermal_velocities(scene.bodies, kinetic, random);
}

}  // namespace

Scene argon_droplet(SceneKeys& keys) {
  Scene scene;
  const Argon argon = argon_of(keys, "lj");
  keys.time = argon.tau;
  const u32 n = keys.count("n", 256, 1, 1u << 24);
  scene.seed = keys.seed();
  const double temperature = keys.real("temperature", 0.9 * argon.hot, kNotNegative);
  const double spacing = keys.real("spacing", 1.09 * argon.sigma, kPositive);
  const double nu = keys.real("nu", 0.072, kNotNegative);
  scene.dt = keys.real("dt", 0.002 * argon.tau, kPositive);
  keys.done();

  const double edge = spacing / std::numbers::sqrt2;
  for (const Site& s : nearest_sites(n)) scene.bodies.add(edge * s[0], edge * s[1], edge * s[2], 0, 0, 0, argon.mass);
  finish(scene, argon, nu, temperature);
  return scene;
}

Scene argon_crystal(SceneKeys& keys) {
  Scene scene;
  const Argon argon = argon_of(keys, "nm-ps-amu");
  keys.time = 1 / argon.molecular.picosecond;
  const u32 n = keys.count("n", 500, 1, 1u << 24);
  const u32 cells = cells_for(n);
  scene.seed = keys.seed();
  const double temperature = keys.real("temperature", 40 * argon.kelvin, kNotNegative);
  const double box = keys.real("box", kLatticeConstant * argon.nanometre * cells, kPositive);
  const double nu = keys.real("nu", 0.072, kNotNegative);
  scene.dt = keys.real("dt", 0.004 / argon.molecular.picosecond, kPositive);
  keys.done();

  const double half = box / cells / 2;
  for (u32 i = 0; i < n; ++i) {
    // Layers of half a cell from below: 2 cells^2 atoms each.
    const u32 layer = i / (2 * cells * cells), in_layer = i % (2 * cells * cells);
    const u32 cell = in_layer / 2, atom = in_layer % 2 + 2 * (layer % 2);
    const u32 x = 2 * (cell % cells) + kCell[atom][0], y = 2 * (cell / cells) + kCell[atom][1];
    scene.bodies.add(half * x, half * y, half * layer, 0, 0, 0, argon.mass);
  }
  finish(scene, argon, nu, temperature);
  return scene;
}

}  // namespace tri::scene
