// The engine of the cuda backend: saved states, domains, batches of steps, faults.
//
// States that an engine keeps in device memory, to be brought back; and its own, for others to read and write.

#include "sim/cuda/engine/cuda_engine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "sim/backend/engine.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/cuda/engine/device_range.hpp"
#include "sim/cuda/kernels/bodies.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/model/checks.hpp"
#include "sim/model/diagnostics.hpp"

namespace tri::cuda {
namespace {

/// All that the next step depends on, and the accelerations that are published with it.
template <class Real>
struct StateOnDevice final : SavedState {
  explicit StateOnDevice(u32 n) : positions(n), velocities(n), acceleration(n) {}
  DeviceBuffer<Vec4<Real>> positions, velocities, acceleration;
  std::vector<double> rest;
  u64 bytes() const override { return 3 * positions.bytes() + rest.size() * sizeof(double); }
};

template <class Real>
void copy_on_device(DeviceBuffer<Vec4<Real>>& to, const DeviceBuffer<Vec4<Real>>& from, cudaStream_t stream) {
  TRI_EXPECTS(to.size() == from.size());
  TRI_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream));
}

}  // namespace

template <class Real>
std::unique_ptr<SavedState> CudaEngine<Real>::save_state(std::unique_ptr<SavedState> reuse) const {
  use_device();
  TRI_EXPECTS(whole_);
  if (!reuse) {
    require_device_memory(3 * positions_.bytes(), "a keyframe", "Use fewer bodies");
    reuse = std::make_unique<StateOnDevice<Real>>(n_);
  }
  auto* to = dynamic_cast<StateOnDevice<Real>*>(reuse.get());
  TRI_EXPECTS(to != nullptr);
  copy_on_device(to->positions, positions_, stream_);
  copy_on_device(to->velocities, velocities_, stream_);
  copy_on_device(to->acceleration, acceleration_, stream_);
  to->rest = jerk_ ? jerk_->rest() : rest_;
  stream_.synchronize();  // so that its cost is known
  return reuse;
}

template <class Real>
void CudaEngine<Real>::restore_state(const SavedState& kept) {
  use_device();
  const auto* from = dynamic_cast<const StateOnDevice<Real>*>(&kept);
  TRI_EXPECTS(from != nullptr);
  jerk_.reset();
  whole_ = true, divided_ = false;
  copy_on_device(positions_, from->positions, stream_);
  copy_on_device(velocities_, from->velocities, stream_);
  copy_on_device(acceleration_, from->acceleration, stream_);
  rest_ = from->rest;
  stream_.synchronize();
  accelerations_valid_ = false;
}

template <class Real>
StateArrays CudaEngine<Real>::borrow() {
  if (ranks_ != nullptr) return Engine::borrow();
  lent_ = save_state(std::move(lent_));
  const auto numbers = [](DeviceBuffer<Vec4<Real>>& of) { return reinterpret_cast<Real*>(of.data()); };
  Real* const position = numbers(positions_);
  Real* const velocity = numbers(velocities_);
  return {position, velocity, position + 3, velocity + 3, 4, 1, device_};
}

template <class Real>
bool CudaEngine<Real>::return_borrowed(bool discard) {
  TRI_EXPECTS(lent_ != nullptr);
  use_device();
  {
    const std::unique_lock alone(capture_mutex());
    TRI_CUDA(cudaDeviceSynchronize());  // others have streams of their own
  }
  const std::unique_ptr<SavedState> before = std::move(lent_);
  if (discard) return restore_state(*before), false;
  const auto& kept = dynamic_cast<const StateOnDevice<Real>&>(*before);
  DeviceBuffer<u32> differ(1);
  differ.fill_bytes(0, stream_);
  enqueue_compare(stream_, positions_.data(), kept.positions.data(), positions_.bytes(), differ.data());
  enqueue_compare(stream_, velocities_.data(), kept.velocities.data(), velocities_.bytes(), differ.data());
  if (differ.download(stream_)[0] == 0) return false;
  try {
    apply_edits();
  } catch (...) {
    restore_state(*before);
    throw;
  }
  return true;
}

/// Makes anew what follows from the state.
template <class Real>
void CudaEngine<Real>::apply_edits() {
  const Bodies bodies = read();
  check(bodies);
  check_float_values(bodies, work_.config.precision);
  if (const std::string why = massless_refusal(bodies, work_.field); !why.empty()) throw ConfigError(why);
  check_device_range(bodies, work_.field, work_.config.precision);
  jerk_.reset(), rest_.clear();
  const bool line = on_a_line(bodies);
  // Radii may have changed, and with them what a grid and a box permit.
  const ForceField field = bare_ ? *bare_ : work_.field;
  if (std::exchange(on_a_line_, line) != line || work_.contacts || bare_) set_field(field);
  wrap_positions();
  accelerations_valid_ = false;
}

template <class Real>
bool CudaEngine<Real>::keep_apart() {
  if (bare_ || !sums_are_accelerations(work_.field)) return false;
  const Bodies bodies = read();
  const std::optional<ForceField> softened = apart(bodies, work_.field, work_.config.precision);
  if (!softened) return false;
  Work work = make_work(*softened, work_.asked, bodies);
  bare_ = work_.field;
  kept_.clear();
  take(std::move(work));
  if (work_.pairs) work_.pairs->keep_sorted(stream_, state(), 1);
  return true;
}

template <class Real>
void CudaEngine<Real>::come_together() {
  if (!bare_) return;
  const Bodies bodies = read();
  if (only_massless_coincide(bodies, work_.config.precision)) return;
  Work work = make_work(*bare_, work_.asked, bodies);
  bare_.reset();
  kept_.clear();
  take(std::move(work));
}

// Steps in which each of several ranks moves some of the bodies, and the whole state around them.

template <class Real>
void CudaEngine<Real>::divide() {
  if (!work_.domains || divided_) return;
  TRI_EXPECTS(whole_);
  work_.domains->divide(stream_, arrays());
  divided_ = true;
  array_ = 0;
  recorded_.clear(), warm_ = false;
}

template <class Real>
void CudaEngine<Real>::make_whole() {
  if (whole_) return;
  use_device();
  work_.domains->gather(stream_, array_, arrays());
  whole_ = true;
}

template <class Real>
void CudaEngine<Real>::gather() {
  make_whole();
  divided_ = false;
}

template <class Real>
void CudaEngine<Real>::make_room() {
  if (divided_) {
    work_.domains->note_lack(stream_);
    gather();
    divide();
  } else {
    work_.contacts->grow(stream_);
  }
  recorded_.clear();
}

template <class Real>
bool CudaEngine<Real>::contacts_left_range() {
  if (!work_.contacts) return false;
  const bool whole = work_.contacts->left_range(stream_);
  const bool own = work_.domains && work_.domains->left_range(stream_);
  return ranks_ != nullptr ? ranks_->largest(whole || own ? 1 : 0) != 0 : whole;
}

// Steps of the Hermite scheme and of automatic length.

namespace {

constexpr double kEvaluations = 3;  ///< of a step that is tried twice and corrected

}  // namespace

template <class Real>
JerkSteps& CudaEngine<Real>::jerk_steps(Integrator integrator, double eta) {
  const std::string refusal = scheme_refusal(work_.field, integrator, eta, work_.config.precision);
  if (!refusal.empty()) throw ConfigError(refusal);
  gather();
  if constexpr (std::is_same_v<Real, double>) {
    const auto make = [&] {
      jerk_ = std::make_unique<JerkSteps>(bare_ ? *bare_ : work_.field, work_.config, n_, device_, stream_,
                                          positions_.data(), velocities_.data(), rest_, ranks_);
    };
    if (!jerk_) ranks_ != nullptr ? ranks_->all_or_none(make) : make();
    jerk_->choose(integrator);
  }
  return *jerk_;
}

template <class Real>
void CudaEngine<Real>::keep_rest() {
  if (jerk_) rest_ = jerk_->rest();
  jerk_.reset();
}

template <class Real>
template <class Take>
void CudaEngine<Real>::run_jerk_step(JerkSteps& steps, u64 step, const Take& take) {
  const Stopwatch watch;
  accelerations_valid_ = false;
  try {
    take();
    if constexpr (std::is_same_v<Real, double>) {
      TRI_CUDA(cudaMemcpyAsync(acceleration_.data(), steps.present().a, acceleration_.bytes(), cudaMemcpyDeviceToDevice,
                               stream_));
    }
  } catch (const NumericalError& error) {
    throw NumericalError(error.what(), step);
  }
  timing_.force = steps.force_ms();
  timing_.force_when = timing_.steps_when = {};  // many launches, which the host waits for one by one
  timing_.integrate = std::max(0.0, watch.ms() - kEvaluations * timing_.force);
}

template <class Real>
void CudaEngine<Real>::advance_hermite(double dt, u64 steps) {
  JerkSteps& jerks = jerk_steps(Integrator::hermite, 0);
  for (u64 step = 1; step <= steps; ++step) run_jerk_step(jerks, step, [&] { advance_step(jerks, dt); });
}

template <class Real>
StepTaken CudaEngine<Real>::advance_auto(Integrator integrator, const AutoStep& step) {
  TRI_EXPECTS(step.eta > 0);
  use_device();
  StepTaken taken;
  run_or_restore([&] {
    JerkSteps& jerks = jerk_steps(integrator, step.eta);
    run_jerk_step(jerks, 1, [&] { taken = advance_step(jerks, step); });
  });
  return taken;
}

template <class Real>
JerkResult CudaEngine<Real>::jerks() {
  use_device();
  JerkSteps& steps = jerk_steps(Integrator::hermite, 0);
  const MotionArrays motion = steps.present();
  JerkResult result;
  const auto columns = [&](const Vec4<double>* from, std::vector<double>& x, std::vector<double>& y,
                           std::vector<double>& z) {
    std::vector<Vec4<double>> values(n_);
    TRI_CUDA(cudaMemcpyAsync(values.data(), from, n_ * sizeof(Vec4<double>), cudaMemcpyDeviceToHost, stream_));
    stream_.synchronize();
    for (const Vec4<double>& v : values) x.push_back(v.x), y.push_back(v.y), z.push_back(v.z);
  };
  columns(motion.a, result.ax, result.ay, result.az);
  columns(motion.j, result.jx, result.jy, result.jz);
  result.fall = steps.fall(), result.fly = steps.fly();
  return result;
}

// Steps that a progress sink may end: whole, or not at all.

template <class Real>
bool CudaEngine<Real>::watched() const {
  if (!progress_is_wanted()) return false;
  return (work_.pairs && work_.pairs->in_slices()) || (work_.contacts && work_.contacts->in_slices()) ||
         (work_.triples && work_.triples->in_slices());
}

template <class Real>
void CudaEngine<Real>::run_or_restore(const std::function<void()>& take) {
  if (!watched()) return take();
  const auto copy = [this](const DeviceBuffer<Vec4<Real>>& from, DeviceBuffer<Vec4<Real>>& to) {
    if (to.size() == 0) to = DeviceBuffer<Vec4<Real>>(n_);
    TRI_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream_));
  };
  copy(positions_, positions_before_), copy(velocities_, velocities_before_);
  const std::vector<double> rest = jerk_ ? jerk_->rest() : rest_;
  try {
    take();
  } catch (const InterruptedError&) {
    copy(positions_before_, positions_), copy(velocities_before_, velocities_);
    jerk_.reset();
    rest_ = rest;
    accelerations_valid_ = false;
    reset_fault_flag();  // of the part that was done; waits for it
    throw;
  }
}

// A state on the device and its steps: plans, graphs, batches, and error handling when the fault flag is set.

namespace {

/// Steps per graph: launching a graph costs the host a few microseconds, longer than a step of few bodies.
constexpr u32 kGraphSteps = 16;
/// Bodies from which a step is long enough to be launched alone.
constexpr u32 kLongStepBodies = 32768;
/// Graphs kept: a viewer alternates between step lengths.
constexpr std::size_t kMaxRecorded = 8;
/// Time between checks of the fault flag: it bounds the work lost to a fault.
constexpr double kBatchMs = 20.0;
/// Steps per call, for drivers that must react between calls.
constexpr double kReactionMs = 5.0;
constexpr u64 kMaxBatch = 1u << 16;

}  // namespace

template <class Real>
StepArrays<Real> CudaEngine<Real>::arrays() {
  return {positions_.data(),  velocities_.data(), sums_.data(), acceleration_.data(), fault_flag_.data(), n_,
          triple_sums_.data()};
}

template <class Real>
void CudaEngine<Real>::reset_fault_flag() {
  *seen_.data() = FaultFlag{};
  TRI_CUDA(cudaMemcpyAsync(fault_flag_.data(), seen_.data(), sizeof(FaultFlag), cudaMemcpyHostToDevice, stream_));
  stream_.synchronize();
  next_segment_ = 0;
}

template <class Real>
FaultFlag CudaEngine<Real>::read_fault_flag() const {
  TRI_CUDA(cudaMemcpyAsync(seen_.data(), fault_flag_.data(), sizeof(FaultFlag), cudaMemcpyDeviceToHost, stream_));
  stream_.synchronize();
  return *seen_.data();
}

template <class Real>
void CudaEngine<Real>::enqueue_sums(cudaStream_t stream, FaultFlag* fault_flag, u32 segment, unsigned flags) {
  if (work_.pairs) work_.pairs->enqueue(stream, state(), sums_.data(), flags);
  if (work_.contacts && work_.body_field.pairs) {
    work_.contacts->enqueue_forces(stream, state(), fault_flag, segment, sums_.data());
  }
  if (!work_.triples) return;
  triple_timer_.start(stream, flags);
  work_.triples->enqueue(stream, state(), triple_sums_.data(), flags);
  triple_timer_.stop(stream, flags);
}

template <class Real>
void CudaEngine<Real>::enqueue_plan(cudaStream_t stream, const StepPlan<Real>& plan, u32 from, bool captured,
                                    u32 array) {
  StepArrays<Real> to = divided_ ? work_.domains->arrays(array, fault_flag_.data()) : arrays();
  const u32 last = static_cast<u32>(plan.segments.size());
  u32 last_evaluation = last;
  for (u32 s = from; s < last; ++s) {
    if (plan.segments[s].combine) last_evaluation = s;
  }
  const unsigned flags = captured ? cudaEventRecordExternal : cudaEventRecordDefault;
  for (u32 s = from; s < last; ++s) {
    const Segment<Real>& segment = plan.segments[s];
    if (s == last_evaluation) force_timer_.start(stream, flags);
    if (segment.combine && divided_) {
      work_.domains->enqueue(stream, array, fault_flag_.data(), s, flags);
      array = 1 - array;
      to = work_.domains->arrays(array, fault_flag_.data());
    } else if (segment.combine) {
      enqueue_sums(stream, fault_flag_.data(), s, flags);
    }
    if (s == last_evaluation) force_timer_.stop(stream, flags);
    if (segment.combine || segment.moves.end != KickDrifts<Real>::kNoEnd) {
      enqueue_combine_accelerations(stream, to, work_.body_field, segment.moves, s, segment.combine);
      // A fault is one of all ranks, or some would move on.
      if (divided_) ranks_->enqueue_min(stream, std::span(&fault_flag_.data()->first, 1));
    }
    if (segment.moves.count > 0) enqueue_kick_drift(stream, to, work_.body_field, segment.moves, s);
    if (segment.impulses) {
      work_.contacts->enqueue_impulses(stream, to, laws::ImpulseRule<Real>(work_.field, segment.step_size), s);
    }
  }
  enqueue_count(stream, fault_flag_.data(), last);
}

template <class Real>
auto CudaEngine<Real>::recorded(Integrator integrator, double dt, u32 steps) -> Recorded& {
  const auto same = [&](const Recorded& r) {
    return r.integrator == integrator && r.dt == dt && r.steps == steps &&
           r.accelerations_valid == accelerations_valid_ && r.array == array_;
  };
  const auto found = std::find_if(recorded_.begin(), recorded_.end(), same);
  if (found != recorded_.end()) return *found;
  recorded_.push_back({integrator, dt, steps, accelerations_valid_, array_,
                       plan_steps<Real>(integrator, dt, work_.field, steps, accelerations_valid_), nullptr});
  return recorded_.back();
}

template <class Real>
auto CudaEngine<Real>::next_steps(Integrator integrator, double dt, u64 most) -> const Recorded& {
  // A step that changes whether accelerations are valid occurs only once; and a kernel's first run loads its code,
  // which is not allowed during stream capture. Neither is worth a graph.
  const bool steady = warm_ && recorded(integrator, dt, 1).plan.accelerations_valid_after == accelerations_valid_;
  const bool several = steady && n_ < kLongStepBodies && most >= kGraphSteps;
  Recorded& r = recorded(integrator, dt, several ? kGraphSteps : 1);
  if (steady && !watched() && !r.graph && (ranks_ == nullptr || ranks_->may_be_captured())) {
    r.graph = std::make_unique<Graph>([&](cudaStream_t stream) { enqueue_plan(stream, r.plan, 0, true, r.array); });
  }
  return r;
}

template <class Real>
u64 CudaEngine<Real>::batch_size() const {
  if (last_batch_ == 0) return 1;
  const double fitting = kBatchMs / std::max(step_ms_, 1e-4);
  return std::clamp<u64>(static_cast<u64>(fitting), 1, std::min(kMaxBatch, 16 * last_batch_));
}

template <class Real>
u64 CudaEngine<Real>::steps_at_once() const {
  if (last_batch_ == 0) return 1;
  return std::clamp<u64>(static_cast<u64>(kReactionMs / std::max(step_ms_, 1e-4)), 1,
                         std::min(kMaxBatch, 16 * last_batch_));
}

template <class Real>
void CudaEngine<Real>::launch_batch(Integrator integrator, double dt, u64 steps) {
  // Pointers into recorded_ must stay valid until the batch ends; a batch adds at most four.
  if (recorded_.size() >= kMaxRecorded) recorded_.clear();
  recorded_.reserve(kMaxRecorded + 4);
  launched_.clear();
  event_clock_.set(stream_);
  batch_timer_.start(stream_);
  for (u64 done = 0; done < steps;) {
    const Recorded& r = next_steps(integrator, dt, steps - done);
    if (work_.pairs) work_.pairs->keep_sorted(stream_, state(), r.plan.evaluations);
    launched_.push_back({&r.plan, next_segment_, done, array_});
    if (r.graph && !watched()) {  // the host cannot watch a graph on its way
      r.graph->launch(stream_);
    } else {
      enqueue_plan(stream_, r.plan, 0, false, array_);
    }
    if (divided_) array_ ^= r.plan.evaluations % 2, whole_ = false;
    next_segment_ += static_cast<u32>(r.plan.segments.size());
    accelerations_valid_ = r.plan.accelerations_valid_after;
    warm_ = true;
    done += r.steps;
  }
  batch_timer_.stop(stream_);
}

template <class Real>
u64 CudaEngine<Real>::finish_batch(u64 steps, u64 done) {
  const FaultFlag fault_flag = read_fault_flag();
  if (fault_flag.first == FaultFlag::kNone) {
    const double ms = batch_timer_.elapsed_ms();
    last_batch_ = steps;
    step_ms_ = ms / static_cast<double>(steps);
    if (ranks_ != nullptr) {  // batches of the same steps, so that a fault has the same number on every rank
      step_ms_ = std::bit_cast<double>(ranks_->largest(std::bit_cast<u64>(step_ms_)));
    }
    timing_.force = force_timer_.elapsed_ms();
    timing_.triples = work_.triples ? triple_timer_.elapsed_ms() : 0;
    const StepPlan<Real>& plan = *launched_.back().plan;
    timing_.integrate = std::max(0.0, step_ms_ - timing_.force * plan.evaluations / plan.steps);
    const auto when = [this](const EventTimer& timer, double took) {
      const double begin = event_clock_.when(timer.begin());
      return When{begin, begin + 1e-3 * took};
    };
    timing_.steps_when = when(batch_timer_, ms), timing_.force_when = when(force_timer_, timing_.force);
    return steps;
  }
  const u32 at = FaultFlag::segment_of(fault_flag.first);
  const auto after = std::upper_bound(launched_.begin(), launched_.end(), at,
                                      [](u32 s, const Launched& l) { return s < l.first_segment; });
  TRI_ENSURES(after != launched_.begin());
  const Launched& launched = *(after - 1);
  const StepPlan<Real> plan = *launched.plan;  // a copy, as finish_plan() clears recorded_
  const u64 before = launched.steps_before;
  finish_plan(plan, at - launched.first_segment, FaultFlag::fault_of(fault_flag.first),
              FaultFlag::body_of(fault_flag.first), done + before, launched.array);
  return before + plan.steps;
}

template <class Real>
void CudaEngine<Real>::finish_plan(const StepPlan<Real>& plan, u32 segment, Fault fault, u32 body, u64 steps_before,
                                   u32 array) {
  u32 from = 0;  // the segment before which the bodies are in `array`
  for (;;) {
    reset_fault_flag();
    accelerations_valid_ = false;
    const u64 step = steps_before + plan.segments.at(segment).step;
    const bool lacks_room = fault == Fault::overlaps || fault == Fault::contacts;
    if (divided_) {
      // Without room the bodies are still where they were before the evaluation of this segment.
      const u32 end = lacks_room ? segment : segment + 1;
      for (; from < end; ++from) array ^= plan.segments[from].combine ? 1U : 0U;
      array_ = array, whole_ = false;
    }
    if (lacks_room) {
      make_room();
    } else if (fault != Fault::acceleration || !keep_apart()) {
      throw_fault(fault, body, step);
    }
    array = array_;
    // Forces precede the moves of their segment, none of which was applied; impulses come last.
    from = segment;
    if (fault == Fault::overlaps) {
      const laws::ImpulseRule<Real> rule(work_.field, plan.segments.at(segment).step_size);
      work_.contacts->enqueue_impulses(stream_, arrays(), rule, segment);
      ++from;
    }
    enqueue_plan(stream_, plan, from, false, array);
    next_segment_ = static_cast<u32>(plan.segments.size());
    const FaultFlag fault_flag = read_fault_flag();
    if (fault_flag.first == FaultFlag::kNone) break;
    segment = FaultFlag::segment_of(fault_flag.first), fault = FaultFlag::fault_of(fault_flag.first),
    body = FaultFlag::body_of(fault_flag.first);
  }
  accelerations_valid_ = plan.accelerations_valid_after;
  if (divided_) {
    for (; from < plan.segments.size(); ++from) array ^= plan.segments[from].combine ? 1U : 0U;
    array_ = array, whole_ = false;
  }
}

template <class Real>
void CudaEngine<Real>::advance(Integrator integrator, double dt, u64 steps) {
  use_device();
  run_or_restore([&] {
    integrator == Integrator::hermite ? advance_hermite(dt, steps) : advance_by_stages(integrator, dt, steps);
  });
}

template <class Real>
void CudaEngine<Real>::advance_by_stages(Integrator integrator, double dt, u64 steps) {
  keep_rest();
  if (dt != 0) rest_.clear();  // steps of no length move nothing
  come_together();
  divide();
  for (u64 done = 0; done < steps;) {
    if (next_segment_ > FaultFlag::kMaxSegments) reset_fault_flag();
    const u64 batch = std::min(steps - done, batch_size());
    launch_batch(integrator, dt, batch);
    done += finish_batch(batch, done);
    if (divided_ && work_.domains->crowded(stream_, array_)) gather(), divide();
  }
}

template <class Real>
void CudaEngine<Real>::throw_fault(Fault fault, u32 body, u64 step) {
  make_whole();
  if (fault == Fault::state) {
    throw NumericalError(state_fault(body, step, work_.config.precision), step);
  }
  throw_force_fault("an acceleration", body, fmt::format(" in step {}", step), step);
}

template <class Real>
std::optional<u32> CudaEngine<Real>::first_bad_in_fast_sums() {
  EngineConfig config = work_.config;
  config.accumulate = Accumulate::fast;
  // A bad body spoils its own sums and, on tensor cores, those of its tile.
  if (work_.pairs && work_.pairs->on_tensor_cores()) config.pair_block = 0;
  if (work_.triples && work_.triples->on_tensor_cores()) config.triple_block = 0;
  config.arithmetic = Arithmetic::float32;
  if (work_.pairs) {
    PairForces<Real>(work_.field, config, n_, device_).enqueue(stream_, state(), sums_.data());
  } else if (work_.contacts) {
    Contacts<Real> contacts(work_.field, read(), config, stream_);
    contacts.search(stream_, state());
    contacts.enqueue_forces(stream_, state(), nullptr, 0, sums_.data());
    stream_.synchronize();
  }
  if (work_.triples) {
    TripleForces<Real>(work_.field, config, n_, device_).enqueue(stream_, state(), triple_sums_.data());
  }
  // The sums of absent laws are zero.
  std::vector<Vec4<Real>> sums = sums_.download(stream_);
  if (work_.triples) {
    const std::vector<Vec4<Real>> triples = triple_sums_.download(stream_);
    for (u32 i = 0; i < n_; ++i) sums[i].x += triples[i].x, sums[i].y += triples[i].y, sums[i].z += triples[i].z;
  }
  for (u32 i = 0; i < n_; ++i) {
    if (!std::isfinite(sums[i].x) || !std::isfinite(sums[i].y) || !std::isfinite(sums[i].z)) return i;
  }
  return std::nullopt;
}

template <class Real>
void CudaEngine<Real>::throw_force_fault(const char* what, u32 body, const std::string& when, u64 step) {
  // Query all three, since each query resets its flag.
  const bool left[] = {work_.pairs && work_.pairs->left_range(stream_), contacts_left_range(),
                       work_.triples && work_.triples->left_range(stream_)};
  const bool range = left[0] || left[1] || left[2];
  if (range) {
    // Fixed point cannot distinguish an overflowing term from NaN.
    const std::optional<u32> bad = first_bad_in_fast_sums();
    if (!bad) {
      throw NumericalError(
          fmt::format("the sum over {} of body {} left the range of fixed point{}. Use a softening, a smaller --dt "
                      "or --accumulate fast.",
                      left[2] ? "triples" : "pairs", body, when),
          step);
    }
    body = *bad;
  }
  throw NumericalError(force_fault(read(), work_.config.precision, what, body, when), step);
}

template class CudaEngine<float>;
template class CudaEngine<double>;

}  // namespace tri::cuda
