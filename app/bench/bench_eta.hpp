#pragma once
/// How long the rest of a bench will take, from its groups so far.

#include <optional>
#include <vector>

#include "app/bench/bench_plan.hpp"

namespace tri::app {

/// A group costs its warm-ups, of fixed length, and its samples, which grow as the pairs, triples or cells of its n.
/// The finished group of a kernel that is nearest in n predicts the others.
class BenchEta {
 public:
  BenchEta(const BenchPlan& plan, std::vector<PlannedGroup> groups);

  /// Group `i` took this long; 0 for a group that was resumed, which predicts nothing.
  void finished(std::size_t i, double seconds);
  /// Seconds left when group `i` has done the share `done` of its rounds in `seconds`; nothing while a kernel that is
  /// still to come has no timed group.
  std::optional<double> left(std::size_t i, double seconds, double done) const;

 private:
  /// Seconds of each group, as far as known.
  using Seconds = std::vector<std::optional<double>>;
  std::optional<double> estimate(std::size_t i, const Seconds& took) const;

  double warmup_s_;
  std::vector<PlannedGroup> groups_;
  Seconds took_;
};

}  // namespace tri::app
