#pragma once
/// Steps of an integrator as segments for the device (kernels/bodies/step.hpp): which forces, kicks and drifts, and
/// where a step ends. Computed on the host, without a device.

#include <vector>

#include "sim/cuda/kernels/bodies/step.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/integrator.hpp"

namespace tri::cuda {

template <class Real>
struct Segment {
  u32 step = 1;          ///< the step, from 1, that these forces belong to and that ends here if one does
  bool combine = false;  ///< evaluate new accelerations first
  KickDrifts<Real> moves = {};
  bool impulses = false;  ///< resolve overlapping pairs last
  double step_size = 0;   ///< of the step, if there are impulses
};

template <class Real>
struct StepPlan {
  std::vector<Segment<Real>> segments;
  u32 steps = 0;
  u32 evaluations = 0;                     ///< of the forces
  bool accelerations_valid_after = false;  ///< whether the accelerations match the state afterwards
};

/// `steps` steps of dt. accelerations_valid: the accelerations match the current state, so that the first kick may use
/// them.
template <class Real>
StepPlan<Real> plan_steps(Integrator integrator, double dt, const ForceField& field, u32 steps,
                          bool accelerations_valid);

/// The walls as springs: only under contact, inactive for any other law.
template <class Real>
laws::WallSprings<Real> spring_walls(const ForceField& field);

/// The parts of a field that act on single bodies.
template <class Real>
BodyField<Real> body_field(const ForceField& field);

}  // namespace tri::cuda
