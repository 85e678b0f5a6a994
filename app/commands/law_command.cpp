// `law`: what a typed law was understood as, its checks and programs, and its energy and force over the distance.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/plot/plot_law.hpp"
#include "app/support/commands.hpp"
#include "app/support/json_text.hpp"
#include "sim/io/files/atomic_file.hpp"
#include "sim/laws/typed_text.hpp"
#include "sim/laws/uses.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;
using expression::Over;
using expression::TypedLaw;

constexpr std::size_t kRows = 16, kSamples = 400;

struct LawAt {
  double r = 0, energy = 0, force = 0;
};

/// A pair at distance r; of triples an equilateral triangle of that side, with the force that widens it.
LawAt law_at(const TypedLaw& typed, double r) {
  if (typed.law->over() == Over::pairs) {
    const auto point = typed.law->at(r, typed.values);
    return {r, point.energy, point.force + 0.0};  // no -0
  }
  const double inputs[expression::kTripleInputs] = {r * r, r * r, r * r};
  const std::vector<double> uniforms = typed.law->uniforms(typed.values);
  const std::vector<double> out = typed.law->strength_and_energy().run<double>(inputs, uniforms);
  return {r, out[3], 0.0 - (out[0] + out[1] + out[2]) * r};
}

/// From the options; else up to a little beyond the cut-off, or to 3.
std::pair<double, double> distances_of(const LawOptions& options, const TypedLaw& typed) {
  const bool pairs = typed.law->over() == Over::pairs;
  const double cutoff = pairs ? typed.law->cutoff(typed.values) : 0;
  const double to = options.to.value_or(cutoff > 0 ? 1.1 * cutoff : options.from ? 10 * *options.from : 3);
  const double from = options.from.value_or(to / 12);
  if (from < to) return {from, to};
  throw ConfigError(fmt::format("--from {} is beyond the last distance, {:.6g}; give --to, too.", from, to));
}

std::vector<LawAt> samples_of(const TypedLaw& typed, std::pair<double, double> distances, std::size_t count) {
  std::vector<LawAt> samples;
  const auto [from, to] = distances;
  for (std::size_t k = 0; k < count; ++k) {
    samples.push_back(law_at(typed, from + (to - from) * static_cast<double>(k) / static_cast<double>(count - 1)));
  }
  return samples;
}

std::vector<std::string> columns_of(const expression::Law& law) {
  std::vector<std::string> columns;
  if ((law.uses() & laws::kMass) != 0) columns.emplace_back("masses");
  if ((law.uses() & laws::kRadius) != 0) columns.emplace_back("radii");
  if ((law.uses() & laws::kCharge) != 0) columns.emplace_back("charges");
  return columns;
}

std::string one_line(const TypedLaw& typed) {
  ForceField field;
  const bool pairs = typed.law->over() == Over::pairs;
  (pairs ? field.typed_pair : field.typed_triple) = typed;
  field.pair = PairLaw::typed, field.triple = TripleLaw::typed;
  return pairs ? pair_law_text(field) : triple_law_text(field);
}

/// JSON has no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const TypedLaw& typed, const std::vector<LawAt>& rows) {
  const expression::Law& law = *typed.law;
  Json j;
  j["law"] = one_line(typed);
  j["over"] = law.over() == Over::pairs ? "pairs" : "triples";
  j["reads"] = columns_of(law);
  j["parameters"] = Json::object();
  for (std::size_t p = 0; p < typed.values.size(); ++p) j["parameters"][law.parameters()[p].name] = typed.values[p];
  j["sums"] = law.weighs_masses() ? "accelerations" : "forces";
  j["check"] = {
      {"samples", law.check().samples}, {"asymmetry", law.check().asymmetry}, {"derivative", law.check().derivative}};
  j["instructions"] = {{"force", law.strength().code.size()}, {"energy", law.strength_and_energy().code.size()}};
  j["uniforms"] = law.uniform_count();
  j["values"] = Json::array();
  for (const LawAt& row : rows) {
    j["values"].push_back({{"r", row.r}, {"energy", number(row.energy)}, {"force", number(row.force)}});
  }
  return j;
}

std::string text_of(const TypedLaw& typed, const std::vector<LawAt>& rows) {
  const expression::Law& law = *typed.law;
  std::string text, parameters;
  const auto line = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("{:<12}{}\n", name, value);
  };
  const bool pairs = law.over() == Over::pairs;
  for (std::size_t p = 0; p < typed.values.size(); ++p) {
    parameters += fmt::format("{}{} = {}", p == 0 ? "" : ", ", law.parameters()[p].name, typed.values[p]);
  }
  const std::vector<std::string> columns = columns_of(law);
  line("law", one_line(typed));
  line("over", pairs ? "pairs" : "triples");
  line("reads",
       fmt::format("{}{}{}", pairs ? "distances" : "sides", columns.empty() ? "" : ", ", fmt::join(columns, ", ")));
  line("parameters", parameters.empty() ? "none" : parameters);
  line("sums", law.weighs_masses() ? "accelerations: the energy is mi mj times a function without them" : "forces");
  line("check", fmt::format("at {} random inputs: derivative to {:.1e}, symmetric to {:.1e}", law.check().samples,
                            law.check().derivative, law.check().asymmetry));
  line("program", fmt::format("{} instructions, {} with the energy; {} values computed once",
                              law.strength().code.size(), law.strength_and_energy().code.size(), law.uniform_count()));
  text += fmt::format("\n{:>12}{:>16}{:>16}\n", pairs ? "r" : "side", "energy", "force");
  for (const LawAt& row : rows) text += fmt::format("{:>12.6g}{:>16.9g}{:>16.9g}\n", row.r, row.energy, row.force);
  return text + (pairs ? "of bodies with m = 1, radius 0.5 and q = 1; the force is -dE/dr\n"
                       : "of an equilateral triangle; the force is minus the derivative by its side\n");
}

LawCurves curves_of(const TypedLaw& typed, const std::vector<LawAt>& samples) {
  LawCurves curves;
  curves.title = one_line(typed);
  const bool pairs = typed.law->over() == Over::pairs;
  curves.subtitle = pairs ? "Two bodies with m = 1, radius 0.5 and q = 1" : "An equilateral triangle of bodies";
  curves.x_name = pairs ? "distance r" : "side";
  for (const LawAt& s : samples) {
    curves.r.push_back(s.r), curves.energy.push_back(s.energy), curves.force.push_back(s.force);
  }
  return curves;
}

}  // namespace

int run_law(const RunConfig& config, Console& console) {
  const LawOptions& options = config.law;
  const TypedLaw typed = expression::typed_law(options.text, options.triples ? Over::triples : Over::pairs);
  const auto distances = distances_of(options, typed);
  if (!options.plot.empty()) {
    io::OutputFile file(options.plot);
    const std::string svg = law_svg(curves_of(typed, samples_of(typed, distances, kSamples)));
    file.write(svg.data(), svg.size());
    file.commit();
  }
  const std::vector<LawAt> rows = samples_of(typed, distances, kRows);
  console.print(config.common.json ? json_text(json_of(typed, rows)) : text_of(typed, rows));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app
