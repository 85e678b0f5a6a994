// The C++ text of map files: compiled with the compiler of this build, it answers what the bytecode answers.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "sim/mapfile/cuda_text.hpp"
#include "sim/mapfile/proof.hpp"
#include "sim/maps/map_check.hpp"
#include "tests/sim/mapfile/map_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::mapfile {
namespace {

namespace fs = std::filesystem;

/// Prints 'FILE SIDE PASS X Y Z: tile' for all positions.
constexpr const char* kProgram = R"(
template <class M> bool at(const M& map, const tri::Position& p, tri::u32* t);
static void put(tri::Tile2 t) { std::printf("%u %u 0\n", t.row, t.col); }
static void put(tri::Tile3 t) { std::printf("%u %u %u\n", t.y, t.x, t.z); }
static void put(tri::CellTile t) { std::printf("%u %u 0\n", t.y, t.x); }
template <class M> void walk(const M& map, const tri::Launch* launches, tri::u32 count) {
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

std::string shape_of(Domain domain, u32 side) {
  if (domain != Domain::gasket) return std::to_string(side) + ", tri::Diagonal::with";
  return std::to_string(31 - __builtin_clz(side));
}

struct Case {
  std::shared_ptr<const MapFile> map;
  u32 side;
};

std::string program_of(const std::vector<Case>& cases) {
  std::string text =
      "#include <cstdio>\n#include \"sim/maps/gasket_base.hpp\"\n#include \"sim/maps/integer_math.hpp\"\n"
      "#include \"sim/maps/tetra_base.hpp\"\n#include \"sim/maps/triangle_base.hpp\"\n";
  text += kProgram;
  std::string main = "int main() {\n";
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const std::string name = "Typed" + std::to_string(k);
    const DeviceMap values = device_map(*cases[k].map, cases[k].side);
    text += cuda_text(*cases[k].map, name);
    main += "  {\n    " + name + " map(" + shape_of(cases[k].map->info().domain, cases[k].side) + ");\n";
    const auto fill = [&](const char* member, const auto& from) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        main += "    map." + std::string(member) + "[" + std::to_string(i) + "] = " + std::to_string(from[i]) + ";\n";
      }
    };
    fill("once", values.once), fill("wide", values.wide), fill("high", values.high);
    std::string launches;
    const auto at = cases[k].map->at(cases[k].side);
    for (const Launch& g : at->launches()) {
      launches += "{" + std::to_string(g.x) + ", " + std::to_string(g.y) + ", " + std::to_string(g.z) + ", " +
                  std::to_string(g.pass) + "}, ";
    }
    main += "    const tri::Launch launches[] = {" + launches + "};\n    walk(map, launches, " +
            std::to_string(values.wide.size()) + ");\n  }\n";
  }
  return text + main + "}\n";
}

std::string answers_of(const std::vector<Case>& cases) {
  std::string text;
  for (const Case& c : cases) {
    for_each_answer(*c.map, c.side, [&](const MetAt& met, bool idle, bool fault) {
      EXPECT_FALSE(fault);
      text += idle ? "idle\n"
                   : std::to_string(met.tile.row) + " " + std::to_string(met.tile.col) + " " +
                         std::to_string(met.tile.layer) + "\n";
      return true;
    });
  }
  return text;
}

/// What the compiled program prints; fails the test when it does not compile without a warning.
std::string output_of(const std::string& program) {
  std::string folder = testing::TempDir() + "/cuda-text-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return "no folder";
  std::ofstream(folder + "/map.cpp") << program;
  const std::string compile = std::string(TRI_COMPILER) + " -std=c++20 -O1 -Wall -Wextra -Werror -I" TRI_SOURCES " " +
                              folder + "/map.cpp -o " + folder + "/map 2>&1 && " + folder + "/map";
  std::FILE* pipe = popen(compile.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof(buffer), pipe)) text.append(buffer, size);
  EXPECT_EQ(pclose(pipe), 0) << text.substr(0, 2000);
  fs::remove_all(folder);
  return text;
}

TEST(CudaText, AnswersWhatTheBytecodeAnswers) {
  std::vector<Case> cases;
  for (const auto& entry : fs::directory_iterator(TRI_MAP_FILES)) {
    const auto map = MapFile::open(entry.path().string());
    const bool gasket = map->info().domain == Domain::gasket;
    for (const u32 side : {1u, gasket ? 2u : 7u, gasket ? 32u : 21u, gasket ? 64u : 40u}) cases.push_back({map, side});
  }
  // What no shipped map has: every other operation.
  const std::string all =
      "a = w - 5\nb = ~a ^ -a\nc = abs(a) + min(a, 3) - max(a, 2) + clz(a) + ctz(a) + popcount(b)\n"
      "d = mulhi(a << 40, b << 30) + (a != b) + (a == 5) + (a <= b && c > 0) + (a < 3 || !c)\n"
      "e = odd[w % 3] - -9223372036854775807 / 4\nidle = w % 7 == 3\nk = 0\nrepeat w % 4 up to 3 {\n k = k + d % 3 + "
      "icbrt(w)\n}\n"
      "row = k + d + e & 0xffff; col = c + isqrt(w) | 1; col = col & 0xffff";
  cases.push_back({test::map_of("pairs", "[[\"3\", \"4\", \"5\"], [\"m\"]]", all,
                                "once = \"q = 3*m\"\ntables = {odd = [-1, 3, 500]}"),
                   30});
  const std::string want = answers_of(cases);
  EXPECT_GT(want.size(), 10000u);
  EXPECT_EQ(output_of(program_of(cases)), want);
}

TEST(CudaText, MorePassesThanADeviceTakesAreRefused) {
  const auto map = test::map_of("pairs", "[\"m\"]", "row = x; col = 0", "passes = \"m\"");
  EXPECT_EQ(device_map(*map, 64).wide.size(), 64u);
  test::expect_parts(test::message_of<ConfigError>([&] { device_map(*map, 65); }), {"65 passes", "--backend cpu"});
  test::expect_parts(
      test::message_of<ConfigError>([&] { device_map(*test::map_of("pairs", "[\"1/0\"]", "row=0;col=0"), 3); }),
      {"by 0"});
}

}  // namespace
}  // namespace tri::mapfile
