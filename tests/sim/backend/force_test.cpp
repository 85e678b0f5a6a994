// Forces of every law against the float64 oracle: whole arrays, awkward sizes and tile sides, every map.

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/backend/engine.hpp"
#include "sim/cpu/cpu_engine.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/reference/reference.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/sim/backend/law_cases.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/fake_backends.hpp"

namespace tri::test {
namespace {

using Forces = BackendTest;
TRI_ON_EVERY_BACKEND(Forces);

/// Counts the engines that it makes.
class CountingBackend final : public ForwardingBackend {
 public:
  u64 engines = 0;

 private:
  std::unique_ptr<Engine> wrap(std::unique_ptr<Engine> engine, const ForceField&) override {
    return ++engines, std::move(engine);
  }
};

/// The bodies at these places, of mass 1.
Bodies at(std::initializer_list<std::array<double, 3>> places) {
  Bodies b;
  for (const auto& [x, y, z] : places) b.add(x, y, z, 0, 0, 0, 1);
  return b;
}

/// The tiles of a device for contacts are two, for other pairs seven.
std::vector<u32> tiles_of(const app::LawCase& law, bool cuda, const std::vector<u32>& cpu) {
  if (!cuda) return cpu;
  return law.field.pair == PairLaw::contact ? std::vector<u32>{128, 512}
                                            : std::vector<u32>{128, 256, 384, 512, 768, 1024, 1536};
}

// Each map meets each tile side at some of the sizes.
TEST_P(Forces, OfPairsOverSizesMapsAndBlocks) {
  for (const app::LawCase& law : pair_laws()) {
    expect_laws(backend(), {law}, sizes({1, 2, 3, 31, 32, 33, 64, 65, 127, 257}),
                tiles_of(law, cuda(), awkward_blocks()));
  }
}

// A tile side far above the kernel's piece size must be cut correctly.
TEST_P(Forces, OfTilesLargerThanAPiece) {
  for (const app::LawCase& law : pair_laws()) {
    expect_laws(backend(), {law}, sizes({600, 1000}), tiles_of(law, cuda(), {255, 256, 257, 600, 5000}));
  }
}

TEST_P(Forces, OfTriplesOverSizesMapsAndBlocks) {
  const std::vector<app::LawCase> laws{axilrod_teller()};
  expect_laws(backend(), laws, sizes({1, 2, 3, 4, 31, 32, 33, 65, 97}),
              cuda() ? std::vector<u32>{32, 64, 96, 128} : std::vector<u32>{1, 3, 7, 8, 16, 32, 45, 100});
  if (cuda()) expect_laws(backend(), laws, {3, 33, 65, 129}, {4, 8}, "fp32 fast");  // the papers' blocks
}

/// One to five clusters: places, sizes, shapes and masses drawn over decades; some bodies weigh nothing.
Bodies random_clusters(u64 seed) {
  SplitMix64 random{seed};
  const auto between = [&](double low, double high) { return low + (high - low) * random.uniform(); };
  const auto decades = [&](double low, double high) { return std::pow(10, between(low, high)); };
  Bodies b;
  for (int left = 1 + static_cast<int>(5 * random.uniform()); left > 0; --left) {
    const double far = decades(-1, 2), size = decades(-2, 1), mass = decades(-3, 3), spread = between(0, 4);
    const double centre[3] = {between(-far, far), between(-far, far), between(-far, far)};
    const double shape[3] = {1, decades(-2, 0), decades(-2, 0)};
    const double steep = between(0.3, 3);
    for (int i = static_cast<int>(decades(2.8, 3.9)); i > 0; --i) {
      double p[3], square = 0;
      for (double& x : p) x = between(-1, 1), square += x * x;
      const double shrink = size * std::pow(random.uniform(), steep) / std::sqrt(square);
      for (std::size_t k = 0; k < 3; ++k) p[k] = centre[k] + shrink * shape[k] * p[k];
      b.add(p[0], p[1], p[2], 0, 0, 0, random.uniform() < 0.1 ? 0 : mass * decades(-spread, 0));
    }
  }
  return b;
}

// The error that is promised holds in clouds that nobody chose.
TEST_P(Forces, ByATreeAreWithinTheToleranceInRandomClouds) {
  double largest = 0;
  for (u64 seed = 1; seed <= 16; ++seed) {
    const Bodies b = as_held(random_clusters(seed), Precision::fp32);
    const ForceField field = gravity_field(seed % 2 == 0 ? 0.01 : 1e-4);
    EngineConfig config{.precision = Precision::fp64, .pairs = PairSearch::all};
    const ForceResult right = backend().make_engine(b, field, config)->forces(false);
    const auto rms_error = [&](const ForceResult& found) {
      double errors = 0, squares = 0;
      for (std::size_t i = 0; i < b.size(); ++i) {
        if (b.m[i] == 0) continue;
        const double e[3] = {found.fx[i] - right.fx[i], found.fy[i] - right.fy[i], found.fz[i] - right.fz[i]};
        const double f[3] = {right.fx[i], right.fy[i], right.fz[i]};
        for (std::size_t k = 0; k < 3; ++k)
          errors += e[k] * e[k] / (b.m[i] * b.m[i]), squares += f[k] * f[k] / (b.m[i] * b.m[i]);
      }
      return std::sqrt(errors / squares);
    };
    config.pairs = PairSearch::tree;
    for (const auto& [tolerance, most] :
         {std::pair{Tolerance::e_3, 1e-3}, {Tolerance::e_5x3, 3e-5}, {Tolerance::middle, 1e-6}}) {
      config.tolerance = tolerance;
      for (const Precision precision : kPrecisions) {
        config.precision = precision;
        const double error = rms_error(backend().make_engine(b, field, config)->forces(false));
        EXPECT_LE(error, most) << "seed " << seed << ", " << b.size() << " bodies, " << to_string(precision);
        largest = std::max(largest, error / most);
      }
    }
  }
  EXPECT_GT(largest, 0.05) << "no series?";
}

// Energies are sums in float64 in either precision.
TEST_P(Forces, HaveTheEnergyAndVirialOfTheOracle) {
  std::vector<app::LawCase> laws = pair_laws();
  laws.push_back(axilrod_teller());
  for (const app::LawCase& law : laws) {
    for (const u32 n : {1u, 2u, 127u, 129u, law.field.triple == TripleLaw::none ? 1000u : 65u}) {
      const Bodies bodies = law.bodies(n, 42);
      const ReferenceForces want = reference_forces(bodies, law.field);
      for (const Precision precision : kPrecisions) {
        for (const Accumulate accumulate : kAccumulates) {
          SCOPED_TRACE(law.name + ", n " + std::to_string(n) + ", " + to_string(precision));
          const ForceResult got = backend().make_engine(bodies, law.field, config_of(precision, accumulate))->forces();
          EXPECT_NEAR(got.potential, want.potential, 1e-12 * (1 + std::fabs(want.potential)));
          EXPECT_NEAR(got.virial, want.virial, 1e-11 * (1 + std::fabs(want.virial)));
        }
      }
    }
  }
}

TEST_P(Forces, OfPairsAndTriplesAdd) {
  ForceField soft = gravity_field();  // whose sums are accelerations, where those of triples are forces
  soft.triple = TripleLaw::axilrod_teller;
  for (const ForceField& field : {argon_field(), soft}) {
    for (const Precision precision : kPrecisions) {
      const Bodies bodies = as_held(lattice_bodies(65), precision);
      const ReferenceForces want = reference_forces(bodies, field);
      for (const Accumulate accumulate : kAccumulates) {
        const ForceResult got = backend().make_engine(bodies, field, config_of(precision, accumulate))->forces();
        expect_close(got, want, precision, to_string(field.pair) + ", " + to_string(accumulate));
        EXPECT_EQ(got.work_items, 65u * 64 / 2 + 65u * 64 * 63 / 6);
      }
    }
  }
}

/// The largest acceleration that one body exerts on another.
double largest_term(const Bodies& b) {
  double most = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = b.x[j] - b.x[i], dy = b.y[j] - b.y[i], dz = b.z[j] - b.z[i];
      most = std::max(most, std::max(b.m[i], b.m[j]) / (dx * dx + dy * dy + dz * dz));
    }
  }
  return most;
}

TEST_P(Forces, GravityOf4096) {
  Bodies b;
  for (const auto& p : cloud(4096)) b.add(2 * p[0] - 1, 2 * p[1] - 1, 2 * p[2] - 1, 0, 0, 0, 1.0 / 4096);
  b = as_held(b, Precision::fp32);
  const ReferenceForces exact = reference_forces(b, gravity_field(0));
  double square = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    square += exact.fx[i] * exact.fx[i] + exact.fy[i] * exact.fy[i] + exact.fz[i] * exact.fz[i];
  }
  const double rms_acceleration = std::sqrt(square / 4096) / b.m[0];
  // A fixed-point sum is as fine as its largest term allows, here that of the closest pair, 10.7 times the rms force.
  // With a quantum q of at most 2^-49 of it, 4096 roundings scatter by sqrt(4096 / 12) q per axis; the worst of 4096
  // bodies is near five times that, 1.8e-12. So in float64 this, and not 1e-12, bounds the ordered sums.
  const double scatter = 5 * std::sqrt(4096.0 / 12) * std::ldexp(largest_term(b), -49) / rms_acceleration;
  for (const Precision precision : kPrecisions) {
    for (const Accumulate accumulate : kAccumulates) {
      SCOPED_TRACE(to_string(precision) + ", " + to_string(accumulate));
      const ForceResult f = backend().make_engine(b, gravity_field(0), config_of(precision, accumulate))->forces();
      const Errors e = compare(f, exact);
      EXPECT_LT(e.rms, precision == Precision::fp64 ? 1e-12 : 1e-5);
      const double tolerance = precision == Precision::fp64 ? 1e-12 : 1e-4;
      EXPECT_LT(e.max, accumulate == Accumulate::ordered ? std::max(tolerance, scatter) : tolerance);
      EXPECT_EQ(f.work_items, 4096ull * 4095 / 2);
    }
  }
}

// Ordered accumulation: the same bits whatever the map, the tile side and the threads.

using Ordered = BackendTest;
TRI_ON_EVERY_BACKEND(Ordered);

// Of pairs and triples at once, in engines of their own and in one that changes from map to map.
TEST_P(Ordered, PairsAndTriplesHaveOneSetOfBitsOverMapsTilesAndThreads) {
  const Bodies bodies = lattice_bodies(65);
  for (const Precision precision : kPrecisions) {
    EngineConfig config = config_of(precision, Accumulate::ordered);
    const auto changing = backend().make_engine(bodies, argon_field(), config);
    const ForceResult first = changing->forces();
    u64 hash = 0;
    for (u32 round = 0; round < 2 * kTriangleMapCount; ++round) {
      config.pair_map = static_cast<TriangleMapId>(round % kTriangleMapCount);
      config.triple_map = static_cast<TetraMapId>(round % kTetraMapCount);
      if (force_maps({config.pair_map}).empty()) continue;
      config.pair_block = cuda() ? 128u << round % 3 : 4 + round;
      config.triple_block = cuda() ? 32 * (1 + round % 4) : 3 + round % 11;
      config.threads = 1 + round % 3;
      ASSERT_EQ(refusal(info(config.pair_map), 65, config.pair_block), "");
      changing->configure(config);
      const ForceResult got = changing->forces();
      ASSERT_TRUE(same_bits(got.fx, first.fx) && same_bits(got.fy, first.fy) && same_bits(got.fz, first.fz))
          << describe(config, 65);
      const auto engine = backend().make_engine(bodies, argon_field(), config);
      engine->advance(Integrator::kdk, 1e-3, 5);
      if (hash == 0) hash = engine->state_hash();
      ASSERT_EQ(engine->state_hash(), hash) << describe(config, 65);
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
    cut->configure(config_of(precision, Accumulate::ordered, TriangleMapId::fold, cuda() ? 256 : 7));
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

using TypedLaws = BackendTest;
TRI_ON_EVERY_BACKEND(TypedLaws);

struct TypedCase {
  const char* name;
  const char* text;
};

constexpr TypedCase kPairCases[] = {
    {"gravity", "-G*mi*mj/r; G = 1.5; softening = 0.05"},
    {"lennard-jones", "4*eps*((s/r)^12 - (s/r)^6); eps = 1.2; s = 0.9; cutoff = 2.5; shifted = 1"},
    {"morse", "D*((1 - exp(-a*(r - d)))^2 - 1); D = 1; a = 1.5; d = 1.1"},
    {"ions", "qi*qj*erfc(alpha*r)/r + A*exp(-r/rho); alpha = 0.9; A = 3; rho = 0.4"},
    {"screened", "k*qi*qj*exp(-r/L)/r; k = 0.7; L = 1.5; softening = 0.1"},
    {"springs", "k*o^2/2*step(o); o = ri + rj - r; k = 10"},
    {"soft spheres", "k*max(0, ri + rj - r)^2; k = 50; softening = 0.01"},
    {"spring between all", "k*r^2/2; k = 0.01"},
    {"masses of another kind", "sqrt(mi + mj)*log(1 + r)"},
    {"functions",
     "sin(r) + cos(2*r) + tan(r/9) + asin(r/20) + acos(r/20) + atan(r) + atan2(r, 2) + sinh(r/9) + cosh(r/9) + tanh(r) "
     "+ erf(r) + r^2.3 + abs(r - 2) + min(r, 2) + max(r, 1.5)"},
};

/// The triple-dipole law of Axilrod and Teller by its sides, one with fewer powers, and a constant slope.
constexpr const char* kAxilrodTeller =
    "nu*(1 + 3*x*y*z/(8*a^2*b^2*c^2))/(a*b*c)^3; x = a^2 + b^2 - c^2; y = b^2 + c^2 - a^2; z = c^2 + a^2 - b^2; "
    "nu = 0.072";
constexpr TypedCase kTripleCases[] = {{"axilrod-teller", kAxilrodTeller},
                                      {"exponential", "k*exp(-(a + b + c)/L); k = 1; L = 2"},
                                      {"of no single power", "k*exp(-(a + b + c)/L)/(a*b*c + 0.1); k = 2; L = 3"},
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

/// Functions of float32 may be some units in the last place off.
app::LawCase typed_case(const TypedCase& c, const ForceField& field) {
  app::LawCase law = law_case(c.name, field, [](u32 n, u64) { return charged(n); });
  law.slack32 = 5;
  return law;
}

TEST_P(TypedLaws, OfPairsAreThoseOfTheOracleOnEveryMap) {
  for (const TypedCase& c : kPairCases) {
    expect_laws(backend(), {typed_case(c, pair_field(c.text))}, sizes({1, 2, 3, 17, 131, 300}),
                cuda() ? std::vector<u32>{0, 128, 512} : std::vector<u32>{0, 16, 48});
  }
  // Each tile of a device is a kernel of its own.
  if (!cuda()) return;
  const app::LawCase morse = typed_case(kPairCases[2], pair_field(kPairCases[2].text));
  expect_laws(backend(), {morse}, {33, 1000}, tiles_of(morse, true, {}));
}

TEST_P(TypedLaws, OfTriplesAreThoseOfTheOracleOnEveryMap) {
  for (const TypedCase& c : kTripleCases) {
    expect_laws(backend(), {typed_case(c, triple_field_of(c.text))}, sizes({2, 3, 4, 17, 33, 70}),
                cuda() ? std::vector<u32>{0, 32, 64, 96, 128} : std::vector<u32>{0, 7, 16});
  }
}

TEST_P(TypedLaws, ABuiltInLawRetypedIsTheSameLaw) {
  const auto expect_same = [&](const ForceField& own, const ForceField& typed, u32 n) {
    const ReferenceForces want = reference_forces(charged(n), own);
    const ForceResult got = backend().make_engine(charged(n), typed, {.precision = Precision::fp64})->forces();
    expect_close(got, want, Precision::fp64, to_string(own.pair));
    EXPECT_NEAR(got.potential, want.potential, 1e-10 * std::abs(want.potential));
    EXPECT_NEAR(got.virial, want.virial, 1e-10 * std::abs(want.virial));
  };
  ForceField gravity = gravity_field(0.05);
  gravity.gravity.G = 1.5;
  expect_same(gravity, pair_field(kPairCases[0].text), 130);
  expect_same(gravity, pair_field("-G*mi*mj/sqrt(r^2 + soft^2); G = 1.5; soft = 0.05"), 130);
  ForceField lennard_jones = lennard_jones_field(2.5);
  lennard_jones.lennard_jones = {1.2, 0.9, 2.5, true};
  expect_same(lennard_jones, pair_field(kPairCases[1].text), 130);
  expect_same(triple_field(), triple_field_of(kAxilrodTeller), 40);
  // Between periodic walls, which take nearest images.
  ForceField typed = pair_field(kPairCases[1].text);
  lennard_jones.box = typed.box = {{-2.6, -2.6, -2.6}, {2.6, 2.6, 2.6}, Boundary::periodic};
  expect_same(lennard_jones, typed, 130);
}

// A force of 0 that is certain costs no second look in float64; any other that float32 has lost is found by it.
TEST(LostForces, AreNotLookedForWhereNoneIsCertain) {
  CountingBackend counting;
  const auto lost = [&](const Bodies& b, const ForceField& field, u64 engines) {
    const ForceResult found = counting.make_engine(b, field, {})->forces();
    counting.engines = 0;
    std::string text = lost_forces(counting, b, field, {}, found);
    EXPECT_EQ(counting.engines, engines) << pair_law_words(field) << text;
    return text;
  };
  Bodies three = at({{0, 0, 0}, {1, 0, 0}, {50, 0, 0}});
  const std::string far = "float32 loses the force on 1 body: ";
  EXPECT_EQ(lost(three, lennard_jones_field(2.5), 0), "");
  EXPECT_EQ(lost(three, pair_field("r^-12 - r^-6; cutoff = 2.5"), 0), "");
  ForceField walls = lennard_jones_field(2.5);
  walls.box = {{-1, -9, -9}, {61, 9, 9}, Boundary::periodic};
  EXPECT_EQ(lost(three, walls, 0), "");
  three.x[2] = 1e8;
  expect_parts(lost(three, lennard_jones_field(0), 2), {far, "4.8e-55 on body 2, and not 0"});
  expect_parts(lost(three, lennard_jones_field(3e8), 2), {far, "on body 2"});
  Bodies light = at({{0, 0, 0}, {1, 0, 0}, {0, 2, 0}});
  light.m[2] = 0;
  EXPECT_EQ(lost(light, gravity_field(0), 0), "");
  EXPECT_EQ(lost(light, pair_field("-mi*mj/r"), 0), "");
  // Forces that cancel were not lost, though they are 0 in float32 and a rounding in float64.
  EXPECT_EQ(lost(at({{-1, 0, 0}, {0, 0, 0}, {1 + 1e-12, 0, 0}}), lennard_jones_field(0), 2), "");
  light.m[1] = 0;
  EXPECT_EQ(lost(light, gravity_field(0), 0), "");
  EXPECT_EQ(lost(light, pair_field("mi*mj*exp(-r)"), 0), "");
}

TEST(LostForces, WithinACutoffAreThoseOfAllBodiesThatMeetAnother) {
  CountingBackend counting;
  SplitMix64 random{11};
  for (int trial = 0; trial < 1000; ++trial) {
    const double side = 3 + 9 * random.uniform();  // of less and more than three cells
    ForceField field = lennard_jones_field(1.5);
    field.lennard_jones.epsilon = 1e-45, field.lennard_jones.sigma = 0.05;  // so that no term has all its digits
    const bool periodic = trial % 2 == 0;
    if (periodic) field.box = {{0, 0, 0}, {side, 2 * side, side}, Boundary::periodic};
    Bodies b;
    for (int i = 0; i < 9; ++i) {
      b.add(side * random.uniform(), 2 * side * random.uniform(), side * random.uniform(), 0, 0, 0, 1);
    }
    u32 met = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      bool one = false;
      for (std::size_t j = 0; j < b.size(); ++j) {
        double d[3] = {b.x[i] - b.x[j], b.y[i] - b.y[j], b.z[i] - b.z[j]};
        for (std::size_t k = 0; periodic && k < 3; ++k) d[k] = std::remainder(d[k], field.box.high[k]);
        one = one || (i != j && std::hypot(d[0], d[1], d[2]) < 1.5);
      }
      met += one ? 1 : 0;
    }
    ForceResult none;
    none.fx = none.fy = none.fz = std::vector<double>(b.size(), 0.0);
    const std::string lost = lost_forces(counting, b, field, {}, none);
    EXPECT_EQ(lost.find(fmt::format("on {} bodies", met)) != std::string::npos, met > 0) << trial << lost;
    EXPECT_EQ(lost.empty(), met == 0) << trial << lost;
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
