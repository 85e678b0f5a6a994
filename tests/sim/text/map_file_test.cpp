// Map files: contents, proofs, the maps that are shipped.
//
// Files: what they say, their errors with line and column, and maps of the program made from them.

#include <bit>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "sim/base/progress.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/text/map_file.hpp"
#include "tests/sim/text/text_support.hpp"
#include "tests/support/expect.hpp"

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
  const auto mine = MapFile::from_text(text, "mine.toml");
  const MapInfo& row = add_map(mine);
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

// Proofs: what is counted, what comes first, and that they agree with the checker of maps.

const std::string kLambda = "row = (isqrt(8*w + 1) - 1)/2\ncol = w - row*(row + 1)/2\n";
const std::string kProofLine = "[\"m*(m + 1)/2\"]";

TEST(MapProof, ARightMap) {
  const Proof p = prove(*test::map_of("pairs", "[\"m\", \"m\"]", "idle = x > y; row = y; col = x"), 9);
  EXPECT_TRUE(p.passed());
  EXPECT_EQ(p.launched, 81u);
  EXPECT_EQ(p.useful, 45u);
  EXPECT_EQ(p.idle(), 36u);
  EXPECT_EQ(p.expected, 45u);
  EXPECT_EQ(p.fault_text(), "");
}

TEST(MapProof, WhatIsMissedMetAgainOutsideAndWithoutAValue) {
  // Position 3 = (2, 0) goes to (1, 1), position 4 = (2, 1) outside, position 8 = (3, 2) has no value.
  const std::string tile =
      kLambda + "row = w == 3 ? 1 : row\ncol = w == 3 ? 1 : w == 4 ? -7 : w == 8 ? 1/(w - 8) : col";
  const Proof p = prove(*test::map_of("pairs", kProofLine, tile), 4);
  EXPECT_FALSE(p.passed());
  EXPECT_EQ(p.launched, 10u);
  EXPECT_EQ(p.useful, 9u);
  EXPECT_EQ(p.missed, 3u);
  EXPECT_EQ(p.duplicates, 1u);
  EXPECT_EQ(p.outside, 1u);
  EXPECT_EQ(p.faults, 1u);
  EXPECT_EQ(p.first_missed, (AnyTile{2, 0, 0}));
  EXPECT_EQ(p.first_twice->omega, 3u);
  EXPECT_EQ(p.first_twice->position.x, 3u);
  EXPECT_EQ(p.first_twice->tile, (AnyTile{1, 1, 0}));
  EXPECT_EQ(p.met_before->omega, 2u);
  EXPECT_EQ(p.first_outside->omega, 4u);
  EXPECT_EQ(p.first_outside->tile, (AnyTile{2, -7, 0}));
  EXPECT_EQ(p.first_fault->omega, 8u);
  test::expect_parts(p.fault_text(),
                     {"omega 8 (x = 8, y = 0) has no tile: '/' by 0 in line 9",
                      "omega 4 (x = 4, y = 0) is sent outside, to (row 2, col -7)",
                      "omega 3 (x = 3, y = 0) meets (row 1, col 1), which omega 2 (x = 2, y = 0) meets, too",
                      "(row 2, col 0) is missed", "3 of 10 tiles missed, 1 met again, 1 outside, 1 without"});
}

TEST(MapProof, EachKindOfFaultAloneFails) {
  const auto fails = [](const std::string& launch, const std::string& tile) {
    return !prove(*test::map_of("pairs", launch, tile), 5).passed();
  };
  EXPECT_FALSE(fails(kProofLine, kLambda));
  EXPECT_TRUE(fails(kProofLine, kLambda + "idle = w == 7")) << "one missed";
  EXPECT_TRUE(fails("[\"m*(m + 1)/2 + 1\"]", kLambda + "t = w == 15\nrow = t ? 0 : row\ncol = t ? 0 : col"))
      << "one again";
  EXPECT_TRUE(fails("[\"m*(m + 1)/2 + 1\"]", kLambda)) << "one outside";
  EXPECT_TRUE(fails("[\"m*(m + 1)/2 + 1\"]", kLambda + "idle = w == 15 && 1/(w - 15)")) << "one without a value";
  EXPECT_TRUE(fails("[\"m/0\"]", kLambda)) << "no launch";
  EXPECT_TRUE(fails("[\"0\"]", kLambda)) << "all missed";
  EXPECT_TRUE(fails(kProofLine, "row = 1 << 40; col = 0")) << "beyond 32 bits";
  EXPECT_TRUE(fails(kProofLine, kLambda + "row = row + (1 << 32)")) << "the lower 32 bits alone are right";
}

TEST(MapProof, OmegaCountsAllLaunches) {
  const Proof p = prove(*test::map_of("pairs", "[[\"2\", \"3\"], [\"m\"]]", "idle = pass == 0; row = x; col = 0"), 4);
  EXPECT_EQ(p.launched, 10u);
  EXPECT_EQ(p.useful, 4u);
  EXPECT_EQ(p.first_missed, (AnyTile{1, 1, 0}));
  const Proof q = prove(*test::map_of("pairs", "[[\"2\", \"3\"], [\"m\"]]", "row = pass == 0 ? 0 : x; col = 0"), 4);
  EXPECT_EQ(q.first_twice->omega, 1u);
  EXPECT_EQ(q.duplicates, 6u);
}

TEST(MapProof, DomainsHaveTheirTiles) {
  EXPECT_TRUE(prove(*test::map_of("triples", "[\"m\", \"m\", \"m\"]",
                                  "idle = !(x <= y && y <= z); col = x; row = y; layer = z"),
                    7)
                  .passed());
  const Proof t = prove(
      *test::map_of("triples", "[\"m\", \"m\", \"m\"]", "idle = !(x <= y && y < z); col = x; row = y; layer = z"), 3);
  EXPECT_EQ(t.first_missed, (AnyTile{0, 0, 0}));
  EXPECT_EQ(t.missed, 6u);
  EXPECT_TRUE(prove(*test::map_of("gasket", "[\"m\", \"m\"]", "idle = x & ~y; row = y; col = x"), 16).passed());
  const Proof g = prove(*test::map_of("gasket", "[\"m\", \"m\"]", "idle = y & ~x; row = y; col = x"), 4);
  EXPECT_GT(g.outside, 0u);
  EXPECT_EQ(g.first_missed, (AnyTile{1, 0, 0}));
}

/// Random wrong maps: the counts are those of the checker, which takes a byte a tile and knows no text.
TEST(MapProof, AgreesWithTheCheckerOfMaps) {
  for (u32 k = 0; k < 40; ++k) {
    const std::string noise = "h = (w*2654435761 + " + std::to_string(k * 7919) + ") >> 7 & 15\n";
    const auto map = test::map_of("pairs", kProofLine,
                                  kLambda + noise + "col = h == 3 ? col - 1 : h == 5 ? col + 1 : col\nidle = h == 9");
    const u32 side = 3 + k;
    const Proof p = prove(*map, side);
    const MapReport r = check_triangle_map(TypedTriangle(side, Diagonal::with, *map));
    EXPECT_EQ(p.launched, r.launched);
    EXPECT_EQ(p.missed, r.holes);
    EXPECT_EQ(p.duplicates, r.duplicates);
    EXPECT_GE(p.outside, r.outside) << "a column below 0 is idle for the checker";
    EXPECT_EQ(p.passed(), r.passed());
  }
}

/// The report of the checker of maps, with the workers of a proof.
MapReport checked(Domain domain, u32 id, u32 side) {
  MapReport r;
  const auto check = [&](const auto& cells) { return [&](const auto& m) { r = check_cover(m, cells); }; };
  if (domain == Domain::triangle) {
    const TriangleCells cells{side, false};
    visit_triangle_map(static_cast<TriangleMapId>(id), side, Diagonal::with, kProofWorkers, check(cells));
  } else if (domain == Domain::tetrahedron) {
    const TetraCells cells{side, false};
    visit_tetra_map(static_cast<TetraMapId>(id), side, Diagonal::with, kProofWorkers, check(cells));
  } else {
    const GasketCells cells{side};
    const u32 levels = static_cast<u32>(std::countr_zero(side));
    visit_gasket_map(static_cast<GasketMapId>(id), levels, kProofWorkers, check(cells));
  }
  return r;
}

/// Every built-in map, at some sides, and the published ones also one tile beyond their limit.
TEST(MapProof, BuiltInMapsAgreeWithTheCheckerOfMaps) {
  for (const Domain domain : {Domain::triangle, Domain::tetrahedron, Domain::gasket}) {
    for (u32 id = 0; id < built_in_maps(domain).size(); ++id) {
      const BuiltInMap map(domain, id);
      std::vector<u64> sides = {1, 2, 4, 8, 32};
      if (domain != Domain::gasket) sides.insert(sides.end(), {3, 7, 21, 45});
      if (map.info().historical) sides.insert(sides.end(), {map.info().max_side, map.info().max_side + 1});
      for (const u64 side : sides) {
        SCOPED_TRACE(std::string(map.info().name) + " at side " + std::to_string(side));
        ASSERT_EQ(proof_refusal(map, side), "");
        const Proof p = prove(map, static_cast<u32>(side));
        const MapReport r = checked(domain, id, static_cast<u32>(side));
        EXPECT_EQ(p.launched, r.launched);
        EXPECT_EQ(p.useful, r.useful);
        EXPECT_EQ(p.expected, r.expected);
        EXPECT_EQ(p.missed, r.holes);
        EXPECT_EQ(p.duplicates, r.duplicates);
        EXPECT_EQ(p.outside, r.outside);
        EXPECT_EQ(p.passed(), side <= map.info().max_side);
      }
    }
  }
}

TEST(MapProof, APositionWithSeveralTilesIsAnsweredForEach) {
  const BuiltInMap stream(Domain::triangle, static_cast<u32>(TriangleMapId::lambda_stream));
  std::vector<u64> omegas;
  std::vector<AnyTile> tiles;
  for_each_answer(stream, 3, [&](const MetAt& met, bool idle, bool fault) {
    EXPECT_FALSE(idle || fault);
    omegas.push_back(met.omega), tiles.push_back(met.tile);
    return true;
  });
  EXPECT_EQ(omegas, (std::vector<u64>{0, 0, 1, 1, 2, 3}));
  EXPECT_EQ(tiles, (std::vector<AnyTile>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0}}));
  u32 calls = 0;
  for_each_answer(stream, 3, [&](const MetAt&, bool, bool) { return ++calls < 4; });
  EXPECT_EQ(calls, 4u) << "ends when the visitor says so";
}

struct Stop : ProgressSink {
  void report(const ProgressReport& r) override {
    name = r.name;
    throw InterruptedError("stopped here");
  }
  std::string name;
};

TEST(MapProof, IsCancelledByItsProgressSink) {
  Stop stop;
  const ScopedProgressSink bound(stop);
  const auto map = test::map_of("pairs", kProofLine, kLambda);
  EXPECT_THROW(prove(*map, 2000), InterruptedError);
  test::expect_parts(stop.name, {"proving", map->info().name, "m = 2000"});
}

TEST(MapProof, RefusesSidesThatItCannotWalk) {
  const auto gasket = test::map_of("gasket", "[\"m\"]", "row = x; col = 0");
  EXPECT_EQ(proof_refusal(*gasket, 8), "");
  test::expect_parts(proof_refusal(*gasket, 12), {"a power of two", "12"});
  test::expect_parts(proof_refusal(*gasket, 0), {"0"});
  test::expect_parts(proof_refusal(*test::map_of("pairs", kProofLine, kLambda), 200000), {"20000100000 tiles", "2^33"});
  const BuiltInMap box(Domain::triangle, static_cast<u32>(TriangleMapId::bb));
  EXPECT_EQ(proof_refusal(box, 90000), "");
  test::expect_parts(proof_refusal(box, 130000), {"bb launches 16900000000 positions", "2^33"});
  test::expect_parts(proof_refusal(BuiltInMap(Domain::tetrahedron, static_cast<u32>(TetraMapId::tetra)), 2642245),
                     {"the side of tetra is 1 to 2642244"});
  test::expect_parts(proof_refusal(BuiltInMap(Domain::gasket, static_cast<u32>(GasketMapId::gasket)), 12),
                     {"a power of two"});
}

// The files of assets/maps are the built-in maps, launch for launch and tile for tile.

std::shared_ptr<const MapFile> shipped(const std::string& name) {
  return MapFile::open(std::string(TRI_MAP_FILES) + "/" + name + ".toml");
}

template <class Tile, class M>
std::optional<Tile> tile_at(const M& map, const Position& p) {
  auto tiles = map.begin(p);
  if (!tiles.valid()) return std::nullopt;
  return tiles.tile();
}

/// The same launches, and at each position the same tile or none.
template <class Typed, class BuiltIn>
void expect_same(const Typed& typed, const BuiltIn& built_in, const std::string& what) {
  using Tile = typename BuiltIn::Tile;
  SCOPED_TRACE(what + " at side " + std::to_string(built_in.side()));
  ASSERT_EQ(typed.side(), built_in.side());
  ASSERT_EQ(typed.tile_count(), built_in.tile_count());
  // A map of an empty domain may launch nothing in its own way.
  ASSERT_EQ(launched_positions(typed), launched_positions(built_in));
  if (built_in.tile_count() == 0) return;
  ASSERT_EQ(typed.launch_count(), built_in.launch_count());
  for (u32 pass = 0; pass < typed.launch_count(); ++pass) {
    const Launch a = typed.launch(pass), b = built_in.launch(pass);
    ASSERT_TRUE(a.x == b.x && a.y == b.y && a.z == b.z && a.pass == b.pass) << "pass " << pass;
  }
  u64 wrong = 0;
  for_each_position(typed, [&](const Position& p) { wrong += tile_at<Tile>(typed, p) != tile_at<Tile>(built_in, p); });
  EXPECT_EQ(wrong, 0u);
}

std::vector<u32> sides(u32 last, std::initializer_list<u32> more) {
  std::vector<u32> all;
  for (u32 side = 1; side <= last; ++side) all.push_back(side);
  all.insert(all.end(), more);
  return all;
}

template <class BuiltIn>
void expect_pairs(const std::string& file) {
  const auto map = shipped(file);
  ASSERT_EQ(map->info().domain, Domain::triangle);
  for (const u32 side : sides(64, {127, 128, 129, 500, 1000, 1023})) {
    const TypedTriangle typed(side, Diagonal::with, *map);
    expect_same(typed, BuiltIn(side, Diagonal::with), file);
    EXPECT_TRUE(prove(*map, side).passed()) << file << " " << side;
    const MapReport strict = check_triangle_map(TypedTriangle(side, Diagonal::without, *map));
    EXPECT_TRUE(strict.passed()) << file << ": " << strict.sentence;
  }
}

TEST(ShippedMaps, OfPairs) {
  expect_pairs<TriangleBb>("bb");
  expect_pairs<TriangleLambda>("lambda");
  expect_pairs<TriangleFold>("fold");
  expect_pairs<TriangleRb>("rb");
  expect_pairs<TriangleRec>("rec");
  expect_pairs<TriangleH>("h");
  expect_pairs<TriangleUtmBlock>("utm-block");
  expect_pairs<TriangleCirculant>("circulant");
}

template <class BuiltIn>
void expect_triples(const std::string& file) {
  const auto map = shipped(file);
  ASSERT_EQ(map->info().domain, Domain::tetrahedron);
  for (const u32 side : sides(40, {64, 100})) {
    expect_same(TypedTetra(side, Diagonal::with, *map), BuiltIn(side, Diagonal::with), file);
    expect_same(TypedTetra(side, Diagonal::without, *map), BuiltIn(side, Diagonal::without), file + " strict");
    EXPECT_TRUE(prove(*map, side).passed()) << file << " " << side;
  }
}

TEST(ShippedMaps, OfTriples) {
  expect_triples<TetraBb>("tetra-bb");
  expect_triples<TetraExact>("tetra");
}

template <class BuiltIn>
void expect_gasket(const std::string& file) {
  const auto map = shipped(file);
  ASSERT_EQ(map->info().domain, Domain::gasket);
  for (u32 levels = 0; levels <= 11; ++levels) {
    expect_same(TypedGasket(levels, *map), BuiltIn(levels), file);
    EXPECT_TRUE(prove(*map, 1u << levels).passed()) << file << " " << levels;
  }
}

TEST(ShippedMaps, OfTheGasket) {
  expect_gasket<GasketBb>("gasket-bb");
  expect_gasket<GasketLambda>("gasket");
  expect_gasket<GasketDigits>("gasket-digits");
}

/// Far from the first sides a walk is too long, but single positions are as quick.
TEST(ShippedMaps, FarOut) {
  const auto lambda = shipped("lambda"), h = shipped("h"), tetra = shipped("tetra");
  u64 seed = 1;
  for (u32 k = 0; k < 2000; ++k) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const u32 side = 1 + static_cast<u32>(seed >> 33) % (1u << 30);
    const TriangleLambda built_in(side, Diagonal::with);
    const Position p{(seed >> 7) % built_in.tile_count(), 0, 0, 0};
    EXPECT_EQ(tile_at<Tile2>(TypedTriangle(side, Diagonal::with, *lambda), p), tile_at<Tile2>(built_in, p));
    EXPECT_EQ(tile_at<Tile2>(TypedTriangle(side, Diagonal::with, *h), p),
              tile_at<Tile2>(TriangleH(side, Diagonal::with), p));
    const u32 layers = 1 + side % 1'000'000;
    const TetraExact solid(layers, Diagonal::with);
    const Position q{(seed >> 7) % solid.tile_count(), 0, 0, 0};
    EXPECT_EQ(tile_at<Tile3>(TypedTetra(layers, Diagonal::with, *tetra), q), tile_at<Tile3>(solid, q));
  }
}

TEST(ShippedMaps, AllAreTested) {
  const std::set<std::string> tested{"bb",     "circulant", "fold", "gasket-bb", "gasket-digits", "gasket",   "h",
                                     "lambda", "rb",        "rec",  "tetra-bb",  "tetra",         "utm-block"};
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(TRI_MAP_FILES))
    found.insert(entry.path().stem().string());
  EXPECT_EQ(found, tested);
}

}  // namespace
}  // namespace tri::mapfile
