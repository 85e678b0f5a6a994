#pragma once
/// Gravity by a tree (sim/cpu/tree.hpp): near pairs by the kernels of all pairs, far ones by series.
///
/// Which nodes meet, by which series, and the order of the sums of a series follow from the positions alone. So with
/// ordered sums of the near pairs the result depends on neither map nor threads nor ranks.

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "sim/backend/engine.hpp"
#include "sim/cpu/force_sums.hpp"
#include "sim/cpu/tree.hpp"
#include "sim/laws/series.hpp"

namespace tri::cpu {

/// A node far from the target, and the total order of the series.
struct FarSource {
  u32 node = 0;
  u32 order = 0;
};

/// Numbers from the moments of a node to those of the next: kernels read four at a time.
constexpr u32 series_stride(u32 order) { return (tree::terms_to(order) + 3) / 4 * 4; }

/// Nodes, and moments about their centres in units of tree::Node::unit(), `stride` numbers a node: those of degree n
/// are divided by its n-th power. So no order leaves float32.
template <class Real>
struct TreeSeries {
  std::span<const tree::Node> nodes;
  const Real* moments = nullptr;
  std::size_t stride = 0;
  double eps2 = 0;
};

/// x, y, z of an acceleration and the potential's negative, [n] each.
struct FieldSums {
  std::array<double*, 4> of{};
};

// Kernels for each SIMD target. The cloud is readable for kPadding elements past its end.

/// to: [tree::terms_to(order)], the moments of a leaf.
void leaf_moments(const tree::Cloud& cloud, const tree::Node& leaf, u32 order, double* to);
/// Adds the field of all sources, which are sorted by order. Real: float or double, what its terms are computed in.
template <class Real>
void add_far_field(const TreeSeries<Real>& series, const tree::Node& target, std::span<const FarSource> sources,
                   double* to);
/// Adds the moments of a node's children about its own centre. moments: `stride` numbers a node, a multiple of 4.
void join_moments(std::span<const tree::Node> nodes, u32 node, u32 order, std::size_t stride, double* moments);
/// Adds a node's field about the centres of its children. fields: likewise.
void carry_field(std::span<const tree::Node> nodes, u32 node, u32 order, std::size_t stride, double* fields);
/// Adds what a field about the centre of a leaf does to its bodies.
void add_field(const tree::Cloud& cloud, const tree::Node& leaf, const double* field, u32 order, const FieldSums& to);

/// What a walk came to: unordered pairs of bodies that met one by one, and all; series each way by their order.
struct TreeCounts {
  u64 near = 0, pairs = 0;
  std::array<u64, tree::kMaxOrder + 1> series{};
};

/// Memory for a body at the finest tolerances: sorted arrays, series, and lists of what meets.
inline constexpr u64 kTreeBytes = 2048;

/// Bodies from which the tree is faster than all pairs at this tolerance. (Measured: docs/tree.md.)
u64 tree_from(Precision precision, double tolerance);

/// How to walk, and the rms error of the accelerations, relative to their rms, that is allowed.
struct TreeWalk {
  TriangleMapId map{};
  u32 threads = 1;
  double tolerance = 1e-6;
};

/// Sets x, y and z of `sums` to the accelerations under gravity in open space, of n bodies. fall, if given: the largest
/// G (m_i + m_j) / s^3 of all pairs (gravity.hpp), to rounding. Throws as ForceSums::add_pairs().
template <class Real>
TreeCounts add_tree(const ForceField& field, const BodyView<Real>& bodies, u32 n, const TreeWalk& walk,
                    Accumulate accumulate, ForceSums& sums, double* fall = nullptr);

/// The walk of these bodies. most: leaves of the picture, a side.
TreePicture tree_picture(const ForceField& field, const BodyView<double>& bodies, u32 n, const TreeWalk& walk,
                         u32 most);

/// Potential and virial of all pairs, in float64, to 1e-8 of the potential. Depends on neither map nor threads.
TileEnergy tree_energy(const ForceField& field, const BodyView<double>& bodies, u32 n, u32 threads);

}  // namespace tri::cpu
