#pragma once
/// The output files of `compute`, and its distances.
///
/// Results of `compute` as files, but for distances (compute.cpp): npy or csv, by extension. Written to a
/// temporary file and renamed; failures are FileErrors.

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/support/console.hpp"
#include "sim/backend/backend.hpp"
#include "sim/model/compute.hpp"

namespace tri::app {

/// Pairs i < j, sorted. csv: with the header i,j; npy: [pairs, 2] int64.
void write_pairs(const std::string& path, const std::vector<std::pair<u32, u32>>& pairs);

/// npy, [ceil(n(n-1)/16)] uint8: the strict lower triangle of the matrix of n bodies, row by row, as bits: pair (i, j),
/// i > j, is bit k % 8, from the lowest, of byte k / 8, k = i(i-1)/2 + j. Pairs (i, j), sorted.
void write_adjacency(const std::string& path, u64 n, const std::vector<std::pair<u32, u32>>& pairs);

/// csv: with the header body,contacts; npy: [n] int64.
void write_counts(const std::string& path, const std::vector<u32>& counts);

/// csv: with the header fx,fy,fz; npy: [n, 3] float64.
void write_forces(const std::string& path, std::span<const double> fx, std::span<const double> fy,
                  std::span<const double> fz);

/// csv: with the header low1,high1,low2,high2,low3,high3,count and one line for each three bins, ascending, that
/// contain a triple; npy: [bins, bins, bins] int64, at [p, q, r] with p <= q <= r; larger counts are FileErrors.
void write_triple_counts(const std::string& path, const SideBins& bins, const TripleCounts& result);

// `compute distances`: from points to a file, in blocks of rows that are computed while others are written.

struct DistanceJob {
  const PointSet& points;
  DistanceLayout layout = DistanceLayout::condensed;
  EngineConfig engine;
  std::string output;
  u32 rows_at_once = 0;      ///< 0: one block if it is small beside the memory, else blocks of kBlockBytes
  std::string command = {};  ///< that goes on with it; empty: not known
};

inline constexpr double kBlockBytes = 256.0 * (1 << 20);

/// Computes the distances, the blocks on each of the backends in turn, and writes them. The bytes of the output depend
/// neither on the blocks nor on the number of backends. More than one block leaves what it has when it ends early, and
/// the next run with the same job goes on with it. Returns the milliseconds of the computation, added over the blocks
/// of this run. Throws what backends and files throw, NumericalError for a distance that is not finite,
/// InterruptedError.
double compute_distances(const DistanceJob& job, std::span<const std::unique_ptr<Backend>> backends, Console& console);

}  // namespace tri::app
