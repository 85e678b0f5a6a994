#pragma once
/// Hard contact by impulses: an overlapping pair that approaches gets, at once, the velocities after the collision,
///
///     v1' = ((m1 - e m2) v1 + (1 + e) m2 v2) / (m1 + m2)     along the normal; tangential components stay,
///
/// with the restitution e in [0, 1]: e = 1 elastic, e = 0 no rebound. Pairs that part already are left alone, so no
/// contact is resolved twice. Momentum is conserved, energy never grows. Positions are not touched: spheres that
/// overlap while parting move apart by themselves.
///
/// The order of resolution. A body may touch several others, and each resolution changes what the next one sees, so the
/// answer depends on the order. It is fixed, to be the same on every backend, map and tile side: once at the end of
/// every step all pairs (i, j), i > j, that overlap then (laws/overlap.hpp) are resolved one after another, sorted by i
/// and then j, each with the velocities that the ones before have left; after them the walls, body by body, x, y, z.
/// One sweep a step; chains of contacts carry a shock on by one body or more a step.
///
/// Plain scalar code for host and device. A body of zero mass is pushed and does not push; two of them exchange as
/// equal masses do.

#include "../physics_params.hpp"
#include "../platform.hpp"

namespace tri::laws {

/// What an impulse does to the two velocities: v_i += (ax, ay, az), v_j += (bx, by, bz).
template <class Real>
struct VelocityChange {
  Real ax = 0, ay = 0, az = 0;
  Real bx = 0, by = 0, bz = 0;
  bool approaching = false;  ///< false: nothing changes
};

/// Resolution of one overlapping pair: (dx, dy, dz) = r_j - r_i, (ux, uy, uz) = v_j - v_i. With d = 0 there is no
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

/// A wall by impulse: the velocity along one axis after the body of this radius has met the walls at low and high. Only
/// outward motion of a body that touches or has passed the wall changes.
template <class Real>
TRI_HD TRI_INLINE Real resolve_wall(Real x, Real v, Real radius, Real low, Real high, Real restitution) {
  if (x - radius <= low && v < Real(0)) v = -restitution * v;
  if (x + radius >= high && v > Real(0)) v = -restitution * v;
  return v;
}

/// The sequential rule for one precision, over arrays of a backend: `pairs` are the overlapping (i, j), sorted. State
/// gives x, y, z, vx, vy, vz, m as indexable arrays; velocities change in place. Returns how many pairs approached.
template <class Real, class State, class Pairs>
u64 resolve_in_order(State& s, const Pairs& pairs, Real restitution) {
  u64 resolved = 0;
  for (const auto& [i, j] : pairs) {
    const auto c = resolve_contact<Real>(s.x[j] - s.x[i], s.y[j] - s.y[i], s.z[j] - s.z[i], s.vx[j] - s.vx[i],
                                         s.vy[j] - s.vy[i], s.vz[j] - s.vz[i], s.m[i], s.m[j], restitution);
    if (!c.approaching) continue;
    s.vx[i] += c.ax, s.vy[i] += c.ay, s.vz[i] += c.az;
    s.vx[j] += c.bx, s.vy[j] += c.by, s.vz[j] += c.bz;
    ++resolved;
  }
  return resolved;
}

}  // namespace tri::laws
