#pragma once
/// A tree over bodies in the order of a Hilbert curve, the walk that meets each pair of its nodes once, and gravity by
/// it.
///
/// Leaves hold kLeaf bodies that are neighbours on the curve, nodes hold kChildren nodes. The walk begins at pairs of
/// squares, the nodes of one level, which a map visits. Two nodes that are far apart meet as a whole, by one series for
/// each (series.hpp); others are opened, the larger one first, and leaves that are near meet body by body.
///
/// Lengths are in units of half the extent of the cloud, and masses of its whole mass, so that no power of them leaves
/// float64.

#include <array>
#include <span>
#include <vector>

#include "sim/backend/engine.hpp"
#include "sim/base/platform.hpp"
#include "sim/cpu/force_sums.hpp"
#include "sim/laws/series.hpp"

namespace tri::tree {

inline constexpr u32 kLeaf = 64;
inline constexpr u32 kChildren = 8;
/// Leaves on one side of a square.
inline constexpr u32 kSquareLeaves = 64;
/// Nodes closer than this meet body by body, so that powers of distances stay in float32.
inline constexpr double kMinLength = 1e-12;

/// Masses >= 0 at places, in the units above.
struct Cloud {
  std::vector<double> x, y, z, m;  ///< [n]
};

struct Node {
  u32 begin = 0, end = 0;       ///< its bodies
  u32 child = 0, children = 0;  ///< its nodes; none: a leaf
  double centre[3] = {};        ///< of mass; of the bodies where these have none
  double radius = 0;            ///< to the farthest body, at most
  /// [k - 1]: the mean of the k-th powers of the distances of its bodies from the centre, in units of the radius; over
  /// their masses or their number, whichever is larger; times alignment(). Of nodes that series serve: squares and what
  /// is below them.
  double means[kMaxOrder] = {};
  double mass = 0;
  /// What lengths about its centre are measured in.
  double unit() const { return radius > kMinLength ? radius : kMinLength; }
  double least = 0;  ///< the least acceleration that its bodies may expect: what errors are measured by
};

/// One series each way between nodes a and b.
struct FarPair {
  u32 a = 0, b = 0;
  u32 order = 0;
};
/// Leaves whose bodies meet; a == b: each pair in it.
struct NearPair {
  u32 a = 0, b = 0;
};
struct Meetings {
  std::vector<FarPair> far;
  std::vector<NearPair> near;
};

class Tree {
 public:
  /// A tree of n bodies, without their places.
  explicit Tree(u32 n);

  std::span<const Node> nodes() const { return nodes_; }
  /// From the root, which is level 0, down to the leaves; the nodes of a level are neighbours.
  u32 levels() const { return static_cast<u32>(first_.size()) - 1; }
  u32 first(u32 level) const { return first_[level]; }
  u32 end(u32 level) const { return first_[level + 1]; }
  u32 leaves() const { return end(levels() - 1) - first(levels() - 1); }
  u32 first_leaf() const { return first(levels() - 1); }
  /// The level of the squares.
  u32 square_level() const { return square_level_; }
  u32 squares() const { return end(square_level_) - first(square_level_); }

  /// Of a node whose children are measured. moments: [terms_to(order)], those of its children likewise at
  /// moments_of(child).
  void measure(u32 node, const Cloud& cloud);
  /// Sets Node::least of a leaf from an estimate by centres of mass, to a tenth or so.
  void estimate(u32 leaf, double eps2);
  /// No estimate is below a tenth of their root mean square; those of inner nodes are the least of their leaves.
  void settle_estimates();

  /// All pairs of nodes of the squares `row` and `col` <= row. tolerance: of the acceleration that one node makes in
  /// another, relative to Node::least; order: of the series, at most.
  void meet(u32 row, u32 col, double tolerance, u32 order, Meetings& to) const;
  /// What a series of this order leaves out between two nodes, relative to Node::least.
  double error_of(u32 a, u32 b, u32 order) const;

 private:
  void measure_means(Node& node, const Cloud& cloud) const;
  struct Rule {
    double tolerance;
    u32 order;
  };
  /// At least what series go by. Nodes that were opened although the other one, a leaf, is larger all leave out the
  /// same: their errors come to that of the node that they are parts of.
  struct Masses {
    double a = 0, b = 0;
  };
  void meet_nodes(u32 a, u32 b, const Masses& masses, const Rule& rule, Meetings& to) const;
  /// The order that serves, or 0.
  u32 far_order(const Node& a, const Node& b, const Masses& masses, const Rule& rule) const;

  std::vector<Node> nodes_;
  std::vector<u32> first_;  ///< [levels + 1]
  u32 square_level_ = 0;
};

}  // namespace tri::tree

namespace tri::cpu {

// Gravity by a tree: near pairs by the kernels of all pairs, far ones by series.
//
// Which nodes meet, by which series, and the order of the sums of a series follow from the positions alone. So with
// ordered sums of the near pairs the result depends on neither map nor threads nor ranks.

/// A node far from the target, and the total order of the series.
struct FarSource {
  FarSource() = default;
  FarSource(u32 of_node, u32 of_order) : node(of_node), order(of_order) {}

  u32 node : 28 = 0;
  u32 order : 4 = 0;
};
static_assert(tree::kMaxOrder < 16 && (u64{1} << 32) / tree::kLeaf * 8 / 7 < u64{1} << 28);

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

/// Bodies whose keys are found at once.
inline constexpr u32 kKeysAtOnce = 16;
inline constexpr u32 kCellBits = 20;
/// hilbert_key<kCellBits>() of so many cells.
void curve_keys(const u32 (&x)[kKeysAtOnce], const u32 (&y)[kKeysAtOnce], const u32 (&z)[kKeysAtOnce],
                u64 (&to)[kKeysAtOnce]);

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
