// Ordered accumulation: the same bits whatever the map, the tile side and the threads.

#include "sim/cpu/engine/cpu_engine.hpp"
#include "tests/sim/backend/cases.hpp"

namespace tri::test {
namespace {

class Ordered : public BackendTest {
 protected:
  void check_pairs(const Bodies& bodies, const ForceField& field);
};
TRI_ON_EVERY_BACKEND(Ordered);

bool same_forces(const ForceResult& a, const ForceResult& b) {
  return same_bits(a.fx, b.fx) && same_bits(a.fy, b.fy) && same_bits(a.fz, b.fz);
}

void Ordered::check_pairs(const Bodies& bodies, const ForceField& field) {
  const u32 n = static_cast<u32>(bodies.size());
  for (Precision precision : kPrecisions) {
    const auto engine = backend().make_engine(bodies, field, config_of(precision, Accumulate::ordered));
    const ForceResult first = engine->forces();
    for (u32 threads : {1u, 2u, 3u}) {
      for (u32 block : force_blocks(awkward_blocks())) {
        for (TriangleMapId map : force_maps(threads == 2 ? usable_maps(n, block) : some_maps(n, block))) {
          const EngineConfig config = config_of(precision, Accumulate::ordered, map, block, threads);
          engine->configure(config);
          ASSERT_TRUE(same_forces(engine->forces(), first)) << describe(config, n);
        }
      }
    }
  }
}

TEST_P(Ordered, GravityIsBitEqualOverMapsBlocksAndThreads) {
  for (u32 n : {2u, 33u, 257u, 700u}) check_pairs(cloud_bodies(n), gravity_field());
}

TEST_P(Ordered, OtherLawsAreBitEqual) {
  check_pairs(lattice_bodies(257), lennard_jones_field(2.5));
  check_pairs(cloud_bodies(257), contact_field());
}

TEST_P(Ordered, TriplesAreBitEqualOverMapsBlocksAndThreads) {
  const Bodies bodies = lattice_bodies(65);
  for (Precision precision : kPrecisions) {
    EngineConfig config = config_of(precision, Accumulate::ordered);
    const auto engine = backend().make_engine(bodies, argon_field(), config);
    const ForceResult first = engine->forces();
    for (u32 threads : {1u, 2u, 3u}) {
      for (u32 block : triple_blocks(awkward_blocks())) {
        for (TetraMapId map : usable_triple_maps(65, block)) {
          config.triple_map = map;
          config.triple_block = block;
          config.threads = threads;
          engine->configure(config);
          ASSERT_TRUE(same_forces(engine->forces(), first)) << describe(config, 65);
        }
      }
    }
  }
}

// The hash after some steps, which covers everything between the forces and the state.
TEST_P(Ordered, TrajectoriesHaveOneHash) {
  struct Case {
    const char* what;
    Bodies bodies;
    ForceField field;
  };
  const Case cases[] = {{"gravity", cloud_bodies(130), gravity_field()},
                        {"contact", cloud_bodies(130), contact_field()},
                        {"argon", lattice_bodies(40), argon_field()}};
  for (const Case& c : cases) {
    for (Precision precision : kPrecisions) {
      u64 hash = 0;
      for (u32 block : force_blocks({1, 8, 64, 100})) {
        for (TriangleMapId map : force_maps(usable_maps(130, block))) {
          const auto engine = backend().make_engine(
              c.bodies, c.field, config_of(precision, Accumulate::ordered, map, block, 1 + block % 2));
          engine->advance(Integrator::kdk, 1e-3, 5);
          if (hash == 0) hash = engine->state_hash();
          ASSERT_EQ(engine->state_hash(), hash) << c.what << ", " << describe(engine->config(), 130);
        }
      }
    }
  }
}

// Forces are a function of the state alone: evaluations in between, and splitting a run, leave no trace.
TEST_P(Ordered, HistoryLeavesNoTrace) {
  for (Precision precision : kPrecisions) {
    const EngineConfig config = config_of(precision, Accumulate::ordered);
    const auto whole = backend().make_engine(cloud_bodies(100), gravity_field(), config);
    const auto cut = backend().make_engine(cloud_bodies(100), gravity_field(), config);
    whole->advance(Integrator::yoshida4, 1e-2, 6);
    cut->advance(Integrator::yoshida4, 1e-2, 3);
    cut->forces();
    cut->diagnose();
    const auto restarted = backend().make_engine(cut->read(), gravity_field(), config);
    restarted->advance(Integrator::yoshida4, 1e-2, 3);
    EXPECT_EQ(restarted->state_hash(), whole->state_hash());
    cut->advance(Integrator::yoshida4, 1e-2, 3);
    EXPECT_EQ(cut->state_hash(), whole->state_hash());
  }
}

// The cuda backend rounds the sums to its precision.
TEST(CpuOrdered, MomentumIsConservedToTheQuantum) {
  const auto engine = make_backend("cpu")->make_engine(lattice_bodies(65), triple_field(),
                                                       config_of(Precision::fp32, Accumulate::ordered));
  const ForceResult f = engine->forces();
  double sum = 0;
  for (double v : f.fx) sum += v;
  EXPECT_EQ(sum, 0.0) << "multiples of one quantum add to exactly nothing";
}

// Data of any scale: the quantum follows, and a coarse one costs no precision.
TEST_P(Ordered, QuantumFollowsTheScale) {
  for (double scale : {1e-12, 1e-6, 1.0, 1e6, 1e12}) {
    Bodies b = cloud_bodies(200);
    for (double& m : b.m) m *= scale;
    const auto engine = backend().make_engine(b, gravity_field(), config_of(Precision::fp64, Accumulate::ordered));
    expect_close(engine->forces(), reference_forces(b, gravity_field()), Precision::fp64, std::to_string(scale));
  }
}

TEST_P(Ordered, QuantumOfTriplesFollowsTheScale) {
  const Bodies b = lattice_bodies(40);
  for (double scale : {1e-30, 1e-12, 1.0, 1e12, 1e30}) {
    ForceField field = triple_field();
    field.axilrod_teller.nu = scale;
    const auto engine = backend().make_engine(b, field, config_of(Precision::fp64, Accumulate::ordered));
    expect_close(engine->forces(), reference_forces(b, field), Precision::fp64, std::to_string(scale));
  }
}

/// Two bodies whose contribution is `size`, in float64.
cpu::BodyStore<double> two_bodies(double size) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, size);
  b.add(1, 0, 0, 0, 0, 0, size);
  return cpu::BodyStore<double>(b);
}

// A contribution anywhere in a bucket, including its edges, is accurate to a relative 2^-49.
TEST(CpuOrdered, EveryBinadeFitsTheFixedPoint) {
  const cpu::Walk<TriangleMapId> walk{TriangleMapId::lambda, cpu::triangle_grid(TriangleMapId::lambda, 2, 2), 1};
  cpu::ForceSums sums;
  for (int e = -400; e <= 400; ++e) {
    for (double size : {std::ldexp(1.0, e), std::nextafter(std::ldexp(2.0, e), 0.0), std::ldexp(1.37, e)}) {
      const auto store = two_bodies(size);
      sums.add_pairs(gravity_field(0), store.view(), walk, Accumulate::ordered);
      ASSERT_LE(sums.attempts(), 2u);
      ASSERT_NEAR(sums.x[0] / size, 1.0, 0x1p-49) << e;
      ASSERT_EQ(sums.x[1], -sums.x[0]);
    }
  }
}

}  // namespace
}  // namespace tri::test
