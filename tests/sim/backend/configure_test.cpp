// Changes of configuration between steps.

#include "sim/model/integrator.hpp"
#include "tests/sim/backend/cases.hpp"

namespace tri::test {
namespace {

using Configure = BackendTest;
TRI_ON_EVERY_BACKEND(Configure);

TEST_P(Configure, IsCompletedAndChangedInFlight) {
  const auto engine = backend().make_engine(cloud_bodies(100), gravity_field(), {});
  EXPECT_GT(engine->config().pair_block, 0u);
  EXPECT_GT(engine->config().threads, 0u);
  const bool cpu = !cuda();
  EXPECT_EQ(engine->config().triple_block > 0, cpu) << "the device chooses where there is a triple law";
  const u64 before = engine->state_hash();
  const u32 block = cpu ? 7 : 256;
  engine->configure(config_of(Precision::fp32, Accumulate::ordered, TriangleMapId::fold, block, 1));
  engine->set_field(lennard_jones_field());
  EXPECT_EQ(engine->state_hash(), before);
  EXPECT_EQ(engine->config().pair_block, block);
  EXPECT_THROW(engine->configure(config_of(Precision::fp64, Accumulate::fast)), ConfigError);
  // More threads than available; a tile side without a device kernel.
  EXPECT_THROW(engine->configure(config_of(Precision::fp32, Accumulate::fast, TriangleMapId::lambda, 7, 5000)),
               ConfigError);
  ForceField bad = gravity_field();
  bad.gravity.softening = -1;
  EXPECT_THROW(engine->set_field(bad), ConfigError);
  EXPECT_EQ(engine->config().pair_map, TriangleMapId::fold) << "a refused change leaves everything";
}

TEST_P(Configure, WorkOfAnEarlierConfigurationIsThatOfANewEngine) {
  // More configurations than an engine keeps, each twice, with steps in between that it may have recorded.
  std::vector<EngineConfig> configs;
  for (const TriangleMapId map : {TriangleMapId::bb, TriangleMapId::lambda, TriangleMapId::fold, TriangleMapId::h,
                                  TriangleMapId::circulant, TriangleMapId::lambda_lut}) {
    for (const u32 block : {128u, 256u, 512u})
      configs.push_back(config_of(Precision::fp64, Accumulate::fast, map, block));
  }
  ForceField field = gravity_field();
  const auto engine = backend().make_engine(cloud_bodies(300), field, configs.front());
  for (int round = 0; round < 4; ++round) {
    if (round == 2) {
      field.gravity.softening *= 8;
      engine->set_field(field);
    }
    for (const EngineConfig& config : configs) {
      engine->configure(config);
      EXPECT_EQ(engine->config().pair_map, config.pair_map);
      EXPECT_EQ(engine->config().pair_block, config.pair_block);
      const Bodies before = engine->read();
      engine->advance(Integrator::kdk, 1e-3, 40);
      const auto other = backend().make_engine(before, field, config);
      other->advance(Integrator::kdk, 1e-3, 40);
      EXPECT_LE(largest_difference(engine->read(), other->read()), 1e-11) << info(config.pair_map).name;
    }
  }
}

}  // namespace
}  // namespace tri::test
