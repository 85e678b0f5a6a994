#include "sim/text/law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <span>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/text/dag.hpp"
#include "sim/text/law_maker.hpp"

namespace tri::expression {
namespace {

using Wide = long double;

constexpr u32 kSamples = 192, kDisproofs = 4096;
constexpr double kMaxAsymmetry = 1e-9, kMaxDerivative = 1e-4;

class Check {
 public:
  explicit Check(const CheckedLaw& law) : law_(law), uniforms_(law.uniforms.begin(), law.uniforms.end()) {
    for (const Parameter& p : law.parameters) {
      if (p.value != 0) scales_.push_back(std::fabs(p.value));
    }
  }

  LawCheck run(std::string& fault) {
    for (u32 k = 0; k < kSamples; ++k) {
      const std::vector<Wide> inputs = draw(k);
      const Wide energy = this->energy(inputs);
      compare_orders(inputs, energy, fault);
      if (!std::isfinite(energy)) continue;
      ++found_.samples;
      compare_slopes(inputs);
    }
    if (!law_.is_symmetric && fault.empty()) disprove_symmetry(fault);
    if (found_.samples == 0 && fault.empty()) {
      fault = "the energy is not a finite number at any distance that was tried; look at its signs and parameters";
    }
    if (fault.empty() && wrong_ > right_ && wrong_ > 3) {
      fault = fmt::format(
          "the derivative of the energy differs from its differences by {:.1g}; write it in a way that "
          "keeps more digits",
          found_.derivative);
    }
    return found_;
  }

 private:
  double between(double low, double high) { return low * std::pow(high / low, random_.uniform()); }

  double length(u32 k) {
    const bool around = k % 2 == 1 && !scales_.empty();
    return around ? scales_[k / 2 % scales_.size()] * between(0.1, 10) : between(0.05, 20);
  }

  std::vector<Wide> draw(u32 k) {
    const double x = length(k);
    if (law_.over == Over::triples) {
      // Two sides and the cosine between them.
      const double y = x * between(0.5, 2), cosine = 1.9 * random_.uniform() - 0.95;
      return {Wide(x * x), Wide(y * y), Wide(x * x + y * y - 2 * x * y * cosine)};
    }
    const auto charge = [this] { return 4 * random_.uniform() - 2; };
    std::vector<Wide> inputs{Wide(x * x)};
    for (int body = 0; body < 2; ++body) inputs.push_back(between(0.2, 5));
    for (int body = 0; body < 2; ++body) inputs.push_back(between(0.1, 2));
    for (int body = 0; body < 2; ++body) inputs.push_back(charge());
    return inputs;
  }

  /// Looks for a pair that has two energies, with columns around the numbers of the text: a law may have a threshold
  /// there. Without one, too, the law is refused: its symmetry is not certain.
  void disprove_symmetry(std::string& fault) {
    std::vector<double> scales = scales_;
    for (const double number : law_.numbers) scales.push_back(std::fabs(number));
    scales.push_back(1);
    for (u32 k = 0; k < kDisproofs && fault.empty(); ++k) {
      std::vector<Wide> inputs = draw(k);
      for (std::size_t c = 1; law_.over == Over::pairs && c < inputs.size(); ++c) {
        const bool negative = c > 4 && random_.uniform() < 0.5;
        inputs[c] = (negative ? -1 : 1) * scales[random_.next() % scales.size()] * between(0.1, 10);
      }
      compare_orders(inputs, energy(inputs), fault);
    }
    if (!fault.empty()) return;
    fault = law_.over == Over::pairs
                ? "it is not certain that the energy stays the same when the bodies i and j change places; write it "
                  "with what takes both alike, as mi*mj, ri + rj, (qi - qj)^2, abs(), min(), max(), or a sum over both "
                  "orders"
                : "it is not certain that the energy stays the same when the sides change places; write it with what "
                  "takes all three alike, as a*b*c, a^2 + b^2 + c^2, min(), max(), or a sum over all orders";
  }

  std::vector<Wide> run_program(const std::vector<Wide>& inputs) const {
    return law_.program.run<Wide>(inputs, uniforms_);
  }
  Wide energy(const std::vector<Wide>& inputs) const { return run_program(inputs).back(); }

  void compare_orders(const std::vector<Wide>& inputs, Wide energy, std::string& fault) {
    if (law_.over == Over::pairs) {
      std::vector<Wide> swapped = inputs;
      for (const std::size_t column : {1, 3, 5}) std::swap(swapped[column], swapped[column + 1]);
      return compare(energy, this->energy(swapped), fault, [&] { return columns(inputs); });
    }
    std::array<u32, 3> order{0, 1, 2};
    while (std::next_permutation(order.begin(), order.end())) {
      const std::vector<Wide> other{inputs[order[0]], inputs[order[1]], inputs[order[2]]};
      compare(energy, this->energy(other), fault, [&] {
        const auto side = [&](u32 k) { return std::sqrt(double(inputs[k])); };
        return fmt::format("(a, b, c) = ({:.3g}, {:.3g}, {:.3g})", side(0), side(1), side(2));
      });
    }
  }

  /// The columns that the energy reads, for a sentence.
  std::string columns(const std::vector<Wide>& inputs) const {
    constexpr std::string_view kNames[] = {"(mi, mj)", "(ri, rj)", "(qi, qj)"};
    std::string text;
    for (u32 k = 0; k < 3; ++k) {
      if (((law_.depends >> (Symbol::mi + 2 * k)) & 3) == 0) continue;
      text += fmt::format("{}{} = ({:.3g}, {:.3g})", text.empty() ? "" : ", ", kNames[k],
                          static_cast<double>(inputs[1 + 2 * k]), static_cast<double>(inputs[2 + 2 * k]));
    }
    return text;
  }

  template <class Where>
  void compare(Wide one, Wide other, std::string& fault, Where&& where) {
    if (!std::isfinite(one) && !std::isfinite(other)) return;
    const Wide scale = std::fabs(one) + std::fabs(other);
    Wide difference = scale == 0 ? 0 : std::fabs(one - other) / scale;
    if (!std::isfinite(difference)) difference = 1;
    found_.asymmetry = std::max(found_.asymmetry, static_cast<double>(difference));
    if (difference < kMaxAsymmetry || law_.is_symmetric || !fault.empty()) return;
    fault = law_.over == Over::pairs
                ? fmt::format(
                      "the energy changes when the bodies i and j change places: {:.6g} becomes {:.6g} with {}; "
                      "a pair has one energy",
                      double(one), double(other), where())
                : fmt::format(
                      "the energy changes when the sides change places: {:.6g} becomes {:.6g} with {}; a triple "
                      "has one energy",
                      double(one), double(other), where());
  }

  /// Central differences in steps h, h/2, h/4, extrapolated twice. Both results agree where the energy is smooth.
  void compare_slopes(const std::vector<Wide>& inputs) {
    const std::vector<Wide> results = run_program(inputs);
    for (std::size_t k = 0; k + 1 < results.size(); ++k) {
      const Wide h = inputs[k] / 512;
      Wide largest = 0;
      const auto slope = [&](Wide step) {
        std::vector<Wide> low = inputs, high = inputs;
        low[k] -= step, high[k] += step;
        const Wide below = energy(low), above = energy(high);
        largest = std::max({largest, std::fabs(below), std::fabs(above)});
        return (above - below) / step;  // twice the derivative, as the program's
      };
      const Wide s1 = slope(h), s2 = slope(h / 2), s4 = slope(h / 4);
      const Wide r1 = (4 * s2 - s1) / 3, r2 = (4 * s4 - s2) / 3;
      const Wide noise = 1000 * std::numeric_limits<Wide>::epsilon() * largest / h;
      const Wide scale = std::fabs(r2) + noise / 1e-7L;
      if (!std::isfinite(r2) || !std::isfinite(results[k]) || scale == 0 || std::fabs(r1 - r2) > 1e-6L * scale)
        continue;
      const double difference = static_cast<double>(std::fabs(results[k] - r2) / scale);
      found_.derivative = std::max(found_.derivative, difference);
      ++(difference > kMaxDerivative ? wrong_ : right_);
    }
  }

  const CheckedLaw& law_;
  std::vector<Wide> uniforms_;
  std::vector<double> scales_;
  SplitMix64 random_{2026};
  LawCheck found_;
  u32 right_ = 0, wrong_ = 0;
};

}  // namespace

LawCheck check_law(const CheckedLaw& law, std::string& fault) { return Check(law).run(fault); }

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

void LawMaker::extract_masses() {
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
  if (law_->over_ == Over::pairs) extract_masses();
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

std::shared_ptr<const Law> Law::make(std::string_view text, Over over) {
  const SourceText source{"law", text};
  LawMaker maker(source, over);
  std::shared_ptr<const Law> law;
  try {
    law = maker.make();
  } catch (const BeyondLimit& limit) {
    source.fail(0, limit.what());
  }
  std::vector<double> values;
  for (const Parameter& p : law->parameters()) values.push_back(p.value);
  law->uniforms(values);
  return law;
}

u32 Law::find(std::string_view name) const {
  u32 k = 0;
  while (k < parameters_.size() && parameters_[k].name != name) ++k;
  return k;
}

bool Law::has_cutoff() const { return find("cutoff") < parameters_.size(); }

double Law::cutoff(std::span<const double> values) const {
  TRI_EXPECTS(values.size() == parameters_.size());
  return has_cutoff() ? values[find("cutoff")] : 0;
}

std::vector<double> Law::uniforms(std::span<const double> values) const {
  TRI_EXPECTS(values.size() == parameters_.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::string fault = fault_of(parameters_[k].name, values[k]);
    if (!fault.empty()) throw ConfigError(fmt::format("law: {}.", fault));
  }
  std::vector<double> results = uniforms_.run<double>(values, {});
  for (const double result : results) {
    if (std::isfinite(result)) continue;
    std::string list;
    for (std::size_t k = 0; k < values.size(); ++k) {
      list += fmt::format("{}{} = {}", k == 0 ? "" : ", ", parameters_[k].name, values[k]);
    }
    throw ConfigError(
        fmt::format("law: a constant that follows from its parameters is {}, not a finite number: {}.", result, list));
  }
  return results;
}

Law::Point Law::at(double r, std::span<const double> values, double m, double radius, double charge) const {
  const std::vector<double> uniform = uniforms(values);
  const double q = r * r;
  std::vector<double> inputs{q, m, m, radius, radius, charge, charge};
  if (over_ == Over::triples) inputs = {q, q, q};
  const std::vector<double> results = both_.run<double>(inputs, uniform);
  double strength = 0;
  for (std::size_t k = 0; k + 1 < results.size(); ++k) strength += results[k];
  if (weighs_masses_) strength *= m * m * uniform[0];
  return {results.back(), -strength * r};
}

std::string TypedLaw::text() const {
  TRI_EXPECTS(law != nullptr && values.size() == law->parameters_.size());
  // Parameters are in the order of the text.
  std::string text;
  std::size_t at = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Law::Literal& literal = law->literals_[k];
    text += law->text_.substr(at, literal.offset - at);
    at = literal.offset + literal.length;
    const bool is_as_typed = values[k] == law->parameters_[k].value;
    text += is_as_typed ? law->text_.substr(literal.offset, literal.length) : fmt::format("{}", values[k]);
  }
  return text + law->text_.substr(at);
}

TypedLaw typed_law(std::string_view text, Over over) {
  TypedLaw typed{Law::make(text, over), {}};
  for (const Parameter& p : typed.law->parameters()) typed.values.push_back(p.value);
  return typed;
}

Law::Point point_at(const TypedLaw& typed, double r) {
  if (typed.law->over() == Over::pairs) {
    const Law::Point point = typed.law->at(r, typed.values);
    return {point.energy, point.force + 0.0};  // no -0
  }
  const double sides[kTripleInputs] = {r * r, r * r, r * r};
  const std::vector<double> uniforms = typed.law->uniforms(typed.values);
  const std::vector<double> out =
      typed.law->strength_and_energy().run<double>(std::span<const double>(sides), uniforms);
  // Each output is 2 dE/d(side^2), and dE/dr = sum of dE/d(side^2) 2 r.
  return {out[3], 0.0 - (out[0] + out[1] + out[2]) * r};
}

LawCurves law_curves(const TypedLaw& law, double from, double to, u32 points) {
  LawCurves curves;
  for (u32 k = 0; k < points; ++k) {
    const double r = from + (to - from) * k / (points - 1);
    const Law::Point p = point_at(law, r);
    curves.r.push_back(r), curves.energy.push_back(p.energy), curves.force.push_back(p.force);
  }
  return curves;
}

}  // namespace tri::expression
