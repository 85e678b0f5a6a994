#pragma once
/// A run on disk, with all that the next step depends on: HDF5 in the GADGET layout, which other programs read, and in
/// its group Triangulum the laws, the clock, the way of computing and the figures of step 0.
///
/// A run that goes on from a snapshot is bit for bit the run that was never interrupted, on the same backend with the
/// same map, block and threads (with ordered sums, with any). On the cuda backend that needs ordered sums: fast ones
/// differ there between any two runs. State is kept in the run's own precision, so nothing is rounded. Accelerations
/// are not kept: the first kick after a restart evaluates them at the places where the last kick before it did.

#include <string>
#include <vector>

#include "sim/model/diagnostics.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/scene/scene.hpp"

namespace tri {

/// What a driver knows of its run beside the state.
struct RunRecord {
  std::string scene;            ///< as the user named it
  std::string backend;          ///< "cpu", "cuda"; empty: not told
  u64 last_step = 0;            ///< where the run was to end
  u64 diag_every = 0;           ///< steps between rows of diagnostics; 0: not told
  u64 rows = 0;                 ///< how many were taken
  double energy_error_max = 0;  ///< the largest of them
  u64 edits = 0;                ///< by hand, of its bodies; the title of the scene says so, and nothing else keeps it
  double last_time = 0;         ///< where a run with automatic steps was to end; 0: at last_step
};

struct Snapshot {
  Scene scene;          ///< its bodies are the state at `step`
  EngineConfig engine;  ///< with every choice of the backend filled in
  u64 step = 0;
  double time = 0;         ///< at `step`; with fixed steps step * dt, whatever is given
  double next_step = 0;    ///< of automatic steps: the length to try next; 0: none yet
  DiagnosticsRow initial;  ///< of step 0, which energies stay relative to
  RunRecord run;
};

/// Whether the path ends as snapshots do, in .hdf5 or .h5.
bool is_snapshot_name(const std::string& path);

/// What a file of this name leaves out of bodies and of the units and box of their scene, as sentences; nothing for a
/// snapshot. The time is not looked at. Throws FileError for a name of no format.
std::vector<std::string> lost_in(const std::string& path, const Bodies& bodies, const Scene& scene);

/// Whether the file is there, is HDF5 by its name, and holds a run beside the bodies. Throws FileError for one that is
/// no HDF5 inside.
bool holds_run(const std::string& path);

/// Written beside and renamed: after any failure, or a kill, an earlier file of that name is whole. Throws FileError.
void write_snapshot(const std::string& path, const Snapshot& snapshot);

/// Throws FileError for a file that is no snapshot, is damaged (a hash over state and parameters is held against the
/// one that was written), or comes from a later version.
Snapshot read_snapshot(const std::string& path);

}  // namespace tri
