#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/text/law_maker.hpp"
#include "sim/text/law_program.hpp"

namespace tri::expression {
namespace {

/// Most terms of a sum that is multiplied out, and of what comes out.
constexpr std::size_t kMaxExpanded = 12, kMaxMonomials = 48;

bool in_order(const std::vector<Power>& x, const std::vector<Power>& y) {
  return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), [](const Power& p, const Power& q) {
    return p.base != q.base ? p.base < q.base : p.exponent < q.exponent;
  });
}

}  // namespace

bool LinearForm::is_constant(Id id) const {
  return dag_[id].is_number() || (parameters_are_constant_ && !dag_.varies(id));
}

std::vector<Monomial> LinearForm::of(Id id) {
  if (is_constant(id)) return {{id}};
  const Expression e = dag_[id];
  if (e.form == Form::sum) return of_sum(e);
  if (e.form == Form::product) return of_product(e);
  return {{dag_.number(1), {{id, {1, 1}}}}};
}

std::vector<Monomial> LinearForm::of_sum(const Expression& e) {
  std::vector<Monomial> all;
  std::vector<Term> constants;
  for (const Term& t : e.terms) {
    if (is_constant(t.id)) {
      constants.push_back(t);
      continue;
    }
    for (Monomial& m : of(t.id)) {
      m.coefficient = dag_.scale(t.factor, m.coefficient);
      all.push_back(std::move(m));
    }
  }
  const Id constant = dag_.sum(e.constant, constants);
  if (!dag_.is_number(constant, 0)) all.push_back({constant});
  return collected(std::move(all));
}

/// The monomials of a sum that is to be multiplied out; empty if it is better left alone.
const std::vector<Monomial>& LinearForm::expanded(Id sum) {
  if (const auto done = expanded_.find(sum); done != expanded_.end()) return done->second;
  std::vector<Monomial> all;
  if (dag_[sum].terms.size() <= kMaxExpanded) all = of(sum);
  if (all.size() > kMaxMonomials) all.clear();
  return expanded_[sum] = std::move(all);
}

std::vector<Monomial> LinearForm::of_product(const Expression& e) {
  std::vector<Power> constants, rest, sums;
  for (const Power& p : e.powers) {
    const bool is_sum = dag_[p.base].form == Form::sum && p.exponent == Rational{1, 1};
    (is_constant(p.base) ? constants : is_sum ? sums : rest).push_back(p);
  }
  const Id coefficient = dag_.product(1, constants);
  std::vector<Monomial> all;
  if (sums.size() == 1) all = expanded(sums[0].base);
  if (all.empty()) {
    rest.insert(rest.end(), sums.begin(), sums.end());
    return collected({{coefficient, rest}});
  }
  for (Monomial& m : all) {
    m.coefficient = dag_.multiply(m.coefficient, coefficient);
    m.powers.insert(m.powers.end(), rest.begin(), rest.end());
  }
  return collected(std::move(all));
}

/// Powers of the same base and monomials of the same powers become one.
std::vector<Monomial> LinearForm::collected(std::vector<Monomial> all) {
  std::map<std::vector<Power>, std::vector<Term>, decltype(&in_order)> found(&in_order);
  for (const Monomial& m : all) {
    std::map<Id, Rational> powers;
    for (const Power& p : m.powers) {
      const auto total = sum(powers[p.base], p.exponent);
      if (!total) throw BeyondLimit("an exponent here is beyond the limits");
      powers[p.base] = *total;
    }
    std::vector<Power> sorted;
    for (const auto& [base, exponent] : powers) {
      if (exponent.top != 0) sorted.push_back({base, exponent});
    }
    found[sorted].push_back({1, m.coefficient});
  }
  all.clear();
  for (const auto& [powers, terms] : found) {
    const Id coefficient = dag_.sum(0, terms);
    if (!dag_.is_number(coefficient, 0)) all.push_back({coefficient, powers});
  }
  if (all.empty()) all.push_back({dag_.number(0)});
  return all;
}

namespace {

/// A result, or its opposite.
struct Value {
  u32 id = 0;
  bool negative = false;
};

/// A product that is not computed yet, so that a sum can fuse it; with b empty the value a.
struct LazyProduct {
  Value a;
  std::optional<u32> b;
};

/// Exponents that the programs take of each base.
using Plan = std::map<Id, std::set<Rational>>;

class Emitter {
 public:
  /// plan: of the outputs that are no extra; all: of all.
  /// It may take slack times as many instructions: without a plan there are more.
  Emitter(Dag& dag, const ProgramInputs& inputs, u32 most, const Plan& plan, const Plan& all, u32 slack = 1)
      : dag_(dag),
        inputs_(inputs),
        linear_form_(dag, !inputs.of_parameters),
        most_(most),
        slack_(slack),
        plan_(&plan),
        all_(all) {}

  Program run(std::span<const Output> outputs, Id squared_cutoff) {
    for (const Output& output : outputs) {
      if (output.is_extra) plan_ = &all_;
      u32 result = positive(emit(output.value));
      if (output.is_cut) result = add(Op::below, add(Op::input, 0), positive(emit(squared_cutoff)), result);
      program_.outputs.push_back(result);
    }
    return std::move(program_);
  }
  const Plan& used() const { return used_; }

 private:
  u32 add(Op op, u32 a = 0, u32 b = 0, u32 c = 0) {
    const bool commutes = op == Op::add || op == Op::multiply || op == Op::multiply_add || op == Op::neg_multiply_add;
    if (commutes && a > b) std::swap(a, b);
    const auto [found, is_new] = known_.try_emplace({op, a, b, c}, static_cast<u32>(program_.code.size()));
    if (!is_new) return found->second;
    if (program_.code.size() >= slack_ * most_) {
      throw BeyondLimit(fmt::format("the law takes more than {} instructions", most_));
    }
    program_.code.push_back({op, a, b, c});
    return found->second;
  }

  u32 number(double value) {
    const auto same = std::find(program_.numbers.begin(), program_.numbers.end(), value);
    const auto at = static_cast<u32>(same - program_.numbers.begin());
    if (same == program_.numbers.end()) program_.numbers.push_back(value);
    return add(Op::number, at);
  }

  u32 uniform(Id id) {
    std::vector<Id>& all = *inputs_.uniforms;
    const auto same = std::find(all.begin() + 1, all.end(), id);  // number 0 is the factor of the strength
    const auto at = static_cast<u32>(same - all.begin());
    if (same == all.end()) all.push_back(id);
    return add(Op::uniform, at);
  }

  u32 positive(Value v) { return v.negative ? add(Op::negate, v.id) : v.id; }

  Value emit(Id id) {
    if (const auto done = done_.find(id); done != done_.end()) return done->second;
    const Value value = emit_new(id, Expression(dag_[id]));
    return done_[id] = value;
  }

  Value emit_new(Id id, const Expression& e) {
    if (e.is_number()) return {number(e.constant)};
    if (!inputs_.of_parameters && !dag_.varies(id)) return {uniform(id)};
    if (e.form == Form::symbol) return {input(e.symbol)};
    if (e.form != Form::call) return polynomial(linear_form_.of(id), 0);
    u32 arguments[3] = {0, 0, 0};
    for (std::size_t k = 0; k < e.arguments.size(); ++k) arguments[k] = positive(emit(e.arguments[k]));
    return {add(e.op, arguments[0], arguments[1], arguments[2])};
  }

  u32 input(u32 symbol) {
    if (inputs_.of_parameters) return add(Op::input, symbol - Symbol::parameter);
    if (symbol >= Symbol::mi) return add(Op::input, symbol - Symbol::mi + 1);
    const u32 squared = add(Op::input, symbol);
    if (dag_.is_number(inputs_.squared_softening, 0)) return squared;
    return add(Op::add, squared, positive(emit(inputs_.squared_softening)));
  }

  /// --- powers

  u32 chain(u32 base, i32 exponent) {
    if (exponent == 1) return base;
    if (const auto done = chains_.find({base, exponent}); done != chains_.end()) return done->second;
    i32 part = exponent % 2 == 0 ? exponent / 2 : exponent - 1;
    for (i32 k = exponent - 1; k > exponent / 2; --k) {
      if (chains_.count({base, k}) != 0 && (k == exponent - 1 || chains_.count({base, exponent - k}) != 0)) part = k;
    }
    const u32 left = chain(base, part), right = chain(base, exponent - part);
    return chains_[{base, exponent}] = add(Op::multiply, left, right);
  }

  u32 power(Id base, Rational exponent) {
    used_[base].insert(exponent);
    const u32 x = positive(emit(base));
    if (exponent == Rational{1, 1}) return x;
    if (exponent.bottom > 2) return add(Op::power, x, number(exponent.value()));
    const auto planned = plan_->find(base);
    static const std::set<Rational> none;
    const std::set<Rational>& all = planned == plan_->end() ? none : planned->second;
    const auto any = [&all](auto&& is) { return std::any_of(all.begin(), all.end(), is); };
    const bool halves = any([](const Rational& r) { return r.is_half(); });
    const bool inverses = any([](const Rational& r) { return r.top < 0 && r.bottom <= 2; });
    const bool by_root = halves && inverses;
    if (exponent == Rational{-3, 2} && !any([](const Rational& r) {
          return r.bottom <= 2 && r != Rational{-3, 2} && (r.top < 0 || r.is_half());
        })) {
      return add(Op::rsqrt_cubed, x);
    }
    if (exponent.is_whole()) {
      if (exponent.top > 0) return chain(x, exponent.top);
      return chain(by_root ? square_of_root(x) : add(Op::reciprocal, x), -exponent.top);
    }
    const i32 whole = std::abs(exponent.top) / 2;
    if (exponent.top > 0) {
      const u32 root = by_root ? add(Op::multiply, x, add(Op::rsqrt, x)) : add(Op::sqrt, x);
      return whole == 0 ? root : add(Op::multiply, chain(x, whole), root);
    }
    const u32 root = add(Op::rsqrt, x);
    return whole == 0 ? root : add(Op::multiply, chain(square_of_root(x), whole), root);
  }

  u32 square_of_root(u32 x) {
    const u32 root = add(Op::rsqrt, x);
    return add(Op::multiply, root, root);
  }

  /// --- sums

  /// The factors of a monomial, all but the last multiplied.
  LazyProduct product_of(const Monomial& m) {
    bool negative = false;
    std::vector<u32> factors;
    for (const Power& p : m.powers) factors.push_back(power(p.base, p.exponent));
    if (dag_.is_number(m.coefficient, -1)) {
      negative = true;
    } else if (!dag_.is_number(m.coefficient, 1)) {
      factors.push_back(positive(emit(m.coefficient)));
    }
    if (factors.empty()) factors.push_back(number(1));
    u32 first = factors[0];
    for (std::size_t k = 1; k + 1 < factors.size(); ++k) first = add(Op::multiply, first, factors[k]);
    if (factors.size() == 1) return {{first, negative}, {}};
    return {{first, negative}, factors.back()};
  }

  Value computed(const LazyProduct& p) { return p.b ? Value{add(Op::multiply, p.a.id, *p.b), p.a.negative} : p.a; }

  Value add_to(Value sum, const LazyProduct& p) {
    if (p.b) {
      // The opposite of the sum, where that saves a negation: -s + a b = -(s - a b).
      const Op op = p.a.negative == sum.negative ? Op::multiply_add : Op::neg_multiply_add;
      return {add(op, p.a.id, *p.b, sum.id), sum.negative};
    }
    if (p.a.negative == sum.negative) return {add(Op::add, sum.id, p.a.id), sum.negative};
    if (sum.negative) return {add(Op::subtract, p.a.id, sum.id)};
    return {add(Op::subtract, sum.id, p.a.id)};
  }

  Value total(const std::vector<LazyProduct>& parts) {
    // The first part is one that nothing can be fused with.
    std::size_t start = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const bool better = !parts[k].b && (parts[start].b || (parts[start].a.negative && !parts[k].a.negative));
      if (better) start = k;
    }
    Value sum = computed(parts[start]);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (k != start) sum = add_to(sum, parts[k]);
    }
    return sum;
  }

  /// Powers that have a factor in common that is worth taking out: roots beyond the square root only among their like.
  struct Common {
    Id base = 0;
    bool inverse = false;
    i32 root = 0;

    explicit Common(const Power& p)
        : base(p.base), inverse(p.exponent.top < 0), root(p.exponent.bottom > 2 ? p.exponent.bottom : 0) {}
    bool operator==(const Common& other) const { return order() == other.order(); }
    bool operator<(const Common& other) const { return order() < other.order(); }
    std::tuple<Id, bool, i32> order() const { return {base, inverse, root}; }
  };

  /// What most monomials have in common; nothing if no two have.
  static std::optional<Common> most_common(const std::vector<Monomial>& terms) {
    std::map<Common, u32> counts;
    for (const Monomial& m : terms) {
      for (const Power& p : m.powers) ++counts[Common(p)];
    }
    std::optional<Common> best;
    u32 most = 1;
    for (const auto& [common, count] : counts) {
      if (count > most) most = count, best = common;
    }
    return best;
  }

  static const Power* power_of(const Monomial& m, const Common& common) {
    for (const Power& p : m.powers) {
      if (Common(p) == common) return &p;
    }
    return nullptr;
  }

  /// Takes the powers that all terms have out of them.
  std::vector<Power> factor_common(std::vector<Monomial>& terms) {
    std::vector<Power> common;
    const std::vector<Power> candidates = terms[0].powers;
    for (const Power& candidate : candidates) {
      const Common of(candidate);
      Rational least = candidate.exponent;
      const bool in_all = std::all_of(terms.begin(), terms.end(), [&](const Monomial& m) {
        const Power* p = power_of(m, of);
        if (p != nullptr && (of.inverse ? p->exponent > least : p->exponent < least)) least = p->exponent;
        return p != nullptr;
      });
      if (!in_all) continue;
      common.push_back({candidate.base, least});
      for (Monomial& m : terms) {
        std::vector<Power> rest;
        for (const Power& p : m.powers) {
          const auto left = p.base == of.base ? sum(p.exponent, {-least.top, least.bottom}) : p.exponent;
          if (!left) throw BeyondLimit("an exponent here is beyond the limits");
          if (left->top != 0) rest.push_back({p.base, *left});
        }
        m.powers = std::move(rest);
      }
    }
    return common;
  }

  LazyProduct factored(std::vector<Monomial> terms, u32 level) {
    if (terms.size() == 1) return product_of(terms[0]);
    const std::vector<Power> common = factor_common(terms);
    const Value inner = polynomial(std::move(terms), level + 1);
    if (common.empty()) return {inner, {}};
    const LazyProduct outside = product_of({dag_.number(1), common});
    return {{inner.id, inner.negative}, computed(outside).id};
  }

  /// Terms have different powers.
  Value polynomial(std::vector<Monomial> terms, u32 level) {
    if (level > Dag::kMaxLevels) throw BeyondLimit("a sum here has too many different powers");
    std::vector<LazyProduct> parts;
    while (const std::optional<Common> common = most_common(terms)) {
      std::vector<Monomial> group, others;
      for (Monomial& m : terms) (power_of(m, *common) != nullptr ? group : others).push_back(std::move(m));
      parts.push_back(factored(std::move(group), level));
      terms = std::move(others);
    }
    for (const Monomial& m : terms) parts.push_back(product_of(m));
    return total(parts);
  }

  Dag& dag_;
  const ProgramInputs& inputs_;
  LinearForm linear_form_;
  u32 most_, slack_;
  const Plan* plan_;
  const Plan& all_;
  Plan used_;
  Program program_;
  std::map<std::tuple<Op, u32, u32, u32>, u32> known_;
  std::map<std::pair<u32, i32>, u32> chains_;
  std::unordered_map<Id, Value> done_;
};

}  // namespace

Program emit_program(Dag& dag, std::span<const Output> outputs, Id squared_cutoff, const ProgramInputs& inputs,
                     u32 most_instructions) {
  TRI_EXPECTS(inputs.of_parameters || inputs.uniforms != nullptr);
  std::vector<Output> first;
  for (const Output& output : outputs) {
    if (!output.is_extra) first.push_back(output);
  }
  const Plan none;
  const auto planned = [&](std::span<const Output> some) {
    Emitter emitter(dag, inputs, most_instructions, none, none, 2);
    emitter.run(some, squared_cutoff);
    return emitter.used();
  };
  const Plan plan = planned(first), all = planned(outputs);
  return Emitter(dag, inputs, most_instructions, plan, all).run(outputs, squared_cutoff);
}

namespace {

constexpr Op kTextFunctions[] = {Op::power, Op::exp,  Op::log,  Op::sin,   Op::cos,   Op::tan,
                                 Op::asin,  Op::acos, Op::atan, Op::sinh,  Op::cosh,  Op::tanh,
                                 Op::erf,   Op::erfc, Op::abs,  Op::atan2, Op::floor, Op::ceil};

/// CUDA's name of a function for double; that for float ends with f.
std::string device_name(Op op) {
  if (op == Op::power) return "pow";
  return std::string(op == Op::abs ? "fabs" : name_of(op));
}

std::string right_side(const Program& program, const Instruction& i, std::span<const std::string> input_names) {
  const auto a = fmt::format("t{}", i.a), b = fmt::format("t{}", i.b), c = fmt::format("t{}", i.c);
  switch (i.op) {
    case Op::input:
      TRI_EXPECTS(i.a < input_names.size());
      return input_names[i.a];
    case Op::uniform:
      return fmt::format("u[{}]", i.a);
    case Op::number:
      return fmt::format("M::set({:a})", program.numbers[i.a]);
    case Op::add:
      return fmt::format("{} + {}", a, b);
    case Op::subtract:
      return fmt::format("{} - {}", a, b);
    case Op::multiply:
      return fmt::format("{} * {}", a, b);
    case Op::divide:
      return fmt::format("{} / {}", a, b);
    case Op::multiply_add:
      return fmt::format("M::mul_add({}, {}, {})", a, b, c);
    case Op::neg_multiply_add:
      return fmt::format("M::neg_mul_add({}, {}, {})", a, b, c);
    case Op::negate:
      return fmt::format("-{}", a);
    case Op::reciprocal:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::rsqrt_cubed:
      return fmt::format("M::{}({})", name_of(i.op), a);
    case Op::min:
    case Op::max:
      return fmt::format("M::{}({}, {})", name_of(i.op), a, b);
    case Op::step:
      return fmt::format("M::select(M::less({}, M::set(0.0)), M::set(0.0), M::set(1.0))", a);
    case Op::select:
      return fmt::format("M::select({} != M::set(0.0), {}, {})", a, b, c);
    case Op::below:
      return fmt::format("M::only_if(M::less({}, {}), {})", a, b, c);
    default:
      break;
  }
  return operand_count(i.op) == 2 ? fmt::format("tri_{}({}, {})", name_of(i.op), a, b)
                                  : fmt::format("tri_{}({})", name_of(i.op), a);
}

}  // namespace

FunctorText functor_statements(const Program& program, std::span<const std::string> input_names) {
  FunctorText text;
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    text.statements += fmt::format("  const V t{} = {};\n", k, right_side(program, program.code[k], input_names));
  }
  for (const u32 output : program.outputs) text.outputs.push_back(fmt::format("t{}", output));
  return text;
}

std::string functor_prelude() {
  std::string text;
  for (const Op op : kTextFunctions) {
    for (const bool is_float : {true, false}) {
      const std::string_view type = is_float ? "float" : "double";
      const bool has_two = operand_count(op) == 2;
      text += fmt::format("__device__ __forceinline__ {0} tri_{1}({0} x{2}) {{ return {3}{4}(x{5}); }}\n", type,
                          name_of(op), has_two ? fmt::format(", {} y", type) : "", device_name(op), is_float ? "f" : "",
                          has_two ? ", y" : "");
    }
  }
  return text;
}

}  // namespace tri::expression
