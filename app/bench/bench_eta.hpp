#pragma once
/// How long the rest of a bench will take, from what its groups took so far.

#include <optional>
#include <vector>

#include "app/bench/bench_plan.hpp"

namespace tri::app {

/// A group costs its warm-ups, which have a length of their own, and its samples, which go by the work of their n:
/// pairs, triples, cells. The largest finished group of a kernel tells what its other groups will cost.
class BenchEta {
 public:
  BenchEta(const BenchPlan& plan, std::vector<PlannedGroup> groups);

  /// Group `i` is finished, after this long; one that was there already took 0 s, and tells nothing of others.
  void finished(std::size_t i, double seconds);
  /// Seconds for what is left when group `i` has come to the share `done` of its rounds in `seconds`; nothing while no
  /// group of a kernel that is still to come has begun its rounds.
  std::optional<double> left(std::size_t i, double seconds, double done) const;

 private:
  /// `took`: seconds of each group, as far as they are known.
  using Seconds = std::vector<std::optional<double>>;
  std::optional<double> estimate(std::size_t i, const Seconds& took) const;

  double warmup_s_;
  std::vector<PlannedGroup> groups_;
  Seconds took_;
};

}  // namespace tri::app
