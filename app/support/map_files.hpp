#pragma once
/// Map files on the command line (sim/mapfile).

#include <string>
#include <string_view>
#include <vector>

#include "sim/mapfile/add_map.hpp"

namespace tri::app {

/// Whether a word of --map is a file: it ends in .toml or as C++ does, or has a '/'.
bool is_map_file(std::string_view word);

/// Opens a map file, makes it one of the maps, and returns its name. Throws FileError and ConfigError.
std::string open_map(const std::string& path);

/// "a,b.toml": names of maps, with each file opened and in its place its name.
std::vector<std::string> map_list(std::string_view option, std::string_view text);
/// The same of files alone.
std::vector<std::string> map_file_list(std::string_view option, std::string_view text);

}  // namespace tri::app
