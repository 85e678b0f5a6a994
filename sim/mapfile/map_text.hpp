#pragma once
/// Reads the TOML of a map file. Internal to the room.

#include <string>
#include <string_view>

#include "sim/mapfile/map_file.hpp"

namespace tri::mapfile {

/// Throws FileError and ConfigError as MapFile::from_text().
MapText map_text_of(std::string_view text, const std::string& path);

}  // namespace tri::mapfile
