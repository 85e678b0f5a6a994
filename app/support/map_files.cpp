#include "app/support/map_files.hpp"

#include <fmt/format.h>

#include "app/support/option_values.hpp"
#include "sim/backend_ranks.hpp"
#include "sim/base/error.hpp"
#include "sim/mapfile/map_file.hpp"

namespace tri::app {

bool is_map_file(std::string_view word) {
  return word.ends_with(".toml") || word.find('/') != std::string_view::npos || mapfile::is_cpp_map(word);
}

std::string open_map(const std::string& path) {
  if (has_ranks()) {
    throw ConfigError(fmt::format("{}: ranks of a launcher have the built-in maps alone; start one process.", path));
  }
  return mapfile::add_map(mapfile::MapFile::open(path)).name;
}

std::vector<std::string> map_list(std::string_view option, std::string_view text) {
  std::vector<std::string> words = name_list(option, text);
  for (std::string& word : words) {
    if (is_map_file(word)) word = open_map(word);
  }
  return words;
}

std::vector<std::string> map_file_list(std::string_view option, std::string_view text) {
  std::vector<std::string> words = name_list(option, text);
  for (std::string& word : words) word = open_map(word);
  return words;
}

}  // namespace tri::app
