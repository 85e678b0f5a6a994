#include "sim/backend/rank_shares.hpp"

#include "sim/base/contracts.hpp"
#include "sim/maps/launch_split.hpp"

namespace tri {
namespace {

/// Whether a position is in the piece.
bool holds(const GridPiece& piece, const Position& at) {
  const Position& o = piece.origin;
  return at.x >= o.x && at.x - o.x < piece.x && at.y >= o.y && at.y - o.y < piece.y && at.z >= o.z &&
         at.z - o.z < piece.z;
}

/// The rank to which share_of() gives a position of the piece.
u32 rank_of(const GridPiece& piece, const Position& at, u32 ranks) {
  const u64 x = at.x - piece.origin.x, rows = u64{at.y - piece.origin.y} + (at.z - piece.origin.z);
  return static_cast<u32>((x % ranks + ranks - rows % ranks) % ranks);
}

}  // namespace

double RankShares::part(u32 rank) const {
  TRI_EXPECTS(rank < ranks);
  if (marks.empty()) return 1.0 / ranks;
  return static_cast<double>(marks[rank + 1] - marks[rank]) / static_cast<double>(RankShare::kWhole);
}

u32 RankShares::owner(const Launch& launch, const Position& at, u64 omega, u64 launched) const {
  TRI_EXPECTS(contains(launch, at) && omega < launched);
  u32 found = 0;
  if (!marks.empty()) {
    while (found + 1 < ranks && omega >= RankShare{marks[found], marks[found + 1]}.last(launched)) ++found;
    return found;
  }
  for_each_grid(launch, [&](const GridPiece& piece) {
    if (holds(piece, at)) found = rank_of(piece, at, ranks);
  });
  return found;
}

}  // namespace tri
