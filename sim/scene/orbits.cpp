/// Gravity: orbits of two and three bodies that are known exactly or to many digits, for testing integrators. With
/// eps > 0 the initial state is the same but the orbit differs. Velocities scale with sqrt(G), so that any G gives the
/// same shape.
///
///     kepler     two bodies, total mass 1, semi-major axis 1, period 2 pi, eccentricity e, from apocentre
///     figure-8   three bodies of mass 1 on a common curve, period 6.32591398, stable
///                (Chenciner and Montgomery, Annals of Mathematics 152, 881 (2000); initial values by Simo)
///     lagrange   three bodies of mass 1 on an equilateral triangle of side 1, rotating with w^2 = 3, energy -3/2;
///                unstable: rounding errors end it after some revolutions (Lagrange 1772)

#include <array>
#include <cmath>
#include <numbers>

#include "sim/scene/scene_table.hpp"

namespace tri::scene {

namespace {

constexpr double kStepsPerPeriod = 1024.0;
constexpr double kSharpTurn = 0.9;  ///< eccentricity from which equal steps are too long at pericentre
constexpr double kOrbitEta = 1e-4;  ///< |dE/E| of about 1e-9 in 100 periods at e = 0.99

/// Reads the keys common to all orbits; `period` is for G = 1.
Scene orbit(SceneKeys& keys, const char* units, double period) {
  Scene scene;
  scene.units = units;
  read_gravity_keys(scene, keys, 0.0);
  read_step(scene, keys, period / kStepsPerPeriod, scene.field.gravity.G);
  keys.done();
  return scene;
}

}  // namespace

Scene kepler(SceneKeys& keys) {
  const double e = keys.real("e", 0.5, {0, 1, true, false});
  const double ratio = keys.real("ratio", 1.0, kPositive);
  const bool sharp = e >= kSharpTurn && !keys.has("dt");
  Scene scene = orbit(keys, "G = 1, total mass 1, semi-major axis 1, period 2 pi", 2 * std::numbers::pi);
  if (sharp) resolve_encounters(scene, kOrbitEta);
  const double distance = 1.0 + e;
  const double speed = std::sqrt(scene.field.gravity.G * (1.0 - e) / (1.0 + e));
  const double m1 = 1.0 / (1.0 + ratio), m2 = ratio / (1.0 + ratio);
  scene.bodies.add(-m2 * distance, 0, 0, 0, -m2 * speed, 0, m1);
  scene.bodies.add(m1 * distance, 0, 0, 0, m1 * speed, 0, m2);
  return scene;
}

Scene figure_8(SceneKeys& keys) {
  Scene scene = orbit(keys, "G = 1, masses 1, period 6.32591398", 6.32591398);
  const double root_g = std::sqrt(scene.field.gravity.G);
  const double x = 0.97000436, y = -0.24308753;
  const double vx = -0.93240737 * root_g, vy = -0.86473146 * root_g;
  scene.bodies.add(x, y, 0, -vx / 2, -vy / 2, 0, 1);
  scene.bodies.add(-x, -y, 0, -vx / 2, -vy / 2, 0, 1);
  scene.bodies.add(0, 0, 0, vx, vy, 0, 1);
  return scene;
}

Scene lagrange(SceneKeys& keys) {
  using std::numbers::sqrt3;
  Scene scene = orbit(keys, "G = 1, masses 1, side 1, period 2 pi / sqrt(3)", 2 * std::numbers::pi / sqrt3);
  const double radius = 1.0 / sqrt3;
  const double speed = std::sqrt(scene.field.gravity.G);  // w times radius
  const std::array<std::array<double, 2>, 3> corners{{{1, 0}, {-0.5, sqrt3 / 2}, {-0.5, -sqrt3 / 2}}};
  for (const auto& [c, s] : corners) scene.bodies.add(radius * c, radius * s, 0, -speed * s, speed * c, 0, 1);
  return scene;
}

}  // namespace tri::scene
