#pragma once
/// Programs that walk over all positions of maps, whose C++ text is compiled with the compiler of this build.
/// The target defines TRI_COMPILER and TRI_SOURCES, the folder of the project.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "sim/mapfile/map_file.hpp"
#include "sim/mapfile/proof.hpp"
#include "sim/maps/map_check.hpp"

namespace tri::test {

struct MapAt {
  std::shared_ptr<const mapfile::MapFile> map;
  u32 side;
};

/// A map in a program: its class, and the statements that fill an object `map` of it.
struct MapInProgram {
  std::string definition, type, fill;
};

/// A program that prints, for the cases in turn, the side and `ROW COLUMN LAYER` or `idle` for each position;
/// in_program(k, case) gives the text of a case.
template <class F>
std::string map_program(const std::vector<MapAt>& cases, F&& in_program) {
  std::string text =
      "#include <cstdio>\n#include <cstring>\n#include \"sim/maps/gasket_base.hpp\"\n"
      "#include \"sim/maps/integer_math.hpp\"\n#include \"sim/maps/map_concepts.hpp\"\n"
      "#include \"sim/maps/tetra_base.hpp\"\n#include \"sim/maps/triangle_base.hpp\"\n";
  text += R"(
static void put(tri::Tile2 t) { std::printf("%u %u 0\n", t.row, t.col); }
static void put(tri::Tile3 t) { std::printf("%u %u %u\n", t.y, t.x, t.z); }
static void put(tri::CellTile t) { std::printf("%u %u 0\n", t.y, t.x); }
template <class M> void walk(const M& map, const tri::Launch* launches, tri::u32 count) {
  std::printf("side %u\n", map.side());
  for (tri::u32 k = 0; k < count; ++k) {
    const tri::Launch& g = launches[k];
    for (tri::u32 z = 0; z < g.z; ++z)
      for (tri::u32 y = 0; y < g.y; ++y)
        for (tri::u64 x = 0; x < g.x; ++x) {
          auto tiles = map.begin(tri::Position{x, y, z, g.pass});
          if (tiles.valid()) put(tiles.tile()); else std::printf("idle\n");
        }
  }
}
)";
  std::string main = "int main() {\n";
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const auto [map, side] = cases[k];
    const MapInProgram in = in_program(k, cases[k]);
    text += in.definition;
    const std::string shape = map->info().domain == Domain::gasket ? std::to_string(std::countr_zero(side))
                                                                   : std::to_string(side) + ", tri::Diagonal::with";
    std::string launches;
    u32 passes = 0;
    const auto at = map->at(side);
    for (const Launch& g : at->launches()) {
      launches += "{" + std::to_string(g.x) + ", " + std::to_string(g.y) + ", " + std::to_string(g.z) + ", " +
                  std::to_string(g.pass) + "}, ";
      ++passes;
    }
    main += "  {\n    " + in.type + " map(" + shape + ");\n" + in.fill + "    const tri::Launch launches[] = {" +
            launches + "};\n    walk(map, launches, " + std::to_string(passes) + ");\n  }\n";
  }
  return text + main + "}\n";
}

/// What that program has to print, by the bytecode.
inline std::string answers_of(const std::vector<MapAt>& cases) {
  std::string text;
  for (const MapAt& c : cases) {
    text += "side " + std::to_string(c.side) + "\n";
    mapfile::for_each_answer(*c.map, c.side, [&](const mapfile::MetAt& met, bool idle, bool fault) {
      EXPECT_FALSE(fault);
      text += idle ? "idle\n"
                   : std::to_string(met.tile.row) + " " + std::to_string(met.tile.col) + " " +
                         std::to_string(met.tile.layer) + "\n";
      return true;
    });
  }
  return text;
}

/// What the compiled program prints; fails the test when it does not compile, by default without a warning.
inline std::string output_of(const std::string& program, const std::string& warnings = "-Wall -Wextra -Werror") {
  std::string folder = testing::TempDir() + "/map-program-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return "no folder";
  std::ofstream(folder + "/map.cpp") << program;
  const std::string compile = std::string(TRI_COMPILER) + " -std=c++20 -O1 " + warnings + " -I" TRI_SOURCES " " +
                              folder + "/map.cpp -o " + folder + "/map 2>&1 && " + folder + "/map";
  std::FILE* pipe = popen(compile.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof(buffer), pipe)) text.append(buffer, size);
  EXPECT_EQ(pclose(pipe), 0) << text.substr(0, 2000);
  std::filesystem::remove_all(folder);
  return text;
}

/// Names the first line that differs; EXPECT_EQ of such long texts compares them for minutes.
inline void expect_same_lines(const std::string& got, const std::string& want) {
  std::istringstream answers(got), right(want);
  std::string answer, line;
  for (int number = 1, map = 0; std::getline(right, line); ++number) {
    if (!std::getline(answers, answer)) answer = "(the end)";
    map += line.rfind("side", 0) == 0;
    ASSERT_EQ(answer, line) << "in line " << number << ", of map " << map;
  }
  EXPECT_FALSE(std::getline(answers, answer)) << answer;
}

}  // namespace tri::test
