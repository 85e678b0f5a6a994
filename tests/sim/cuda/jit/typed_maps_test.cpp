// Map files on the device: kernels over elements meet each element once, and forces have the bits of the built-in
// maps, for built-in and typed laws of pairs and triples.

#include <algorithm>
#include <numeric>

#include "sim/base/numbers.hpp"
#include "sim/cuda/engine/jobs.hpp"
#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/cuda/kernels/pairs.hpp"
#include "sim/text/map_file.hpp"
#include "tests/sim/cuda/cuda_support.hpp"
#include "tests/sim/text/text_support.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {
namespace {

using CudaTypedMaps = RuntimeKernelTest;

/// Maps of this test, which are then maps of the list.
template <class MapId>
std::vector<MapId> added_maps();

MapInfo added(const std::string& text) { return mapfile::add_map(mapfile::MapFile::from_text(text, "test.toml")); }

/// Lambda; two launches that share the triangle; a launch in three dimensions that reads w; and one whose passes depend
/// on the side. Idle positions would meet a tile again.
template <>
std::vector<TriangleMapId> added_maps() {
  const char* const texts[] = {
      "name = 'root'\ndomain = 'pairs'\nlaunch = ['m*(m + 1)/2']\n"
      "tile = '''\nrow = (isqrt(8*w + 1) - 1)/2\ncol = w - row*(row + 1)/2\n'''\n",
      "name = 'halves'\ndomain = 'pairs'\nonce = 'h = m/2'\nlaunch = [['h*(h + 1)/2'], ['m - h', 'm']]\n"
      "tile = '''\nr = (isqrt(8*w + 1) - 1)/2\nrow = pass == 0 ? r : h + x\n"
      "col = pass == 0 ? w - r*(r + 1)/2 : min(y, row)\nidle = pass == 1 && y > row\n'''\n",
      "name = 'flat'\ndomain = 'pairs'\nonce = 't = m*(m + 1)/2; q = (t + 3)/4'\nlaunch = ['2', 'q', '2']\n"
      "tile = '''\nv = min(w, t - 1)\nrow = (isqrt(8*v + 1) - 1)/2\ncol = v - row*(row + 1)/2\nidle = w >= t\n'''\n",
      "name = 'rows'\ndomain = 'pairs'\npasses = 'm'\nlimit = 60\nlaunch = ['pass + 1']\n"
      "tile = '''\nrow = pass\ncol = x\n'''\n"};
  std::vector<TriangleMapId> maps;
  for (const char* const text : texts) maps.push_back(*find_triangle_map(added(text).name));
  return maps;
}

template <>
std::vector<TetraMapId> added_maps() {
  const MapInfo map = added(
      "name = 'layers'\ndomain = 'triples'\nlaunch = ['m', 'm', 'm']\n"
      "tile = '''\ncol = min(min(x, y), z)\nlayer = max(max(x, y), z)\nrow = x + y + z - col - layer\n"
      "idle = x > y || y > z\n'''\n");
  return {*find_tetra_map(map.name)};
}

/// The sizes of a test at which a map is proved.
bool serves(const MapInfo& map, u32 n, u32 tile) { return refusal(map, n, tile).empty(); }

TEST_F(CudaTypedMaps, EachPairIsMetOnce) {
  const cuda::Stream stream;
  u32 tried = 0;
  for (const TriangleMapId map : added_maps<TriangleMapId>()) {
    for (const u32 n : sizes({1, 2, 7, 16, 17, 33, 127, 1025})) {
      for (const u32 rho : {1u, 8u, 16u, 32u}) {
        if (!serves(info(map), n, rho)) continue;
        ++tried;
        cuda::DeviceBuffer<u32> cells(u64{n} * (n + 1) / 2);
        cells.fill_bytes(0, stream);
        cuda::prepare_write(map, n, rho, cells.data()).enqueue(stream);
        const std::vector<u32> met = cells.download(stream);
        ASSERT_EQ(static_cast<u64>(std::count(met.begin(), met.end(), 1u)), met.size())
            << info(map).name << ", n " << n << ", block " << rho;
      }
    }
  }
  EXPECT_GE(tried, small_only() ? 20u : 60u);
}

TEST_F(CudaTypedMaps, EachTripleIsMetOnce) {
  const cuda::Stream stream;
  for (const TetraMapId map : added_maps<TetraMapId>()) {
    for (const u32 n : sizes({1, 2, 7, 9, 33, 100})) {
      for (const u32 rho : {1u, 4u, 8u, 10u}) {
        ASSERT_TRUE(serves(info(map), n, rho));
        cuda::DeviceBuffer<u32> cells(u64{n} * (n + 1) * (n + 2) / 6);
        cells.fill_bytes(0, stream);
        cuda::prepare_write(map, n, rho, cells.data()).enqueue(stream);
        const std::vector<u32> met = cells.download(stream);
        ASSERT_EQ(static_cast<u64>(std::count(met.begin(), met.end(), 1u)), met.size())
            << info(map).name << ", n " << n << ", block " << rho;
      }
    }
  }
}

/// One thread a cell of the gasket, digit by digit.
template <>
std::vector<GasketMapId> added_maps() {
  const MapInfo map = added(
      "name = 'thirds'\ndomain = 'gasket'\nonce = '''\nr = ctz(m)\ncells = 1\nrepeat r up to 31 {\ncells = 3*cells\n}\n"
      "'''\nlaunch = ['cells']\ntile = '''\nv = w; u = 0\nrow = 0; col = 0\nrepeat r up to 31 {\nd = v % 3\n"
      "col = col | (d >> 1) << u\nrow = row | (d + 1 >> 1) << u\nv = v/3; u = u + 1\n}\n'''\n");
  return {*find_gasket_map(map.name)};
}

TEST_F(CudaTypedMaps, EachCellOfTheGasketIsWritten) {
  const cuda::Stream stream;
  const Fractal gasket = open_fractal("gasket");
  for (const u32 levels : sizes({5, 6, 9})) {
    for (const GasketPlacement placement : {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::sectors}) {
      cuda::FractalLaunch launch;
      launch.shape = gasket.shape, launch.placement = placement, launch.map = added_maps<GasketMapId>()[0];
      launch.grid = fractal_grid(gasket, u64{1} << levels, 32);
      const u64 side = launch.grid.side;
      cuda::DeviceBuffer<u8> cells(side * side);
      cells.fill_bytes(0, stream);
      cuda::prepare_fractal_write(launch, cells.data()).enqueue(stream);
      const std::vector<u8> got = cells.download(stream);
      u64 wrong = 0;
      for (u64 y = 0; y < side; ++y) {
        for (u64 x = 0; x < side; ++x) wrong += got[y * side + x] != ((x & ~y) == 0 ? 1 : 0);
      }
      ASSERT_EQ(wrong, 0u) << "levels " << levels << ", placement " << static_cast<int>(placement);
      if (placement == GasketPlacement::sectors) continue;
      cuda::DeviceBuffer<unsigned long long> sums(cuda::kSumSlots);
      sums.fill_bytes(0, stream);
      cuda::prepare_fractal_sum(launch, cells.data(), sums.data()).enqueue(stream);
      const std::vector<unsigned long long> parts = sums.download(stream);
      EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), u64{0}), fractal_cells(gasket.shape, levels));
    }
  }
}

TEST_F(CudaTypedMaps, AutomataStepAsOnTheStream) {
  for (const CellStorage storage : {CellStorage::embedded, CellStorage::compact}) {
    for (const GasketPlacement placement : {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll}) {
      AutomatonSpec spec;
      spec.fractal = open_fractal("gasket");
      spec.levels = 8, spec.storage = storage;
      spec.work.placement = placement;
      const auto expected = cuda::make_automaton(spec, 0);
      spec.work.map = added_maps<GasketMapId>()[0];
      const auto got = cuda::make_automaton(spec, 0);
      expected->step(5), got->step(5);
      ASSERT_EQ(got->read(), expected->read()) << to_string(storage) << ", " << to_string(placement);
    }
  }
}

/// Ordered sums on typed maps have the bits of those on lambda.
template <class Real>
void check_pairs(const ForceField& field, const Bodies& bodies) {
  const u32 n = static_cast<u32>(bodies.size());
  const cuda::Stream stream;
  const HeldBodies<Real> held(bodies, stream);
  cuda::PairForces<Real> on_lambda(field, pair_config<Real>(Accumulate::ordered), n, 0);
  const Sums<Real> expected = sums_by(on_lambda, held, stream);
  for (const TriangleMapId map : added_maps<TriangleMapId>()) {
    const EngineConfig config = pair_config<Real>(Accumulate::ordered, map);
    if (!serves(info(map), n, on_lambda.block())) continue;
    cuda::PairForces<Real> forces(field, config, n, 0);
    for (int run = 0; run < 2; ++run) {
      ASSERT_TRUE(same_bits(sums_by(forces, held, stream), expected)) << describe_pairs(config, field, n);
    }
  }
}

TEST_F(CudaTypedMaps, OrderedPairSumsHaveTheBitsOfLambda) {
  for (const u32 n : sizes({1, 2, 129, 1000, 3000})) {
    for (const PairCase& c : pair_cases(n)) {
      check_pairs<float>(c.field, as_held(c.bodies, Precision::fp32));
      check_pairs<double>(c.field, c.bodies);
      if (HasFatalFailure()) return;
    }
    ForceField typed;
    typed.pair = PairLaw::typed, typed.typed_pair = pair_law(kTypedCut);
    check_pairs<float>(typed, as_held(lattice_bodies(n), Precision::fp32));
  }
}

template <class Real>
void check_triples_on_typed_maps(const ForceField& field, u32 n) {
  const cuda::Stream stream;
  const HeldBodies<Real> held(as_held(lattice_bodies(n), kPrecisionOf<Real>), stream);
  const auto sums_on = [&](TetraMapId map) {
    EngineConfig config = pair_config<Real>(Accumulate::ordered);
    config.triple_map = map;
    cuda::TripleForces<Real> forces(field, config, n, 0);
    cuda::DeviceBuffer<cuda::Vec4<Real>> out(n);
    out.fill_bytes(0xff, stream);
    forces.enqueue(stream, held.view(), out.data());
    return out.download(stream);
  };
  const Sums<Real> expected = sums_on(TetraMapId::tetra);
  for (const TetraMapId map : added_maps<TetraMapId>()) {
    ASSERT_TRUE(same_bits(sums_on(map), expected)) << info(map).name << ", n " << n;
  }
}

TEST_F(CudaTypedMaps, OrderedTripleSumsHaveTheBitsOfTetra) {
  ForceField built_in, typed;
  built_in.pair = typed.pair = PairLaw::none;
  built_in.triple = TripleLaw::axilrod_teller;
  typed.triple = TripleLaw::typed, typed.typed_triple = triple_law(kTypedTriples);
  for (const u32 n : sizes({3, 33, 100, 257})) {
    for (const ForceField& field : {built_in, typed}) {
      check_triples_on_typed_maps<float>(field, n);
      check_triples_on_typed_maps<double>(field, n);
      if (HasFatalFailure()) return;
    }
  }
}

/// Steps on typed maps have the bits of those on lambda.
void check_steps(const Bodies& bodies, const ForceField& field, EngineConfig config, Integrator integrator) {
  config.accumulate = Accumulate::ordered;
  const auto hash_on = [&](TriangleMapId map) {
    config.pair_map = map;
    const auto engine = engine_of(bodies, field, config);
    engine->advance(integrator, 1e-3, 20);
    return engine->state_hash();
  };
  const auto expected = hash_on(TriangleMapId::lambda);
  for (const TriangleMapId map : added_maps<TriangleMapId>()) EXPECT_EQ(hash_on(map), expected) << info(map).name;
}

TEST_F(CudaTypedMaps, StepsOfAnEngineHaveTheBitsOfLambda) {
  check_steps(cloud_bodies(500), gravity_field(0.05), {}, Integrator::kdk);
}

TEST_F(CudaTypedMaps, HermiteStepsHaveTheBitsOfLambda) {
  EngineConfig config;
  config.precision = Precision::fp64;
  check_steps(cloud_bodies(500), gravity_field(0.05), config, Integrator::hermite);
}

TEST_F(CudaTypedMaps, TensorCoresHaveTheBitsOfLambda) {
  EngineConfig config;
  config.arithmetic = Arithmetic::tensor;
  if (small_only() || !cuda::has_tensor_gravity(0)) GTEST_SKIP() << "large, or without the instructions";
  check_steps(cloud_bodies(9000), gravity_field(0.05), config, Integrator::kdk);
}

TEST_F(CudaTypedMaps, ContactsHaveTheBitsOfLambda) {
  ForceField field;
  field.pair = PairLaw::contact;
  Bodies bodies = cloud_bodies(700);
  for (double& r : bodies.r) r = 0.08;
  EngineConfig config;
  config.broad_phase = BroadPhase::all_pairs;
  for (const u32 block : {0u, 16u}) {
    config.pair_block = block;
    check_steps(bodies, field, config, Integrator::kdk);
  }
}

TEST_F(CudaTypedMaps, TriplesAreCountedAsOnTetra) {
  PointSet points{300, 3, std::vector<double>(900)};
  SplitMix64 random{5};
  for (double& v : points.values) v = random.uniform();
  for (const u32 bins : {5u, 40u}) {
    SideBins sides;
    for (u32 e = 0; e <= bins; ++e) sides.edges.push_back(1.2 * e / bins);
    EngineConfig config;
    config.arithmetic = Arithmetic::float32;
    const std::vector<u64> expected = cuda::count_triples(points, sides, config).counts;
    config.triple_map = added_maps<TetraMapId>()[0];
    EXPECT_EQ(cuda::count_triples(points, sides, config).counts, expected) << bins << " bins";
  }
}

TEST_F(CudaTypedMaps, ASideThatIsNotProvedDrivesNothing) {
  added_maps<TriangleMapId>();
  const auto rows = *find_triangle_map("rows");
  const std::string text = message_of<ConfigError>(
      [&] { cuda::PairForces<float>(gravity_field(0.05), pair_config<float>(Accumulate::fast, rows, 128), 20000, 0); });
  EXPECT_NE(text.find("rows"), std::string::npos) << text;
}

}  // namespace
}  // namespace tri::test
