#pragma once
/// What the bench kernels of forces have in common: bodies on the device, an evaluation that is timed, and the verdict
/// over all of its components.

#include <cmath>
#include <utility>
#include <vector>

#include "sim/cuda/bench/bench_cases.hpp"
#include "sim/cuda/kernels/pairs/device_state.hpp"
#include "sim/cuda/kernels/pairs/pair_check.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"

namespace tri::cuda {

/// Forces<Real>: PairForces or TripleForces.
template <class Real, template <class> class Forces>
class ForcesCase : public CudaCase {
 public:
  u64 bytes() const final { return 0; }

 protected:
  /// `how`: what Forces<Real> is made of.
  template <class... How>
  ForcesCase(const CaseSpec& spec, const std::vector<Vec4<Real>>& positions, How&&... how)
      : CudaCase(spec), forces_(std::forward<How>(how)...), positions_(positions.size()), sums_(positions.size()) {
    positions_.upload(positions, stream());
    PreparedLaunch work;
    work.launch = [this](cudaStream_t on, u32) { forces_.enqueue(on, state(), sums_.data()); };
    work.launched = forces_.blocks_launched();
    work.useful = forces_.blocks_useful();
    work.launches = 1;
    set_work(std::move(work), forces_.block());
  }

  DeviceState<Real> state() const { return {positions_.data(), nullptr, n()}; }
  std::vector<Vec4<Real>> positions() const { return positions_.download(stream()); }
  std::vector<Vec4<Real>> sums() const { return sums_.download(stream()); }
  const Vec4<Real>* sums_on_device() const { return sums_.data(); }
  static constexpr bool kFp32 = sizeof(Real) == 4;

  /// NaNs.
  void poison() final { sums_.fill_bytes(0xff, stream()); }

  BenchCheck compare() final {
    if (forces_.left_range(stream())) return {false, 1.0, "the range of ordered sums"};
    bool right = true;
    const char* how = nullptr;
    const PairErrors e = errors(right, how);
    const double rms = e.differences == 0 ? 0 : std::sqrt(e.differences / e.squares);
    const double most = e.largest == 0 ? 0 : std::sqrt(e.largest / e.squares * n());
    return {right && rms <= (kFp32 ? 1e-5 : 1e-12) && most <= (kFp32 ? 1e-4 : 1e-11), most, how};
  }

  void damage() final {
    std::vector<Vec4<Real>> sums = this->sums();
    double square = 0;
    for (const Vec4<Real>& s : sums) square += double{s.y} * double{s.y};
    sums.back().y += static_cast<Real>(std::sqrt(square / n()) + 1e-30);
    sums_.upload(sums, stream());
  }

 private:
  /// Of every component; `how` says by what, `right` becomes false for what else was found wrong.
  virtual PairErrors errors(bool& right, const char*& how) = 0;

  Forces<Real> forces_;
  DeviceBuffer<Vec4<Real>> positions_;
  DeviceBuffer<Vec4<Real>> sums_;
};

}  // namespace tri::cuda
