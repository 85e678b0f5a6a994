/// Molecular dynamics in kelvin and nanometres: a cube of crystalline argon in vacuum, Lennard-Jones pairs and
/// Axilrod-Teller triples.
///
/// The n atoms fill a face-centred cubic lattice of c^3 cells with four atoms each, c as small as possible, layer by
/// layer from below (n = 500, 864, 1372, 2048, 2916 and 4000 fill complete cubes). `box` is the side of that cube in
/// nanometres; by default the cells have the lattice constant of argon at 20 K, 0.5316 nm. Velocities are Maxwellian at
/// `temperature` in kelvin, with kinetic energy 3/2 (n - 1) kT and no drift. About half of it quickly becomes potential
/// energy: 40 K equilibrate to 20 K, 150 K melt the crystal from its corners.
///
/// The state is in reduced units, like the whole program; keys and summary are in kelvin, nanometres and picoseconds
/// (argon_units.hpp).

#include <fmt/format.h>

#include <cmath>

#include "sim/scene/argon_units.hpp"
#include "sim/scene/random.hpp"
#include "sim/scene/scene_table.hpp"

namespace tri::scene {

namespace {

constexpr double kLatticeConstant = 0.5316;  // nm, Dobbs and Jones (Rep. Prog. Phys. 20, 516, 1957)

/// The four atoms of a cell, in units of half its side.
constexpr u32 kCell[4][3] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};

u32 cells_for(u32 n) {
  u32 cells = 1;
  while (4 * u64{cells} * cells * cells < n) ++cells;
  return cells;
}

}  // namespace

Scene argon_crystal(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 500, 1, 1u << 24);
  const u32 cells = cells_for(n);
  scene.seed = keys.seed();
  const double temperature = keys.real("temperature", 40, kNotNegative);
  const double box = keys.real("box", kLatticeConstant * cells, kPositive);
  const double nu = keys.real("nu", 0.072, kNotNegative);
  scene.dt = keys.real("dt", 0.004, kPositive) / kArgon.picosecond;
  keys.done();

  scene.molecular = kArgon;
  scene.units = fmt::format("reduced: sigma ({} nm), epsilon ({} K), mass of an atom, time {} ps", kArgon.nanometre,
                            kArgon.kelvin, kArgon.picosecond);
  scene.field.pair = PairLaw::lennard_jones;
  scene.field.triple = nu > 0 ? TripleLaw::axilrod_teller : TripleLaw::none;
  scene.field.axilrod_teller.nu = nu;
  const double half = box / cells / 2 / kArgon.nanometre;
  for (u32 i = 0; i < n; ++i) {
    // Layers of half a cell from below: 2 cells^2 atoms each.
    const u32 layer = i / (2 * cells * cells), in_layer = i % (2 * cells * cells);
    const u32 cell = in_layer / 2, atom = in_layer % 2 + 2 * (layer % 2);
    const u32 x = 2 * (cell % cells) + kCell[atom][0], y = 2 * (cell / cells) + kCell[atom][1];
    scene.bodies.add(half * x, half * y, half * layer, 0, 0, 0, 1.0);
  }
  centre_positions(scene.bodies);
  Random random(scene.seed);
  if (temperature > 0) {
    set_thermal_velocities(scene.bodies, 1.5 * (n - 1.0) * temperature / kArgon.kelvin, random);
  }
  return scene;
}

}  // namespace tri::scene
