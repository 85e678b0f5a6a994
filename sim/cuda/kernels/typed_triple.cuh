#pragma once
/// The text of the kernels of typed triple laws: the tiles of triple_tile.cuh and the energy, for all maps. The build
/// joins it with all that it includes (sim/cuda/CMakeLists.txt).

#include "sim/cuda/jit/device_std.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/triple_tile.cuh"
#include "sim/maps/any_map.hpp"
#include "sim/maps/integer_math.hpp"

namespace tri::cuda {

/// As triple_tile_kernel (triples.cu).
template <class Law, class Real, bool kOrdered, class M>
__global__ void __launch_bounds__(kTripleThreads)
    typed_triple_kernel(const __grid_constant__ M map, const GridPiece launch, const Law law,
                        const DeviceState<Real> state, const PairSums<Real> out, u32 tile) {
  __shared__ TripleStage<Real> stage;
  Position position;
  if (!block_share(launch, position)) return;
  for (auto tiles = map.begin(position); tiles.valid(); tiles.next()) {
    for_each_cube<Real>(tiles.tile(), tile, state.n, [&](u32 i0, u32 j0, u32 k0) {
      Cube<Real, Law> cube{stage, i0, j0, k0, state.n, law};
      cube.set_up(state);
      cube.sum_sides();
      cube.template give_forces<kOrdered>(out);
    });
  }
}

/// Energy and virial, as triple_energy_kernel (triples.cu) has the energy: partial[2, blocks].
template <class Law, class Held>
__global__ void __launch_bounds__(kTripleThreads)
    typed_triple_energy_kernel(const Law law, const TetraExact map, const DeviceState<Held> state, u64 first, u64 end,
                               double* partial, u32 rank, u32 step) {
  __shared__ TripleStage<double> stage;
  if (blockIdx.x % step != rank) return;
  double potential = 0, virial = 0;
  for (u64 w = first + blockIdx.x; w < end; w += gridDim.x) {
    for_each_cube<double>(map.begin({w, 0, 0, 0}).tile(), kTripleCube, state.n, [&](u32 i0, u32 j0, u32 k0) {
      Cube<double, Law> cube{stage, i0, j0, k0, state.n, law};
      cube.set_up(state);
      cube.for_each_triple([&](double a, double b, double c, double powers) {
        double x, y, z;
        const double energy = law.strengths(DeviceMath<double>{}, a, b, c, x, y, z);
        const double dot = DeviceMath<double>::mul_add(z, c, DeviceMath<double>::mul_add(y, b, x * a));
        potential += powers != 0 ? energy : 0;
        virial -= powers != 0 ? dot : 0;
      });
      __syncthreads();
    });
  }
  double* const potentials = &stage.ij[0][0];
  double* const virials = potentials + kTripleThreads;
  potentials[threadIdx.x] = potential, virials[threadIdx.x] = virial;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (u32 t = 1; t < kTripleThreads; ++t) potential += potentials[t], virial += virials[t];
  partial[blockIdx.x] += potential, partial[gridDim.x + blockIdx.x] += virial;
}

}  // namespace tri::cuda
