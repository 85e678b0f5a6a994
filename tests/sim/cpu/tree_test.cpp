// Gravity by a tree: its series against the function that they expand, its walk pair by pair, its sums against all
// pairs, and its hashes.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/bench/verify.hpp"
#include "sim/backend/backend.hpp"
#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/body_store.hpp"
#include "sim/cpu/cpu_engine.hpp"
#include "sim/cpu/tree.hpp"
#include "sim/laws/series.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {
namespace {

using tree::kMaxOrder;
using tree::kMaxTerms;
using tree::kTerms;
using tree::terms_to;

double normal(SplitMix64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.uniform();
  return sum;
}

ForceField gravity(double softening) {
  ForceField field;
  field.pair = PairLaw::gravity;
  field.gravity.G = 0.75, field.gravity.softening = softening;
  return field;
}

/// Clouds by name: those of docs/tensor.md in kind, and degenerate ones.
Bodies cloud_of(const std::string& name, u32 n) {
  SplitMix64 random{n + 17};
  Bodies b;
  b.resize(n);
  for (double& m : b.m) m = (0.5 + random.uniform()) / n;
  for (u32 i = 0; i < n; ++i) {
    double p[3] = {normal(random), normal(random), normal(random)};
    if (name == "disc") p[2] *= 0.02;
    if (name == "line") p[1] = 0, p[2] = 0;
    if (name == "point") p[0] = 1, p[1] = 2, p[2] = 3;
    if (name == "two") p[0] = 0.1 * p[0] + (i % 2 == 0 ? 1000 : -1000);
    if (name == "core") {
      const double shrink = std::pow(random.uniform(), 4);
      for (double& x : p) x *= shrink;
    }
    if (name == "halo") {  // its last leaves are as large as their distance from all else
      const double stretch = std::pow(random.uniform(), -0.8);
      for (double& x : p) x *= stretch;
    }
    if (name == "decades") b.m[i] = std::pow(10, -6 * random.uniform()) / n;
    if (name == "tracers" && i % 3 != 0) b.m[i] = 0;
    b.x[i] = p[0] + 4, b.y[i] = p[1], b.z[i] = p[2];
  }
  return b;
}

void add_pair(const Bodies& b, const GravityParams& law, std::size_t i, std::size_t j,
              std::array<std::vector<double>, 3>& a) {
  const double d[3] = {b.x[j] - b.x[i], b.y[j] - b.y[i], b.z[j] - b.z[i]};
  const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + law.softening * law.softening;
  const double s = law.G / (r2 * std::sqrt(r2));
  for (std::size_t k = 0; k < 3; ++k) a[k][i] += b.m[j] * s * d[k], a[k][j] -= b.m[i] * s * d[k];
}

std::array<std::vector<double>, 3> all_pairs(const Bodies& b, const GravityParams& law) {
  std::array<std::vector<double>, 3> a;
  for (auto& axis : a) axis.assign(b.size(), 0.0);
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) add_pair(b, law, i, j, a);
  }
  return a;
}

/// Derivatives of g at R up to `order`, eps2 = eps^2. to: [terms_to(order)].
void derivatives(const double (&r)[3], double eps2, u32 order, double* to) {
  const double inverse = 1 / (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + eps2);
  to[0] = std::sqrt(inverse);
  for (u32 i = 1; i < terms_to(order); ++i) {
    const auto [x, y, z] = kTerms[i];
    const double n = kTerms[i].degree();
    double one = 0, two = 0;
    if (x > 0) one += x * (r[0] * to[tree::term_index(x - 1, y, z)]);
    if (y > 0) one += y * (r[1] * to[tree::term_index(x, y - 1, z)]);
    if (z > 0) one += z * (r[2] * to[tree::term_index(x, y, z - 1)]);
    if (x > 1) two += x * (x - 1) * to[tree::term_index(x - 2, y, z)];
    if (y > 1) two += y * (y - 1) * to[tree::term_index(x, y - 2, z)];
    if (z > 1) two += z * (z - 1) * to[tree::term_index(x, y, z - 2)];
    to[i] = -((2 * n - 1) * one + (n - 1) * two) * (inverse / n);
  }
}

/// v^k / k! of a term.
double power_of(const double (&v)[3], const tree::Term& k) {
  const auto along = [](double x, u32 n) { return std::pow(x, n) / std::tgamma(n + 1.0); };
  return along(v[0], k.x) * along(v[1], k.y) * along(v[2], k.z);
}

/// sum D_k v^k / k! up to an order.
double series_at(const double* derivatives, const double (&v)[3], u32 order) {
  double sum = 0;
  for (u32 i = 0; i < terms_to(order); ++i) sum += derivatives[i] * power_of(v, kTerms[i]);
  return sum;
}

/// p! sum A_k B_(p-k) is the mean of ((|v| + |w|) / R)^p over all pairs of bodies, and the least order is the first
/// whose mean is allowed.
TEST(Series, TheLeastOrderFollowsFromTheMeansOfDistances) {
  SplitMix64 random{7};
  double v[40], w[50];
  for (double& x : v) x = 0.9 * random.uniform();
  for (double& x : w) x = 1.7 * random.uniform();
  const double distance = 4, radii[2] = {*std::max_element(v, v + 40), *std::max_element(w, w + 50)};
  double means[2][kMaxOrder] = {}, a[kMaxOrder + 1], b[kMaxOrder + 1];
  for (u32 k = 0; k < kMaxOrder; ++k) {
    for (const double x : v) means[0][k] += std::pow(x / radii[0], k + 1) / 40;
    for (const double x : w) means[1][k] += std::pow(x / radii[1], k + 1) / 50;
  }
  tree::scale_means<kMaxOrder>(means[0], radii[0] / distance, a);
  tree::scale_means<kMaxOrder>(means[1], radii[1] / distance, b);
  for (u32 p = tree::kMinOrder; p <= kMaxOrder; ++p) {
    double mean = 0;
    for (const double x : v) {
      for (const double y : w) mean += std::pow((x + y) / distance, p) / (40 * 50);
    }
    EXPECT_EQ(tree::least_order<kMaxOrder>(a, b, mean * 1.0001, kMaxOrder), p);
    EXPECT_EQ(tree::least_order<kMaxOrder>(a, b, mean * 0.9999, kMaxOrder), p < kMaxOrder ? p + 1 : 0);
    EXPECT_EQ(tree::least_order<kMaxOrder>(a, b, mean * 1.0001, p - 1), 0u);
  }
  EXPECT_EQ((tree::least_order<kMaxOrder>(a, b, 1e300, kMaxOrder)), tree::kMinOrder);
}

TEST(Series, FlatCloudsAreHeldForWorse) {
  EXPECT_DOUBLE_EQ(tree::alignment(2.0, 2.0, 2.0, 0.0, 0.0, 0.0), 1);
  EXPECT_DOUBLE_EQ(tree::alignment(3.0, 3.0, 0.0, 0.0, 0.0, 0.0), 1.375);
  EXPECT_DOUBLE_EQ(tree::alignment(0.0, 5.0, 0.0, 0.0, 0.0, 0.0), 4);
  EXPECT_DOUBLE_EQ(tree::alignment(1.0, 1.0, 1.0, 1.0, 1.0, 1.0), 4);  // a line along (1, 1, 1)
  EXPECT_DOUBLE_EQ(tree::alignment(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1);
}

TEST(Series, TermsAreInTheirOrder) {
  for (u32 i = 0; i < kMaxTerms; ++i) EXPECT_EQ(tree::term_index(kTerms[i].x, kTerms[i].y, kTerms[i].z), i);
  EXPECT_EQ(kTerms.back().z, kMaxOrder);
}

TEST(Series, DerivativesExpandTheFunction) {
  // What a series of an order leaves out falls with that power of the distance, plus one.
  const double r[3] = {0.9, -0.5, 0.7}, direction[3] = {0.6, 0.64, 0.48};
  for (const double eps2 : {0.0, 0.04}) {
    double d[kMaxTerms];
    derivatives(r, eps2, kMaxOrder, d);
    const auto left_out = [&](double step, u32 order) {
      const double v[3] = {step * direction[0], step * direction[1], step * direction[2]};
      double r2 = eps2;
      for (int k = 0; k < 3; ++k) r2 += (r[k] + v[k]) * (r[k] + v[k]);
      return std::abs(series_at(d, v, order) - 1 / std::sqrt(r2));
    };
    for (u32 order = 0; order <= kMaxOrder; ++order) {
      const double ratio = left_out(0.2, order) / left_out(0.1, order);
      EXPECT_NEAR(std::log2(ratio), order + 1, 0.7) << order << ' ' << eps2;
    }
  }
}

TEST(Series, DirectionsAreOppositeToTheBit) {
  double there[kMaxTerms], back[kMaxTerms];
  derivatives({0.3, -1.7, 0.4}, 0.01, kMaxOrder, there);
  derivatives({-0.3, 1.7, -0.4}, 0.01, kMaxOrder, back);
  for (u32 i = 0; i < kMaxTerms; ++i) EXPECT_EQ(there[i], kTerms[i].degree() % 2 == 0 ? back[i] : -back[i]);
}

struct Sources {
  tree::Cloud cloud;
  tree::Node node;
};

/// Bodies about a centre that is not theirs, in one leaf.
Sources sources(u32 count, double radius, const double (&centre)[3], u64 seed) {
  Sources s;
  SplitMix64 random{seed};
  for (auto* axis : {&s.cloud.x, &s.cloud.y, &s.cloud.z, &s.cloud.m}) axis->assign(count + cpu::kPadding, 7.0);
  for (u32 i = 0; i < count; ++i) {
    s.cloud.x[i] = centre[0] + radius * (2 * random.uniform() - 1) / 2;
    s.cloud.y[i] = centre[1] + radius * (2 * random.uniform() - 1) / 2;
    s.cloud.z[i] = centre[2] + radius * (2 * random.uniform() - 1) / 2;
    s.cloud.m[i] = random.uniform();
  }
  s.node.end = count;
  std::copy(centre, centre + 3, s.node.centre);
  return s;
}

std::vector<double> moments_of(const Sources& s, u32 order) {
  std::vector<double> moments(terms_to(order), 0.0);
  for (u32 i = 0; i < s.node.end; ++i) {
    const double(&c)[3] = s.node.centre;
    const double w[] = {c[0] - s.cloud.x[i], c[1] - s.cloud.y[i], c[2] - s.cloud.z[i]};
    for (u32 k = 0; k < terms_to(order); ++k) moments[k] += s.cloud.m[i] * power_of(w, kTerms[k]);
  }
  return moments;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& right, double relative) {
  double largest = 0;
  for (const double v : right) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(found[i], right[i], relative * largest) << i;
}

TEST(Series, MomentsOfALeafAndOfChildren) {
  constexpr u32 kChildren = 5;  // the same bodies about another centre each
  for (const u32 order : {0u, 1u, 4u, kMaxOrder}) {
    for (const u32 count : {1u, 7u, 8u, 61u}) {
      Sources s = sources(count, 0.7, {0.2, -0.1, 0.4}, count);
      std::vector<double> found(terms_to(order), 5.0);
      cpu::leaf_moments(s.cloud, s.node, order, found.data());
      expect_near(found, moments_of(s, order), 1e-14);
      const std::size_t stride = cpu::series_stride(order);
      std::vector<tree::Node> nodes(1 + kChildren, s.node);
      std::vector<double> all(stride * nodes.size(), 0.0);
      nodes[0].child = 1, nodes[0].children = kChildren;
      for (u32 c = 1; c <= kChildren; ++c) {
        nodes[c].centre[c % 3] += 0.1 * c;
        const std::vector<double> of = moments_of({s.cloud, nodes[c]}, order);
        std::copy(of.begin(), of.end(), all.begin() + static_cast<std::ptrdiff_t>(stride * c));
      }
      cpu::join_moments(nodes, 0, order, stride, all.data());
      all.resize(terms_to(order));
      for (double& m : all) m /= kChildren;
      expect_near(all, moments_of(s, order), 1e-13);
    }
  }
}

TEST(Series, FieldOfFarNodesByKernelAndByItsSum) {
  // Nodes in a ring, one of them a point, each with an order of its own; more of one order than lanes, and fewer.
  constexpr u32 kNodes = 37, kStride = cpu::series_stride(kMaxOrder);
  for (const double unit : {1.0, 1e-9}) {
    std::vector<tree::Node> nodes;
    std::vector<double> moments, right(kMaxTerms, 0.0);
    std::vector<cpu::FarSource> list;
    for (u32 i = 0; i < kNodes; ++i) {
      const double at[] = {3 * unit * std::cos(0.9 * i), 3 * unit * std::sin(0.9 * i), 0.05 * unit * i};
      Sources s = sources(5 + i, i == 3 ? 0 : 0.4 * unit, at, i);
      s.node.radius = i == 3 ? 0 : 0.2 * unit;
      nodes.push_back(s.node), list.push_back({i, i < 20 ? 5 : 1 + i % kMaxOrder});
      const std::vector<double> of = moments_of(s, kMaxOrder);
      moments.insert(moments.end(), of.begin(), of.end());
    }
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
    tree::Node target;
    target.centre[0] = 0.1 * unit, target.centre[2] = -0.2 * unit, target.radius = 0.5 * unit;
    for (const auto& [node, order] : list) {
      double r[3], d[kMaxTerms];
      for (int k = 0; k < 3; ++k) r[k] = target.centre[k] - nodes[node].centre[k];
      derivatives(r, 0.01 * unit * unit, order, d);
      for (u32 k = 0; k < terms_to(order); ++k) {
        for (u32 l = 0; l < terms_to(order - kTerms[k].degree()); ++l) {
          const auto [x, y, z] = kTerms[l];
          const u32 both = tree::term_index(u32{kTerms[k].x} + x, u32{kTerms[k].y} + y, u32{kTerms[k].z} + z);
          right[k] += d[both] * moments[kMaxTerms * node + l];
        }
      }
    }
    const auto check = [&](auto kind, double relative) {
      std::vector<decltype(kind)> scaled(kStride * kNodes);
      for (u32 i = 0; i < kNodes * kMaxTerms; ++i) {
        const u32 node = i / kMaxTerms, k = i % kMaxTerms;
        const double by = std::pow(nodes[node].unit(), kTerms[k].degree());
        scaled[kStride * node + k] = static_cast<decltype(kind)>(moments[i] / by);
      }
      std::vector<double> found(kMaxTerms, 0.0);
      cpu::add_far_field<decltype(kind)>({nodes, scaled.data(), kStride, 0.01 * unit * unit}, target, list, &found[0]);
      for (u32 k = 0; k < kMaxTerms; ++k) {
        const u32 n = kTerms[k].degree();
        const double size = std::pow(unit, n + 1), largest = std::tgamma(n + 1.0);  // of the terms of a degree
        EXPECT_NEAR(size * found[k], size * right[k], relative * (size * std::abs(right[k]) + largest)) << k;
      }
    };
    check(double{}, 1e-12), check(float{}, 1e-5);
  }
}

TEST(Series, FieldAtBodiesAndShifted) {
  Sources s = sources(29, 0.5, {0.3, 0.1, -0.6}, 4);
  SplitMix64 random{9};
  std::vector<double> field(kMaxTerms);
  for (double& v : field) v = random.uniform() - 0.5;
  const std::size_t n = s.node.end;
  const auto acts = [&](const std::vector<double>& of) {
    std::vector<double> sums(4 * n, 0.0);
    const cpu::FieldSums to{{&sums[0], sums.data() + n, sums.data() + 2 * n, sums.data() + 3 * n}};
    cpu::add_field(s.cloud, s.node, of.data(), kMaxOrder, to);
    return sums;
  };
  const std::vector<double> found = acts(field);
  constexpr double kStep = 1e-5;
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = [&](int axis, double step) {
      double v[3] = {s.cloud.x[i], s.cloud.y[i], s.cloud.z[i]};
      for (int k = 0; k < 3; ++k) v[k] += (k == axis ? step : 0) - s.node.centre[k];
      return series_at(field.data(), v, kMaxOrder);
    };
    EXPECT_NEAR(found[3 * n + i], at(0, 0), 1e-14);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(found[static_cast<std::size_t>(k) * n + i], (at(k, kStep) - at(k, -kStep)) / (2 * kStep), 1e-8);
    }
  }
  constexpr u32 kStride = cpu::series_stride(kMaxOrder);
  std::vector<tree::Node> nodes(3, s.node);
  nodes[0].child = 1, nodes[0].children = 2;
  nodes[2].centre[0] += 0.02, nodes[2].centre[1] -= 0.03, nodes[2].centre[2] += 0.01;
  std::vector<double> fields(field);
  fields.resize(3 * kStride);
  cpu::carry_field(nodes, 0, kMaxOrder, kStride, fields.data());
  s.node = nodes[2];
  const std::vector<double> shifted(fields.end() - kStride, fields.end());
  const std::vector<double> again = acts(shifted);
  for (std::size_t i = 0; i < again.size(); ++i) EXPECT_NEAR(again[i], found[i], 1e-13);
}

/// A walk as add_tree() makes it, without the sums.
struct Walked {
  tree::Tree tree;
  tree::Meetings met;
};

Walked walked(const Bodies& b, double tolerance) {
  const u32 n = static_cast<u32>(b.size());
  Walked w{tree::Tree(n), {}};
  tree::Cloud cloud{b.x, b.y, b.z, b.m};
  std::sort(cloud.x.begin(), cloud.x.end());  // no curve, but neighbours enough for far nodes
  for (u32 node = static_cast<u32>(w.tree.nodes().size()); node-- > 0;) w.tree.measure(node, cloud);
  for (u32 leaf = w.tree.first_leaf(); leaf < w.tree.nodes().size(); ++leaf) w.tree.estimate(leaf, 0);
  w.tree.settle_estimates();
  for (u32 row = 0; row < w.tree.squares(); ++row) {
    for (u32 col = 0; col <= row; ++col) w.tree.meet(row, col, tolerance, kMaxOrder, w.met);
  }
  return w;
}

/// Whether each pair i > j was met once, and how many were far; met elsewhere throws.
bool meets_each_once(const Walked& w, u64& far) {
  const u64 n = w.tree.nodes()[0].end;
  std::vector<u8> times(n * (n - 1) / 2, 0);
  const auto meet = [&](u32 a, u32 b) {
    const tree::Node &x = w.tree.nodes()[a], &y = w.tree.nodes()[b];
    for (u64 i = x.begin; i < x.end; ++i) {
      for (u64 j = y.begin; j < y.end; ++j) {
        if (a == b && j >= i) break;
        const u64 row = std::max(i, j), col = std::min(i, j);
        ++times.at(row * (row - 1) / 2 + col);
      }
    }
  };
  for (const auto& [a, b] : w.met.near) meet(a, b);
  for (const auto& [a, b, order] : w.met.far) {
    meet(a, b);
    far += u64{w.tree.nodes()[a].end - w.tree.nodes()[a].begin} * (w.tree.nodes()[b].end - w.tree.nodes()[b].begin);
  }
  return std::count(times.begin(), times.end(), 1) == static_cast<std::ptrdiff_t>(times.size());
}

TEST(TreeWalk, MeetsEachPairOnce) {
  u64 far = 0;
  for (const u32 n : {1u, 2u, 63u, 64u, 65u, 300u, 513u, 4096u, 5000u}) {
    for (const char* name : {"ball", "two", "point"}) {
      EXPECT_TRUE(meets_each_once(walked(cloud_of(name, n), 1e-3), far)) << n << name;
    }
  }
  EXPECT_GT(far, 10000000u);
}

/// The rms error of the accelerations that come of all meetings, body by body, against all pairs.
double error_of_meetings(const Walked& w, const Bodies& b) {
  std::array<std::vector<double>, 3> a;
  for (auto& axis : a) axis.assign(b.size(), 0.0);
  const auto meet = [&](u32 p, u32 q) {
    const tree::Node &x = w.tree.nodes()[p], &y = w.tree.nodes()[q];
    for (u32 i = x.begin; i < x.end; ++i) {
      for (u32 j = y.begin; j < (p == q ? i : y.end); ++j) add_pair(b, gravity(0.1).gravity, i, j, a);
    }
  };
  for (const auto& [p, q] : w.met.near) meet(p, q);
  for (const auto& [p, q, order] : w.met.far) meet(p, q);
  const auto right = all_pairs(b, gravity(0.1).gravity);
  double errors = 0, squares = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < b.size(); ++i) {
      errors += (a[k][i] - right[k][i]) * (a[k][i] - right[k][i]), squares += right[k][i] * right[k][i];
    }
  }
  return std::sqrt(errors / squares);
}

TEST(TreeWalk, PlantedFaultsAreSeen) {
  const Bodies b = cloud_of("two", 3000);
  const Walked right = walked(b, 1e-3);
  ASSERT_FALSE(right.met.far.empty());
  u64 far = 0;
  EXPECT_TRUE(meets_each_once(right, far));
  EXPECT_LT(error_of_meetings(right, b), 1e-12);
  Walked lost = right, doubled = right, mixed = right, skipped = right;
  lost.met.far.pop_back();
  doubled.met.near.push_back(doubled.met.near.front());
  mixed.met.near.back() = mixed.met.near.front();
  const u32 leaf = right.tree.first_leaf() + 1;
  std::erase_if(skipped.met.near, [&](const tree::NearPair& pair) { return pair.a == leaf || pair.b == leaf; });
  for (const Walked* fault : {&lost, &doubled, &mixed, &skipped}) {
    EXPECT_FALSE(meets_each_once(*fault, far)) << "by the count";
    EXPECT_GT(error_of_meetings(*fault, b), 1e-6) << "by the accelerations";
  }
}

struct Measured {
  double error = 0;     ///< rms, relative to the rms acceleration
  double momentum = 0;  ///< of sum m a, relative to sum m |a|
  cpu::TreeCounts counts;
};

/// right: of all pairs; computed where it is not given.
template <class Real>
Measured measured(const Bodies& given, double softening, double tolerance,
                  std::array<std::vector<double>, 3> right = {}) {
  const cpu::BodyStore<Real> store(given);
  const Bodies b = store.read();
  const ForceField field = gravity(softening);
  cpu::ForceSums sums;
  Measured m;
  m.counts = cpu::add_tree(field, store.view(), store.n, {TriangleMapId::lambda, 2, tolerance}, Accumulate::fast, sums);
  if (right[0].empty()) right = all_pairs(b, field.gravity);
  const std::vector<double>* const found[3] = {&sums.x, &sums.y, &sums.z};
  double errors = 0, squares = 0, force = 0, net2 = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    double net = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      const double e = (*found[k])[i] - right[k][i];
      errors += e * e, squares += right[k][i] * right[k][i];
      net += b.m[i] * (*found[k])[i], force += b.m[i] * std::abs((*found[k])[i]);
    }
    net2 += net * net;
  }
  m.error = squares > 0 ? std::sqrt(errors / squares) : std::sqrt(errors);
  m.momentum = force > 0 ? std::sqrt(net2) / force : std::sqrt(net2);
  return m;
}

TEST(TreeSums, ErrorsAreWithinTheTolerance) {
  for (const char* name : {"ball", "disc", "line", "two", "core", "decades", "tracers"}) {
    const Bodies b = cpu::BodyStore<float>(cloud_of(name, 12000)).read();
    const auto right = all_pairs(b, gravity(0.01).gravity);
    for (const double tolerance : {1e-9, 1e-6, 3e-5, 1e-3}) {
      const Measured m = measured<double>(b, 0.01, tolerance, right);
      EXPECT_LE(m.error, tolerance) << name;
      EXPECT_LT(m.momentum, 1e-14) << name << ' ' << tolerance;
      EXPECT_EQ(m.counts.pairs, u64{12000} * 11999 / 2) << name;
      if (tolerance == 1e-3) {
        EXPECT_LT(m.counts.near, m.counts.pairs) << name;
      }
    }
    for (const double tolerance : {3e-7, 3e-5}) {
      const Measured m = measured<float>(b, 0.01, tolerance, right);
      // Along a line float32 itself sums no better: terms of one sign.
      EXPECT_LE(m.error, name == std::string("line") ? std::max(1e-6, tolerance) : tolerance) << name;
      EXPECT_LT(m.momentum, 1e-6) << name;
    }
  }
}

/// Many nodes that a large leaf meets one by one all err the same way. Were each held for its own mass, the error here
/// would be 0.75 of the tolerance, and it grows with n.
TEST(TreeSums, NodesThatALargeLeafMeetsCountTogether) {
  const Bodies b = cloud_of("halo", 60000);
  const cpu::BodyStore<double> store(b);
  cpu::ForceSums sums;
  cpu::add_tree(gravity(0.01), store.view(), store.n, {TriangleMapId::lambda, 2, 1e-9}, Accumulate::fast, sums);
  EXPECT_LT(measured<double>(b, 0.01, 1e-4, {sums.x, sums.y, sums.z}).error, 0.55e-4);
}

TEST(TreeSums, AnyNumberOfBodiesAndAnyUnits) {
  for (const u32 n : {1u, 2u, 3u, 31u, 63u, 64u, 65u, 127u, 129u, 255u, 299u, 300u}) {
    EXPECT_LT(measured<double>(cloud_of("ball", n), 0, 1e-6).error, 1e-6) << n;
    EXPECT_LT(measured<float>(cloud_of("core", n), 0.001, 1e-6).error, 1e-6) << n;
  }
  EXPECT_EQ(measured<double>(cloud_of("point", 300), 0.1, 1e-6).error, 0);
  for (const double unit : {1e-40, 1e40}) {
    Bodies b = cloud_of("two", 2000);
    for (auto* column : {&b.x, &b.y, &b.z, &b.m}) {
      for (double& v : *column) v *= unit;
    }
    EXPECT_LT(measured<double>(b, 0.01 * unit, 1e-6).error, 1e-6) << unit;
  }
}

TEST(TreePicture, HasEachPairOfLeavesOnceAndTheSeriesOfTheSums) {
  for (const auto& [n, most] : {std::pair{1u, 64u}, {9000u, 4096u}, {40000u, 4096u}, {40000u, 128u}}) {
    const Bodies b = cloud_of("core", n);
    const cpu::BodyStore<double> store(b);
    const cpu::TreeWalk walk{TriangleMapId::lambda, 2, 1e-4};
    const TreePicture picture = cpu::tree_picture(gravity(0.02), store.view(), store.n, walk, most);
    const u32 leaves = std::min((n + picture.leaf - 1) / picture.leaf, most);
    ASSERT_EQ(picture.leaves, leaves);
    EXPECT_EQ(picture.bodies, std::min(n, leaves * picture.leaf));
    std::vector<u32> met(std::size_t{leaves} * leaves, 0);
    u64 series = 0;
    for (const TreePicture::Piece& p : picture.pieces) {
      ASSERT_LE(p.row + p.rows, leaves);
      ASSERT_GE(p.row, p.col);
      for (u32 row = p.row; row < p.row + p.rows; ++row) {
        for (u32 col = p.col; col < p.col + p.cols; ++col) ++met[std::size_t{row} * leaves + col];
      }
      series += p.order > 0;
      EXPECT_EQ(p.error > 0, p.order > 0);
      EXPECT_LE(p.error, 0.161e-4) << "the share of a pair of nodes";
    }
    for (u32 row = 0; row < leaves; ++row) {
      for (u32 col = 0; col < leaves; ++col) ASSERT_EQ(met[std::size_t{row} * leaves + col], col <= row ? 1u : 0u);
    }
    if (leaves < n / picture.leaf) continue;
    cpu::ForceSums sums;
    const cpu::TreeCounts counts = cpu::add_tree(gravity(0.02), store.view(), store.n, walk, Accumulate::fast, sums);
    EXPECT_EQ(series, std::accumulate(counts.series.begin(), counts.series.end(), u64{0}));
  }
}

EngineConfig tree_config(TriangleMapId map, u32 threads, Precision precision) {
  EngineConfig config;
  config.precision = precision, config.accumulate = Accumulate::ordered;
  config.pairs = PairSearch::tree, config.tolerance = Tolerance::e_4;
  config.pair_map = map, config.threads = threads;
  return config;
}

TEST(TreeEngine, OrderedHashesAreEqual) {
  const auto backend = make_backend("cpu");
  const Bodies b = cloud_of("core", 9000);
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    std::set<u64> hashes;
    for (const MapInfo& row : triangle_maps()) {
      const TriangleMapId map = triangle_map_from(row.name);
      if (row.space == Space::thread) {  // which would meet no squares on the diagonal
        EXPECT_THROW(backend->make_engine(b, gravity(0.02), tree_config(map, 1, precision)), ConfigError) << row.name;
        continue;
      }
      for (const u32 threads : {1u, 2u, 5u}) {
        const auto engine = backend->make_engine(b, gravity(0.02), tree_config(map, threads, precision));
        engine->advance(Integrator::kdk, 0.001, 2);
        hashes.insert(engine->state_hash());
      }
    }
    EXPECT_EQ(hashes.size(), 1u) << to_string(precision);
  }
}

TEST(TreeEngine, EnergiesAreThoseOfAllPairs) {
  const auto backend = make_backend("cpu");
  const Bodies b = cloud_of("core", 9000);
  EngineConfig config = tree_config(TriangleMapId::lambda, 2, Precision::fp64);
  const Diagnostics tree = backend->make_engine(b, gravity(0.02), config)->diagnose();
  config.pairs = PairSearch::all, config.tolerance = Tolerance::automatic;
  const Diagnostics all = backend->make_engine(b, gravity(0.02), config)->diagnose();
  EXPECT_NEAR(tree.potential, all.potential, 1e-8 * std::abs(all.potential));
  EXPECT_NEAR(tree.virial, all.virial, 1e-7 * std::abs(all.virial));
}

TEST(TreeEngine, RefusesWhatItCannotDo) {
  const auto backend = make_backend("cpu");
  const Bodies b = cloud_of("ball", 20);
  const EngineConfig config = tree_config(TriangleMapId::lambda, 1, Precision::fp64);
  const auto refused = [&](const ForceField& field, const EngineConfig& c) {
    return message_of<ConfigError>([&] { backend->make_engine(b, field, c); });
  };
  backend->make_engine(b, gravity(0.1), config);
  ForceField other, box = gravity(0.1);
  other.pair = PairLaw::lennard_jones;
  expect_parts(refused(other, config), {"is of gravity"});
  box.box = {{-9, -9, -9}, {9, 9, 9}, Boundary::periodic};
  expect_parts(refused(box, config), {"nearest images"});
  EngineConfig fine = config;
  fine.precision = Precision::fp32, fine.tolerance = Tolerance::e_9;
  expect_parts(refused(gravity(0.1), fine), {"finer than fp32"});
}

/// A run of some steps by the tree and the same by all pairs: how far bodies end apart.
double difference_of_runs(Integrator integrator) {
  const Bodies b = cloud_of("core", 2000);
  const auto moved = [&](PairSearch pairs) {
    EngineConfig config = tree_config(TriangleMapId::lambda, 2, Precision::fp64);
    if (pairs == PairSearch::all) config.pairs = pairs, config.tolerance = Tolerance::automatic;
    const auto engine = make_backend("cpu")->make_engine(b, gravity(0.1), config);
    engine->advance(integrator, 0.01, 5);
    return engine->read();
  };
  const Bodies tree = moved(PairSearch::tree), all = moved(PairSearch::all);
  double largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) largest = std::max(largest, std::abs(tree.x[i] - all.x[i]));
  EXPECT_GT(std::abs(all.x[0] - b.x[0]), 0);
  return largest;
}

TEST(TreeEngine, StepsWithoutJerksFollowAllPairs) {
  for (const Integrator integrator : {Integrator::kdk, Integrator::symplectic_euler, Integrator::yoshida4}) {
    EXPECT_LT(difference_of_runs(integrator), 1e-5) << to_string(integrator);
  }
}

TEST(TreeEngine, AutomaticTakesTheTreeForAToleranceAndManyBodies) {
  const u64 many = cpu::tree_from(Precision::fp32, 3e-5);
  EngineConfig c;
  const auto chosen = [&](u64 n) { return cpu::choose_pairs(c, gravity(0.1), n); };
  EXPECT_EQ(chosen(u64{1} << 30), PairSearch::all) << "nothing less than the precision was asked for";
  c.tolerance = Tolerance::e_5x3;
  EXPECT_EQ(chosen(many), PairSearch::tree);
  EXPECT_EQ(chosen(many - 1), PairSearch::all);
  c.pair_block = 128;
  EXPECT_EQ(chosen(many), PairSearch::all) << "a tile of all pairs";
  c.pair_block = 0, c.tolerance = Tolerance::e_9;
  EXPECT_THROW(chosen(5), ConfigError) << "finer than fp32";
  c.precision = Precision::fp64;
  EXPECT_EQ(chosen(5), PairSearch::all);
  ForceField other;
  other.pair = PairLaw::lennard_jones;
  EXPECT_EQ(cpu::choose_pairs(c, other, u64{1} << 30), PairSearch::all);
}

TEST(TreeEngine, EveryLoopCanBeCancelled) {
  struct Cancel final : ProgressSink {
    int left = 0, seen = 0;
    void report(const ProgressReport&) override {
      ++seen;
      if (--left == 0) throw InterruptedError("cancelled");
    }
  } sink;
  const ScopedProgressSink bound(sink);
  const ScopedTask task("forces");
  const auto engine = make_backend("cpu")->make_engine(cloud_of("ball", 20000), gravity(0.05),
                                                       tree_config(TriangleMapId::lambda, 2, Precision::fp32));
  const u64 before = engine->state_hash();
  engine->forces();
  const int all = sink.seen;
  EXPECT_GT(all, 100);
  for (const int at : {1, all / 3, 2 * all / 3}) {
    sink.left = at;
    EXPECT_THROW(engine->forces(), InterruptedError) << at << " of " << all;
    EXPECT_EQ(engine->state_hash(), before);
  }
}

TEST(TreeEngine, TwoBodiesAtOnePlaceAreNamed) {
  Bodies b = cloud_of("ball", 200);
  b.x[150] = b.x[3], b.y[150] = b.y[3], b.z[150] = b.z[3];
  for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
    EngineConfig config = tree_config(TriangleMapId::lambda, 2, Precision::fp64);
    config.accumulate = accumulate;
    const auto engine = make_backend("cpu")->make_engine(b, gravity(0), config);
    EXPECT_THROW(engine->advance(Integrator::kdk, 0.01, 1), NumericalError);
  }
}

TEST(VerifyTree, SeesAToleranceThatIsNotKept) {
  const Bodies b = cloud_of("ball", 16000);
  const ForceField field = gravity(0.02);
  const auto engine =
      make_backend("cpu")->make_engine(b, field, tree_config(TriangleMapId::lambda, 2, Precision::fp64));
  const auto passed = [&](double tolerance) {
    std::string text;
    for (const app::VerifyCheck& check : app::tree_checks(*engine, field, tolerance)) {
      text += app::run_check(check).outcome.passed ? "+" : "-";
    }
    return text;
  };
  EXPECT_EQ(passed(1e-4), "++");
  EXPECT_EQ(passed(1e-9), "+-");
  ForceField stronger = field;
  stronger.gravity.G *= 1.01;
  EXPECT_EQ(app::run_check(app::tree_checks(*engine, stronger, 1e-4)[1]).outcome.passed, false);
}

}  // namespace
}  // namespace tri::test
