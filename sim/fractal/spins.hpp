#pragma once
/// Spins on the cells of a fractal by Metropolis' Monte Carlo: E = -(sum over neighbouring cells of s_i s_j), s = 1 or
/// -1, at a temperature in units of the coupling.
///
/// A sweep asks each spin once, colour by colour. The colour of a cell is its lowest digit in base k, so F(k, s) brings
/// its own k colours: cells of one colour are s >= 2 positions apart, so none is a neighbour of another, and all of
/// them may turn at once. In compact storage a colour is every k-th column.
///
///     colours of the gasket      0 .          a spin is asked with the random number of (seed, cell, sweep), whoever
///                                1 2          asks it: map, block, threads and backend change no bit
///     0 . 0 .
///     1 2 1 2

#include <vector>

#include "sim/base/platform.hpp"

namespace tri {

/// The first word of Philox 4x32-10, the generator without a state of Salmon et al. 2011, for a counter of 128 bits.
TRI_HD constexpr u32 random_word(u64 key, u64 low, u64 high) {
  u32 c0 = static_cast<u32>(low), c1 = static_cast<u32>(low >> 32);
  u32 c2 = static_cast<u32>(high), c3 = static_cast<u32>(high >> 32);
  u32 k0 = static_cast<u32>(key), k1 = static_cast<u32>(key >> 32);
  for (u32 round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const u64 first = u64{0xD2511F53u} * c0, second = u64{0xCD9E8D57u} * c2;
    c0 = static_cast<u32>(second >> 32) ^ c1 ^ k0;
    c1 = static_cast<u32>(second);
    c2 = static_cast<u32>(first >> 32) ^ c3 ^ k1;
    c3 = static_cast<u32>(first);
  }
  return c0;
}

/// Which positions around a cell are its neighbours.
enum class SpinNeighbours : u8 {
  all,    ///< the 8 (26) of automata
  faces,  ///< the 4 (6) that share a side with it
};

/// What a box around a tile holds: how many neighbours there are and how many of them are up follow from one sum.
TRI_HD constexpr u8 boxed_spin(u32 up) { return static_cast<u8>(up != 0 ? 33 : 1); }

struct SpinRule {
  static constexpr u32 kMaxNeighbours = 26;

  u64 seed = 0;
  SpinNeighbours neighbours = SpinNeighbours::all;
  /// accept[h]: a spin turns against h more parallel neighbours than others if its random word is below; [0] is unused.
  u32 accept[kMaxNeighbours + 1] = {};

  /// s_i times the sum of its neighbours' s_j; `boxed` is the sum of their boxed_spin().
  TRI_HD static constexpr int alignment(u32 up, u32 boxed) {
    const int sum = static_cast<int>(2 * (boxed >> 5)) - static_cast<int>(boxed & 31u);
    return up != 0 ? sum : -sum;
  }
  /// The spin after it was asked; cell: its number in compact order.
  TRI_HD constexpr u8 next(u32 up, u32 boxed, u64 cell, u64 sweep) const {
    const int h = alignment(up, boxed);
    return static_cast<u8>(h <= 0 || random_word(seed, cell, sweep) < accept[h] ? 1 - up : up);
  }
};

/// temperature > 0; the table is computed here once, so that no backend rounds it otherwise.
SpinRule spin_rule(double temperature, SpinNeighbours neighbours, u64 seed);

/// Exact sums over a state.
struct SpinSums {
  i64 magnetisation = 0;  ///< sum of s_i
  i64 alignment = 0;      ///< sum over i of s_i times the sum of its neighbours
  i64 energy() const { return -alignment / 2; }
  friend bool operator==(const SpinSums&, const SpinSums&) = default;
};

/// A quantity over the second half of a run.
struct SpinMean {
  double mean = 0, error = 0;  ///< error: of the mean, from 16 bins
};
SpinMean second_half(const std::vector<double>& values);

}  // namespace tri
