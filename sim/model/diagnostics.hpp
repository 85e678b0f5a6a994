#pragma once
/// Diagnostics, and faults that are not numbers.
///
/// Conserved and derived quantities of a state, always summed in float64.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

struct Diagnostics {
  double kinetic = 0;                        ///< sum m v^2 / 2
  double potential = 0;                      ///< pair and triple laws, walls' springs, uniform field
  double virial = 0;                         ///< sum over bodies r.F of the pair and triple laws
  std::array<double, 3> momentum{};          ///< sum m v
  std::array<double, 3> angular_momentum{};  ///< sum m r x v, about the origin
  std::array<double, 3> centre{};            ///< centre of mass
  double mass = 0;
  double triple_potential = 0;  ///< the contribution of triples to `potential`

  double energy() const { return kinetic + potential; }
  /// -2K / sum r.F, which for gravity without softening is 2K / |U|; 1 in virial equilibrium, below 0 where forces push
  /// apart, 0 without forces.
  double virial_ratio() const;
};

/// The diagnostics of a state at one step of a run.
struct DiagnosticsRow {
  u64 step = 0;
  double time = 0;
  Diagnostics values;
  /// (E - E0) / |E0|, E0 the energy at step 0, or at the last change by hand. If E0 is only the rounding error of K0 +
  /// U0, relative to K0 + |U0| instead; absolute if both are 0.
  double energy_error = 0;
  double dt = 0;  ///< length of the last step, where it is automatic; else 0
};

/// Fills all members that do not need pairs (kinetic, momenta, centre, mass, uniform field).
Diagnostics one_body_diagnostics(const Bodies& bodies, const ForceField& field);

// Messages for numbers that are not finite, the same on every backend.

/// The first body that is at the place of another, and that one.
std::optional<std::pair<u32, u32>> first_coincident(const Bodies& bodies);

/// For a force or acceleration. Names the first body that coincides with another, if there is one (every third body's
/// triples with the two are bad as well), else `first_bad`. `what`: "an acceleration", which is of a run, or "a force";
/// `when` is appended and may be empty. bodies: the state in which the fault occurred, with exact values.
std::string force_fault(const Bodies& bodies, const ForceField& field, Precision precision, std::string_view what,
                        u32 first_bad, const std::string& when);

/// For a sum over the bodies, such as the potential energy: it can leave the range of float64 before positions do, or
/// the domain of a typed law, where forces may have values.
std::string sum_fault(const char* what, double value, const ForceField& field);
/// Throws NumericalError for a quantity that is not finite.
void check_finite(const DiagnosticsRow& row, const ForceField& field);

/// For a position or velocity at the end of a step (its number within the call).
std::string state_fault(u32 body, u64 step, Precision precision);

}  // namespace tri
