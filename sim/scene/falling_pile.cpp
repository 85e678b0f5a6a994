/// Contact: spheres of different radius and mass that fall into a box, pile up and come to rest.
///
/// Units: the largest diameter, the mass of a sphere of that size and, by g=1, the time in which a fall from rest
/// covers half of it. Radii are even over [1/4, 1/2], the density is one for all. At t = 0 the spheres stand in loose
/// layers of w x w, each at random within a cell of its own, so that nothing overlaps; w^3 = 2 n, a box wider than the
/// pile is high. The field points down, along -y; the lid is higher than any sphere can jump.
///
/// response=springs: the stiffness k lets the fall of the largest sphere from the top press two of them together by a
/// tenth of the smallest radius; the dashpot gives two of them the restitution e (lighter ones rebound less), and the
/// step is a fiftieth of the shortest contact. response=impulses: restitution e; a step moves a sphere that has fallen
/// from the top to the floor by a tenth of the smallest radius.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/model/contact_step.hpp"
#include "sim/scene/random.hpp"
#include "sim/scene/scene_table.hpp"
#include "sim/scene/spheres.hpp"

namespace tri::scene {

namespace {

constexpr double kSmallest = 0.25, kLargest = 0.5;
/// Side of the cell that a sphere starts in.
constexpr double kCell = 1.05;

/// Dashpot of two masses 1 on a spring k with this restitution, 0 < e <= 1: the inverse of contact_restitution().
double damping_for(double k, double e) {
  const double log = std::log(e);
  const double ratio = -log / std::sqrt(std::numbers::pi * std::numbers::pi + log * log);
  return 2.0 * ratio * std::sqrt(k * 0.5);
}

void stack(Bodies& b, u32 wide, Random& random) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double r = b.r[i] = random.uniform(kSmallest, kLargest);
    b.m[i] = 8 * r * r * r;
    const auto somewhere = [&](std::size_t cell) {
      return kCell * static_cast<double>(cell) + random.uniform(r, kCell - r);
    };
    b.x[i] = somewhere(i % wide);
    b.z[i] = somewhere(i / wide % wide);
    b.y[i] = somewhere(i / wide / wide);
  }
}

}  // namespace

Scene falling_pile(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 1000, 1, kMaxBodies);
  scene.seed = keys.seed();
  const double g = keys.real("g", 1.0, kPositive);
  const bool impulses = keys.name("response", "springs", {"springs", "impulses"}) == "impulses";
  const u32 wide = std::max(1u, static_cast<u32>(std::lround(std::cbrt(2.0 * n))));
  const double layers = std::ceil(static_cast<double>(n) / wide / wide), height = kCell * layers;
  ContactParams& contact = scene.field.contact;
  contact.impulse = impulses;
  const double e = keys.real("e", 0.5, {0, 1, impulses, true});
  const double press = 0.1 * kSmallest;
  // m_eff v^2 / 2 = k h^2 / 2 with m_eff = 1 / 2 and v^2 = 2 g height.
  if (!impulses) contact.stiffness = keys.real("k", g * height / (press * press), kPositive);
  const double dt = keys.real("dt", 0.0, kPositive);  // 0 cannot be given: by the contacts, below
  keys.done();

  contact.restitution = e;
  if (!impulses) contact.damping = damping_for(contact.stiffness, e);
  scene.units = "largest diameter 1, mass of such a sphere 1, field g";
  scene.field.pair = PairLaw::contact;
  scene.field.field = {0, -g, 0};
  scene.field.box = {{0, 0, 0}, {kCell * wide, 2 * height + 2, kCell * wide}, Boundary::reflecting};
  scene.bodies.resize(n);
  Random random(scene.seed);
  stack(scene.bodies, wide, random);
  const double by_contact = impulses ? 0.1 * kSmallest / std::sqrt(2 * g * height)
                                     : shortest_contact(scene.bodies, scene.field) / kStepsPerContact;
  scene.dt = dt > 0 ? dt : by_contact;
  return scene;
}

}  // namespace tri::scene
