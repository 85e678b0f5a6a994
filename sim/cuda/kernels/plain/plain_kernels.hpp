#pragma once
/// Plain float64 loops, without maps, tiles or Newton's third law: the reference for the kernels' results at sizes
/// where the host would be too slow. All pointers are device memory; counters and sums are zeroed by the caller.
/// Asynchronous.

#include "sim/cuda/kernels/collisions/collision.hpp"
#include "sim/cuda/kernels/distances/distances.hpp"
#include "sim/cuda/kernels/pairs/device_state.hpp"

namespace tri::cuda {

/// The largest relative error in the whole output of a distance kernel, with each distance recomputed in float64 at the
/// index that the layout defines. *worst: the bits of a double (initially 0); infinity for NaN, or for a nonzero result
/// where zero is expected.
template <class Real>
void plain_distance_error(const Vec4<Real>* points, u32 n, u32 features, DistanceLayout layout, const Real* out,
                          unsigned long long* worst, cudaStream_t stream);

/// Adds the number of overlapping pairs to *count.
template <class Real>
void plain_collision_count(const Sphere<Real>* spheres, u32 n, u32 dimensions, unsigned long long* count,
                           cudaStream_t stream);

/// Adds the number of cells [size] that differ from `value` to *faults.
void plain_cells_other_than(u32 value, const u32* cells, u64 size, unsigned long long* faults, cudaStream_t stream);

/// Adds to *faults the number of cells of `next` [n, n] that differ from a step of life from `now`, and above the
/// diagonal from `untouched`.
void plain_automaton_faults(const u8* now, const u8* next, u32 n, u8 untouched, unsigned long long* faults,
                            cudaStream_t stream);

/// Sums over bodies i of |e_i|^2 and |a_i|^2, where a_i is the acceleration for G = 1 with Plummer softening,
/// recomputed, and e_i the error of `got` [n]; and the largest |e_i|^2, infinity for a result that is not finite.
struct PairErrors {
  double differences = 0;
  double squares = 0;
  double largest = 0;
};

/// Adds to *errors.
template <class Real>
void plain_gravity_errors(const DeviceState<Real>& state, double softening, const Vec4<Real>* got, PairErrors* errors,
                          cudaStream_t stream);

/// The same for forces of the Axilrod-Teller potential, in the form with the powers of Q = abc; also adds the energy of
/// all triples to *energy. n^3/2 terms: some 0.2 s for 4,096 bodies on an H200.
template <class Real>
void plain_triple_errors(const DeviceState<Real>& state, double nu, const Vec4<Real>* got, PairErrors* errors,
                         double* energy, cudaStream_t stream);

}  // namespace tri::cuda
