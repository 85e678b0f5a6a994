// Fractals from TOML, their sizes, rules as text, and the copy list of a compact tile.

#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/fractal/cells.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri {
namespace {

TEST(FractalFile, TheEmbeddedOnesAreTheFamily) {
  ASSERT_EQ(list_fractals().size(), 5u);
  EXPECT_TRUE(open_fractal("gasket").is_gasket());
  EXPECT_EQ(open_fractal("gasket").shape, FractalShape(kSierpinskiGasket, 2));
  EXPECT_EQ(open_fractal("vicsek").shape, FractalShape(kVicsek, 2));
  EXPECT_EQ(open_fractal("carpet").shape, FractalShape(kCarpet, 2));
  EXPECT_EQ(open_fractal("gasket-3d").shape, FractalShape(kGasket3d, 3));
  const FractalShape& sponge = open_fractal("menger").shape;
  EXPECT_EQ(fractal_cells(sponge, 3), 8000u);
  for (u32 place = 0; place < 27; ++place) {  // out of the cube with at most one coordinate in the middle
    const FractalCell cell{place % 3, place / 3 % 3, place / 9};
    EXPECT_EQ(sponge.holds(cell, 1), (cell.x == 1) + (cell.y == 1) + (cell.z == 1) < 2) << place;
  }
  EXPECT_FALSE(open_fractal("carpet").is_gasket());
  for (const Fractal& f : list_fractals()) EXPECT_FALSE(f.title.empty());
}

TEST(FractalFile, UserDefined) {
  const test::TempFolder folder;
  const Fractal f = open_fractal(folder.file("t-square.toml", "scale = 2\ntable = [[0, 0], [1, 1]]\n"));
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
  const test::TempFolder folder;
  const std::string path = folder.file("long.toml", std::string(100000, '#'));
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

// Automata: both storages, every map, placement and block, on every available backend, against an oracle without
// maps and storages: a set of cells built from the definition of the fractal.

using Place = std::array<u32, 3>;

/// The state after `steps` steps, in compact order, from the definition: k shifted copies, and neighbours found by
/// looking up all 8 (26) positions.
std::vector<u8> oracle(const AutomatonSpec& spec, u64 steps) {
  const FractalShape& shape = spec.fractal.shape;
  std::map<Place, u8> cells;
  const std::vector<u8> first = initial_cells(spec);
  const u64 width = packed_width(shape.replicas(), spec.levels);
  std::vector<Place> order(first.size());
  for (u64 c = 0; c < first.size(); ++c) {
    Place at{};
    u64 x = c % width, y = c / width, side = 1;
    for (u32 u = 1; u <= spec.levels; ++u, side *= shape.scale()) {
      u64& from = (u & 1) != 0 ? x : y;
      const FractalCell tau = shape.tau(static_cast<u32>(from % shape.replicas()));
      at = {static_cast<u32>(at[0] + tau.x * side), static_cast<u32>(at[1] + tau.y * side),
            static_cast<u32>(at[2] + tau.z * side)};
      from /= shape.replicas();
    }
    order[c] = at;
    cells[at] = first[c];
  }
  const int layers = shape.dimensions() == 3 ? 1 : 0;
  for (u64 s = 0; s < steps; ++s) {
    std::map<Place, u8> next;
    for (const auto& [at, on] : cells) {
      u32 around = 0;
      for (int dz = -layers; dz <= layers; ++dz) {
        for (int dy = -1; dy <= 1; ++dy) {
          for (int dx = -1; dx <= 1; ++dx) {
            if (dx == 0 && dy == 0 && dz == 0) continue;
            const auto there =
                cells.find({at[0] + static_cast<u32>(dx), at[1] + static_cast<u32>(dy), at[2] + static_cast<u32>(dz)});
            around += there != cells.end() && there->second != 0;
          }
        }
      }
      const u32 counts = on != 0 ? spec.rule.survive : spec.rule.birth;
      next[at] = static_cast<u8>(counts >> around & 1);
    }
    cells = std::move(next);
  }
  std::vector<u8> state;
  for (const Place& at : order) state.push_back(cells.at(at));
  return state;
}

using Automaton = test::OnBackend;
TRI_ON_EVERY_BACKEND(Automaton);

AutomatonSpec spec_of(const std::string& fractal, u32 levels, const char* rule, CellStorage storage) {
  AutomatonSpec spec;
  spec.fractal = open_fractal(fractal);
  spec.levels = levels;
  spec.rule = life_rule_from(rule);
  spec.storage = storage;
  spec.seed = 7;
  return spec;
}

constexpr CellStorage kStorages[] = {CellStorage::embedded, CellStorage::compact};
constexpr GasketPlacement kPlacements[] = {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll};

/// A rule that neither dies out nor becomes static within a hundred steps.
struct World {
  const char* fractal;
  u32 levels;
  const char* rule;
};
constexpr World kWorlds[] = {{"gasket", 5, "B2/S12"},       {"vicsek", 3, "B2/S12"},  {"carpet", 3, "B3/S23"},
                             {"gasket-3d", 4, "B1.3/S2.4"}, {"menger", 2, "B4/S4.5"}, {"gasket", 0, "B0/S"},
                             {"carpet", 1, "B135/S1357"}};

TEST_P(Automaton, EveryConfigurationMatchesTheOracle) {
  for (const World& world : kWorlds) {
    const AutomatonSpec base = spec_of(world.fractal, world.levels, world.rule, CellStorage::compact);
    const std::vector<u8> after = oracle(base, 10);
    if (world.levels > 1) {
      EXPECT_NE(after, initial_cells(base));
    }
    for (const CellStorage storage : kStorages) {
      for (u32 map = 0; map < kGasketMapCount; ++map) {
        for (const GasketPlacement placement : kPlacements) {
          for (u32 inner = 0; inner <= world.levels; ++inner) {
            AutomatonSpec spec = base;
            spec.storage = storage;
            const u32 block = static_cast<u32>(power_of(spec.fractal.shape.scale(), inner));
            if (block > 32 || power_of(block, spec.fractal.shape.dimensions()) > 1024) continue;
            spec.work = {static_cast<GasketMapId>(map), placement, block, 0};
            const auto automaton = backend().make_automaton(spec);
            EXPECT_EQ(automaton->read(), initial_cells(spec));
            automaton->step(10);
            ASSERT_EQ(automaton->read(), after)
                << world.fractal << ", " << to_string(storage) << ", " << gasket_maps()[map].name << ", "
                << to_string(placement) << ", block " << block;
          }
        }
      }
    }
  }
}

TEST_P(Automaton, StoragesAgreeForAHundredSteps) {
  for (const World& world : {World{"gasket", 8, "B2/S12"}, World{"gasket", 7, "B1/S012"}, World{"carpet", 4, "B3/S23"},
                             World{"vicsek", 5, "B2/S12"}, World{"gasket-3d", 5, "B1.3/S2.4"}}) {
    const auto embedded =
        backend().make_automaton(spec_of(world.fractal, world.levels, world.rule, CellStorage::embedded));
    const auto compact =
        backend().make_automaton(spec_of(world.fractal, world.levels, world.rule, CellStorage::compact));
    std::set<u64> states;
    for (u32 s = 0; s < 100; ++s) {
      embedded->step(1);
      compact->step(1);
      const std::vector<u8> state = compact->read();
      states.insert(cells_hash(state));
      ASSERT_EQ(embedded->read(), state) << world.fractal << ", step " << s;
    }
    EXPECT_GT(states.size(), 3u) << "the state changes in " << world.fractal;
    EXPECT_GT(compact->step_ms(), 0);
  }
}

/// Switching maps in flight does not change the state.
TEST_P(Automaton, ConfigurationMayChangeBetweenSteps) {
  const AutomatonSpec spec = spec_of("gasket", 6, "B2/S12", CellStorage::compact);
  const auto one = backend().make_automaton(spec), other = backend().make_automaton(spec);
  one->step(12);
  for (u32 s = 0; s < 12; ++s) {
    other->configure({static_cast<GasketMapId>(s % kGasketMapCount), kPlacements[s % 3], 1u << (s % 6), 0});
    EXPECT_EQ(other->spec().work.block, 1u << (s % 6));
    other->step(1);
  }
  EXPECT_EQ(one->read(), other->read());
  EXPECT_THROW(other->configure({GasketMapId::bb, GasketPlacement::lut, 3, 0}), ConfigError);
  EXPECT_EQ(other->spec().work.block, 1u << (11 % 6)) << "an error changes nothing";
  const LifeRule flip = life_rule_from("B012345678/S");
  other->set_rule(flip);
  const std::vector<u8> before = other->read();
  other->step(1);
  const std::vector<u8> flipped = other->read();
  for (std::size_t c = 0; c < before.size(); ++c) ASSERT_EQ(flipped[c], 1 - before[c]);
}

// Spins: the generator's published words; a sweep by its definition on every map; means of the exact sum over all
// states.

TEST(Spins, TheGeneratorIsPhilox) {
  // Known answers of Random123: counter and key 0, all ones, digits of pi.
  EXPECT_EQ(random_word(0, 0, 0), 0x6627e8d5u);
  EXPECT_EQ(random_word(~u64{0}, ~u64{0}, ~u64{0}), 0x408f276du);
  EXPECT_EQ(random_word(0x299f31d0a4093822ull, 0x85a308d3243f6a88ull, 0x0370734413198a2eull), 0xd16cfe09u);
}

/// The cells in compact order with their places, colours and neighbours, by lookups in the embedding.
struct SpinCells {
  std::vector<u32> colours;
  std::vector<std::vector<std::size_t>> neighbours;
};

SpinCells spin_cells(const AutomatonSpec& spec) {
  const FractalShape& shape = spec.fractal.shape;
  const u64 width = packed_width(shape.replicas(), spec.levels);
  std::vector<FractalCell> places;
  for (u64 c = 0; c < spec.cells(); ++c) {
    places.push_back(shape.cell(PackedCell{static_cast<u32>(c % width), static_cast<u32>(c / width)}, spec.levels));
  }
  SpinCells cells;
  for (const FractalCell& a : places) {
    for (u32 b = 0; b < shape.replicas(); ++b) {
      const FractalCell tau = shape.tau(b);
      if (a.x % shape.scale() == tau.x && a.y % shape.scale() == tau.y && a.z % shape.scale() == tau.z)
        cells.colours.push_back(b);
    }
    auto& near = cells.neighbours.emplace_back();
    for (std::size_t c = 0; c < places.size(); ++c) {
      const int dx = std::abs(int(places[c].x) - int(a.x)), dy = std::abs(int(places[c].y) - int(a.y)),
                dz = std::abs(int(places[c].z) - int(a.z));
      const bool face = dx + dy + dz == 1, corner = std::max({dx, dy, dz}) == 1;
      if (spec.neighbours == SpinNeighbours::faces ? face : corner) near.push_back(c);
    }
  }
  return cells;
}

int spin_energy(const SpinCells& cells, const std::vector<u8>& up) {
  int twice = 0;
  for (std::size_t c = 0; c < up.size(); ++c) {
    for (const std::size_t o : cells.neighbours[c]) twice -= up[c] == up[o] ? 1 : -1;
  }
  return twice / 2;
}

TEST_P(Automaton, ASweepOfSpinsIsMetropolisOnEveryMap) {
  for (const char* scene :
       {"gasket:r=4,temperature=2.5", "carpet:r=2,temperature=3,neighbours=faces", "vicsek:r=3,temperature=1.5",
        "menger:r=1,temperature=4", "gasket-3d:r=3,temperature=2,neighbours=faces", "gasket:r=0,temperature=1"}) {
    const AutomatonSpec base = automaton_from(scene);
    const SpinCells cells = spin_cells(base);
    std::vector<u8> up = initial_cells(base);
    for (u64 sweep = 0; sweep < 5; ++sweep) {
      for (u32 colour = 0; colour < base.fractal.shape.replicas(); ++colour) {
        for (std::size_t c = 0; c < up.size(); ++c) {
          if (cells.colours[c] != colour) continue;
          int h = 0;
          for (const std::size_t o : cells.neighbours[c]) h += up[c] == up[o] ? 1 : -1;
          const double word = random_word(base.seed, c, sweep);
          if (h <= 0 || word < std::floor(std::exp(-2.0 * h / *base.temperature) * 0x1p32)) up[c] ^= 1;
        }
      }
    }
    i64 moment = 0;
    for (const u8 spin : up) moment += spin != 0 ? 1 : -1;
    for (u32 map = 0; map < kGasketMapCount; ++map) {
      for (u32 inner = 0; inner <= base.levels; ++inner) {
        AutomatonSpec spec = base;
        const u32 block = static_cast<u32>(power_of(spec.fractal.shape.scale(), inner));
        spec.work = {static_cast<GasketMapId>(map), kPlacements[inner % 3], block, map % 2 + 1};
        const auto automaton = backend().make_automaton(spec);
        automaton->step(2);
        automaton->step(3);
        ASSERT_EQ(automaton->read(), up) << scene << ", " << gasket_maps()[map].name << ", block " << block;
        EXPECT_EQ(automaton->spin_sums().energy(), spin_energy(cells, up));
        EXPECT_EQ(automaton->spin_sums().magnetisation, moment);
      }
    }
  }
}

TEST_P(Automaton, MeansOfSpinsAreThoseOfAllStates) {
  for (const char* scene : {"gasket:r=2,temperature={}", "gasket:r=2,neighbours=faces,temperature={}"}) {
    for (const char* temperature : {"1.5", "2.5", "4", "10"}) {
      std::string text = scene;
      text.replace(text.find("{}"), 2, temperature);
      AutomatonSpec spec = automaton_from(text);
      spec.work.threads = 1;
      const SpinCells cells = spin_cells(spec);
      double weights = 0, energy = 0, moment = 0;
      for (u32 state = 0; state < 512; ++state) {
        std::vector<u8> up(9);
        for (u32 c = 0; c < 9; ++c) up[c] = state >> c & 1u;
        const double e = spin_energy(cells, up), weight = std::exp(-e / *spec.temperature);
        weights += weight, energy += weight * e, moment += weight * std::abs(2 * std::popcount(state) - 9);
      }
      const auto automaton = backend().make_automaton(spec);
      std::vector<double> energies, moments;
      for (u32 sweep = 0; sweep < 20000; ++sweep) {
        automaton->step(1);
        const SpinSums sums = automaton->spin_sums();
        energies.push_back(static_cast<double>(sums.energy()));
        moments.push_back(std::abs(static_cast<double>(sums.magnetisation)));
      }
      const SpinMean e = second_half(energies), m = second_half(moments);
      EXPECT_GT(e.error, 0);
      EXPECT_LT(e.error, 0.2);
      EXPECT_LT(std::abs(e.mean - energy / weights), 3 * e.error) << text << ": " << e.mean << " +- " << e.error;
      EXPECT_LT(std::abs(m.mean - moment / weights), 3 * m.error) << text << ": " << m.mean << " +- " << m.error;
    }
  }
}

TEST(Spins, WrongScenesAreRefused) {
  for (const auto& [scene, part] : {std::pair{"gasket:temperature=0", "temperature 0 is out of range"},
                                    {"gasket:temperature=nan", "out of range"},
                                    {"gasket:temperature=-1", "above 0"},
                                    {"gasket:temperature=2,storage=embedded", "storage=embedded"}}) {
    AutomatonSpec spec = automaton_from(scene);
    spec.work.block = 1;
    test::expect_parts(test::message_of<ConfigError>([&] { check_automaton(spec); }), {part});
  }
  for (const char* scene : {"gasket:temperature=2,rule=B3/S23", "gasket:neighbours=faces", "gasket:neighbours=some",
                            "gasket:temperature=warm", "triangle-life:temperature=2"}) {
    EXPECT_THROW(automaton_from(scene), ConfigError) << scene;
  }
}

// The triangle: every map and block against a set of cells.

TEST_P(Automaton, TheTriangleMatchesTheOracleOnEveryMap) {
  for (const char* scene : {"triangle-life:n=37,seed=5", "triangle-life:n=1",
                            "triangle-life:n=50,rule=B2/S,density=0.1", "triangle-life:n=64,rule=B1357/S1357"}) {
    const AutomatonSpec base = automaton_from(scene);
    const int n = static_cast<int>(base.triangle);
    std::vector<u8> state = initial_cells(base);
    EXPECT_EQ(state.size(), base.cells());
    const auto at = [&](int i, int j) {
      return i >= 0 && i < n && j >= 0 && j <= i ? state[static_cast<std::size_t>(i * (i + 1) / 2 + j)] : 0;
    };
    for (u32 step = 0; step < 8; ++step) {
      std::vector<u8> next;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
          int living = -at(i, j);
          for (int di = -1; di <= 1; ++di) {
            for (int dj = -1; dj <= 1; ++dj) living += at(i + di, j + dj);
          }
          next.push_back((at(i, j) != 0 ? base.rule.survive : base.rule.birth) >> living & 1u);
        }
      }
      state = next;
    }
    for (u32 map = 0; map < kTriangleMapCount; ++map) {
      for (const u32 block : {0u, 1u, 7u, 16u}) {
        AutomatonSpec spec = base;
        spec.work.triangle_map = static_cast<TriangleMapId>(map), spec.work.block = block, spec.work.threads = 2;
        const auto automaton = backend().make_automaton(spec);
        EXPECT_EQ(automaton->read(), initial_cells(base));
        automaton->step(3);
        CellWork other;
        other.triangle_map = TriangleMapId::fold, other.block = 5;
        automaton->configure(other);
        automaton->step(5);
        ASSERT_EQ(automaton->read(), state) << scene << ", map " << map << ", block " << block;
      }
    }
  }
  for (const char* scene : {"triangle-life:n=0", "triangle-life:n=65537", "triangle-life:rule=B9/S",
                            "triangle-life:r=4", "triangle-life:density=2", "triangle-life:n=x"}) {
    EXPECT_THROW(automaton_from(scene), ConfigError) << scene;
  }
}

TEST(CellsPng, HasItsCellsAndRefusesSolids) {
  const AutomatonSpec spec = automaton_from("triangle-life:n=5");
  const std::string png = cells_png(spec, std::vector<u8>(15, 1));
  // Rows of two bytes after their filter, two bits a pixel: 2 in the cells, 0 beside them.
  EXPECT_NE(png.find(std::string("\0\x80\0\0\xa0\0\0\xa8\0\0\xaa\0\0\xaa\x80", 15)), std::string::npos);
  EXPECT_THROW(cells_png(automaton_from("menger:r=1"), std::vector<u8>(20)), ConfigError);
  EXPECT_THROW(cells_png(automaton_from("triangle-life:n=20000"), {}), ConfigError);
}

// A step, or a sweep of spins, that a progress sink ends was not taken. (A device does not report.)
TEST(CpuAutomaton, AStepIsWholeOrNotTaken) {
  for (AutomatonSpec spec :
       {spec_of("gasket", 7, "B2/S12", CellStorage::embedded), spec_of("gasket", 7, "B2/S12", CellStorage::compact),
        automaton_from("gasket:r=7,temperature=2")}) {
    spec.work.block = 4, spec.work.threads = 1;
    const auto backend = make_backend("cpu");
    const auto cut = backend->make_automaton(spec), whole = backend->make_automaton(spec);
    whole->step(1);
    for (const u32 last : {1u, 2u, 5u}) {
      test::EndingSink sink(last);
      const ScopedProgressSink watching(sink);
      const ScopedTask named("a step");
      EXPECT_THROW(cut->step(1), InterruptedError) << last;
      EXPECT_EQ(cut->read(), initial_cells(spec)) << last;
    }
    cut->step(1);
    EXPECT_EQ(cut->read(), whole->read());
  }
}

TEST(AutomatonSpec, FirstStateFollowsDensityAndSeed) {
  AutomatonSpec spec = spec_of("gasket", 9, "B3/S23", CellStorage::compact);
  const auto on = [&] {
    const auto s = initial_cells(spec);
    return std::count(s.begin(), s.end(), 1);
  };
  spec.density = 0;
  EXPECT_EQ(on(), 0);
  spec.density = 1;
  EXPECT_EQ(on(), 19683);
  spec.density = 0.25;
  EXPECT_NEAR(static_cast<double>(on()), 19683 * 0.25, 4 * std::sqrt(19683 * 0.25 * 0.75));
  const std::vector<u8> seven = initial_cells(spec);
  spec.seed = 8;
  EXPECT_NE(initial_cells(spec), seven);
}

TEST_P(Automaton, Errors) {
  const auto refused = [&](const auto& change, const char* says) {
    AutomatonSpec spec = spec_of("gasket", 6, "B3/S23", CellStorage::compact);
    change(spec);
    const std::string text = test::message_of<ConfigError>([&] { backend().make_automaton(spec); });
    EXPECT_NE(text.find(says), std::string::npos) << text;
  };
  refused([](AutomatonSpec& s) { s.levels = 40; }, "r = 40");
  refused([](AutomatonSpec& s) { s.density = 1.5; }, "density 1.5");
  refused([](AutomatonSpec& s) { s.work.block = 12; }, "power of 2");
  refused([](AutomatonSpec& s) { s.work.block = 128; }, "at most n = 64");
  refused(
      [](AutomatonSpec& s) {
        s.work.placement = GasketPlacement::sectors;
        s.work.block = 32;
      },
      "constant writes");
  refused([](AutomatonSpec& s) { s.levels = 12, s.work.block = 1024; }, "--block 128 or less");
}

TEST(AutomatonSpec, TooManyLevelsNameTheLimit) {
  AutomatonSpec spec = spec_of("gasket", 20, "B3/S23", CellStorage::compact);
  spec.work.block = 32;
  EXPECT_NO_THROW(check_automaton(spec));
  spec.levels = 21;
  test::expect_parts(test::message_of<ConfigError>([&] { check_automaton(spec); }),
                     {"gasket has at most 20 levels", "Use r=20"});
}

TEST(AutomatonSpec, MemorySaved) {
  AutomatonSpec spec = spec_of("gasket", 10, "B3/S23", CellStorage::compact);
  EXPECT_EQ(memory_text(spec), "57.7 KiB, 17.8 times less than the 1.0 MiB of embedded storage");
  EXPECT_EQ(spec.bytes(), 59049);
  spec.storage = CellStorage::embedded;
  EXPECT_EQ(memory_text(spec), "1.0 MiB");
  EXPECT_EQ(from_name<CellStorage>("compact"), CellStorage::compact);
  EXPECT_THROW(from_name<CellStorage>("dense"), ConfigError);
  EXPECT_EQ(from_name<GasketPlacement>("unroll"), GasketPlacement::unroll);
}

}  // namespace
}  // namespace tri
