// Gravity by a tree (tree.hpp).

#include "sim/cpu/tree.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"

namespace tri::cpu {
namespace {

/// The error of each pair of nodes that is allowed, for one of the sum of many.
double pair_share(double tolerance, u32 n) { return (tolerance >= 1e-5 ? 0.16 : 0.1) * tree::share_for(n); }

/// Series of a higher order are not faster at this tolerance.
u32 highest_order(double tolerance) { return tolerance >= 1e-4 ? 6 : tolerance >= 1e-5 ? 8 : tree::kMaxOrder; }

/// Bodies along the curve, in the precision of the near pairs and in units of the tree.
template <class Real>
struct SortedBodies {
  std::vector<u32> body;  ///< [n] which one
  AlignedVector<Real> x, y, z, m;
  tree::Cloud cloud;
  double length = 1, mass = 1;  ///< the units

  BodyView<Real> view() const { return {x.data(), y.data(), z.data(), m.data()}; }
};

constexpr u32 kNodesAtOnce = 1u << 8, kBodiesAtOnce = 1u << 17;  ///< some 20 ms

/// for_each_on_threads(), where somebody may cancel it so many a thread at a time.
template <class F>
void for_each_watched(u32 n, u32 threads, u32 of_thread, const F& f) {
  const u32 at_once = of_thread * threads;
  if (!progress_is_wanted() || n <= at_once) return for_each_on_threads(n, threads, f);
  LoopProgress progress(n);
  for (u32 at = 0; at < n; at += std::min(at_once, n - at)) {
    progress.at(at);
    for_each_on_threads(std::min(at_once, n - at), threads, [&](u32 i) { f(at + i); });
  }
}

/// Sorts on all threads; equal keys by index.
void sort_keys(std::vector<std::pair<u64, u32>>& keys, u32 threads) {
  const auto at = [&](u64 part) { return keys.begin() + static_cast<std::ptrdiff_t>(keys.size() * part / threads); };
  on_threads(threads, [&](u32 t) { sort_reporting(at(t), at(t + 1)); });
  for (u32 width = 1; width < threads; width *= 2) {
    for (u32 t = 0; t + width < threads; t += 2 * width) {
      std::inplace_merge(at(t), at(t + width), at(std::min(threads, t + 2 * width)));
    }
  }
}

template <class Real>
SortedBodies<Real> sorted_bodies(const BodyView<Real>& from, u32 n, u32 threads) {
  SortedBodies<Real> to;
  double low[3], centre[3];
  const Real* const axes[3] = {from.x, from.y, from.z};
  double extent = 0;
  for (u32 k = 0; k < 3; ++k) {
    const auto [least, most] = std::minmax_element(axes[k], axes[k] + n);
    low[k] = *least, centre[k] = 0.5 * (low[k] + static_cast<double>(*most));
    extent = std::max(extent, static_cast<double>(*most) - low[k]);
  }
  if (extent > 0) to.length = extent / 2;
  const double mass =
      std::accumulate(from.m, from.m + n, 0.0, [](double a, Real b) { return a + static_cast<double>(b); });
  if (mass > 0) to.mass = mass;
  std::vector<std::pair<u64, u32>> keys(n);
  constexpr double kMaxCell = (1u << kCellBits) - 1;
  const double scale = extent > 0 ? kMaxCell / extent : 0;
  for_each_watched((n + kKeysAtOnce - 1) / kKeysAtOnce, threads, kBodiesAtOnce / kKeysAtOnce, [&](u32 part) {
    const u32 first = part * kKeysAtOnce, count = std::min(kKeysAtOnce, n - first);
    u32 cells[3][kKeysAtOnce] = {};
    for (u32 k = 0; k < 3; ++k) {
      for (u32 i = 0; i < count; ++i) {
        const double at = (static_cast<double>(axes[k][first + i]) - low[k]) * scale;
        cells[k][i] = at > 0 ? static_cast<u32>(std::min(at, kMaxCell)) : 0u;  // a number that is not finite is 0
      }
    }
    u64 found[kKeysAtOnce];
    curve_keys(cells[0], cells[1], cells[2], found);
    for (u32 i = 0; i < count; ++i) keys[first + i] = {found[i], first + i};
  });
  sort_keys(keys, threads);
  to.body.resize(n);
  for (auto* column : {&to.x, &to.y, &to.z, &to.m}) *column = padded<Real>(n);
  for (auto* column : {&to.cloud.x, &to.cloud.y, &to.cloud.z, &to.cloud.m}) column->assign(n + kPadding, 0.0);
  for_each_watched(n, threads, kBodiesAtOnce, [&](u32 i) {
    const u32 body = to.body[i] = keys[i].second;
    to.x[i] = from.x[body], to.y[i] = from.y[body], to.z[i] = from.z[body], to.m[i] = from.m[body];
    to.cloud.x[i] = (static_cast<double>(to.x[i]) - centre[0]) / to.length;
    to.cloud.y[i] = (static_cast<double>(to.y[i]) - centre[1]) / to.length;
    to.cloud.z[i] = (static_cast<double>(to.z[i]) - centre[2]) / to.length;
    to.cloud.m[i] = static_cast<double>(to.m[i]) / to.mass;
  });
  return to;
}

constexpr u64 kLooks = 4096;  ///< items between two looks whether the loop is to stop

/// Items by a key below `count`: those of key k are items[first[k] to first[k + 1]).
template <class Item>
struct KeyedLists {
  std::vector<u64> first;
  std::vector<Item> items;

  std::span<Item> of(u32 key) { return std::span(items).subspan(first[key], first[key + 1] - first[key]); }
};

/// visit(add) calls add(key, item) for all items, each time for the same; `all`: how many, or more. Each thread visits
/// all of them and takes those of a range of keys.
template <class Item, class Visit>
KeyedLists<Item> keyed_lists(u32 count, u64 all, u32 threads, const Visit& visit) {
  KeyedLists<Item> lists;
  lists.first.assign(count + 1, 0);
  const auto for_each = [&](const auto& add) {
    WalkReport report(all);
    on_threads(threads, [&](u32 thread) {
      const u32 begin = static_cast<u32>(u64{count} * thread / threads);
      const u32 keys = static_cast<u32>(u64{count} * (thread + 1) / threads) - begin;
      u64 seen = 0;
      visit([&](u32 key, const Item& item) {
        if (++seen % kLooks == 0 && !report.keep_going(thread, seen)) return;
        if (key - begin < keys) add(key, item);
      });
    });
  };
  for_each([&](u32 key, const Item&) { ++lists.first[key + 1]; });
  std::partial_sum(lists.first.begin(), lists.first.end(), lists.first.begin());
  lists.items.resize(lists.first.back());
  std::vector<u64> next(lists.first.begin(), lists.first.end() - 1);
  for_each([&](u32 key, const Item& item) { lists.items[next[key]++] = item; });
  return lists;
}

/// By order, then by node: a byte at a time, the last one first. spare: memory to sort in.
void sort_sources(std::span<FarSource> list, std::vector<FarSource>& spare) {
  const auto key = [](const FarSource& s) { return u32{s.order} << 28 | u32{s.node}; };
  if (list.size() < 64) {
    std::sort(list.begin(), list.end(), [&](const FarSource& a, const FarSource& b) { return key(a) < key(b); });
    return;
  }
  std::array<std::array<u32, 256>, 4> before{};
  for (const FarSource& s : list) {
    for (u32 byte = 0; byte < 4; ++byte) ++before[byte][key(s) >> 8 * byte & 255];
  }
  spare.resize(std::max(spare.size(), list.size()));
  std::span<FarSource> from = list, to = std::span(spare).first(list.size());
  for (u32 byte = 0; byte < 4; ++byte) {
    std::array<u32, 256>& at = before[byte];
    if (at[key(list[0]) >> 8 * byte & 255] == list.size()) continue;  // all are equal
    u32 sum = 0;
    for (u32& count : at) sum += std::exchange(count, sum);
    for (const FarSource& s : from) to[at[key(s) >> 8 * byte & 255]++] = s;
    std::swap(from, to);
  }
  if (from.data() != list.data()) std::copy(from.begin(), from.end(), list.begin());
}

/// All tiles of near pairs, leaves that are neighbours in one, row by row.
std::vector<PairTile> near_tiles(const tree::Tree& tree, std::vector<tree::Meetings>& met, u32 threads) {
  const u32 first = tree.first_leaf();
  u64 all = 0;
  for (const tree::Meetings& m : met) all += m.near.size();
  auto rows = keyed_lists<u32>(tree.leaves(), all, threads, [&](const auto& add) {
    for (const tree::Meetings& m : met) {
      for (const tree::NearPair& pair : m.near) add(pair.a - first, pair.b);
    }
  });
  for_each_on_threads(tree.leaves(), threads, [&](u32 row) { std::sort(rows.of(row).begin(), rows.of(row).end()); });
  std::vector<PairTile> tiles;
  LoopProgress progress(tree.leaves());
  for (u32 row = 0; row < tree.leaves(); ++row) {
    progress.at(row);
    const tree::Node& a = tree.nodes()[first + row];
    u32 before = 0;
    for (const u32 col : rows.of(row)) {
      const tree::Node& b = tree.nodes()[col];
      const bool diagonal = col == first + row;
      if (!diagonal && before + 1 == col && !tiles.back().diagonal) {
        tiles.back().col1 = b.end;
      } else {
        tiles.push_back({a.begin, a.end, b.begin, b.end, diagonal});
      }
      before = col;
    }
  }
  return tiles;
}

/// The far part: fields by series, carried down to the leaves, and what they do to bodies. Real: what series are
/// computed in; all else is in float64.
template <class Real>
class FarField {
 public:
  FarField(tree::Tree& tree, const tree::Cloud& cloud, double eps2, u32 order, u32 threads)
      : tree_(tree), cloud_(cloud), order_(order), threads_(threads), stride_(series_stride(order)) {
    moments_.assign(stride_ * tree.nodes().size(), 0.0), scaled_.assign(moments_.size(), Real(0));
    for (u32 level = tree.levels(); level-- > 0;) each_node(level, [&](u32 node) { find_moments(node); });
    series_ = {tree.nodes(), scaled_.data(), stride_, eps2};
    each_node(tree.levels() - 1, [&](u32 leaf) { tree_.estimate(leaf, eps2); });
    tree_.settle_estimates();
  }

  /// Returns [4 n]: x, y, z of accelerations, and the potential's negative. share: of the leaves; bodies of others get
  /// 0.
  std::vector<double> act(const std::vector<tree::Meetings>& met, u32 n, const RankShare& share = {}) {
    const u32 count = static_cast<u32>(tree_.nodes().size());
    const u64 begin = share.first(tree_.leaves()) * tree::kLeaf, end = share.last(tree_.leaves()) * tree::kLeaf;
    const auto shared = [&](u32 node) { return tree_.nodes()[node].begin < end && tree_.nodes()[node].end > begin; };
    u64 all = 0;
    for (const tree::Meetings& m : met) all += 2 * m.far.size();
    auto sources = keyed_lists<FarSource>(count, all, threads_, [&](const auto& add) {
      for (const tree::Meetings& m : met) {
        for (const auto& [a, b, order] : m.far) {
          if (shared(a)) add(a, FarSource{b, order});
          if (shared(b)) add(b, FarSource{a, order});
        }
      }
    });
    fields_.assign(stride_ * count, 0.0);
    WalkReport report(count);
    on_threads(threads_, [&](u32 thread) {
      std::vector<FarSource> spare;
      for (u32 node = thread; node < count && report.keep_going(thread, node); node += threads_) {
        const auto list = sources.of(node);
        if (list.empty()) continue;
        sort_sources(list, spare);
        add_far_field(series_, tree_.nodes()[node], list, &fields_[stride_ * node]);
      }
    });
    for (u32 level = 0; level + 1 < tree_.levels(); ++level) {
      each_node(level, [&](u32 node) {
        if (shared(node)) carry_field(tree_.nodes(), node, order_, stride_, fields_.data());
      });
    }
    std::vector<double> sums(std::size_t{4} * n, 0.0);
    const FieldSums to{{&sums[0], sums.data() + n, sums.data() + 2 * std::size_t{n}, sums.data() + 3 * std::size_t{n}}};
    each_node(tree_.levels() - 1, [&](u32 leaf) {
      if (shared(leaf)) add_field(cloud_, tree_.nodes()[leaf], &fields_[stride_ * leaf], order_, to);
    });
    return sums;
  }

 private:
  template <class F>
  void each_node(u32 level, const F& f) {
    const u32 first = tree_.first(level);
    for_each_watched(tree_.end(level) - first, threads_, kNodesAtOnce, [&](u32 i) { f(first + i); });
  }

  void find_moments(u32 index) {
    tree_.measure(index, cloud_);
    const tree::Node& node = tree_.nodes()[index];
    double* const to = &moments_[stride_ * index];
    if (node.children == 0) leaf_moments(cloud_, node, order_, to);
    if (node.children > 0) join_moments(tree_.nodes(), index, order_, stride_, moments_.data());
    double unit = 1;
    for (u32 n = 0; n <= order_; ++n, unit /= node.unit()) {
      for (u32 k = tree::terms_below(n); k < tree::terms_to(n); ++k) {
        scaled_[stride_ * index + k] = static_cast<Real>(to[k] * unit);
      }
    }
  }

  tree::Tree& tree_;
  const tree::Cloud& cloud_;
  u32 order_, threads_;
  std::size_t stride_;
  TreeSeries<Real> series_;
  std::vector<double> moments_, fields_;  ///< stride_ numbers a node
  std::vector<Real> scaled_;              ///< moments in units of the nodes
};

TreeCounts count_pairs(const tree::Tree& tree, const std::vector<tree::Meetings>& met) {
  TreeCounts counts;
  const auto bodies = [&](u32 node) { return u64{tree.nodes()[node].end - tree.nodes()[node].begin}; };
  for (const tree::Meetings& m : met) {
    for (const auto& [a, b] : m.near) counts.near += a == b ? bodies(a) * (bodies(a) - 1) / 2 : bodies(a) * bodies(b);
    for (const auto& [a, b, order] : m.far) counts.pairs += bodies(a) * bodies(b), ++counts.series[order];
  }
  counts.pairs += counts.near;
  return counts;
}

/// Bodies, their tree and who meets whom in it.
template <class Real>
class Meeting {
 public:
  Meeting(const ForceField& field, const BodyView<Real>& bodies, u32 n, const TreeWalk& walk)
      : sorted(sorted_bodies(bodies, n, walk.threads)),
        tree(n),
        far(tree, sorted.cloud, eps2(field), highest_order(walk.tolerance), walk.threads),
        met(walk.threads) {
    TRI_EXPECTS(field.pair == PairLaw::gravity && field.box.boundary != Boundary::periodic);
    const double tolerance = pair_share(walk.tolerance, n) * walk.tolerance;
    for_each_tile(walk.map, triangle_grid(walk.map, tree.squares(), 1), walk.threads, [&](u32 thread, Tile2 square) {
      tree.meet(square.row, square.col, tolerance, highest_order(walk.tolerance), met[thread]);
    });
    tiles = near_tiles(tree, met, walk.threads);
  }

  /// [3 n], of which each rank computes those of its share of the leaves.
  std::vector<double> far_accelerations(Ranks& ranks) {
    const u32 n = static_cast<u32>(sorted.body.size());
    std::vector<double> all;
    ranks.together([&] { all = far.act(met, n, ranks.share()); });
    all.resize(std::size_t{3} * n);
    ranks.sum(std::span(all));  // each number is that of one rank: no bit changes
    return all;
  }

  double eps2(const ForceField& field) const {
    return field.gravity.softening / sorted.length * (field.gravity.softening / sorted.length);
  }

  SortedBodies<Real> sorted;
  tree::Tree tree;
  FarField<Real> far;
  std::vector<tree::Meetings> met;
  std::vector<PairTile> tiles;  ///< of near pairs
};

/// The largest (m_i + m_j) / s^3 of all pairs. Nodes whose bodies cannot have it are left out, so that hardly more than
/// leaves that touch meet: the pair is close, as a rule.
class FastestFall {
 public:
  FastestFall(const tree::Tree& tree, const tree::Cloud& cloud, double eps2)
      : tree_(tree), cloud_(cloud), eps2_(eps2), hulls_(tree.nodes().size()) {}

  double find(u32 threads) {
    const u32 first = tree_.first_leaf();
    for (u32 level = tree_.levels(); level-- > 0;) {
      for_each_on_threads(tree_.end(level) - tree_.first(level), threads,
                          [&](u32 i) { measure(tree_.first(level) + i); });
    }
    for_each_on_threads(tree_.leaves(), threads, [&](u32 leaf) { compare(first + leaf, first + leaf); });
    for_each_in_turn(tree_.leaves(), threads, [&](u32 leaf) { search(first + leaf); });
    return best_;
  }

 private:
  struct Hull {
    double low[3], high[3];
    double heaviest = 0;
  };

  void measure(u32 index) {
    const tree::Node& node = tree_.nodes()[index];
    constexpr double kFar = std::numeric_limits<double>::infinity();
    Hull hull{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
    const auto add = [&](const double(&low)[3], const double(&high)[3], double mass) {
      for (u32 k = 0; k < 3; ++k)
        hull.low[k] = std::min(hull.low[k], low[k]), hull.high[k] = std::max(hull.high[k], high[k]);
      hull.heaviest = std::max(hull.heaviest, mass);
    };
    for (u32 i = node.begin; i < node.end && node.children == 0; ++i) {
      const double at[3] = {cloud_.x[i], cloud_.y[i], cloud_.z[i]};
      add(at, at, cloud_.m[i]);
    }
    for (u32 c = node.child; c < node.child + node.children; ++c)
      add(hulls_[c].low, hulls_[c].high, hulls_[c].heaviest);
    hulls_[index] = hull;
  }

  double rate(double mass, double d2) const { return mass / ((d2 + eps2_) * std::sqrt(d2 + eps2_)); }

  /// No pair of a body in `a` and one in `b` has more.
  double bound(const Hull& a, const Hull& b) const {
    double d2 = 0;
    for (u32 k = 0; k < 3; ++k) {
      const double gap = std::max({0.0, a.low[k] - b.high[k], b.low[k] - a.high[k]});
      d2 += gap * gap;
    }
    return (1 + 1e-12) * rate(a.heaviest + b.heaviest, d2);
  }

  /// Leaves b <= a.
  void search(u32 a) {
    std::vector<u32> open{0};
    while (!open.empty()) {
      const u32 index = open.back();
      open.pop_back();
      const tree::Node& node = tree_.nodes()[index];
      if (index == a || node.begin > tree_.nodes()[a].begin || !(bound(hulls_[a], hulls_[index]) > best_)) continue;
      if (node.children == 0) compare(a, index);
      for (u32 c = node.child; c < node.child + node.children; ++c) open.push_back(c);
    }
  }

  void compare(u32 a, u32 b) {
    const tree::Node &of = tree_.nodes()[a], &with = tree_.nodes()[b];
    double most = best_;
    for (u32 i = of.begin; i < of.end; ++i) {
      const double x = cloud_.x[i], y = cloud_.y[i], z = cloud_.z[i], m = cloud_.m[i];
      if (a != b && !(bound({{x, y, z}, {x, y, z}, m}, hulls_[b]) > most)) continue;
      for (u32 j = with.begin; j < (a == b ? i : with.end); ++j) {
        const double dx = cloud_.x[j] - x, dy = cloud_.y[j] - y, dz = cloud_.z[j] - z;
        const double found = rate(m + cloud_.m[j], dx * dx + dy * dy + dz * dz);
        if (found > most) most = found;
      }
    }
    double seen = best_;
    while (most > seen && !best_.compare_exchange_weak(seen, most)) {
    }
  }

  const tree::Tree& tree_;
  const tree::Cloud& cloud_;
  double eps2_;
  std::vector<Hull> hulls_;  ///< of the nodes
  std::atomic<double> best_ = 0;
};

}  // namespace

u64 tree_from(Precision precision, double tolerance) {
  const u64 n = tolerance >= 1e-4 ? 16384 : tolerance >= 1e-5 ? 24576 : tolerance >= 1e-6 ? 32768 : 65536;
  return precision == Precision::fp32 ? n : n / 2;
}

template <class Real>
TreeCounts add_tree(const ForceField& field, const BodyView<Real>& bodies, u32 n, const TreeWalk& walk,
                    Accumulate accumulate, ForceSums& sums, double* fall) {
  Meeting<Real> meeting(field, bodies, n, walk);
  const SortedBodies<Real>& sorted = meeting.sorted;
  sums.add_tiles(field, sorted.view(), n, meeting.tiles, walk.threads, accumulate);
  const std::vector<double> by_series = meeting.far_accelerations(sums.series_ranks);
  const double unit = field.gravity.G * sorted.mass / (sorted.length * sorted.length);
  std::vector<double>* const axes[3] = {&sums.x, &sums.y, &sums.z};
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> along(n);
    along.swap(*axes[k]);
    for_each_on_threads(n, walk.threads, [unit, k, n, &along, &by_series, &to = *axes[k], &body = sorted.body](u32 i) {
      to[body[i]] = along[i] + unit * by_series[k * n + i];
    });
  }
  if (fall != nullptr) {
    *fall = std::abs(unit) / sorted.length *
            FastestFall(meeting.tree, sorted.cloud, meeting.eps2(field)).find(walk.threads);
  }
  return count_pairs(meeting.tree, meeting.met);
}

template TreeCounts add_tree(const ForceField&, const BodyView<float>&, u32, const TreeWalk&, Accumulate, ForceSums&,
                             double*);
template TreeCounts add_tree(const ForceField&, const BodyView<double>&, u32, const TreeWalk&, Accumulate, ForceSums&,
                             double*);

TileEnergy tree_energy(const ForceField& field, const BodyView<double>& bodies, u32 n, u32 threads) {
  constexpr double kTolerance = 3e-6;  // potentials are better than accelerations by an order or more
  constexpr u32 kAtOnce = 256;
  Meeting<double> meeting(field, bodies, n, {TriangleMapId::lambda, threads, kTolerance});
  const SortedBodies<double>& sorted = meeting.sorted;
  const u32 tiles = static_cast<u32>(meeting.tiles.size());
  std::vector<TileEnergy> parts((tiles + kAtOnce - 1) / kAtOnce);
  for_each_in_turn(static_cast<u32>(parts.size()), threads, [&](u32 part) {
    const u32 end = std::min(tiles, (part + 1) * kAtOnce);
    for (u32 k = part * kAtOnce; k < end; ++k) add_tile(field, sorted.view(), meeting.tiles[k], parts[part]);
  });
  TileEnergy sum, far;
  for (const TileEnergy& part : parts) sum.potential += part.potential, sum.virial += part.virial;
  const std::vector<double> by_series = meeting.far.act(meeting.met, n);
  const tree::Cloud& c = sorted.cloud;
  for (std::size_t i = 0; i < n; ++i) {
    far.potential -= c.m[i] * by_series[3 * std::size_t{n} + i] / 2;  // each pair is in the field of both
    far.virial += c.m[i] * (c.x[i] * by_series[i] + c.y[i] * by_series[n + i] + c.z[i] * by_series[2 * n + i]);
  }
  const double unit = field.gravity.G * sorted.mass * (sorted.mass / sorted.length);
  return {sum.potential + unit * far.potential, sum.virial + unit * far.virial};
}

TreePicture tree_picture(const ForceField& field, const BodyView<double>& bodies, u32 n, const TreeWalk& walk,
                         u32 most) {
  const SortedBodies<double> sorted = sorted_bodies(bodies, n, walk.threads);
  tree::Tree tree(n);
  const double softening = field.gravity.softening / sorted.length, share = pair_share(walk.tolerance, n);
  const u32 order = highest_order(walk.tolerance);
  const FarField<double> moments(tree, sorted.cloud, softening * softening, order, walk.threads);
  const u32 squares = std::min(tree.squares(), std::max(1u, most / tree::kSquareLeaves));
  TreePicture picture;
  picture.leaf = tree::kLeaf;
  picture.leaves = std::min(tree.leaves(), squares * tree::kSquareLeaves);
  picture.bodies = std::min(n, picture.leaves * tree::kLeaf);
  const auto add = [&](u32 a, u32 b, u32 of_order) {
    const tree::Node &x = tree.nodes()[a], &y = tree.nodes()[b];
    const auto leaves = [](const tree::Node& node) { return (node.end - node.begin + tree::kLeaf - 1) / tree::kLeaf; };
    picture.pieces.push_back({x.begin / tree::kLeaf, leaves(x), y.begin / tree::kLeaf, leaves(y), of_order,
                              of_order > 0 ? tree.error_of(a, b, of_order) : 0});
  };
  for (u32 row = 0; row < squares; ++row) {
    tree::Meetings met;
    for (u32 col = 0; col <= row; ++col) tree.meet(row, col, share * walk.tolerance, order, met);
    for (const auto& [a, b] : met.near) add(a, b, 0);
    for (const auto& [a, b, of_order] : met.far) add(a, b, of_order);
  }
  return picture;
}

}  // namespace tri::cpu
