#pragma once
/// Hard contact by impulses: an overlapping pair that approaches immediately gets the velocities after the collision,
///
///     v1' = ((m1 - e m2) v1 + (1 + e) m2 v2) / (m1 + m2)     along the normal; tangential components stay,
///
/// with the restitution e in [0, 1]: e = 1 elastic, e = 0 no rebound. Pairs that already separate keep their
/// velocities. Momentum is conserved, kinetic energy never grows.
///
/// Resting contact: in a field every step compresses a pile, and velocities alone never undo that: it would sink into
/// itself and through the floor. Therefore a fifth of the part of an overlap that the separating velocity will not undo
/// within the next step is removed by moving the two bodies apart along the normal, in inverse proportion to their
/// masses. (Baumgarte 1972 as a projection of positions, which adds no velocity.) After a bounce the separating
/// velocity undoes all of it, as spheres that collided within a step cannot overlap by more than they approached: a gas
/// is not affected.
///
/// Order of resolution: a body may touch several others, and each resolution changes the input of the next, so the
/// result depends on the order. It is fixed, so that every backend, map and tile side gives the same result: once at
/// the end of every step all overlapping pairs (i, j), i > j (laws/overlap.hpp), are resolved one after another, sorted
/// by i and then j, each with the velocities and positions left by the previous ones; then the walls, body by body, x,
/// y, z. One sweep per step; a shock travels along a chain of contacts by one body or more per step.
///
/// Plain scalar code for host and device. A body of zero mass is pushed and does not push; two of them interact like
/// equal masses.

#include "sim/base/platform.hpp"
#include "sim/laws/nearest_image.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/laws/scalar_math.hpp"
#include "sim/laws/terms.hpp"
#include "sim/laws/wall.hpp"

namespace tri::laws {

/// Parameters of the resolution in one step.
template <class Real>
struct ImpulseRule {
  Real restitution = 1;
  Real step = 0;  ///< |dt|: parting * step is the separation that a pair gains by itself
  NearestImage<Real> image;

  ImpulseRule() = default;
  ImpulseRule(const ForceField& field, double dt)
      : restitution(static_cast<Real>(field.contact.restitution)),
        step(static_cast<Real>(dt < 0 ? -dt : dt)),
        image(field.box) {}
};

/// The part of a lasting overlap that one step removes. A smaller part makes a pile softer, a larger one lets one push
/// disturb the next.
inline constexpr double kPushedApart = 0.2;

/// The effect of an impulse on the two velocities: v_i += (ax, ay, az), v_j += (bx, by, bz).
template <class Real>
struct VelocityChange {
  Real ax = 0, ay = 0, az = 0;
  Real bx = 0, by = 0, bz = 0;
  bool approaching = false;  ///< false: nothing changes
};

/// The impulse of one overlapping pair: (dx, dy, dz) = r_j - r_i, (ux, uy, uz) = v_j - v_i. With d = 0 there is no
/// normal and nothing changes.
template <class Real>
TRI_HD TRI_INLINE VelocityChange<Real> resolve_contact(Real dx, Real dy, Real dz, Real ux, Real uy, Real uz, Real mi,
                                                       Real mj, Real restitution) {
  VelocityChange<Real> change;
  const Real r2 = dx * dx + dy * dy + dz * dz;
  const Real closing = dx * ux + dy * uy + dz * uz;  // |d| times the normal velocity, < 0 when approaching
  if (!(closing < Real(0)) || !(r2 > Real(0))) return change;
  const Real total = mi + mj;
  const Real share_i = total > Real(0) ? mj / total : Real(0.5);
  const Real share_j = total > Real(0) ? mi / total : Real(0.5);
  // v_i' - v_i = (1 + e) m_j / (m_i + m_j) (v_j - v_i) along the normal: the formula above, rearranged.
  const Real s = (Real(1) + restitution) * (closing / r2);
  change = {share_i * s * dx,
            share_i * s * dy,
            share_i * s * dz,
            -share_j * s * dx,
            -share_j * s * dy,
            -share_j * s * dz,
            true};
  return change;
}

/// A wall by impulse: the velocity along one axis after a body of this radius has hit the walls at low and high.
/// Changes only the outward motion of a body that touches or has passed the wall.
template <class Real>
TRI_HD TRI_INLINE Real resolve_wall(Real x, Real v, Real radius, Real low, Real high, Real restitution) {
  if (x - radius <= low && v < Real(0)) v = -restitution * v;
  if (x + radius >= high && v > Real(0)) v = -restitution * v;
  return v;
}

/// Impulse and push of one overlapping pair; changes velocities and positions of both. Returns whether it approached.
template <class Real>
TRI_HD TRI_INLINE bool resolve_pair(const ImpulseRule<Real>& rule, Body<Real>& i, Body<Real>& j) {
  Real dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
  rule.image(ScalarMath<Real>{}, dx, dy, dz);
  const auto c = resolve_contact<Real>(dx, dy, dz, j.vx - i.vx, j.vy - i.vy, j.vz - i.vz, i.m, j.m, rule.restitution);
  if (c.approaching) {
    i.vx += c.ax, i.vy += c.ay, i.vz += c.az;
    j.vx += c.bx, j.vy += c.by, j.vz += c.bz;
  }
  const Real distance = std::sqrt(dx * dx + dy * dy + dz * dz);
  if (!(distance > Real(0))) return c.approaching;
  const Real parting = (dx * (j.vx - i.vx) + dy * (j.vy - i.vy) + dz * (j.vz - i.vz)) / distance;
  const Real lasting = (i.r + j.r) - distance - parting * rule.step;
  if (!(lasting > Real(0))) return c.approaching;
  const Real total = i.m + j.m, push = Real(kPushedApart) * lasting / distance;
  const Real of_i = push * (total > Real(0) ? j.m / total : Real(0.5));
  const Real of_j = push * (total > Real(0) ? i.m / total : Real(0.5));
  i.x -= of_i * dx, i.y -= of_i * dy, i.z -= of_i * dz;
  j.x += of_j * dx, j.y += of_j * dy, j.z += of_j * dz;
  return c.approaching;
}

/// Impulse and push of the walls along one axis on a body of this radius; under periodic walls a centre that was pushed
/// out re-enters on the other side.
template <class Real>
TRI_HD TRI_INLINE void meet_walls(const ImpulseRule<Real>& rule, Real& x, Real& v, Real radius, Real low, Real high) {
  if (rule.image.periodic) return wrap(x, low, high);
  v = resolve_wall(x, v, radius, low, high, rule.restitution);
  const Real below = (low + radius - x) - v * rule.step, above = (x + radius - high) + v * rule.step;
  if (below > Real(0)) x += Real(kPushedApart) * below;
  if (above > Real(0)) x -= Real(kPushedApart) * above;
}

/// The sequential rule for one precision, over arrays of a backend: `pairs` are the overlapping (i, j), sorted. State
/// provides x, y, z, vx, vy, vz, m, r as indexable arrays; velocities and positions change in place. Returns how many
/// pairs approached.
template <class Real, class State, class Pairs>
u64 resolve_in_order(State& s, const Pairs& pairs, const ImpulseRule<Real>& rule) {
  const auto get = [&s](u32 i) {
    return Body<Real>{s.x[i], s.y[i], s.z[i], s.m[i], s.r[i], s.vx[i], s.vy[i], s.vz[i]};
  };
  const auto put = [&s](u32 i, const Body<Real>& b) {
    s.x[i] = b.x, s.y[i] = b.y, s.z[i] = b.z;
    s.vx[i] = b.vx, s.vy[i] = b.vy, s.vz[i] = b.vz;
  };
  u64 approached = 0;
  for (const auto& [i, j] : pairs) {
    Body<Real> a = get(i), b = get(j);
    approached += resolve_pair(rule, a, b);
    put(i, a), put(j, b);
  }
  return approached;
}

}  // namespace tri::laws
