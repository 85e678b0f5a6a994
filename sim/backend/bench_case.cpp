/// Names and domains of the bench kernels, and what every backend refuses.

#include "sim/backend/bench_case.hpp"

#include <fmt/format.h>

#include <chrono>

#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"

namespace tri {

const char* to_string(BenchKernel kernel) {
  switch (kernel) {
    case BenchKernel::dummy:
      return "dummy";
    case BenchKernel::edm:
      return "edm";
    case BenchKernel::collision:
      return "collision";
    case BenchKernel::gravity:
      return "gravity";
    case BenchKernel::triplet:
      return "triplet";
    case BenchKernel::gasket:
      return "gasket";
    case BenchKernel::dummy3:
      return "dummy3";
  }
  TRI_UNREACHABLE("a BenchKernel outside its enum");
}

u64 BenchCase::run_for(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  u64 times = 0;
  do {
    run();
    ++times;
  } while (std::chrono::steady_clock::now() < end);
  return times;
}

Domain domain_of(BenchKernel kernel) {
  switch (kernel) {
    case BenchKernel::triplet:
    case BenchKernel::dummy3:
      return Domain::tetrahedron;
    case BenchKernel::gasket:
      return Domain::gasket;
    default:
      return Domain::triangle;
  }
}

void check_features(const BenchSpec& spec) {
  if (spec.features != 0 && spec.features <= PointSet::kMaxFeatures) return;
  throw ConfigError(fmt::format("--features {} is out of range; use 1 to {}.", spec.features, PointSet::kMaxFeatures));
}

}  // namespace tri
