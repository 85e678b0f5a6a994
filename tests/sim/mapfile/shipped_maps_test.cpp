// The files of assets/maps are the built-in maps, launch for launch and tile for tile.

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "sim/mapfile/map_file.hpp"
#include "sim/mapfile/proof.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::mapfile {
namespace {

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
