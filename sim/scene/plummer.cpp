/// Gravity: a star cluster in equilibrium, a Plummer sphere in virial units: G = M = 1, E = -1/4, U = -1/2, K = 1/4,
/// scale length a = 3 pi / 16, crossing time 2 sqrt(2).
///
///     density    (3 / (4 pi a^3)) (1 + r^2/a^2)^(-5/2),    mass within r   r^3 (r^2 + a^2)^(-3/2)
///     speeds     f(q) ~ q^2 (1 - q^2)^(7/2), q = v / v_escape,  v_escape^2 = 2 / sqrt(r^2 + a^2)
///
/// Sampling follows Aarseth, Henon and Wielen, Astron. Astrophys. 37, 183 (1974): radii from the enclosed mass, speeds
/// by rejection, isotropic directions. Two refinements reduce the noise of small samples: enclosed masses are
/// stratified into n equal layers (in random order), and velocities are scaled so that K = (1 - 1/n)/4 exactly, half of
/// the mean |U| of n such bodies. Centre of mass and momentum are zero.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sim/model/auto_step.hpp"
#include "sim/scene/random.hpp"
#include "sim/scene/scene_table.hpp"

namespace tri::scene {

namespace {

constexpr double kLength = 3.0 * std::numbers::pi / 16.0;

/// v / v_escape. The density of q has its maximum, 0.0922, at q^2 = 2/9.
double draw_speed(Random& random) {
  for (;;) {
    const double q = random.uniform();
    const double height = 0.1 * random.uniform();
    const double rest = 1.0 - q * q;
    if (height < q * q * rest * rest * rest * std::sqrt(rest)) return q;
  }
}

}  // namespace

Scene plummer(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 4096, 1, kMaxBodies);
  scene.seed = keys.seed();
  read_gravity_keys(scene, keys, 0.02);
  const double G = scene.field.gravity.G;
  read_step(scene, keys, 1.0 / 256.0, G);
  if (scene.field.gravity.softening == 0 && !keys.has("dt")) resolve_encounters(scene, usual_eta(Integrator::hermite));
  keys.done();

  scene.units = "virial units: G = 1, total mass 1, energy -1/4";
  Random random(scene.seed);
  const std::vector<u32> layers = shuffled_layers(n, random);
  scene.bodies.resize(n);
  Bodies& b = scene.bodies;
  for (u32 i = 0; i < n; ++i) {
    const double mass_within = (layers[i] + 1.0 - random.uniform()) / (n + 0.0);  // in (0, 1]
    const double within = std::min(mass_within, 1.0 - 1e-9);                      // bounds r to 38,730 a
    const double r = kLength / std::sqrt(std::pow(within, -2.0 / 3.0) - 1.0);
    const double escape = std::sqrt(2.0 * G / std::hypot(r, kLength));
    const Vec p = random.direction();
    const double v = escape * draw_speed(random);
    const Vec heading = random.direction();
    b.x[i] = r * p[0], b.y[i] = r * p[1], b.z[i] = r * p[2];
    b.vx[i] = v * heading[0], b.vy[i] = v * heading[1], b.vz[i] = v * heading[2];
    b.m[i] = 1.0 / n;
  }
  centre_positions(b);
  remove_drift(b);
  if (n > 1) scale_to_kinetic(b, 0.25 * G * (1.0 - 1.0 / n));
  return scene;
}

}  // namespace tri::scene
