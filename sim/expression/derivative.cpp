#include "sim/expression/derivative.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <unordered_map>

#include "sim/base/contracts.hpp"

namespace tri::expression {
namespace {

constexpr Rational kMinusOne{-1, 1}, kTwo{2, 1}, kMinusHalf{-1, 2};

/// f'(x) of a function of one argument; f is the call itself.
Id outer_derivative(Dag& dag, Op op, Id f, Id x) {
  const auto one_minus_square = [&](Id y) { return dag.subtract(dag.number(1), dag.power(y, kTwo)); };
  const auto gauss = [&] {
    return dag.scale(2 * std::numbers::inv_sqrtpi, dag.call(Op::exp, dag.scale(-1, dag.power(x, kTwo))));
  };
  switch (op) {
    case Op::exp:
      return f;
    case Op::log:
      return dag.power(x, kMinusOne);
    case Op::sin:
      return dag.call(Op::cos, x);
    case Op::cos:
      return dag.scale(-1, dag.call(Op::sin, x));
    case Op::tan:
      return dag.add(dag.number(1), dag.power(f, kTwo));
    case Op::asin:
      return dag.power(one_minus_square(x), kMinusHalf);
    case Op::acos:
      return dag.scale(-1, dag.power(one_minus_square(x), kMinusHalf));
    case Op::atan:
      return dag.power(dag.add(dag.number(1), dag.power(x, kTwo)), kMinusOne);
    case Op::sinh:
      return dag.call(Op::cosh, x);
    case Op::cosh:
      return dag.call(Op::sinh, x);
    case Op::tanh: {
      // 1 - f^2 would lose its digits where f is near 1.
      const Id twice = dag.add(dag.call(Op::exp, x), dag.call(Op::exp, dag.scale(-1, x)));
      return dag.scale(4, dag.power(twice, Rational{-2, 1}));
    }
    case Op::erf:
      return gauss();
    case Op::erfc:
      return dag.scale(-1, gauss());
    case Op::abs:
      return dag.subtract(dag.scale(2, dag.call(Op::step, x)), dag.number(1));
    case Op::floor:
    case Op::ceil:
    case Op::step:
      return dag.number(0);
    default:
      TRI_UNREACHABLE("a function of one argument");
  }
}

class Differentiation {
 public:
  Differentiation(Dag& dag, u32 symbol) : dag_(dag), symbol_(symbol) {}

  Id run(Id energy) {
    std::set<Id> needed{energy};
    for (auto at = needed.rbegin(); at != needed.rend(); ++at) {
      const Expression& e = dag_[*at];
      for (const Term& t : e.terms) needed.insert(t.id);
      for (const Power& p : e.powers) needed.insert(p.base);
      for (const Id a : e.arguments) needed.insert(a);
    }
    for (const Id id : needed) {
      const bool depends = (dag_[id].depends & symbol_bit(symbol_)) != 0;
      slopes_[id] = depends ? of(id, Expression(dag_[id])) : dag_.number(0);
    }
    return slopes_.at(energy);
  }

 private:
  Id slope(Id id) const { return slopes_.at(id); }

  Id of(Id id, const Expression& e) {
    switch (e.form) {
      case Form::symbol:
        return dag_.number(1);
      case Form::sum: {
        std::vector<Term> terms;
        for (const Term& t : e.terms) terms.push_back({t.factor, slope(t.id)});
        return dag_.sum(0, terms);
      }
      case Form::product:
        return of_product(e);
      case Form::call:
        return of_call(id, e);
    }
    TRI_UNREACHABLE("Form");
  }

  /// The sum over the factors b^e of e b^(e - 1) b' times the others.
  Id of_product(const Expression& e) {
    std::vector<Term> terms;
    for (std::size_t k = 0; k < e.powers.size(); ++k) {
      const Power& p = e.powers[k];
      if (dag_.is_number(slope(p.base), 0)) continue;
      std::vector<Power> powers = e.powers;
      powers.push_back({p.base, kMinusOne});
      powers.push_back({slope(p.base), {1, 1}});
      terms.push_back({1, dag_.product(p.exponent.value(), powers)});
    }
    return dag_.sum(0, terms);
  }

  Id of_call(Id id, const Expression& e) {
    const Id x = e.arguments[0], y = e.arguments.size() > 1 ? e.arguments[1] : x;
    switch (e.op) {
      case Op::power: {
        // y x^(y - 1) x' + x^y y' log x; x^y / x would be NaN where x is 0.
        const Id less = dag_.power(x, dag_.subtract(y, dag_.number(1)));
        const Id sum = dag_.multiply(dag_.multiply(y, less), slope(x));
        if (dag_.is_number(slope(y), 0)) return sum;
        return dag_.add(sum, dag_.multiply(id, dag_.multiply(slope(y), dag_.call(Op::log, x))));
      }
      case Op::atan2: {
        const Id across = dag_.subtract(dag_.multiply(y, slope(x)), dag_.multiply(x, slope(y)));
        const Id square = dag_.add(dag_.power(x, kTwo), dag_.power(y, kTwo));
        return dag_.multiply(across, dag_.power(square, kMinusOne));
      }
      case Op::min:
        return dag_.call(Op::select, dag_.call(Op::step, dag_.subtract(x, y)), slope(y), slope(x));
      case Op::max:
        return dag_.call(Op::select, dag_.call(Op::step, dag_.subtract(x, y)), slope(x), slope(y));
      case Op::select:
        return dag_.call(Op::select, x, slope(y), slope(e.arguments[2]));
      default:
        return dag_.multiply(outer_derivative(dag_, e.op, id, x), slope(x));
    }
  }

  Dag& dag_;
  u32 symbol_;
  std::unordered_map<Id, Id> slopes_;
};

}  // namespace

Id derivative(Dag& dag, Id energy, u32 symbol) { return Differentiation(dag, symbol).run(energy); }

}  // namespace tri::expression
