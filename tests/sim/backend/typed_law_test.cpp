/// Typed laws on every backend: against the oracle, against the built-in laws retyped, and equal in every bit over
/// maps, blocks and threads where sums are ordered.

#include <gtest/gtest.h>

#include <cmath>

#include "sim/laws/typed_text.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/reference/reference.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/support/backends.hpp"

namespace tri::test {
namespace {

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
