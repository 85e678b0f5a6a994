// Parses automaton scenes: "gasket:r=10,rule=B3/S23".

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/fractal/life_rule_text.hpp"

namespace tri {
namespace {

constexpr const char* kFileName = "fractal";
constexpr std::array<const char*, 7> kSceneKeys{"r", "rule", "density", "seed", "storage", "placement", "file"};

using Settings = std::vector<std::pair<std::string, std::string>>;

std::string name_of(const std::string& text) { return text.substr(0, text.find(':')); }

Settings settings_in(const std::string& text, const std::string& name) {
  Settings given;
  std::size_t at = name.size();
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(',', at + 1), text.size());
    const std::string part = text.substr(at + 1, end - at - 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw ConfigError(fmt::format("scene {}: '{}' is not key=value, as in {}:r=10,seed=7.", name, part, name));
    }
    const std::string key = part.substr(0, equals);
    if (std::find(kSceneKeys.begin(), kSceneKeys.end(), key) == kSceneKeys.end()) {
      throw ConfigError(unknown_name("key of scene " + name, key, kSceneKeys));
    }
    for (const auto& [other, value] : given) {
      if (other == key) throw ConfigError(fmt::format("scene {}: the key {} is given twice.", name, key));
    }
    given.emplace_back(key, part.substr(equals + 1));
    at = end;
  }
  return given;
}

template <class Number>
Number number(const std::string& name, const std::string& key, const std::string& text, const char* must_be) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw ConfigError(fmt::format("scene {}: {}={} must be {}.", name, key, text, must_be));
  }
  return value;
}

/// A similar number of cells for every fractal, so that all run at interactive speed.
u32 default_levels(const FractalShape& shape) {
  u32 levels = 0;
  while (fractal_cells(shape, levels + 1) <= 300000 && embedded_cells(shape, levels + 1) <= 1 << 21) ++levels;
  return std::min(levels, 10u);
}

}  // namespace

bool names_automaton(const std::string& text) {
  const std::string name = name_of(text);
  const auto& known = list_fractals();
  return name == kFileName || std::any_of(known.begin(), known.end(), [&](const Fractal& f) { return f.name == name; });
}

AutomatonSpec automaton_from(const std::string& text) {
  const std::string name = name_of(text);
  const Settings given = settings_in(text, name);
  const auto value = [&](const char* key) {
    const auto at = std::find_if(given.begin(), given.end(), [&](const auto& g) { return g.first == key; });
    return at == given.end() ? nullptr : &at->second;
  };
  AutomatonSpec spec;
  const std::string* file = value("file");
  if ((name == kFileName) != (file != nullptr)) {
    throw ConfigError(name == kFileName ? "scene fractal needs a file, as in fractal:file=my.toml,r=5."
                                        : fmt::format("scene {} takes no file; use fractal:file={}.", name, *file));
  }
  if (file != nullptr && !file->ends_with(".toml") && file->find('/') == std::string::npos) {
    throw ConfigError(fmt::format("scene fractal: file={} must be a .toml file.", *file));
  }
  spec.fractal = open_fractal(file != nullptr ? *file : name);
  spec.levels = default_levels(spec.fractal.shape);
  if (const auto* r = value("r")) spec.levels = number<u32>(name, "r", *r, "an integer number of levels");
  if (const auto* rule = value("rule")) spec.rule = life_rule_from(*rule);
  if (const auto* d = value("density")) spec.density = number<double>(name, "density", *d, "a number from 0 to 1");
  if (const auto* seed = value("seed")) spec.seed = number<u64>(name, "seed", *seed, "an integer");
  if (const auto* storage = value("storage")) spec.storage = cell_storage_from(*storage);
  if (const auto* placement = value("placement")) spec.work.placement = placement_from(*placement);
  return spec;
}

}  // namespace tri
