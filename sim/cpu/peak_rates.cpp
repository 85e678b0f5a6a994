// Peak rates: multiply-adds in registers, and stores that pass the caches by.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/peak_rates.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "sim/cpu/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

/// Two pipes of up to five cycles: ten chains keep both busy, and twelve fit into sixteen registers.
constexpr std::size_t kChains = 12;

std::size_t lanes_of_turn() { return kChains * hn::Lanes(hn::ScalableTag<float>()); }

/// Each chain is x = x * a + b with the fixed point 1, which it never leaves.
float chains(u64 turns) {
  const hn::ScalableTag<float> d;
  const auto a = hn::Set(d, 0.75f), b = hn::Set(d, 0.25f);
  auto x0 = hn::Set(d, 1.0f), x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0;
  auto x6 = x0, x7 = x0, x8 = x0, x9 = x0, x10 = x0, x11 = x0;
  for (u64 turn = 0; turn < turns; ++turn) {
    x0 = hn::MulAdd(x0, a, b), x1 = hn::MulAdd(x1, a, b), x2 = hn::MulAdd(x2, a, b), x3 = hn::MulAdd(x3, a, b);
    x4 = hn::MulAdd(x4, a, b), x5 = hn::MulAdd(x5, a, b), x6 = hn::MulAdd(x6, a, b), x7 = hn::MulAdd(x7, a, b);
    x8 = hn::MulAdd(x8, a, b), x9 = hn::MulAdd(x9, a, b), x10 = hn::MulAdd(x10, a, b), x11 = hn::MulAdd(x11, a, b);
  }
  const auto sum =
      hn::Add(hn::Add(hn::Add(x0, x1), hn::Add(x2, x3)),
              hn::Add(hn::Add(hn::Add(x4, x5), hn::Add(x6, x7)), hn::Add(hn::Add(x8, x9), hn::Add(x10, x11))));
  return hn::GetLane(hn::SumOfLanes(d, sum)) / static_cast<float>(lanes_of_turn());
}

void stream(float* to, std::size_t count, float value) {
  const hn::ScalableTag<float> d;
  const auto v = hn::Set(d, value);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) hn::Stream(v, d, to + i);
  hwy::FlushStream();
}

}  // namespace

constexpr auto& turn_lanes = lanes_of_turn;
constexpr auto& run_chains = chains;
constexpr auto& run_stream = stream;

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tri::cpu {

HWY_EXPORT(turn_lanes);
HWY_EXPORT(run_chains);
HWY_EXPORT(run_stream);

u32 lanes_a_turn() { return static_cast<u32>(HWY_DYNAMIC_DISPATCH(turn_lanes)()); }
float multiply_adds(u64 turns) { return HWY_DYNAMIC_DISPATCH(run_chains)(turns); }
void stream_fill(float* to, std::size_t count, float value) { HWY_DYNAMIC_DISPATCH(run_stream)(to, count, value); }

}  // namespace tri::cpu
#endif
