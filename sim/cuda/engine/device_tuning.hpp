#pragma once
/// The tuning of a device, as the kernels ask for it: from the user's file (sim/io/tuning_file.hpp) where that knows
/// the device, else the rules of kernels/pair_tuning.hpp and kernels/collision.hpp, which count multiprocessors.

#include "sim/laws/physics_params.hpp"
#include "sim/model/tuning.hpp"

namespace tri::cuda {

/// What the file says of this device; read once a process. No rows: nothing. Throws FileError, also for choices that
/// these kernels do not have, CudaError.
const Tuning& device_tuning(int device);
/// Forgets what was read, when a file was written.
void forget_device_tunings();

/// Throws FileError, naming the file, for a tile that there is none of.
void check_choices(const Tuning& tuning, const std::string& path);

/// The tile of the pair kernels for n bodies.
u32 tuned_pair_tile(PairLaw law, Precision precision, u64 n, int device);
/// The tile of the search for overlaps among all pairs.
u32 tuned_overlap_tile(Precision precision, u64 n, int device);
/// Bodies from which on contacts are found through the grid.
u64 tuned_grid_bodies(Precision precision, int device);

}  // namespace tri::cuda
