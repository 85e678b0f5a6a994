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
/// result depends on the order. It is fixed, so that every backend, map and tile side gives the same result: at the end
/// of every step all overlapping pairs (i, j), i > j (laws/overlap.hpp), are resolved one after another, sorted by i
/// and then j, each with the velocities and positions left by the previous ones; then the walls, body by body, x, y, z.
///
/// Sweeps: one such sweep lets a shock travel by one body or more, too few for a pile: the bodies of a column of N
/// would overlap by some N^3 g dt^2. So with e < 1 the sweep over the same pairs is repeated, at most kMaxSweeps
/// times, until none of them had a lasting overlap of more than kDeep of the mean radius (sequential impulses: Mirtich
/// and Canny 1995; Catto, GDC 2005). Each sweep conserves what one does: pairs keep their momentum and their centre of
/// mass. With e = 1 nothing comes to rest, and there is one sweep.
///
/// Plain scalar code for host and device. A body of zero mass is pushed and does not push; two of them interact like
/// equal masses.

#include "sim/base/platform.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/laws/nearest_image.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/laws/terms.hpp"
#include "sim/laws/wall.hpp"

namespace tri::laws {

/// Enough for a column of some 60 spheres at a hundredth of the time in which one falls its own radius.
inline constexpr u32 kMaxSweeps = 64;
inline u32 most_sweeps(const ForceField& field) { return field.contact.restitution < 1 ? kMaxSweeps : 1; }

/// The part of a lasting overlap that the first sweep removes. A smaller part makes a pile softer, a larger one lets
/// one push disturb the next.
inline constexpr double kPushedApart = 0.2;
/// The same in the sweeps after it, whose number falls with the square root of this part.
inline constexpr double kPushedAgain = 0.5;
/// A lasting overlap that asks for another sweep, over the mean radius of its pair or the radius at a wall.
inline constexpr double kDeep = 0.008;

/// Parameters of the resolution in one step.
template <class Real>
struct ImpulseRule {
  Real restitution = 1;
  Real step = 0;   ///< |dt|: parting * step is the separation that a pair gains by itself
  u32 sweeps = 1;  ///< at most, in a step
  Real push = Real(kPushedApart);
  bool walls = false;
  Real low[3] = {0, 0, 0}, high[3] = {0, 0, 0};  ///< of the box, if there are walls
  NearestImage<Real> image;

  ImpulseRule() = default;
  ImpulseRule(const ForceField& field, double dt)
      : restitution(static_cast<Real>(field.contact.restitution)),
        step(static_cast<Real>(dt < 0 ? -dt : dt)),
        sweeps(most_sweeps(field)),
        walls(field.box.boundary != Boundary::open),
        image(field.box) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = static_cast<Real>(field.box.low[static_cast<std::size_t>(axis)]);
      high[axis] = static_cast<Real>(field.box.high[static_cast<std::size_t>(axis)]);
    }
  }

  /// The rule in this sweep, from 0.
  TRI_HD ImpulseRule in_sweep(u32 sweep) const {
    ImpulseRule rule = *this;
    rule.push = Real(sweep == 0 ? kPushedApart : kPushedAgain);
    return rule;
  }
};

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

/// Impulse and push of one overlapping pair; changes velocities and positions of both. Returns whether its lasting
/// overlap was deep.
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
  if (!(distance > Real(0))) return false;
  const Real parting = (dx * (j.vx - i.vx) + dy * (j.vy - i.vy) + dz * (j.vz - i.vz)) / distance;
  const Real lasting = (i.r + j.r) - distance - parting * rule.step;
  if (!(lasting > Real(0))) return false;
  const Real total = i.m + j.m, push = rule.push * lasting / distance;
  const Real of_i = push * (total > Real(0) ? j.m / total : Real(0.5));
  const Real of_j = push * (total > Real(0) ? i.m / total : Real(0.5));
  i.x -= of_i * dx, i.y -= of_i * dy, i.z -= of_i * dz;
  j.x += of_j * dx, j.y += of_j * dy, j.z += of_j * dz;
  return lasting > Real(0.5 * kDeep) * (i.r + j.r);
}

/// Impulse and push of the walls along one axis on a body of this radius; under periodic walls a centre that was pushed
/// out re-enters on the other side. Returns whether the lasting overlap was deep.
template <class Real>
TRI_HD TRI_INLINE bool meet_walls(const ImpulseRule<Real>& rule, Real& x, Real& v, Real radius, Real low, Real high) {
  if (rule.image.periodic) {
    wrap(x, low, high);
    return false;
  }
  v = resolve_wall(x, v, radius, low, high, rule.restitution);
  const Real below = (low + radius - x) - v * rule.step, above = (x + radius - high) + v * rule.step;
  if (below > Real(0)) x += rule.push * below;
  if (above > Real(0)) x -= rule.push * above;
  const Real deep = Real(kDeep) * radius;
  return (below > deep && below > Real(0)) || (above > deep && above > Real(0));
}

/// All walls on one body.
template <class Real>
TRI_HD TRI_INLINE bool meet_walls(const ImpulseRule<Real>& rule, Body<Real>& b) {
  const bool x = meet_walls(rule, b.x, b.vx, b.r, rule.low[0], rule.high[0]);
  const bool y = meet_walls(rule, b.y, b.vy, b.r, rule.low[1], rule.high[1]);
  const bool z = meet_walls(rule, b.z, b.vz, b.r, rule.low[2], rule.high[2]);
  return x || y || z;
}

/// The sequential rule for one precision, over the arrays of a backend: `pairs` are the overlapping (i, j), sorted.
/// State provides n, and x, y, z, vx, vy, vz, m, r as indexable arrays; velocities and positions change in place.
template <class Real, class State, class Pairs>
void resolve_in_order(State& s, const Pairs& pairs, const ImpulseRule<Real>& rule) {
  const auto get = [&s](u32 i) {
    return Body<Real>{s.x[i], s.y[i], s.z[i], s.m[i], s.r[i], s.vx[i], s.vy[i], s.vz[i], Real(0)};
  };
  const auto put = [&s](u32 i, const Body<Real>& b) {
    s.x[i] = b.x, s.y[i] = b.y, s.z[i] = b.z;
    s.vx[i] = b.vx, s.vy[i] = b.vy, s.vz[i] = b.vz;
  };
  bool deep = true;
  for (u32 sweep = 0; deep && sweep < rule.sweeps; ++sweep) {
    const ImpulseRule<Real> now = rule.in_sweep(sweep);
    deep = false;
    for (const auto& [i, j] : pairs) {
      Body<Real> a = get(i), b = get(j);
      deep |= resolve_pair(now, a, b);
      put(i, a), put(j, b);
    }
    for (u32 i = 0; rule.walls && i < s.n; ++i) {
      Body<Real> b = get(i);
      deep |= meet_walls(now, b);
      put(i, b);
    }
  }
}

}  // namespace tri::laws
