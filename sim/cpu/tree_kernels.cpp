// Series of the tree (sim/laws/series.hpp), a lane a body or a node: moments of a leaf, the field that far nodes make
// in one, and what it does to bodies.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/tree_kernels.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/tree_sums.hpp"
#include "sim/laws/series.hpp"

// The products of a series by its order, once for all targets.
#ifndef TRI_CPU_SERIES_PLAN
#define TRI_CPU_SERIES_PLAN
namespace tri::cpu {
namespace {

/// Doubles from one term's vector to the next, of the widest vectors.
constexpr u32 kSeriesLanes = 8;

/// Where a derivative and a moment lie among the vectors, in doubles.
struct SeriesProduct {
  std::uint16_t both = 0, other = 0;
};

/// L_k += D_(k+l) M_l for all l, some neighbouring k at a time.
struct SeriesPlan {
  struct Rows {
    u32 term = 0, rows = 0;
    u32 first = 0, count = 0;  ///< of products
  };
  std::vector<Rows> rows;
  std::vector<SeriesProduct> products;
};

SeriesPlan make_series_plan(u32 order) {
  SeriesPlan plan;
  for (u32 k = 0; k < tree::terms_to(order);) {
    const auto [x, y, z] = tree::kTerms[k];
    const u32 left = y + 1u;  // of this degree and x
    SeriesPlan::Rows rows{k, left == 5 ? 3 : std::min(left, 4u), static_cast<u32>(plan.products.size()), 0};
    for (u32 l = 0; l < tree::terms_to(order - tree::kTerms[k].degree()); ++l) {
      const tree::Term& m = tree::kTerms[l];
      const u32 both = tree::term_index(u32{x} + m.x, u32{y} + m.y, u32{z} + m.z);
      plan.products.push_back(
          {static_cast<std::uint16_t>(both * kSeriesLanes), static_cast<std::uint16_t>(l * kSeriesLanes)});
    }
    rows.count = static_cast<u32>(plan.products.size()) - rows.first;
    k += rows.rows;
    plan.rows.push_back(rows);
  }
  return plan;
}

std::span<const SeriesPlan> series_plans() {
  static const std::vector<SeriesPlan> plans = [] {
    std::vector<SeriesPlan> all;
    for (u32 order = 0; order <= tree::kMaxOrder; ++order) all.push_back(make_series_plan(order));
    return all;
  }();
  return plans;
}

constexpr double kNoMoments[tree::kMaxTerms] = {};

/// k! of each term.
constexpr std::array<double, tree::kMaxTerms> kFactorials = [] {
  std::array<double, tree::kMaxTerms> all{};
  const auto factorial = [](u32 n) {
    double f = 1;
    for (u32 i = 2; i <= n; ++i) f *= i;
    return f;
  };
  for (u32 i = 0; i < tree::kMaxTerms; ++i) {
    const auto [x, y, z] = tree::kTerms[i];
    all[i] = factorial(x) * factorial(y) * factorial(z);
  }
  return all;
}();

}  // namespace
}  // namespace tri::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

using tree::kMaxTerms;
using tree::kTerms;
using tree::term_index;
using tree::terms_before;
using tree::terms_below;
using tree::terms_to;

using D = hn::CappedTag<double, kSeriesLanes>;
using V = hn::Vec<D>;

/// A vector for each term.
struct Vectors {
  static constexpr std::size_t kLanes = kSeriesLanes;
  alignas(64) double values[kMaxTerms * kLanes];

  V get(u32 i) const { return hn::Load(D{}, values + i * kLanes); }
  void set(u32 i, V v) { hn::Store(v, D{}, values + i * kLanes); }
  void clear(u32 count) {
    for (u32 i = 0; i < count; ++i) set(i, hn::Zero(D{}));
  }
};

void powers(V x, V y, V z, u32 order, Vectors& to) {
  to.set(0, hn::Set(D{}, 1.0));
  for (u32 i = 1; i < terms_to(order); ++i) {
    const auto [a, b, c] = kTerms[i];
    const u32 from = a > 0 ? term_index(a - 1, b, c) : b > 0 ? term_index(a, b - 1, c) : term_index(a, b, c - 1);
    const V by = a > 0 ? x : b > 0 ? y : z;
    to.set(i, hn::Mul(hn::Mul(to.get(from), by), hn::Set(D{}, 1.0 / (a > 0 ? a : b > 0 ? b : c))));
  }
}

void moments(const tree::Cloud& cloud, const tree::Node& node, u32 order, double* to) {
  const D d;
  Vectors power, sum;
  sum.clear(terms_to(order));
  for (u32 i = node.begin; i < node.end; i += static_cast<u32>(hn::Lanes(d))) {
    const auto from = [&](u32 k, const std::vector<double>& at) {
      return hn::Sub(hn::Set(d, node.centre[k]), hn::LoadU(d, at.data() + i));
    };
    powers(from(0, cloud.x), from(1, cloud.y), from(2, cloud.z), order, power);
    const V m = hn::IfThenElseZero(hn::FirstN(d, node.end - i), hn::LoadU(d, cloud.m.data() + i));
    for (u32 k = 0; k < terms_to(order); ++k) sum.set(k, hn::MulAdd(m, power.get(k), sum.get(k)));
  }
  for (u32 k = 0; k < terms_to(order); ++k) to[k] = hn::GetLane(hn::SumOfLanes(d, sum.get(k)));
}

/// The derivatives D_k of each lane: D_k / k! first, whose recurrence has no factors.
void lane_derivatives(const V (&r)[3], double eps2, u32 order, Vectors& to) {
  const D d;
  const V r2 = hn::MulAdd(r[2], r[2], hn::MulAdd(r[1], r[1], hn::MulAdd(r[0], r[0], hn::Set(d, eps2))));
  const V inverse = hn::Div(hn::Set(d, 1.0), r2);
  const V zero = hn::Zero(d);
  to.set(0, hn::Sqrt(inverse));
  for (u32 n = 1; n <= order; ++n) {
    const V one_factor = hn::Mul(inverse, hn::Set(d, (1.0 - 2.0 * n) / n));
    const V two_factor = hn::Mul(inverse, hn::Set(d, (1.0 - n) / n));
    // Terms of degree n - 1 and n - 2 that differ from the present one by one or two of an axis.
    const u32 below = terms_below(n), once = terms_below(n - 1), twice = n > 1 ? terms_below(n - 2) : 0;
    for (u32 rest = 0; rest <= n; ++rest) {
      const u32 here = terms_before(rest), y_once = rest > 0 ? terms_before(rest - 1) : 0;
      const u32 y_twice = rest > 1 ? terms_before(rest - 2) : 0;
      for (u32 z = 0; z <= rest; ++z) {
        V one = rest < n ? hn::Mul(r[0], to.get(once + here + z)) : zero;
        if (z < rest) one = hn::MulAdd(r[1], to.get(once + y_once + z), one);
        if (z > 0) one = hn::MulAdd(r[2], to.get(once + y_once + z - 1), one);
        V two = rest + 1 < n ? to.get(twice + here + z) : zero;
        if (z + 1 < rest) two = hn::Add(two, to.get(twice + y_twice + z));
        if (z > 1) two = hn::Add(two, to.get(twice + y_twice + z - 2));
        to.set(below + here + z, hn::MulAdd(one, one_factor, hn::Mul(two, two_factor)));
      }
    }
  }
  for (u32 i = 2; i < terms_to(order); ++i) to.set(i, hn::Mul(to.get(i), hn::Set(d, kFactorials[i])));
}

/// Adds to kRows terms of the field that are neighbours, from term k on: for each of the products the derivative's term
/// of the first row (the next row's is its neighbour) and the moment's.
template <u32 kRows>
HWY_INLINE void add_rows(u32 k, std::span<const SeriesProduct> products, const Vectors& derivative,
                         const Vectors& moment, Vectors& field) {
  const D d;
  V a = field.get(k), b = a, c = a, e = a;
  if constexpr (kRows > 1) b = field.get(k + 1);
  if constexpr (kRows > 2) c = field.get(k + 2);
  if constexpr (kRows > 3) e = field.get(k + 3);
  for (const auto& [both, other] : products) {
    const V m = hn::Load(d, moment.values + other);
    const double* const from = derivative.values + both;
    a = hn::MulAdd(hn::Load(d, from), m, a);
    if constexpr (kRows > 1) b = hn::MulAdd(hn::Load(d, from + Vectors::kLanes), m, b);
    if constexpr (kRows > 2) c = hn::MulAdd(hn::Load(d, from + 2 * Vectors::kLanes), m, c);
    if constexpr (kRows > 3) e = hn::MulAdd(hn::Load(d, from + 3 * Vectors::kLanes), m, e);
  }
  field.set(k, a);
  if constexpr (kRows > 1) field.set(k + 1, b);
  if constexpr (kRows > 2) field.set(k + 2, c);
  if constexpr (kRows > 3) field.set(k + 3, e);
}

void add_lane_fields(const SeriesPlan& plan, const Vectors& derivative, const Vectors& moment, Vectors& field) {
  for (const SeriesPlan::Rows& rows : plan.rows) {
    const std::span<const SeriesProduct> products(plan.products.data() + rows.first, rows.count);
    switch (rows.rows) {
      case 1:
        add_rows<1>(rows.term, products, derivative, moment, field);
        break;
      case 2:
        add_rows<2>(rows.term, products, derivative, moment, field);
        break;
      case 3:
        add_rows<3>(rows.term, products, derivative, moment, field);
        break;
      default:
        add_rows<4>(rows.term, products, derivative, moment, field);
    }
  }
}

void field(const TreeSeries& series, const tree::Node& target, std::span<const FarSource> sources, double* to) {
  const D d;
  const u32 lanes = static_cast<u32>(hn::Lanes(d));
  const std::span<const SeriesPlan> plans = series_plans();
  Vectors derivative, moment, sum;
  u32 most = 0;
  for (const FarSource& source : sources) most = std::max(most, source.order);
  sum.clear(terms_to(most));
  for (std::size_t at = 0; at < sources.size();) {
    const u32 order = sources[at].order;
    const double* rows[kSeriesLanes];
    alignas(64) double places[3][kSeriesLanes];
    for (u32 lane = 0; lane < lanes; ++lane) {
      const bool used = at < sources.size() && sources[at].order == order;
      const std::size_t node = used ? sources[at++].node : sources[at - 1].node;
      rows[lane] = used ? series.moments + series.stride * node : kNoMoments;
      for (u32 k = 0; k < 3; ++k) places[k][lane] = target.centre[k] - series.nodes[node].centre[k];
    }
    for (u32 i = 0; i < terms_to(order); ++i) {
      for (u32 lane = 0; lane < lanes; ++lane) moment.values[i * kSeriesLanes + lane] = rows[lane][i];
    }
    const V r[3] = {hn::Load(d, places[0]), hn::Load(d, places[1]), hn::Load(d, places[2])};
    lane_derivatives(r, series.eps2, order, derivative);
    add_lane_fields(plans[order], derivative, moment, sum);
  }
  for (u32 i = 0; i < terms_to(most); ++i) to[i] += hn::GetLane(hn::SumOfLanes(d, sum.get(i)));
}

void act(const tree::Cloud& cloud, const tree::Node& node, const double* field, u32 order, const FieldSums& to) {
  const D d;
  Vectors power;
  for (u32 i = node.begin; i < node.end; i += static_cast<u32>(hn::Lanes(d))) {
    const auto from = [&](u32 k, const std::vector<double>& at) {
      return hn::Sub(hn::LoadU(d, at.data() + i), hn::Set(d, node.centre[k]));
    };
    powers(from(0, cloud.x), from(1, cloud.y), from(2, cloud.z), order, power);
    V sum[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    for (u32 k = 0; k < terms_to(order); ++k) {
      const V v = power.get(k);
      sum[3] = hn::MulAdd(hn::Set(d, field[k]), v, sum[3]);
      const auto [x, y, z] = kTerms[k];
      if (kTerms[k].degree() == order) continue;
      const u32 up[3] = {term_index(x + 1u, y, z), term_index(x, y + 1u, z), term_index(x, y, z + 1u)};
      for (u32 axis = 0; axis < 3; ++axis) sum[axis] = hn::MulAdd(hn::Set(d, field[up[axis]]), v, sum[axis]);
    }
    alignas(64) double lanes[Vectors::kLanes];
    for (u32 axis = 0; axis < 4; ++axis) {
      hn::Store(sum[axis], d, lanes);
      for (u32 lane = 0; lane < hn::Lanes(d) && i + lane < node.end; ++lane) to.of[axis][i + lane] += lanes[lane];
    }
  }
}

}  // namespace

constexpr auto& run_moments = moments;
constexpr auto& run_field = field;
constexpr auto& run_act = act;

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tri::cpu {

HWY_EXPORT(run_moments);
HWY_EXPORT(run_field);
HWY_EXPORT(run_act);

void leaf_moments(const tree::Cloud& cloud, const tree::Node& leaf, u32 order, double* to) {
  HWY_DYNAMIC_DISPATCH(run_moments)(cloud, leaf, order, to);
}

void add_far_field(const TreeSeries& series, const tree::Node& target, std::span<const FarSource> sources, double* to) {
  HWY_DYNAMIC_DISPATCH(run_field)(series, target, sources, to);
}

void add_field(const tree::Cloud& cloud, const tree::Node& leaf, const double* field, u32 order, const FieldSums& to) {
  HWY_DYNAMIC_DISPATCH(run_act)(cloud, leaf, field, order, to);
}

}  // namespace tri::cpu
#endif
