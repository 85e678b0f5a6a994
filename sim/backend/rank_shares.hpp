#pragma once
/// Which positions of a map each of several ranks works on, so who computes a tile.

#include <vector>

#include "sim/base/wide.hpp"
#include "sim/maps/map_concepts.hpp"

namespace tri {

/// A range of anything that can be counted, in parts of kWhole.
struct RankShare {
  static constexpr u64 kWhole = u64{1} << 24;
  u64 begin = 0, end = kWhole;

  u64 first(u64 count) const { return at(count, begin); }
  u64 last(u64 count) const { return at(count, end); }
  u64 part_of(u64 count) const { return last(count) - first(count); }

  friend bool operator==(const RankShare&, const RankShare&) = default;

 private:
  static u64 at(u64 count, u64 mark) {
    return count / kWhole * mark + static_cast<u64>(static_cast<Wide>(count % kWhole) * mark / kWhole);
  }
};

/// How the positions of a map are divided. By default one rank has them all.
struct RankShares {
  u32 ranks = 1;
  /// [ranks + 1] rank r works on [marks[r], marks[r + 1]) of RankShare::kWhole, a range of omega. Empty: the ranks take
  /// positions in turn, and each row of a grid begins with the next rank (maps/launch_split.hpp).
  std::vector<u64> marks = {};

  bool several() const { return ranks > 1; }
  /// The part of all positions that a rank works on, 0 to 1.
  double part(u32 rank) const;
  /// Who works on a position: the omega-th of the `launched` positions of a map, in this launch of it, whose grids are
  /// not cut further.
  u32 owner(const Launch& launch, const Position& at, u64 omega, u64 launched) const;

  friend bool operator==(const RankShares&, const RankShares&) = default;
};

}  // namespace tri
