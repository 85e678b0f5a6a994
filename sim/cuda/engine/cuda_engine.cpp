// The engine of the cuda backend: saved states, domains, batches of steps, faults.

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
#include "sim/cuda/kernels/bodies.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/model/checks.hpp"
#include "sim/model/diagnostics.hpp"

namespace tri::cuda {
namespace {

template <class Real>
struct StateOnDevice final : SavedBodies {
  explicit StateOnDevice(u32 n) : positions(n), velocities(n), acceleration(n) {}
  DeviceBuffer<Vec4<Real>> positions, velocities, acceleration;
  u64 bytes() const override { return 3 * positions.bytes() + rest.size() * sizeof(double); }
};

template <class Real>
void copy_on_device(DeviceBuffer<Vec4<Real>>& to, const DeviceBuffer<Vec4<Real>>& from, cudaStream_t stream) {
  TRI_EXPECTS(to.size() == from.size());
  TRI_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream));
}

}  // namespace

template <class Real>
std::unique_ptr<SavedBodies> CudaEngine<Real>::new_state() const {
  require_device_memory(3 * positions_.bytes(), "a keyframe", "Use fewer bodies");
  return std::make_unique<StateOnDevice<Real>>(n_);
}

template <class Real>
void CudaEngine<Real>::copy_state(SavedBodies& saved) const {
  auto& to = dynamic_cast<StateOnDevice<Real>&>(saved);
  copy_on_device(to.positions, positions_, stream_);
  copy_on_device(to.velocities, velocities_, stream_);
  copy_on_device(to.acceleration, acceleration_, stream_);
  stream_.synchronize();  // so that its cost is known
}

template <class Real>
void CudaEngine<Real>::set_state(const SavedBodies& saved) {
  const auto& from = dynamic_cast<const StateOnDevice<Real>&>(saved);
  whole_ = true, divided_ = false;
  copy_on_device(positions_, from.positions, stream_);
  copy_on_device(velocities_, from.velocities, stream_);
  copy_on_device(acceleration_, from.acceleration, stream_);
  reset_fault_flag();  // of a part of a step that was done; waits
}

template <class Real>
bool CudaEngine<Real>::differs_from(const SavedBodies& saved) {
  const auto& kept = dynamic_cast<const StateOnDevice<Real>&>(saved);
  DeviceBuffer<u32> differ(1);
  differ.fill_bytes(0, stream_);
  enqueue_compare(stream_, positions_.data(), kept.positions.data(), positions_.bytes(), differ.data());
  enqueue_compare(stream_, velocities_.data(), kept.velocities.data(), velocities_.bytes(), differ.data());
  return differ.download(stream_)[0] != 0;
}

template <class Real>
std::optional<StateArrays> CudaEngine<Real>::state_arrays() {
  if (ranks_ != nullptr) return std::nullopt;
  const auto numbers = [](DeviceBuffer<Vec4<Real>>& of) { return reinterpret_cast<Real*>(of.data()); };
  Real* const position = numbers(positions_);
  Real* const velocity = numbers(velocities_);
  return StateArrays{position, velocity, position + 3, velocity + 3, 4, 1, device_};
}

template <class Real>
void CudaEngine<Real>::end_borrowing() {
  const std::unique_lock alone(capture_mutex());
  TRI_CUDA(cudaDeviceSynchronize());  // others have streams of their own
}

template <class Real>
void CudaEngine<Real>::adopt_edits(const Bodies& bodies, const ForceField& given) {
  check_device_range(bodies, law_.field(), work_.config.precision);
  const bool line = on_a_line(bodies);
  // Radii may have changed, and with them what a grid and a box permit.
  if (std::exchange(on_a_line_, line) != line || work_.contacts || law_.is_apart()) set_field(given);
  wrap_positions();
  accelerations_valid_ = false;
}

template <class Real>
void CudaEngine<Real>::use_law(const ForceField& field) {
  Work work = make_work(field, work_.asked, read());
  kept_.clear();
  take(std::move(work));
  if (work_.pairs) work_.pairs->keep_sorted(stream_, state(), 1);
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

// Steps from jerks.

template <class Real>
std::unique_ptr<JerkScheme> CudaEngine<Real>::make_jerks() {
  gather();
  std::unique_ptr<JerkScheme> jerks;
  if constexpr (std::is_same_v<Real, double>) {
    const auto make = [&] {
      jerks = std::make_unique<JerkSteps>(law_.given(), work_.config, n_, device_, stream_, positions_.data(),
                                          velocities_.data(), rest_, ranks_);
    };
    ranks_ != nullptr ? ranks_->all_or_none(make) : make();
  }
  return jerks;
}

template <class Real>
void CudaEngine<Real>::finish_jerk_step(JerkScheme& steps, u64 /*step*/) {
  steps.evaluate();
  TRI_CUDA(cudaMemcpyAsync(acceleration_.data(), static_cast<JerkSteps&>(steps).motion().a, acceleration_.bytes(),
                           cudaMemcpyDeviceToDevice, stream_));
}

template <class Real>
void CudaEngine<Real>::account_jerk_step(JerkScheme& steps, double ms, double /*force_ms_before*/) {
  constexpr double kEvaluations = 3;  // of a step that is tried twice and corrected
  timing_.force = steps.force_ms();
  timing_.force_when = timing_.steps_when = {};  // many launches, which the host waits for one by one
  timing_.integrate = std::max(0.0, ms - kEvaluations * timing_.force);
}

template <class Real>
bool CudaEngine<Real>::watched() const {
  if (!progress_is_wanted()) return false;
  return (work_.pairs && work_.pairs->in_slices()) || (work_.contacts && work_.contacts->in_slices()) ||
         (work_.triples && work_.triples->in_slices());
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
      work_.contacts->enqueue_impulses(stream, to, laws::ImpulseRule<Real>(law_.field(), segment.step_size), s);
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
                       plan_steps<Real>(integrator, dt, law_.field(), steps, accelerations_valid_), nullptr});
  return recorded_.back();
}

template <class Real>
auto CudaEngine<Real>::next_steps(Integrator integrator, double dt, u64 most) -> const Recorded& {
  // A step that changes whether accelerations are valid occurs only once; and a kernel's first run loads its code,
  // which is not allowed during stream capture. Neither is worth a graph.
  const bool steady = warm_ && recorded(integrator, dt, 1).plan.accelerations_valid_after == accelerations_valid_;
  const bool several = steady && n_ < kLongStepBodies && most >= kGraphSteps;
  Recorded& r = recorded(integrator, dt, several ? kGraphSteps : 1);
  const bool waits = work_.pairs && work_.pairs->by_tree();
  if (steady && !waits && !watched() && !r.graph && (ranks_ == nullptr || ranks_->may_be_captured())) {
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
      const laws::ImpulseRule<Real> rule(law_.field(), plan.segments.at(segment).step_size);
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
void CudaEngine<Real>::run_stages(Integrator integrator, double dt, u64 steps) {
  come_together();
  divide();
  for (u64 done = 0; done < steps;) {
    if (next_segment_ > FaultFlag::kMaxSegments) reset_fault_flag();
    if (done > 0 && law_.is_apart()) gather(), come_together(), divide();
    // A law that keeps bodies without mass apart does so with others that meet: each step looks where they are.
    const u64 batch = law_.is_apart() ? 1 : std::min(steps - done, batch_size());
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
    PairForces<Real>(law_.field(), config, n_, device_).enqueue(stream_, state(), sums_.data());
  } else if (work_.contacts) {
    Contacts<Real> contacts(law_.field(), read(), config, stream_);
    contacts.search(stream_, state());
    contacts.enqueue_forces(stream_, state(), nullptr, 0, sums_.data());
    stream_.synchronize();
  }
  if (work_.triples) {
    TripleForces<Real>(law_.field(), config, n_, device_).enqueue(stream_, state(), triple_sums_.data());
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
  Base::throw_force_fault(what, body, when, step);
}

template class CudaEngine<float>;
template class CudaEngine<double>;

}  // namespace tri::cuda
