// From a spec to a bench case: what all kernels share.

#include "sim/cpu/bench/bench_cases.hpp"

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/cpu/kernels/tuning.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/model/map_choice.hpp"

namespace tri::cpu {
namespace {

u32 default_block(const BenchSpec& spec) {
  switch (spec.kernel) {
    case BenchKernel::triplet:
    case BenchKernel::dummy3:
      return default_triple_block(spec.n);
    case BenchKernel::edm:
      return default_distance_block(spec.n);
    case BenchKernel::gasket:
      return 0;  // depends on the fractal
    default:
      return default_pair_block(spec.n);
  }
}

/// Forms that only a device has are refused, not ignored. Work and synchronised launches are one and the same here.
void refuse_device_forms(const BenchSpec& spec) {
  const char* what = nullptr;
  const bool dummy = spec.kernel == BenchKernel::dummy || spec.kernel == BenchKernel::dummy3;
  if (dummy && spec.dummy != DummyForm::hold) {
    what = "times the dummy kernels in their form hold only";
  } else if (spec.kernel == BenchKernel::edm && spec.layout != DistanceLayout::condensed) {
    what = "times edm in the condensed layout only";
  } else if (spec.kernel == BenchKernel::collision && spec.dimensions != 3) {
    what = "times collision in three dimensions only";
  } else if (spec.timing == LaunchTiming::averaged) {
    what = "times its runs one by one, not as --timing averaged";
  } else if (spec.map == "rec" && spec.rec != RecForm::launches) {
    what = "walks the grids of --map rec one after another only";
  }
  if (spec.map == "fill" || spec.map == "lambda-alone") {
    throw ConfigError(fmt::format("--map {} is there on the cuda backend only; leave it out, or use cuda.", spec.map));
  }
  if (what != nullptr) throw ConfigError(fmt::format("the cpu backend {}; leave the choice out, or use cuda.", what));
}

}  // namespace

void round_to(Precision precision, std::vector<double>& values) {
  if (precision == Precision::fp64) return;
  for (double& v : values) v = static_cast<double>(static_cast<float>(v));
}

Walk<TriangleMapId> triangle_walk(const BenchSpec& spec) {
  const TriangleMapId map = triangle_map_from(spec.map);
  const u32 n = static_cast<u32>(spec.n);
  return {map, triangle_grid(map, n, spec.block), worthwhile_threads(triangular(spec.n), spec.threads)};
}

Walk<TetraMapId> tetra_walk(const BenchSpec& spec) {
  const TetraMapId map = tetra_map_from(spec.map);
  const u32 n = static_cast<u32>(spec.n);
  return {map, tetra_grid(map, n, spec.block), worthwhile_threads(triangular(spec.n) * spec.n, spec.threads)};
}

std::unique_ptr<BenchCase> make_cpu_bench(const BenchSpec& given, u32 backend_threads) {
  if (given.n == 0 || given.n > 0xffffffffu) {
    throw ConfigError(fmt::format("--n {} is out of range; use 1 to 4294967295.", given.n));
  }
  refuse_device_forms(given);
  BenchSpec spec = given;
  if (spec.block == 0) spec.block = default_block(spec);
  if (spec.threads == 0) spec.threads = backend_threads;
  if (spec.threads > kMaxThreads) {
    throw ConfigError(fmt::format("--threads {} is more than {}; use fewer.", spec.threads, kMaxThreads));
  }
  switch (spec.kernel) {
    case BenchKernel::dummy:
      return make_dummy_bench(spec);
    case BenchKernel::edm:
      return make_distance_bench(spec);
    case BenchKernel::collision:
      return make_collision_bench(spec);
    case BenchKernel::gravity:
      return make_gravity_bench(spec);
    case BenchKernel::dummy3:
      return make_dummy3_bench(spec);
    case BenchKernel::triplet:
      return make_triplet_bench(spec);
    case BenchKernel::gasket:
      return make_gasket_bench(spec);
  }
  throw ConfigError(
      "--kernel names no kernel of this backend; use dummy, dummy3, edm, collision, gravity, triplet "
      "or gasket.");
}

}  // namespace tri::cpu
