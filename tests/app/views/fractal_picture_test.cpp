// Pictures of automata against plain means over the square, and the automaton behind the view.

#include "app/views/fractal_picture.hpp"

#include <cmath>

#include "app/views/fractal_world.hpp"
#include "sim/base/error.hpp"
#include "sim/base/splitmix64.hpp"

namespace tri::app {
namespace {

/// The mean over the cells of a texel, cell by cell.
float plain_mean(const AutomatonSpec& spec, const std::vector<u8>& cells, u32 col, u32 row, u32 step) {
  const FractalShape& shape = spec.fractal.shape;
  const u32 n = static_cast<u32>(power_of(shape.scale(), spec.levels));
  const u64 width = packed_width(shape.replicas(), spec.levels);
  u64 on = 0, count = 0;
  for (u32 z = 0; z < (shape.dimensions() == 3 ? n : 1); ++z) {
    for (u32 y = row; y < std::min(row + step, n); ++y) {
      for (u32 x = col; x < std::min(col + step, n); ++x) {
        if (!shape.holds({x, y, z}, spec.levels)) continue;
        const PackedCell at = shape.pack({x, y, z}, spec.levels);
        on += cells[at.x + at.y * width];
        ++count;
      }
    }
  }
  return count == 0 ? NAN : static_cast<float>(static_cast<double>(on) / static_cast<double>(count));
}

TEST(FractalPicture, EveryTexelIsTheMeanOfItsCells) {
  for (const auto& [name, levels] : {std::pair{"gasket", 7u}, std::pair{"gasket", 6u}, std::pair{"carpet", 3u},
                                     std::pair{"vicsek", 4u}, std::pair{"gasket-3d", 4u}, std::pair{"gasket", 0u}}) {
    AutomatonSpec spec;
    spec.fractal = open_fractal(name);
    spec.levels = levels;
    const std::vector<u8> cells = initial_cells(spec);
    FractalPicture picture(spec.fractal.shape, levels);
    picture.update(cells);
    EXPECT_EQ(picture.on(), static_cast<u64>(std::count(cells.begin(), cells.end(), 1)));
    SplitMix64 random{5};
    for (u32 trial = 0; trial < 40; ++trial) {
      const u32 step = 1u << static_cast<u32>(random.uniform() * 5), n = picture.side();
      const u32 col = static_cast<u32>(random.uniform() * n) / step * step;
      const u32 row = static_cast<u32>(random.uniform() * n) / step * step;
      const u32 cols = 1 + static_cast<u32>(random.uniform() * 9), rows = 1 + static_cast<u32>(random.uniform() * 9);
      std::vector<float> out(cols * rows);
      picture.read(col, row, cols, rows, step, out);
      for (u32 j = 0; j < rows; ++j) {
        for (u32 i = 0; i < cols; ++i) {
          const float wanted = plain_mean(spec, cells, col + i * step, row + j * step, step);
          const float got = out[j * cols + i];
          ASSERT_TRUE((std::isnan(wanted) && std::isnan(got)) || wanted == got)
              << name << " step " << step << ": " << got << " for " << wanted;
        }
      }
    }
  }
}

FractalWorld::MakeBackend cpu() {
  return [] { return make_backend("cpu"); };
}

TEST(FractalWorld, RunsAndAppliesRequests) {
  FractalWorld world(cpu());
  FractalChoice choice;
  choice.scene = "gasket:r=6,rule=B2/S12,seed=3";
  choice.running = false;
  world.apply(choice);
  ASSERT_NE(world.automaton(), nullptr);
  EXPECT_EQ(choice.error, "");
  choice.pending_steps = 5;
  world.advance(choice, 1, 0);
  EXPECT_EQ(choice.steps, 5u);
  const auto alone = make_backend("cpu")->make_automaton(automaton_from(choice.scene));
  alone->step(5);
  EXPECT_EQ(world.hash(), cells_hash(alone->read()));
  const std::vector<u8> state = alone->read();
  EXPECT_EQ(world.picture().on(), static_cast<u64>(std::count(state.begin(), state.end(), 1)));

  choice.work = {GasketMapId::bb, GasketPlacement::unroll, 8, 0};
  world.apply(choice);
  EXPECT_EQ(world.automaton()->spec().work.map, GasketMapId::bb) << "switched in flight";
  EXPECT_EQ(world.hash(), cells_hash(state)) << "the state is kept";
  choice.pending_steps = 1;
  world.advance(choice, 0, 0);
  alone->step(1);
  EXPECT_EQ(world.hash(), cells_hash(alone->read()));

  choice.work.block = 3;
  world.apply(choice);
  EXPECT_NE(choice.error.find("power of 2"), std::string::npos) << choice.error;
  EXPECT_EQ(world.automaton()->spec().work.block, 8u);
  choice.scene = "gaskt:r=6";
  world.apply(choice);
  EXPECT_NE(choice.error, "");
  EXPECT_EQ(world.hash(), cells_hash(alone->read())) << "a rejected request changes nothing";
  choice.scene = "carpet:r=3";
  choice.work.block = 0;
  world.apply(choice);
  EXPECT_EQ(choice.error, "");
  EXPECT_EQ(world.automaton()->spec().fractal.name, "carpet");
  EXPECT_EQ(choice.steps, 0u);
}

TEST(FractalWorld, StepsAtTheRequestedRateWithinTheFrameBudget) {
  FractalWorld world(cpu());
  FractalChoice choice;
  choice.scene = "gasket:r=5";
  choice.speed = 50;
  world.apply(choice);
  for (u32 frame = 0; frame < 20; ++frame) world.advance(choice, 0.05, 10);
  EXPECT_NEAR(static_cast<double>(choice.steps), 50, 1);
  choice.speed = 1e9;
  const u64 before = choice.steps;
  world.advance(choice, 0.05, 0);
  EXPECT_EQ(choice.steps, before + 1) << "one at least; the rest does not fit";
}

TEST(AutomatonText, KeysAndErrors) {
  const AutomatonSpec spec =
      automaton_from("vicsek:r=4,rule=B1/S,density=0.5,seed=9,storage=embedded,placement=unroll");
  EXPECT_EQ(spec.fractal.name, "vicsek");
  EXPECT_EQ(spec.levels, 4u);
  EXPECT_EQ(spec.rule.birth, 2u);
  EXPECT_EQ(spec.density, 0.5);
  EXPECT_EQ(spec.seed, 9u);
  EXPECT_EQ(spec.storage, CellStorage::embedded);
  EXPECT_EQ(spec.work.placement, GasketPlacement::unroll);
  EXPECT_EQ(automaton_from("gasket").levels, 10u);
  EXPECT_TRUE(names_automaton("gasket-3d:r=2"));
  EXPECT_TRUE(names_automaton("fractal:file=a.toml"));
  EXPECT_FALSE(names_automaton("plummer:n=3"));
  for (const char* bad : {"gasket:r", "gasket:=3", "gasket:r=3,r=4", "gasket:levels=3", "gasket:r=x", "gasket:r=-1",
                          "gasket:density=x", "gasket:rule=3", "gasket:storage=full", "gasket:file=a.toml", "fractal",
                          "fractal:r=3", "fractal:file=gasket", "gasket:seed=1.5", "gasket:r=3,"}) {
    EXPECT_THROW(automaton_from(bad), ConfigError) << bad;
  }
}

}  // namespace
}  // namespace tri::app
