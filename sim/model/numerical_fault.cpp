#include "sim/model/numerical_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "sim/base/error.hpp"

namespace tri {
namespace {

const char* last_cure(Precision precision) {
  return precision == Precision::fp32 ? "--precision fp64" : "units in which lengths and masses are nearer to 1";
}

}  // namespace

std::string force_fault(const Bodies& bodies, Precision precision, const char* what, u32 first_bad,
                        const std::string& when) {
  const u32 n = static_cast<u32>(bodies.size());
  std::vector<u32> order(n);
  std::iota(order.begin(), order.end(), 0u);
  const auto position = [&bodies](u32 i) { return std::tuple(bodies.x[i], bodies.y[i], bodies.z[i]); };
  std::sort(order.begin(), order.end(),
            [&](u32 a, u32 b) { return std::tuple(position(a), a) < std::tuple(position(b), b); });
  u32 body = n, other = n;
  for (u32 k = 0; k + 1 < n; ++k) {
    if (position(order[k]) == position(order[k + 1]) && order[k] < body) body = order[k], other = order[k + 1];
  }
  const bool together = body < n;
  if (!together) body = first_bad;
  const std::string cause = together ? fmt::format("it coincides with body {}", other)
                                     : fmt::format("the numbers left the range of {}", to_string(precision));
  return fmt::format(
      "body {} has {} that is not finite{}, at ({:g}, {:g}, {:g}): {}. Use a softening, a smaller --dt or {}.", body,
      what, when, bodies.x[body], bodies.y[body], bodies.z[body], cause, last_cure(precision));
}

std::string state_fault(u32 body, u64 step, Precision precision) {
  return fmt::format(
      "body {} has a position or velocity that is not finite after step {}: the numbers left the range of {}. Use a "
      "smaller --dt, a softening or {}.",
      body, step, to_string(precision), last_cure(precision));
}

}  // namespace tri
