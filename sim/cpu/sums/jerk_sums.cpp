#include "sim/cpu/sums/jerk_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/cpu/sums/quantum.hpp"

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
  // Numbers that are not negative order like their bits.
  std::array<u64, 2> bits{std::bit_cast<u64>(fall), std::bit_cast<u64>(fly)};
  ranks_.max(bits);
  fall = std::bit_cast<double>(bits[0]), fly = std::bit_cast<double>(bits[1]);
}

void JerkSums::take(u32 n, std::span<const double> sums) {
  for (u32 k = 0; k < kAxes; ++k) {
    const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(u64{k} * n);
    axis(k).assign(begin, begin + n);
  }
}

void JerkSums::sum_fast(const ForceField& field, const BodyView<double>& bodies, const Walk<TriangleMapId>& walk) {
  const u32 n = walk.grid.n;
  fast_.resize(std::max<std::size_t>(fast_.size(), walk.threads));
  std::vector<JerkTotals<FastSums>> totals;
  for (u32 t = 0; t < walk.threads; ++t) totals.push_back(totals_in<FastSums>(fast_[t], n));
  ranks_.together([&] {
    for_each_pair_tile(
        walk.map, walk.grid, walk.threads,
        [&](u32 thread, const PairTile& tile) { add_tile(field, bodies, tile, totals[thread]); }, ranks_.share());
  });
  std::vector<double>& total = fast_.front();
  for (u32 t = 1; t < walk.threads; ++t) {
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += fast_[t][k];
  }
  ranks_.sum(std::span(total));
  take(n, total);
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
    ranks_.together([&] {
      for_each_pair_tile(
          walk.map, walk.grid, walk.threads,
          [&](u32 thread, const PairTile& tile) { add_tile(field, bodies, tile, totals[thread]); }, ranks_.share());
    });
    std::array<u64, 2> bits{largest(totals, &JerkTotals<OrderedSums>::acceleration),
                            largest(totals, &JerkTotals<OrderedSums>::jerk)};
    ranks_.max(bits);
    const double most[2] = {from_bits<double>(bits[0]), from_bits<double>(bits[1])};
    again = false;
    for (std::size_t v = 0; v < 2; ++v) {
      if (!std::isfinite(most[v])) throw ForceSums::NotFinite{};
      if (most[v] == 0 || bucket_of(most[v]) == bucket_[v]) continue;
      bucket_[v] = bucket_of(most[v]);
      again = true;
    }
  }
  std::vector<Wide>& total = ordered_.front();
  for (u32 t = 1; t < walk.threads; ++t) {
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += ordered_[t][k];
  }
  const auto [begin, end] = ranks_.sum_slices(total);
  std::vector<double> sums(total.size());
  for (u64 k = begin; k < end; ++k) {
    sums[k] = std::ldexp(static_cast<double>(total[k]), -exponent[k < std::size_t{3} * n ? 0 : 1]);
  }
  ranks_.gather_slices(sums);
  take(n, sums);
  take_rates(totals);
}

void JerkSums::evaluate(const ForceField& field, const BodyView<double>& bodies, const Walk<TriangleMapId>& walk,
                        Accumulate accumulate) {
  accumulate == Accumulate::fast ? sum_fast(field, bodies, walk) : sum_ordered(field, bodies, walk);
}

}  // namespace tri::cpu
