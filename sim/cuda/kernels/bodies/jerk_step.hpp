#pragma once
/// One body's part of steps from accelerations and jerks, in float64 (laws/hermite_step.hpp, model/auto_step.hpp). All
/// functions only enqueue; thread i handles body i.

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/pairs/jerk_tiles.hpp"

namespace tri::cuda {

/// Accelerations and jerks of one state, [n] each.
struct MotionArrays {
  Vec4<double>* a;
  Vec4<double>* j;
};

/// Device memory of a step, [n] each.
struct JerkArrays {
  Vec4<double>* position;  ///< x, y, z, m
  Vec4<double>* velocity;  ///< vx, vy, vz, r
  Vec4<double>* rest;      ///< of the positions; null: none
  Vec4<double>* trial_position;
  Vec4<double>* trial_velocity;
  MotionArrays begin, end;
  Vec4<double>* snap;     ///< at the begin of the step
  Vec4<double>* crackle;  ///< over the step
  u32 n;
};

/// What the host learns of an evaluation and an attempt, in device memory. Reset by enqueue_reset().
struct StepReport {
  PairRates rates;
  unsigned long long begin2, end2;  ///< bits of the smallest laws::aarseth_step2() at both ends; all ones: none yet
  u32 bad;                          ///< the first body whose acceleration or jerk is not finite; all ones: none
};

void enqueue_reset(cudaStream_t stream, StepReport* report);
/// Adds the uniform field to the accelerations, and finds the first bad body.
void enqueue_complete(cudaStream_t stream, const MotionArrays& motion, const double (&uniform)[3], u32 n,
                      StepReport* report);

/// hermite: the trial state after h by the Taylor series; snap and crackle are known (again) or not.
void enqueue_predict(cudaStream_t stream, const JerkArrays& arrays, double h, bool again);
/// hermite: snap and crackle from both ends, and the smallest steps there.
void enqueue_interpolate(cudaStream_t stream, const JerkArrays& arrays, double h, StepReport* report);
/// hermite: the corrected state.
void enqueue_correct(cudaStream_t stream, const JerkArrays& arrays, double h);

/// kdk: the trial positions after half a kick and the drift; and the whole step.
void enqueue_drift(cudaStream_t stream, const JerkArrays& arrays, double h);
void enqueue_kicks(cudaStream_t stream, const JerkArrays& arrays, double h);

}  // namespace tri::cuda
