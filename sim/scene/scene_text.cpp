#include "sim/scene/scene_text.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"
#include "sim/io/files/atomic_file.hpp"
#include "sim/io/files/text_fault.hpp"

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
      const bool twice = std::any_of(to.begin(), to.end(), [&](const Setting& s) { return s.key == name; });
      if (twice) fail(node, fmt::format("{} is given twice, by itself and in brackets; keep one", name));
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
    const auto is = [](const char* name) { return [name](const Setting& s) { return s.key == name; }; };
    const auto energy = std::find_if(lines.begin(), lines.end(), is("energy"));
    if (energy == lines.end()) {
      fail(*node, fmt::format("[{}] needs energy = \"EXPRESSION\", as in energy = \"-mi*mj/r\"", key));
    }
    std::string text = fmt::format("energy = {}", energy->value);
    for (const Setting& s : lines) {
      if (s.key == "energy") continue;
      const bool flag = s.key == "shifted" && (s.value == "true" || s.value == "false");
      text += fmt::format("\n{} = {}", s.key, flag ? (s.value == "true" ? "1" : "0") : s.value);
    }
    const auto named = std::find_if(scene_.physics.begin(), scene_.physics.end(), is(physics));
    if (named != scene_.physics.end() && named->value != "typed") {
      fail(*node, fmt::format("[{}] is the law, and {} = \"{}\" names another; leave one of them out", key, physics,
                              named->value));
    }
    if (named != scene_.physics.end()) scene_.physics.erase(named);
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
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (name != "name" && name != "generator" && name != "bodies" && name != "names") add(part.settings, name, node);
    }
    scene_.parts.push_back(std::move(part));
  }

  const std::string& path_;
  SceneText scene_;
};

}  // namespace

SceneText parse_scene(std::string_view text, const std::string& path) { return Parser(path).parse(text); }

SceneText read_scene_text(const std::string& path) {
  io::InputFile file(path, io::Accepts::files);
  std::string text(kMaxBytes + 1, '\0');
  text.resize(file.read(text.data(), text.size()));
  if (text.size() > kMaxBytes) {
    throw FileError(
        fmt::format("'{}' is larger than 16 MiB; keep bodies in a separate file and name it: generator = \"file\", "
                    "path = \"bodies.csv\".",
                    path));
  }
  return parse_scene(text, path);
}

}  // namespace tri::scene
