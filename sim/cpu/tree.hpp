#pragma once
/// A tree over bodies in the order of a Hilbert curve, and the walk that meets each pair of its nodes once.
///
/// Leaves hold kLeaf bodies that are neighbours on the curve, nodes hold kChildren nodes. The walk begins at pairs of
/// squares, the nodes of one level, which a map visits. Two nodes that are far apart meet as a whole, by one series for
/// each (series.hpp); others are opened, the larger one first, and leaves that are near meet body by body.
///
/// Lengths are in units of half the extent of the cloud, and masses of its whole mass, so that no power of them leaves
/// float64.

#include <span>
#include <vector>

#include "sim/base/platform.hpp"
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
