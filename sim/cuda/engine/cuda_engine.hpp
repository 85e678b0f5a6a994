#pragma once
/// The engine of the cuda backend, the plan of its steps, and its steps with jerks.
///
/// Steps of an integrator as segments for the device (sim/cuda/kernels/bodies.hpp): which forces, kicks and drifts, and
/// where a step ends. Computed on the host, without a device.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/backend/engine.hpp"
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

/// The walls as springs: only under contact, inactive for any other law.
template <class Real>
laws::WallSprings<Real> spring_walls(const ForceField& field);

/// The parts of a field that act on single bodies.
template <class Real>
BodyField<Real> body_field(const ForceField& field);

// Steps that are computed from accelerations and jerks, on the device: those of the Hermite scheme, and automatic ones
// of kdk (integrator.hpp). The counterpart of sim/cpu/cpu_engine.hpp. The length of a step follows from a few
// numbers, so that the host waits for the device after each evaluation, some ten microseconds.

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

// The engine of the cuda backend, in float32 and float64.
//
// The state is in device memory. advance() enqueues steps on the engine's stream in batches of some milliseconds,
// mostly as launches of a CUDA graph of several steps, and checks the fault flag (sim/cuda/kernels/bodies.hpp) once per
// batch; no step waits for the host. Every public call sets the current device of the calling thread.

/// Device memory of an engine of n bodies, in bytes, without the tables of maps.
u64 engine_bytes(u64 n, const ForceField& field, const EngineConfig& config);

template <class Real>
class CudaEngine final : public Engine {
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
  void advance(Integrator integrator, double dt, u64 steps) override;
  StepTaken advance_auto(Integrator integrator, const AutoStep& step) override;
  u64 steps_at_once() const override;
  bool is_whole() const override { return whole_; }
  void make_whole() override;
  Diagnostics diagnose() override;
  ForceResult forces() override;
  JerkResult jerks() override;
  Bodies read() const override;
  std::unique_ptr<SavedState> save_state(std::unique_ptr<SavedState> reuse) const override;
  void restore_state(const SavedState& kept) override;
  StateArrays borrow() override;
  bool return_borrowed(bool discard) override;
  /// Into host memory, or into memory of this engine's device.
  void publish(InstanceSink& sink) override;
  u64 state_hash() const override;
  Timing timing() const override { return timing_; }
  RankShares shares(Domain domain) const override;

 private:
  /// Everything that depends on field and configuration; rebuilt as a whole.
  struct Work {
    ForceField field;
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

  void use_device() const { TRI_CUDA(cudaSetDevice(device_)); }
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

  /// Calls take(), whose steps a progress sink may end; the state is then the one before them.
  void run_or_restore(const std::function<void()>& take);
  /// Whether a progress sink watches the sums of a step on their way.
  bool watched() const;
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
  /// Throws for sums that are not finite in the current state; `body` is the first.
  [[noreturn]] void throw_force_fault(const char* what, u32 body, const std::string& when, u64 step);
  /// The first body whose floating-point sums are not finite, if any.
  std::optional<u32> first_bad_in_fast_sums();
  /// Wraps every position into the box of work_.field if it is periodic. Synchronizes.
  void wrap_positions();
  /// The scalar to publish in place of the mass, device memory; null: the mass.
  const float* scalar(InstanceScalar scalar);
  /// Steps from jerks. Throws ConfigError where this scheme does not fit.
  JerkSteps& jerk_steps(Integrator integrator, double eta);
  /// Ends jerk_, but not what the positions carry.
  void keep_rest();
  void advance_hermite(double dt, u64 steps);
  void advance_by_stages(Integrator integrator, double dt, u64 steps);
  /// Calls take() and accounts for it.
  template <class Take>
  void run_jerk_step(JerkSteps& steps, u64 step, const Take& take);
  void account_publish();
  void apply_edits();
  /// After sums that are not finite: computes with apart() from now on, if that helps; whether it does. Of all ranks.
  bool keep_apart();
  /// Back to the law as given, unless bodies without mass are still at one place.
  void come_together();
  void download_state(std::vector<Vec4<Real>>& position, std::vector<Vec4<Real>>& velocity) const;

  int device_;
  DeviceRanks* ranks_;  ///< null: alone
  u32 n_;
  Stream stream_;
  DeviceBuffer<Vec4<Real>> positions_, velocities_, sums_, acceleration_;
  DeviceBuffer<Real> charges_;                                     ///< empty without charges; no step changes them
  DeviceBuffer<Vec4<Real>> triple_sums_;                           ///< empty without a triple law
  DeviceBuffer<Vec4<Real>> positions_before_, velocities_before_;  ///< of run_or_restore(), allocated on first use
  DeviceBuffer<FaultFlag> fault_flag_;
  DeviceBuffer<double> body_sums_;  ///< [kBodySums], followed by scratch
  DeviceBuffer<Instance> instances_;
  PinnedBuffer<Instance> published_;
  std::vector<std::uint16_t> group_;             ///< as given; unused by the engine
  std::vector<u8> species_;                      ///< likewise
  DeviceBuffer<float> groups_, contact_counts_;  ///< [n], allocated on first use
  mutable PinnedBuffer<FaultFlag> seen_;
  bool on_a_line_;  ///< the bodies at first
  EventTimer force_timer_, triple_timer_, batch_timer_, publish_timer_;
  EventClock event_clock_;
  Event sink_free_, sink_written_;  ///< order of the own stream and that of a sink
  bool publishing_ = false;         ///< publish_timer_ holds a time that nobody has read
  Work work_;
  std::optional<ForceField> bare_;  ///< the law as given, while that of work_ is apart()
  std::vector<Recorded> recorded_;  ///< the most recent, for the current work_
  std::vector<Kept> kept_;          ///< for the current field, the latest last
  std::vector<Launched> launched_;
  std::unique_ptr<SavedState> lent_;  ///< the state as it was at borrow()
  std::vector<double> rest_;          ///< as given, until jerk_ carries it on
  std::unique_ptr<JerkSteps> jerk_;   ///< from the first step that needs it; other steps end it
  bool whole_ = true;                 ///< whether the arrays above have the state
  bool divided_ = false;              ///< whether the domains of work_ have it
  u32 array_ = 0;                     ///< in this array of theirs
  bool accelerations_valid_ = false;  ///< whether the accelerations match the state
  bool warm_ = false;                 ///< whether the kernels of work_ have run, so that they can be captured
  u32 next_segment_ = 0;              ///< the fault flag's base after all enqueued work
  u64 last_batch_ = 0;                ///< steps; 0: step time unknown
  double step_ms_ = 0;
  Timing timing_;
};

extern template class CudaEngine<float>;
extern template class CudaEngine<double>;

}  // namespace tri::cuda
