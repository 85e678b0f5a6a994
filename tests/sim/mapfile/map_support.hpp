#pragma once
/// Map files for tests.

#include <memory>
#include <string>

#include "sim/mapfile/map_file.hpp"

namespace tri::test {

/// A map of pairs, triples or the gasket from its launch and its tile.
inline std::string map_text(const std::string& domain, const std::string& launch, const std::string& tile,
                            const std::string& more = "") {
  static int number = 0;
  return "name = \"test-" + std::to_string(++number) + "\"\ndomain = \"" + domain + "\"\nlaunch = " + launch + "\n" +
         more + "\ntile = \"\"\"\n" + tile + "\n\"\"\"\n";
}

inline std::shared_ptr<const mapfile::MapFile> map_of(const std::string& domain, const std::string& launch,
                                                      const std::string& tile, const std::string& more = "") {
  return mapfile::MapFile::from_text(map_text(domain, launch, tile, more), "test.toml");
}

}  // namespace tri::test
