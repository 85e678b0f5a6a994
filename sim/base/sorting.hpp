#pragma once
/// Sorting of many values that a stop ends.

#include <algorithm>
#include <functional>

#include "sim/base/progress.hpp"

namespace tri {

/// std::sort() that reports as a loop does; cancelled, it leaves the values in some order.
template <class Iterator, class Less = std::less<>>
void sort_reporting(Iterator first, Iterator last, Less less = {}) {
  constexpr u64 kEvery = 4096, kLevels = 20;  // comparisons between two looks; of a value, about
  LoopProgress progress(kLevels * static_cast<u64>(last - first));
  u64 compared = 0;
  std::sort(first, last, [&](const auto& a, const auto& b) {
    if (++compared % kEvery == 0) progress.at(compared);
    return less(a, b);
  });
}

}  // namespace tri
