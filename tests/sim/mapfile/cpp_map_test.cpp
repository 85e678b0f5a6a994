// Maps in C++: the compiler's program against what the text says, and every way in which it can end.

#include "sim/mapfile/cpp_map.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "sim/base/error.hpp"
#include "sim/mapfile/map_file.hpp"
#include "sim/mapfile/proof.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::mapfile {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSquare = "Launch launch(u32 m) { return {m, m}; }\n";

class CppMaps : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tri-cpp-map-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    // What CppMap makes is made here, so that a test sees what it leaves.
    ::setenv("TMPDIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    EXPECT_EQ(left(), 0);
    ::unsetenv("TMPDIR");
    fs::remove_all(folder_);
  }

  int left() const {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) count += entry.path().extension() != ".hpp";
    return count;
  }

  std::string written(const std::string& text, const std::string& name = "mine.hpp") const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  CppSetup setup() const {
    CppSetup setup;
    setup.compiler = TRI_COMPILER, setup.headers = TRI_SOURCES "/sim", setup.seconds = 5;
    return setup;
  }

  Proof proof_of(const std::string& text, u32 side, double seconds = 5) const {
    CppSetup limited = setup();
    limited.seconds = seconds;
    return prove(CppMap(written(text), limited), side);
  }

  std::string error_of(const std::string& text, ExitCode code, const CppSetup& with) const {
    try {
      const CppMap map(written(text), with);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    return "none";
  }

  fs::path folder_;
};

TEST_F(CppMaps, ProvesFunctionsOfTheOmegaAndOfThePosition) {
  const Proof line = proof_of(
      "#include <cmath>\n"
      "Launch launch(u32 m) { return {triangular_of_row(m)}; }\n"
      "Tile2 tile(u64 w, u32) {\n"
      "  const u32 row = static_cast<u32>((std::sqrt(8.0 * w + 1) - 1) / 2);\n"
      "  return {row, static_cast<u32>(w - triangular_of_row(row))};\n}\n",
      300);
  EXPECT_TRUE(line.passed()) << line.fault_text();
  EXPECT_EQ(line.launched, 45150u);
  EXPECT_EQ(line.useful, 45150u);
  const Proof box = proof_of(
      "Launch launch(u32 m) { return {m, m, m}; }\n"
      "std::optional<Tile3> tile(Position p, u32) {\n"
      "  if (p.x > p.y || p.y > p.z) return {};\n"
      "  return Tile3{static_cast<u32>(p.x), p.y, p.z};\n}\n",
      7);
  EXPECT_TRUE(box.passed()) << box.fault_text();
  EXPECT_EQ(box.domain, Domain::tetrahedron);
  EXPECT_EQ(box.launched, 343u);
  EXPECT_EQ(box.useful, 84u);
}

TEST_F(CppMaps, ProvesTheMapsOfTheProgramAsTheyAre) {
  struct Case {
    const char* file;
    u32 side;
    u64 launched, useful;
  };
  // Of a table, of several launches, of workers with several tiles each, and one of each domain.
  for (const Case& c :
       {Case{"triangle_lambda", 33, 561, 561}, Case{"triangle_lambda_lut", 33, 561, 561},
        Case{"triangle_bb", 9, 81, 45}, Case{"triangle_rec", 32, 528, 528}, Case{"triangle_lambda_stream", 33, 13, 13},
        Case{"tetra_exact", 9, 165, 165}, Case{"gasket_digits", 16, 81, 81}}) {
    const CppMap map(TRI_SOURCES "/sim/maps/" + std::string(c.file) + ".hpp", setup());
    const Proof p = prove(map, c.side);
    EXPECT_TRUE(p.passed()) << c.file << ": " << p.fault_text();
    EXPECT_EQ(p.launched, c.launched) << c.file;
    EXPECT_EQ(p.useful, c.useful) << c.file;
  }
}

TEST_F(CppMaps, FindsTilesThatAreMissedMetTwiceOrOutside) {
  const std::string square = kSquare;
  const Proof missed = proof_of(square +
                                    "std::optional<Tile2> tile(Position p, u32) {\n"
                                    "  if (p.x >= p.y) return {};\n"
                                    "  return Tile2{p.y, static_cast<u32>(p.x)};\n}\n",
                                4);
  EXPECT_EQ(missed.missed, 4u);
  EXPECT_EQ(missed.first_missed, (AnyTile{0, 0, 0}));
  const Proof twice = proof_of(square +
                                   "Tile2 tile(Position p, u32) {\n"
                                   "  const u32 x = static_cast<u32>(p.x);\n"
                                   "  return x > p.y ? Tile2{x, p.y} : Tile2{p.y, x};\n}\n",
                               3);
  EXPECT_EQ(twice.duplicates, 3u);
  ASSERT_TRUE(twice.first_twice && twice.met_before);
  EXPECT_EQ(twice.first_twice->omega, 3u);
  EXPECT_EQ(twice.first_twice->position.y, 1u);
  EXPECT_EQ(twice.met_before->omega, 1u);
  const Proof outside = proof_of(square + "Tile2 tile(Position p, u32) { return {p.y, static_cast<u32>(p.x)}; }\n", 3);
  EXPECT_EQ(outside.outside, 3u);
  ASSERT_TRUE(outside.first_outside);
  EXPECT_EQ(outside.first_outside->omega, 1u);
  EXPECT_EQ(outside.first_outside->tile, (AnyTile{0, 1, 0}));
}

TEST_F(CppMaps, PlacesTilesInTheirLaunch) {
  const Proof p = proof_of(
      "struct Mine {\n"
      "  Mine(u32, Diagonal) {}\n"
      "  u32 launch_count() const { return 3; }\n"
      "  Launch launch(u32 pass) const { return {pass == 1 ? 0u : 2u, 2, 1, pass}; }\n"
      "  OneTile<Tile2> begin(Position p) const { return {{9, 0}, p.pass == 2 && p.x == 1 && p.y == 1}; }\n};\n",
      2);
  ASSERT_TRUE(p.first_outside);
  EXPECT_EQ(p.first_outside->omega, 7u);
  EXPECT_EQ(p.first_outside->position.pass, 2u);
  EXPECT_EQ(p.first_outside->position.x, 1u);
  EXPECT_EQ(p.first_outside->position.y, 1u);
  EXPECT_EQ(p.launched, 8u);
}

TEST_F(CppMaps, NamesWhatEndsTheMap) {
  const std::string square = kSquare;
  const auto fault = [&](const std::string& body, double seconds = 20) {
    return proof_of(square + "Tile2 tile(u64 w, u32) {\n" + body + "\n  return {0, 0};\n}\n", 3, seconds).fault_text();
  };
  test::expect_parts(fault("if (w == 5) *static_cast<volatile int*>(nullptr) = 1;"),
                     {"omega 5 crashes", "Segmentation"});
  test::expect_parts(fault("volatile u64 zero = 0; if (w == 2) return {static_cast<u32>(w / zero), 0};"),
                     {"omega 2 crashes", "Floating point"});
  test::expect_parts(fault("if (w == 3) throw 1;"), {"omega 3 crashes", "Aborted", "an exception"});
  test::expect_parts(fault("if (w == 1) _Exit(7);"), {"exit code 7"});
  const auto start = std::chrono::steady_clock::now();
  test::expect_parts(fault("for (volatile bool on = w == 4; on;) {}", 1), {"longer than 1 s", "omega 4"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  test::expect_parts(fault("if (w == 4) { volatile char* p = new char[u64{3} << 30]; *p = 1; }"),
                     {"omega 4", "memory"});
}

TEST_F(CppMaps, EndsOutputWithoutEnd) {
  const std::string endless =
      "struct Mine {\n"
      "  Mine(u32 m, Diagonal) : m(m) {}\n"
      "  struct Cursor {\n"
      "    bool valid() const { return true; }\n"
      "    void next() {}\n"
      "    Tile2 tile() const { return {}; }\n"
      "  };\n"
      "  u32 launch_count() const { return 1; }\n"
      "  Launch launch(u32) const { return {m}; }\n"
      "  Cursor begin(Position) const { return {}; }\n"
      "  u32 m;\n};\n";
  test::expect_parts(proof_of(endless, 3).fault_text(), {"more than 1036 tiles", "omega 0"});
  std::string many = endless;
  many.replace(many.find("return 1;"), 9, "return 5000;");
  test::expect_parts(proof_of(many, 3).fault_text(), {"launch_count() is 5000", "4096"});
  test::expect_parts(
      proof_of("Launch launch(u32) { return {~u64{0}, 2}; }\nTile2 tile(u64, u32) { return {}; }", 1).fault_text(),
      {"2^62"});
}

TEST_F(CppMaps, SaysWhatDoesNotCompile) {
  test::expect_parts(error_of("Launch launch(u32 m) { return {m} }\n", ExitCode::file, setup()),
                     {"mine.hpp", "does not compile", "mine.hpp:1:", "error"});
  test::expect_parts(error_of("int x;", ExitCode::file, setup()), {"`Launch launch(u32 m)`", "no class of its name"});
  CppSetup none = setup();
  none.compiler = "nonesuch-c++ -O0";
  test::expect_parts(error_of(kSquare, ExitCode::usage, none), {"mine.hpp", "no C++ compiler nonesuch-c++", "CXX"});
  CppSetup slow = setup();
  slow.compile_seconds = 0.001;
  test::expect_parts(error_of("#include <algorithm>\n#include <regex>\n", ExitCode::file, slow), {"within 0.001 s"});
  CppSetup elsewhere = setup();
  elsewhere.headers = folder_;
  test::expect_parts(error_of(kSquare, ExitCode::file, elsewhere), {"triangulum/maps/"});
  test::expect_parts(error_of("#include <cstdlib>\nint x = (std::abort(), 1);\n" + std::string(kSquare) +
                                  "Tile2 tile(u64, u32) { return {}; }\n",
                              ExitCode::file, setup()),
                     {"before the first tile", "Aborted"});
  EXPECT_THROW(CppMap(folder_ / "absent.hpp", setup()), FileError);
}

TEST_F(CppMaps, RefusesSidesWithTooManyTiles) {
  const CppMap map(written(std::string(kSquare) + "Tile2 tile(u64, u32) { return {}; }\n"), setup());
  EXPECT_EQ(proof_refusal(map, 8191), "");
  test::expect_parts(proof_refusal(map, 8192), {"33554432 tiles", "33558528"});
  EXPECT_EQ(map.info().domain, Domain::triangle);
  EXPECT_STREQ(map.info().name, "mine");
}

TEST_F(CppMaps, FindsTheHeadersBesideTheProgramThatRuns) {
  const fs::path prefix = folder_ / "prefix.hpp";  // an ending that left() takes for a source
  fs::create_directories(prefix / "bin");
  EXPECT_EQ(map_headers_of(prefix / "bin/triangulum"), "");
  for (const char* file : {"include/triangulum/maps/map_concepts.hpp", "include/triangulum/base/platform.hpp"}) {
    fs::create_directories((prefix / file).parent_path());
    std::ofstream(prefix / file) << "\n";
  }
  EXPECT_EQ(map_headers_of(prefix / "bin/triangulum"), prefix / "include/triangulum");
  EXPECT_EQ(map_headers_of(TRI_SOURCES "/build/any/bin/triangulum"), TRI_SOURCES "/sim");
}

TEST_F(CppMaps, DriveNothing) {
  EXPECT_TRUE(is_cpp_map("a/b.cu") && is_cpp_map("b.hpp") && !is_cpp_map("b.toml") && !is_cpp_map("hpp"));
  try {
    MapFile::open(written(kSquare));
    FAIL();
  } catch (const ConfigError& error) {
    test::expect_parts(error.what(), {"mine.hpp", "verify map", "--trust", "TOML", "CONTRIBUTING.md"});
  }
}

}  // namespace
}  // namespace tri::mapfile
