// A typed map as a kernel gets it: the bytes of map_value() are an object of the class in map_text().

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/cuda/jit/map_text.hpp"
#include "sim/mapfile/add_map.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/sim/mapfile/map_program.hpp"
#include "tests/sim/mapfile/map_support.hpp"

namespace tri::test {
namespace {

cuda::MapText text_of(const MapInfo& map, u32 side) {
  if (map.domain == Domain::triangle) return cuda::map_text(*find_triangle_map(map.name), side);
  if (map.domain == Domain::tetrahedron) return cuda::map_text(*find_tetra_map(map.name), side);
  return cuda::map_text(*find_gasket_map(map.name), side);
}

/// The text of a kernel, whose names become those of this case; the object gets the bytes and nothing else.
MapInProgram in_program(std::size_t k, const MapAt& at) {
  const MapInfo& map = mapfile::add_map(at.map);
  const cuda::MapText text = text_of(map, at.side);
  std::string names, end;
  for (const char* name : {"TypedMap", "TypedTile", "TypedKind"}) {
    names += "#define " + std::string(name) + " " + name + std::to_string(k) + "\n";
    end += "#undef " + std::string(name) + "\n";
  }
  std::string bytes;
  const auto value = cuda::map_value(map, at.side);
  for (const std::byte b : value) bytes += std::to_string(static_cast<int>(b)) + ",";
  const std::string type = "tri::cuda::" + text.type + std::to_string(k);
  return {names + text.definition + end, type,
          "    const unsigned char bytes[] = {" + bytes +
              "};\n    static_assert(sizeof(bytes) == sizeof(map));\n"
              "    std::memcpy(static_cast<void*>(&map), bytes, sizeof(map));\n"};
}

TEST(MapText, TheBytesOfAMapAreAnObjectOfItsClass) {
  std::vector<MapAt> cases;
  for (const auto& entry : std::filesystem::directory_iterator(TRI_MAP_FILES)) {
    const auto map = mapfile::MapFile::open(entry.path().string());
    const bool gasket = map->info().domain == Domain::gasket;
    for (const u32 side : {1u, gasket ? 32u : 21u}) cases.push_back({map, side});
  }
  // Two launches of all three lengths, by which w goes, and two values of the side.
  cases.push_back({map_of("pairs", "[[\"3\", \"5\", \"7\"], [\"m\", \"2\"]]", "row = w + p; col = q",
                          "once = \"p = 3*m; q = m - 2\""),
                   20});
  const std::string want = answers_of(cases);
  EXPECT_GT(want.size(), 10000u);
  expect_same_lines(output_of(map_program(cases, in_program)), want);
}

}  // namespace
}  // namespace tri::test
