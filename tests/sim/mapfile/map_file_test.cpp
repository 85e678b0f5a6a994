// Files: what they say, their errors with line and column, and maps of the program made from them.

#include <gtest/gtest.h>

#include <fstream>

#include "sim/mapfile/add_map.hpp"
#include "sim/mapfile/map_file.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/sim/mapfile/map_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::mapfile {
namespace {

const std::string kTile = "row = (isqrt(8*w + 1) - 1)/2\ncol = w - row*(row + 1)/2";
const std::string kLine = "[\"m*(m + 1)/2\"]";

TEST(MapFile, SaysWhatItIs) {
  const auto map = MapFile::from_text(
      "name = \"one\"\ndomain = \"pairs\"\nformula = \"f\"\nsource = \"s\"\nlimit = 9\nlaunch = [\"m\"]\ntile = \"row "
      "= "
      "x; col = 0\"\n",
      "one.toml");
  EXPECT_STREQ(map->info().name, "one");
  EXPECT_EQ(map->info().domain, Domain::triangle);
  EXPECT_STREQ(map->info().formula, "f");
  EXPECT_STREQ(map->info().source, "s");
  EXPECT_EQ(map->info().max_side, 9u);
  EXPECT_EQ(map->info().typed, map.get());
  EXPECT_FALSE(map->info().historical);
  const auto plain =
      MapFile::from_text("name = \"two\"\ndomain = \"gasket\"\nlaunch = [\"m\"]\ntile = \"row=x;col=0\"", "p");
  EXPECT_STREQ(plain->info().formula, "as typed");
  EXPECT_STREQ(plain->info().source, "p");
  EXPECT_EQ(plain->info().max_side, u64{1} << 31);
}

TEST(MapFile, ErrorsNameTheirPlaceInTheFile) {
  const std::string head = "name = \"one\"\ndomain = \"pairs\"\n";
  const std::string launch = "launch = [\"m\"]\n", tile = "tile = \"row = x; col = 0\"\n";
  const std::pair<std::string, std::vector<std::string>> faults[] = {
      {"", {"f.toml: the key name is missing"}},
      {"name = \"one\"", {"the key domain is missing"}},
      {head, {"the key launch is missing"}},
      {head + launch, {"the key tile is missing"}},
      {head + launch + tile + "tyle = 1", {"f.toml:5: unknown key 'tyle'. Did you mean 'tile'?"}},
      {"name = 3", {"f.toml:1: name must be a string"}},
      {"name = \"One\"", {"small letters"}},
      {"name = \"all\"", {"not 'all'"}},
      {"name = \"a\"\ndomain = \"pair\"", {"f.toml:2: unknown domain 'pair'. Did you mean 'pairs'?"}},
      {head + "limit = 0\n" + launch + tile, {"f.toml:3: limit must be an integer from 1 to 2147483648."}},
      {head + "formula = \"a\\nb\"\n" + launch + tile, {"f.toml:3: formula must be one line"}},
      {head + "launch = \"m\"\n" + tile, {"f.toml:3: a launch must be a list of one to three expressions"}},
      {head + "launch = [1]\n" + tile, {"f.toml:3: a side of a launch must be a string"}},
      {head + "launch = [[\"m\"], [\"m\"]]\npasses = \"2\"\n" + tile, {"f.toml:4: passes repeats one launch"}},
      {head + "launch = [\"m\", \"m +\"]\n" + tile, {"map file f.toml, line 3, column 20", "a value is expected"}},
      {head + "launch = [\"x\"]\n" + tile, {"line 3, column 12", "there is no name 'x'"}},
      {head + "once = \"e = m & 1; f = k\"\n" + launch + tile, {"line 3, column 24", "there is no name 'k'"}},
      {head + launch + "tile = \"\"\"\n  row = x\n  col = yy\n\"\"\"",
       {"line 6, column 9", "there is no name 'yy'", "\n          ^"}},
      {head + launch + "tile = \"row = x\"", {"line 4", "'col' is not assigned; a tile is row, col"}},
      {"name = \"t\"\ndomain = \"triples\"\n" + launch + tile, {"'layer' is not assigned"}},
      {head + launch + tile + "[tables]\nt = [1, 2.5]", {"f.toml:6: the entries of t must be integers."}},
      {head + launch + tile + "[tables]\nt = []", {"t must be a list of integers"}},
      {head + launch + tile + "[tables]\n2t = [1]", {"a letter first"}},
      {head + launch + "tile = ", {"f.toml:4"}},
  };
  for (const auto& [text, parts] : faults) {
    const std::string message = test::message_of([&] { MapFile::from_text(text, "f.toml"); });
    EXPECT_FALSE(message.empty()) << text;
    test::expect_parts(message, parts);
  }
  std::string many = head + launch + tile + "[tables]\nt = [0";
  for (u32 k = 0; k < kMaxTableEntries; ++k) many += ",0";
  test::expect_parts(test::message_of([&] { MapFile::from_text(many + "]", "f.toml"); }), {"at most 65536 entries"});
  test::expect_parts(test::message_of([&] { MapFile::from_text(std::string(kMaxFile + 1, ' '), "f.toml"); }),
                     {"larger than"});
  test::expect_parts(test::message_of<FileError>([] { MapFile::open("no/such.toml"); }), {"no/such.toml"});
}

TEST(MapFile, ANameOfABuiltInMapIsRefusedInItsDomainAlone) {
  const auto text = [](const std::string& name, const std::string& domain) {
    return "name = \"" + name + "\"\ndomain = \"" + domain + "\"\nlaunch = [\"m\"]\ntile = \"row=0;col=0;layer=0\"";
  };
  test::expect_parts(test::message_of<ConfigError>([&] { MapFile::from_text(text("bb", "pairs"), "f"); }), {"bb"});
  test::expect_parts(test::message_of<ConfigError>([&] { MapFile::from_text(text("tetra", "triples"), "f"); }),
                     {"tetra"});
  EXPECT_NO_THROW(MapFile::from_text(text("tetra", "pairs"), "f"));
}

TEST(MapFile, LaunchesAreOnePassOrSeveral) {
  const auto launches = [](const std::shared_ptr<const MapFile>& map, u32 side) {
    std::vector<std::array<u64, 4>> all;
    const auto at = map->at(side);
    for (const Launch& g : at->launches()) all.push_back({g.x, g.y, g.z, g.pass});
    return all;
  };
  using Grids = std::vector<std::array<u64, 4>>;
  const std::string tile = "row = x; col = y";
  EXPECT_EQ(launches(test::map_of("pairs", "[\"m\"]", tile), 5), (Grids{{5, 1, 1, 0}}));
  EXPECT_EQ(launches(test::map_of("pairs", "[\"m\", \"2*m\", \"m/2\"]", tile), 5), (Grids{{5, 10, 2, 0}}));
  EXPECT_EQ(launches(test::map_of("pairs", "[[\"m\"], [\"1\", \"pass\"]]", tile), 5),
            (Grids{{5, 1, 1, 0}, {1, 1, 1, 1}}));
  const auto repeated = test::map_of("pairs", "[\"e << pass\"]", tile, "once = \"e = m + 1\"\npasses = \"m - 3\"");
  EXPECT_EQ(launches(repeated, 5), (Grids{{6, 1, 1, 0}, {12, 1, 1, 1}}));
  EXPECT_EQ(launches(repeated, 0), Grids{}) << "an empty domain launches nothing";
  EXPECT_EQ(launches(repeated, 2), Grids{}) << "-1 passes";
  EXPECT_EQ(launches(test::map_of("pairs", "[\"m - 6\"]", tile), 5), Grids{});
  EXPECT_EQ(launches(test::map_of("pairs", "[\"1\", \"1 << 32\"]", tile), 5), Grids{});
  EXPECT_EQ(launches(test::map_of("pairs", "[\"1 << 40\", \"1 << 20\", \"1 << 20\"]", tile), 5), Grids{});
  EXPECT_EQ(launches(test::map_of("pairs", "[\"1/(m - 5)\"]", tile), 5), Grids{});
}

TEST(MapFile, InputsArePlacesOfTheLaunch) {
  const auto map = test::map_of("triples", "[[\"3\", \"4\", \"5\"], [\"7\"]]",
                                "row = w; col = x + 10*y + 100*z; layer = pass*10 + m");
  const auto at = map->at(9);
  u32 t[3];
  ASSERT_TRUE(at->tile({2, 3, 4, 0}, t));
  EXPECT_EQ(t[0], 432u);                  // col
  EXPECT_EQ(t[1], 2u + 3 * (3 + 4 * 4));  // row
  EXPECT_EQ(t[2], 9u);                    // layer
  ASSERT_TRUE(at->tile({6, 0, 0, 1}, t));
  EXPECT_EQ(t[0], 6u);
  EXPECT_EQ(t[1], 6u);
  EXPECT_EQ(t[2], 19u);
}

TEST(MapFile, PositionsWithoutAnAnswerAreIdle) {
  const auto map =
      test::map_of("pairs", "[\"m\"]", "idle = x == 1; row = 10/(x - 2); col = x == 3 ? -1 : x == 4 ? 1 << 32 : 0");
  const auto at = map->at(6);
  u32 t[3];
  EXPECT_FALSE(at->tile({1, 0, 0, 0}, t)) << "idle";
  EXPECT_FALSE(at->tile({2, 0, 0, 0}, t)) << "a fault";
  EXPECT_FALSE(at->tile({3, 0, 0, 0}, t)) << "below 0";
  EXPECT_FALSE(at->tile({4, 0, 0, 0}, t)) << "beyond 32 bits";
  EXPECT_TRUE(at->tile({5, 0, 0, 0}, t));
}

TEST(MapFile, IsOneOfTheMapsOfTheProgram) {
  const std::string text = test::map_text("pairs", kLine, kTile);
  const auto before = triangle_maps().size();
  const MapInfo& row = add_map(MapFile::from_text(text, "mine.toml"));
  ASSERT_EQ(triangle_maps().size(), before + 1);
  EXPECT_EQ(&row, &triangle_maps().back());
  const auto id = find_triangle_map(row.name);
  ASSERT_TRUE(id);
  EXPECT_EQ(static_cast<u32>(*id), before);
  EXPECT_EQ(&info(*id), &row);
  EXPECT_EQ(map_file_of(row)->text().path, "mine.toml");
  EXPECT_EQ(map_file_of(info(TriangleMapId::bb)), nullptr);
  EXPECT_EQ(&add_map(MapFile::from_text(text, "mine.toml")), &row) << "the same text is the same map";
  const std::string other = text + "# changed\n";
  test::expect_parts(test::message_of<ConfigError>([&] { add_map(MapFile::from_text(other, "other.toml")); }),
                     {"other.toml", row.name, "mine.toml"});
  for (const u32 side : {1u, 2u, 3u, 10u, 33u}) {
    for (const Diagonal diagonal : {Diagonal::with, Diagonal::without}) {
      visit_triangle_map(*id, side, diagonal, 1, [&](const auto& map) {
        EXPECT_EQ(map.side(), side);
        const MapReport report = check_triangle_map(map);
        EXPECT_TRUE(report.passed()) << report.sentence;
      });
    }
  }
  EXPECT_EQ(refusal(row, 1000, 10), "");
  EXPECT_EQ(proved_text(row, 100), "proved for m = 100");
  EXPECT_EQ(proved_text(info(TriangleMapId::bb), 100), "");
}

TEST(MapFile, AWrongSideIsRefused) {
  // Right to 12 tiles a side, and above one column too far.
  const auto map = test::map_of("pairs", kLine, kTile + "\ncol = m > 12 && row == 12 ? col + 1 : col");
  const MapInfo& row = add_map(map);
  EXPECT_EQ(refusal(row, 120, 10), "");
  test::expect_parts(refusal(row, 121, 10), {"--map " + std::string(row.name) + " is wrong at m = 13", "omega 90",
                                             "(row 12, col 13)", "triangulum verify map test.toml --n 13"});
  const auto limited = test::map_of("pairs", kLine, kTile, "limit = 20");
  EXPECT_EQ(limited->refusal(20), "");
  test::expect_parts(limited->refusal(21), {"limited to 20 tiles a side"});
  test::expect_parts(test::map_of("pairs", "[\"1 << 40\"]", kTile)->refusal(4), {"1099511627776 positions"});
  test::expect_parts(test::map_of("pairs", kLine, kTile)->refusal(u64{1} << 30), {"tiles at m = 1073741824"});
}

}  // namespace
}  // namespace tri::mapfile
