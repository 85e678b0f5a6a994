// Steps of Hermite's integrators on a device.

#include "sim/cuda/engine/cuda_engine.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/model/checks.hpp"
#include "sim/model/diagnostics.hpp"

namespace tri::cuda {
namespace {

constexpr u64 kVectors = 9;  ///< a body
constexpr u32 kNoBody = ~0u;

double number(unsigned long long bits) { return std::bit_cast<double>(static_cast<u64>(bits)); }

/// n, after checking that it fits.
u32 fitting(const EngineConfig& config, u32 n) {
  require_device_memory_for([&](u64 count) { return jerk_steps_bytes(config, count); }, n,
                            fmt::format("steps with jerks of {} bodies", n), "Use ",
                            " bodies or fewer, or steps of a given length by kdk");
  return n;
}

}  // namespace

u64 jerk_steps_bytes(const EngineConfig& config, u64 n) {
  return n * kVectors * sizeof(Vec4<double>) + 2 * ordered_sums_bytes(config, n);
}

JerkSteps::JerkSteps(const ForceField& field, const EngineConfig& config, u32 n, int device, cudaStream_t stream,
                     Vec4<double>* position, Vec4<double>* velocity, const std::vector<double>& rest,
                     DeviceRanks* ranks)
    : field_(field),
      config_(config),
      ranks_(ranks),
      n_(fitting(config, n)),
      stream_(stream),
      position_(position),
      velocity_(velocity),
      rest_(n),
      trial_position_(n),
      trial_velocity_(n),
      begin_a_(n),
      begin_j_(n),
      end_a_(n),
      end_j_(n),
      snap_(n),
      crackle_(n),
      report_(1),
      seen_(1),
      acceleration_sums_(config.accumulate, n, stream),
      jerk_sums_(config.accumulate, n, stream),
      slices_(ranks == nullptr ? slices_for(config, n, device) : 1),  // one rank alone must not end an evaluation
      work_(work_of(field)),
      carries_(!rest.empty()) {
  std::vector<Vec4<double>> values(n);
  for (std::size_t i = 0; i < rest.size() / 3; ++i) values[i] = {rest[3 * i], rest[3 * i + 1], rest[3 * i + 2], 0.0};
  rest_.upload(values, stream);
}

JerkWork JerkSteps::work_of(const ForceField& field) const {
  return prepare_jerk_tiles(field, config_.pair_map, n_, config_.pair_block, config_.accumulate,
                            ranks_ == nullptr ? GridCut(slices_) : GridCut(1, ranks_->rank(), ranks_->size()));
}

/// A kdk step leaves no jerk of its end.
void JerkSteps::choose(Integrator integrator) {
  if (integrator != integrator_) valid_ = false;
  integrator_ = integrator;
}

JerkArrays JerkSteps::arrays() {
  return {position_, velocity_, rest_.data(), trial_position_.data(), trial_velocity_.data(),
          begin(),   end(),     snap_.data(), crackle_.data(),        n_};
}

void JerkSteps::enqueue_evaluation(const Vec4<double>* position, const Vec4<double>* velocity, const MotionArrays& to) {
  enqueue_reset(stream_, report_.data());
  timer_.start(stream_);
  const JerkSums sums{acceleration_sums_.begin(to.a, n_, stream_), jerk_sums_.begin(to.j, n_, stream_),
                      &report_.data()->rates};
  try {
    enqueue_watched(work_, slices_, stream_, DeviceState<double>{position, velocity, n_}, sums);
  } catch (const InterruptedError&) {
    acceleration_sums_.reset(stream_), jerk_sums_.reset(stream_);
    throw;
  }
  acceleration_sums_.finish(sums.acceleration, stream_, ranks_);
  jerk_sums_.finish(sums.jerk, stream_, ranks_);
  if (ranks_ != nullptr) {
    for (Vec4<double>* const fast : {to.a, to.j}) {
      if (!acceleration_sums_.ordered()) ranks_->enqueue_sum(stream_, std::span(&fast->x, 4 * std::size_t{n_}));
    }
    ranks_->enqueue_max(stream_, std::span(&report_.data()->rates.fall, 2));  // and fly
  }
  timer_.stop(stream_);
  const std::array<double, 3>& g = field_.field;
  enqueue_complete(stream_, to, {g[0], g[1], g[2]}, n_, report_.data());
}

template <class Then>
StepReport JerkSteps::evaluate(const Vec4<double>* position, const Vec4<double>* velocity, const MotionArrays& to,
                               const Then& then) {
  come_together(position);
  for (;;) {
    enqueue_evaluation(position, velocity, to);
    then();
    TRI_CUDA(cudaMemcpyAsync(seen_.data(), report_.data(), sizeof(StepReport), cudaMemcpyDeviceToHost, stream_));
    TRI_CUDA(cudaStreamSynchronize(stream_));
    const StepReport seen = *seen_.data();
    if (seen.bad == kNoBody) return seen;
    if (!keep_apart(position)) fail(seen.bad, position);
  }
}

Bodies JerkSteps::bodies_at(const Vec4<double>* position) const {
  std::vector<Vec4<double>> places(n_);
  TRI_CUDA(cudaMemcpyAsync(places.data(), position, n_ * sizeof(Vec4<double>), cudaMemcpyDeviceToHost, stream_));
  TRI_CUDA(cudaStreamSynchronize(stream_));
  Bodies bodies;
  for (const Vec4<double>& p : places) bodies.add(p.x, p.y, p.z, 0, 0, 0, p.w);
  return bodies;
}

bool JerkSteps::keep_apart(const Vec4<double>* position) {
  if (bare_) return false;
  std::optional<ForceField> softened = apart(bodies_at(position), field_, Precision::fp64);
  if (!softened) return false;
  acceleration_sums_.reset(stream_), jerk_sums_.reset(stream_);
  work_ = work_of(*softened);
  bare_ = std::exchange(field_, std::move(*softened));
  return true;
}

void JerkSteps::come_together(const Vec4<double>* position) {
  if (!bare_ || only_massless_coincide(bodies_at(position), Precision::fp64)) return;
  field_ = std::move(*bare_);
  bare_.reset();
  work_ = work_of(field_);
}

void JerkSteps::fail(u32 body, const Vec4<double>* position) {
  const bool left[] = {acceleration_sums_.left_range(stream_), jerk_sums_.left_range(stream_)};
  const Bodies bodies = bodies_at(position);
  const std::string hint =
      left[0] || left[1] ? " (ordered sums take terms below 2^128; --accumulate fast takes any)" : "";
  throw NumericalError(force_fault(bodies, Precision::fp64, "an acceleration", body, hint), 1);
}

MotionArrays JerkSteps::present() {
  if (!valid_) {
    begin_rates_ = evaluate(position_, velocity_, begin(), [] {}).rates;
    valid_ = true;
  }
  return begin();
}

std::vector<double> JerkSteps::rest() const {
  std::vector<double> out;
  if (!carries_) return out;
  for (const Vec4<double>& r : rest_.download(stream_)) out.insert(out.end(), {r.x, r.y, r.z});
  return out;
}

double JerkSteps::fall() const { return number(begin_rates_.fall); }
double JerkSteps::fly() const { return number(begin_rates_.fly); }

double JerkSteps::first_length(double eta) {
  present();
  const double fall = number(begin_rates_.fall), fly = number(begin_rates_.fly);
  return integrator_ == Integrator::kdk ? kdk_length(eta, fall) : shortest_hermite_length(eta, fall, fly);
}

StepScheme::Attempt JerkSteps::attempt(double h, double eta, bool again) {
  present();
  h_ = h;
  const bool kdk = integrator_ == Integrator::kdk;
  kdk ? enqueue_drift(stream_, arrays(), h) : enqueue_predict(stream_, arrays(), h, again);
  const StepReport seen = evaluate(trial_position_.data(), trial_velocity_.data(), end(), [&] {
    if (!kdk) enqueue_interpolate(stream_, arrays(), h, report_.data());
  });
  end_rates_ = seen.rates;
  const auto length = [&](const PairRates& rates, unsigned long long aarseth2) {
    const double fall = number(rates.fall);
    return kdk ? kdk_length(eta, fall) : hermite_length(eta, number(aarseth2), fall, number(rates.fly));
  };
  return {length(begin_rates_, seen.begin2), length(end_rates_, seen.end2)};
}

void JerkSteps::accept() {
  if (integrator_ == Integrator::kdk) {
    enqueue_kicks(stream_, arrays(), h_);
    rest_.fill_bytes(0, stream_);
    carries_ = false;
    std::swap(begin_a_, end_a_), std::swap(begin_j_, end_j_);
    begin_rates_ = end_rates_;
    return;
  }
  enqueue_correct(stream_, arrays(), h_);
  carries_ = true;
  valid_ = false;
  present();
}

}  // namespace tri::cuda
