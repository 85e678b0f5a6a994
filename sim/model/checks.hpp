#pragma once
/// Checks of bodies and laws: ranges of a precision, resolution, massless bodies, steps of contacts.
///
/// Whether a precision can hold a simulation: the values of its bodies, and what its laws make of them on the way to a
/// force. Below the smallest normal number (of float32 1.18e-38) a number loses its digits or is 0, above the largest
/// (3.4e38) it is infinite and its reciprocal 0. The force is then 0 without a sign that anything went wrong, so such a
/// state is refused before the first step. (A force that becomes infinite or NaN is found when it occurs:
/// diagnostics.hpp. Numbers that are too far apart: checks.hpp.)

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

struct FloatLimits {
  double least, largest;  ///< of the normal numbers
};
constexpr FloatLimits limits_of(Precision precision) {
  if (precision == Precision::fp64) return {std::numeric_limits<double>::min(), std::numeric_limits<double>::max()};
  return {static_cast<double>(std::numeric_limits<float>::min()),
          static_cast<double>(std::numeric_limits<float>::max())};
}

/// Throws ConfigError for a value of a body beyond the range, for a mass, a radius or a charge below it, which would be
/// 0, and where all positions or all velocities are below it.
void check_float_values(const Bodies& bodies, Precision precision);

/// Throws ConfigError for
/// - gravity, when a body would not feel the others: 1/r^3, G/r^3, G m or G m/r^3 is below the smallest number, with
///   r^2 = d^2 + eps^2, d the distance from the centre of mass and m the largest mass. A body that this gravity would
///   not slow down in this precision anyway, G M / r < 2^-24 v^2 in float32, is let through;
/// - lennard-jones and axilrod-teller, when their parameters or forces at sigma leave the range (triples without
///   lennard-jones: at the mean spacing);
/// - springs, dashpots and a uniform field that would be 0, and impulses between masses whose sum is infinite;
/// - a typed law that gives a body another force (checks.hpp);
/// - in fp32, a box that has no width once its walls are rounded.
/// And contact with spheres whose radius is below 1e-14 in float32, 1e-149 in float64, or of two bodies that are nearer
/// to each other than 1e-19 and 1e-154, where its normals end, and yet not at one place.
/// Says what is lost, where, and by how much. One pass over the bodies; NaN among them is not its subject.
void check_float_range(const Bodies& bodies, const ForceField& field, Precision precision);

/// Throws ConfigError for two bodies that are so near to each other, and not at one place, that gravity or
/// lennard-jones between them is infinite in fp32: 1.4e-13 apart without softening, with masses and G of 1.
void check_float_neighbours(const Bodies& bodies, const ForceField& field);

/// check_float_range() for a search of overlapping spheres in fp32: squares of their diameters must be normal numbers.
/// In fp64 the search has no such limit (laws/overlap.hpp).
void check_float_spheres(const Bodies& bodies, Precision precision);

/// Coordinates, radii and sigma up to here (1e16 in fp32, 1e148 in fp64) are far enough from the bodies that there are
/// not, which kernels put at beyond() (sim/cuda/kernels/terms.cuh), for every law to be 0 between both.
double device_reach(Precision precision);

/// check_float_range() for the cuda backend, and ConfigError for what is beyond device_reach().
void check_device_range(const Bodies& bodies, const ForceField& field, Precision precision);

// Whether a precision can hold a typed law among the bodies of a scene: not only its values, but all numbers on the
// way to a force.

/// Runs the law's program in that precision and in a wider one, on pairs or triples of some of the bodies with their
/// own distances, masses, radii and charges: the extreme ones of each column, their nearest neighbours, the two
/// nearest of all, and others spread evenly. Says what is lost if the force or acceleration on a body differs by more
/// than 1e-4, beside what the rounding of the bodies' own values costs; forces below 1e-20 of the largest do not count.
/// Empty: nothing is lost. Some milliseconds, and a sort of up to 65,536 bodies. Pure.
std::string typed_law_loss(const Bodies& bodies, const expression::TypedLaw& typed, const Box& box,
                           Precision precision);

// Whether a floating-point type resolves a simulation: its numbers lie ulp(x) apart at x, and positions, radii,
// distances of neighbours and the motion of a step have to be larger than that. A body at 1e6 that moves by 0.01 in a
// step stays where it is in float32, where numbers are 0.06 apart, and no error shows it: energies and momenta are
// those of bodies at rest.

/// What this precision would lose, without a full stop; empty if it holds the simulation. Fast enough for every start:
/// one pass over the bodies, and up to a million of them a sort, for the nearest neighbours. Looks at
/// - typical motion: by the rms speed, or that which gravity, a uniform field or epsilon give, 16 ulp(x) a step;
/// - single bodies: those with a tenth of that speed and more move by 2 ulp(x) a step;
/// - the change of velocity by gravity or a uniform field: 16 ulp(v) a step;
/// - radii under contact: 4096 ulp(x), as overlaps are small parts of them;
/// - distances of neighbours under other laws, or the softening if that is larger: 2048 ulp(x);
/// - in fp32, check_float_values(), check_float_range() and check_float_neighbours().
std::string resolution_loss(const Bodies& bodies, const ForceField& field, double dt, Precision precision);

/// Throws ConfigError for a body outside a periodic box whose place in it, whole sides away, is not known: numbers of
/// this precision are farther apart where it is than a 64th of its radius, of points a ten-thousandth of a side.
void check_images(const Bodies& bodies, const Box& box, bool spheres, Precision precision);

/// Looks for bodies that a run no longer resolves. A few passes over the bodies; not for several threads.
class MotionWatch {
 public:
  /// A sentence about the state after this step, by the same rules for single bodies, radii and distances, and by
  /// check_float_range(): bodies drift away from the origin, or to where a law is lost. Empty if nothing is. A body at
  /// rest in a pile is no loss: speeds count from a tenth of the largest typical one so far.
  std::string look(u64 step, const Bodies& bodies, const ForceField& field, double dt, Precision precision);

  /// Steps until the next look that must not wait for the clock: one is due 16, 32, 64, ... steps after the first step.
  /// In a fast run, two bodies may meet where their motion is lost and separate again between two looks by the clock.
  /// 2^64 - 1 for no bodies, and for more than 4096, for which a look may take longer than many steps.
  u64 steps_to_look(u64 step, u64 first_step, std::size_t bodies) const {
    constexpr u64 kFirst = 16, kFewBodies = 4096;
    if (bodies == 0 || bodies > kFewBodies) return ~u64{0};
    const u64 looked = std::max(looked_step_, first_step) - first_step;
    const u64 next = first_step + std::max(kFirst, 2 * std::bit_floor(looked));
    return next > step ? next - step : 0;
  }

 private:
  double speed_ = 0;
  u64 looked_step_ = 0;
};

// Bodies without mass: gravity moves them, and they move nothing. Other laws cannot move them.

/// Why the laws of the field cannot have these bodies, as a sentence; empty: they can. A force on a body without mass
/// is an infinite acceleration, and no contact can tell which of two such spheres gives way.
std::string massless_refusal(const Bodies& bodies, const ForceField& field);

/// Whether bodies without mass are at one place, and none is at that of a body with mass. By a sort.
bool only_massless_coincide(const Bodies& bodies, Precision precision);

/// Two bodies without mass at one place do not act on each other, but by gravity and by typed laws that weigh masses
/// their term is 0 times infinity. An engine that finds a sum that is not finite asks for this field, with a softening
/// so short that no other pair notices, and evaluates again. Nothing where that would not help, or would hide that a
/// body with mass coincides with another.
std::optional<ForceField> apart(const Bodies& bodies, const ForceField& field, Precision precision);

// The step that the contact law needs, and the warning for a larger one. Springs that are too soft: spheres that press
// into each other, or through a wall, deeper than spheres do.

/// A contact is well resolved if it lasts at least this many steps.
inline constexpr double kStepsPerContact = 50.0;

/// How long two spheres with the linear spring k and dashpot c stay in contact, m_eff = m1 m2 / (m1 + m2) (against a
/// wall: the mass itself): half a period of the damped oscillator, pi / (w0 sqrt(1 - zeta^2)), with w0 = sqrt(k /
/// m_eff) and zeta = c / (2 sqrt(k m_eff)). Overdamped (zeta >= 1) spheres do not separate again; the result is then pi
/// / (w0 (zeta + sqrt(zeta^2 - 1))), the time scale of the faster decay. Requires k > 0, m_eff > 0, c >= 0.
double contact_time(double k, double m_eff, double c = 0.0);

/// Ratio of the velocities after and before a head-on contact: exp(-pi zeta / sqrt(1 - zeta^2)); 0 if overdamped.
double contact_restitution(double k, double m_eff, double c);

/// The shortest time scale of possible contacts in a scene: that of the smallest reduced mass, which is that of the
/// lightest sphere and the lightest other body (with reflecting walls and one body, its own mass). Ignores a weak
/// dashpot: near critical damping a contact lasts long, but its motion is no slower. Ignores massless bodies. Infinity
/// without contact springs.
double shortest_contact(const Bodies& bodies, const ForceField& field);

/// The longest step in which no sphere can pass through another undetected, for contacts by impulse, which are detected
/// at the end of a step: two spheres that approach by less than the distance from touching to coincident centres are
/// still approaching when detected. Uses the two fastest bodies and the smallest sphere with the smallest other body,
/// at the current speeds plus what a uniform field adds over the height of a reflecting box. Infinity for any other
/// law, and at rest.
double longest_impulse_step(const Bodies& bodies, const ForceField& field);

/// Empty if |dt| <= shortest_contact / 50 and |dt| <= longest_impulse_step, else one sentence with the step, the limit
/// and the remedy.
std::string contact_step_warning(const Bodies& bodies, const ForceField& field, double dt);

/// A contact of springs is one of spheres up to an overlap of this part of the smaller radius.
inline constexpr double kDeepOverlap = 0.5;

/// One sentence where the energy with which two of the bodies approach, or one meets a wall, can press the springs
/// deeper than kDeepOverlap of the smaller radius (at a wall: the whole radius); else empty. Between reflecting walls
/// any two may meet, and a uniform field makes them faster on the way down; without walls those whose straight paths
/// meet. Looks at pairs of the bodies with the largest energies. Empty for any other law.
std::string soft_spring_warning(const Bodies& bodies, const ForceField& field);

/// Looks for such overlaps in the states of a run, as often as their speeds ask for.
class OverlapWatch {
 public:
  /// Whether the law has springs.
  static bool wants(const ForceField& field);
  /// The first time that there is one, a sentence with the deepest overlap beyond the limits; else empty.
  std::string look(const Bodies& bodies, const ForceField& field, double time);
  /// Steps until the next look is due; 0: now. Before it, no sphere goes from a touch to a deep overlap and out again.
  u64 steps_to_look(double time, double dt) const noexcept {
    const double steps = (next_ - time) / dt;
    return time >= next_ ? 0 : steps > 1 ? static_cast<u64>(std::min(steps, 0x1p53)) : 1;
  }

  /// The deepest overlap of all states looked at, over the smaller radius of the pair or the radius of a sphere that is
  /// beyond a wall; 0: there was none.
  struct Largest {
    double of_radius = 0, time = 0;
    u64 looks = 0;  ///< the states looked at: those between them may have had deeper ones
  };
  const Largest& largest() const noexcept { return largest_; }

 private:
  bool found_ = false;
  double next_ = 0;
  Largest largest_;
};

}  // namespace tri
