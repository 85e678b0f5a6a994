// The bench kernel collision: overlapping spheres or intervals of different radii, about one contact a body.

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "sim/base/error.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/cuda/bench/bench_cases.hpp"
#include "sim/cuda/jobs/pack.hpp"
#include "sim/cuda/runtime/device_memory.hpp"

namespace tri::cuda {
namespace {

Bodies random_bodies(const BenchSpec& spec) {
  const double n = static_cast<double>(spec.n);
  const double mean = spec.dimensions == 1 ? 0.25 / n : 0.5 * std::cbrt(3.0 / (4.0 * 3.14159265358979 * n));
  SplitMix64 random{spec.seed};
  Bodies bodies;
  for (u64 i = 0; i < spec.n; ++i) {
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    bodies.add(x, y, z, 0, 0, 0, 1, mean * (0.5 + random.uniform()));
  }
  return bodies;
}

template <class Real>
class CollisionCase final : public CudaCase {
 public:
  CollisionCase(const CaseSpec& spec, const KernelChoice& kernel) : CudaCase(spec), spheres_(spec.bench.n), count_(1) {
    spheres_.upload(pack_spheres<Real>(random_bodies(spec.bench)), stream());
    const CollisionOutput out{count_.data(), nullptr, nullptr, 0};
    if constexpr (sizeof(Real) == sizeof(float)) {
      if (spec.is(Baseline::lambda_alone)) {
        set_work(prepare_collision_lambda_alone(n(), kernel.block, spheres_.data(), out), kernel.block);
        return;
      }
    }
    set_work(kernel.tiles ? prepare_collision_tiles<Real>(spec.pair_map(), n(), kernel.block, spec.bench.dimensions,
                                                          spheres_.data(), out)
                          : prepare_collision_elements<Real>(spec.pair_map(), n(), kernel.block, spec.bench.dimensions,
                                                             spheres_.data(), out),
             kernel.block);
  }

 private:
  void poison() override { count_.fill_bytes(0, stream()); }

  BenchCheck compare() override {
    const u64 got = count_.download(stream())[0];
    if (!expected_) {
      expected_ = sum_of([&](unsigned long long* count) {
        plain_collision_count(spheres_.data(), n(), spec().bench.dimensions, count, stream());
      });
    }
    const u64 expected = *expected_ * repeats();
    const double difference = std::fabs(static_cast<double>(got) - static_cast<double>(expected));
    return {got == expected, difference / std::fmax(1.0, static_cast<double>(expected)),
            "number of pairs by a plain loop"};
  }

  void damage() override {
    const unsigned long long wrong = count_.download(stream())[0] + 1;
    count_.upload({&wrong, 1}, stream());
  }

  DeviceBuffer<Sphere<Real>> spheres_;
  DeviceBuffer<unsigned long long> count_;
  std::optional<u64> expected_;  ///< of one run
};

}  // namespace

std::unique_ptr<BenchCase> make_collision_bench(const CaseSpec& spec) {
  const BenchSpec& bench = spec.bench;
  if (bench.dimensions != 1 && bench.dimensions != 3) {
    throw ConfigError(fmt::format("collision has 1 or 3 dimensions, not {}.", bench.dimensions));
  }
  if (rec_from_device(spec)) {
    throw ConfigError("--map rec is launched from the device for dummy and edm only; launch it from the host.");
  }
  const KernelChoice kernel = choose_kernel(spec.pair_map(), bench.n, bench.block, collision_tile_for(bench.n),
                                            {kCollisionTileSmall, kCollisionTileLarge});
  if (spec.is(Baseline::lambda_alone) &&
      !(kernel.tiles && bench.precision == Precision::fp32 && bench.dimensions == 3)) {
    throw ConfigError(
        fmt::format("--map lambda-alone is compiled for --precision fp32, 3 dimensions and --block {} or {}.",
                    kCollisionTileSmall, kCollisionTileLarge));
  }
  const std::string what = fmt::format("the data of {} bodies", bench.n);
  const u64 sphere = bench.precision == Precision::fp32 ? sizeof(Sphere<float>) : sizeof(Sphere<double>);
  const auto bytes = [&](u64 n) {
    return static_cast<double>(n * sphere) + table_bytes(spec.pair_map(), n, kernel.block);
  };
  // On the host: eight float64 a body, half as many again while the arrays grow, and the packed spheres.
  const auto host_bytes = [&](u64 n) { return static_cast<double>(n * (12 * sizeof(double) + sphere)); };
  require_memory(host_bytes(bench.n), what,
                 size_hint("Use --n ", largest_that_fits(host_bytes, available_memory()), " or less"));
  require_device_memory_for(bytes, bench.n, what, "Use --n ", " or less");
  if (bench.precision == Precision::fp32) return std::make_unique<CollisionCase<float>>(spec, kernel);
  return std::make_unique<CollisionCase<double>>(spec, kernel);
}

}  // namespace tri::cuda
