#pragma once
/// Steps of an integrator as segments for the device (kernels/step.hpp): which forces, kicks and drifts, and where a
/// step ends. Made on the host, without a device.

#include <vector>

#include "sim/cuda/kernels/bodies/step.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/integrator.hpp"

namespace tri::cuda {

template <class Real>
struct Segment {
  u32 step = 1;          ///< the step, from 1, whose forces these are, and whose end lies here if one does
  bool combine = false;  ///< new accelerations at its beginning
  KickDrifts<Real> moves = {};
  bool impulses = false;  ///< overlapping pairs are resolved at its end
  double step_size = 0;   ///< of the step, where there are impulses
};

template <class Real>
struct StepPlan {
  std::vector<Segment<Real>> segments;
  u32 steps = 0;
  u32 evaluations = 0;                     ///< of the forces
  bool accelerations_valid_after = false;  ///< whether the accelerations then belong to the state
};

/// `steps` steps of dt. accelerations_valid: the accelerations belong to the present state, and the first kick may use
/// them.
template <class Real>
StepPlan<Real> plan_steps(Integrator integrator, double dt, const ForceField& field, u32 steps,
                          bool accelerations_valid);

/// The walls as springs: contact's alone, inactive for any other law.
template <class Real>
laws::WallSprings<Real> spring_walls(const ForceField& field);

/// The parts of a field that act on bodies alone.
template <class Real>
BodyField<Real> body_field(const ForceField& field);

}  // namespace tri::cuda
