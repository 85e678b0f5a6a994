// Parses the TOML description of a fractal.

#include <fmt/format.h>
#include <toml++/toml.h>

#include <array>
#include <initializer_list>

#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/io/files/text_fault.hpp"

namespace tri {
namespace {

constexpr std::array<const char*, 4> kFileKeys{"title", "dimensions", "scale", "table"};

class TableReader {
 public:
  TableReader(const toml::table& root, const std::string& path) : root_(root), path_(path) {}

  Fractal fractal() const {
    for (const auto& [key, node] : root_) {
      const std::string name(key.str());
      bool known = false;
      for (const char* k : kFileKeys) known = known || name == k;
      if (!known) fail(node, unknown_name("key", name, kFileKeys));
    }
    const u32 dimensions = number("dimensions", 2, 3, u32{2});
    const u32 scale = number("scale", 2, dimensions == 2 ? 8 : 4);
    const std::vector<FractalCell> table = positions(dimensions, scale);
    Fractal result{path_, title(table.size(), scale), {}};
    result.shape = FractalShape(static_cast<u32>(table.size()), scale, dimensions, table.data());
    return result;
  }

 private:
  [[noreturn]] void fail(const toml::node& at, const std::string& what) const {
    throw FileError(fmt::format("{}:{}: {}", path_, at.source().begin.line, what));
  }

  const toml::node& required(const char* key) const {
    const toml::node* node = root_.get(key);
    if (node == nullptr) {
      throw FileError(
          fmt::format("{}: the key {} is missing; a fractal has scale = s and table = [[x, y], ...].", path_, key));
    }
    return *node;
  }

  u32 number(const char* key, u32 low, u32 high, std::optional<u32> fallback = std::nullopt) const {
    if (fallback && !root_.contains(key)) return *fallback;
    return number_of(required(key), key, low, high);
  }

  u32 number_of(const toml::node& node, const std::string& what, u32 low, u32 high) const {
    const auto value = node.value_exact<i64>();
    if (!value || *value < low || *value > high) {
      fail(node, fmt::format("{} must be an integer from {} to {}.", what, low, high));
    }
    return static_cast<u32>(*value);
  }

  std::vector<FractalCell> positions(u32 dimensions, u32 scale) const {
    const toml::node& node = required("table");
    const std::string form = dimensions == 2 ? "[column, row]" : "[column, row, layer]";
    const toml::array* rows = node.as_array();
    if (rows == nullptr || rows->empty()) fail(node, fmt::format("table must be a list of positions {}.", form));
    std::vector<FractalCell> table;
    for (const toml::node& row : *rows) {
      const toml::array* position = row.as_array();
      if (position == nullptr || position->size() != dimensions) {
        fail(row, fmt::format("each position in the table must be {} in {} dimensions.", form, dimensions));
      }
      u32 at[3] = {};
      for (u32 d = 0; d < dimensions; ++d) {
        at[d] = number_of(*position->get(d), "a coordinate in the table", 0, scale - 1);
      }
      const FractalCell cell{at[0], at[1], at[2]};
      for (const FractalCell& other : table) {
        if (other == cell) fail(row, "this position is in the table twice; remove one.");
      }
      table.push_back(cell);
    }
    return table;
  }

  std::string title(std::size_t replicas, u32 scale) const {
    const toml::node* node = root_.get("title");
    if (node == nullptr) return fmt::format("fractal F({}, {})", replicas, scale);
    const auto text = node->value_exact<std::string>();
    if (!text) fail(*node, "title must be a string in quotes.");
    return *text;
  }

  const toml::table& root_;
  const std::string& path_;
};

}  // namespace

Fractal fractal_from_text(std::string_view text, const std::string& path) {
  if (const auto fault = io::toml_fault(text)) {
    throw FileError(fmt::format("{}:{}: it has {}. A fractal has scale = s and table = [[x, y], ...].", path,
                                fault->line, fault->what));
  }
  toml::table root;
  try {
    root = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw FileError(fmt::format("{}:{}: {}. Correct the line; a fractal's file is TOML.", path,
                                error.source().begin.line, error.description()));
  }
  return TableReader(root, path).fractal();
}

}  // namespace tri
