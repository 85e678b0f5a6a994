// Fractals from TOML, their sizes, rules as text, and the copy list of a compact tile.

#include <fstream>
#include <set>

#include "sim/base/error.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/fractal/compact_tile.hpp"
#include "sim/fractal/life_rule_text.hpp"
#include "tests/support/error_messages.hpp"

namespace tri {
namespace {

TEST(FractalFile, TheEmbeddedOnesAreTheFamily) {
  ASSERT_EQ(list_fractals().size(), 4u);
  EXPECT_TRUE(open_fractal("gasket").is_gasket());
  EXPECT_EQ(open_fractal("gasket").shape, FractalShape(kSierpinskiGasket, 2));
  EXPECT_EQ(open_fractal("vicsek").shape, FractalShape(kVicsek, 2));
  EXPECT_EQ(open_fractal("carpet").shape, FractalShape(kCarpet, 2));
  EXPECT_EQ(open_fractal("gasket-3d").shape, FractalShape(kGasket3d, 3));
  EXPECT_FALSE(open_fractal("carpet").is_gasket());
  for (const Fractal& f : list_fractals()) EXPECT_FALSE(f.title.empty());
}

TEST(FractalFile, UserDefined) {
  const std::string path = testing::TempDir() + "/t-square.toml";
  std::ofstream(path) << "scale = 2\ntable = [[0, 0], [1, 1]]\n";
  const Fractal f = open_fractal(path);
  EXPECT_EQ(f.shape.replicas(), 2u);
  EXPECT_EQ(f.shape.dimensions(), 2u);
  EXPECT_EQ(f.title, "fractal F(2, 2)");
  EXPECT_EQ(f.shape.cell(u64{3}, 2), (FractalCell{3, 3, 0}));
}

struct Fault {
  const char* text;
  const char* says;
};

TEST(FractalFile, EachErrorHasItsMessage) {
  const Fault faults[] = {
      {"", "the key scale is missing"},
      {"scale = 2", "the key table is missing"},
      {"table = [[0, 0]]", "the key scale is missing"},
      {"scale = 2\ntabel = [[0, 0]]", "f.toml:2: unknown key 'tabel'. Did you mean 'table'?"},
      {"scale = 9\ntable = [[0, 0]]", "f.toml:1: scale must be an integer from 2 to 8."},
      {"scale = 5\ndimensions = 3\ntable = [[0, 0, 0]]", "scale must be an integer from 2 to 4."},
      {"scale = 1\ntable = [[0, 0]]", "scale must be an integer from 2"},
      {"scale = 2.0\ntable = [[0, 0]]", "scale must be an integer"},
      {"scale = \"2\"\ntable = [[0, 0]]", "scale must be an integer"},
      {"scale = -2\ntable = [[0, 0]]", "scale must be an integer"},
      {"dimensions = 4\nscale = 2\ntable = [[0, 0]]", "dimensions must be an integer from 2 to 3."},
      {"scale = 2\ntable = []", "table must be a list of positions [column, row]."},
      {"scale = 2\ntable = 3", "table must be a list"},
      {"scale = 2\ntable = [[0, 0], 3]", "f.toml:2: each position in the table must be [column, row] in 2 dimensions."},
      {"scale = 2\ntable = [[0, 0, 0]]", "each position in the table must be [column, row]"},
      {"scale = 2\ndimensions = 3\ntable = [[0, 0]]", "[column, row, layer] in 3 dimensions"},
      {"scale = 2\ntable = [[0, 2]]", "a coordinate in the table must be an integer from 0 to 1."},
      {"scale = 2\ntable = [[0, nan]]", "a coordinate in the table must be an integer"},
      {"scale = 2\ntable = [[0, 1],\n[0, 1]]", "f.toml:3: this position is in the table twice"},
      {"scale = 2\ntitle = 3\ntable = [[0, 1]]", "f.toml:2: title must be a string in quotes."},
      {"scale = 2\ntable = [[0, 1]", "f.toml:2:"},
      {"\xff\xfe\x00", "f.toml:1:"},
  };
  for (const Fault& fault : faults) {
    const std::string text = test::message_of<FileError>([&] { fractal_from_text(fault.text, "f.toml"); });
    EXPECT_NE(text.find(fault.says), std::string::npos) << fault.text << "\n -> " << text;
    EXPECT_TRUE(text.starts_with("f.toml")) << text;
  }
}

TEST(FractalFile, DeepNestingIsRefusedBeforeItIsParsed) {
  std::string key = "a";
  for (int dot = 0; dot < 100000; ++dot) key += ".a";
  const auto refused = [](const std::string& text) {
    return test::message_of<FileError>([&] { fractal_from_text(text, "f.toml"); });
  };
  EXPECT_EQ(refused("scale = 2\n" + key + " = 1\n").rfind("f.toml:2: it has a key with more than 32 dots. ", 0), 0u);
  EXPECT_EQ(refused("table = " + std::string(60000, '[')).rfind("f.toml:1: it has more than 32 levels ", 0), 0u);
}

TEST(FractalFile, UnknownNamesAndMissingFiles) {
  EXPECT_NE(test::message_of<ConfigError>([] { open_fractal("vicseck"); }).find("Did you mean 'vicsek'?"),
            std::string::npos);
  EXPECT_NE(test::message_of<FileError>([] { open_fractal("/nowhere/f.toml"); }), "");
  EXPECT_NE(test::message_of<FileError>([] { open_fractal("/tmp/"); }), "") << "a folder";
  const std::string path = testing::TempDir() + "/long.toml";
  std::ofstream(path) << std::string(100000, '#');
  EXPECT_NE(test::message_of<FileError>([&] { open_fractal(path); }).find("64 KiB"), std::string::npos);
}

TEST(FractalFile, EveryPrefixIsAFractalOrAnError) {
  const std::string whole = "title = \"x\"\ndimensions = 2\nscale = 3\ntable = [[1, 0], [0, 1], [1, 1]]\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    try {
      EXPECT_GE(fractal_from_text(whole.substr(0, length), "f.toml").shape.replicas(), 1u);
    } catch (const FileError& error) {
      EXPECT_GT(std::string(error.what()).size(), 10u);
    }
  }
}

TEST(FractalGrid, SidesBlocksAndErrors) {
  const Fractal carpet = open_fractal("carpet");
  const FractalGrid grid = fractal_grid(carpet, 243, 9);
  EXPECT_EQ(grid.levels, 5u);
  EXPECT_EQ(grid.inner, 2u);
  EXPECT_EQ(grid.tile_levels(), 3u);
  const auto refusal = [&](u64 n, u32 block) {
    return test::message_of<ConfigError>([&] { fractal_grid(carpet, n, block); });
  };
  EXPECT_EQ(refusal(100, 3), "carpet needs a side that is a power of 3; n = 100. Use --n 81 or --n 243.");
  EXPECT_NE(refusal(81, 4).find("block = 4. Use --block 27."), std::string::npos) << refusal(81, 4);
  EXPECT_NE(refusal(9, 27).find("at most n = 9"), std::string::npos);
  EXPECT_NE(refusal(0, 1), "");
  EXPECT_NE(refusal(u64{1} << 40, 1), "");
  EXPECT_NE(refusal(9, 0), "") << "0 is no power of the scale";
  EXPECT_NE(test::message_of<ConfigError>([&] { fractal_grid(carpet, 81, 3, 4095); }).find("use --n 27 or less"),
            std::string::npos);
  EXPECT_NO_THROW(fractal_grid(carpet, 81, 3, 4096));
}

TEST(LifeRule, TextRoundTrips) {
  EXPECT_EQ(life_rule_from("B3/S23"), LifeRule{});
  for (const char* text : {"B3/S23", "B/S", "B012345678/S8", "B4.10/S3.10", "B26./S", "B1/S10."}) {
    EXPECT_EQ(to_string(life_rule_from(text)), text);
  }
  EXPECT_EQ(life_rule_from("B1.2/S").birth, 6u);
  EXPECT_EQ(to_string(life_rule_from("B4.5/S3.10")), "B45/S3.10");
  for (const char* text :
       {"", "3/23", "B3S23", "B3/", "b3/s23", "B33/S2", "B3/S2x", "B27./S", "B1..2/S", "B3/S23 ", "B9/Sx"}) {
    EXPECT_THROW(life_rule_from(text), ConfigError) << text;
  }
  EXPECT_EQ(LifeRule{}.next(0, 3), 1);
  EXPECT_EQ(LifeRule{}.next(1, 2), 1);
  EXPECT_EQ(LifeRule{}.next(0, 2), 0);
  EXPECT_EQ(LifeRule{}.next(1, 4), 0);
}

/// The list contains every cell of a tile and of its rim once, at its position in the box.
TEST(CompactTile, ListsEachCellAndTheRim) {
  for (const Fractal& fractal : list_fractals()) {
    const FractalShape& shape = fractal.shape;
    const u32 d = shape.dimensions(), s = shape.scale();
    for (u32 inner = 0; power_of(s, inner) <= 9; ++inner) {
      const u32 block = static_cast<u32>(power_of(s, inner));
      const CompactTile tile = compact_tile(shape, inner);
      ASSERT_EQ(tile.own, fractal_cells(shape, inner));
      std::set<u32> places;
      for (const BoxCell& cell : tile.cells) places.insert(cell.slot);
      EXPECT_EQ(places.size(), tile.cells.size()) << "no position twice";
      u64 expected = 0;
      const u32 layers = d == 3 ? block + 2 : 1;
      for (u32 z = 0; z < layers; ++z) {
        for (u32 y = 0; y < block + 2; ++y) {
          for (u32 x = 0; x < block + 2; ++x) {
            const FractalCell in{(x + block - 1) % block, (y + block - 1) % block,
                                 d == 3 ? (z + block - 1) % block : 0};
            const bool cell = shape.holds(in, inner);
            expected += cell;
            EXPECT_EQ(places.count(x + (block + 2) * (y + (d == 3 ? (block + 2) * z : 0))), cell ? 1u : 0u);
          }
        }
      }
      EXPECT_EQ(tile.cells.size(), expected);
      for (u32 c = 0; c < tile.own; ++c) EXPECT_EQ(tile.cells[c].side, tile.centre());
    }
  }
  EXPECT_TRUE(box_fits(2, 128));
  EXPECT_FALSE(box_fits(2, 256));
  EXPECT_TRUE(box_fits(3, 32));
  EXPECT_FALSE(box_fits(3, 64));
}

}  // namespace
}  // namespace tri
