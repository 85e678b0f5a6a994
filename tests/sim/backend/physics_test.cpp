/// The subjects of test_physics_backends: engines of every backend in both precisions and accumulations, each with a
/// different map and tile side.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/reference/reference.hpp"
#include "tests/sim/reference/subject.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/physics_cases.hpp"

namespace tri::test {
namespace {

class EngineProbe final : public Probe {
 public:
  EngineProbe(const std::string& backend, const Bodies& bodies, const ForceField& field, const EngineConfig& config)
      : backend_(make_named(backend)), engine_(backend_->make_engine(bodies, field, config)) {}

  void advance(Integrator integrator, double dt, u64 steps) override { engine_->advance(integrator, dt, steps); }

  ReferenceForces forces() override {
    const ForceResult f = engine_->forces();
    return {f.fx, f.fy, f.fz, f.potential, f.virial, 0.0};
  }

  Diagnostics diagnose() override { return engine_->diagnose(); }
  Bodies read() override { return engine_->read(); }

 private:
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Engine> engine_;
};

EngineConfig config_of(Precision precision, Accumulate accumulate, TriangleMapId pair_map, TetraMapId triple_map,
                       u32 block, u32 threads) {
  EngineConfig c;
  c.precision = precision;
  c.accumulate = accumulate;
  c.pair_map = pair_map;
  c.triple_map = triple_map;
  c.pair_block = c.triple_block = block;
  c.threads = threads;
  return c;
}

/// The same for the cuda backend, which supports a few tile sides and only block-space maps.
EngineConfig on_cuda(EngineConfig config) {
  if (info(config.pair_map).space == Space::thread) config.pair_map = TriangleMapId::lambda_stream;
  if (config.pair_block != 0) config.pair_block = 128;
  if (config.triple_block != 0) config.triple_block = 64;
  return config;
}

}  // namespace

std::vector<Subject> subjects() {
  constexpr auto fp32 = Precision::fp32, fp64 = Precision::fp64;
  constexpr auto fast = Accumulate::fast, ordered = Accumulate::ordered;
  // block 0: the backend's choice.
  const EngineConfig configs[] = {
      config_of(fp32, fast, TriangleMapId::lambda, TetraMapId::tetra, 0, 0),
      config_of(fp64, fast, TriangleMapId::lambda, TetraMapId::tetra, 0, 0),
      config_of(fp32, ordered, TriangleMapId::fold, TetraMapId::tetra_stream, 3, 2),
      config_of(fp64, ordered, TriangleMapId::circulant, TetraMapId::tetra_lut, 7, 2),
      config_of(fp64, fast, TriangleMapId::rb, TetraMapId::bb, 2, 1),
      config_of(fp32, fast, TriangleMapId::h, TetraMapId::tetra_r, 5, 1),
  };
  std::vector<Subject> all;
  for (const std::string& backend : backend_names()) {
    if (!availability_of(backend)) {  // one subject, which every suite skips with the reason
      all.push_back({backend, fp64, {}, availability_of(backend)});
      continue;
    }
    for (const EngineConfig& given : configs) {
      if (backend == "ranks" && &given != &configs[2]) continue;  // cluster_test.cpp has more of them
      const EngineConfig config = backend == "cuda" ? on_cuda(given) : given;
      std::string name = backend + "_" + to_string(config.precision) + "_" + to_string(config.accumulate) + "_" +
                         info(config.pair_map).name + "_" + info(config.triple_map).name;
      for (char& letter : name) letter = letter == '-' ? '_' : letter;
      const auto make = [backend, config](const Bodies& b, const ForceField& f) {
        return std::unique_ptr<Probe>(std::make_unique<EngineProbe>(backend, b, f, config));
      };
      all.push_back({name, config.precision, make});
    }
  }
  return all;
}

// Whole arrays of every backend, on every map, against the oracle.

namespace {

struct Setting {
  std::string backend;
  Precision precision = Precision::fp64;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const std::string& backend : backend_names()) {
    for (const Precision precision : {Precision::fp32, Precision::fp64}) all.push_back({backend, precision});
  }
  return all;
}

void PrintTo(const Setting& s, std::ostream* out) { *out << s.backend << " " << to_string(s.precision); }

/// Bodies whose values are all exact in float32, so that a measured error is that of the arithmetic. Positions on a
/// jittered lattice, no two closer than `spacing` / 2.
Bodies lattice_bodies(u32 n, double spacing, u64 seed) {
  SplitMix64 random{seed};
  const auto exact = [&random](double low, double high) {
    return double(static_cast<float>(low + (high - low) * random.uniform()));
  };
  const u32 side = static_cast<u32>(std::ceil(std::cbrt(n)));
  Bodies b;
  for (u32 i = 0; i < n; ++i) {
    const auto at = [&](u32 cell) { return double(float(spacing * (cell + exact(-0.2, 0.2)))); };
    b.add(at(i % side), at(i / side % side), at(i / side / side), exact(-1, 1), exact(-1, 1), exact(-1, 1),
          exact(0.5, 2), spacing * exact(0.25, 0.75));
  }
  for (double& r : b.r) r = double(float(r));
  return b;
}

struct Error {
  double rms = 0;      ///< of the force error, relative to the rms force
  double largest = 0;  ///< likewise
};

Error force_error(const ForceResult& f, const ReferenceForces& exact) {
  double error = 0, square = 0, most = 0;
  for (std::size_t i = 0; i < f.fx.size(); ++i) {
    const double dx = f.fx[i] - exact.fx[i], dy = f.fy[i] - exact.fy[i], dz = f.fz[i] - exact.fz[i];
    const double e = dx * dx + dy * dy + dz * dz;
    error += e;
    most = std::max(most, e);
    square += exact.fx[i] * exact.fx[i] + exact.fy[i] * exact.fy[i] + exact.fz[i] * exact.fz[i];
  }
  // std::max must not hide a NaN.
  if (!std::isfinite(error)) return {error, error};
  return {std::sqrt(error / square), std::sqrt(most * static_cast<double>(f.fx.size()) / square)};
}

class BackendTest : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override { require_usable(availability_of(GetParam().backend)); }
  std::unique_ptr<Backend> backend() const { return make_named(GetParam().backend); }
  bool fp64() const { return GetParam().precision == Precision::fp64; }
  bool cuda() const { return GetParam().backend == "cuda"; }

  /// Tile sides to test. The cuda backend's pair kernels have few, and support only block-space maps.
  std::vector<u32> pair_blocks() const {
    return cuda() ? std::vector<u32>{0, 128, 512} : std::vector<u32>{0, 5, 16, 64};
  }
  bool takes(TriangleMapId map) const { return !cuda() || info(map).space == Space::block; }

  EngineConfig config() const {
    EngineConfig c;
    c.precision = GetParam().precision;
    return c;
  }

  /// The whole force array and the sums against the oracle, within the tolerances for a backend.
  void expect_forces(Backend& on, const Bodies& b, const ForceField& field, const EngineConfig& c,
                     const ReferenceForces& exact) const {
    const ForceResult f = on.make_engine(b, field, c)->forces();
    ASSERT_EQ(f.fx.size(), b.size());
    const Error e = force_error(f, exact);
    EXPECT_LT(e.rms, fp64() ? 1e-12 : 1e-5);
    EXPECT_LT(e.largest, fp64() ? 1e-12 : 1e-4);
    const double tolerance = fp64() ? 1e-12 : 1e-5;
    EXPECT_NEAR(f.potential, exact.potential, tolerance * std::fabs(exact.potential));
    EXPECT_NEAR(f.virial, exact.virial, 10 * tolerance * std::max(1.0, std::fabs(exact.virial)));
  }
};

struct PairRow {
  const char* name;
  ForceField field;
};

std::vector<PairRow> pair_rows() {
  ForceField boxed = contact_field(50, 1.5, 0.75);
  boxed.box = Box{{0, -0.25, 0}, {5.5, 9, 4}, Boundary::reflecting};
  return {{"gravity", gravity_field()},
          {"softened gravity", gravity_field(0.2)},
          {"lennard-jones", lennard_jones_field(2.5, true)},
          {"contact in a box", boxed}};
}

TEST_P(BackendTest, PairForcesOnEveryMapAndTile) {
  const auto on = backend();
  for (const u32 n : {1u, 2u, 7u, 130u, 257u}) {
    const Bodies b = lattice_bodies(n, 1.25, n);
    for (const PairRow& row : pair_rows()) {
      const ReferenceForces exact = reference_forces(b, row.field);
      for (u32 id = 0; id < kTriangleMapCount; ++id) {
        if (!takes(static_cast<TriangleMapId>(id))) continue;
        for (const u32 block : pair_blocks()) {
          EngineConfig c = config();
          c.pair_map = static_cast<TriangleMapId>(id);
          c.pair_block = block;
          c.accumulate = (id + block) % 2 == 0 ? Accumulate::fast : Accumulate::ordered;
          c.threads = 1 + id % 2;
          SCOPED_TRACE(std::string(row.name) + ", n = " + std::to_string(n) + ", " + info(c.pair_map).name +
                       ", block " + std::to_string(block));
          if (block != 0 && !refusal(info(c.pair_map), n, block).empty()) {
            EXPECT_THROW(on->make_engine(b, row.field, c), ConfigError);
            continue;
          }
          if (n == 1 && row.field.box.boundary == Boundary::open) {
            EXPECT_EQ(on->make_engine(b, row.field, c)->forces().fx.at(0), 0.0);
            continue;
          }
          if (row.field.pair == PairLaw::contact && n < 130) continue;  // hardly any contacts
          expect_forces(*on, b, row.field, c, exact);
        }
      }
    }
  }
}

TEST_P(BackendTest, TripleForcesOnEveryMapAndTile) {
  const auto on = backend();
  ForceField argon = lennard_jones_field(2.5, true);
  argon.triple = TripleLaw::axilrod_teller;
  for (const u32 n : {3u, 4u, 33u, 65u}) {
    const Bodies b = lattice_bodies(n, 1.25, 100 + n);
    for (const PairRow& row : {PairRow{"axilrod-teller", triple_field(1.5)}, PairRow{"argon", argon}}) {
      const ReferenceForces exact = reference_forces(b, row.field);
      for (u32 id = 0; id < kTetraMapCount; ++id) {
        for (const u32 block : cuda() ? std::vector<u32>{0, 32, 64, 96} : std::vector<u32>{0, 3, 8, 16}) {
          EngineConfig c = config();
          c.triple_map = static_cast<TetraMapId>(id);
          c.triple_block = block;
          c.accumulate = (id + block) % 2 == 0 ? Accumulate::fast : Accumulate::ordered;
          c.threads = 1 + id % 2;
          SCOPED_TRACE(std::string(row.name) + ", n = " + std::to_string(n) + ", " + info(c.triple_map).name +
                       ", block " + std::to_string(block));
          if (block != 0 && !refusal(info(c.triple_map), n, block).empty()) {
            EXPECT_THROW(on->make_engine(b, row.field, c), ConfigError);
            continue;
          }
          expect_forces(*on, b, row.field, c, exact);
        }
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

TEST_P(BackendTest, GravityOf4096) {
  Bodies b = centred_cloud(4096);
  for (auto* a : {&b.x, &b.y, &b.z, &b.m}) {
    for (double& v : *a) v = double(float(v));
  }
  const ReferenceForces exact = reference_forces(b, gravity_field());
  double square = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    square += exact.fx[i] * exact.fx[i] + exact.fy[i] * exact.fy[i] + exact.fz[i] * exact.fz[i];
  }
  const double rms_acceleration = std::sqrt(square / 4096) / b.m[0];
  for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
    SCOPED_TRACE(to_string(accumulate));
    EngineConfig c = config();
    c.accumulate = accumulate;
    const auto on = backend();
    const ForceResult f = on->make_engine(b, gravity_field(), c)->forces();
    const Error e = force_error(f, exact);
    RecordProperty("rms_" + to_string(accumulate), std::to_string(1e15 * e.rms) + "e-15");
    RecordProperty("largest_" + to_string(accumulate), std::to_string(1e15 * e.largest) + "e-15");
    EXPECT_LT(e.rms, fp64() ? 1e-12 : 1e-5);
    // A fixed-point sum is as fine as its largest term allows, here that of the closest pair, 10.7 times the rms force.
    // With a quantum q of at most 2^-49 of it, 4096 roundings scatter by sqrt(4096 / 12) q per axis; the worst of 4096
    // bodies is near five times that, 1.8e-12. So in float64 this, and not 1e-12, bounds the ordered sums.
    const double scatter = 5 * std::sqrt(4096.0 / 12) * std::ldexp(largest_term(b), -49) / rms_acceleration;
    const double tolerance = fp64() ? 1e-12 : 1e-4;
    EXPECT_LT(e.largest, accumulate == Accumulate::ordered ? std::max(tolerance, scatter) : tolerance);
    EXPECT_EQ(f.work_items, 4096ull * 4095 / 2);
  }
}

TEST_P(BackendTest, WorkItemsArePairsAndTriples) {
  ForceField argon = lennard_jones_field();
  argon.triple = TripleLaw::axilrod_teller;
  const Bodies b = lattice_bodies(37, 1.25, 1);
  EXPECT_EQ(backend()->make_engine(b, gravity_field(), config())->forces().work_items, 37ull * 36 / 2);
  EXPECT_EQ(backend()->make_engine(b, argon, config())->forces().work_items, 37ull * 36 / 2 + 37ull * 36 * 35 / 6);
}

TEST_P(BackendTest, MasslessBodiesFeelAndExertNoForce) {
  Bodies b = lattice_bodies(20, 1.0, 5);
  for (std::size_t i = 0; i < b.size(); i += 3) b.m[i] = 0;
  const auto on = backend();
  const auto engine = on->make_engine(b, gravity_field(0.1), config());
  Bodies oracle = b;
  engine->advance(Integrator::kdk, 0.01, 20);
  reference_advance(oracle, gravity_field(0.1), Integrator::kdk, 0.01, 20);
  const Bodies after = engine->read();
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(after.vx[i], oracle.vx[i], fp64() ? 1e-12 : 1e-4) << i;
  EXPECT_GT(std::fabs(after.vx[0] - b.vx[0]), 0.01) << "the massless body fell";
}

TEST_P(BackendTest, MasslessBodiesAtOnePlaceAreNoFault) {
  Bodies b = lattice_bodies(20, 1.0, 5);
  for (const std::size_t i : {3u, 7u, 11u}) b.m[i] = 0, b.x[i] = 0.3, b.y[i] = 0.1, b.z[i] = 0.2;
  b.vx[7] = -b.vx[3];
  const ForceField field = gravity_field(0);
  const auto on = backend();
  const auto engine = on->make_engine(b, field, config());
  Bodies oracle = b;
  engine->advance(Integrator::kdk, 0.001, 20);
  reference_advance(oracle, field, Integrator::kdk, 0.001, 20);
  const Bodies after = engine->read();
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(after.vx[i], oracle.vx[i], fp64() ? 1e-12 : 1e-4) << i;
  engine->set_field(gravity_field(0.1)), engine->set_field(field);
  EXPECT_NO_THROW(on->make_engine(b, field, config())->forces());
  b.m[3] = 1;
  EXPECT_THROW(on->make_engine(b, field, config())->advance(Integrator::kdk, 0.001, 1), NumericalError)
      << "one that pulls is at the place of others";
}

/// Two bodies without mass that come to one place on the way, and two that are at one place all the time.
TEST_P(BackendTest, MasslessBodiesMayMeetOnTheWay) {
  Bodies b;  // places and steps are exact, and what pulls is too weak to move them
  b.add(-0.25, 0, 0, 1, 0, 0, 0), b.add(0.25, 0, 0, -1, 0, 0, 0), b.add(0, 0, 4, 0, 0, 0, 1e-30);
  b.add(0, 2, 0, 0, 0, 0, 0), b.add(0, 2, 0, 0, 0, 0, 0);
  ForceField typed;
  set_pair_law(typed, "-mi*mj/r");
  for (const ForceField& field : {gravity_field(0), typed}) {
    for (const Integrator scheme :
         {Integrator::kdk, Integrator::symplectic_euler, Integrator::yoshida4, Integrator::hermite}) {
      if (!scheme_refusal(field, scheme, 0, config().precision).empty()) continue;
      SCOPED_TRACE(to_string(field.pair) + " " + to_string(scheme));
      for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
        EngineConfig c = config();
        c.accumulate = accumulate;
        const auto on = backend();
        const auto engine = on->make_engine(b, field, c);
        for (int step = 0; step < 4; ++step) {
          ASSERT_NO_THROW(engine->advance(scheme, 0.125, 1)) << step;
          EXPECT_TRUE(std::isfinite(engine->diagnose().potential)) << step;
        }
        const Bodies after = engine->read();
        EXPECT_NEAR(after.x[0], 0.25, 1e-6);
        EXPECT_NEAR(after.x[1], -0.25, 1e-6);
        EXPECT_EQ(after.vx[3], after.vx[4]);
        engine->advance(scheme, 0.125, 4);
      }
    }
  }
}

/// What was done for those hides no fault of others.
TEST_P(BackendTest, BodiesWithMassMayNotMeet) {
  Bodies b;
  b.add(-0.25, 0, 0, 1, 0, 0, 1e-30), b.add(0.25, 0, 0, -1, 0, 0, 1e-30);
  b.add(0, 2, 0, 0, 0, 0, 0), b.add(0, 2, 0, 0, 0, 0, 0);
  const auto on = backend();
  const auto engine = on->make_engine(b, gravity_field(0), config());
  const auto run = [&] {
    for (int step = 0; step < 4; ++step) engine->advance(Integrator::kdk, 0.125, 1);
  };
  EXPECT_THROW(run(), NumericalError);
}

/// The damped, sheared, boxed contact law moves like the oracle: dashpots use the same velocities.
TEST_P(BackendTest, DampedContactsMoveAsTheOracleDoes) {
  Bodies start = lattice_bodies(60, 1.0, 8);
  ForceField field = contact_field(200, 2, 1);
  field.field = {0, -1, 0};
  field.box = Box{{-1, -1, -1}, {5, 5, 5}, Boundary::reflecting};
  for (const Integrator integrator : {Integrator::kdk, Integrator::symplectic_euler, Integrator::yoshida4}) {
    SCOPED_TRACE(to_string(integrator));
    const auto on = backend();
    const auto engine = on->make_engine(start, field, config());
    Bodies oracle = start;
    engine->advance(integrator, 0.002, 50);
    reference_advance(oracle, field, integrator, 0.002, 50);
    const Bodies after = engine->read();
    for (std::size_t i = 0; i < start.size(); ++i) {
      EXPECT_NEAR(after.x[i], oracle.x[i], fp64() ? 1e-11 : 1e-4) << i;
      EXPECT_NEAR(after.vy[i], oracle.vy[i], fp64() ? 1e-11 : 1e-3) << i;
    }
  }
}

TEST_P(BackendTest, DistancesOnEveryMap) {
  const auto on = backend();
  for (const u32 n : {1u, 2u, 65u, 200u}) {
    for (const u32 features : {1u, 3u, 16u}) {
      SplitMix64 random{n + features};
      PointSet points{n, features, {}};
      for (u64 v = 0; v < u64{n} * features; ++v) points.values.push_back(double(float(random.uniform())));
      for (const auto layout : kDistanceLayouts) {
        const std::vector<double> exact = reference_distances(points, layout);
        for (u32 id = 0; id < kTriangleMapCount; ++id) {
          EngineConfig c = config();
          c.pair_map = static_cast<TriangleMapId>(id);
          c.pair_block = id % 2 == 0 ? 0 : 9;
          SCOPED_TRACE(std::string(info(c.pair_map).name) + ", n = " + std::to_string(n) + ", features " +
                       std::to_string(features));
          const DistanceResult result = on->distances(points, layout, c);
          EXPECT_EQ(result.values.index(), fp64() ? 1u : 0u);
          EXPECT_EQ(result.work_items, u64{n} * (n - 1) / 2);
          double worst = 0;
          const std::size_t count = std::visit(
              [&](const auto& values) {
                for (std::size_t i = 0; i < std::min(values.size(), exact.size()); ++i) {
                  const double off = std::fabs(double(values[i]) - exact[i]);
                  if (!(off <= worst)) worst = off;
                }
                return values.size();
              },
              result.values);
          EXPECT_EQ(count, exact.size());
          EXPECT_LT(worst, fp64() ? 1e-14 : 1e-6);
        }
      }
    }
  }
}

TEST_P(BackendTest, CollisionsOnEveryMap) {
  const auto on = backend();
  for (const u32 n : {1u, 2u, 65u, 300u}) {
    const Bodies b = lattice_bodies(n, 1.0, 40 + n);
    const auto exact = reference_collisions(b);
    EXPECT_TRUE(n < 65 || exact.size() > n / 2) << "too few contacts";
    std::vector<u32> contacts(n, 0);
    for (const auto& [i, j] : exact) ++contacts[i], ++contacts[j];
    for (u32 id = 0; id < kTriangleMapCount; ++id) {
      EngineConfig c = config();
      c.pair_map = static_cast<TriangleMapId>(id);
      c.pair_block = id % 2 == 0 ? 0 : 11;
      SCOPED_TRACE(std::string(info(c.pair_map).name) + ", n = " + std::to_string(n));
      const CollisionResult result = on->collisions(b, c);
      EXPECT_EQ(result.pairs, exact);
      EXPECT_EQ(result.per_body, contacts);
    }
  }
}

/// Spheres of radius 1/2 on the integer lattice touch, exactly, in every precision.
TEST_P(BackendTest, TouchingSpheresCollide) {
  Bodies b;
  for (int i = 0; i < 64; ++i) b.add(i % 4, i / 4 % 4, i / 16, 0, 0, 0, 1.0, 0.5);
  EXPECT_EQ(backend()->collisions(b, config()).pairs.size(), 3u * 4 * 4 * 3);
}

TEST_P(BackendTest, SumsInAFixedOrderAreBitEqualOverMapsAndTiles) {
  const auto on = backend();
  ForceField argon = lennard_jones_field();
  argon.triple = TripleLaw::axilrod_teller;
  const Bodies b = lattice_bodies(50, 1.25, 77);
  u64 expected = 0;
  for (u32 round = 0; round < 2 * kTriangleMapCount; ++round) {
    EngineConfig c = config();
    c.accumulate = Accumulate::ordered;
    c.pair_map = static_cast<TriangleMapId>(round % kTriangleMapCount);
    c.triple_map = static_cast<TetraMapId>(round % kTetraMapCount);
    if (!takes(c.pair_map)) continue;
    c.pair_block = cuda() ? 128u << round % 3 : 4 + round;
    c.triple_block = cuda() ? 32 * (1 + round % 4) : 3 + round % 11;
    c.threads = 1 + round % 2;
    ASSERT_EQ(refusal(info(c.pair_map), 50, c.pair_block), "");
    SCOPED_TRACE(std::string(info(c.pair_map).name) + ", " + info(c.triple_map).name + ", block " +
                 std::to_string(c.pair_block));
    const auto engine = on->make_engine(b, argon, c);
    engine->advance(Integrator::kdk, 0.001, 3);
    if (expected == 0) expected = engine->state_hash();
    EXPECT_EQ(engine->state_hash(), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Here, BackendTest, testing::ValuesIn(settings()),
                         [](const auto& row) { return row.param.backend + "_" + to_string(row.param.precision); });

}  // namespace
}  // namespace tri::test
