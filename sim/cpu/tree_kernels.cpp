// Series of the tree (sim/laws/series.hpp), a lane a body or a node: moments of a leaf, the field that far nodes make
// in one, and what it does to bodies.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/tree_kernels.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/base/hilbert.hpp"
#include "sim/cpu/tree.hpp"
#include "sim/laws/series.hpp"

// The products of a series by its order, once for all targets.
#ifndef TRI_CPU_SERIES_PLAN
#define TRI_CPU_SERIES_PLAN
namespace tri::cpu {
namespace {

/// Bytes of the widest vectors: from one term's vector to the next.
constexpr std::size_t kSeriesBytes = 64;
template <class Real>
constexpr u32 kSeriesLanes = kSeriesBytes / sizeof(Real);

/// Where a derivative and a moment lie among the vectors, in eighths of kSeriesBytes.
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
      plan.products.push_back({static_cast<std::uint16_t>(both * 8), static_cast<std::uint16_t>(l * 8)});
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

template <class Real>
constexpr Real kNoMoments[series_stride(tree::kMaxOrder)] = {};

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

template <class Real>
using Tag = hn::CappedTag<Real, kSeriesLanes<Real>>;
using D = Tag<double>;
using V = hn::Vec<D>;

/// A vector for each term.
template <class Real>
struct Vectors {
  using Lanes = hn::Vec<Tag<Real>>;
  alignas(64) Real values[kMaxTerms * kSeriesLanes<Real>];

  static HWY_INLINE Lanes at(const Real* from) { return hn::Load(Tag<Real>{}, from); }
  Lanes get(u32 i) const { return at(values + i * kSeriesLanes<Real>); }
  void set(u32 i, Lanes v) { hn::Store(v, Tag<Real>{}, values + i * kSeriesLanes<Real>); }
  void clear(u32 count) {
    for (u32 i = 0; i < count; ++i) set(i, hn::Zero(Tag<Real>{}));
  }
  /// One that a product names.
  const Real* of(std::uint16_t place) const { return values + place * (kSeriesLanes<Real> / 8); }
};

void powers(V x, V y, V z, u32 order, Vectors<double>& to) {
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
  Vectors<double> power, sum;
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

/// The derivatives D_k of each lane in units of the distance, x the vector in them: D_k / k! first, whose recurrence
/// has no factors.
template <class Real>
void lane_derivatives(const hn::Vec<Tag<Real>> (&x)[3], u32 order, Vectors<Real>& to) {
  using Lanes = hn::Vec<Tag<Real>>;
  const Tag<Real> d;
  const Lanes zero = hn::Zero(d);
  to.set(0, hn::Set(d, Real(1)));
  for (u32 n = 1; n <= order; ++n) {
    const Lanes one_factor = hn::Set(d, static_cast<Real>((1.0 - 2.0 * n) / n));
    const Lanes two_factor = hn::Set(d, static_cast<Real>((1.0 - n) / n));
    // Terms of degree n - 1 and n - 2 that differ from the present one by one or two of an axis.
    const u32 below = terms_below(n), once = terms_below(n - 1), twice = n > 1 ? terms_below(n - 2) : 0;
    for (u32 rest = 0; rest <= n; ++rest) {
      const u32 here = terms_before(rest), y_once = rest > 0 ? terms_before(rest - 1) : 0;
      const u32 y_twice = rest > 1 ? terms_before(rest - 2) : 0;
      for (u32 z = 0; z <= rest; ++z) {
        Lanes one = rest < n ? hn::Mul(x[0], to.get(once + here + z)) : zero;
        if (z < rest) one = hn::MulAdd(x[1], to.get(once + y_once + z), one);
        if (z > 0) one = hn::MulAdd(x[2], to.get(once + y_once + z - 1), one);
        Lanes two = rest + 1 < n ? to.get(twice + here + z) : zero;
        if (z + 1 < rest) two = hn::Add(two, to.get(twice + y_twice + z));
        if (z > 1) two = hn::Add(two, to.get(twice + y_twice + z - 2));
        to.set(below + here + z, hn::MulAdd(one, one_factor, hn::Mul(two, two_factor)));
      }
    }
  }
  for (u32 i = 2; i < terms_to(order); ++i) {
    to.set(i, hn::Mul(to.get(i), hn::Set(d, static_cast<Real>(kFactorials[i]))));
  }
}

/// Adds to kRows terms of the field that are neighbours, from term k on: for each of the products the derivative's term
/// of the first row (the next row's is its neighbour) and the moment's. All have one degree, whose unit is `by`.
template <u32 kRows, class Real>
HWY_INLINE void add_rows(u32 k, std::span<const SeriesProduct> products, const Vectors<Real>& derivative,
                         const Vectors<Real>& moment, hn::Vec<Tag<Real>> by, Vectors<Real>& field) {
  constexpr u32 kNext = kSeriesLanes<Real>;
  const auto lanes = [](const Real* from) { return Vectors<Real>::at(from); };
  auto a = hn::Zero(Tag<Real>{}), b = a, c = a, e = a;
  for (const auto& [both, other] : products) {
    const auto m = lanes(moment.of(other));
    const Real* const from = derivative.of(both);
    a = hn::MulAdd(lanes(from), m, a);
    if constexpr (kRows > 1) b = hn::MulAdd(lanes(from + kNext), m, b);
    if constexpr (kRows > 2) c = hn::MulAdd(lanes(from + 2 * kNext), m, c);
    if constexpr (kRows > 3) e = hn::MulAdd(lanes(from + 3 * kNext), m, e);
  }
  field.set(k, hn::MulAdd(a, by, field.get(k)));
  if constexpr (kRows > 1) field.set(k + 1, hn::MulAdd(b, by, field.get(k + 1)));
  if constexpr (kRows > 2) field.set(k + 2, hn::MulAdd(c, by, field.get(k + 2)));
  if constexpr (kRows > 3) field.set(k + 3, hn::MulAdd(e, by, field.get(k + 3)));
}

/// unit: [degree], what a term of the field is multiplied by.
template <class Real>
void add_lane_fields(const SeriesPlan& plan, const Vectors<Real>& derivative, const Vectors<Real>& moment,
                     const hn::Vec<Tag<Real>>* unit, Vectors<Real>& field) {
  for (const SeriesPlan::Rows& rows : plan.rows) {
    const std::span<const SeriesProduct> products(plan.products.data() + rows.first, rows.count);
    const auto by = unit[kTerms[rows.term].degree()];
    switch (rows.rows) {
      case 1:
        add_rows<1>(rows.term, products, derivative, moment, by, field);
        break;
      case 2:
        add_rows<2>(rows.term, products, derivative, moment, by, field);
        break;
      case 3:
        add_rows<3>(rows.term, products, derivative, moment, by, field);
        break;
      default:
        add_rows<4>(rows.term, products, derivative, moment, by, field);
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
/// 16 bytes of every row as one vector: of rows 0, kEach, 2 kEach, ..., where kEach numbers have 16 bytes.
template <class Tag, class Real>
HWY_INLINE hn::Vec<Tag> load_blocks(Tag d, const Real* const* rows, u32 at) {
  if constexpr (hn::MaxLanes(Tag{}) * sizeof(Real) <= 16) {
    return hn::LoadU(d, rows[0] + at);
  } else {
    const hn::Half<Tag> half;
    return hn::Combine(d, load_blocks(half, rows + hn::MaxLanes(half), at), load_blocks(half, rows, at));
  }
}
#endif

/// Sets some terms from `at` on, those before `end`, to those of each lane's row, times the unit of their degree.
template <class Real>
HWY_INLINE void load_terms(const Real* const* rows, u32 at, u32 end, const hn::Vec<Tag<Real>>* unit,
                           Vectors<Real>& to) {
  const Tag<Real> d;
  const auto set = [&](u32 k, hn::Vec<Tag<Real>> v) {
    if (at + k < end) to.set(at + k, hn::Mul(v, unit[kTerms[at + k].degree()]));
  };
#if HWY_TARGET == HWY_SCALAR
  for (u32 k = 0; k < 16 / sizeof(Real); ++k) set(k, hn::Set(d, rows[0][at + k]));
#else
  const auto a = load_blocks(d, rows, at), b = load_blocks(d, rows + 1, at);
  if constexpr (sizeof(Real) == 8) {
    set(0, hn::InterleaveLower(d, a, b)), set(1, hn::InterleaveUpper(d, a, b));
  } else {
    const auto c = load_blocks(d, rows + 2, at), e = load_blocks(d, rows + 3, at);
    const hn::Repartition<double, Tag<Real>> pairs;
    const auto low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
    const auto low2 = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
    const auto high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
    const auto high2 = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
    set(0, hn::BitCast(d, hn::InterleaveLower(pairs, low, low2)));
    set(1, hn::BitCast(d, hn::InterleaveUpper(pairs, low, low2)));
    set(2, hn::BitCast(d, hn::InterleaveLower(pairs, high, high2)));
    set(3, hn::BitCast(d, hn::InterleaveUpper(pairs, high, high2)));
  }
#endif
}

template <class Real>
void field(const TreeSeries<Real>& series, const tree::Node& target, std::span<const FarSource> sources, double* to) {
  using Lanes = hn::Vec<Tag<Real>>;
  const Tag<Real> d;
  const u32 lanes = static_cast<u32>(hn::Lanes(d));
  const std::span<const SeriesPlan> plans = series_plans();
  const double target_unit = target.unit();
  Vectors<Real> derivative, moment, sum;
  u32 most = 0;
  for (const FarSource& source : sources) most = std::max(most, source.order);
  sum.clear(terms_to(most));
  for (std::size_t at = 0; at < sources.size();) {
    const u32 order = sources[at].order;
    const Real* rows[kSeriesLanes<Real>];
    alignas(64) Real places[4][kSeriesLanes<Real>];
    for (u32 lane = 0; lane < lanes; ++lane) {
      const bool used = at < sources.size() && sources[at].order == order;
      const std::size_t index = used ? sources[at++].node : sources[at - 1].node;
      const tree::Node& node = series.nodes[index];
      rows[lane] = used ? series.moments + series.stride * index : kNoMoments<Real>;
      for (u32 k = 0; k < 3; ++k) places[k][lane] = static_cast<Real>(target.centre[k] - node.centre[k]);
      places[3][lane] = static_cast<Real>(node.unit());
    }
    Lanes x[3] = {hn::Load(d, places[0]), hn::Load(d, places[1]), hn::Load(d, places[2])};
    Lanes r2 = hn::Set(d, static_cast<Real>(series.eps2));
    for (const Lanes along : x) r2 = hn::MulAdd(along, along, r2);
    const Lanes inverse = hn::Sqrt(hn::Div(hn::Set(d, Real(1)), r2));
    for (Lanes& along : x) along = hn::Mul(along, inverse);
    Lanes source_unit[tree::kMaxOrder + 1], unit[tree::kMaxOrder + 1];
    const Lanes source = hn::Mul(hn::Load(d, places[3]), inverse);
    const Lanes own = hn::Mul(hn::Set(d, static_cast<Real>(target_unit)), inverse);
    source_unit[0] = hn::Set(d, Real(1)), unit[0] = inverse;
    for (u32 n = 1; n <= order; ++n) {
      source_unit[n] = hn::Mul(source_unit[n - 1], source), unit[n] = hn::Mul(unit[n - 1], own);
    }
    for (u32 i = 0; i < terms_to(order); i += 16 / sizeof(Real))
      load_terms(rows, i, terms_to(order), source_unit, moment);
    lane_derivatives(x, order, derivative);
    add_lane_fields(plans[order], derivative, moment, unit, sum);
  }
  double scale[tree::kMaxOrder + 1] = {1};
  for (u32 n = 1; n <= most; ++n) scale[n] = scale[n - 1] / target_unit;
  for (u32 i = 0; i < terms_to(most); ++i) {
    to[i] += scale[kTerms[i].degree()] * static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum.get(i))));
  }
}

/// Lanes are children of a node from `first` on; those that it lacks are at its centre and have no rows of their own.
u32 load_children(std::span<const tree::Node> nodes, const tree::Node& node, u32 first, double sign, u32 order,
                  Vectors<double>& power) {
  alignas(64) double places[3][kSeriesLanes<double>] = {};
  const u32 count = std::min(static_cast<u32>(hn::Lanes(D{})), node.children - first);
  for (u32 lane = 0; lane < count; ++lane) {
    const tree::Node& child = nodes[node.child + first + lane];
    for (u32 k = 0; k < 3; ++k) places[k][lane] = sign * (child.centre[k] - node.centre[k]);
  }
  powers(hn::Load(D{}, places[0]), hn::Load(D{}, places[1]), hn::Load(D{}, places[2]), order, power);
  return count;
}

void join(std::span<const tree::Node> nodes, u32 index, u32 order, std::size_t stride, double* moments) {
  const tree::Node& node = nodes[index];
  V one[tree::kMaxOrder + 1];
  std::fill_n(one, order + 1, hn::Set(D{}, 1.0));
  Vectors<double> power, from, sum;
  sum.clear(terms_to(order));
  for (u32 first = 0; first < node.children; first += static_cast<u32>(hn::Lanes(D{}))) {
    const u32 count = load_children(nodes, node, first, -1, order, power);
    const double* rows[kSeriesLanes<double>];
    std::fill(std::begin(rows), std::end(rows), kNoMoments<double>);
    for (u32 lane = 0; lane < count; ++lane) rows[lane] = moments + stride * (node.child + first + lane);
    for (u32 i = 0; i < terms_to(order); i += 2) load_terms(rows, i, terms_to(order), one, from);
    const SeriesPlan& plan = series_plans()[order];
    for (const SeriesPlan::Rows& group : plan.rows) {
      for (const auto& [both, other] : std::span(plan.products).subspan(group.first, group.count)) {
        const V moment = Vectors<double>::at(from.of(other));
        for (u32 row = 0; row < group.rows; ++row) {
          const u32 to = both / 8 + row;
          sum.set(to, hn::MulAdd(power.get(group.term + row), moment, sum.get(to)));
        }
      }
    }
  }
  for (u32 i = 0; i < terms_to(order); ++i) moments[stride * index + i] += hn::GetLane(hn::SumOfLanes(D{}, sum.get(i)));
}

void carry(std::span<const tree::Node> nodes, u32 index, u32 order, std::size_t stride, double* fields) {
  const tree::Node& node = nodes[index];
  V one[tree::kMaxOrder + 1];
  std::fill_n(one, order + 1, hn::Set(D{}, 1.0));
  Vectors<double> power, field, sum;
  for (u32 i = 0; i < terms_to(order); ++i) field.set(i, hn::Set(D{}, fields[stride * index + i]));
  for (u32 first = 0; first < node.children; first += static_cast<u32>(hn::Lanes(D{}))) {
    const u32 count = load_children(nodes, node, first, 1, order, power);
    sum.clear(terms_to(order));
    add_lane_fields(series_plans()[order], field, power, one, sum);
    for (u32 i = 0; i < terms_to(order); ++i) {
      for (u32 lane = 0; lane < count; ++lane) {
        fields[stride * (node.child + first + lane) + i] += sum.values[i * kSeriesLanes<double> + lane];
      }
    }
  }
}

void act(const tree::Cloud& cloud, const tree::Node& node, const double* field, u32 order, const FieldSums& to) {
  const D d;
  Vectors<double> power;
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
    alignas(64) double lanes[kSeriesLanes<double>];
    for (u32 axis = 0; axis < 4; ++axis) {
      hn::Store(sum[axis], d, lanes);
      for (u32 lane = 0; lane < hn::Lanes(d) && i + lane < node.end; ++lane) to.of[axis][i + lane] += lanes[lane];
    }
  }
}

/// As hilbert_key(), a lane a cell.
void keys(const u32 (&x)[kKeysAtOnce], const u32 (&y)[kKeysAtOnce], const u32 (&z)[kKeysAtOnce],
          u64 (&to)[kKeysAtOnce]) {
  const hn::CappedTag<u32, kKeysAtOnce> d;
  using Cells = hn::Vec<decltype(d)>;
  alignas(64) u32 cells[3][kKeysAtOnce];
  for (std::size_t at = 0; at < kKeysAtOnce; at += hn::Lanes(d)) {
    Cells a = hn::LoadU(d, x + at), b = hn::LoadU(d, y + at), c = hn::LoadU(d, z + at);
    for (u32 bit = kCellBits - 1; bit > 0; --bit) {
      const Cells high = hn::Set(d, 1u << bit), lower = hn::Set(d, (1u << bit) - 1);
      const auto turn = [&](Cells& along) HWY_ATTR {
        const Cells is_set = hn::VecFromMask(d, hn::TestBit(along, high));
        a = hn::Xor(a, hn::And(lower, is_set));
        const Cells swapped = hn::AndNot(is_set, hn::And(hn::Xor(a, along), lower));
        a = hn::Xor(a, swapped), along = hn::Xor(along, swapped);
      };
      a = hn::Xor(a, hn::And(lower, hn::VecFromMask(d, hn::TestBit(a, high))));
      turn(b), turn(c);
    }
    b = hn::Xor(b, a), c = hn::Xor(c, b);
    Cells gray = hn::ShiftRight<1>(c);
    gray = hn::Xor(gray, hn::ShiftRight<1>(gray)), gray = hn::Xor(gray, hn::ShiftRight<2>(gray));
    gray = hn::Xor(gray, hn::ShiftRight<4>(gray)), gray = hn::Xor(gray, hn::ShiftRight<8>(gray));
    gray = hn::Xor(gray, hn::ShiftRight<16>(gray));
    hn::Store(hn::Xor(a, gray), d, cells[0] + at), hn::Store(hn::Xor(b, gray), d, cells[1] + at);
    hn::Store(hn::Xor(c, gray), d, cells[2] + at);
  }
  for (u32 i = 0; i < kKeysAtOnce; ++i) {
    to[i] = spread_bits(cells[0][i]) << 2 | spread_bits(cells[1][i]) << 1 | spread_bits(cells[2][i]);
  }
}

}  // namespace

constexpr auto& run_keys = keys;
constexpr auto& run_moments = moments;
constexpr auto& run_field = field<double>;
constexpr auto& run_fast_field = field<float>;
constexpr auto& run_act = act;
constexpr auto& run_join = join;
constexpr auto& run_carry = carry;

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tri::cpu {

HWY_EXPORT(run_keys);
HWY_EXPORT(run_moments);
HWY_EXPORT(run_field);
HWY_EXPORT(run_fast_field);
HWY_EXPORT(run_act);
HWY_EXPORT(run_join);
HWY_EXPORT(run_carry);

void curve_keys(const u32 (&x)[kKeysAtOnce], const u32 (&y)[kKeysAtOnce], const u32 (&z)[kKeysAtOnce],
                u64 (&to)[kKeysAtOnce]) {
  HWY_DYNAMIC_DISPATCH(run_keys)(x, y, z, to);
}

void leaf_moments(const tree::Cloud& cloud, const tree::Node& leaf, u32 order, double* to) {
  HWY_DYNAMIC_DISPATCH(run_moments)(cloud, leaf, order, to);
}

template <class Real>
void add_far_field(const TreeSeries<Real>& series, const tree::Node& target, std::span<const FarSource> sources,
                   double* to) {
  if constexpr (sizeof(Real) == 4) {
    HWY_DYNAMIC_DISPATCH(run_fast_field)(series, target, sources, to);
  } else {
    HWY_DYNAMIC_DISPATCH(run_field)(series, target, sources, to);
  }
}

template void add_far_field(const TreeSeries<float>&, const tree::Node&, std::span<const FarSource>, double*);
template void add_far_field(const TreeSeries<double>&, const tree::Node&, std::span<const FarSource>, double*);

void join_moments(std::span<const tree::Node> nodes, u32 node, u32 order, std::size_t stride, double* moments) {
  HWY_DYNAMIC_DISPATCH(run_join)(nodes, node, order, stride, moments);
}

void carry_field(std::span<const tree::Node> nodes, u32 node, u32 order, std::size_t stride, double* fields) {
  HWY_DYNAMIC_DISPATCH(run_carry)(nodes, node, order, stride, fields);
}

void add_field(const tree::Cloud& cloud, const tree::Node& leaf, const double* field, u32 order, const FieldSums& to) {
  HWY_DYNAMIC_DISPATCH(run_act)(cloud, leaf, field, order, to);
}

}  // namespace tri::cpu
#endif
