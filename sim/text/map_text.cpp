// The text of a map file, read into its lines.

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"
#include "sim/files/text.hpp"
#include "sim/text/map_file.hpp"
#include "sim/text/map_program.hpp"

namespace tri::mapfile {
namespace {

constexpr const char* kKeys[] = {"name", "domain", "formula", "source", "limit",
                                 "once", "passes", "launch",  "tile",   "tables"};
constexpr const char* kDomains[] = {"pairs", "triples", "gasket"};
constexpr std::size_t kMaxName = 32, kMaxLine = 200, kMaxSpaces = 1000;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Reader {
 public:
  Reader(const toml::table& root, std::string_view text, const std::string& path)
      : root_(root), text_(text), path_(path) {}

  MapText run() {
    for (const auto& [key, node] : root_) {
      const std::string name(key.str());
      if (std::find(std::begin(kKeys), std::end(kKeys), name) == std::end(kKeys)) {
        fail(node, unknown_name("key", name, kKeys));
      }
    }
    MapText map;
    map.path = path_, map.file = std::string(text_);
    map.name = name();
    map.domain = domain();
    map.formula = line("formula", "as typed");
    map.source = line("source", path_);
    map.limit = limit(map.domain);
    tables_ = tables();
    once(map);
    launches(map);
    tile(map);
    return map;
  }

 private:
  [[noreturn]] void fail(const toml::node& at, const std::string& what) const {
    throw FileError(fmt::format("{}:{}: {}", path_, at.source().begin.line, what));
  }

  const toml::node& required(const char* key) const {
    if (const toml::node* node = root_.get(key)) return *node;
    throw FileError(fmt::format("{}: the key {} is missing; a map has name, domain, launch and tile.", path_, key));
  }

  std::string string_of(const toml::node& node, const std::string& what) const {
    const auto value = node.value_exact<std::string>();
    if (!value) fail(node, what + " must be a string in quotes.");
    return *value;
  }

  std::string name() const {
    const toml::node& node = required("name");
    std::string name = string_of(node, "name");
    const bool plain =
        std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-'; });
    if (name.empty() || name.size() > kMaxName || !plain || name.front() == '-' || name == "all") {
      fail(node, fmt::format("name must be 1 to {} small letters, digits and '-', and not 'all'.", kMaxName));
    }
    return name;
  }

  Domain domain() const {
    const toml::node& node = required("domain");
    const std::string value = string_of(node, "domain");
    const auto at = std::find(std::begin(kDomains), std::end(kDomains), value);
    if (at == std::end(kDomains)) fail(node, unknown_name("domain", value, kDomains));
    return static_cast<Domain>(at - std::begin(kDomains));
  }

  /// A text for lists.
  std::string line(const char* key, const std::string& usual) const {
    const toml::node* node = root_.get(key);
    if (node == nullptr) return usual;
    std::string value = string_of(*node, key);
    const bool shown = std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (value.empty() || value.size() > kMaxLine || !shown) {
      fail(*node, fmt::format("{} must be one line of 1 to {} ASCII characters.", key, kMaxLine));
    }
    return value;
  }

  u64 limit(Domain domain) const {
    const toml::node* node = root_.get("limit");
    if (node == nullptr) return 0;
    const u64 most = domain == Domain::tetrahedron ? kExactTetraSide : kExactTriangleSide;
    const auto value = node->value_exact<i64>();
    if (!value || *value < 1 || static_cast<u64>(*value) > most) {
      fail(*node, fmt::format("limit must be an integer from 1 to {}.", most));
    }
    return static_cast<u64>(*value);
  }

  std::shared_ptr<const std::vector<Table>> tables() const {
    auto all = std::make_shared<std::vector<Table>>();
    const toml::node* node = root_.get("tables");
    if (node == nullptr) return all;
    const toml::table* rows = node->as_table();
    if (rows == nullptr) fail(*node, "tables must be a table: [tables], then NAME = [1, 2, 3] in lines of their own.");
    std::size_t entries = 0;
    for (const auto& [key, row] : *rows) {
      Table table{std::string(key.str()), {}};
      const bool word = !table.name.empty() && table.name.size() <= kMaxName && is_letter(table.name.front()) &&
                        std::all_of(table.name.begin(), table.name.end(),
                                    [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
      if (!word) fail(row, fmt::format("a table's name is 1 to {} letters, digits and '_', a letter first.", kMaxName));
      const toml::array* values = row.as_array();
      if (values == nullptr || values->empty()) fail(row, fmt::format("{} must be a list of integers.", table.name));
      entries += values->size();
      if (entries > kMaxTableEntries)
        fail(row, fmt::format("tables have at most {} entries together.", kMaxTableEntries));
      for (const toml::node& value : *values) {
        const auto number = value.value_exact<i64>();
        if (!number) fail(value, fmt::format("the entries of {} must be integers.", table.name));
        table.values.push_back(*number);
      }
      all->push_back(std::move(table));
    }
    return all;
  }

  /// The text of a node with empty lines and blanks before it, so that lines and columns are those of the file. A
  /// string with escapes, whose characters are not those of the file, keeps its line only.
  FileText placed(const toml::node& node, const std::string& what) const {
    const std::string value = string_of(node, what);
    std::size_t at = 0;
    for (u32 l = 1; l < node.source().begin.line && at < text_.size(); ++l) at = text_.find('\n', at) + 1;
    at = std::min(text_.size(), at + (node.source().begin.column > 0 ? node.source().begin.column - 1 : 0));
    const std::size_t found = text_.find(value, at);
    const std::size_t begin = found != std::string_view::npos && found <= at + 8 ? found : at;
    FileText text{"map file " + path_, {}};
    text.text.assign(
        static_cast<std::size_t>(std::count(text_.begin(), text_.begin() + static_cast<long>(begin), '\n')), '\n');
    const std::size_t start = begin == 0 ? std::string_view::npos : text_.rfind('\n', begin - 1);
    const std::size_t spaces = start == std::string_view::npos ? begin : begin - start - 1;
    text.text += std::string(std::min(spaces, kMaxSpaces), ' ') + value;
    return text;
  }

  void once(MapText& map) {
    const toml::node* node = root_.get("once");
    if (node == nullptr) return;
    Compiled compiled = compile(placed(*node, "once"), {{"m"}, {}, false, true, tables_});
    map.once = std::move(compiled.program), map.once_names = std::move(compiled.outputs);
  }

  static std::vector<std::string> with_once(std::vector<std::string> inputs, const MapText& map) {
    inputs.insert(inputs.end(), map.once_names.begin(), map.once_names.end());
    return inputs;
  }

  std::vector<Program> grid(const toml::node& node, const MapText& map) const {
    const toml::array* sides = node.as_array();
    if (sides == nullptr || sides->empty() || sides->size() > 3) {
      fail(node, "a launch must be a list of one to three expressions: its positions along x, y and z.");
    }
    const Interface interface { with_once({"m", "pass"}, map), {}, false, false, tables_ };
    std::vector<Program> all;
    for (const toml::node& side : *sides) {
      all.push_back(compile_expression(placed(side, "a side of a launch"), interface));
    }
    return all;
  }

  void launches(MapText& map) const {
    const toml::node& node = required("launch");
    const toml::array* list = node.as_array();
    if (list != nullptr && !list->empty() && list->get(0)->is_array()) {
      if (list->size() > kMaxPasses) fail(node, fmt::format("there are at most {} launches.", kMaxPasses));
      for (const toml::node& one : *list) map.launch.push_back(grid(one, map));
    } else {
      map.launch.push_back(grid(node, map));
    }
    const toml::node* passes = root_.get("passes");
    if (passes == nullptr) return;
    if (map.launch.size() != 1) fail(*passes, "passes repeats one launch, and here are several; leave it out.");
    map.passes = compile_expression(placed(*passes, "passes"), {with_once({"m"}, map), {}, false, false, tables_});
  }

  void tile(MapText& map) const {
    Interface interface { with_once({"x", "y", "z", "pass", "w", "m"}, map), {"row", "col"}, true, false, tables_ };
    if (map.domain == Domain::tetrahedron) interface.outputs.emplace_back("layer");
    map.tile = compile(placed(required("tile"), "tile"), interface).program;
  }

  const toml::table& root_;
  std::string_view text_;
  const std::string& path_;
  std::shared_ptr<const std::vector<Table>> tables_;
};

}  // namespace

MapText map_text_of(std::string_view text, const std::string& path) {
  if (text.size() > kMaxFile) {
    throw FileError(fmt::format("{} is larger than {} KiB, so it is no map.", path, kMaxFile >> 10));
  }
  if (const auto fault = io::toml_fault(text)) {
    throw FileError(
        fmt::format("{}:{}: it has {}. A map has name, domain, launch and tile.", path, fault->line, fault->what));
  }
  toml::table root;
  try {
    root = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw FileError(fmt::format("{}:{}: {}. Correct the line; a map's file is TOML.", path, error.source().begin.line,
                                error.description()));
  }
  return Reader(root, text, path).run();
}

}  // namespace tri::mapfile
