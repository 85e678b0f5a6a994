// Runs the program of a typed law over rows of pairs or triples, once per SIMD target: each step over whole rows, so
// that its operation is looked up once for hundreds of pairs.
//
// Every element sees the same IEEE operations wherever it is in a row: ordered sums rely on it. Functions that Highway
// has in 4 ulp at most are computed in vectors, the others element by element by the C++ library.

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/interpreter.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "sim/base/error.hpp"
#include "sim/cpu/tile_common.hpp"
#include "sim/cpu/typed_tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

/// The functions that Highway computes, with what it leaves undefined: infinity and NaN.
template <class D>
struct VectorFunctions {
  using Real = hn::TFromD<D>;
  using V = hn::Vec<D>;
  static HWY_INLINE V set(double v) { return hn::Set(D{}, static_cast<Real>(v)); }
  /// NaN where x is, else v.
  static HWY_INLINE V or_nan(V x, V v) { return hn::IfThenElse(hn::Eq(x, x), v, x); }

  static HWY_INLINE V exp(V x) {
    const V most = set(sizeof(Real) == 4 ? 88.72284 : 709.782712893384);
    const V infinite = hn::IfThenElse(hn::Gt(x, most), hn::Inf(D{}), hn::Exp(D{}, hn::Min(x, most)));
    return or_nan(x, infinite);
  }
  static HWY_INLINE V log(V x) {
    const V zero = hn::Zero(D{}), infinity = hn::Inf(D{});
    V y = hn::Log(D{}, x);
    y = hn::IfThenElse(hn::Eq(x, infinity), infinity, y);
    y = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), y);
    return or_nan(x, hn::IfThenElse(hn::Lt(x, zero), hn::NaN(D{}), y));
  }
  static HWY_INLINE V tanh(V x) {
    // Beyond 20 it is 1 in float64; the bound keeps infinity out.
    return or_nan(x, hn::Tanh(D{}, hn::Max(set(-20), hn::Min(set(20), x))));
  }
  static HWY_INLINE V atan(V x) { return or_nan(x, hn::Atan(D{}, x)); }

  /// Highway's sines hold up to here.
  static constexpr double kMaxAngle = 39000;
  static HWY_INLINE V sin(V x) {
    return angle(x, hn::Sin(D{}, x), [](Real v) { return std::sin(v); });
  }
  static HWY_INLINE V cos(V x) {
    return angle(x, hn::Cos(D{}, x), [](Real v) { return std::cos(v); });
  }

 private:
  /// y, or f(x) in the lanes whose angle is too large.
  template <class F>
  static HWY_INLINE V angle(V x, V y, const F& f) {
    const auto small = hn::Le(hn::Abs(x), set(kMaxAngle));
    if (HWY_LIKELY(hn::AllTrue(D{}, small))) return y;
    HWY_ALIGN Real from[64 / sizeof(Real)];
    HWY_ALIGN Real to[64 / sizeof(Real)];
    hn::Store(x, D{}, from);
    for (std::size_t lane = 0; lane < hn::Lanes(D{}); ++lane) to[lane] = f(from[lane]);
    return hn::IfThenElse(small, y, hn::Load(D{}, to));
  }
};

/// SimdMath for any operand: its quick estimates make 0 and infinity NaN, where laws know no such distances. A text may
/// have 1/(1 + exp(r)).
template <class D, bool kExact>
struct ProgramMath : SimdMath<D, kExact> {
  using Base = SimdMath<D, kExact>;
  using V = hn::Vec<D>;

  static HWY_INLINE V reciprocal(V a) {
    const V y = Base::reciprocal(a);
    if constexpr (Base::kApproximate) return hn::IfThenElse(hn::Eq(y, y), y, hn::ApproximateReciprocal(a));
    return y;
  }
  static HWY_INLINE V rsqrt(V a) {
    const V y = Base::rsqrt(a);
    if constexpr (Base::kApproximate) return hn::IfThenElse(hn::Eq(y, y), y, hn::ApproximateReciprocalSqrt(a));
    return y;
  }
  static HWY_INLINE V rsqrt_cubed(V a) {
    const V y = rsqrt(a);
    return hn::Mul(y, hn::Mul(y, y));
  }
};

/// One plan over the places of its buffers.
template <class Real, bool kExact>
class Interpreter {
  using D = hn::ScalableTag<Real>;
  using V = hn::Vec<D>;
  using M = ProgramMath<D, kExact>;
  using Functions = VectorFunctions<D>;
  using Step = ProgramPlan::Step;

 public:
  Interpreter(const ProgramPlan& plan, const RowBuffers<Real>& buffers)
      : plan_(plan), places_(buffers.places().data()), pitch_(buffers.pitch()) {}

  /// The first `rows` rows of `columns` columns, and what follows them up to a whole vector.
  void run(std::size_t rows, std::size_t columns) {
    rows_ = rows, columns_ = columns;
    for (const Step& step : plan_.steps()) take(step);
  }

 private:
  HWY_INLINE void take(const Step& s) {
    using expression::Op;
    switch (s.op) {
      case Op::add:
        return two(s, [](V a, V b) HWY_ATTR { return hn::Add(a, b); });
      case Op::subtract:
        return two(s, [](V a, V b) HWY_ATTR { return hn::Sub(a, b); });
      case Op::multiply:
        return two(s, [](V a, V b) HWY_ATTR { return hn::Mul(a, b); });
      case Op::divide:
        return two(s, [](V a, V b) HWY_ATTR { return hn::Div(a, b); });
      case Op::multiply_add:
        return three(s, [](V a, V b, V c) HWY_ATTR { return hn::MulAdd(a, b, c); });
      case Op::neg_multiply_add:
        return three(s, [](V a, V b, V c) HWY_ATTR { return hn::NegMulAdd(a, b, c); });
      case Op::negate:
        return one(s, [](V a) HWY_ATTR { return hn::Neg(a); });
      case Op::reciprocal:
        return one(s, [](V a) HWY_ATTR { return M::reciprocal(a); });
      case Op::sqrt:
        return one(s, [](V a) HWY_ATTR { return M::sqrt(a); });
      case Op::rsqrt:
        return one(s, [](V a) HWY_ATTR { return M::rsqrt(a); });
      case Op::rsqrt_cubed:
        return one(s, [](V a) HWY_ATTR { return M::rsqrt_cubed(a); });
      case Op::abs:
        return one(s, [](V a) HWY_ATTR { return hn::Abs(a); });
      case Op::floor:
        return one(s, [](V a) HWY_ATTR { return hn::Floor(a); });
      case Op::ceil:
        return one(s, [](V a) HWY_ATTR { return hn::Ceil(a); });
      case Op::min:
        return two(s, [](V a, V b) HWY_ATTR { return M::min(a, b); });
      case Op::max:
        return two(s, [](V a, V b) HWY_ATTR { return M::max(a, b); });
      case Op::step:
        return one(s, [](V a) HWY_ATTR {
          const V zero = hn::Zero(D{});
          return hn::IfThenElse(hn::Lt(a, zero), zero, M::set(1.0));
        });
      case Op::select:
        return three(s, [](V a, V b, V c) HWY_ATTR { return hn::IfThenElse(hn::Eq(a, hn::Zero(D{})), c, b); });
      case Op::below:
        return three(s, [](V a, V b, V c) HWY_ATTR { return hn::IfThenElseZero(hn::Lt(a, b), c); });
      default:
        evaluate_function(s);
    }
  }

  /// Out of line: it is long, and its work is longer than a call.
  HWY_NOINLINE void evaluate_function(const Step& s) {
    using expression::Op;
    switch (s.op) {
      case Op::exp:
        return one(s, [](V a) HWY_ATTR { return Functions::exp(a); });
      case Op::log:
        return one(s, [](V a) HWY_ATTR { return Functions::log(a); });
      case Op::sin:
        return one(s, [](V a) HWY_ATTR { return Functions::sin(a); });
      case Op::cos:
        return one(s, [](V a) HWY_ATTR { return Functions::cos(a); });
      case Op::tanh:
        return one(s, [](V a) HWY_ATTR { return Functions::tanh(a); });
      case Op::atan:
        return one(s, [](V a) HWY_ATTR { return Functions::atan(a); });
      case Op::tan:
        return each(s, [](Real a) { return std::tan(a); });
      case Op::asin:
        return each(s, [](Real a) { return std::asin(a); });
      case Op::acos:
        return each(s, [](Real a) { return std::acos(a); });
      case Op::sinh:
        return each(s, [](Real a) { return std::sinh(a); });
      case Op::cosh:
        return each(s, [](Real a) { return std::cosh(a); });
      case Op::erf:
        return each(s, [](Real a) { return std::erf(a); });
      case Op::erfc:
        return each(s, [](Real a) { return std::erfc(a); });
      case Op::power:
        return each_two(s, [](Real a, Real b) { return std::pow(a, b); });
      case Op::atan2:
        return each_two(s, [](Real a, Real b) { return std::atan2(a, b); });
      default:
        TRI_UNREACHABLE("an operation without a step");
    }
  }

  /// Calls row(to, operands...) for each row; rows that follow one another everywhere are one.
  template <class F, class... Operands>
  HWY_INLINE void rows(const Step& s, const F& row, const Operands&... operands) const {
    const Place<Real>& to = places_[s.to];
    const auto follows = [this](const Place<Real>& p) { return p.columns == 0 ? p.rows == 0 : p.rows == pitch_; };
    if ((... && follows(operands))) return row(rows_ == 1 ? columns_ : rows_ * pitch_, to.data, operands.data...);
    for (std::size_t r = 0; r < rows_; ++r)
      row(columns_, to.data + r * to.rows, (operands.data + r * operands.rows)...);
  }

  /// An operand of a row: a vector a time, or one for all of them.
  template <bool kSame>
  struct Operand {
    const Real* data;
    V same;
    explicit HWY_INLINE Operand(const Real* from) : data(from), same(hn::LoadU(D{}, from)) {}
    HWY_INLINE V at(std::size_t c) const {
      if constexpr (kSame) {
        return same;
      } else {
        return hn::LoadU(D{}, data + c);
      }
    }
  };

  template <class F, class... Operands>
  static HWY_INLINE void row_of(std::size_t count, Real* to, const F& f, const Operands&... operands) {
    for (std::size_t c = 0; c < count; c += hn::Lanes(D{})) hn::Store(f(operands.at(c)...), D{}, to + c);
  }

  /// f over vectors of as many operands as `from` has; kSame: of the first of them, as Operand.
  template <bool... kSame, class F, class... From>
  HWY_INLINE void vectors(const Step& s, const F& f, const From&... from) const {
    if constexpr (sizeof...(kSame) < sizeof...(From)) {
      const bool same[] = {from.columns == 0 ...};
      if (same[sizeof...(kSame)]) return vectors<kSame..., true>(s, f, from...);
      vectors<kSame..., false>(s, f, from...);
    } else {
      const auto row = [&](std::size_t count, Real* to, const auto*... data)
                           HWY_ATTR { row_of(count, to, f, Operand<kSame>(data)...); };
      rows(s, row, from...);
    }
  }

  template <class F>
  HWY_INLINE void one(const Step& s, const F& f) const {
    vectors(s, f, places_[s.a]);
  }
  template <class F>
  HWY_INLINE void two(const Step& s, const F& f) const {
    vectors(s, f, places_[s.a], places_[s.b]);
  }
  template <class F>
  HWY_INLINE void three(const Step& s, const F& f) const {
    vectors(s, f, places_[s.a], places_[s.b], places_[s.c]);
  }

  template <class F>
  void each(const Step& s, const F& f) const {
    const std::size_t ia = places_[s.a].columns;
    const auto row = [&](std::size_t count, Real* to, const Real* a) {
      for (std::size_t c = 0; c < count; ++c) to[c] = f(a[c * ia]);
    };
    rows(s, row, places_[s.a]);
  }

  template <class F>
  void each_two(const Step& s, const F& f) const {
    const std::size_t ia = places_[s.a].columns, ib = places_[s.b].columns;
    const auto row = [&](std::size_t count, Real* to, const Real* a, const Real* b) {
      for (std::size_t c = 0; c < count; ++c) to[c] = f(a[c * ia], b[c * ib]);
    };
    rows(s, row, places_[s.a], places_[s.b]);
  }

  const ProgramPlan& plan_;
  const Place<Real>* places_;
  std::size_t pitch_, rows_ = 0, columns_ = 0;
};

template <class Real, bool kExact>
void run(const ProgramPlan& plan, const RowBuffers<Real>& buffers, std::size_t rows, std::size_t columns) {
  Interpreter<Real, kExact>(plan, buffers).run(rows, columns);
}

}  // namespace

constexpr auto& run_float = run<float, false>;
constexpr auto& run_exact_float = run<float, true>;
constexpr auto& run_double = run<double, false>;
constexpr auto& run_exact_double = run<double, true>;

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tri::cpu {

HWY_EXPORT(run_float);
HWY_EXPORT(run_exact_float);
HWY_EXPORT(run_double);
HWY_EXPORT(run_exact_double);

void interpret(const ProgramPlan& plan, const RowBuffers<float>& buffers, std::size_t rows, std::size_t columns,
               bool exact) {
  const auto f = exact ? HWY_DYNAMIC_DISPATCH(run_exact_float) : HWY_DYNAMIC_DISPATCH(run_float);
  f(plan, buffers, rows, columns);
}

void interpret(const ProgramPlan& plan, const RowBuffers<double>& buffers, std::size_t rows, std::size_t columns,
               bool exact) {
  const auto f = exact ? HWY_DYNAMIC_DISPATCH(run_exact_double) : HWY_DYNAMIC_DISPATCH(run_double);
  f(plan, buffers, rows, columns);
}

}  // namespace tri::cpu
#endif
