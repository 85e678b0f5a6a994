#include "sim/expression/law_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "sim/expression/derivative.hpp"
#include "sim/expression/law_check.hpp"
#include "sim/expression/symmetry.hpp"

namespace tri::expression {
namespace {

/// In place of the square of a cut-off that there is not: beyond every r^2, and infinite in float32.
constexpr double kNoCutoff = std::numeric_limits<double>::max();
constexpr u32 kMassBit = 1, kRadiusBit = 2, kChargeBit = 8;  // laws::Uses

/// The expression over the symbol, if it is the symbol times something; else nothing.
std::optional<Id> stripped(Dag& dag, Id id, u32 symbol) {
  const Expression e = dag[id];
  if ((e.depends & symbol_bit(symbol)) == 0) return {};
  if (e.form == Form::symbol) return dag.number(1);
  if (e.form == Form::sum && e.constant == 0) {
    std::vector<Term> terms;
    for (const Term& t : e.terms) {
      const auto inner = stripped(dag, t.id, symbol);
      if (!inner) return {};
      terms.push_back({t.factor, *inner});
    }
    return dag.sum(0, terms);
  }
  if (e.form != Form::product) return {};
  for (std::size_t k = 0; k < e.powers.size(); ++k) {
    if (e.powers[k].exponent != Rational{1, 1}) continue;
    if (const auto inner = stripped(dag, e.powers[k].base, symbol)) {
      std::vector<Power> powers = e.powers;
      powers[k].base = *inner;
      return dag.product(1, powers);
    }
  }
  return {};
}

/// The powers of a coefficient, without its number.
std::vector<Power> powers_of(const Dag& dag, Id id) {
  const Expression& e = dag[id];
  if (e.form == Form::product) return e.powers;
  if (e.is_number()) return {};
  if (e.form == Form::sum && e.constant == 0 && e.terms.size() == 1) return powers_of(dag, e.terms[0].id);
  return {{id, {1, 1}}};
}

/// What the coefficients have in common: of one all of it, of several the powers.
Id common_factor(Dag& dag, const std::vector<Monomial>& terms) {
  if (terms.size() == 1) return terms[0].coefficient;
  std::vector<Power> common = powers_of(dag, terms[0].coefficient);
  for (const Monomial& m : terms) {
    const std::vector<Power> others = powers_of(dag, m.coefficient);
    std::vector<Power> kept;
    for (const Power& p : common) {
      for (const Power& o : others) {
        if (p.base == o.base && p.exponent == o.exponent) kept.push_back(p);
      }
    }
    common = std::move(kept);
  }
  return dag.product(1, common);
}

/// Some of the numbers in the expressions, without 0.
std::vector<double> numbers_in(const Dag& dag) {
  constexpr std::size_t kMaxNumbers = 64;
  std::set<double> numbers;
  const auto add = [&numbers](double value) {
    if (value != 0 && numbers.size() < kMaxNumbers) numbers.insert(std::fabs(value));
  };
  for (Id id = 0; id < dag.size(); ++id) {
    add(dag[id].constant);
    for (const Term& t : dag[id].terms) add(t.factor);
  }
  return {numbers.begin(), numbers.end()};
}

}  // namespace

LawMaker::LawMaker(const SourceText& source, Over over)
    : source_(source), text_(read_law(source, over)), dag_(text_.dag), law_(new Law()) {
  law_->text_ = std::string(source.text);
  law_->over_ = over;
  for (const TypedParameter& p : text_.parameters) {
    law_->parameters_.push_back({p.name, p.value});
    law_->literals_.push_back({p.offset, p.length});
  }
}

std::vector<long double> LawMaker::wide_uniforms(const Law& law, std::span<const double> values) {
  return law.uniforms_.run<long double>(std::vector<long double>(values.begin(), values.end()), {});
}

void LawMaker::find_strengths() {
  const u32 sides = law_->over_ == Over::pairs ? 1 : 3;
  bool all_zero = true;
  for (u32 side = 0; side < sides; ++side) {
    slopes_.push_back(dag_.scale(2, derivative(dag_, text_.energy, Symbol::q + side)));
    all_zero = all_zero && dag_.is_number(slopes_.back(), 0);
  }
  if (all_zero) {
    source_.fail(text_.offset,
                 sides == 1
                     ? "the derivative of the energy by the distance r is 0 everywhere, so there is no force"
                     : "the derivatives of the energy by the sides a, b and c are 0 everywhere, so there is no force");
  }
  strengths_ = slopes_;
}

void LawMaker::take_masses() {
  const auto once = stripped(dag_, text_.energy, Symbol::mi);
  const auto twice = once ? stripped(dag_, *once, Symbol::mj) : once;
  if (!twice || (dag_[*twice].depends & (symbol_bit(Symbol::mi) | symbol_bit(Symbol::mj))) != 0) return;
  law_->weighs_masses_ = true;
  const Id strength = dag_.scale(2, derivative(dag_, *twice, Symbol::q));
  const std::vector<Monomial> terms = LinearForm(dag_, true).of(strength);
  const Id factor = common_factor(dag_, terms);
  uniforms_[0] = factor;
  strengths_[0] = terms.size() == 1 ? dag_.product(1, terms[0].powers)
                                    : dag_.multiply(strength, dag_.power(factor, Rational{-1, 1}));
}

/// The energy less that at the cut-off, for the same bodies. Without a cut-off (0) and with shifted = 0 each
/// coefficient of what is subtracted is 0.
Id LawMaker::shifted_energy() {
  if (!text_.shifted) return text_.energy;
  const auto parameter = [this](u32 k) { return dag_.symbol(Symbol::parameter + k, true); };
  const Id cutoff = parameter(*text_.cutoff), on = dag_.multiply(parameter(*text_.shifted), cutoff);
  const Id squared = dag_.call(Op::select, cutoff, dag_.power(cutoff, Rational{2, 1}), dag_.number(1));
  const Id there = dag_.substitute(text_.energy, Symbol::q, dag_.add(squared, squared_softening_));
  Id energy = text_.energy;
  for (const Monomial& m : LinearForm(dag_, true).of(there)) {
    const Id coefficient = dag_.call(Op::select, on, m.coefficient, dag_.number(0));
    std::vector<Power> powers = m.powers;
    powers.push_back({coefficient, {1, 1}});
    energy = dag_.subtract(energy, dag_.product(1, powers));
  }
  return energy;
}

Program LawMaker::emit(std::span<const Output> outputs) {
  ProgramInputs inputs;
  inputs.uniforms = &uniforms_;
  inputs.squared_softening = squared_softening_;
  return emit_program(dag_, outputs, squared_cutoff_, inputs, Law::kMaxInstructions);
}

Program LawMaker::emit_uniforms(const std::vector<Id>& uniforms) {
  if (uniforms.size() > Law::kMaxUniforms) {
    throw BeyondLimit(
        fmt::format("the law has more than {} constants that follow from its parameters", Law::kMaxUniforms));
  }
  ProgramInputs inputs;
  inputs.of_parameters = true;
  std::vector<Output> outputs;
  for (const Id id : uniforms) outputs.push_back({id, false});
  return emit_program(dag_, outputs, 0, inputs, Law::kMaxInstructions);
}

void LawMaker::check() {
  std::vector<Id> uniforms{dag_.number(1)};
  ProgramInputs inputs;
  inputs.uniforms = &uniforms;
  inputs.squared_softening = squared_softening_;
  std::vector<Output> outputs;
  for (const Id slope : slopes_) outputs.push_back({slope, false});
  outputs.push_back({text_.energy, false});
  const Program program = emit_program(dag_, outputs, 0, inputs, Law::kMaxInstructions);
  std::vector<double> values;
  for (const Parameter& p : law_->parameters_) values.push_back(p.value);
  const std::vector<double> constants = emit_uniforms(uniforms).run<double>(values, {});
  std::string fault;
  const std::vector<double> numbers = numbers_in(dag_);
  law_->check_ = check_law({law_->over_, program, constants, law_->parameters_, dag_[text_.energy].depends,
                            is_symmetric(dag_, text_.energy, law_->over_), numbers},
                           fault);
  if (!fault.empty()) source_.fail(text_.offset, fault);
}

std::shared_ptr<const Law> LawMaker::make() {
  const auto parameter = [this](u32 k) { return dag_.symbol(Symbol::parameter + k, true); };
  const Id zero = dag_.number(0);
  squared_softening_ = text_.softening ? dag_.power(parameter(*text_.softening), Rational{2, 1}) : zero;
  squared_cutoff_ = zero;
  if (text_.cutoff) {
    const Id cutoff = parameter(*text_.cutoff);
    squared_cutoff_ = dag_.call(Op::select, cutoff, dag_.power(cutoff, Rational{2, 1}), dag_.number(kNoCutoff));
  }
  uniforms_ = {dag_.number(1)};
  find_strengths();
  if (law_->over_ == Over::pairs) take_masses();
  check();

  const bool is_cut = text_.cutoff.has_value();
  std::vector<Output> outputs;
  for (const Id strength : strengths_) outputs.push_back({strength, is_cut});
  law_->strength_ = emit(outputs);
  outputs.push_back({shifted_energy(), is_cut, true});
  law_->both_ = emit(outputs);
  law_->uniforms_ = emit_uniforms(uniforms_);
  law_->uniform_count_ = static_cast<u32>(uniforms_.size());
  const u64 depends = dag_[text_.energy].depends;
  const auto reads = [depends](u32 one, u32 other) { return (depends & (symbol_bit(one) | symbol_bit(other))) != 0; };
  if (reads(Symbol::mi, Symbol::mj)) law_->uses_ |= kMassBit;
  if (reads(Symbol::ri, Symbol::rj)) law_->uses_ |= kRadiusBit;
  if (reads(Symbol::qi, Symbol::qj)) law_->uses_ |= kChargeBit;
  return law_;
}

}  // namespace tri::expression
