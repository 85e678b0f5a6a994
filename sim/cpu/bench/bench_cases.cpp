// From a spec to a bench case: what all kernels share.

#include "sim/cpu/bench/bench_cases.hpp"

#include <fmt/format.h>

#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/base/threads.hpp"
#include "sim/cpu/kernels/tuning.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cpu {

void refuse_form(const char* what) {
  throw ConfigError(fmt::format("the cpu backend {}; leave the choice out, or use cuda.", what));
}

void round_to(Precision precision, std::vector<double>& values) {
  if (precision == Precision::fp64) return;
  for (double& v : values) v = static_cast<double>(static_cast<float>(v));
}

Walk<TriangleMapId> walk_of(const BenchSpec& spec, TriangleMapId map) {
  const u32 block = spec.block != 0 ? spec.block : default_pair_block(spec.n);
  return {map, triangle_grid(map, static_cast<u32>(spec.n), block),
          worthwhile_threads(triangular(spec.n), spec.threads)};
}

Walk<TetraMapId> walk_of(const BenchSpec& spec, TetraMapId map) {
  const u32 block = spec.block != 0 ? spec.block : default_triple_block(spec.n);
  return {map, tetra_grid(map, static_cast<u32>(spec.n), block),
          worthwhile_threads(triangular(spec.n) * spec.n, spec.threads)};
}

std::unique_ptr<BenchCase> make_cpu_bench(const BenchSpec& given, u32 backend_threads, Communicator* ranks) {
  if (given.n == 0 || given.n > 0xffffffffu) {
    throw ConfigError(fmt::format("--n {} is out of range; use 1 to 4294967295.", given.n));
  }
  if (given.timing == LaunchTiming::averaged) refuse_form("times its runs one by one, not as --timing averaged");
  if (given.map == "rec" && given.rec != RecForm::launches) {
    refuse_form("walks the grids of --map rec one after another only");
  }
  BenchSpec spec = given;
  if (spec.threads == 0) spec.threads = backend_threads;
  if (spec.threads > kMaxThreads) {
    throw ConfigError(fmt::format("--threads {} is more than {}; use fewer.", spec.threads, kMaxThreads));
  }
  const BenchSubject subject = subject_of(spec, "cpu");
  switch (spec.kernel) {
#define TRI_MAKE_BENCH(id) \
  case BenchKernel::id: \
    return make_##id##_bench(spec, subject, is_shared(spec) ? ranks : nullptr);
    TRI_BENCH_KERNELS(TRI_MAKE_BENCH)
#undef TRI_MAKE_BENCH
  }
  TRI_UNREACHABLE("a BenchKernel outside its enum");
}

}  // namespace tri::cpu
