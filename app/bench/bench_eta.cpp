#include "app/bench/bench_eta.hpp"

#include <algorithm>
#include <cmath>

#include "sim/backend/bench_kernels.hpp"

namespace tri::app {
namespace {

/// Work grows as n to this power; for the gasket an upper bound, since bb walks the box around it.
double power(BenchKernel kernel) { return info(kernel).domain == Domain::tetrahedron ? 3 : 2; }

double distance(u64 a, u64 b) { return std::abs(std::log(static_cast<double>(a) / static_cast<double>(b))); }

}  // namespace

BenchEta::BenchEta(const BenchPlan& plan, std::vector<PlannedGroup> groups)
    : warmup_s_(plan.warmup_ms / 1e3), groups_(std::move(groups)), took_(groups_.size()) {}

void BenchEta::finished(std::size_t i, double seconds) { took_[i] = seconds; }

/// From the timed group of this kernel whose n is nearest, the last of several.
std::optional<double> BenchEta::estimate(std::size_t i, const Seconds& took) const {
  const BenchSpec& spec = groups_[i].common;
  std::optional<std::size_t> nearest;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    if (!took[k] || *took[k] <= 0 || groups_[k].common.kernel != spec.kernel) continue;
    if (!nearest || distance(groups_[k].common.n, spec.n) <= distance(groups_[*nearest].common.n, spec.n)) nearest = k;
  }
  if (!nearest) return std::nullopt;
  const PlannedGroup& timed = groups_[*nearest];
  const double still = warmup_s_ * static_cast<double>(timed.maps.size());
  const double a_map = std::max(0.0, *took[*nearest] - still) / static_cast<double>(timed.maps.size());
  const double grown = std::pow(static_cast<double>(spec.n) / static_cast<double>(timed.common.n), power(spec.kernel));
  return static_cast<double>(groups_[i].maps.size()) * (warmup_s_ + a_map * grown);
}

std::optional<double> BenchEta::left(std::size_t now, double seconds, double done) const {
  Seconds took = took_;
  double sum = 0;
  if (done > 0) took[now] = seconds / done, sum = seconds / done - seconds;
  for (std::size_t i = now; i < groups_.size(); ++i) {
    if (took[i]) continue;
    const std::optional<double> whole = estimate(i, took);
    if (!whole) return std::nullopt;
    sum += std::max(0.0, *whole - (i == now ? seconds : 0));
  }
  return sum;
}

}  // namespace tri::app
