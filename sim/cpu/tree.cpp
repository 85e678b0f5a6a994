#include "sim/cpu/tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/laws/series.hpp"

namespace tri::tree {
namespace {

/// An estimate opens a node that is larger than this share of its distance.
constexpr double kEstimateShare = 0.8;

double squared_distance(const double (&a)[3], const double (&b)[3]) {
  double sum = 0;
  for (u32 k = 0; k < 3; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

double squared_distance(const Node& node, const Cloud& cloud, u32 body) {
  return squared_distance(node.centre, {cloud.x[body], cloud.y[body], cloud.z[body]});
}

/// Pairs of bodies that take the time of one series each way, by times of the cpu backend: fewer meet one by one.
u64 pairs_for(u32 order) {
  const u64 products = u64{terms_to(order)} * (order + 6) * (order + 5) * (order + 4) / 120;
  return products / 4 + terms_to(order);
}

}  // namespace

Tree::Tree(u32 n) {
  std::vector<u32> counts{std::max(1u, (n + kLeaf - 1) / kLeaf)};
  while (counts.back() > 1) counts.push_back((counts.back() + kChildren - 1) / kChildren);
  std::reverse(counts.begin(), counts.end());
  first_.push_back(0);
  for (const u32 count : counts) first_.push_back(first_.back() + count);
  nodes_.resize(first_.back());
  u64 bodies = kLeaf;
  for (u32 level = levels(); level-- > 0; bodies *= kChildren) {
    if (bodies <= u64{kLeaf} * kSquareLeaves) square_level_ = level;
    for (u32 i = first(level); i < end(level); ++i) {
      const u64 at = i - first(level);
      Node& node = nodes_[i];
      node.begin = static_cast<u32>(std::min<u64>(n, at * bodies));
      node.end = static_cast<u32>(std::min<u64>(n, (at + 1) * bodies));
      if (level + 1 == levels()) continue;
      node.child = first(level + 1) + static_cast<u32>(at * kChildren);
      node.children = std::min(kChildren, end(level + 1) - node.child);
    }
  }
}

void Tree::measure(u32 index, const Cloud& cloud) {
  Node& node = nodes_[index];
  double sum[3] = {}, plain[3] = {};
  node.mass = 0;
  const auto add = [&](double m, double weight, double x, double y, double z) {
    node.mass += m;
    sum[0] += m * x, sum[1] += m * y, sum[2] += m * z;
    plain[0] += weight * x, plain[1] += weight * y, plain[2] += weight * z;
  };
  if (node.children == 0) {
    for (u32 i = node.begin; i < node.end; ++i) add(cloud.m[i], 1, cloud.x[i], cloud.y[i], cloud.z[i]);
  } else {
    for (u32 c = node.child; c < node.child + node.children; ++c) {
      const auto& [x, y, z] = nodes_[c].centre;
      add(nodes_[c].mass, nodes_[c].end - nodes_[c].begin, x, y, z);
    }
  }
  for (u32 k = 0; k < 3; ++k) {
    node.centre[k] = node.mass > 0 ? sum[k] / node.mass : plain[k] / std::max(1u, node.end - node.begin);
  }
  double largest = 0;
  for (u32 i = node.begin; i < node.end && node.children == 0; ++i) {
    largest = std::max(largest, squared_distance(node, cloud, i));
  }
  node.radius = std::sqrt(largest);
  for (u32 c = node.child; c < node.child + node.children; ++c) {
    node.radius = std::max(node.radius, std::sqrt(squared_distance(node.centre, nodes_[c].centre)) + nodes_[c].radius);
  }
  if (index >= first(square_level_)) measure_means(node, cloud);
}

void Tree::measure_means(Node& node, const Cloud& cloud) const {
  double of_mass[kMaxOrder] = {}, of_bodies[kMaxOrder] = {}, products[6] = {};
  const double per_radius = node.radius > 0 ? 1 / node.radius : 0;
  for (u32 i = node.begin; i < node.end; ++i) {
    const double distance = std::sqrt(squared_distance(node, cloud, i)) * per_radius;
    double power = 1;
    for (u32 k = 0; k < kMaxOrder; ++k) {
      power *= distance;
      of_mass[k] += cloud.m[i] * power, of_bodies[k] += power;
    }
    const double x = cloud.x[i] - node.centre[0], y = cloud.y[i] - node.centre[1], z = cloud.z[i] - node.centre[2];
    products[0] += x * x, products[1] += y * y, products[2] += z * z;
    products[3] += x * y, products[4] += y * z, products[5] += z * x;
  }
  const double aligned = alignment(products[0], products[1], products[2], products[3], products[4], products[5]);
  const double bodies = std::max(1u, node.end - node.begin);
  for (u32 k = 0; k < kMaxOrder; ++k) {
    node.means[k] = aligned * std::max(node.mass > 0 ? of_mass[k] / node.mass : 0, of_bodies[k] / bodies);
  }
}

void Tree::estimate(u32 leaf, double eps2) {
  Node& target = nodes_[leaf];
  double a[3] = {};
  std::vector<u32> open{0};
  while (!open.empty()) {
    const Node& node = nodes_[open.back()];
    open.pop_back();
    const double r2 = squared_distance(node.centre, target.centre);
    if (node.children > 0 && node.radius * node.radius > kEstimateShare * kEstimateShare * r2) {
      for (u32 c = node.child; c < node.child + node.children; ++c) open.push_back(c);
      continue;
    }
    const double soft = r2 + eps2 + target.radius * target.radius;  // the leaf itself adds nothing
    if (!(soft > 0)) continue;
    const double strength = node.mass / (soft * std::sqrt(soft));
    for (u32 k = 0; k < 3; ++k) a[k] += strength * (node.centre[k] - target.centre[k]);
  }
  target.least = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

void Tree::settle_estimates() {
  double squares = 0;
  for (u32 i = first_leaf(); i < nodes_.size(); ++i) {
    squares += nodes_[i].least * nodes_[i].least * (nodes_[i].end - nodes_[i].begin);
  }
  const double floor = 0.1 * std::sqrt(squares / std::max(1u, nodes_[0].end));
  for (u32 i = static_cast<u32>(nodes_.size()); i-- > 0;) {
    Node& node = nodes_[i];
    if (node.children == 0) {
      node.least = std::max(node.least, floor);
      continue;
    }
    node.least = std::numeric_limits<double>::infinity();
    for (u32 c = node.child; c < node.child + node.children; ++c) node.least = std::min(node.least, nodes_[c].least);
  }
}

void Tree::meet(u32 row, u32 col, double tolerance, u32 order, Meetings& to) const {
  meet_nodes(first(square_level_) + row, first(square_level_) + col, {}, {tolerance, order}, to);
}

namespace {

/// Of accelerations times r2, relative to what the bodies of a node may expect.
double load(double mass, const Node& on) { return mass > 0 ? mass / on.least : 0.0; }

/// The least order up to kMax, or 0; radii in units of the distance.
template <u32 kMax>
u32 order_to(const Node& a, double radius_a, const Node& b, double radius_b, double allowed) {
  double left_a[kMax + 1], left_b[kMax + 1];
  scale_means<kMax>(a.means, radius_a, left_a), scale_means<kMax>(b.means, radius_b, left_b);
  return least_order<kMax>(left_a, left_b, allowed, kMax);
}

}  // namespace

u32 Tree::far_order(const Node& a, const Node& b, const Masses& masses, const Rule& rule) const {
  const double r2 = squared_distance(a.centre, b.centre);
  const double r = std::sqrt(r2), radii = a.radius + b.radius;
  if (!(radii < kFarShare * r) || r < kMinLength) return 0;
  const double allowed = rule.tolerance * r2 * (1 - radii / r) /
                         std::max(load(std::max(a.mass, masses.a), b), load(std::max(b.mass, masses.b), a));
  const auto find = rule.order <= 6 ? order_to<6> : rule.order <= 8 ? order_to<8> : order_to<kMaxOrder>;
  const u32 order = find(a, a.radius / r, b, b.radius / r, allowed);
  return order <= rule.order ? order : 0;
}

double Tree::error_of(u32 a, u32 b, u32 order) const {
  const Node &x = nodes_[a], &y = nodes_[b];
  const double r2 = squared_distance(x.centre, y.centre), r = std::sqrt(r2);
  double left_x[kMaxOrder + 1], left_y[kMaxOrder + 1], sum = 0;
  scale_means<kMaxOrder>(x.means, x.radius / r, left_x), scale_means<kMaxOrder>(y.means, y.radius / r, left_y);
  for (u32 k = 0; k <= order; ++k) sum += left_x[k] * left_y[order - k];
  return std::tgamma(order + 1.0) * sum * std::max(load(x.mass, y), load(y.mass, x)) /
         (r2 * (1 - (x.radius + y.radius) / r));
}

void Tree::meet_nodes(u32 a, u32 b, const Masses& masses, const Rule& rule, Meetings& to) const {
  const Node &x = nodes_[a], &y = nodes_[b];
  const bool leaves = x.children == 0 && y.children == 0;
  if (a != b) {
    const u32 order = far_order(x, y, masses, rule);
    if (order > 0 && !(leaves && u64{x.end - x.begin} * (y.end - y.begin) < pairs_for(order))) {
      to.far.push_back({a, b, order});
      return;
    }
  }
  if (leaves) {
    to.near.push_back({a, b});
  } else if (a == b) {
    for (u32 i = 0; i < x.children; ++i) {
      for (u32 j = 0; j <= i; ++j) meet_nodes(x.child + i, x.child + j, {}, rule, to);
    }
  } else if (x.children > 0 && (y.children == 0 || x.radius >= y.radius)) {
    const double together = x.radius < y.radius ? std::max(x.mass, masses.a) : 0;
    for (u32 i = 0; i < x.children; ++i) meet_nodes(x.child + i, b, {together, 0}, rule, to);
  } else {
    const double together = y.radius < x.radius ? std::max(y.mass, masses.b) : 0;
    for (u32 i = 0; i < y.children; ++i) meet_nodes(a, y.child + i, {0, together}, rule, to);
  }
}

}  // namespace tri::tree
