// The parts of an option's row, and a check that two commands share.

#include "app/options/option_specs.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/model/units.hpp"

namespace tri::app {

std::vector<std::string> OptionSpec::spellings() const {
  const auto comma = names.find(',');
  if (comma == std::string::npos) return {names};
  return {names.substr(0, comma), names.substr(comma + 1)};
}

OptionSpec& CommandSpec::add(const char* names, std::function<void(const std::string&)> read) {
  return options.emplace_back(OptionSpec{names, false, std::move(read)});
}

OptionSpec& CommandSpec::flag(const char* names, bool& to) {
  return options.emplace_back(OptionSpec{names, true, [&to](const std::string&) { to = true; }});
}

OptionSpec& CommandSpec::one_of(const char* option, const std::vector<std::string_view>& names, std::string& to) {
  OptionSpec& added = add(option, [=, &to](const std::string& v) { to = names[choice(option, v, names)]; });
  added.hint.names = {names.begin(), names.end()};
  return added;
}

OptionSpec& CommandSpec::units(std::string& to) {
  const std::vector<std::string_view> names = unit_system_names();
  OptionSpec& added = add("--units", [=, &to](const std::string& v) {
    to = find_unit_system(v) != nullptr ? v : std::string(names[choice("--units", v, names)]);
  });
  added.hint.names = {names.begin(), names.end()};
  return added;
}

void CommandSpec::append(std::vector<OptionSpec> more) {
  std::move(more.begin(), more.end(), std::back_inserter(options));
}

void check_svg_name(const char* option, const std::string& name) {
  if (!name.ends_with(".svg")) throw ConfigError(fmt::format("{} {}: a figure is written as .svg.", option, name));
}

}  // namespace tri::app
