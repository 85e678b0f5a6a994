/// A crystal of ions: the lattice of rock salt, whose neighbours along each axis have opposite charges.
///
/// The n ions fill c^3 sites of a cube, c as small as possible, row by row and layer by layer from below, so that every
/// even n is neutral (n = 64, 216, 512, 1000, 1728 and 4096 fill complete cubes). The unit of charge is that of an ion,
/// the unit of mass that of a positive one, `spacing` the distance of neighbours, half the lattice constant. With
/// Coulomb's law in the form qi qj / r two ions a length apart have the energy 1.
///
/// A crystal with a repulsion A exp(-r / rho) of nearest neighbours (Born and Mayer, Z. Phys. 75, 1, 1932) rests at the
/// spacing 1 if A = M rho / 6 exp(1 / rho), with Madelung's constant M = 1.747565: 284.3 for rho = 0.11, about that of
/// NaCl. A temperature of 0.018 then melts it.
///
/// The generator sets no law; the scene's file says which acts.

#include <cmath>

#include "sim/scene/random.hpp"
#include "sim/scene/scene_table.hpp"

namespace tri::scene {

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
