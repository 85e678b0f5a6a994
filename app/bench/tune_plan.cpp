#include "app/bench/tune_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"

namespace tri::app {
namespace {

constexpr u64 kMin = 256, kMax = u64{1} << 20;

std::vector<u64> usual_sizes() {
  std::vector<u64> sizes;
  for (u64 n = 1024; n <= 262144; n *= 2) sizes.push_back(n);
  return sizes;
}

}  // namespace

std::vector<u64> tune_sizes(const RunConfig& config) {
  std::vector<u64> sizes = config.bench.sizes.empty() ? usual_sizes() : config.bench.sizes;
  std::sort(sizes.begin(), sizes.end());
  if (sizes.front() < kMin || sizes.back() > kMax) {
    throw ConfigError(fmt::format("--tune: sizes from {} to {} are tried; --n has {}.", kMin, kMax,
                                  sizes.front() < kMin ? sizes.front() : sizes.back()));
  }
  return sizes;
}

void check_tune(const RunConfig& config) {
  for (const std::string& option : config.given) {
    const auto allowed = {"--tune", "--n", "--precision", "--backend", "--device", "--output", "--quiet", "--verbose"};
    if (std::find(allowed.begin(), allowed.end(), option) != allowed.end()) continue;
    throw ConfigError(
        fmt::format("--tune times every tile on the map lambda by itself; leave {} out. It takes --n, "
                    "--precision, --backend, --device and -o.",
                    option));
  }
  tune_sizes(config);
}

}  // namespace tri::app
