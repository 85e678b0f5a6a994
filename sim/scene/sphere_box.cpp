/// Contact: gases of spheres in a cube.
///
/// Three keys scale both: `length`, the side of the box; `mass`, that of a sphere (sphere-box: the mean); `speed`, the
/// rms speed of a sphere of that mass. Each is 1 if it is not given. k and dt follow, so that the motion is the same in
/// units of length / speed.
///
/// sphere-box: soft elastic spheres of different radius and mass. Radii are uniform in [R/2, R], the density is
/// constant, and R is such that the spheres fill the fraction `fill` of the box. Nothing overlaps at t = 0. With the
/// default stiffness k, a collision at ten times the mean thermal energy compresses the spheres by a tenth of the
/// smallest radius; the default step is a fiftieth of the shortest contact, the largest that is accurate.
///
/// gas: equal hard spheres with impulses, the textbook's gas. The default step moves the fastest sphere by a tenth of a
/// radius.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/model/contact_step.hpp"
#include "sim/scene/placement.hpp"
#include "sim/scene/random.hpp"
#include "sim/scene/scene_table.hpp"
#include "sim/scene/spheres.hpp"

namespace tri::scene {

namespace {

/// What the user sets of the three scales.
struct Scales {
  double mass, length, speed;

  explicit Scales(SceneKeys& keys)
      : mass(keys.real("mass", 1.0, kPositive)),
        length(keys.real("length", 1.0, kPositive)),
        speed(keys.real("speed", 1.0, kNotNegative)) {}

  /// The speed, or 1 where spheres at rest have none: for what must be above 0.
  double pace() const { return speed > 0 ? speed : 1.0; }
  Box box(Boundary walls) const { return {{0, 0, 0}, {length, length, length}, walls}; }
};

/// Radius of n equal spheres of total volume `fill`.
double equal_radius(u32 n, double fill) { return std::cbrt(fill * 3.0 / (4.0 * std::numbers::pi * n)); }

/// Largest radius of n spheres with radii uniform in [R/2, R] and total volume `fill`; the mean of r^3 is 15/32 R^3.
double largest_radius(u32 n, double fill) { return std::cbrt(fill * 3.0 / (4.0 * std::numbers::pi * n) * 32.0 / 15.0); }

/// Lower for few spheres: they are large, and walls exclude much of the volume.
double default_fill(u32 n) { return 0.2 * n / (n + 16.0); }

constexpr Range kFill{0, 0.3, false, true};

double fastest(const Bodies& b) {
  double square = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    square = std::max(square, b.vx[i] * b.vx[i] + b.vy[i] * b.vy[i] + b.vz[i] * b.vz[i]);
  }
  return std::sqrt(square);
}

}  // namespace

Scene sphere_box(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 512, 1, kMaxBodies);
  scene.seed = keys.seed();
  const double fill = keys.real("fill", default_fill(n), kFill);
  const Scales scales(keys);
  keys.time = scales.length / scales.pace();
  const Boundary walls = read_walls(keys, Boundary::reflecting);
  const double largest = largest_radius(n, fill);
  const double press = 0.1 * 0.5 * largest * scales.length;
  const double energy = 10.0 * scales.mass * scales.pace() * scales.pace() / 3.0;
  ContactParams& contact = scene.field.contact;
  contact.stiffness = keys.real("k", 2.0 * energy / (press * press), kPositive);
  contact.damping = keys.real("c", 0.0, kNotNegative);
  const double dt = keys.real("dt", 0.0, kPositive);  // 0: not given, derived from the contacts below
  keys.done();

  scene.units = fmt::format("side of the box {:.6g}, mean mass {:.6g}, rms speed of that mass {:.6g}", scales.length,
                            scales.mass, scales.speed);
  scene.field.pair = PairLaw::contact;
  scene.field.box = scales.box(walls);
  Random random(scene.seed);
  scene.bodies.resize(n);
  Bodies& b = scene.bodies;
  for (double& r : b.r) r = largest * random.uniform(0.5, 1.0);
  place_spheres("sphere-box", b, walls, random);
  set_masses_by_volume(b, n);
  scale_bodies(b, scales.mass, scales.length);
  set_thermal_velocities(b, 0.5 * n * scales.mass * scales.speed * scales.speed, random);
  // A single sphere without walls has no contacts; any step will do.
  const double contact_time = shortest_contact(b, scene.field);
  scene.dt = dt > 0 ? dt : std::isfinite(contact_time) ? contact_time / kStepsPerContact : scene.dt;
  return scene;
}

Scene gas(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 4096, 1, kMaxBodies);
  scene.seed = keys.seed();
  const double fill = keys.real("fill", default_fill(n), kFill);
  const Scales scales(keys);
  keys.time = scales.length / scales.pace();
  const Boundary walls = read_walls(keys, Boundary::periodic);
  scene.field.contact.impulse = true;
  scene.field.contact.restitution = keys.real("e", 1.0, {0, 1, true, true});
  const double dt = keys.real("dt", 0.0, kPositive);  // 0: not given, derived from the fastest sphere below
  keys.done();

  scene.units = fmt::format("side of the box {:.6g}, mass of a sphere {:.6g}, rms speed {:.6g}", scales.length,
                            scales.mass, scales.speed);
  scene.field.pair = PairLaw::contact;
  scene.field.box = scales.box(walls);
  Random random(scene.seed);
  scene.bodies.resize(n);
  Bodies& b = scene.bodies;
  std::fill(b.r.begin(), b.r.end(), equal_radius(n, fill));
  std::fill(b.m.begin(), b.m.end(), 1.0);
  place_spheres("gas", b, walls, random);
  scale_bodies(b, scales.mass, scales.length);
  set_thermal_velocities(b, 0.5 * n * scales.mass * scales.speed * scales.speed, random);
  const double top_speed = fastest(b);
  scene.dt = dt > 0 ? dt : 0.1 * b.r[0] / (top_speed > 0 ? top_speed : 1.0);
  return scene;
}

}  // namespace tri::scene
