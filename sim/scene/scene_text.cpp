/// Scenes as TOML, and their parts.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"
#include "sim/files/file.hpp"
#include "sim/files/text.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/integrator.hpp"
#include "sim/scene/generators.hpp"
#include "sim/scene/scene.hpp"

namespace tri::scene {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
constexpr const char* kScalar = "a number, a string in quotes, true, false, or three numbers in brackets";

class Parser {
 public:
  explicit Parser(const std::string& path) : path_(path) { scene_.path = path; }

  SceneText parse(std::string_view text) {
    if (const auto fault = io::toml_fault(text)) {
      throw FileError(fmt::format("'{}', line {}: it has {}. See docs/scenes.md for the format of a scene.", path_,
                                  fault->line, fault->what));
    }
    toml::table table;
    try {
      table = toml::parse(text, std::string_view(path_));
    } catch (const toml::parse_error& error) {
      throw FileError(fmt::format("{}: this is not TOML: {}. See docs/scenes.md for the format of a scene.",
                                  place(error.source()), std::string(error.description())));
    }
    check_keys(table, "a scene",
               {"title", "units", "integrator", "eta", "precision", "generator", "bodies", "names", "parameters",
                "part", "physics", "law", "triple-law", "orbit", "view"});
    scene_.title = required_text(table, "title", "\"a sentence that describes the scene\"");
    if (const toml::node* units = table.get("units")) scene_.units = text_of("units", *units);
    for (const char* key : {"integrator", "eta", "precision"}) {
      if (const toml::node* node = table.get(key)) add(scene_.run, key, *node);
    }
    read_table(table, "parameters", scene_.parameters);
    read_table(table, "physics", scene_.physics);
    read_law(table, "law", "pair");
    read_law(table, "triple-law", "triple");
    read_table(table, "orbit", scene_.orbit);
    read_table(table, "view", scene_.view);
    read_parts(table);
    return std::move(scene_);
  }

 private:
  std::string place(const toml::source_region& source) const {
    return fmt::format("'{}', line {}", path_, source.begin.line);
  }
  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    throw FileError(fmt::format("{}: {}.", place(node.source()), what));
  }

  void check_keys(const toml::table& table, const char* where, std::initializer_list<std::string_view> names) const {
    for (const auto& [key, node] : table) {
      if (std::find(names.begin(), names.end(), key.str()) != names.end()) continue;
      const std::vector<std::string_view> all(names);
      throw FileError(
          fmt::format("{}: {}", place(node.source()), unknown_name(fmt::format("key of {}", where), key.str(), all)));
    }
  }

  std::string text_of(std::string_view key, const toml::node& node) const {
    const auto text = node.value_exact<std::string>();
    if (!text || text->empty()) fail(node, fmt::format("{} must be a string in quotes", key));
    return *text;
  }

  std::string required_text(const toml::table& table, std::string_view key, const char* example) const {
    const toml::node* node = table.get(key);
    if (node != nullptr) return text_of(key, *node);
    throw FileError(fmt::format("'{}': {} is missing; add {} = {}.", path_, key, key, example));
  }

  double number(std::string_view key, const toml::node& node) const {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value) fail(node, fmt::format("{} must be {}", key, kScalar));
    if (!std::isfinite(*value)) fail(node, fmt::format("{} holds a number that is not finite", key));
    return *value;
  }

  void add(std::vector<Setting>& to, const std::string& key, const toml::node& node) const {
    const std::string where = place(node.source());
    const auto put = [&](const std::string& name, const std::string& value) {
      if (find_setting(to, name) != nullptr)
        fail(node, fmt::format("{} is given twice, by itself and in brackets; keep one", name));
      to.push_back({name, value, where});
    };
    if (const auto text = node.value_exact<std::string>()) {
      put(key, *text);
    } else if (const auto flag = node.value_exact<bool>()) {
      put(key, *flag ? "true" : "false");
    } else if (const auto integer = node.value_exact<i64>()) {
      put(key, fmt::format("{}", *integer));
    } else if (const toml::array* array = node.as_array(); array != nullptr && array->size() == 3) {
      for (std::size_t a = 0; a < 3; ++a) {
        put(fmt::format("{}-{}", key, "xyz"[a]), fmt::format("{}", number(key, (*array)[a])));
      }
    } else {
      put(key, fmt::format("{}", number(key, node)));
    }
  }

  void read_table(const toml::table& table, std::string_view key, std::vector<Setting>& to) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    if (!node->is_table()) fail(*node, fmt::format("{0} must be a table; write [{0}] on a separate line", key));
    for (const auto& [name, value] : *node->as_table()) add(to, std::string(name.str()), value);
  }

  /// A typed law: its energy, and a line for each other key. It becomes the text of the law in [physics].
  void read_law(const toml::table& table, std::string_view key, const char* physics) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    std::vector<Setting> lines;
    read_table(table, key, lines);
    const Setting* const energy = find_setting(lines, "energy");
    if (energy == nullptr) {
      fail(*node, fmt::format("[{}] needs energy = \"EXPRESSION\", as in energy = \"-mi*mj/r\"", key));
    }
    std::string text = fmt::format("energy = {}", energy->value);
    for (const Setting& s : lines) {
      if (s.key == "energy") continue;
      const bool flag = s.key == "shifted" && (s.value == "true" || s.value == "false");
      text += fmt::format("\n{} = {}", s.key, flag ? (s.value == "true" ? "1" : "0") : s.value);
    }
    const Setting* const named = find_setting(scene_.physics, physics);
    if (named != nullptr && named->value != "typed") {
      fail(*node, fmt::format("[{}] is the law, and {} = \"{}\" names another; leave one of them out", key, physics,
                              named->value));
    }
    std::erase_if(scene_.physics, [&](const Setting& s) { return s.key == physics; });
    scene_.physics.push_back({physics, text, place(node->source())});
  }

  Bodies bodies_of(const toml::node& node) const {
    constexpr const char* kRow = "a row of bodies is [m, x, y, z, vx, vy, vz] or [m, x, y, z, vx, vy, vz, r]";
    const toml::array* rows = node.as_array();
    if (rows == nullptr || rows->empty()) fail(node, fmt::format("bodies must be a list of rows; {}", kRow));
    Bodies bodies;
    for (const toml::node& row : *rows) {
      const toml::array* values = row.as_array();
      if (values == nullptr || (values->size() != 7 && values->size() != 8)) fail(row, kRow);
      double v[8] = {};
      for (std::size_t c = 0; c < values->size(); ++c) v[c] = number("bodies", (*values)[c]);
      if (v[0] < 0 || v[7] < 0) fail(row, "a mass and a radius are 0 or more");
      bodies.add(v[1], v[2], v[3], v[4], v[5], v[6], v[0], v[7]);
    }
    return bodies;
  }

  std::vector<std::string> names_of(const toml::node& node, std::size_t bodies) const {
    const toml::array* list = node.as_array();
    if (list == nullptr || list->size() != bodies) {
      fail(node, fmt::format("names must be a list of texts, one for each of the {} bodies listed", bodies));
    }
    std::vector<std::string> names;
    for (const toml::node& name : *list) names.push_back(text_of("a name", name));
    return names;
  }

  PartText part_of(const toml::table& table) const {
    PartText part;
    const toml::node* bodies = table.get("bodies");
    const toml::node* generator = table.get("generator");
    if (bodies != nullptr) part.listed = bodies_of(*bodies);
    if (const toml::node* names = table.get("names")) part.names = names_of(*names, part.listed.size());
    if (generator == nullptr && bodies == nullptr) {
      throw FileError(
          fmt::format("{}: generator is missing; add generator = \"NAME\" (triangulum list generators), "
                      "or list the bodies: bodies = [[m, x, y, z, vx, vy, vz]].",
                      place(table.source())));
    }
    part.generator = generator == nullptr ? "bodies" : text_of("generator", *generator);
    part.place = place((generator == nullptr ? bodies : generator)->source());
    if (bodies != nullptr && part.generator != "bodies") {
      fail(*bodies, fmt::format("a list of bodies excludes generator = \"{}\"; keep one of the two", part.generator));
    }
    return part;
  }

  void read_parts(const toml::table& table) {
    const toml::node* parts = table.get("part");
    if (parts == nullptr) {
      scene_.parts.push_back(part_of(table));
      return;
    }
    for (const char* key : {"generator", "bodies", "names"}) {
      if (const toml::node* node = table.get(key)) {
        fail(*node, fmt::format("{} is not allowed next to [[part]]; move it into a part", key));
      }
    }
    const toml::array* list = parts->as_array();
    if (list == nullptr || list->empty()) fail(*parts, "part must be tables; write [[part]] on a separate line");
    scene_.several = true;
    for (const toml::node& node : *list) {
      if (!node.is_table()) fail(node, "part must be tables; write [[part]] on a separate line");
      read_part(*node.as_table());
    }
  }

  void read_part(const toml::table& table) {
    PartText part = part_of(table);
    part.name = required_text(table, "name", "\"...\" to each [[part]]");
    const auto allowed = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; };
    if (!std::all_of(part.name.begin(), part.name.end(), allowed)) {
      fail(*table.get("name"), fmt::format("the name '{}' must be letters, digits, - and _", part.name));
    }
    for (const PartText& other : scene_.parts) {
      if (other.name == part.name) {
        fail(*table.get("name"), fmt::format("another part is named '{}'; use different names", part.name));
      }
    }
    if (const toml::node* title = table.get("title")) part.title = text_of("title", *title);
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      const char* const own[] = {"name", "title", "generator", "bodies", "names"};
      if (std::find(std::begin(own), std::end(own), name) == std::end(own)) add(part.settings, name, node);
    }
    scene_.parts.push_back(std::move(part));
  }

  const std::string& path_;
  SceneText scene_;
};

}  // namespace

SceneText parse_scene(std::string_view text, const std::string& path) { return Parser(path).parse(text); }

SceneText read_scene_text(const std::string& path) {
  const std::string text = io::read_text(path, kMaxBytes);
  if (text.size() > kMaxBytes) {
    throw FileError(
        fmt::format("'{}' is larger than 16 MiB; keep bodies in a separate file and name it: generator = \"file\", "
                    "path = \"bodies.csv\".",
                    path));
  }
  return parse_scene(text, path);
}

// Routing of a scene's keys: PART.KEY to a part, orbit.KEY to the orbit, a bare KEY to every part whose generator
// takes it, and to the physics that the text sets. Parts without a seed get consecutive ones from the scene's seed, so
// that two galaxies of the same kind differ.

namespace {

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void put(std::vector<Setting>& to, const Setting& setting) {
  const auto at = std::find_if(to.begin(), to.end(), [&](const Setting& s) { return s.key == setting.key; });
  if (at == to.end()) {
    to.push_back(setting);
  } else {
    *at = setting;
  }
}

bool is_placement(std::string_view key) {
  const auto names = placement_keys();
  return std::find(names.begin(), names.end(), key) != names.end();
}

constexpr std::string_view kAuto = "auto";  ///< the dt of automatic steps

bool is_of_run(std::string_view key) { return key == "integrator" || key == "eta" || key == "precision"; }

/// The settings of a scene by destination.
struct Routes {
  std::vector<std::vector<Setting>> parts;   ///< for each part's generator
  std::vector<std::vector<Setting>> placed;  ///< for each part's placement
  std::vector<Setting> physics, orbit, units;
  const UnitSystem* system = nullptr;  ///< of the scene; nullptr: none is named
  std::vector<Setting> run;            ///< integrator, eta, precision, and dt where that is automatic
  bool fixed = false;                  ///< dt was given as a number
};

/// Routes a setting to its destinations; false if there is none.
bool route(const SceneText& text, const std::vector<std::vector<std::string>>& keys, const Setting& s, Routes& to) {
  if (s.key == "units") return put(to.units, s), true;
  if (is_of_run(s.key)) return put(to.run, s), true;
  if (s.key == "dt") {
    // A number from the command line is in place of what the text says of automatic steps.
    const bool typed = s.place.empty() && s.value != kAuto;
    std::erase_if(to.run, [&](const Setting& other) { return other.key == "dt" || (typed && other.key == "eta"); });
    if (s.value == kAuto) return put(to.run, s), true;
    to.fixed = true;  // until it is "auto"
  }
  if (find_setting(text.physics, s.key) != nullptr) return put(to.physics, s), true;
  const std::size_t dot = s.key.find('.');
  const std::string head = s.key.substr(0, dot);
  if (dot == std::string::npos) {
    bool routed = false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (has_name(keys[i], s.key)) put(to.parts[i], s), routed = true;
    }
    return routed;
  }
  const Setting rest{s.key.substr(dot + 1), s.value, s.place};
  if (head == "orbit" && !text.orbit.empty()) return put(to.orbit, rest), true;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (text.parts[i].name != head || !text.several) continue;
    if (is_placement(rest.key)) return put(to.placed[i], rest), true;
    if (has_name(keys[i], rest.key)) return put(to.parts[i], rest), true;
  }
  return false;
}

std::vector<std::vector<std::string>> part_keys(const SceneText& text, const FindGenerator& find) {
  std::vector<std::vector<std::string>> keys;
  for (const PartText& part : text.parts) keys.push_back(key_names(find(part).info.keys));
  return keys;
}

/// Consecutive seeds for parts that have none. An invalid seed is reported later.
void set_seeds(const SceneText& text, const std::vector<Setting>& given, Routes& routes) {
  const Setting* base = find_setting(given, "seed");
  if (base == nullptr) base = find_setting(text.parameters, "seed");
  u64 seed = 42;
  if (base != nullptr) {
    const char* const last = base->value.data() + base->value.size();
    if (std::from_chars(base->value.data(), last, seed).ptr != last) return;
  }
  for (std::size_t i = 1; i < routes.parts.size(); ++i) {
    const bool own = find_setting(text.parts[i].settings, "seed") != nullptr ||
                     find_setting(given, text.parts[i].name + ".seed") != nullptr;
    if (!own) put(routes.parts[i], {"seed", fmt::format("{}", seed + i), base == nullptr ? "" : base->place});
  }
}

Routes route_all(const SceneText& text, const std::vector<Setting>& given, const std::string& name,
                 const FindGenerator& find) {
  const auto keys = part_keys(text, find);
  Routes routes;
  routes.parts.resize(text.parts.size()), routes.placed.resize(text.parts.size());
  routes.physics = text.physics, routes.orbit = text.orbit, routes.run = text.run;
  refuse_both(name, text.parameters, text.physics);
  for (const PartText& part : text.parts) refuse_both(name, part.settings, text.physics);
  for (const Setting& s : text.parameters) {
    if (!route(text, keys, s, routes)) {
      std::vector<std::string> all;
      for (const auto& k : keys) all.insert(all.end(), k.begin(), k.end());
      fail_setting(name, s, unknown_name("key of parameters", s.key, all));
    }
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    // The generator refuses keys that it does not know.
    for (const Setting& s : text.parts[i].settings) put(is_placement(s.key) ? routes.placed[i] : routes.parts[i], s);
  }
  for (const Setting& s : given) {
    if (!route(text, keys, s, routes)) {
      throw ConfigError(unknown_name("key of scene " + name, s.key, key_names(keys_of(text, find))));
    }
  }
  if (text.several) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!has_name(keys[i], "seed")) return routes;
    }
    set_seeds(text, given, routes);
  }
  return routes;
}

Scene make_part(const SceneText& text, std::size_t i, const Routes& routes, const std::string& name,
                const FindGenerator& find) {
  const PartText& part = text.parts[i];
  SceneKeys keys(text.several ? name + "." + part.name : name, routes.parts[i]);
  if (part.listed.size() > 0) keys.listed = &part.listed;
  keys.folder = std::filesystem::path(text.path).parent_path().string();
  keys.units = routes.system;
  Scene scene = find(part).make(keys);
  scale_bodies(scene.bodies, keys.mass, keys.length);
  scene.pace = keys.time;  // until set_view()
  if (!text.several) return scene;
  const auto replaces_cell = [](const Setting& s) {
    return (s.key == "walls" && s.value != "periodic") || s.key.starts_with("low-") || s.key.starts_with("high-");
  };
  const bool cell = scene.field.box.boundary == Boundary::periodic &&
                    std::none_of(routes.physics.begin(), routes.physics.end(), replaces_cell);
  const u32 group = place_part(scene.bodies, name + "." + part.name, routes.placed[i], static_cast<u32>(i), cell);
  scene.groups.assign(group + 1, "");
  scene.groups[group] = part.title.empty() ? part.name : part.title;
  return scene;
}

/// The names of both; a group of several parts has the names of all.
void join_groups(std::vector<std::string>& names, const std::vector<std::string>& more) {
  names.resize(std::max(names.size(), more.size()));
  for (std::size_t k = 0; k < more.size(); ++k) {
    if (!more[k].empty()) names[k] += (names[k].empty() ? "" : ", ") + more[k];
  }
}

/// Whether a file gives one part a periodic cell that the other has not.
bool same_cell(const Box& a, const Box& b) {
  if (a.boundary != Boundary::periodic && b.boundary != Boundary::periodic) return true;
  return a.boundary == b.boundary && a.low == b.low && a.high == b.high;
}

/// Throws unless part i has the laws of the first, after what holds for all. Softenings that nobody gave may differ.
void check_same_laws(const SceneText& text, std::size_t i, const Routes& routes, const std::string& name,
                     const std::vector<GivenParameter>& options, const ForceField& first, const ForceField& other) {
  const bool alike = first.pair == other.pair && first.triple == other.triple;
  ForceField one = first, two = other;
  for (ForceField* field : {&one, &two}) {
    if (alike) apply_physics(*field, name, routes.physics), set_parameters(*field, options);
  }
  const std::string parameter = other_parameter(one, two);
  const bool given = find_setting(routes.parts[0], "eps") != nullptr || find_setting(routes.parts[i], "eps") != nullptr;
  const bool cell = find_setting(routes.physics, "walls") == nullptr && !same_cell(first.box, other.box);
  const char* what = !alike                                                        ? "another law"
                     : first.gravity.G != other.gravity.G                          ? "another G"
                     : given && first.gravity.softening != other.gravity.softening ? "another eps"
                     : !parameter.empty()                                          ? parameter.c_str()
                     : cell                                                        ? "another periodic cell"
                                                                                   : nullptr;
  if (what == nullptr) return;
  throw FileError(
      fmt::format("{}: part '{}' has {} than part '{}', but all bodies of a scene interact; give both the same (under "
                  "[parameters] it applies to every part).",
                  text.parts[i].place, text.parts[i].name, what, text.parts[0].name));
}

Scene join_parts(const SceneText& text, const Routes& routes, const std::string& name, const FindGenerator& find,
                 const std::vector<GivenParameter>& options) {
  std::vector<Scene> parts;
  for (std::size_t i = 0; i < text.parts.size(); ++i) {
    parts.push_back(make_part(text, i, routes, name, find));
    if (i > 0) check_same_laws(text, i, routes, name, options, parts[0].field, parts[i].field);
  }
  if (!text.orbit.empty()) {
    if (parts.size() != 2) {
      throw FileError(fmt::format("{}: an orbit needs two parts, but there are {}; give positions instead.",
                                  text.orbit[0].place, parts.size()));
    }
    for (const std::vector<Setting>& placed : routes.placed) {
      for (const Setting& s : placed) {
        if (!s.key.starts_with("position") && !s.key.starts_with("velocity")) continue;
        fail_setting(name, s,
                     fmt::format("{} has no effect beside [orbit], which places both parts; leave it out.", s.key));
      }
    }
    place_on_orbit(parts[0].bodies, parts[1].bodies, parts[0].field.gravity.G, name, routes.orbit);
  }
  const bool cells = std::any_of(parts.begin(), parts.end(), [](const Scene& part) { return part.cell; });
  Scene scene = std::move(parts[0]);
  scene.cell = cells && parts.size() == 1 && routes.placed[0].empty();
  if (cells && !scene.cell && scene.field.box.boundary == Boundary::open) {
    scene.notes.emplace_back("the cell of a file is left out: its bodies are not alone, or moved.");
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (!scene.names.empty() || !parts[i].names.empty()) {
      scene.names.resize(scene.bodies.size());
      scene.names.insert(scene.names.end(), parts[i].names.begin(), parts[i].names.end());
    }
    append(scene.bodies, parts[i].bodies);
    join_groups(scene.groups, parts[i].groups);
    scene.dt = std::min(scene.dt, parts[i].dt);
    double& softening = scene.field.gravity.softening;
    softening = std::min(softening, parts[i].field.gravity.softening);
    scene.notes.insert(scene.notes.end(), parts[i].notes.begin(), parts[i].notes.end());
  }
  if (!text.orbit.empty()) {
    centre_positions(scene.bodies);
    remove_drift(scene.bodies);
  }
  return scene;
}

/// The system that the key `units` names, or the text; nullptr: neither does. Throws for one that is not that of the
/// numbers in the text.
const UnitSystem* system_of(const SceneText& text, const Routes& routes, const std::string& name) {
  const UnitSystem* own = find_unit_system(text.units);
  if (routes.units.empty()) return own;
  const Setting& given = routes.units[0];
  const UnitSystem* system = find_unit_system(given.value);
  if (system == nullptr) fail_setting(name, given, unknown_units(given.value));
  const auto has_bodies = [](const PartText& p) { return p.generator == "bodies" || p.generator == "file"; };
  const bool fixed = !text.units.empty() && std::any_of(text.parts.begin(), text.parts.end(), has_bodies);
  if (own != system && (own != nullptr || fixed)) {
    fail_setting(
        name, given,
        fmt::format("units = {}, but its numbers are in others ({}); leave the units out.", given.value, text.units));
  }
  return system;
}

/// Scheme, accuracy and precision: the text's, else the generator's.
void set_run(Scene& scene, const std::string& name, const Routes& routes) {
  const std::vector<Setting>& run = routes.run;
  SceneKeys keys(name, run);
  if (const Setting* eta = find_setting(run, "eta"); eta != nullptr && routes.fixed && !keys.has("dt")) {
    fail_setting(name, *eta, "eta is of automatic steps, and dt is a number; leave out one of the two.");
  }
  const Integrator own = scene.integrator;
  scene.integrator = integrator_from(keys.name("integrator", to_string(own), integrator_names()));
  const bool automatic = scene.eta > 0 || keys.has("dt") || keys.has("eta");
  const double usual = scene.eta > 0 && scene.integrator == own ? scene.eta : usual_eta(scene.integrator);
  scene.eta = automatic ? keys.real("eta", usual, kPositive) : 0;
  const std::string precision = keys.name("precision", "any", {"any", "fp32", "fp64"});
  if (precision != "any") scene.precision = from_name<Precision>(precision);
}

/// Refuses a scheme of the text that cannot do this, by the name and place of its key. One that only options chose is
/// left to the simulation, which names them. alone: nothing was given beside the text.
void check_scheme(const Scene& scene, const SceneText& text, const std::string& name, const Routes& routes,
                  bool alone) {
  const bool automatic = scene.eta > 0;
  Setting at{automatic ? "dt" : "integrator", automatic ? std::string(kAuto) : to_string(scene.integrator), ""};
  for (const char* key : {"integrator", "eta", "dt"}) {
    const Setting* const setting = find_setting(routes.run, key);
    if (setting == nullptr || setting->place.empty()) continue;
    if (automatic == (key == std::string_view("integrator"))) {
      at.place = setting->place;  // of steps that a generator made automatic
    } else {
      at = *setting;
    }
  }
  if (at.place.empty() && !alone) return;
  if (at.place.empty()) at.place = text.physics.empty() ? text.parts[0].place : text.physics[0].place;
  const std::string what = fmt::format("{} = {}{}", at.key, at.value, alone ? "" : fmt::format(" ({})", at.place));
  const std::string why =
      scheme_refusal(scene.field, scene.integrator, scene.eta, scene.precision.value_or(Precision::fp64), what);
  if (why.empty()) return;
  if (alone) fail_setting(name, at, why);
  throw ConfigError(why);
}

void set_view(Scene& scene, const std::string& name, const std::vector<Setting>& view) {
  SceneKeys keys(name, view);
  scene.view.shape = keys.name("shape", "", kBodyShapeNames);
  scene.view.colour = keys.name("colour", "", kColourNames);
  scene.view.colours = keys.name("colours", "", kColourMapNames);
  scene.pace *= keys.real("pace-of-time", 0, kPositive);  // of the first part's units
  keys.done();
}

/// Keys of the parts that set a parameter of a law, and nothing of the bodies.
void refuse_idle_parts(const SceneText& text, const Routes& routes, const std::string& name, const ForceField& made,
                       const ForceField& field, bool only_given) {
  for (std::size_t i = 0; i < text.parts.size(); ++i) {
    std::vector<Setting> settings = routes.parts[i];
    const std::string& generator = text.parts[i].generator;
    const bool given_bodies = generator == "bodies" || generator == "file";
    std::erase_if(settings, [&](const Setting& s) {
      const bool moves = s.key == "G" && (!given_bodies || !text.orbit.empty());  // velocities follow from it
      return moves || (s.key == "eps" && generator == "galaxy");
    });
    refuse_idle_keys(made, field, name, settings, only_given);
  }
}

/// Sets the laws. What the text says must act with its own laws, what was given besides with the laws in the end: an
/// option that chooses another law leaves the file's parameters of its law behind.
void set_physics(Scene& scene, const SceneText& text, const Routes& routes, const std::string& name,
                 const FindGenerator& find, const std::vector<GivenParameter>& options) {
  const ForceField made = scene.field;
  ForceField own = made;
  if (!text.physics.empty()) apply_physics(own, name, text.physics);
  refuse_idle(own, name, text.physics, false);
  if (!routes.physics.empty()) apply_physics(scene.field, name, routes.physics);
  set_parameters(scene.field, options);
  refuse_idle(scene.field, name, routes.physics, true);
  for (const std::vector<Setting>& part : routes.parts) refuse_twice(made, name, part, routes.physics, options);
  refuse_idle_parts(text, route_all(text, {}, name, find), name, made, own, false);
  refuse_idle_parts(text, routes, name, made, scene.field, true);
  const std::string box = usual_box(made, scene.field, routes.physics);
  if (!box.empty() && outside_walls(scene.bodies, scene.field.box).empty()) scene.notes.push_back(box);
}

}  // namespace

std::string keys_of(const SceneText& text, const FindGenerator& find) {
  std::vector<std::string> names, pairs;
  const auto add = [&](const std::string& key, const std::string& value) {
    if (has_name(names, key)) return;
    names.push_back(key), pairs.push_back(fmt::format("{}={}", key, value));
  };
  for (const PartText& part : text.parts) {
    const std::string_view keys = find(part).info.keys;
    for (std::size_t at = 0; at < keys.size();) {
      const std::size_t end = std::min(keys.find(", ", at), keys.size());
      const std::string_view pair = keys.substr(at, end - at);
      const std::string key(pair.substr(0, pair.find('=')));
      const Setting* set = text.several ? nullptr : find_setting(part.settings, key);
      if (set == nullptr) set = find_setting(text.parameters, key);
      add(key, set != nullptr ? set->value : std::string(pair.substr(key.size() + 1)));
      at = end + 2;
    }
  }
  for (const PartText& part : text.parts) {
    for (const Setting& s : part.settings) add(fmt::format("{}.{}", part.name, s.key), s.value);
  }
  for (const Setting& s : text.physics) add(s.key, is_law_text(s.value) ? "typed" : s.value);
  for (const Setting& s : text.orbit) add("orbit." + s.key, s.value);
  add("units", find_unit_system(text.units) == nullptr ? "" : text.units);
  const auto of_run = [&](const char* key, const char* fallback) {
    const Setting* set = find_setting(text.run, key);
    add(key, set != nullptr ? set->value : fallback);
  };
  of_run("integrator", "kdk"), of_run("eta", "by integrator"), of_run("precision", "any");
  return fmt::format("{}", fmt::join(pairs, ", "));
}

namespace {

/// build_scene(), where a ConfigError does not say whose fault it is.
Scene built(const SceneText& text, const std::vector<Setting>& given, const std::string& name,
            const FindGenerator& find, const SceneLaws& laws, bool alone) {
  Routes routes = route_all(text, given, name, find);
  if (!laws.pair.empty()) put(routes.physics, {"pair", laws.pair, ""});
  if (!laws.triple.empty()) put(routes.physics, {"triple", laws.triple, ""});
  routes.system = system_of(text, routes, name);
  Scene scene = join_parts(text, routes, name, find, laws.parameters);
  scene.name = name;
  scene.title = text.title;
  if (!text.units.empty()) scene.units = text.units;
  if (!text.units.empty() && routes.system == nullptr && seems_to_name_units(text.units)) {
    scene.notes.push_back(fmt::format("units = {} are no system of Triangulum and set no G{}", text.units,
                                      behind_unknown_units(text.units)));
  }
  if (routes.system != nullptr) scene.units = routes.system->name;
  const auto keys = part_keys(text, find);
  for (const Setting& s : text.parameters) {
    bool known = false, acts = false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (has_name(keys[i], s.key)) known = true, acts |= find_setting(text.parts[i].settings, s.key) == nullptr;
    }
    if (known && !acts) scene.notes.push_back(s.place + ": " + s.key + " has no effect: every part has its own.");
  }
  // Gravity may be switched on, here or later, and is that of the units, which a generator may have chosen.
  const UnitSystem* const system = find_unit_system(scene.units);
  if (system != nullptr && scene.field.pair != PairLaw::gravity) scene.field.gravity.G = system->G;
  set_physics(scene, text, routes, name, find, laws.parameters);
  set_run(scene, name, routes);
  set_view(scene, name, text.view);
  try {
    check(scene.bodies);
    check(scene.field, largest_radius(scene.bodies));
    check_meaning(scene);
    if (text.moves) check_masses(scene);
  } catch (const ConfigError& error) {
    if (!alone || text.physics.empty() || text.physics[0].place.empty()) throw;
    throw FileError(fmt::format("{}: {}", text.physics[0].place, error.what()));
  }
  check_scheme(scene, text, name, routes, alone);
  return scene;
}

}  // namespace

Scene build_scene(const SceneText& text, const std::vector<Setting>& given, const std::string& name,
                  const FindGenerator& find, const SceneLaws& laws) {
  std::vector<Setting> sizes = given;  // which take time, and contradict nothing
  std::erase_if(sizes, [](const Setting& s) { return s.key != "n" && !s.key.ends_with(".n"); });
  const bool alone = given.empty() && laws.pair.empty() && laws.triple.empty() && laws.parameters.empty();
  const auto fail_file = [&](const ConfigError& error) {
    throw FileError(fmt::format("'{}': {}", text.path, error.what()));
  };
  std::exception_ptr fault;
  try {
    return built(text, given, name, find, laws, alone);
  } catch (const ConfigError& error) {
    if (!text.path.ends_with(".toml")) throw;
    if (alone) fail_file(error);
    fault = std::current_exception();
  }
  // What was given is at fault, unless the file is wrong without it, too.
  try {
    built(text, sizes, name, find, {}, true);
  } catch (const ConfigError& error) {
    if (sizes.empty()) fail_file(error);
  } catch (const MemoryError&) {
  }
  std::rethrow_exception(fault);
}

}  // namespace tri::scene
