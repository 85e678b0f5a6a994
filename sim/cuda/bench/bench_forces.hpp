#pragma once
/// What the bench kernels of forces share: bodies on the device, a timed evaluation, and the check of all its
/// components.

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sim/base/memory.hpp"
#include "sim/cuda/bench/bench_cases.hpp"
#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/slicing.hpp"

namespace tri::cuda {

/// Forces<Real>: PairForces or TripleForces.
template <class Real, template <class> class Forces>
class ForcesCase : public CudaCase {
 public:
  /// As LawSums::agree().
  void agree() const { forces_.agree(); }

 protected:
  /// radii and charges: of each body, or empty where the law reads none.
  ForcesCase(const CaseSpec& spec, const std::vector<Vec4<Real>>& positions, const ForceField& field,
             const EngineConfig& config, const std::vector<Vec4<Real>>& radii = {},
             const std::vector<Real>& charges = {})
      : CudaCase(spec),
        forces_(field, config, spec.n(), spec.device, spec.ranks),
        positions_(positions.size()),
        radii_(radii.size()),
        charges_(charges.size()),
        sums_(positions.size()) {
    positions_.upload(positions, stream());
    if (!radii.empty()) radii_.upload(radii, stream());
    if (!charges.empty()) charges_.upload(charges, stream());
    forces_.keep_sorted(stream(), state(), 1);
    set_work({[this](cudaStream_t on, u32) { forces_.enqueue(on, state(), sums_.data()); }, forces_.blocks_launched(),
              forces_.blocks_useful(), 1},
             forces_.block());
  }

  DeviceState<Real> state() const { return {positions_.data(), radii_.data(), n(), charges_.data()}; }
  std::vector<Vec4<Real>> positions() const { return positions_.download(stream()); }
  std::vector<Vec4<Real>> sums() const { return sums_.download(stream()); }
  const Vec4<Real>* sums_on_device() const { return sums_.data(); }
  static constexpr bool kFp32 = sizeof(Real) == 4;

  /// NaNs.
  void poison() final { sums_.fill_bytes(0xff, stream()); }

  BenchCheck compare() final {
    if (forces_.left_range(stream())) return {false, 1.0, "the range of ordered sums"};
    return compare_sums();
  }

  void damage() final {
    std::vector<Vec4<Real>> sums = this->sums();
    double square = 0;
    for (const Vec4<Real>& s : sums) square += double{s.y} * double{s.y};
    sums.back().y += static_cast<Real>(std::sqrt(square / n()) + 1e-30);
    sums_.upload(sums, stream());
  }

 private:
  virtual BenchCheck compare_sums() = 0;

  Forces<Real> forces_;
  DeviceBuffer<Vec4<Real>> positions_, radii_;  ///< a radius stands where velocities have theirs
  DeviceBuffer<Real> charges_;
  DeviceBuffer<Vec4<Real>> sums_;
};

/// A case whose law is built in.
template <class Real, template <class> class Forces>
class BuiltInForcesCase : public ForcesCase<Real, Forces> {
  using Base = ForcesCase<Real, Forces>;

 protected:
  using Base::Base;

 private:
  /// Of every component; `how` becomes the reference, `right` false for anything else that is wrong.
  virtual PairErrors errors(bool& right, const char*& how) = 0;

  BenchCheck compare_sums() final {
    bool right = true;
    const char* how = nullptr;
    const PairErrors e = errors(right, how);
    const double rms = e.differences == 0 ? 0 : std::sqrt(e.differences / e.squares);
    const double most = e.largest == 0 ? 0 : std::sqrt(e.largest / e.squares * this->n());
    return {right && rms <= (Base::kFp32 ? 1e-5 : 1e-12) && most <= (Base::kFp32 ? 1e-4 : 1e-11), most, how};
  }
};

/// `forces_bytes`: memory of the case's Forces beside positions and sums.
template <class Case>
std::unique_ptr<BenchCase> make_forces_case_in(const CaseSpec& spec, const EngineConfig& config,
                                               u64 (*forces_bytes)(const EngineConfig&, u64)) {
  const BenchSpec& bench = spec.bench;
  const bool fp32 = bench.precision == Precision::fp32;
  const auto bytes = [&](u64 n) {
    const u64 columns = bench.law.empty() ? 2 : 4;  // a typed law has radii and charges
    return n * columns * (fp32 ? sizeof(Vec4<float>) : sizeof(Vec4<double>)) + forces_bytes(config, n);
  };
  const std::string what = fmt::format("the data of {} bodies", bench.n);
  // On the host: the bodies, the sums, and both again in float64 for the check.
  std::unique_ptr<Case> made;
  const auto make = [&] {
    require_memory(bench.n * sizeof(double) * 16, what, "Use a smaller --n");
    require_device_memory_for(bytes, bench.n, what, "Use --n ", " or less");
    made = std::make_unique<Case>(spec, config);
  };
  spec.ranks != nullptr ? spec.ranks->all_or_none(make) : make();
  made->agree();
  return made;
}

/// Case<Real> in the spec's precision; as above.
template <template <class Real> class Case>
std::unique_ptr<BenchCase> make_forces_case(const CaseSpec& spec, EngineConfig config,
                                            u64 (*forces_bytes)(const EngineConfig&, u64)) {
  config.precision = spec.bench.precision;
  config.accumulate = spec.bench.accumulate;
  // Ctrl-C cuts a sample off: only a display asks for slices, and several devices have none.
  if (spec.ranks != nullptr || !drives_display(spec.device)) config.slice_ms = std::numeric_limits<double>::infinity();
  if (config.precision == Precision::fp32) return make_forces_case_in<Case<float>>(spec, config, forces_bytes);
  return make_forces_case_in<Case<double>>(spec, config, forces_bytes);
}

}  // namespace tri::cuda
