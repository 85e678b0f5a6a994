#pragma once
/// The engine of the cuda backend, in float32 and float64.
///
/// The state lives in device memory. advance() puts steps on the engine's stream in batches of some milliseconds, most
/// of them as launches of a CUDA graph of several steps, and looks at the fault flag (kernels/step.hpp) once a batch;
/// no step waits for the host. Every public call sets the current device of the calling thread.

#include <memory>
#include <optional>

#include "sim/backend/engine.hpp"
#include "sim/cuda/engine/contacts.hpp"
#include "sim/cuda/engine/cuda_engine_plan.hpp"
#include "sim/cuda/engine/pair_forces.hpp"
#include "sim/cuda/engine/triple_forces.hpp"
#include "sim/cuda/kernels/bodies/diagnose.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/graph.hpp"
#include "sim/cuda/runtime/pinned_buffer.hpp"
#include "sim/cuda/runtime/stream.hpp"

namespace tri::cuda {

/// Whether this backend has engines for the field; if not, the reason.
Availability engine_serves(const ForceField& field);

/// Device memory that an engine of n bodies takes, in bytes; tables of maps not counted.
u64 engine_bytes(u64 n, const ForceField& field, const EngineConfig& config);

template <class Real>
class CudaEngine final : public Engine {
 public:
  /// bodies and field have passed check(). Throws ConfigError, MemoryError, CudaError.
  CudaEngine(const Bodies& bodies, const ForceField& field, const EngineConfig& config, int device);

  std::size_t size() const override { return n_; }
  const EngineConfig& config() const override { return work_.config; }
  void configure(const EngineConfig& config) override;
  void set_field(const ForceField& field) override;
  void advance(Integrator integrator, double dt, u64 steps) override;
  u64 steps_at_once() const override;
  Diagnostics diagnose() override;
  ForceResult forces() override;
  Bodies read() const override;
  /// Into host memory, or into device memory of this engine's card.
  void publish(InstanceSink& sink) override;
  u64 state_hash() const override;
  Timing timing() const override { return timing_; }

 private:
  /// All that depends on field and configuration, made anew as a whole.
  struct Work {
    ForceField field;
    EngineConfig asked, config;  ///< with and without 0 = the backend's choice
    BodyField<Real> body_field;
    std::unique_ptr<PairForces<Real>> pairs;   ///< gravity, lennard-jones
    std::unique_ptr<Contacts<Real>> contacts;  ///< contact of either kind
    std::unique_ptr<TripleForces<Real>> triples;
  };
  /// Steps on the way to the device again and again.
  struct Recorded {
    Integrator integrator;
    double dt;
    u32 steps;
    bool accelerations_valid;
    StepPlan<Real> plan;
    std::unique_ptr<Graph> graph;  ///< none: enqueued one by one
  };
  /// What a batch has put on the stream.
  struct Launched {
    const StepPlan<Real>* plan;
    u32 first_segment;
    u64 steps_before;  ///< within the batch
  };

  void use_device() const { TRI_CUDA(cudaSetDevice(device_)); }
  /// bodies: the present ones, which a grid is cut by; only contact looks at them.
  Work make_work(const ForceField& field, const EngineConfig& config, const Bodies& bodies) const;
  void take(Work work);
  DeviceState<Real> state() const { return {positions_.data(), velocities_.data(), n_}; }
  StepArrays<Real> arrays();

  /// Of these steps from the present accelerations_valid_ on; planned at the first call, without a graph.
  Recorded& recorded(Integrator integrator, double dt, u32 steps);
  /// What comes next on the stream, `most` steps or fewer.
  const Recorded& next_steps(Integrator integrator, double dt, u64 most);
  void enqueue_plan(cudaStream_t stream, const StepPlan<Real>& plan, u32 from, bool captured);
  u64 batch_size() const;
  void launch_batch(Integrator integrator, double dt, u64 steps);
  /// Waits for the batch; returns how many of its steps are done. Throws NumericalError.
  u64 finish_batch(u64 steps, u64 done);
  void reset_fault_flag();
  FaultFlag read_fault_flag() const;
  /// The sums of the pair law in sums_, of the triple law in triple_sums_. Segments count for contacts, which need a
  /// fault flag for them.
  void enqueue_sums(cudaStream_t stream, FaultFlag* fault_flag, u32 segment);
  /// Contacts of the present state, found with a list that holds them all.
  void search_contacts();
  PairEnergy pair_energy();
  double triple_energy();
  /// Goes on where the fault flag stopped a plan: with a longer list of contacts if that is what stopped it, up to the
  /// plan's end. Throws NumericalError for anything else.
  void finish_plan(const StepPlan<Real>& plan, u32 segment, Fault fault, u32 body, u64 steps_before);
  [[noreturn]] void throw_fault(Fault fault, u32 body, u64 step);
  /// Throws for sums that are not finite in the present state; `body` is the first.
  [[noreturn]] void throw_force_fault(const char* what, u32 body, const std::string& when, u64 step);
  /// The first body whose sums are not finite in floating point; nothing when all are.
  std::optional<u32> first_bad_in_fast_sums();
  /// Takes every position into the box of work_.field where that is periodic. Waits.
  void wrap_positions();
  /// What stands for the mass in a publishing, device memory; null: the mass itself.
  const float* scalar(InstanceScalar scalar);
  void download_state(std::vector<Vec4<Real>>& position, std::vector<Vec4<Real>>& velocity) const;

  int device_;
  u32 n_;
  Stream stream_;
  DeviceBuffer<Vec4<Real>> positions_, velocities_, sums_, acceleration_;
  DeviceBuffer<Vec4<Real>> triple_sums_;  ///< none without a triple law
  DeviceBuffer<FaultFlag> fault_flag_;
  DeviceBuffer<double> body_sums_;  ///< [kBodySums], and scratch behind them
  DeviceBuffer<Instance> instances_;
  PinnedBuffer<Instance> published_;
  std::vector<std::uint16_t> group_;             ///< as given: of no meaning here
  DeviceBuffer<float> groups_, contact_counts_;  ///< [n] once they were asked for
  mutable PinnedBuffer<FaultFlag> seen_;
  EventTimer force_timer_, batch_timer_, publish_timer_;
  Work work_;
  std::vector<Recorded> recorded_;  ///< the last few; of the present work_
  std::vector<Launched> launched_;
  bool accelerations_valid_ = false;  ///< whether the accelerations belong to the state
  bool warm_ = false;                 ///< whether the kernels of work_ have run, so that they may be captured
  u32 next_segment_ = 0;              ///< the fault flag's base once the stream is through
  u64 last_batch_ = 0;                ///< steps; 0: unknown how long one takes
  double step_ms_ = 0;
  Timing timing_;
};

extern template class CudaEngine<float>;
extern template class CudaEngine<double>;

}  // namespace tri::cuda
