#pragma once
/// One-body terms: the walls of the box, in plain scalar code for host and device. They cost O(n) and need no vector
/// form.
///
/// Springs (PairLaw::contact without impulse). A wall is a flat, immovable sphere of infinite radius:
///
///     h = low + R - x > 0:  F_x = +k h - c v_x        h = x + R - high > 0:  F_x = -k h - c v_x
///     tangential components of a touching body: -g v;       U = k h^2 / 2
///
/// A centre beyond the wall is still pushed back, with a force that grows with its distance.
///
/// Mirrors (any other law): a centre that left the box in a drift continues on the reflected path, through as many
/// reflections as necessary, each of which reverses the velocity. Exact for free flight: x and v are those of the
/// unfolded motion. Radii are ignored.
///
/// Periodic walls: a centre that left the box re-enters on the other side; velocities are unchanged; see wrap().

#include "sim/base/platform.hpp"
#include "sim/laws/physics_params.hpp"

namespace tri::laws {

/// The effect of a spring wall on one body.
template <class Real>
struct WallTerm {
  Real fx = 0, fy = 0, fz = 0;
  Real potential = 0;
};

/// The six walls of a box as spring and dashpot. Zero for an open box or under `impulse`.
template <class Real>
struct WallSprings {
  Real low[3], high[3];
  Real stiffness, damping, shear;
  bool active;

  WallSprings(const Box& box, const ContactParams& p)
      : stiffness(static_cast<Real>(p.stiffness)),
        damping(static_cast<Real>(p.damping)),
        shear(static_cast<Real>(p.shear)),
        active(box.boundary == Boundary::reflecting && !p.impulse) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = static_cast<Real>(box.low[static_cast<std::size_t>(axis)]);
      high[axis] = static_cast<Real>(box.high[static_cast<std::size_t>(axis)]);
    }
  }

  /// position and velocity: 3 numbers each.
  TRI_HD WallTerm<Real> operator()(const Real (&position)[3], const Real (&velocity)[3], Real radius) const {
    Real force[3] = {0, 0, 0};
    Real energy = 0;
    if (active) {
      for (int axis = 0; axis < 3; ++axis) {
        touch(axis, low[axis] + radius - position[axis], Real(1), velocity, force, energy);
        touch(axis, position[axis] + radius - high[axis], Real(-1), velocity, force, energy);
      }
    }
    return {force[0], force[1], force[2], energy};
  }

 private:
  TRI_HD void touch(int axis, Real overlap, Real inward, const Real (&velocity)[3], Real (&force)[3],
                    Real& energy) const {
    if (!(overlap > Real(0))) return;
    for (int a = 0; a < 3; ++a) force[a] -= (a == axis ? damping : shear) * velocity[a];
    force[axis] += inward * stiffness * overlap;
    energy += Real(0.5) * stiffness * overlap * overlap;
  }
};

/// Mirrors one coordinate and its velocity into [low, high], low < high. NaN stays NaN; a position within the walls is
/// unchanged bit for bit.
template <class Real>
TRI_HD TRI_INLINE void mirror(Real& x, Real& v, Real low, Real high) {
  if (!(x < low) && !(x > high)) return;
  // Unfolded, the box repeats with period 2 L; its second half is reversed.
  const Real length = high - low;
  const Real unfolded = (x - low) / length;
  const Real cell = std::floor(unfolded);
  const Real rest = unfolded - cell;
  const bool backwards = cell - Real(2) * std::floor(cell * Real(0.5)) != Real(0);
  // One reflection, by far the most common, without the division's rounding.
  if (x < low && cell == Real(-1)) {
    x = low + (low - x);
  } else if (x > high && cell == Real(1)) {
    x = high - (x - high);
  } else {
    x = backwards ? high - rest * length : low + rest * length;
  }
  x = x < low ? low : (x > high ? high : x);
  if (backwards) v = -v;
}

/// Wraps one coordinate into [low, high), low < high, by whole sides. NaN and infinity do not become finite; a position
/// already inside is unchanged bit for bit.
template <class Real>
TRI_HD TRI_INLINE void wrap(Real& x, Real low, Real high) {
  if (!(x < low) && !(x >= high)) return;
  const Real length = high - low;
  // One side, by far the most common, without the division's rounding.
  if (x < low && x >= low - length) {
    x += length;
  } else if (x >= high && x < high + length) {
    x -= length;
  } else {
    x -= length * std::floor((x - low) / length);
  }
  // A position that was rounded onto or beyond a wall is set to the wall.
  if (x >= high || x < low) x = low;
}

}  // namespace tri::laws
