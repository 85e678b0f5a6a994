#include "sim/cpu/kernels/jerk_sums.hpp"

#include <algorithm>
#include <cmath>

#include "sim/cpu/kernels/quantum.hpp"

namespace tri::cpu {
namespace {

constexpr u32 kAxes = 6;

/// Sums that a thread adds to, in its memory of [6, n].
template <class Sums, class Number>
JerkTotals<Sums> totals_in(std::vector<Number>& memory, u32 n) {
  memory.assign(std::size_t{kAxes} * n, 0);
  JerkTotals<Sums> totals;
  for (std::size_t k = 0; k < 3; ++k) {
    totals.acceleration.axis[k] = memory.data() + k * n;
    totals.jerk.axis[k] = memory.data() + (k + 3) * n;
  }
  return totals;
}

/// The bits of the largest contribution of any thread.
u64 largest(const std::vector<JerkTotals<OrderedSums>>& threads, OrderedSums JerkTotals<OrderedSums>::*which) {
  u64 most = 0;
  for (const auto& totals : threads) most = std::max(most, (totals.*which).largest);
  return most;
}

}  // namespace

template <class Sums>
void JerkSums::take_rates(const std::vector<JerkTotals<Sums>>& threads) {
  fall = fly = 0;
  for (const auto& totals : threads) fall = std::max(fall, totals.fall), fly = std::max(fly, totals.fly);
}

void JerkSums::sum_fast(const ForceField& field, const BodyView<double>& bodies, const Walk<TriangleMapId>& walk) {
  const u32 n = walk.grid.n;
  fast_.resize(std::max<std::size_t>(fast_.size(), walk.threads));
  std::vector<JerkTotals<FastSums>> totals;
  for (u32 t = 0; t < walk.threads; ++t) totals.push_back(totals_in<FastSums>(fast_[t], n));
  for_each_pair_tile(walk.map, walk.grid, walk.threads,
                     [&](u32 thread, const PairTile& tile) { add_tile(field, bodies, tile, totals[thread]); });
  for (u32 k = 0; k < kAxes; ++k) {
    axis(k).assign(n, 0.0);
    for (u32 t = 0; t < walk.threads; ++t) {
      const double* const from = fast_[t].data() + std::size_t{k} * n;
      for (u32 i = 0; i < n; ++i) axis(k)[i] += from[i];
    }
  }
  take_rates(totals);
}

void JerkSums::sum_ordered(const ForceField& field, const BodyView<double>& bodies, const Walk<TriangleMapId>& walk) {
  const u32 n = walk.grid.n;
  ordered_.resize(std::max<std::size_t>(ordered_.size(), walk.threads));
  std::vector<JerkTotals<OrderedSums>> totals(walk.threads);
  std::array<int, 2> exponent{};
  for (bool again = true; again;) {
    for (std::size_t v = 0; v < 2; ++v) exponent[v] = scale_exponent(bucket_[v]);
    for (u32 t = 0; t < walk.threads; ++t) {
      totals[t] = totals_in<OrderedSums>(ordered_[t], n);
      totals[t].acceleration.scale = std::ldexp(1.0, exponent[0]);
      totals[t].jerk.scale = std::ldexp(1.0, exponent[1]);
    }
    for_each_pair_tile(walk.map, walk.grid, walk.threads,
                       [&](u32 thread, const PairTile& tile) { add_tile(field, bodies, tile, totals[thread]); });
    const double most[2] = {from_bits<double>(largest(totals, &JerkTotals<OrderedSums>::acceleration)),
                            from_bits<double>(largest(totals, &JerkTotals<OrderedSums>::jerk))};
    again = false;
    for (std::size_t v = 0; v < 2; ++v) {
      if (!std::isfinite(most[v])) throw ForceSums::NotFinite{};
      if (most[v] == 0 || bucket_of(most[v]) == bucket_[v]) continue;
      bucket_[v] = bucket_of(most[v]);
      again = true;
    }
  }
  for (u32 k = 0; k < kAxes; ++k) {
    axis(k).resize(n);
    for (u32 i = 0; i < n; ++i) {
      Wide sum = 0;
      for (u32 t = 0; t < walk.threads; ++t) sum += ordered_[t][std::size_t{k} * n + i];
      axis(k)[i] = std::ldexp(static_cast<double>(sum), -exponent[k / 3]);
    }
  }
  take_rates(totals);
}

void JerkSums::evaluate(const ForceField& field, const BodyView<double>& bodies, const Walk<TriangleMapId>& walk,
                        Accumulate accumulate) {
  accumulate == Accumulate::fast ? sum_fast(field, bodies, walk) : sum_ordered(field, bodies, walk);
}

}  // namespace tri::cpu
