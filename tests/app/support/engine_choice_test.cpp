// Which map and block apply to pairs and which to triples.

#include "app/support/engine_choice.hpp"

#include <gtest/gtest.h>

#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

constexpr Domains kPairs{true, false}, kTriples{false, true}, kBoth{true, true};

EngineConfig chosen(std::vector<std::string> maps, std::vector<u32> blocks, Domains domains) {
  CommonOptions common;
  common.maps = std::move(maps), common.blocks = std::move(blocks);
  return engine_config(common, domains, Precision::fp32);
}

TEST(EngineChoice, AMapAppliesToTheDomainsThatHaveIt) {
  EXPECT_EQ(chosen({"fold"}, {}, kPairs).pair_map, TriangleMapId::fold);
  EXPECT_EQ(chosen({"tetra-lut"}, {}, kTriples).triple_map, TetraMapId::tetra_lut);
  const EngineConfig both = chosen({"bb"}, {}, kBoth);
  EXPECT_EQ(both.pair_map, TriangleMapId::bb);
  EXPECT_EQ(both.triple_map, TetraMapId::bb);
}

TEST(EngineChoice, TwoNamesInAnyOrder) {
  for (const auto& names : {std::vector<std::string>{"fold", "bb"}, std::vector<std::string>{"bb", "fold"}}) {
    const EngineConfig c = chosen(names, {}, kBoth);
    EXPECT_EQ(c.pair_map, TriangleMapId::fold);
    EXPECT_EQ(c.triple_map, TetraMapId::bb);
  }
  const EngineConfig c = chosen({"tetra-stream", "h"}, {}, kBoth);
  EXPECT_EQ(c.pair_map, TriangleMapId::h);
  EXPECT_EQ(c.triple_map, TetraMapId::tetra_stream);
}

TEST(EngineChoice, TheRequestedBroadPhase) {
  CommonOptions common;
  EXPECT_EQ(engine_config(common, kPairs, Precision::fp32).broad_phase, BroadPhase::automatic);
  common.broad_phase = BroadPhase::grid;
  EXPECT_EQ(engine_config(common, kPairs, Precision::fp32).broad_phase, BroadPhase::grid);
}

TEST(EngineChoice, NothingIsIgnored) {
  EXPECT_THROW(chosen({"tetra"}, {}, kPairs), ConfigError);
  EXPECT_THROW(chosen({"lambda"}, {}, kTriples), ConfigError);
  EXPECT_THROW(chosen({"lambda", "fold"}, {}, kPairs), ConfigError);
  EXPECT_THROW(chosen({"lambda", "fold"}, {}, kBoth), ConfigError);
  EXPECT_THROW(chosen({"gasket"}, {}, kPairs), ConfigError);
  EXPECT_THROW(chosen({"lamda"}, {}, kPairs), ConfigError);
  EXPECT_THROW(chosen({}, {32, 8}, kPairs), ConfigError);
  EXPECT_THROW(chosen({"bb"}, {}, {false, false}), ConfigError);
}

TEST(EngineChoice, Blocks) {
  EXPECT_EQ(chosen({}, {48}, kPairs).pair_block, 48u);
  EXPECT_EQ(chosen({}, {48}, kPairs).triple_block, 0u);
  EXPECT_EQ(chosen({}, {16}, kBoth).pair_block, 16u);
  EXPECT_EQ(chosen({}, {16}, kBoth).triple_block, 16u);
  EXPECT_EQ(chosen({}, {64, 4}, kBoth).pair_block, 64u);
  EXPECT_EQ(chosen({}, {64, 4}, kBoth).triple_block, 4u);
}

TEST(EngineChoice, PrecisionOfTheCommandUnlessGiven) {
  CommonOptions common;
  EXPECT_EQ(engine_config(common, kPairs, Precision::fp64).precision, Precision::fp64);
  common.precision = Precision::fp32;
  EXPECT_EQ(engine_config(common, kPairs, Precision::fp64).precision, Precision::fp32);
}

TEST(EngineChoice, ChoicesThatDoNothingAreRefusedOrTold) {
  ForceField gravity, spheres, none;
  spheres.pair = PairLaw::contact, none.pair = PairLaw::none;
  CommonOptions common;
  EngineConfig used;
  common.broad_phase = BroadPhase::all_pairs;
  EXPECT_THROW(check_choices(common, gravity), ConfigError);
  EXPECT_NO_THROW(check_choices(common, spheres));
  common = {};
  common.accumulate = Accumulate::ordered;
  EXPECT_THROW(check_choices(common, none), ConfigError);
  EXPECT_NO_THROW(check_choices(common, gravity));
  EXPECT_EQ(check_effect(common, spheres, used, "cpu"), "");
  spheres.contact.impulse = true;
  EXPECT_NE(check_effect(common, spheres, used, "cpu"), "");
  common = {};
  common.blocks = {64};
  used.broad_phase = BroadPhase::grid;
  EXPECT_THROW(check_effect(common, spheres, used, "cuda"), ConfigError);
  EXPECT_EQ(check_effect(common, spheres, used, "cpu"), "") << "whose cells have tiles";
  used.broad_phase = BroadPhase::all_pairs;
  EXPECT_EQ(check_effect(common, spheres, used, "cuda"), "");
  common = {};
  common.tolerance = Tolerance::close;
  used.arithmetic = Arithmetic::float32;
  EXPECT_THROW(check_effect(common, gravity, used, "cuda"), ConfigError);
  used.arithmetic = Arithmetic::tensor;
  EXPECT_EQ(check_effect(common, gravity, used, "cuda"), "");
  common = {};
  common.backend = "auto", common.slice_ms = 20;
  if (chosen_backend(common) == "cpu") {
    EXPECT_THROW(open_backend(common), ConfigError);
  }
  common = {};
  EXPECT_EQ(engine_config(common, {false, true}, Precision::fp64).arithmetic, Arithmetic::automatic);
  common.maps = {"tetra"};  // and not products over pairs
  EXPECT_EQ(engine_config(common, {false, true}, Precision::fp64).arithmetic, Arithmetic::float32);
}

TEST(EngineChoice, WorkThatDevicesDoNotShareIsDoneByTheFirst) {
  CommonOptions common;
  EXPECT_EQ(first_device(common), 0);
  EXPECT_EQ(on_one_device(common).device, common.device) << "nothing was chosen";
  common.devices = {3, 1};
  EXPECT_EQ(first_device(common), 3);
  EXPECT_EQ(on_one_device(common).device, 3);
  EXPECT_TRUE(on_one_device(common).devices.empty());
  common.devices = {kAllDevices};
  EXPECT_EQ(first_device(common), 0);
  EXPECT_EQ(on_one_device(common).device, 0);
  common = {};
  common.device = 2;
  EXPECT_EQ(first_device(common), 2);
  EXPECT_EQ(on_one_device(common).device, 2);
}

TEST(EngineChoice, UnknownBackend) {
  CommonOptions common;
  common.backend = "cpu";
  EXPECT_EQ(open_backend(common)->info().name, "cpu");
}

}  // namespace
}  // namespace tri::app
