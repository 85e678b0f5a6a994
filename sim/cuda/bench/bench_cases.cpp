// From a spec to a bench case: what all kernels share.

#include "sim/cuda/bench/bench_cases.hpp"

#include <fmt/format.h>

#include <chrono>

#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/kernels/pairs/rec_device.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/map_choice.hpp"

namespace tri::cuda {

double CudaCase::run() {
  TRI_CUDA(cudaSetDevice(spec_.device));
  if (!ran_) {
    poison();  // the trial runs read what they add to
    timed_->calibrate(stream_);
    ran_ = true;
  }
  poison();
  return timed_->run(stream_);
}

u64 CudaCase::run_for(double seconds) {
  if (!ran_) run();
  TRI_CUDA(cudaSetDevice(spec_.device));
  poison();
  stream_.synchronize();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  u64 times = 0;
  do {
    timed_->run(stream_);  // waits for its end; nothing is poisoned between, which would cost energy too
    times += timed_->repeats();
  } while (std::chrono::steady_clock::now() < end);
  return times;
}

BenchCheck CudaCase::check() {
  TRI_CUDA(cudaSetDevice(spec_.device));
  if (!ran_) return {false, 1.0, "nothing, for nothing has run"};
  return compare();
}

void CudaCase::corrupt_output() {
  TRI_CUDA(cudaSetDevice(spec_.device));
  if (ran_) damage();
}

void CudaCase::set_work(PreparedLaunch work, u32 block) {
  const bool branches = spec_.map == TriangleMapId::rec && spec_.bench.rec == RecForm::graph;
  timed_ = std::make_unique<TimedWork>(std::move(work), branches ? GraphShape::branches : GraphShape::chain,
                                       spec_.bench.timing);
  block_ = block;
}

void check_rec_from_device(const CaseSpec& spec, u32 block) {
  if (spec.bench.precision != Precision::fp32) {
    throw ConfigError("--map rec launched from the device is there in fp32 only; use --precision fp32.");
  }
  if (tiles_per_side(TriangleRec::kInfo, spec.bench.n, block) > kRecDeviceSide) {
    throw ConfigError(
        fmt::format("--map rec launched from the device takes {} blocks a side, with --block {} to n = {}; "
                    "n = {}. Use --n {} or less, or launch it from the host.",
                    kRecDeviceSide, block, kRecDeviceSide * block, spec.bench.n, kRecDeviceSide * block));
  }
}

namespace {

CaseSpec case_spec(const BenchSpec& given, int device) {
  if (domain_of(given.kernel) == Domain::tetrahedron) {
    return {given, TriangleMapId::lambda, device, BaselineKernel::none, tetra_map_from(given.map)};
  }
  if (given.map == "fill" && given.kernel == BenchKernel::edm) {
    return {given, TriangleMapId::lambda, device, BaselineKernel::fill};
  }
  if (given.map == "lambda-alone" && (given.kernel == BenchKernel::edm || given.kernel == BenchKernel::collision)) {
    return {given, TriangleMapId::lambda, device, BaselineKernel::lambda_alone};
  }
  return {given, triangle_map_from(given.map), device};
}

}  // namespace

Availability cuda_benches(BenchKernel) { return {true, ""}; }

std::unique_ptr<BenchCase> make_cuda_bench(const BenchSpec& given, int device) {
  switch (given.kernel) {
    case BenchKernel::dummy:
      return make_dummy_bench(case_spec(given, device));
    case BenchKernel::edm:
      return make_distance_bench(case_spec(given, device));
    case BenchKernel::collision:
      return make_collision_bench(case_spec(given, device));
    case BenchKernel::gravity:
      return make_gravity_bench(case_spec(given, device));
    case BenchKernel::dummy3:
      return make_dummy3_bench(case_spec(given, device));
    case BenchKernel::triplet:
      return make_triplet_bench(case_spec(given, device));
    case BenchKernel::gasket:
      return make_gasket_bench({given, TriangleMapId::lambda, device});
  }
  TRI_UNREACHABLE("a BenchKernel outside its enum");
}

}  // namespace tri::cuda
