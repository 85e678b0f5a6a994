#pragma once
/// Pair sums on the device for the tests of the pair kernels: uploads the state, downloads the sums.

#include <cstring>
#include <string>
#include <vector>

#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/kernels/pairs/pair_tuning.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {

template <class Real>
constexpr Precision kPrecisionOf = sizeof(Real) == 4 ? Precision::fp32 : Precision::fp64;

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

/// One evaluation into poisoned memory.
template <class Real>
Sums<Real> sums_by(cuda::PairForces<Real>& forces, const HeldBodies<Real>& held, cudaStream_t stream) {
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

}  // namespace tri::test
