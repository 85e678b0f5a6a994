#pragma once
/// The engine of the cuda backend, the plan of its steps, and its steps with jerks.
///
/// Steps of an integrator as segments for the device (sim/cuda/kernels/bodies.hpp): which forces, kicks and drifts, and
/// where a step ends. Computed on the host, without a device.

#include <memory>
#include <optional>
#include <vector>

#include "sim/backend/body_engine.hpp"
#include "sim/cuda/engine/contacts.hpp"
#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/kernels/bodies.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
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

/// The parts of a field that act on single bodies.
template <class Real>
BodyField<Real> body_field(const ForceField& field);

// Steps that are computed from accelerations and jerks, on the device: those of the Hermite scheme, and automatic ones
// of kdk (integrator.hpp). The counterpart of sim/cpu/cpu_engine.hpp. The length of a step follows from a few
// numbers, so that the host waits for the device after each evaluation, some ten microseconds.

class JerkSteps final : public JerkScheme {
 public:
  /// Moves the bodies in device memory, [n], which must outlive this object. config: complete, its block a tile of
  /// pairs; rest: as Bodies::rest. With `ranks`, which must outlive this object, every rank makes the same calls.
  /// Throws MemoryError, CudaError.
  JerkSteps(const ForceField& field, const EngineConfig& config, u32 n, int device, cudaStream_t stream,
            Vec4<double>* position, Vec4<double>* velocity, const std::vector<double>& rest,
            DeviceRanks* ranks = nullptr);

  /// Of the present state, once it was evaluated: accelerations, and under hermite jerks.
  MotionArrays motion() { return {begin_a_.data(), begin_j_.data()}; }
  JerkResult result() override;
  std::vector<double> rest() const override;
  double force_ms() override { return evaluated_ ? timer_.elapsed_ms() : 0; }

 private:
  Rates evaluate_present() override;
  Tried try_kdk(double h) override;
  Tried try_hermite(double h, bool again) override;
  void accept_kdk(double h) override;
  void accept_hermite(double h) override;
  JerkArrays arrays();
  MotionArrays end() { return {end_a_.data(), end_j_.data()}; }
  /// Makes tree_ or work_.
  void prepare(const ForceField& field);
  void enqueue_sums(const DeviceState<double>& bodies, const MotionArrays& to);
  void enqueue_evaluation(const Vec4<double>* position, const Vec4<double>* velocity, const MotionArrays& to);
  /// Evaluates, enqueues what follows, and waits. Throws NumericalError for a state whose accelerations or jerks are
  /// not finite.
  template <class Then>
  Tried evaluate(const Vec4<double>* position, const Vec4<double>* velocity, const MotionArrays& to, const Then& then);
  Bodies bodies_at(const Vec4<double>* position) const;
  [[noreturn]] void fail(u32 body, const Vec4<double>* position);

  EngineConfig config_;
  DeviceRanks* ranks_;
  u32 n_;
  int device_;
  cudaStream_t stream_;
  Vec4<double>*position_, *velocity_;
  DeviceBuffer<Vec4<double>> rest_, trial_position_, trial_velocity_;
  DeviceBuffer<Vec4<double>> begin_a_, begin_j_, end_a_, end_j_, snap_, crackle_;
  DeviceBuffer<StepReport> report_;
  PinnedBuffer<StepReport> seen_;
  SumMemory<double> acceleration_sums_, jerk_sums_;
  u32 slices_;
  JerkWork work_;
  std::unique_ptr<PairForces<double>> tree_;  ///< for kdk, which needs no jerks: they are 0
  EventTimer timer_;
  bool evaluated_ = false;  ///< the timer was started
  bool carries_;            ///< whether rest_ holds anything
};

/// Device memory that it takes, in bytes.
u64 jerk_steps_bytes(const EngineConfig& config, u64 n);

// The engine of the cuda backend, in float32 and float64.
//
// The state is in device memory. advance() enqueues steps on the engine's stream in batches of some milliseconds,
// mostly as launches of a CUDA graph of several steps, and checks the fault flag (sim/cuda/kernels/bodies.hpp) once per
// batch; no step waits for the host. Every public call sets the current device of the calling thread.

/// Device memory of an engine of n bodies, in bytes, without the tables of maps.
u64 engine_bytes(u64 n, const ForceField& field, const EngineConfig& config);

template <class Real>
class CudaEngine final : public BodyEngine<Real> {
  using Base = BodyEngine<Real>;
  using typename Base::Forces;
  using typename Base::Timing;
  using typename Base::When;

 public:
  /// bodies and field have passed check(). With `ranks`, which must outlive this object, every rank makes the same
  /// calls and holds the same state; sums over pairs and triples are shared. Throws ConfigError, MemoryError,
  /// CudaError.
  CudaEngine(const Bodies& bodies, const ForceField& field, const EngineConfig& config, int device,
             DeviceRanks* ranks = nullptr);

  std::size_t size() const override { return n_; }
  const EngineConfig& config() const override { return work_.config; }
  MapLimits map_limits(Domain domain) const override;
  void configure(const EngineConfig& config) override;
  void set_field(const ForceField& field) override;
  u64 steps_at_once() const override;
  bool is_whole() const override { return whole_; }
  void make_whole() override;
  Diagnostics diagnose() override;
  Bodies read() const override;
  /// Into host memory, or into memory of this engine's device.
  void publish(InstanceSink& sink) override;
  Timing timing() const override { return timing_; }
  RankShares shares(Domain domain) const override;

 private:
  using Base::accelerations_valid_, Base::jerk_, Base::law_, Base::rest_, Base::timing_;
  using Base::keep_apart, Base::come_together, Base::wall_energy;

  void use_device() const override { TRI_CUDA(cudaSetDevice(device_)); }
  std::unique_ptr<SavedBodies> new_state() const override;
  void copy_state(SavedBodies& to) const override;
  void set_state(const SavedBodies& from) override;
  bool differs_from(const SavedBodies& saved) override;
  std::optional<StateArrays> state_arrays() override;
  void end_borrowing() override;
  void adopt_edits(const Bodies& bodies, const ForceField& given) override;
  bool watched() const override;
  void run_stages(Integrator integrator, double dt, u64 steps) override;
  std::unique_ptr<JerkScheme> make_jerks() override;
  void finish_jerk_step(JerkScheme& steps, u64 step) override;
  void account_jerk_step(JerkScheme& steps, double ms, double force_ms_before) override;
  Forces sum_forces() override;
  u64 pairs_met() override;
  void add_energies(ForceResult& result) override;
  void use_law(const ForceField& field) override;
  [[noreturn]] void throw_force_fault(const char* what, u32 body, const std::string& when, u64 step) override;

  /// Everything that depends on field and configuration; rebuilt as a whole.
  struct Work {
    EngineConfig asked, config;  ///< as requested, and with every 0 replaced
    BodyField<Real> body_field;
    std::unique_ptr<PairForces<Real>> pairs;   ///< gravity, lennard-jones
    std::unique_ptr<Contacts<Real>> contacts;  ///< contact of either kind
    std::unique_ptr<TripleForces<Real>> triples;
    std::unique_ptr<ContactDomains<Real>> domains = nullptr;  ///< in which ranks take steps under contact
    std::unique_ptr<Contacts<Real>> all_contacts = nullptr;   ///< for pictures by one of several ranks, on first use
  };
  /// A sequence of steps that is launched repeatedly.
  struct Recorded {
    Integrator integrator;
    double dt;
    u32 steps;
    bool accelerations_valid;
    u32 array;  ///< of the domains, where the bodies are before it
    StepPlan<Real> plan;
    std::unique_ptr<Graph> graph;  ///< null: the kernels are launched one by one
  };
  /// Work of an earlier configuration, which a viewer that compares maps comes back to.
  struct Kept {
    Work work;
    std::vector<Recorded> recorded;
    bool warm;
  };
  /// Work of the current batch on the stream.
  struct Launched {
    const StepPlan<Real>* plan;
    u32 first_segment;
    u64 steps_before;  ///< within the batch
    u32 array;         ///< as in Recorded
  };

  /// bodies: the current ones, from which a grid takes its extent; used only for contact.
  Work make_work(const ForceField& field, const EngineConfig& config, const Bodies& bodies) const;
  /// This rank's part of it.
  Work make_own_work(const ForceField& field, const EngineConfig& config, const Bodies& bodies) const;
  void take(Work work);
  /// Keeps the current work for a later configure() with what was asked for, if it holds little memory.
  void set_aside();
  /// The work kept for this, if any, becomes the current one.
  bool reuse_setup(const EngineConfig& asked);
  DeviceState<Real> state() const { return {positions_.data(), velocities_.data(), n_, charges_.data()}; }
  /// Of the whole state.
  StepArrays<Real> arrays();
  /// Takes the state to the domains of the ranks, if there are any and it is not there.
  void divide();
  /// The whole state is to change, so that the domains have it no more.
  void gather();

  /// The recording of these steps for the current accelerations_valid_; on the first call a plan without a graph.
  Recorded& recorded(Integrator integrator, double dt, u32 steps);
  /// The next work to enqueue, `most` steps or fewer.
  const Recorded& next_steps(Integrator integrator, double dt, u64 most);
  /// From this segment on, before which the bodies are in this array of the domains, if there are any.
  void enqueue_plan(cudaStream_t stream, const StepPlan<Real>& plan, u32 from, bool captured, u32 array);
  u64 batch_size() const;
  void launch_batch(Integrator integrator, double dt, u64 steps);
  /// Waits for the batch; returns the number of steps done. Throws NumericalError.
  u64 finish_batch(u64 steps, u64 done);
  void reset_fault_flag();
  FaultFlag read_fault_flag() const;
  /// Puts the sums of the pair law in sums_ and of the triple law in triple_sums_. fault_flag and segment are used only
  /// for contacts.
  void enqueue_sums(cudaStream_t stream, FaultFlag* fault_flag, u32 segment, unsigned flags);
  /// Finds all contacts of the current state, growing the list as necessary.
  void search_contacts();
  PairEnergy pair_energy();
  /// Every rank learns what each took for its tiles.
  void gather_times();
  PairEnergy triple_energy();
  /// Resumes a plan that the fault flag stopped and runs it to its end, with a longer list of contacts if the list was
  /// full. Throws NumericalError for any other fault.
  void finish_plan(const StepPlan<Real>& plan, u32 segment, Fault fault, u32 body, u64 steps_before, u32 array);
  /// Makes room for what a segment found no room for; then it can be enqueued again.
  void make_room();
  /// As LawSums::left_range(), of the contacts of all ranks.
  bool contacts_left_range();
  [[noreturn]] void throw_fault(Fault fault, u32 body, u64 step);
  /// The first body whose floating-point sums are not finite, if any.
  std::optional<u32> first_bad_in_fast_sums();
  /// Wraps every position into the box of work_.field if it is periodic. Synchronizes.
  void wrap_positions();
  /// The scalar to publish in place of the mass, device memory; null: the mass.
  const float* scalar(InstanceScalar scalar);
  void account_publish();

  int device_;
  DeviceRanks* ranks_;  ///< null: alone
  u32 n_;
  Stream stream_;
  DeviceBuffer<Vec4<Real>> positions_, velocities_, sums_, acceleration_;
  DeviceBuffer<Real> charges_;            ///< empty without charges; no step changes them
  DeviceBuffer<Vec4<Real>> triple_sums_;  ///< empty without a triple law
  DeviceBuffer<FaultFlag> fault_flag_;
  DeviceBuffer<double> body_sums_;  ///< [kBodySums], followed by scratch
  DeviceBuffer<Instance> instances_;
  PinnedBuffer<Instance> published_;
  Bodies passive_;                               ///< see passive_columns()
  DeviceBuffer<float> groups_, contact_counts_;  ///< [n], allocated on first use
  mutable PinnedBuffer<FaultFlag> seen_;
  bool on_a_line_;  ///< the bodies at first
  EventTimer force_timer_, triple_timer_, batch_timer_, publish_timer_;
  EventClock event_clock_;
  Event sink_free_, sink_written_;  ///< order of the own stream and that of a sink
  bool publishing_ = false;         ///< publish_timer_ holds a time that nobody has read
  Work work_;
  std::vector<Recorded> recorded_;  ///< the most recent, for the current work_
  std::vector<Kept> kept_;          ///< for the current field, the latest last
  std::vector<Launched> launched_;
  bool whole_ = true;     ///< whether the arrays above have the state
  bool divided_ = false;  ///< whether the domains of work_ have it
  u32 array_ = 0;         ///< in this array of theirs
  bool warm_ = false;     ///< whether the kernels of work_ have run, so that they can be captured
  u32 next_segment_ = 0;  ///< the fault flag's base after all enqueued work
  u64 last_batch_ = 0;    ///< steps; 0: step time unknown
  double step_ms_ = 0;
};

extern template class CudaEngine<float>;
extern template class CudaEngine<double>;

}  // namespace tri::cuda
