// Options of `law`, and laws as options of other commands.

#include <fmt/format.h>

#include "app/options/option_specs.hpp"
#include "sim/base/error.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/typed_text.hpp"

namespace tri::app {
namespace {

void check_text(const std::string& text, bool triples) {
  expression::typed_law(text, triples ? expression::Over::triples : expression::Over::pairs);
}

std::string typed_words(const char* option, const std::string& words, bool triples) {
  if (!is_law_text(words)) {
    throw ConfigError(fmt::format("{} takes the energy of {}, as in \"{}\"; got '{}'.", option,
                                  triples ? "a triple" : "a pair", triples ? "k/(a*b*c); k = 1" : "-G*mi*mj/r; G = 1",
                                  words));
  }
  check_text(words, triples);
  return words;
}

void check_law_options(RunConfig& config) {
  LawOptions& law = config.law;
  check_text(law.text, law.triples);
  if (law.from && law.to && !(*law.from < *law.to)) {
    throw ConfigError(fmt::format("--from {} and --to {}: the first must be below the second.", *law.from, *law.to));
  }
  if (!law.plot.empty()) check_svg_name("--plot", law.plot);
}

}  // namespace

std::string law_words(const char* option, const std::string& words, const std::vector<std::string_view>& names,
                      bool triples) {
  if (!is_law_text(words)) return std::string(names[choice(option, words, names)]);
  check_text(words, triples);
  return words;
}

void add_laws(CommandSpec& spec, std::string& law, std::string& triple_law) {
  spec.add("--law", [&law](const std::string& v) { law = law_words("--law", v, pair_law_names(), false); }).hint =
      hint_names(pair_law_names());
  const auto read = [&triple_law](const std::string& v) {
    triple_law = law_words("--triple-law", v, triple_law_names(), true);
  };
  spec.add("--triple-law", read).hint = hint_names(triple_law_names());
}

double number_in(const char* option, const std::string& text, const Range& range) {
  const double value = finite_number(option, text);
  if (range.holds(value)) return value;
  throw ConfigError(fmt::format("{} takes a number that is {}; got '{}'.", option, range.text(), text));
}

void add_law_parameters(CommandSpec& spec, std::vector<GivenParameter>& to) {
  for (const LawInfo& law : all_laws()) {
    for (const LawParameter& p : law.parameters) {
      if (p.option == nullptr) continue;
      const auto store = [&to, option = p.option](double value) {
        std::erase_if(to, [&](const GivenParameter& given) { return given.option == option; });
        to.push_back({option, value});
      };
      if (p.real != nullptr) {
        spec.add(p.option,
                 [=, range = p.range, option = p.option](const std::string& v) { store(number_in(option, v, range)); });
      } else if (std::string_view(p.yes) == "true") {
        spec.options.push_back({p.option, true, [=](const std::string&) { store(1); }});
      } else {
        const std::vector<std::string_view> names{p.no, p.yes};
        const auto read = [=, option = p.option](const std::string& v) {
          store(static_cast<double>(choice(option, v, names)));
        };
        spec.add(p.option, read).hint = hint_names(names);
      }
    }
  }
}

void add_typed_laws(CommandSpec& spec, std::string& law, std::string& triple_law) {
  spec.add("--law", [&law](const std::string& v) { law = typed_words("--law", v, false); });
  spec.add("--triple-law", [&triple_law](const std::string& v) { triple_law = typed_words("--triple-law", v, true); });
}

CommandSpec law_spec(RunConfig& config) {
  LawOptions& law = config.law;
  CommandSpec spec{Command::law, "law", {{"EXPRESSION", true, text_into(law.text), false, {}}}, {}, [&config] {
                     check_law_options(config);
                   }};
  spec.flag("--triples", law.triples);
  spec.value("--from", law.from, positive_number);
  spec.value("--to", law.to, positive_number);
  spec.add("--plot", text_into(law.plot)).hint = hint_file();
  spec.append(common_specs(config.common, 0));
  return spec;
}

}  // namespace tri::app
