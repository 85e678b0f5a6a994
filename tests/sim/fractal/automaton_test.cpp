// Automata: both storages, every map, placement and block, on every available backend, against an oracle without
// maps and storages: a set of cells built from the definition of the fractal.

#include <map>
#include <set>

#include "sim/base/progress.hpp"
#include "sim/fractal/life_rule_text.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/error_messages.hpp"

namespace tri {
namespace {

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
constexpr World kWorlds[] = {{"gasket", 5, "B2/S12"},       {"vicsek", 3, "B2/S12"}, {"carpet", 3, "B3/S23"},
                             {"gasket-3d", 4, "B1.3/S2.4"}, {"gasket", 0, "B0/S"},   {"carpet", 1, "B135/S1357"}};

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

/// Ends the work at its report number `last`.
class EndingSink final : public ProgressSink {
 public:
  explicit EndingSink(int last) : left_(last) {}
  void report(const ProgressReport&) override {
    if (--left_ == 0) throw InterruptedError("enough");
  }

 private:
  int left_;
};

// A step that a progress sink ends was not taken. (A device does not report.)
TEST(CpuAutomaton, AStepIsWholeOrNotTaken) {
  for (const CellStorage storage : kStorages) {
    AutomatonSpec spec = spec_of("gasket", 7, "B2/S12", storage);
    spec.work.block = 4, spec.work.threads = 1;
    const auto backend = make_backend("cpu");
    const auto cut = backend->make_automaton(spec), whole = backend->make_automaton(spec);
    whole->step(1);
    for (const int last : {1, 2, 5}) {
      EndingSink sink(last);
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
  EXPECT_EQ(cell_storage_from("compact"), CellStorage::compact);
  EXPECT_THROW(cell_storage_from("dense"), ConfigError);
  EXPECT_EQ(placement_from("unroll"), GasketPlacement::unroll);
}

}  // namespace
}  // namespace tri
