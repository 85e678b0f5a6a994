#pragma once
/// Steps that are computed from accelerations and jerks, on the device: those of the Hermite scheme, and automatic ones
/// of kdk (model/auto_step.hpp). The counterpart of cpu/engine/jerk_steps.hpp. The length of a step follows from a few
/// numbers, so that the host waits for the device after each evaluation, some ten microseconds.

#include <vector>

#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/kernels/bodies/jerk_step.hpp"
#include "sim/cuda/runtime/stream.hpp"
#include "sim/model/auto_step.hpp"
#include "sim/model/bodies.hpp"

namespace tri::cuda {

class JerkSteps final : public StepScheme {
 public:
  /// Moves the bodies in device memory, [n], which must outlive this object. config: complete, its block a tile of
  /// pairs; rest: as Bodies::rest. With `ranks`, which must outlive this object, every rank makes the same calls.
  /// Throws MemoryError, CudaError.
  JerkSteps(const ForceField& field, const EngineConfig& config, u32 n, int device, cudaStream_t stream,
            Vec4<double>* position, Vec4<double>* velocity, const std::vector<double>& rest,
            DeviceRanks* ranks = nullptr);

  /// What the next step is of: kdk or hermite.
  void choose(Integrator integrator);
  /// Of the present state: accelerations, and under hermite jerks. Throws NumericalError with the first bad body.
  MotionArrays present();
  double fall() const;  ///< the largest squared rates of a pair in that state
  double fly() const;
  /// As Bodies::rest.
  std::vector<double> rest() const;
  /// Device time of the last evaluation.
  double force_ms() { return timer_.elapsed_ms(); }

  double first_length(double eta) override;
  Attempt attempt(double h, double eta, bool again) override;
  void accept() override;

 private:
  JerkArrays arrays();
  MotionArrays begin() { return {begin_a_.data(), begin_j_.data()}; }
  MotionArrays end() { return {end_a_.data(), end_j_.data()}; }
  JerkWork work_of(const ForceField& field) const;
  void enqueue_evaluation(const Vec4<double>* position, const Vec4<double>* velocity, const MotionArrays& to);
  /// Evaluates, enqueues what follows, and waits. Throws NumericalError for a state whose accelerations or jerks are
  /// not finite.
  template <class Then>
  StepReport evaluate(const Vec4<double>* position, const Vec4<double>* velocity, const MotionArrays& to,
                      const Then& then);
  Bodies bodies_at(const Vec4<double>* position) const;
  /// As those of CudaEngine.
  bool keep_apart(const Vec4<double>* position);
  void come_together(const Vec4<double>* position);
  [[noreturn]] void fail(u32 body, const Vec4<double>* position);

  ForceField field_;
  std::optional<ForceField> bare_;  ///< the law as given, while field_ is apart()
  EngineConfig config_;
  DeviceRanks* ranks_;
  u32 n_;
  cudaStream_t stream_;
  Vec4<double>*position_, *velocity_;
  DeviceBuffer<Vec4<double>> rest_, trial_position_, trial_velocity_;
  DeviceBuffer<Vec4<double>> begin_a_, begin_j_, end_a_, end_j_, snap_, crackle_;
  DeviceBuffer<StepReport> report_;
  PinnedBuffer<StepReport> seen_;
  SumMemory<double> acceleration_sums_, jerk_sums_;
  u32 slices_;
  JerkWork work_;
  EventTimer timer_;
  PairRates begin_rates_, end_rates_;
  Integrator integrator_ = Integrator::hermite;
  double h_ = 0;        ///< of the attempt
  bool carries_;        ///< whether rest_ holds anything
  bool valid_ = false;  ///< begin() is of the present state
};

/// Device memory that it takes, in bytes.
u64 jerk_steps_bytes(const EngineConfig& config, u64 n);

}  // namespace tri::cuda
