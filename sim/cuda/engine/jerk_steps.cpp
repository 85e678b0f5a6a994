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

bool by_tree(const EngineConfig& config) { return config.pairs == PairSearch::tree; }

/// A tree needs no sums in order: its own are.
Accumulate accumulation(const EngineConfig& config) { return by_tree(config) ? Accumulate::fast : config.accumulate; }

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
  const u64 sums = by_tree(config) ? pair_forces_bytes(config, n) : 2 * ordered_sums_bytes(config, n);
  return n * kVectors * sizeof(Vec4<double>) + sums;
}

JerkSteps::JerkSteps(const ForceField& field, const EngineConfig& config, u32 n, int device, cudaStream_t stream,
                     Vec4<double>* position, Vec4<double>* velocity, const std::vector<double>& rest,
                     DeviceRanks* ranks)
    : JerkScheme(field),
      config_(config),
      ranks_(ranks),
      n_(fitting(config, n)),
      device_(device),
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
      acceleration_sums_(accumulation(config), n, stream),
      jerk_sums_(accumulation(config), n, stream),
      slices_(ranks == nullptr ? slices_for(config, n, device) : 1),  // one rank alone must not end an evaluation
      carries_(!rest.empty()) {
  prepare(field);
  std::vector<Vec4<double>> values(n);
  for (std::size_t i = 0; i < rest.size() / 3; ++i) values[i] = {rest[3 * i], rest[3 * i + 1], rest[3 * i + 2], 0.0};
  rest_.upload(values, stream);
}

void JerkSteps::prepare(const ForceField& field) {
  if (by_tree(config_)) {
    tree_.reset();
    tree_ = std::make_unique<PairForces<double>>(field, config_, n_, device_, ranks_);
    return;
  }
  work_ = prepare_jerk_tiles(field, config_.pair_map, n_, config_.pair_block, config_.accumulate,
                             ranks_ == nullptr ? GridCut(slices_) : GridCut(1, ranks_->rank(), ranks_->size()));
}

JerkArrays JerkSteps::arrays() {
  return {position_, velocity_, rest_.data(), trial_position_.data(), trial_velocity_.data(),
          motion(),  end(),     snap_.data(), crackle_.data(),        n_};
}

void JerkSteps::enqueue_evaluation(const Vec4<double>* position, const Vec4<double>* velocity, const MotionArrays& to) {
  enqueue_reset(stream_, report_.data());
  timer_.start(stream_), evaluated_ = true;
  enqueue_sums({position, velocity, n_}, to);
  timer_.stop(stream_);
  const std::array<double, 3>& g = law_.field().field;
  enqueue_complete(stream_, to, {g[0], g[1], g[2]}, n_, report_.data());
}

void JerkSteps::enqueue_sums(const DeviceState<double>& bodies, const MotionArrays& to) {
  const auto share_rates = [&] {
    if (ranks_ != nullptr) ranks_->enqueue_max(stream_, std::span(&report_.data()->rates.fall, 2));  // and fly
  };
  if (tree_) {
    tree_->enqueue(stream_, bodies, to.a);
    TRI_CUDA(cudaMemsetAsync(to.j, 0, n_ * sizeof(Vec4<double>), stream_));
    tree_->enqueue_falls(stream_, &report_.data()->rates.fall);
    share_rates();
    return;
  }
  const JerkSums sums{acceleration_sums_.begin(to.a, n_, stream_), jerk_sums_.begin(to.j, n_, stream_),
                      &report_.data()->rates};
  try {
    enqueue_watched(work_, slices_, stream_, bodies, sums);
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
  }
  share_rates();
}

template <class Then>
JerkScheme::Tried JerkSteps::evaluate(const Vec4<double>* position, const Vec4<double>* velocity,
                                      const MotionArrays& to, const Then& then) {
  const auto bodies = [&] { return bodies_at(position); };
  if (law_.come_together(bodies, Precision::fp64)) prepare(law_.field());
  for (;;) {
    enqueue_evaluation(position, velocity, to);
    then();
    TRI_CUDA(cudaMemcpyAsync(seen_.data(), report_.data(), sizeof(StepReport), cudaMemcpyDeviceToHost, stream_));
    TRI_CUDA(cudaStreamSynchronize(stream_));
    const StepReport seen = *seen_.data();
    if (seen.bad == kNoBody) {
      return {{number(seen.rates.fall), number(seen.rates.fly)}, number(seen.begin2), number(seen.end2)};
    }
    if (law_.is_apart() || !law_.keep_apart(bodies(), Precision::fp64)) fail(seen.bad, position);
    acceleration_sums_.reset(stream_), jerk_sums_.reset(stream_);
    prepare(law_.field());
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

void JerkSteps::fail(u32 body, const Vec4<double>* position) {
  const bool left[] = {acceleration_sums_.left_range(stream_), jerk_sums_.left_range(stream_)};
  const Bodies bodies = bodies_at(position);
  const std::string hint =
      left[0] || left[1] ? " (ordered sums take terms below 2^128; --accumulate fast takes any)" : "";
  throw NumericalError(force_fault(bodies, law_.given(), Precision::fp64, "an acceleration", body, hint), 1);
}

JerkScheme::Rates JerkSteps::evaluate_present() {
  return evaluate(position_, velocity_, motion(), [] {}).end;
}

JerkResult JerkSteps::result() {
  JerkResult result;
  const auto columns = [&](const DeviceBuffer<Vec4<double>>& from, std::vector<double>& x, std::vector<double>& y,
                           std::vector<double>& z) {
    for (const Vec4<double>& v : from.download(stream_)) x.push_back(v.x), y.push_back(v.y), z.push_back(v.z);
  };
  columns(begin_a_, result.ax, result.ay, result.az);
  columns(begin_j_, result.jx, result.jy, result.jz);
  result.fall = begin_rates_.fall, result.fly = begin_rates_.fly;
  return result;
}

std::vector<double> JerkSteps::rest() const {
  std::vector<double> out;
  if (!carries_) return out;
  for (const Vec4<double>& r : rest_.download(stream_)) out.insert(out.end(), {r.x, r.y, r.z});
  return out;
}

JerkScheme::Tried JerkSteps::try_kdk(double h) {
  enqueue_drift(stream_, arrays(), h);
  return evaluate(trial_position_.data(), trial_velocity_.data(), end(), [] {});
}

JerkScheme::Tried JerkSteps::try_hermite(double h, bool again) {
  enqueue_predict(stream_, arrays(), h, again);
  return evaluate(trial_position_.data(), trial_velocity_.data(), end(),
                  [&] { enqueue_interpolate(stream_, arrays(), h, report_.data()); });
}

void JerkSteps::accept_kdk(double h) {
  enqueue_kicks(stream_, arrays(), h);
  rest_.fill_bytes(0, stream_);
  carries_ = false;
  std::swap(begin_a_, end_a_), std::swap(begin_j_, end_j_);
}

void JerkSteps::accept_hermite(double h) {
  enqueue_correct(stream_, arrays(), h);
  carries_ = true;
}

}  // namespace tri::cuda
