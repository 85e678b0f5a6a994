/// Contact: spheres of different radius and mass fall into a box, pile up and come to rest.
///
/// Three keys scale it: `length`, the largest diameter; `mass`, that of a sphere of this size; `g`, the field. Each is
/// 1 if it is not given. k, the dashpot and dt follow, so that the motion is the same in units of sqrt(length / g).
///
/// Radii are uniform in [1/4, 1/2] length, the density is constant. At t = 0 the spheres form loose layers of w x w,
/// each at a random position in its own cell, so that none overlap; w^3 = 2 n, so the box is wider than the pile is
/// high. The field points along -y; the lid is higher than any sphere can jump.
///
/// response=springs: with the stiffness k, a fall of the largest sphere from the top compresses a contact of two of
/// them by a tenth of the smallest radius; the dashpot gives two of them the restitution e (lighter ones rebound less),
/// and the step is a fiftieth of the shortest contact. response=impulses: restitution e; in one step, a sphere that
/// fell from the top to the floor moves by a tenth of the smallest radius.

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

constexpr double kSmallest = 0.25, kLargest = 0.5;
/// Side of a sphere's starting cell. All three are in units of length.
constexpr double kSpacing = 1.05;

/// Damping of two such masses on a spring k for a restitution 0 < e <= 1: the inverse of contact_restitution().
double damping_for(double k, double mass, double e) {
  const double log = std::log(e);
  const double ratio = -log / std::sqrt(std::numbers::pi * std::numbers::pi + log * log);
  return 2.0 * ratio * std::sqrt(k * mass * 0.5);
}

void stack(Bodies& b, u32 wide, Random& random) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double r = b.r[i] = random.uniform(kSmallest, kLargest);
    b.m[i] = 8 * r * r * r;
    const auto random_in = [&](std::size_t cell) {
      return kSpacing * static_cast<double>(cell) + random.uniform(r, kSpacing - r);
    };
    b.x[i] = random_in(i % wide);
    b.z[i] = random_in(i / wide % wide);
    b.y[i] = random_in(i / wide / wide);
  }
}

}  // namespace

Scene falling_pile(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 1000, 1, kMaxBodies);
  scene.seed = keys.seed();
  const double mass = keys.real("mass", 1.0, kPositive), length = keys.real("length", 1.0, kPositive);
  const double g = keys.real("g", 1.0, kPositive);
  keys.time = std::sqrt(length / g);
  const bool impulses = keys.name("response", "springs", {"springs", "impulses"}) == "impulses";
  const u32 wide = std::max(1u, static_cast<u32>(std::lround(std::cbrt(2.0 * n))));
  const double layers = std::ceil(static_cast<double>(n) / wide / wide);
  const double side = kSpacing * wide * length, height = kSpacing * layers * length;
  ContactParams& contact = scene.field.contact;
  contact.impulse = impulses;
  const double e = keys.real("e", 0.5, {0, 1, impulses, true});
  const double press = 0.1 * kSmallest * length;
  // m_eff v^2 / 2 = k h^2 / 2 with m_eff = mass / 2 and v^2 = 2 g height.
  if (impulses) keys.refuse_idle("k", "belongs to contact with response = springs, and response is impulses.");
  if (!impulses) contact.stiffness = keys.real("k", mass * g * height / (press * press), kPositive);
  const double dt = keys.real("dt", 0.0, kPositive);  // 0: not given, derived from the contacts below
  keys.done();

  contact.restitution = e;
  if (!impulses) contact.damping = damping_for(contact.stiffness, mass, e);
  scene.units = fmt::format("largest diameter {:.6g}, mass of such a sphere {:.6g}, field {:.6g}", length, mass, g);
  scene.field.pair = PairLaw::contact;
  scene.field.field = {0, -g, 0};
  scene.field.box = {{0, 0, 0}, {side, 2 * (height + length), side}, Boundary::reflecting};
  scene.bodies.resize(n);
  Random random(scene.seed);
  stack(scene.bodies, wide, random);
  scale_bodies(scene.bodies, mass, length);
  const double by_contact =
      impulses ? press / std::sqrt(2 * g * height) : shortest_contact(scene.bodies, scene.field) / kStepsPerContact;
  scene.dt = dt > 0 ? dt : by_contact;
  return scene;
}

}  // namespace tri::scene
