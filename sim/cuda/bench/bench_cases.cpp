// From a spec to a bench case: what all kernels share.

#include "sim/cuda/bench/bench_cases.hpp"

#include <fmt/format.h>

#include <chrono>

#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/kernels/distances/rec_device.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {

double CudaCase::run() {
  TRI_CUDA(cudaSetDevice(spec_.device));
  if (!ran_) {
    poison();  // the trial runs add to the output
    timed_->calibrate(stream_);
    ran_ = true;
  }
  poison();
  if (spec_.ranks != nullptr) {  // which begin together
    stream_.synchronize();
    spec_.ranks->largest(0);
  }
  return timed_->run(stream_);
}

u64 CudaCase::run_for(double seconds) {
  if (!ran_) run();
  TRI_CUDA(cudaSetDevice(spec_.device));
  poison();
  stream_.synchronize();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const auto goes_on = [&] {
    const u64 here = std::chrono::steady_clock::now() < end ? 1 : 0;
    return (spec_.ranks != nullptr ? spec_.ranks->largest(here) : here) != 0;
  };
  u64 times = 0;
  do {
    timed_->run(stream_);  // waits for its end; poisoning in between would cost energy too
    times += timed_->repeats();
  } while (goes_on());
  return times;
}

BenchCheck CudaCase::check() {
  TRI_CUDA(cudaSetDevice(spec_.device));
  if (!ran_) return {false, 1.0, "nothing was run"};
  return compare();
}

void CudaCase::corrupt_output() {
  TRI_CUDA(cudaSetDevice(spec_.device));
  if (ran_) damage();
}

void CudaCase::set_work(PreparedLaunch work, u32 block) {
  const bool branches = spec_.pair_map() == TriangleMapId::rec && spec_.bench.rec == RecForm::graph;
  timed_ = std::make_unique<TimedWork>(std::move(work), branches ? GraphShape::branches : GraphShape::chain,
                                       spec_.bench.timing, spec_.ranks);
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

std::unique_ptr<BenchCase> make_cuda_bench(const BenchSpec& given, int device, DeviceRanks* ranks) {
  const CaseSpec spec{given, subject_of(given, "cuda"), device, ranks};
  switch (given.kernel) {
#define TRI_MAKE_BENCH(id) \
  case BenchKernel::id: \
    return make_##id##_bench(spec);
    TRI_BENCH_KERNELS(TRI_MAKE_BENCH)
#undef TRI_MAKE_BENCH
  }
  TRI_UNREACHABLE("a BenchKernel outside its enum");
}

}  // namespace tri::cuda
