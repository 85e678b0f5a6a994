#pragma once
/// Shared by the tests of the cuda backend: they skip with the reason if no device is usable, and fail instead if
/// TRI_REQUIRE_CUDA=1.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/backend/backend.hpp"
#include "sim/cuda/cuda_backend.hpp"
#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/jit/runtime_kernel.hpp"
#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/cuda/kernels/pairs.hpp"
#include "sim/cuda/kernels/triples.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/device_info.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/text/map_file.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {

/// TRI_CUDA_SMALL=1: small sizes only, for runs under a memory checker.
inline bool small_only() { return flag_set("TRI_CUDA_SMALL"); }

/// A typed map with a launch in three dimensions and idle positions, which would meet a tile again; none where NVRTC is
/// missing.
inline std::vector<TriangleMapId> typed_test_maps() {
  static const std::vector<TriangleMapId> maps = [] {
    std::vector<TriangleMapId> added;
    if (!cuda::runtime_kernels_available()) return added;
    const MapInfo& map = mapfile::add_map(mapfile::MapFile::from_text(
        "name = 'sheets'\ndomain = 'pairs'\nonce = 't = m*(m + 1)/2; q = (t + 5)/6'\nlaunch = ['3', 'q', '2']\n"
        "tile = \"\"\"\nv = min(w, t - 1)\nrow = (isqrt(8*v + 1) - 1)/2\ncol = v - row*(row + 1)/2\nidle = w >= t\n"
        "\"\"\"\n",
        "sheets.toml"));
    added.push_back(*find_triangle_map(map.name));
    return added;
  }();
  return maps;
}

/// The built-in maps that are exact at this size, and a typed one; block above 32 is the tile of a fast kernel, which
/// does not support thread-space maps.
inline std::vector<TriangleMapId> maps_for(u64 n, u32 block) {
  std::vector<TriangleMapId> maps;
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    const auto map = static_cast<TriangleMapId>(id);
    const bool tiles = block > 32;
    if (tiles && info(map).space == Space::thread) continue;
    if (refusal(info(map), n, block).empty()) maps.push_back(map);
  }
  for (const TriangleMapId map : typed_test_maps()) maps.push_back(map);
  return maps;
}

inline std::string name(TriangleMapId map, u64 n, u32 block) {
  return std::string(info(map).name) + ", n " + std::to_string(n) + ", block " + std::to_string(block);
}

/// All of them; under TRI_CUDA_SMALL=1 the first and the last.
template <class T>
std::vector<T> thinned(std::vector<T> all) {
  if (small_only() && all.size() > 2) all = {all.front(), all.back()};
  return all;
}

/// The same for sizes, none above 130.
inline std::vector<u32> sizes(std::vector<u32> all) {
  if (small_only()) std::erase_if(all, [](u32 n) { return n > 130; });
  return thinned(std::move(all));
}

inline std::unique_ptr<Engine> engine_of(const Bodies& b, const ForceField& f, const EngineConfig& c) {
  static const auto backend = make_backend("cuda");
  return backend->make_engine(b, f, c);
}

class CudaTest : public testing::Test {
 protected:
  void SetUp() override {
    // A folder for what is compiled at run time.
    setenv("TRI_CACHE", (std::filesystem::path(testing::TempDir()) / "tri_kernels_of_tests").c_str(), 1);
    require_usable(cuda_available());
  }
};

// The fixture of tests whose kernels are compiled at run time: they need a device and NVRTC.

class RuntimeKernelTest : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (const Availability can = cuda::runtime_kernels_available(); !can) GTEST_SKIP() << can.reason;
  }
};

/// The map meets each element once. cells: a counter for each.
template <class MapId>
void expect_each_once(MapId map, u32 n, u32 rho, cuda::DeviceBuffer<u32>& cells, const cuda::Stream& stream) {
  cells.fill_bytes(0, stream);
  cuda::prepare_write(map, n, rho, cells.data()).enqueue(stream);
  const std::vector<u32> met = cells.download(stream);
  EXPECT_EQ(static_cast<u64>(std::count(met.begin(), met.end(), 1u)), met.size())
      << info(map).name << ", n " << n << ", block " << rho;
}

// Pair sums on the device for the tests of the pair kernels: uploads the state, downloads the sums.

/// Bodies on the device, in an engine's layout.
template <class Real>
class HeldBodies {
 public:
  HeldBodies(const Bodies& b, cudaStream_t stream) : positions_(b.size()), velocities_(b.size()) {
    std::vector<cuda::Vec4<Real>> position(b.size()), velocity(b.size());
    const auto real = [](double v) { return static_cast<Real>(v); };
    for (std::size_t i = 0; i < b.size(); ++i) {
      position[i] = {real(b.x[i]), real(b.y[i]), real(b.z[i]), real(b.m[i])};
      velocity[i] = {real(b.vx[i]), real(b.vy[i]), real(b.vz[i]), real(b.r[i])};
    }
    positions_.upload(position, stream);
    velocities_.upload(velocity, stream);
    if (b.q.empty()) return;
    charges_ = cuda::DeviceBuffer<Real>(b.size());
    charges_.upload(std::vector<Real>(b.q.begin(), b.q.end()), stream);
  }
  cuda::DeviceState<Real> view() const {
    return {positions_.data(), velocities_.data(), static_cast<u32>(positions_.size()), charges_.data()};
  }

 private:
  cuda::DeviceBuffer<cuda::Vec4<Real>> positions_, velocities_;
  cuda::DeviceBuffer<Real> charges_;
};

template <class Real>
using Sums = std::vector<cuda::Vec4<Real>>;

template <class Real>
bool same_bits(const Sums<Real>& a, const Sums<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

/// One evaluation into poisoned memory. Forces: cuda::PairForces or cuda::TripleForces.
template <class Real, template <class> class Forces>
Sums<Real> sums_by(Forces<Real>& forces, const HeldBodies<Real>& held, cudaStream_t stream) {
  cuda::DeviceBuffer<cuda::Vec4<Real>> out(held.view().n);
  out.fill_bytes(0xff, stream);
  forces.enqueue(stream, held.view(), out.data());
  return out.download(stream);
}

template <class Real>
EngineConfig pair_config(Accumulate accumulate, TriangleMapId map = TriangleMapId::lambda, u32 tile = 0) {
  EngineConfig config;
  config.precision = kPrecisionOf<Real>;
  config.accumulate = accumulate;
  config.pair_map = map;
  config.pair_block = tile;
  return config;
}

inline std::string describe_pairs(const EngineConfig& config, const ForceField& field, u64 n) {
  return to_string(field.pair) + ", " + to_string(config.precision) + ", " + to_string(config.accumulate) + ", " +
         name(config.pair_map, n, config.pair_block);
}

/// Laws with all their branches; no walls, which do not concern pairs.
struct PairCase {
  Bodies bodies;
  ForceField field;
};

inline std::vector<PairCase> pair_cases(u32 n) {
  ForceField heavy = gravity_field(0.05);
  heavy.gravity.G = 2.5;
  ForceField near = lennard_jones_field(2.5);
  near.lennard_jones.shifted = true;
  return {{cloud_bodies(n), heavy}, {lattice_bodies(n), lennard_jones_field()}, {lattice_bodies(n), near}};
}

/// The tiles of a configuration at this size.
inline std::vector<u32> tiles_for(const ForceField& field, Precision precision, Accumulate accumulate, u64 n) {
  std::vector<u32> tiles(cuda::kPairTiles.begin(), cuda::kPairTiles.end());
  std::erase_if(tiles,
                [&](u32 tile) { return !cuda::tile_serves(cuda::shaped_as(field), precision, accumulate, n, tile); });
  return tiles;
}

// Triple sums on the device for the tests of the triple kernels: configurations, evaluations, and the plain loop.

inline constexpr double kNu = 0.072;

template <class Real>
EngineConfig triple_config(Accumulate accumulate, TetraMapId map = TetraMapId::tetra, u32 tile = 0) {
  EngineConfig config;
  config.precision = kPrecisionOf<Real>;
  config.accumulate = accumulate;
  config.triple_map = map;
  config.triple_block = tile;
  config.arithmetic = tile == cuda::kProductBlock ? Arithmetic::tensor : Arithmetic::float32;
  return config;
}

/// Whether the device has products of triples in this precision.
template <class Real>
bool has_products() {
  return sizeof(Real) == sizeof(float) ? cuda::has_triple_half_products(0) : cuda::has_triple_products(0);
}

/// The tiles of a configuration, including the papers' blocks and those of products, where the device has them.
template <class Real>
std::vector<u32> triple_tiles(Accumulate accumulate) {
  std::vector<u32> tiles(cuda::kTripleTiles);
  if (sizeof(Real) == 4 && accumulate == Accumulate::fast) tiles.insert(tiles.begin(), cuda::kTripleBlocks);
  tiles = thinned(tiles);
  if (has_products<Real>()) tiles.push_back(cuda::kProductBlock);
  return tiles;
}

/// The maps of triples that drive tiles of this side; products have a map of pairs.
inline std::vector<TetraMapId> maps_of_triples(u32 n, u32 tile) {
  if (tile == cuda::kProductBlock) return {TetraMapId::tetra};
  return usable_triple_maps(n, tile);
}

template <class Real>
double total_energy(const Sums<Real>& sums) {
  double energy = 0;
  for (const auto& s : sums) energy += double{s.w};
  return energy;
}

/// The plain float64 loop on the device shares neither formula nor map with the kernels; it is checked against the
/// oracle below.
template <class Real>
cuda::PairErrors plain_errors(const HeldBodies<Real>& held, const Sums<Real>& got, double& energy,
                              const cuda::Stream& stream) {
  cuda::DeviceBuffer<cuda::Vec4<Real>> sums(got.size());
  sums.upload(got, stream);
  cuda::DeviceBuffer<cuda::PairErrors> errors(1);
  cuda::DeviceBuffer<double> total(1);
  errors.fill_bytes(0, stream);
  total.fill_bytes(0, stream);
  cuda::plain_triple_errors(held.view(), kNu, sums.data(), errors.data(), total.data(), stream);
  energy = total.download(stream)[0];
  return errors.download(stream)[0];
}

}  // namespace tri::test
