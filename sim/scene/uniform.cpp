/// Gravity: bodies of equal mass, uniformly distributed in a ball or a box, total mass 1.
///
/// Units: G = 1, the radius of the ball or the side of the box 1, the mass 1. Velocities are Maxwellian, the same
/// everywhere, with kinetic energy virial * |U| / 2: virial=1 initially neither collapses nor expands, virial=0
/// collapses from rest (a ball in t = pi / sqrt(8) = 1.11). Neither is an equilibrium, but both relax to one.
///
/// U is the mean over all such states, (1 - 1/N) times that of the continuous body:
///     ball of radius 1   -(3/5)
///     cube of side 1     -(1/2) 1.88231264438966..., the mean inverse distance of two points of the cube,
///                        2/5 - 2 pi/3 + 2 sqrt2/5 - 4 sqrt3/5 + 2 ln(1 + sqrt2) + 4 ln((1 + sqrt3)/sqrt2)
///                        (Bailey, Borwein, Crandall, "Box integrals", J. Comput. Appl. Math. 206, 2007)

#include <cmath>
#include <numbers>

#include "sim/scene/random.hpp"
#include "sim/scene/scene_table.hpp"

namespace tri::scene {

namespace {

constexpr double kSoftening = 0.02;
constexpr double kDt = 1.0 / 256.0;

/// A scene whose positions are drawn by `draw(random)`.
template <class Draw>
Scene uniform(SceneKeys& keys, const char* units, double smooth_potential, Draw draw) {
  Scene scene;
  const u32 n = keys.count("n", 4096, 1, kMaxBodies);
  scene.seed = keys.seed();
  const double virial = keys.real("virial", 1.0, kNotNegative);
  read_gravity_keys(scene, keys, kSoftening);
  const double G = scene.field.gravity.G;
  read_step(scene, keys, kDt, G);
  keys.done();

  scene.units = units;
  Random random(scene.seed);
  scene.bodies.resize(n);
  Bodies& b = scene.bodies;
  for (u32 i = 0; i < n; ++i) {
    const Vec p = draw(random);
    b.x[i] = p[0], b.y[i] = p[1], b.z[i] = p[2];
    b.m[i] = 1.0 / n;
  }
  const double potential = G * smooth_potential * (1.0 - 1.0 / n);
  if (virial > 0) set_thermal_velocities(b, 0.5 * virial * std::abs(potential), random);
  return scene;
}

}  // namespace

Scene uniform_ball(SceneKeys& keys) {
  return uniform(keys, "G = 1, total mass 1, radius 1", -0.6, [](Random& random) {
    const double r = std::cbrt(random.uniform());
    Vec p = random.direction();
    for (double& c : p) c *= r;
    return p;
  });
}

Scene uniform_box(SceneKeys& keys) {
  using std::numbers::pi, std::numbers::sqrt2, std::numbers::sqrt3;
  const double inverse_distance =
      0.4 - 2 * pi / 3 + 0.4 * sqrt2 - 0.8 * sqrt3 + 2 * std::log(1 + sqrt2) + 4 * std::log((1 + sqrt3) / sqrt2);
  return uniform(keys, "G = 1, total mass 1, side 1, centred on the origin", -0.5 * inverse_distance,
                 [](Random& random) {
                   const double x = random.uniform() - 0.5, y = random.uniform() - 0.5;
                   return Vec{x, y, random.uniform() - 0.5};
                 });
}

}  // namespace tri::scene
