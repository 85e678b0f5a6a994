// Steps of the Hermite scheme and of automatic length.

#include <algorithm>
#include <type_traits>

#include "sim/base/clock.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/engine/cuda_engine.hpp"

namespace tri::cuda {
namespace {

constexpr double kEvaluations = 3;  ///< of a step that is tried twice and corrected

}  // namespace

template <class Real>
JerkSteps& CudaEngine<Real>::jerk_steps(Integrator integrator, double eta) {
  const std::string refusal = scheme_refusal(work_.field, integrator, eta, work_.config.precision);
  if (!refusal.empty()) throw ConfigError(refusal);
  take_over_whole();
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
void CudaEngine<Real>::take_jerk_step(JerkSteps& steps, u64 step, const Take& take) {
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
  for (u64 step = 1; step <= steps; ++step) take_jerk_step(jerks, step, [&] { take_step(jerks, dt); });
}

template <class Real>
StepTaken CudaEngine<Real>::advance_auto(Integrator integrator, const AutoStep& step) {
  TRI_EXPECTS(step.eta > 0);
  use_device();
  StepTaken taken;
  take_whole([&] {
    JerkSteps& jerks = jerk_steps(integrator, step.eta);
    take_jerk_step(jerks, 1, [&] { taken = take_step(jerks, step); });
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

template class CudaEngine<float>;
template class CudaEngine<double>;

}  // namespace tri::cuda
