/// Contacts of every backend: the broad phase, energies.
///
/// The grid broad phase: cells and their neighbourhood, and the same contacts as all pairs, pair for pair.

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "sim/backend/broad_phase.hpp"
#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/reference/reference.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {
namespace {

/// Spheres of radii r to 10 r, in a number such that each touches about `contacts` others.
Bodies cloud_of_spheres(u32 n, double contacts, u64 seed = 42) {
  SplitMix64 random{seed};
  const double r = 0.5 * std::cbrt(contacts / n) / 10;
  Bodies b;
  for (u32 i = 0; i < n; ++i) {
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    const auto v = [&random] { return random.uniform() - 0.5; };
    b.add(x, y, z, v(), v(), v(), 0.5 + random.uniform(), r * std::pow(10.0, random.uniform()));
  }
  return b;
}

struct Named {
  std::string name;
  Bodies bodies;
};

std::vector<Named> awkward() {
  std::vector<Named> all;
  for (const u32 n : {1u, 2u, 3u, 1000u}) all.push_back({"cloud " + std::to_string(n), cloud_of_spheres(n, 8)});
  Bodies b = cloud_of_spheres(700, 8);
  for (std::size_t i = 0; i < b.size(); ++i) {
    // Ten clusters, far apart.
    const double centre = 50.0 * static_cast<double>(i % 10);
    b.x[i] = 0.1 * b.x[i] + centre, b.y[i] = 0.1 * b.y[i] - centre, b.z[i] = 0.1 * b.z[i];
  }
  all.push_back({"clusters", b});
  b = cloud_of_spheres(3000, 8);
  for (auto* a : {&b.x, &b.y, &b.z}) {
    for (double& v : *a) v *= 1e-3;
  }
  for (double& r : b.r) r *= 2e-3;
  b.add(100, 100, 100, 0, 0, 0, 1, 1.0);
  all.push_back({"nearly all in one cell", b});
  b = cloud_of_spheres(900, 6);
  b.r[450] = 0.4;
  all.push_back({"one huge sphere", b});
  b = cloud_of_spheres(900, 6);
  const double far[] = {1e3, -1e6, 1e9, 1e18, -1e18, 3e4};
  for (std::size_t k = 0; k < std::size(far); ++k) b.x[100 * k] = far[k], b.z[100 * k] = -far[k];
  b.add(b.x[300], b.y[300], b.z[300], 0, 0, 0, 1, 0.1);  // at the position of a distant body
  all.push_back({"flung away", b});
  b = cloud_of_spheres(500, 1);
  std::fill(b.r.begin(), b.r.end(), 0.0);
  for (std::size_t i = 0; i < 50; ++i) b.x[i] = b.x[i + 50], b.y[i] = b.y[i + 50], b.z[i] = b.z[i + 50];
  all.push_back({"points, some coincident", b});
  b = {};
  for (int i = 0; i < 1000; ++i) b.add(i % 10, i / 10 % 10, i / 100, 0, 0, 0, 1, 0.5);
  all.push_back({"a lattice of spheres that just touch", b});
  b = {};
  for (int i = 0; i < 400; ++i) b.add(0.01 * i, 0, 0, 0, 0, 0, 1, 0.03);
  all.push_back({"a line", b});
  b = {};
  for (int i = 0; i < 300; ++i) b.add(3, 4, 5, 0, 0, 0, 1, 0.5);
  all.push_back({"coincident", b});
  return all;
}

/// On cell borders: multiples of the side from the origin, and the adjacent floating-point numbers.
Bodies on_borders(const CellGrid<double>& grid, double radius) {
  Bodies b;
  const double none = -std::numeric_limits<double>::infinity(), all = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 600; ++i) {
    double p[3];
    for (u32 axis = 0; axis < 3; ++axis) {
      const int cell = i * (axis == 0 ? 1 : axis == 1 ? 7 : 13) % 11 - 3;
      p[axis] = grid.origin[axis] + cell / grid.inverse_side[axis];
      const int step = (i / 11 + static_cast<int>(axis)) % 3;
      p[axis] = step == 0 ? p[axis] : std::nextafter(p[axis], step == 1 ? none : all);
    }
    b.add(p[0], p[1], p[2], 0, 0, 0, 1, radius);
  }
  return b;
}

using ContactsTest = OnBackend;
TRI_ON_EVERY_BACKEND(ContactsTest);

TEST_P(ContactsTest, TheGridFindsThePairsOfAllPairs) {
  std::vector<Named> cases = awkward();
  cases.push_back({"cloud 20000", cloud_of_spheres(20000, 8)});
  const Bodies& even = cases[3].bodies;
  const auto choice = make_cell_grid<double>(even, Box{}, 4);
  cases.push_back({"on borders", on_borders(choice.grid, 0.5 / choice.grid.inverse_side[0] / (1 + kGridMargin))});
  for (const Named& c : cases) {
    SCOPED_TRACE(c.name);
    for (const Precision precision : {Precision::fp64, Precision::fp32}) {
      SCOPED_TRACE(to_string(precision));
      EngineConfig config;
      config.precision = precision;
      config.broad_phase = BroadPhase::all_pairs;
      const CollisionResult all = backend().collisions(c.bodies, config);
      if (precision == Precision::fp64) {
        EXPECT_EQ(all.pairs, reference_collisions(c.bodies));
      }
      config.broad_phase = BroadPhase::grid;
      const CollisionResult grid = backend().collisions(c.bodies, config);
      EXPECT_EQ(grid.pairs, all.pairs);
      EXPECT_EQ(grid.per_body, all.per_body);
    }
  }
}

TEST_P(ContactsTest, EveryMapFindsThem) {
  const Bodies b = awkward()[5].bodies;  // cells with many bodies
  const auto expected = reference_collisions(b);
  ASSERT_GT(expected.size(), 1000u);
  for (u32 k = 0; k < kTriangleMapCount; ++k) {
    EngineConfig config;
    config.precision = Precision::fp64;
    config.pair_map = static_cast<TriangleMapId>(k);
    config.broad_phase = BroadPhase::grid;
    config.pair_block = !cuda() ? 37 : 128;
    SCOPED_TRACE(info(config.pair_map).name);
    ASSERT_EQ(refusal(info(config.pair_map), static_cast<u32>(b.size()), config.pair_block), "");
    if (cuda() && info(config.pair_map).space == Space::thread) config.pair_block = 16;
    EXPECT_EQ(backend().collisions(b, config).pairs, expected);
  }
}

ForceField springs(Boundary boundary) {
  ForceField f;
  f.pair = PairLaw::contact;
  f.contact = {500, 2, 1, false, 1};
  f.box = {{0, 0, 0}, {1, 1, 1}, boundary};
  return f;
}

/// Results of an engine under one broad phase.
struct Results {
  ForceResult forces;
  Diagnostics diagnostics;
  u64 hash = 0;
};

Results results_of(Backend& backend, const Bodies& b, const ForceField& field, EngineConfig config,
                   BroadPhase broad_phase) {
  config.broad_phase = broad_phase;
  const auto engine = backend.make_engine(b, field, config);
  EXPECT_EQ(engine->config().broad_phase, broad_phase);
  Results results;
  results.forces = engine->forces();
  results.diagnostics = engine->diagnose();
  engine->advance(Integrator::kdk, 1e-3, 5);
  results.hash = engine->state_hash();
  return results;
}

TEST_P(ContactsTest, EnginesGiveTheSameResultsWithBoth) {
  const Bodies b = cloud_of_spheres(2500, 5);
  for (const Boundary boundary : {Boundary::open, Boundary::periodic, Boundary::reflecting}) {
    for (const bool impulse : {false, true}) {
      for (const Precision precision : {Precision::fp32, Precision::fp64}) {
        SCOPED_TRACE(to_string(boundary) + (impulse ? " impulses " : " springs ") + to_string(precision));
        ForceField field = springs(boundary);
        field.contact.impulse = impulse;
        EngineConfig config;
        config.precision = precision;
        config.accumulate = Accumulate::ordered;
        const Results all = results_of(backend(), b, field, config, BroadPhase::all_pairs);
        const Results grid = results_of(backend(), b, field, config, BroadPhase::grid);
        EXPECT_EQ(grid.hash, all.hash);
        EXPECT_EQ(grid.forces.fx, all.forces.fx);
        EXPECT_EQ(grid.forces.fy, all.forces.fy);
        EXPECT_EQ(grid.forces.fz, all.forces.fz);
        EXPECT_NEAR(grid.diagnostics.potential, all.diagnostics.potential, 1e-12 * all.diagnostics.potential);
        EXPECT_NEAR(grid.diagnostics.virial, all.diagnostics.virial, 1e-12 * std::fabs(all.diagnostics.virial));
        if (impulse) continue;
        EXPECT_GT(all.diagnostics.potential, 0.01);
        // Fast sums agree within rounding.
        config.accumulate = Accumulate::fast;
        const Results fast = results_of(backend(), b, field, config, BroadPhase::grid);
        const double scale = *std::max_element(all.forces.fx.begin(), all.forces.fx.end());
        for (std::size_t i = 0; i < b.size(); ++i) {
          ASSERT_NEAR(fast.forces.fx[i], all.forces.fx[i], scale * (precision == Precision::fp32 ? 1e-5 : 1e-13)) << i;
        }
      }
    }
  }
}

TEST_P(ContactsTest, AGridForALawWithoutContactsIsRejected) {
  EngineConfig config;
  config.broad_phase = BroadPhase::grid;
  EXPECT_THROW(backend().make_engine(cloud_of_spheres(10, 1), ForceField{}, config), ConfigError);
  // As the backend's choice a grid is not an error, and a change of the law makes it choose again.
  config.broad_phase = BroadPhase::automatic;
  const auto engine = backend().make_engine(cloud_of_spheres(50000, 1), springs(Boundary::open), config);
  EXPECT_EQ(engine->config().broad_phase, BroadPhase::grid);
  engine->set_field(ForceField{});
  EXPECT_EQ(engine->config().broad_phase, BroadPhase::all_pairs);
  engine->set_field(springs(Boundary::open));
  EXPECT_EQ(engine->config().broad_phase, BroadPhase::grid);
}

TEST_P(ContactsTest, ABoxTooNarrowForAGridUsesAllPairsOrIsRejected) {
  Bodies b = cloud_of_spheres(50000, 1);
  b.r[3] = 0.24;
  const ForceField field = springs(Boundary::periodic);
  EngineConfig config;
  const auto engine = backend().make_engine(b, field, config);
  EXPECT_EQ(engine->config().broad_phase, BroadPhase::all_pairs);
  config.broad_phase = BroadPhase::grid;
  EXPECT_EQ(message_of<ConfigError>([&] { backend().make_engine(b, field, config); }),
            "--broad-phase grid: the periodic box is less than three cells wide, and a cell holds the largest sphere. "
            "Use --broad-phase auto.");
  EXPECT_THROW(engine->configure(config), ConfigError);
  EXPECT_EQ(engine->config().broad_phase, BroadPhase::all_pairs) << "a refusal changes nothing";
}

// Between periodic walls, some exactly on them: all pairs against the oracle, and through the grid the same.
TEST_P(ContactsTest, OfPeriodicBoxesAreTheOracles) {
  const Box box{{-0.5, 0, 2}, {0.5, 1.25, 2.75}, Boundary::periodic};
  for (const u32 n : {1u, 2u, 3u, 1000u, 3000u}) {
    SCOPED_TRACE(n);
    Bodies b = cloud_of_spheres(n, 6);
    for (std::size_t i = 0; i < n; ++i) {
      b.x[i] -= 0.5, b.y[i] *= 1.25, b.z[i] = 2 + 0.75 * b.z[i];
      b.r[i] = std::min(b.r[i], 0.18);
      if (i % 5 == 3) b.x[i] = -0.5;
      if (i % 5 == 4) b.x[i] = std::nextafter(0.5f, 0.0f), b.y[i] = std::nextafter(1.25f, 0.0f);
    }
    b = as_held(b, Precision::fp32);
    const auto expected = reference_collisions(b, box);
    for (const Precision precision : kPrecisions) {
      EngineConfig config = config_of(precision, Accumulate::fast, TriangleMapId::fold);
      config.broad_phase = BroadPhase::all_pairs;
      const CollisionResult all = backend().collisions(b, config, box);
      if (precision == Precision::fp64) {
        EXPECT_EQ(all.pairs, expected);
      }
      config.broad_phase = BroadPhase::grid;
      if (6 * *std::max_element(b.r.begin(), b.r.end()) > 0.75) {
        EXPECT_THROW(backend().collisions(b, config, box), ConfigError) << "three cells hold the largest sphere";
        continue;
      }
      const CollisionResult grid = backend().collisions(b, config, box);
      EXPECT_EQ(grid.pairs, all.pairs);
      if (n == 3000) {
        EXPECT_LT(grid.work_items, u64{n} * n / 8) << "not through a grid";
      }
    }
    if (n >= 1000) {
      EXPECT_NE(expected, reference_collisions(b)) << "nothing touches through a wall";
    }
  }
}

template <class Real>
void expect_neighbours(const CellGrid<Real>& grid, double largest_coordinate) {
  SplitMix64 random{3};
  const double reach = 1.0 / static_cast<double>(grid.inverse_side[0]) / (1 + kGridMargin);
  for (int trial = 0; trial < 200000; ++trial) {
    const double size = largest_coordinate * std::pow(10.0, -8 * random.uniform());
    const Real x = static_cast<Real>(size * (2 * random.uniform() - 1));
    const Real y = static_cast<Real>(static_cast<double>(x) + reach * (2 * random.uniform() - 1));
    if (std::fabs(static_cast<double>(x) - static_cast<double>(y)) > reach) continue;
    const u32 a = grid.coordinate(x, 0), b = grid.coordinate(y, 0), n = grid.cells[0];
    ASSERT_LT(a, n);
    const u32 apart = a > b ? a - b : b - a;
    ASSERT_TRUE(apart <= 1 || apart == n - 1) << "x = " << x << ", y = " << y << ": cells " << a << " and " << b;
  }
}

TEST(CellGrid, SpheresThatTouchAreInNeighbouringCells) {
  for (const u32 cells : {3u, 4u, 64u, 4096u}) {
    CellGrid<float> narrow;
    CellGrid<double> wide;
    for (u32 axis = 0; axis < 3; ++axis) narrow.cells[axis] = wide.cells[axis] = cells;
    narrow.origin[0] = 0.3f, wide.origin[0] = 0.3;
    narrow.inverse_side[0] = 1 / 0.37f, wide.inverse_side[0] = 1 / 0.37;
    for (const double largest : {1.0, 1e3, 1e5, 1e20}) {
      expect_neighbours(narrow, largest);
      expect_neighbours(wide, largest);
    }
  }
}

TEST(CellGrid, NonFiniteCoordinatesHaveCells) {
  const CellGrid<float> grid;
  for (const float v : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                        -std::numeric_limits<float>::infinity(), 3e38f}) {
    EXPECT_LT(grid.coordinate(v, 0), 3u);
  }
}

TEST(CellGrid, SizesFollowTheSpheresAndNotTheFurthestOfThem) {
  Bodies b = cloud_of_spheres(50000, 2);
  const double diameter = 2 * largest_radius(b);
  const auto near = make_cell_grid<float>(b, Box{}, 4).grid;
  EXPECT_GE(1 / near.inverse_side[0], diameter * (1 + 0.99 * kGridMargin));
  EXPECT_GT(near.count(), 1000u);
  EXPECT_LE(near.count(), 50000u * 4 / 4);
  for (int k = 0; k < 100; ++k) b.x[static_cast<std::size_t>(k) * 490] = 1e12 * (k - 50);
  const auto far = make_cell_grid<float>(b, Box{}, 4).grid;
  EXPECT_NEAR(far.inverse_side[0], near.inverse_side[0], 0.05f * near.inverse_side[0]);
  EXPECT_LE(far.count(), 50000u * 4 / 4);
  // A few spheres in a large periodic box do not create millions of cells; where three cells do not fit there is no
  // grid.
  for (auto* a : {&b.x, &b.y, &b.z, &b.r}) a->resize(500);
  std::fill(b.x.begin(), b.x.end(), 0.5);
  for (double& r : b.r) r *= 1e-3;
  const auto sparse = make_cell_grid<double>(b, Box{{0, 0, 0}, {1000, 1000, 1000}, Boundary::periodic}, 4);
  EXPECT_TRUE(sparse.usable);
  EXPECT_LE(sparse.grid.count(), 512u);
  for (const u32 cells : sparse.grid.cells) EXPECT_GE(cells, 3u);
  b.r[7] = 0.4;
  EXPECT_TRUE(make_cell_grid<double>(b, Box{}, 4).usable);
  EXPECT_FALSE(make_cell_grid<double>(b, Box{{0, 0, 0}, {1, 9, 9}, Boundary::periodic}, 4).usable);
  // Few bodies would get larger cells, of which three do not fit.
  Bodies few;
  for (const double x : {0.1, 1.1, 2.1, 3.1}) few.add(x, x, x, 0, 0, 0, 1, 0.5);
  EXPECT_TRUE(make_cell_grid<double>(few, Box{{0, 0, 0}, {3.2, 3.2, 3.2}, Boundary::periodic}, 4).usable);
}

TEST(CellGrid, ASampleOfTheSpheresDoes) {
  const Bodies b = cloud_of_spheres(50000, 2);
  const CellGrid<double> whole = make_cell_grid<double>(b, Box{}, 4).grid;
  Bodies sample;
  for (std::size_t i = 0; i < b.size(); i += 13) sample.add(b.x[i], b.y[i], b.z[i], 0, 0, 0, 1, b.r[i] / 2);
  const Spheres<double> few{sample.x.data(), sample.y.data(), sample.z.data(), sample.r.data(), sample.size()};
  const CellGrid<double> grid = make_cell_grid(few, largest_radius(b), u64{b.size()}, Box{}, 4).grid;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(grid.cells[axis], whole.cells[axis]);
    EXPECT_NEAR(grid.inverse_side[axis], whole.inverse_side[axis], 0.05 * whole.inverse_side[axis]);
  }
  // Cells hold the largest sphere, which is not among these.
  const CellGrid<double> wide = make_cell_grid(few, 10 * largest_radius(b), u64{b.size()}, Box{}, 4).grid;
  EXPECT_GE(1 / wide.inverse_side[0], 20 * largest_radius(b));
}

// Energies of springs in contact, through the grid and by all pairs, against plain loops over all pairs.

/// Spheres of radii r to 8 r in the unit cube, each of which touches a few others.
Bodies spheres_in_contact(u32 n) {
  SplitMix64 random{n + 11};
  const double r = 0.16 * std::cbrt(1.0 / n);
  Bodies b;
  const auto unit = [&] { return random.uniform(); };
  for (u32 i = 0; i < n; ++i) {
    const double x = unit(), y = unit(), z = unit();
    b.add(x, y, z, unit() - 0.5, unit() - 0.5, unit() - 0.5, 0.5 + unit(), std::min(0.125, r * std::pow(8.0, unit())));
  }
  return b;
}

struct Crowd {
  std::string name;
  Bodies bodies;
  Boundary boundary = Boundary::open;
};

std::vector<Crowd> crowds() {
  std::vector<Crowd> all;
  for (const u32 n : {1u, 2u, 3u, 33u, 500u, 3000u}) {
    for (const Boundary boundary : {Boundary::open, Boundary::reflecting, Boundary::periodic}) {
      all.push_back({std::to_string(n) + " spheres, " + to_string(boundary), spheres_in_contact(n), boundary});
    }
  }
  Bodies b = spheres_in_contact(2000);
  for (std::size_t i = 0; i < b.size(); i += 3) b.x[i] += i % 2 == 0 ? 0.75 : -1.5, b.z[i] -= 0.5;
  all.push_back({"a third outside the box", b, Boundary::reflecting});
  b = spheres_in_contact(1500);
  for (auto* axis : {&b.x, &b.y, &b.z}) {
    for (double& v : *axis) v = 0.25 + 0x1p-6 * v;
  }
  all.push_back({"all in one cell", b, Boundary::reflecting});
  all.push_back({"all in one cell of a periodic box", b, Boundary::periodic});
  b = spheres_in_contact(900);
  b.add(1e6, -1e6, 0, 0, 0, 0, 1, 0.125);
  b.add(1e6, -1e6, 0.125, 0, 0, 0, 1, 0.125);
  all.push_back({"two in contact far away", b});
  for (Crowd& c : all) c.bodies = as_held(c.bodies, Precision::fp32);  // the same state in both precisions
  return all;
}

using ContactEnergies = BackendTest;
TRI_ON_EVERY_BACKEND(ContactEnergies);

TEST_P(ContactEnergies, AreThoseOfPlainLoopsOverAllPairs) {
  double largest = 0;
  for (const Crowd& c : crowds()) {
    ForceField field;
    field.pair = PairLaw::contact;
    field.contact = {500, 2, 1, false, 1};
    field.box = {{0, 0, 0}, {1, 1, 1}, c.boundary};
    const ReferenceForces want = reference_forces(c.bodies, field);
    largest = std::max(largest, want.potential);
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      for (const BroadPhase broad_phase : {BroadPhase::all_pairs, BroadPhase::grid, BroadPhase::automatic}) {
        const std::string what = c.name + ", " + to_string(precision) + ", " + to_string(broad_phase);
        EngineConfig config;
        config.precision = precision, config.broad_phase = broad_phase;
        const auto engine = backend().make_engine(c.bodies, field, config);
        const Diagnostics got = engine->diagnose();
        EXPECT_NEAR(got.potential, want.potential, 1e-12 * want.potential) << what;
        EXPECT_NEAR(got.virial, want.virial, 1e-12 * std::abs(want.virial)) << what;
        EXPECT_NEAR(engine->forces().potential, want.potential, 1e-12 * want.potential) << what;
      }
    }
  }
  EXPECT_GT(largest, 1.0) << "there are contacts";
}

// Through the grid the work of energies is in proportion to the number of spheres, of any density.
TEST_P(ContactEnergies, LookAtNeighboursAlone) {
  for (const u32 n : {20000u, 80000u}) {
    ForceField field;
    field.pair = PairLaw::contact;
    field.box = {{0, 0, 0}, {1, 1, 1}, Boundary::reflecting};
    Bodies b = spheres_in_contact(n);
    std::fill(b.r.begin(), b.r.end(), 0.3 * std::cbrt(1.0 / n));
    const auto engine = backend().make_engine(b, field, EngineConfig{});
    EXPECT_EQ(engine->config().broad_phase, BroadPhase::grid);
    EXPECT_LT(engine->forces().work_items, u64{200} * n) << n;
  }
}

// A cloud in open space that grows 100-fold keeps its neighbours, and its search stays as quick.
TEST_P(ContactEnergies, OfACloudThatGrowsStayQuick) {
  const u32 n = 9000;
  ForceField field;
  field.pair = PairLaw::contact;
  Bodies b = spheres_in_contact(n);
  std::fill(b.r.begin(), b.r.end(), 0.25 * std::cbrt(1.0 / n));
  for (u32 i = 0; i < n; ++i) {
    b.vx[i] = 99 * b.x[i], b.vy[i] = 99 * b.y[i], b.vz[i] = 99 * b.z[i];
    if (i % 2 == 1) {  // in contact with the one before, and with it later
      b.x[i] = b.x[i - 1] + 0x1p-9, b.y[i] = b.y[i - 1], b.z[i] = b.z[i - 1];
      b.vx[i] = b.vx[i - 1], b.vy[i] = b.vy[i - 1], b.vz[i] = b.vz[i - 1];
    }
  }
  field.contact.stiffness = 1e-9;  // which does not disturb the growth
  EngineConfig config;
  config.broad_phase = BroadPhase::grid, config.accumulate = Accumulate::ordered;
  config.precision = Precision::fp64;
  const auto engine = backend().make_engine(b, field, config);
  const u64 before = engine->forces().work_items;
  engine->advance(Integrator::kdk, 0.25, 4);
  const Bodies grown = engine->read();
  EXPECT_GT(*std::max_element(grown.x.begin(), grown.x.end()), 99.0);
  const ForceResult got = engine->forces();
  EXPECT_LT(got.work_items, 2 * before);
  const ReferenceForces want = reference_forces(grown, field);
  EXPECT_GT(want.potential, 0);
  EXPECT_NEAR(got.potential, want.potential, 1e-12 * want.potential);
  config.broad_phase = BroadPhase::all_pairs;
  const ForceResult by_all = backend().make_engine(grown, field, config)->forces();
  EXPECT_TRUE(same_bits(got.fx, by_all.fx) && same_bits(got.fy, by_all.fy) && same_bits(got.fz, by_all.fz));
}

}  // namespace
}  // namespace tri::test
