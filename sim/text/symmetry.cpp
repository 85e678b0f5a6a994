#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/text/law_maker.hpp"

namespace tri::expression {
namespace {

/// Of atoms, by their numbers, in rising order.
using AtomPowers = std::vector<std::pair<u32, Rational>>;

struct Coefficient {
  double value = 0;
  double size = 0;  ///< sum of what it was summed from, without signs: how much its rounding may cost
};
using Polynomial = std::map<AtomPowers, Coefficient>;
/// bottom is never empty; top is, for 0.
struct Fraction {
  Polynomial top, bottom;
};

/// For each symbol of bodies (below Symbol::parameter) the one that takes its place.
using Exchange = std::array<u32, Symbol::parameter>;

constexpr double kEqual = 1e-12;  // of the sizes of two coefficients
constexpr std::size_t kMaxWork = 1u << 20, kMaxAtoms = 4096;
constexpr i32 kMaxExpandedPower = 32;

Polynomial constant(double value) {
  if (value == 0) return {};
  return {{{}, {value, std::fabs(value)}}};
}
Fraction whole(Polynomial top) { return {std::move(top), constant(1)}; }
bool is_whole(const Fraction& x) {
  return x.bottom.size() == 1 && x.bottom.begin()->first.empty() && x.bottom.begin()->second.value == 1;
}

bool is_nothing(const Coefficient& c) { return std::fabs(c.value) <= kEqual * c.size; }

void add_term(Polynomial& to, const AtomPowers& powers, const Coefficient& c, double factor) {
  Coefficient& sum = to[powers];
  sum.value += factor * c.value;
  sum.size += std::fabs(factor) * c.size;
}

void drop_nothing(Polynomial& p) {
  std::erase_if(p, [](const auto& term) { return is_nothing(term.second); });
}

AtomPowers product_of(const AtomPowers& x, const AtomPowers& y) {
  AtomPowers all;
  auto a = x.begin(), b = y.begin();
  while (a != x.end() || b != y.end()) {
    if (b == y.end() || (a != x.end() && a->first < b->first)) {
      all.push_back(*a++);
    } else if (a == x.end() || b->first < a->first) {
      all.push_back(*b++);
    } else {
      const auto total = sum(a->second, b->second);
      if (!total) throw BeyondLimit("an exponent here is beyond the limits");
      if (total->top != 0) all.emplace_back(a->first, *total);
      ++a, ++b;
    }
  }
  return all;
}

AtomPowers powers_of(const AtomPowers& x, Rational exponent) {
  AtomPowers all = x;
  for (auto& [atom, power] : all) {
    const auto total = product(power, exponent);
    if (!total) throw BeyondLimit("an exponent here is beyond the limits");
    power = *total;
  }
  return all;
}

Fraction monomial(const AtomPowers& powers, double value) { return whole({{powers, {value, std::fabs(value)}}}); }

/// A bottom of one term goes into the top.
Fraction reduced(Fraction x) {
  if (x.bottom.size() != 1 || is_whole(x)) return x;
  const auto& [powers, c] = *x.bottom.begin();
  const AtomPowers inverse = powers_of(powers, {-1, 1});
  Polynomial top;
  for (const auto& [p, t] : x.top) top[product_of(p, inverse)] = {t.value / c.value, t.size / std::fabs(c.value)};
  return whole(std::move(top));
}

bool is_even(Op op) { return op == Op::abs || op == Op::cos || op == Op::cosh; }
bool is_odd(Op op) {
  return op == Op::sin || op == Op::tan || op == Op::asin || op == Op::atan || op == Op::sinh || op == Op::tanh ||
         op == Op::erf;
}
bool is_unordered(Op op) { return op == Op::min || op == Op::max; }

/// Makes forms whose atoms are shared, so that equal forms have equal atoms.
class NormalForms {
 public:
  /// fixed: symbols that no exchange moves; what reads no others is an atom, unless expands. expands: powers of sums
  /// are multiplied out, and fractions have common denominators.
  NormalForms(const Dag& dag, u64 fixed, bool expands) : dag_(dag), fixed_(fixed), expands_(expands) {}

  /// The expression after the exchange. Throws BeyondLimit where forms become too large.
  Fraction of(Id id, const Exchange& exchange) {
    std::unordered_map<Id, Fraction> forms;
    for (const Id n : dag_.parts_of(id, [this](Id part) { return is_fixed(part); }))
      forms.emplace(n, form(n, exchange, forms));
    return forms.at(id);
  }

  bool equal(const Fraction& x, const Fraction& y) { return is_multiple(x, y, 1); }

 private:
  enum class Kind : u8 { symbol, fixed, base, root, call };
  struct Atom {
    Kind kind;
    Op op;
    u32 number;  ///< of a symbol or of an expression
    std::vector<Fraction> arguments;
  };
  struct Found {
    u32 atom;
    double sign;
  };

  bool is_fixed(Id id) const {
    const Expression& e = dag_[id];
    return !expands_ && !e.is_number() && (e.depends & ~fixed_) == 0;
  }

  Fraction form(Id id, const Exchange& exchange, const std::unordered_map<Id, Fraction>& of) {
    const Expression& e = dag_[id];
    const auto atom = [this](Kind kind, u32 number) {
      return monomial({{find({kind, Op::number, number, {}}).atom, {1, 1}}}, 1);
    };
    if (is_fixed(id)) return atom(Kind::fixed, id);
    switch (e.form) {
      case Form::symbol:
        return atom(Kind::symbol, e.symbol < exchange.size() ? exchange[e.symbol] : e.symbol);
      case Form::sum: {
        Fraction total = whole(constant(e.constant));
        for (const Term& t : e.terms) {
          Fraction term = of.at(t.id);
          for (auto& [powers, c] : term.top) c.value *= t.factor, c.size *= std::fabs(t.factor);
          if (is_whole(total) && is_whole(term)) {
            for (const auto& [powers, c] : term.top) add_term(total.top, powers, c, 1);
          } else {
            total = add(total, term);
          }
        }
        drop_nothing(total.top);
        return total;
      }
      case Form::product: {
        Fraction total = whole(constant(1));
        for (const Power& p : e.powers) {
          const Form base = dag_[p.base].form;
          total = multiply(total, power(of.at(p.base), p.exponent, base == Form::symbol || base == Form::call));
        }
        return total;
      }
      default: {
        std::vector<Fraction> arguments;
        for (const Id a : e.arguments) arguments.push_back(of.at(a));
        return call(e.op, std::move(arguments));
      }
    }
  }

  /// is_simple: the base is a symbol or a function in the text, so that (b^2)^(1/2), which is |b|, cannot come up.
  Fraction power(const Fraction& base, Rational exponent, bool is_simple) {
    if (base.top.size() == 1 && is_whole(base)) {
      const auto& [powers, c] = *base.top.begin();
      const bool is_root = !exponent.is_whole();
      if (!is_root || (is_simple && c.value > 0)) {
        return monomial(powers_of(powers, exponent), std::pow(c.value, exponent.value()));
      }
    }
    if (exponent.is_whole() && expands_) return whole_power(base, exponent.top);
    const Found found = find({exponent.is_whole() ? Kind::base : Kind::root, Op::number, 0, {base}});
    return monomial({{found.atom, exponent}}, exponent.is_whole() && exponent.top % 2 != 0 ? found.sign : 1);
  }

  Fraction whole_power(const Fraction& base, i32 exponent) {
    if (std::abs(exponent) > kMaxExpandedPower || (exponent < 0 && base.top.empty())) {
      throw BeyondLimit("a power here is not multiplied out");
    }
    const Fraction factor = exponent > 0 ? base : reduced({base.bottom, base.top});
    Fraction result = factor;
    for (i32 k = 1; k < std::abs(exponent); ++k) result = multiply(result, factor);
    return result;
  }

  Fraction call(Op op, std::vector<Fraction> arguments) {
    if (is_unordered(op)) {
      std::vector<Fraction> all;
      for (const Fraction& argument : arguments) splice(op, argument, all);
      if (all.size() == 1) return all[0];
      arguments = std::move(all);
    }
    const Found found = find({Kind::call, op, 0, std::move(arguments)});
    return monomial({{found.atom, {1, 1}}}, found.sign);
  }

  /// min(min(a, b), c) has three arguments, and each once.
  void splice(Op op, const Fraction& x, std::vector<Fraction>& into) {
    if (x.top.size() == 1 && is_whole(x)) {
      const auto& [powers, c] = *x.top.begin();
      const bool is_atom = c.value == 1 && powers.size() == 1 && powers[0].second == Rational{1, 1};
      if (is_atom && atoms_[powers[0].first].kind == Kind::call && atoms_[powers[0].first].op == op) {
        const std::vector<Fraction> inner = atoms_[powers[0].first].arguments;
        for (const Fraction& argument : inner) splice(op, argument, into);
        return;
      }
    }
    const auto is_known = [&](const Fraction& y) { return equal(x, y); };
    if (std::none_of(into.begin(), into.end(), is_known)) into.push_back(x);
  }

  /// The atom, or one that is equal up to a sign.
  NormalForms::Found find(Atom atom) {
    for (u32 k = 0; k < atoms_.size(); ++k) {
      const Atom& known = atoms_[k];
      if (known.kind != atom.kind || known.op != atom.op || known.number != atom.number ||
          known.arguments.size() != atom.arguments.size()) {
        continue;
      }
      if (const double sign = sign_between(known, atom); sign != 0) return {k, sign};
    }
    if (atoms_.size() == kMaxAtoms) throw BeyondLimit("the energy is too large for a proof of its symmetry");
    atoms_.push_back(std::move(atom));
    return {static_cast<u32>(atoms_.size() - 1), 1};
  }

  /// s, if y is s x, s = 1 or -1; else 0.
  double sign_between(const Atom& x, const Atom& y) {
    const std::vector<Fraction>&a = x.arguments, &b = y.arguments;
    if (a.empty()) return 1;
    if (x.kind == Kind::call && is_unordered(x.op)) return same_set(a, b) ? 1 : 0;
    const bool rest = std::equal(a.begin() + 1, a.end(), b.begin() + 1, [&](auto& p, auto& q) { return equal(p, q); });
    if (!rest) return 0;
    if (equal(a[0], b[0])) return 1;
    if (x.kind == Kind::root) return 0;
    const bool negative = is_multiple(a[0], b[0], -1);
    if (x.kind == Kind::base) return negative ? -1 : 0;
    if (x.op == Op::log) return is_reciprocal(a[0], b[0]) ? -1 : 0;
    if (!negative) return 0;
    return is_odd(x.op) ? -1 : is_even(x.op) || x.op == Op::select ? 1 : 0;
  }

  bool same_set(const std::vector<Fraction>& x, const std::vector<Fraction>& y) {
    return x.size() == y.size() && std::all_of(x.begin(), x.end(), [&](const Fraction& p) {
             return std::any_of(y.begin(), y.end(), [&](const Fraction& q) { return equal(p, q); });
           });
  }

  Fraction add(const Fraction& x, const Fraction& y) {
    Fraction total{multiply(x.top, y.bottom), multiply(x.bottom, y.bottom)};
    for (const auto& [powers, c] : multiply(y.top, x.bottom)) add_term(total.top, powers, c, 1);
    drop_nothing(total.top);
    return reduced(std::move(total));
  }

  Fraction multiply(const Fraction& x, const Fraction& y) {
    return reduced({multiply(x.top, y.top), multiply(x.bottom, y.bottom)});
  }

  Polynomial multiply(const Polynomial& x, const Polynomial& y) {
    work_ += x.size() * y.size();
    if (work_ > kMaxWork) throw BeyondLimit("the energy is too large for a proof of its symmetry");
    Polynomial all;
    for (const auto& [p, c] : x) {
      for (const auto& [q, d] : y) add_term(all, product_of(p, q), {c.value * d.value, c.size * d.size}, 1);
    }
    drop_nothing(all);
    return all;
  }

  /// x = sign y
  bool is_multiple(const Fraction& x, const Fraction& y, double sign) {
    const auto compare = [sign](const Polynomial& a, const Polynomial& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [sign](const auto& p, const auto& q) {
        const auto& [c, d] = std::pair(p.second, q.second);
        return p.first == q.first && std::fabs(c.value - sign * d.value) <= kEqual * (c.size + d.size);
      });
    };
    if (is_whole(x) && is_whole(y)) return compare(x.top, y.top);
    return compare(multiply(x.top, y.bottom), multiply(y.top, x.bottom));
  }

  bool is_reciprocal(const Fraction& x, const Fraction& y) {
    return is_multiple({multiply(x.top, y.top), constant(1)}, {multiply(x.bottom, y.bottom), constant(1)}, 1);
  }

  const Dag& dag_;
  u64 fixed_;
  bool expands_;
  std::vector<Atom> atoms_;
  std::size_t work_ = 0;
};

Exchange exchange_of(std::initializer_list<std::pair<u32, u32>> pairs) {
  Exchange exchange{};
  std::iota(exchange.begin(), exchange.end(), 0u);
  for (const auto& [one, other] : pairs) std::swap(exchange[one], exchange[other]);
  return exchange;
}

const Exchange kNothing = exchange_of({});

bool is_kept(const Dag& dag, Id energy, const Exchange& exchange, bool expands) {
  u64 fixed = ~u64{0};
  for (u32 symbol = 0; symbol < exchange.size(); ++symbol) {
    if (exchange[symbol] != symbol) fixed &= ~symbol_bit(symbol);
  }
  try {
    NormalForms forms(dag, fixed, expands);
    return forms.equal(forms.of(energy, kNothing), forms.of(energy, exchange));
  } catch (const BeyondLimit&) {
    return false;  // no proof
  }
}

}  // namespace

bool is_symmetric(const Dag& dag, Id energy, Over over) {
  // Two exchanges of neighbours make every order of three.
  const std::vector<Exchange> exchanges =
      over == Over::pairs
          ? std::vector{exchange_of({{Symbol::mi, Symbol::mj}, {Symbol::ri, Symbol::rj}, {Symbol::qi, Symbol::qj}})}
          : std::vector{exchange_of({{Symbol::q, Symbol::q + 1}}), exchange_of({{Symbol::q + 1, Symbol::q + 2}})};
  for (const Exchange& exchange : exchanges) {
    if (!is_kept(dag, energy, exchange, false) && !is_kept(dag, energy, exchange, true)) return false;
  }
  return true;
}

}  // namespace tri::expression
