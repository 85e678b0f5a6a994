#pragma once
/// Triple sums on the device for the tests of the triple kernels: configurations, evaluations, and the plain loop.

#include <cmath>
#include <string>
#include <vector>

#include "sim/cuda/kernels/plain/plain_kernels.hpp"
#include "sim/cuda/kernels/triples/triple_half_products.hpp"
#include "sim/cuda/kernels/triples/triple_products.hpp"
#include "sim/cuda/kernels/triples/triple_tiles.hpp"
#include "tests/sim/cuda/engine/pair_support.hpp"

namespace tri::test {

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

template <class Real>
Sums<Real> sums_by(cuda::TripleForces<Real>& forces, const HeldBodies<Real>& held, cudaStream_t stream) {
  cuda::DeviceBuffer<cuda::Vec4<Real>> out(held.view().n);
  out.fill_bytes(0xff, stream);
  forces.enqueue(stream, held.view(), out.data());
  return out.download(stream);
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

template <class Real>
void expect_like(const Sums<Real>& got, const ReferenceForces& expected, const std::string& what) {
  ForceResult forces;
  for (const auto& s : got) {
    forces.fx.push_back(double{s.x}), forces.fy.push_back(double{s.y}), forces.fz.push_back(double{s.z});
  }
  expect_close(forces, expected, kPrecisionOf<Real>, what);
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
