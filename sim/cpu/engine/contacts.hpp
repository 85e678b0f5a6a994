#pragma once
/// The list of overlapping pairs, by all pairs or through a uniform grid: the same list.

#include "sim/cpu/kernels/compute_kernels.hpp"
#include "sim/cpu/sums/force_sums.hpp"

namespace tri::cpu {

/// How to search for overlaps.
struct ContactSearch {
  Box box;  ///< only periodic walls matter
  Walk<TriangleMapId> walk;
  BroadPhase broad_phase = BroadPhase::all_pairs;  ///< all_pairs or grid
};

/// All pairs (i, j), i > j, that overlap or touch (laws/overlap.hpp), sorted. Falls back to all pairs where a grid is
/// impossible (a periodic box less than three cells wide). `tested`, if given, receives the number of pairs tested.
template <class Real>
std::vector<IndexPair> overlapping_pairs(const BodyView<Real>& bodies, const ContactSearch& search,
                                         u64* tested = nullptr);

/// How many of them each body has, [n]. No pair is kept beyond its tile.
template <class Real>
std::vector<u32> overlap_counts(const BodyView<Real>& bodies, const ContactSearch& search, u64* tested = nullptr);

/// The same for radii widened by four parts in a million: every pair for which the contact law yields a force, however
/// its sums round, and few others.
template <class Real>
std::vector<IndexPair> candidate_pairs(const BodyView<Real>& bodies, const ContactSearch& search,
                                       u64* tested = nullptr);

/// Potential and virial of the contacts, in float64, found through a grid and added in the order of the list: the
/// result depends on neither map nor threads.
TileEnergy contact_energy(const ForceField& field, const BodyView<double>& bodies, const ContactSearch& search);

}  // namespace tri::cpu
