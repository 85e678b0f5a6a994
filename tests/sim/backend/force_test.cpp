// Forces of every law against the float64 oracle: whole arrays, awkward sizes and tile sides, every map.

#include "tests/sim/backend/cases.hpp"

namespace tri::test {
namespace {

class Forces : public BackendTest {
 protected:
  void check_pairs(const Bodies& given, const ForceField& field, const std::vector<u32>& cpu_blocks);
  void check_triples(const Bodies& given, const ForceField& field, const std::vector<u32>& cpu_blocks);
};
TRI_ON_EVERY_BACKEND(Forces);

/// Forces against the oracle: all usable maps at the middle tile side, one map of each kind at the others.
void Forces::check_pairs(const Bodies& given, const ForceField& field, const std::vector<u32>& cpu_blocks) {
  const std::vector<u32> blocks = force_blocks(cpu_blocks);
  for (Precision precision : kPrecisions) {
    const Bodies bodies = as_held(given, precision);
    const ReferenceForces expected = reference_forces(bodies, field);
    const u32 n = static_cast<u32>(bodies.size());
    const auto engine = backend().make_engine(bodies, field, config_of(precision, Accumulate::fast));
    for (Accumulate accumulate : kAccumulates) {
      for (u32 block : blocks) {
        const bool all = block == blocks[blocks.size() / 2];
        for (TriangleMapId map : force_maps(all ? usable_maps(n, block) : some_maps(n, block))) {
          const EngineConfig config = config_of(precision, accumulate, map, block, 2);
          engine->configure(config);
          const ForceResult got = engine->forces();
          expect_close(got, expected, precision, describe(config, n));
          EXPECT_EQ(got.work_items, u64{n} * (n - 1) / 2);
          EXPECT_NEAR(got.potential, expected.potential, 1e-12 * (1 + std::fabs(expected.potential)));
          EXPECT_NEAR(got.virial, expected.virial, 1e-11 * (1 + std::fabs(expected.virial)));
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_P(Forces, GravityOverSizesMapsAndBlocks) {
  for (u32 n : awkward_sizes()) check_pairs(cloud_bodies(n), gravity_field(), awkward_blocks());
}

TEST_P(Forces, GravityWithoutSoftening) { check_pairs(cloud_bodies(257, 7), gravity_field(0), {8, 32, 100}); }

TEST_P(Forces, LennardJones) {
  for (u32 n : {1u, 2u, 33u, 127u}) check_pairs(lattice_bodies(n), lennard_jones_field(), awkward_blocks());
}

TEST_P(Forces, LennardJonesWithCutoff) {
  ForceField field = lennard_jones_field(2.5);
  field.lennard_jones.shifted = true;
  for (u32 n : {65u, 257u}) check_pairs(lattice_bodies(n), field, {1, 16, 100});
}

TEST_P(Forces, ContactWithWalls) {
  for (u32 n : {1u, 2u, 33u, 257u, 1000u}) check_pairs(cloud_bodies(n), contact_field(), {3, 32, 100});
}

// A tile side far above the kernel's piece size must be cut correctly.
TEST_P(Forces, TilesLargerThanAPiece) { check_pairs(cloud_bodies(1000), gravity_field(), {255, 256, 257, 600, 5000}); }

void Forces::check_triples(const Bodies& given, const ForceField& field, const std::vector<u32>& cpu_blocks) {
  const std::vector<u32> blocks = triple_blocks(cpu_blocks);
  for (Precision precision : kPrecisions) {
    const Bodies bodies = as_held(given, precision);
    const ReferenceForces expected = reference_forces(bodies, field);
    const u32 n = static_cast<u32>(bodies.size());
    for (Accumulate accumulate : kAccumulates) {
      for (u32 block : blocks) {
        for (TetraMapId map : usable_triple_maps(n, block)) {
          EngineConfig config = config_of(precision, accumulate, TriangleMapId::lambda, force_blocks({16}).front(), 2);
          config.triple_map = map;
          config.triple_block = block;
          const auto engine = backend().make_engine(bodies, field, config);
          const ForceResult got = engine->forces();
          expect_close(got, expected, precision, describe(config, n));
          const u64 triples = n < 3 ? 0 : u64{n} * (n - 1) * (n - 2) / 6;
          EXPECT_EQ(got.work_items, triples + (field.pair == PairLaw::none ? 0 : u64{n} * (n - 1) / 2));
          EXPECT_NEAR(got.potential, expected.potential, 1e-12 * (1 + std::fabs(expected.potential)));
          EXPECT_NEAR(got.virial, expected.virial, 1e-11 * (1 + std::fabs(expected.virial)));
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_P(Forces, AxilrodTellerOverSizesMapsAndBlocks) {
  for (u32 n : {1u, 2u, 3u, 4u, 31u, 32u, 33u, 65u})
    check_triples(lattice_bodies(n), triple_field(), {1, 3, 8, 16, 32, 100});
}

TEST_P(Forces, AxilrodTellerBeyondOnePiece) { check_triples(lattice_bodies(97), triple_field(), {7, 45, 97}); }

TEST_P(Forces, ArgonIsBothLaws) { check_triples(lattice_bodies(65), argon_field(), {8, 32}); }

}  // namespace
}  // namespace tri::test
