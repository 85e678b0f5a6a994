#pragma once
/// Accelerations and jerks of gravity over all pairs, in float64: as ForceSums, with two vectors a body. Under ordered
/// sums each of the two has a quantum of its own, so that jerks, which may be larger by many orders, cost the
/// accelerations no digits.

#include <array>
#include <vector>

#include "sim/cpu/sums/force_sums.hpp"

namespace tri::cpu {

class JerkSums {
 public:
  explicit JerkSums(Communicator* ranks = nullptr) : ranks_(ranks) {}

  std::array<std::vector<double>, 3> a, j;  ///< [n] each after an evaluation
  double fall = 0, fly = 0;                 ///< the largest squared rates of a pair (laws/gravity_jerk.hpp)

  /// Throws ForceSums::NotFinite under `ordered` when a contribution is not finite; under `fast` the sums then contain
  /// infinity or NaN.
  void evaluate(const ForceField& field, const BodyView<double>& bodies, const Walk<TriangleMapId>& walk,
                Accumulate accumulate);

  /// Who computes what, and how long it took.
  const Ranks& ranks() const { return ranks_; }

 private:
  void sum_fast(const ForceField& field, const BodyView<double>& bodies, const Walk<TriangleMapId>& walk);
  void sum_ordered(const ForceField& field, const BodyView<double>& bodies, const Walk<TriangleMapId>& walk);
  template <class Sums>
  void take_rates(const std::vector<JerkTotals<Sums>>& threads);
  /// All axes from [6 n] of this rank, whose slice is complete, or from all.
  void take(u32 n, std::span<const double> sums);
  std::vector<double>& axis(u32 k) { return k < 3 ? a[k] : j[k - 3]; }

  Ranks ranks_;
  std::vector<std::vector<double>> fast_;   ///< [threads] of 6 n
  std::vector<std::vector<Wide>> ordered_;  ///< [threads] of 6 n
  std::array<int, 2> bucket_{};             ///< of the accelerations and the jerks
};

}  // namespace tri::cpu
