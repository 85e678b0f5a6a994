#pragma once
/// Sums of forces, energies and jerks over the tiles of a map.
///
/// Forces of all pairs or all triples: threads walk the tiles of a map and sum in one of two ways.
///
/// fast      every thread adds to its own float64 arrays, which are added in thread order. The same map, tile side and
///           thread count give the same bits; others differ in the last ones.
/// ordered   every thread adds to its own integers, in units of a quantum; the sum does not depend on any order, nor on
///           the number of ranks.
///
/// The quantum of `ordered`: let L be the largest |component| of any contribution in this evaluation. It is found
/// exactly and depends neither on order nor on the quantum. With b = floor(log2(L) / 2) the quantum is 2^(2b + 2 - 51),
/// so L is 2^49 to 2^51 quanta, which fits the rounding of tile_common.hpp, and 128-bit sums hold any number of them.
/// An evaluation starts with the b of the previous one and is repeated if its own b differs. The guess affects time
/// only: forces are a function of the current state alone, so a run that is saved and continued, or that evaluates its
/// forces in between, stays bit-equal.

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "sim/cpu/kernels.hpp"
#include "sim/cpu/tile_loop.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cpu {

/// A contribution is infinite or not a number.
struct NotFinite {};

/// Sums of kVectors vectors a body, and buffers kept between evaluations to avoid allocations and second attempts.
/// Ranks share the tiles, and each gets all sums. Under ordered sums each vector has a quantum of its own, so that
/// jerks, which may be larger by many orders, cost the accelerations no digits.
template <std::size_t kVectors>
class VectorSums {
 public:
  explicit VectorSums(Communicator* ranks = nullptr) : ranks_(ranks) {}

  /// Who computes what, and how long it took.
  const Ranks& ranks() const { return ranks_; }
  /// Attempts of the last ordered evaluation (1 or 2), for tests.
  u32 attempts() const { return attempts_; }

 protected:
  /// The sums of a thread.
  template <class Sums>
  using Vectors = std::array<Sums, kVectors>;

  /// Calls use(sums), [3 kVectors, n]. walk(work) calls work(thread, tile) for all tiles of this rank's share;
  /// add(thread, tile, vectors) adds those of a tile. Throws NotFinite under `ordered`.
  template <class Real, class Walk, class Add, class Use>
  void sum(u32 n, u32 threads, Accumulate accumulate, const Walk& walk, const Add& add, const Use& use);

  Ranks ranks_;

 private:
  template <class Walk, class Add>
  std::span<double> sum_fast(u32 n, u32 threads, const Walk& walk, const Add& add);
  template <class Real, class Walk, class Add>
  std::vector<double> sum_ordered(u32 n, u32 threads, const Walk& walk, const Add& add);

  std::vector<std::vector<double>> fast_;   ///< [threads] of 3 kVectors n
  std::vector<std::vector<Wide>> ordered_;  ///< likewise
  std::array<int, kVectors> bucket_{};
  u32 attempts_ = 0;
};

/// The sums of one law.
class ForceSums : public VectorSums<1> {
 public:
  explicit ForceSums(Communicator* ranks = nullptr) : VectorSums(ranks), series_ranks(ranks) {}

  std::vector<double> x, y, z;  ///< [n] after an evaluation: accelerations or forces, as the law sums
  Ranks series_ranks;           ///< that share the series of a tree (tree.hpp)

  /// For field.pair, not none. Throws NotFinite under `ordered` when a contribution is not finite; under `fast` the
  /// sums then contain infinity or NaN.
  template <class Real>
  void add_pairs(const ForceField& field, const BodyView<Real>& bodies, const Walk<TriangleMapId>& walk,
                 Accumulate accumulate);
  /// The same over only these pairs (row, column) of n bodies: equal to all pairs if all others contribute nothing.
  /// `ordered`: the same bits.
  template <class Real>
  void add_listed(const ForceField& field, const BodyView<Real>& bodies, u32 n,
                  std::span<const std::pair<u32, u32>> pairs, u32 threads, Accumulate accumulate);
  /// The same over only these tiles of pairs.
  template <class Real>
  void add_tiles(const ForceField& field, const BodyView<Real>& bodies, u32 n, std::span<const PairTile> tiles,
                 u32 threads, Accumulate accumulate);
  /// For field.triple, not none. As add_pairs.
  template <class Real>
  void add_triples(const ForceField& field, const BodyView<Real>& bodies, const Walk<TetraMapId>& walk,
                   Accumulate accumulate);

 private:
  template <class Tile, class Real, class WalkTiles>
  void sum_law(const ForceField& field, const BodyView<Real>& bodies, u32 n, u32 threads, Accumulate accumulate,
               const WalkTiles& walk);
};

/// Potential and virial of all pairs (or triples), in float64. Walks its own choice of tiles and adds in a fixed order,
/// so that the result depends on neither map nor threads nor ranks.
TileEnergy pair_energy(const ForceField& field, const BodyView<double>& bodies, u32 n, u32 threads, Ranks& ranks);
TileEnergy triple_energy(const ForceField& field, const BodyView<double>& bodies, u32 n, u32 threads, Ranks& ranks);

/// Accelerations and jerks of gravity over all pairs, in float64.
class JerkSums : public VectorSums<2> {
 public:
  using VectorSums::VectorSums;

  std::array<std::vector<double>, 3> a, j;  ///< [n] each after an evaluation
  double fall = 0, fly = 0;                 ///< the largest squared rates of a pair (gravity.hpp)

  /// Throws NotFinite under `ordered` when a contribution is not finite; under `fast` the sums then contain infinity or
  /// NaN.
  void evaluate(const ForceField& field, const BodyView<double>& bodies, const Walk<TriangleMapId>& walk,
                Accumulate accumulate);
};

}  // namespace tri::cpu
