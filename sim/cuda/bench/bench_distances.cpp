// The bench kernel edm: all-pairs distances of random points.

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "sim/base/error.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/cuda/bench/bench_cases.hpp"
#include "sim/cuda/jobs/pack.hpp"
#include "sim/cuda/kernels/distances/rec_device.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/reference/reference.hpp"

namespace tri::cuda {
namespace {

/// Up to this n the check is the oracle on the host, beyond it a plain float64 loop on the device.
constexpr u32 kHostCheck = 1024;

template <class Real>
PointSet random_points(const BenchSpec& spec) {
  PointSet points{static_cast<u32>(spec.n), spec.features, std::vector<double>(spec.n * spec.features)};
  SplitMix64 random{spec.seed};
  for (double& v : points.values) v = static_cast<double>(static_cast<Real>(random.uniform()));
  return points;
}

template <class Real>
class DistanceCase final : public CudaCase {
 public:
  DistanceCase(const CaseSpec& spec, const KernelChoice& kernel)
      : CudaCase(spec), out_(distance_count(spec.bench.n, spec.bench.layout)), worst_(1) {
    PointSet points = random_points<Real>(spec.bench);
    const std::vector<Vec4<Real>> packed = pack_points<Real>(points);
    points_ = DeviceBuffer<Vec4<Real>>(packed.size());
    points_.upload(packed, stream());
    if (n() <= kHostCheck) host_points_ = std::move(points);
    set_work(prepare_work(kernel), kernel.block);
  }

  /// The output, and the points without their padding.
  u64 bytes() const override { return data_bytes(spec().bench); }

 private:
  PreparedLaunch prepare_work(const KernelChoice& kernel) {
    const BenchSpec& bench = spec().bench;
    if constexpr (sizeof(Real) == sizeof(float)) {
      if (rec_from_device(spec())) {
        return prepare_distances_from_device(n(), kernel.block, bench.features, bench.layout, points_.data(),
                                             out_.data());
      }
      if (spec().is(Baseline::lambda_alone)) {
        return prepare_distance_lambda_alone(n(), bench.layout, points_.data(), out_.data());
      }
    }
    if (kernel.tiles) {
      return prepare_distance_tiles<Real>(spec().pair_map(), n(), bench.features, bench.layout, points_.data(),
                                          out_.data());
    }
    return prepare_distance_elements<Real>(spec().pair_map(), n(), kernel.block, bench.features, bench.layout,
                                           points_.data(), out_.data());
  }

  /// All bits set: NaN.
  void poison() override { out_.fill_bytes(0xff, stream()); }

  BenchCheck compare() override {
    const double tolerance = sizeof(Real) == sizeof(float) ? 1e-6 : 1e-14;
    const bool on_host = n() <= kHostCheck;
    const double worst = on_host ? worst_on_host() : worst_on_device();
    return {worst <= tolerance, worst,
            on_host ? "every distance in float64 by the oracle" : "every distance in float64 by a plain device loop"};
  }

  void damage() override {
    if (out_.size() == 0) return;
    Real last{};
    Real* position = out_.data() + distance_at();
    TRI_CUDA(cudaMemcpyAsync(&last, position, sizeof last, cudaMemcpyDeviceToHost, stream()));
    stream().synchronize();
    last = last * Real(1.001) + Real(1e-3);
    TRI_CUDA(cudaMemcpyAsync(position, &last, sizeof last, cudaMemcpyHostToDevice, stream()));
    stream().synchronize();
  }

  /// One value in the middle.
  u64 distance_at() const { return out_.size() / 2; }

  double worst_on_host() const {
    const std::vector<Real> got = out_.download(stream());
    const std::vector<double> expected = reference_distances(host_points_, spec().bench.layout);
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double error = std::fabs(static_cast<double>(got[i]) - expected[i]);
      if (error == 0) continue;
      const double relative = std::isnan(error) || expected[i] == 0 ? HUGE_VAL : error / expected[i];
      if (relative > worst) worst = relative;
    }
    return worst;
  }

  double worst_on_device() {
    const BenchSpec& bench = spec().bench;
    worst_.fill_bytes(0, stream());
    plain_distance_error(points_.data(), n(), bench.features, bench.layout, out_.data(), worst_.data(), stream());
    return std::bit_cast<double>(worst_.download(stream())[0]);
  }

  PointSet host_points_;  ///< for the oracle; empty when n is large
  DeviceBuffer<Vec4<Real>> points_;
  DeviceBuffer<Real> out_;
  DeviceBuffer<unsigned long long> worst_;
};

/// Writes as many bytes as the output has and computes nothing.
class FillCase final : public WordsCase {
 public:
  FillCase(const CaseSpec& spec, u64 bytes) : WordsCase(spec, bytes / sizeof(u32), 0xff, "every word written") {
    set_work(prepare_fill(words().size(), kValue, words().data()), 0);
  }
  u64 bytes() const override { return words().bytes(); }

 private:
  static constexpr u32 kValue = 0x3f9d70a4u;
  u32 expected() const override { return kValue; }
};

template <class Real>
std::unique_ptr<BenchCase> make(const CaseSpec& spec, const KernelChoice& kernel) {
  const auto bytes = [&](u64 n) {
    return sizeof(Real) * (static_cast<double>(distance_count(n, spec.bench.layout)) +
                           static_cast<double>(4 * u64{vectors_of(spec.bench.features)} * n)) +
           table_bytes(spec.pair_map(), n, kernel.block);
  };
  require_device_memory_for(bytes, spec.bench.n, fmt::format("the output of the distances of {} points", spec.bench.n),
                            "Use --n ", " or less");
  if (spec.is(Baseline::fill)) {
    return std::make_unique<FillCase>(spec, sizeof(Real) * distance_count(spec.bench.n, spec.bench.layout));
  }
  return std::make_unique<DistanceCase<Real>>(spec, kernel);
}

void check_lambda_alone(const BenchSpec& bench, const KernelChoice& kernel) {
  if (kernel.tiles && bench.precision == Precision::fp32 && vectors_of(bench.features) == 1) return;
  throw ConfigError(fmt::format("--map lambda-alone is compiled for --precision fp32, up to 4 features and --block {}.",
                                kDistanceTile));
}

}  // namespace

std::unique_ptr<BenchCase> make_edm_bench(const CaseSpec& spec) {
  const BenchSpec& bench = spec.bench;
  check_features(bench);
  const KernelChoice kernel = choose_kernel(spec.pair_map(), bench.n, bench.block, kDistanceTile, {kDistanceTile});
  if (spec.is(Baseline::lambda_alone)) check_lambda_alone(bench, kernel);
  if (rec_from_device(spec)) check_rec_from_device(spec, kernel.block);
  return bench.precision == Precision::fp32 ? make<float>(spec, kernel) : make<double>(spec, kernel);
}

}  // namespace tri::cuda
