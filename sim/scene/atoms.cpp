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

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/io/formats.hpp"
#include "sim/scene/generators.hpp"

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

// A crystal of ions: the lattice of rock salt, whose neighbours along each axis have opposite charges.
//
// The n ions fill c^3 sites of a cube, c as small as possible, row by row and layer by layer from below, so that every
// even n is neutral (n = 64, 216, 512, 1000, 1728 and 4096 fill complete cubes). The unit of charge is that of an ion,
// the unit of mass that of a positive one, `spacing` the distance of neighbours, half the lattice constant. With
// Coulomb's law in the form qi qj / r two ions a length apart have the energy 1.
//
// A crystal with a repulsion A exp(-r / rho) of nearest neighbours (Born and Mayer, Z. Phys. 75, 1, 1932) rests at the
// spacing 1 if A = M rho / 6 exp(1 / rho), with Madelung's constant M = 1.747565: 284.3 for rho = 0.11, about that of
// NaCl. A temperature of 0.018 then melts it.
//
// The generator sets no law; the scene's file says which acts.

namespace {

/// Cl over Na.
constexpr double kMassRatio = 35.45 / 22.99;

u32 sites_along(u32 n) {
  u32 c = 1;
  while (u64{c} * c * c < n) ++c;
  return c;
}

}  // namespace

Scene salt(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 512, 1, 1u << 24);
  scene.seed = keys.seed();
  const double temperature = keys.real("temperature", 0.01, kNotNegative);
  const double spacing = keys.real("spacing", 1.0, kPositive);
  const double charge = keys.real("charge", 1.0);
  const double ratio = keys.real("ratio", kMassRatio, kPositive);
  const double jitter = keys.real("jitter", 0.0, kNotNegative);
  scene.dt = keys.real("dt", 0.01, kPositive);
  keys.done();

  scene.units = "charge of an ion, mass of a positive one; energy 1 of two ions a length apart";
  scene.field.pair = PairLaw::none;
  const u32 c = sites_along(n);
  Bodies& b = scene.bodies;
  for (u32 i = 0; i < n; ++i) {
    const u32 x = i % c, y = i / c % c, z = i / (c * c);
    const bool positive = (x + y + z) % 2 == 0;
    b.add(spacing * x, spacing * y, spacing * z, 0, 0, 0, positive ? 1.0 : ratio);
    b.q.resize(b.size());
    b.q.back() = positive ? charge : -charge;
  }
  Random random(scene.seed);
  if (jitter > 0) {
    const double most = jitter * spacing;
    for (u32 i = 0; i < n; ++i) {
      b.x[i] += random.uniform(-most, most);
      b.y[i] += random.uniform(-most, most);
      b.z[i] += random.uniform(-most, most);
    }
  }
  centre_positions(b);
  const double kinetic = 1.5 * (static_cast<double>(n) - 1.0) * temperature;
  if (kinetic > 0) set_thermal_velocities(b, kinetic, random);
  return scene;
}

}  // namespace tri::scene
