#pragma once
/// Sorting and filling of many values that a stop ends.

#include <algorithm>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

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

constexpr u64 kFilledAtOnce = u64{8} << 20;  ///< bytes

/// std::fill() that reports as a loop does.
template <class T>
void fill_watched(std::span<T> values, const std::type_identity_t<T>& value) {
  constexpr u64 kPiece = kFilledAtOnce / sizeof(T);
  LoopProgress progress(values.size());
  for (u64 at = 0; at < values.size(); at += kPiece) {
    progress.at(at);
    const auto piece = values.subspan(at, std::min<u64>(kPiece, values.size() - at));
    std::fill(piece.begin(), piece.end(), value);
  }
}

/// Sets a vector to so many of a value, likewise: the system clears memory at its first touch, a gigabyte in up to
/// seconds.
template <class T>
void assign_watched(std::vector<T>& values, u64 count, const std::type_identity_t<T>& value = T()) {
  values.clear(), values.reserve(count);
  LoopProgress progress(count);
  while (values.size() < count) {
    progress.at(values.size());
    values.resize(std::min(count, values.size() + kFilledAtOnce / sizeof(T)), value);
  }
}

}  // namespace tri
