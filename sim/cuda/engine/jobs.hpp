#pragma once
/// What a device computes once: distances, collisions, counts of triples, automata.
///
/// Work that a capture into a CUDA graph cannot hold.

#include <memory>
#include <string>
#include <vector>

#include "sim/backend/backend.hpp"
#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/ranks.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/compute.hpp"

namespace tri::cuda {

/// Throws ConfigError with that sentence while the stream is being captured.
inline void refuse_capture(cudaStream_t stream, const std::string& sentence) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  TRI_CUDA(cudaStreamIsCapturing(stream, &status));
  if (status != cudaStreamCaptureStatusNone) throw ConfigError(sentence);
}

// Conversion of host arrays to the layouts that the kernels read.

/// [vectors_of(features), n], rounded to Real, zero-padded after the last feature.
template <class Real>
std::vector<Vec4<Real>> pack_points(const PointSet& points);

/// [n], rounded to Real, and then taken into the box by whole sides, if that is periodic.
template <class Real>
std::vector<Sphere<Real>> pack_spheres(const Bodies& bodies, const Box& box = {});

// All-pairs distances, collisions and counts of triples by their three sides of user data on the current device.

/// Distances on `device`, which is current: a block of rows at a time is computed there and copied to the host. The
/// points have passed their check.
std::unique_ptr<DistanceRows> make_distance_rows(const PointSet& points, DistanceLayout layout,
                                                 const EngineConfig& config, int device);

/// Throws ConfigError (a rejected block or map) and MemoryError (predicted, device or host). With `ranks`, every rank
/// makes the same call and finds a share through the grid, without it the first one all; each gets all contacts.
CollisionResult collisions(const Bodies& bodies, const EngineConfig& config, const Box& box,
                           DeviceRanks* ranks = nullptr);

/// By products of bits where config.arithmetic is tensor, or automatic and that is faster, along config.pair_map in
/// tiles of kBitBlock (sim/cuda/kernels/triples.hpp); else one by one, along config.triple_map in tiles of
/// kCountTile. config.triple_block is 0 or that tile. Points and bins have passed their checks. Throws ConfigError,
/// MemoryError (one byte per pair of indices, n^2, and half of that for products), CudaError. With `ranks`, every rank
/// makes the same call and counts a share; each gets all counts.
TripleCounts count_triples(const PointSet& points, const SideBins& bins, const EngineConfig& config,
                           DeviceRanks* ranks = nullptr);

// Automata on the current device.

/// The kernel parameters for this fractal, grid and work. Throws ConfigError when a block would have more than 1024
/// threads, for placement sectors on anything but the gasket in blocks of 32, and as check_map().
FractalLaunch fractal_launch(const Fractal& fractal, const FractalGrid& grid, GasketMapId map,
                             GasketPlacement placement);

/// The default block side: the largest up to 32 with at most 1024 threads in the requested placement.
u32 default_fractal_block(const FractalShape& shape, u64 n, GasketPlacement placement);

/// Throws ConfigError and MemoryError.
std::unique_ptr<Automaton> make_automaton(const AutomatonSpec& spec, int device);

}  // namespace tri::cuda
