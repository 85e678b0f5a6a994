/// The oracle's time stepping.

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

/// Reflects every centre that left the box, and its velocity, as often as needed.
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

/// v1' = ((m1 - e m2) v1 + (1 + e) m2 v2) / (m1 + m2) along the normal, if the two approach.
void collide(Bodies& b, std::size_t i, std::size_t j, double e) {
  const Vec3 d = position(b, j) - position(b, i);
  const double distance = std::sqrt(dot(d, d));
  if (!(distance > 0)) return;
  const Vec3 normal = (1.0 / distance) * d;
  const double v1 = dot(velocity(b, i), normal), v2 = dot(velocity(b, j), normal);
  if (!(v2 - v1 < 0)) return;
  double m1 = b.m[i], m2 = b.m[j];
  if (m1 + m2 == 0) m1 = m2 = 1.0;
  const double after1 = ((m1 - e * m2) * v1 + (1.0 + e) * m2 * v2) / (m1 + m2);
  const double after2 = ((m2 - e * m1) * v2 + (1.0 + e) * m1 * v1) / (m1 + m2);
  set_velocity(b, i, velocity(b, i) + (after1 - v1) * normal);
  set_velocity(b, j, velocity(b, j) + (after2 - v2) * normal);
}

void resolve_impulses(Bodies& b, const ForceField& field) {
  const double e = field.contact.restitution;
  for (const auto& [i, j] : reference_collisions(b)) collide(b, i, j, e);
  if (field.box.boundary != Boundary::reflecting) return;
  for (std::size_t i = 0; i < b.size(); ++i) {
    Vec3 v = velocity(b, i);
    const Vec3 r = position(b, i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (r[axis] - b.r[i] <= field.box.low[axis] && v[axis] < 0) v[axis] *= -e;
      if (r[axis] + b.r[i] >= field.box.high[axis] && v[axis] > 0) v[axis] *= -e;
    }
    set_velocity(b, i, v);
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
  std::vector<Vec3> a;
  bool fresh = false;  // whether `a` belongs to the present positions
  for (u64 step = 0; step < steps; ++step) {
    for (const Stage& stage : stages(integrator)) {
      if (stage.kind == Stage::Kind::drift) {
        drift(bodies, stage.fraction * dt);
        if (mirrors) mirror_all(bodies, field.box);
        fresh = false;
      } else {
        if (!fresh || velocity_matters) a = accelerations(bodies, field);
        fresh = true;
        kick(bodies, a, stage.fraction * dt);
      }
    }
    if (impulses) resolve_impulses(bodies, field);
  }
}

}  // namespace tri
