#pragma once
/// `compute distances`: from points to a file, in blocks of rows that are computed while others are written.

#include <memory>
#include <span>
#include <string>

#include "app/support/console.hpp"
#include "sim/backend/backend.hpp"

namespace tri::app {

struct DistanceJob {
  const PointSet& points;
  DistanceLayout layout = DistanceLayout::condensed;
  EngineConfig engine;
  std::string output;
  u32 rows_at_once = 0;  ///< 0: one block if it is small beside the memory, else blocks of kBlockBytes
};

inline constexpr double kBlockBytes = 256.0 * (1 << 20);

/// Computes the distances, the blocks on each of the backends in turn, and writes them. The bytes of the output depend
/// neither on the blocks nor on the number of backends. More than one block leaves what it has when it ends early, and
/// the next run with the same job goes on with it. Returns the milliseconds of the computation, added over the blocks
/// of this run. Throws what backends and files throw, NumericalError for a distance that is not finite,
/// InterruptedError.
double compute_distances(const DistanceJob& job, std::span<const std::unique_ptr<Backend>> backends, Console& console);

}  // namespace tri::app
