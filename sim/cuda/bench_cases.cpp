// From a spec to a bench case: what all kernels share.

#include "sim/cuda/bench_cases.hpp"

#include <fmt/format.h>

#include "sim/cuda/kernels/rec_device.hpp"
#include "sim/error.hpp"
#include "sim/map_choice.hpp"
#include "sim/maps/map_registry.hpp"

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

BenchCheck CudaCase::check() {
  TRI_CUDA(cudaSetDevice(spec_.device));
  if (!ran_) return {false, 1.0, "nothing, for nothing has run"};
  return compare();
}

void CudaCase::corrupt_output() {
  TRI_CUDA(cudaSetDevice(spec_.device));
  if (ran_) damage();
}

void CudaCase::set_work(Prepared work, u32 block) {
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

std::unique_ptr<BenchCase> make_cuda_bench(const BenchSpec& given, int device) {
  switch (given.kernel) {
    case BenchKernel::dummy:
      return make_dummy_bench({given, triangle_map_from(given.map), device});
    case BenchKernel::edm:
      return make_edm_bench({given, triangle_map_from(given.map), device});
    case BenchKernel::collision:
      return make_collision_bench({given, triangle_map_from(given.map), device});
    case BenchKernel::gravity:
      return make_gravity_bench({given, triangle_map_from(given.map), device});
    case BenchKernel::triplet:
    case BenchKernel::gasket:
      break;
  }
  throw ConfigError(
      fmt::format("--kernel {} runs on the cpu backend; the cuda backend has dummy, edm, collision and "
                  "gravity. Add --backend cpu, or take one of these.",
                  to_string(given.kernel)));
}

}  // namespace tri::cuda
