#pragma once
/// What a run begins with: a scene of the command line, or a snapshot to go on from.

#include "app/support/run_config.hpp"
#include "sim/scene/scene.hpp"
#include "sim/snapshot.hpp"

namespace tri::app {

/// The scene of the command line with --seed, --dt, --eps, --G and --integrator taken in. For a named scene the first
/// four are keys like any other, so that a scene that does not know one refuses it, and one given twice is an error.
/// Throws ConfigError, FileError.
Scene scene_of(const RunConfig& config);

/// The snapshot of --restart. Throws FileError, and ConfigError for an option that says otherwise than the run of the
/// snapshot: its scene, seed, dt, softening, G, integrator and precision stay what they are.
Snapshot snapshot_of(const RunConfig& config);

/// The command line for the rest of a run: the backend is the snapshot's where none was asked for.
CommonOptions common_of(const RunConfig& config, const Snapshot& snapshot);

/// How the rest is computed on this backend: as before, but for what the command line asks for. A sentence in `note`
/// where fast sums may have other last bits by it.
EngineConfig engine_of(const CommonOptions& common, const Snapshot& snapshot, const std::string& backend,
                       std::string& note);

}  // namespace tri::app
