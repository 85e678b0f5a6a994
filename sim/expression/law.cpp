#include "sim/expression/law.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/expression/law_maker.hpp"
#include "sim/expression/law_text.hpp"

namespace tri::expression {

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

}  // namespace tri::expression
