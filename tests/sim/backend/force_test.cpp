// Forces of every law against the float64 oracle: whole arrays, awkward sizes and tile sides, every map.

#include <cmath>

#include <gtest/gtest.h>

#include "sim/backend/engine.hpp"
#include "sim/cpu/cpu_engine.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/reference/reference.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/expect.hpp"

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

// Ordered accumulation: the same bits whatever the map, the tile side and the threads.

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

// Where sums on tensor cores apply, and what a backend without them says.

TEST(Arithmetic, BodiesOnALineAreFound) {
  Bodies line, thin, plane;
  for (int i = 0; i < 1000; ++i) {
    const double t = i * 0.01, side = i % 2 == 0 ? 1 : -1;
    line.add(1e3 + t, -2 * t, 0.5 * t + 7, 0, 0, 0, 1);
    thin.add(t + 0.01 * side, -2 * t, 0.5 * t + 0.01 * (i % 3 - 1), 0, 0, 0, 1);
    plane.add(t, i % 31, 4, 0, 0, 0, 1);
  }
  EXPECT_TRUE(on_a_line(line));
  EXPECT_FALSE(on_a_line(thin));
  EXPECT_FALSE(on_a_line(plane));
  EXPECT_FALSE(on_a_line(cloud_bodies(100)));
  Bodies point;
  for (int i = 0; i < 5; ++i) point.add(3, 4, 5, 0, 0, 0, 1);
  EXPECT_TRUE(on_a_line(point));
}

TEST(Arithmetic, TensorCoresAreOfTriples) {
  EngineConfig config;
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    config.precision = precision;
    EXPECT_EQ(tensor_refusal(triple_field(), config), "");
  }
}

TEST(Arithmetic, TensorCoresAreOfGravityInFp32) {
  EngineConfig config;
  EXPECT_EQ(tensor_refusal(gravity_field(), config), "");
  EXPECT_NE(tensor_refusal(lennard_jones_field(), config).find("lennard-jones"), std::string::npos);
  EXPECT_NE(tensor_refusal(contact_field(), config).find("contact"), std::string::npos);
  config.precision = Precision::fp64;
  EXPECT_NE(tensor_refusal(gravity_field(), config).find("--precision fp32"), std::string::npos);
}

TEST(Arithmetic, TheCpuRefusesTensorCoresAndSaysWhatItUses) {
  const auto backend = make_backend("cpu");
  EngineConfig config;
  EXPECT_EQ(backend->make_engine(cloud_bodies(10), gravity_field(), config)->config().arithmetic, Arithmetic::float32);
  config.arithmetic = Arithmetic::tensor;
  const std::string text =
      message_of<ConfigError>([&] { backend->make_engine(cloud_bodies(10), gravity_field(), config); });
  EXPECT_NE(text.find("the cpu backend has no tensor cores"), std::string::npos) << text;
  BenchSpec spec;
  spec.kernel = BenchKernel::gravity, spec.arithmetic = BenchArithmetic::tensor;
  EXPECT_NE(message_of<ConfigError>([&] { backend->make_bench(spec); }).find("tensor"), std::string::npos);
}

// Typed laws on every backend: against the oracle, against the built-in laws retyped, and equal in every bit over
// maps, blocks and threads where sums are ordered.

using TypedLaws = OnBackend;
TRI_ON_EVERY_BACKEND(TypedLaws);

struct TypedCase {
  const char* name;
  const char* text;
  double tolerance32 = 2e-5;  ///< of a force, relative to the largest
};

constexpr TypedCase kPairCases[] = {
    {"gravity", "-G*mi*mj/r; G = 1.5; softening = 0.05"},
    {"lennard-jones", "4*eps*((s/r)^12 - (s/r)^6); eps = 1.2; s = 0.9; cutoff = 2.5; shifted = 1"},
    {"morse", "D*((1 - exp(-a*(r - d)))^2 - 1); D = 1; a = 1.5; d = 1.1"},
    {"ions", "qi*qj*erfc(alpha*r)/r + A*exp(-r/rho); alpha = 0.9; A = 3; rho = 0.4"},
    {"springs", "k*o^2/2*step(o); o = ri + rj - r; k = 10"},
    {"spring between all", "k*r^2/2; k = 0.01"},
    {"masses of another kind", "sqrt(mi + mj)*log(1 + r)"},
    {"functions",
     "sin(r) + cos(2*r) + tan(r/9) + asin(r/20) + acos(r/20) + atan(r) + atan2(r, 2) + sinh(r/9) + cosh(r/9) + tanh(r) "
     "+ erf(r) + r^2.3 + abs(r - 2) + min(r, 2) + max(r, 1.5)",
     1e-4},
};

/// The triple-dipole law of Axilrod and Teller by its sides, one with fewer powers, and a constant slope.
constexpr const char* kAxilrodTeller =
    "nu*(1 + 3*x*y*z/(8*a^2*b^2*c^2))/(a*b*c)^3; x = a^2 + b^2 - c^2; y = b^2 + c^2 - a^2; z = c^2 + a^2 - b^2; "
    "nu = 0.072";
constexpr TypedCase kTripleCases[] = {{"axilrod-teller", kAxilrodTeller, 1e-4},
                                      {"exponential", "k*exp(-(a + b + c)/L); k = 1; L = 2"},
                                      {"springs", "k*(a^2 + b^2 + c^2); k = 0.01"}};

Bodies charged(u32 n) {
  Bodies b = lattice_bodies(n);
  for (u32 i = 0; i < n; ++i) b.q.push_back(i % 2 == 0 ? 1 : -0.75);
  return b;
}

ForceField pair_field(const std::string& text) {
  ForceField f;
  set_pair_law(f, text);
  return f;
}

ForceField triple_field_of(const std::string& text) {
  ForceField f;
  f.pair = PairLaw::none;
  set_triple_law(f, text);
  return f;
}

void expect_forces(const ForceResult& got, const ReferenceForces& want, double tolerance) {
  double largest = 0;
  for (const auto* axis : {&want.fx, &want.fy, &want.fz}) {
    for (const double v : *axis) largest = std::max(largest, std::abs(v));
  }
  for (std::size_t i = 0; i < want.fx.size(); ++i) {
    ASSERT_NEAR(got.fx[i], want.fx[i], tolerance * largest) << i;
    ASSERT_NEAR(got.fy[i], want.fy[i], tolerance * largest) << i;
    ASSERT_NEAR(got.fz[i], want.fz[i], tolerance * largest) << i;
  }
  const double scale = std::max(std::abs(want.potential), 1e-3);
  EXPECT_NEAR(got.potential, want.potential, 10 * tolerance * scale);
  EXPECT_NEAR(got.virial, want.virial, 10 * tolerance * std::max(scale, std::abs(want.virial)));
}

void expect_as_oracle(Backend& backend, const ForceField& field, u32 n, double tolerance32) {
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    const Bodies bodies = as_held(charged(n), precision);
    const ReferenceForces want = reference_forces(bodies, field);
    for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
      EngineConfig config;
      config.precision = precision, config.accumulate = accumulate;
      SCOPED_TRACE(to_string(precision) + ", " + to_string(accumulate) + ", n = " + std::to_string(n));
      expect_forces(backend.make_engine(bodies, field, config)->forces(), want,
                    precision == Precision::fp32 ? tolerance32 : 1e-12);
    }
  }
}

TEST_P(TypedLaws, OfPairsAreThoseOfTheOracle) {
  for (const TypedCase& c : kPairCases) {
    SCOPED_TRACE(c.name);
    for (const u32 n : {1u, 2u, 3u, 17u, 64u, 257u, 300u}) {
      expect_as_oracle(backend(), pair_field(c.text), n, c.tolerance32);
    }
  }
}

TEST_P(TypedLaws, OfTriplesAreThoseOfTheOracle) {
  for (const TypedCase& c : kTripleCases) {
    SCOPED_TRACE(c.name);
    for (const u32 n : {2u, 3u, 4u, 17u, 33u, 70u}) {
      expect_as_oracle(backend(), triple_field_of(c.text), n, c.tolerance32);
    }
  }
}

TEST_P(TypedLaws, ABuiltInLawRetypedIsTheSameLaw) {
  const auto expect_same = [&](const ForceField& own, const ForceField& typed, u32 n) {
    expect_forces(backend().make_engine(charged(n), typed, {.precision = Precision::fp64})->forces(),
                  reference_forces(charged(n), own), 1e-11);
  };
  ForceField gravity = gravity_field(0.05);
  gravity.gravity.G = 1.5;
  expect_same(gravity, pair_field(kPairCases[0].text), 130);
  ForceField lennard_jones = lennard_jones_field(2.5);
  lennard_jones.lennard_jones = {1.2, 0.9, 2.5, true};
  expect_same(lennard_jones, pair_field(kPairCases[1].text), 130);
  expect_same(triple_field(), triple_field_of(kAxilrodTeller), 40);
  // Between periodic walls, which take nearest images.
  ForceField typed = pair_field(kPairCases[1].text);
  lennard_jones.box = typed.box = {{-2.6, -2.6, -2.6}, {2.6, 2.6, 2.6}, Boundary::periodic};
  expect_same(lennard_jones, typed, 130);
}

/// Forces, and the state after some steps.
void expect_equal_bits(Backend& backend, const ForceField& field, u32 n, bool triples) {
  const u32 blocks[] = {triples ? 7u : 16u, triples ? 16u : 48u, 0};
  const bool cuda = backend.info().name == "cuda";
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    std::optional<ForceResult> first;
    u64 hash = 0;
    const auto maps = triples ? tetra_maps() : triangle_maps();
    for (std::size_t m = 0; m < maps.size(); ++m) {
      for (const u32 block : blocks) {
        for (const u32 threads : {1u, 3u}) {
          if (maps[m].space == Space::thread || (cuda && (block != 0 || threads != 1))) continue;
          if (!refusal(maps[m], n, block == 0 ? 1 : block).empty()) continue;
          EngineConfig config;
          config.precision = precision, config.accumulate = Accumulate::ordered;
          config.threads = cuda ? 0 : threads;
          (triples ? config.triple_block : config.pair_block) = block;
          if (triples) {
            config.triple_map = static_cast<TetraMapId>(m);
          } else {
            config.pair_map = static_cast<TriangleMapId>(m);
          }
          const auto engine = backend.make_engine(charged(n), field, config);
          const ForceResult forces = engine->forces();
          engine->advance(Integrator::kdk, 1e-4, 2);
          if (!first) {
            first = forces, hash = engine->state_hash();
            continue;
          }
          EXPECT_TRUE(forces.fx == first->fx && forces.fy == first->fy && forces.fz == first->fz)
              << maps[m].name << ", block " << block << ", " << threads << " threads";
          EXPECT_EQ(engine->state_hash(), hash) << maps[m].name << ", block " << block;
        }
      }
    }
    EXPECT_TRUE(first);
  }
}

TEST_P(TypedLaws, OrderedSumsHaveTheSameBitsOnEveryMap) {
  for (const TypedCase& c : kPairCases) {
    SCOPED_TRACE(c.name);
    expect_equal_bits(backend(), pair_field(c.text), 131, false);
  }
  for (const TypedCase& c : kTripleCases) {
    SCOPED_TRACE(c.name);
    expect_equal_bits(backend(), triple_field_of(c.text), 37, true);
  }
}

TEST_P(TypedLaws, BodiesWithoutMassFallWhereTheLawWeighsMasses) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 2), b.add(1, 0, 0, 0, 0, 0, 0);
  const auto engine = backend().make_engine(b, pair_field("-mi*mj/r"), {.precision = Precision::fp64});
  engine->advance(Integrator::kdk, 1e-3, 1);
  EXPECT_NEAR(engine->read().vx[1], -2e-3, 1e-8);
  EXPECT_EQ(engine->read().vx[0], 0);
}

TEST_P(TypedLaws, ConserveEnergyAndMomentumAndTakeOtherValuesOnTheWay) {
  ForceField field = pair_field("D*((1 - exp(-a*(r - d)))^2 - 1); D = 1; a = 1.5; d = 1.1");
  const auto engine = backend().make_engine(lattice_bodies(64), field, {.precision = Precision::fp64});
  const Diagnostics before = engine->diagnose();
  engine->advance(Integrator::yoshida4, 1e-3, 100);
  const Diagnostics after = engine->diagnose();
  EXPECT_NEAR(after.energy(), before.energy(), 1e-8 * std::abs(before.energy()));
  for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(after.momentum[axis], before.momentum[axis], 1e-10);
  const u32 depth = field.typed_pair.law->find("D");
  field.typed_pair.values[depth] = 2;
  engine->set_field(field);
  EXPECT_NEAR(engine->diagnose().potential, 2 * after.potential, 1e-12 * std::abs(after.potential));
}

}  // namespace
}  // namespace tri::test
