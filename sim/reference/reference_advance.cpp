/// Time stepping of the oracle.

#include "sim/reference/reference_advance.hpp"

#include <cmath>

#include "sim/reference/reference_detail.hpp"

namespace tri {
namespace {

using namespace reference_detail;

std::vector<Vec3> accelerations(const Bodies& b, const ForceField& field) {
  const Sums sums = sum_all(b, field);
  std::vector<Vec3> a(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    a[i] = sums.acceleration[i] + field.field;
    if (b.m[i] > 0) a[i] = a[i] + (1.0 / b.m[i]) * (sums.force[i] + sums.wall_force[i]);
  }
  return a;
}

/// Reflects every centre that left the box, and its velocity, repeatedly if needed.
void mirror_all(Bodies& b, const Box& box) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    Vec3 r = position(b, i), v = velocity(b, i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      while (r[axis] < box.low[axis] || r[axis] > box.high[axis]) {
        r[axis] = (r[axis] < box.low[axis] ? 2.0 * box.low[axis] : 2.0 * box.high[axis]) - r[axis];
        v[axis] = -v[axis];
      }
    }
    set_position(b, i, r), set_velocity(b, i, v);
  }
}

/// Shifts every centre by multiples of the sides into [low, high).
void wrap_all(Bodies& b, const Box& box) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    Vec3 r = position(b, i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double side = box.high[axis] - box.low[axis];
      while (r[axis] < box.low[axis]) r[axis] += side;
      while (r[axis] >= box.high[axis]) r[axis] -= side;
    }
    set_position(b, i, r);
  }
}

/// A remaining overlap that asks for another sweep, over the radius.
constexpr double kDeep = 0.008;

/// v1' = ((m1 - e m2) v1 + (1 + e) m2 v2) / (m1 + m2) along the normal, if the two approach. `part` of the overlap
/// that remains after another step of separation is removed by shifts in inverse proportion to the masses. Returns
/// whether it was deep.
bool collide(Bodies& b, const ForceField& field, std::size_t i, std::size_t j, double dt, double part) {
  const Vec3 d = displacement(b, field.box, i, j);
  const double distance = std::sqrt(dot(d, d));
  if (!(distance > 0)) return false;
  const Vec3 normal = (1.0 / distance) * d;
  const double v1 = dot(velocity(b, i), normal), v2 = dot(velocity(b, j), normal);
  double m1 = b.m[i], m2 = b.m[j];
  if (m1 + m2 == 0) m1 = m2 = 1.0;
  double after1 = v1, after2 = v2;
  if (v2 - v1 < 0) {
    const double e = field.contact.restitution;
    after1 = ((m1 - e * m2) * v1 + (1.0 + e) * m2 * v2) / (m1 + m2);
    after2 = ((m2 - e * m1) * v2 + (1.0 + e) * m1 * v1) / (m1 + m2);
    set_velocity(b, i, velocity(b, i) + (after1 - v1) * normal);
    set_velocity(b, j, velocity(b, j) + (after2 - v2) * normal);
  }
  const double remaining = b.r[i] + b.r[j] - distance - (after2 - after1) * std::fabs(dt);
  if (!(remaining > 0)) return false;
  set_position(b, i, position(b, i) - (part * remaining * m2 / (m1 + m2)) * normal);
  set_position(b, j, position(b, j) + (part * remaining * m1 / (m1 + m2)) * normal);
  return remaining > kDeep * 0.5 * (b.r[i] + b.r[j]);
}

/// The same for the walls of a reflecting box.
bool collide_with_walls(Bodies& b, const ForceField& field, double dt, double part) {
  const double e = field.contact.restitution;
  bool deep = false;
  for (std::size_t i = 0; i < b.size(); ++i) {
    Vec3 v = velocity(b, i), r = position(b, i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double low = field.box.low[axis] + b.r[i] - r[axis], high = r[axis] + b.r[i] - field.box.high[axis];
      if (low >= 0 && v[axis] < 0) v[axis] *= -e;
      if (high >= 0 && v[axis] > 0) v[axis] *= -e;
      const double away = v[axis] * std::fabs(dt);
      const double below = std::fmax(0.0, low - away), above = std::fmax(0.0, high + away);
      r[axis] += part * below - part * above;
      deep = deep || std::fmax(below, above) > kDeep * b.r[i];
    }
    set_velocity(b, i, v), set_position(b, i, r);
  }
  return deep;
}

/// One sweep over all overlapping pairs and the walls, or up to 64 until no overlap was deep, if collisions lose
/// energy.
void resolve_impulses(Bodies& b, const ForceField& field, double dt) {
  const auto pairs = reference_collisions(b, field.box);
  const int most = field.contact.restitution < 1 ? 64 : 1;
  bool deep = true;
  for (int sweep = 0; deep && sweep < most; ++sweep) {
    const double part = sweep == 0 ? 0.2 : 0.5;
    deep = false;
    for (const auto& [i, j] : pairs) deep = collide(b, field, i, j, dt, part) || deep;
    if (field.box.boundary == Boundary::periodic) wrap_all(b, field.box);
    if (field.box.boundary == Boundary::reflecting) deep = collide_with_walls(b, field, dt, part) || deep;
  }
}

void drift(Bodies& b, double time) {
  for (std::size_t i = 0; i < b.size(); ++i) set_position(b, i, position(b, i) + time * velocity(b, i));
}

void kick(Bodies& b, const std::vector<Vec3>& a, double time) {
  for (std::size_t i = 0; i < b.size(); ++i) set_velocity(b, i, velocity(b, i) + time * a[i]);
}

}  // namespace

void reference_advance(Bodies& bodies, const ForceField& field, Integrator integrator, double dt, u64 steps) {
  const bool contact = field.pair == PairLaw::contact;
  const bool mirrors = !contact && field.box.boundary == Boundary::reflecting;
  const bool impulses = contact && field.contact.impulse;
  const bool velocity_matters = contact && !impulses && (field.contact.damping > 0 || field.contact.shear > 0);
  if (field.box.boundary == Boundary::periodic) wrap_all(bodies, field.box);
  std::vector<Vec3> a;
  bool accelerations_valid = false;  // whether `a` belongs to the current positions
  for (u64 step = 0; step < steps; ++step) {
    for (const Stage& stage : stages(integrator)) {
      if (stage.kind == Stage::Kind::drift) {
        drift(bodies, stage.fraction * dt);
        if (mirrors) mirror_all(bodies, field.box);
        if (field.box.boundary == Boundary::periodic) wrap_all(bodies, field.box);
        accelerations_valid = false;
      } else {
        if (!accelerations_valid || velocity_matters) a = accelerations(bodies, field);
        accelerations_valid = true;
        kick(bodies, a, stage.fraction * dt);
      }
    }
    if (impulses) {
      resolve_impulses(bodies, field, dt);
      accelerations_valid = false;
    }
  }
}

}  // namespace tri
