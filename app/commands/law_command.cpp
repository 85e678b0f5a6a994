// `law`: what a typed law was understood as, its checks and programs, and its energy and force over the distance.

#include <fmt/format.h>
#include <fmt/ranges.h>

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
using expression::law_curves;
using expression::LawCurves;
using expression::Over;
using expression::TypedLaw;

constexpr u32 kRows = 16, kSamples = 400;

/// From the options; else up to a little beyond the cut-off, or to 3.
std::pair<double, double> distances_of(const LawOptions& options, const TypedLaw& typed) {
  const bool pairs = typed.law->over() == Over::pairs;
  const double cutoff = pairs ? typed.law->cutoff(typed.values) : 0;
  const double to = options.to.value_or(cutoff > 0 ? 1.1 * cutoff : options.from ? 10 * *options.from : 3);
  const double from = options.from.value_or(to / 12);
  if (from < to) return {from, to};
  throw ConfigError(fmt::format("--from {} is beyond the last distance, {:.6g}; give --to, too.", from, to));
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

Json json_of(const TypedLaw& typed, const LawCurves& rows) {
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
  for (std::size_t k = 0; k < rows.r.size(); ++k) {
    j["values"].push_back({{"r", rows.r[k]}, {"energy", number(rows.energy[k])}, {"force", number(rows.force[k])}});
  }
  return j;
}

std::string text_of(const TypedLaw& typed, const LawCurves& rows) {
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
  line("check", fmt::format("symmetric, by proof; derivative to {:.1e}, at {} random inputs", law.check().derivative,
                            law.check().samples));
  line("program", fmt::format("{} instructions, {} with the energy; {} values computed once",
                              law.strength().code.size(), law.strength_and_energy().code.size(), law.uniform_count()));
  text += fmt::format("\n{:>12}{:>16}{:>16}\n", pairs ? "r" : "side", "energy", "force");
  for (std::size_t k = 0; k < rows.r.size(); ++k) {
    text += fmt::format("{:>12.6g}{:>16.9g}{:>16.9g}\n", rows.r[k], rows.energy[k], rows.force[k]);
  }
  return text + (pairs ? "of bodies with m = 1, radius 0.5 and q = 1; the force is -dE/dr\n"
                       : "of an equilateral triangle; the force is minus the derivative by its side\n");
}

LawWords words_of(const TypedLaw& typed) {
  if (typed.law->over() == Over::pairs) {
    return {one_line(typed), "Two bodies with m = 1, radius 0.5 and q = 1", "distance r"};
  }
  return {one_line(typed), "An equilateral triangle of bodies", "side"};
}

}  // namespace

int run_law(const RunConfig& config, Console& console) {
  const LawOptions& options = config.law;
  const TypedLaw typed = expression::typed_law(options.text, options.triples ? Over::triples : Over::pairs);
  const auto [from, to] = distances_of(options, typed);
  if (!options.plot.empty()) {
    io::OutputFile file(options.plot);
    const std::string svg = law_svg(words_of(typed), law_curves(typed, from, to, kSamples));
    file.write(svg.data(), svg.size());
    file.commit();
  }
  const LawCurves rows = law_curves(typed, from, to, kRows);
  console.print(config.common.json ? json_text(json_of(typed, rows)) : text_of(typed, rows));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app
