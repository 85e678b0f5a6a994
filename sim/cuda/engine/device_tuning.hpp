#pragma once
/// Device tuning for the kernels: from the user's file (sim/io/tuning_file.hpp) if it has an entry for the device, else
/// from the rules of kernels/pairs/pair_tuning.hpp and kernels/collisions/collision.hpp, which count multiprocessors.

#include "sim/laws/physics_params.hpp"
#include "sim/model/tuning.hpp"

namespace tri::cuda {

/// The file's entry for this device, read once per process; no rows if there is none. Throws FileError, also for
/// choices that these kernels do not support, and CudaError.
const Tuning& device_tuning(int device);
/// Discards what was read; call after writing a file.
void forget_device_tunings();

/// Throws FileError, naming the file, for an unsupported tile.
void check_choices(const Tuning& tuning, const std::string& path);

/// The tile of the pair kernels for n bodies; by the rule alone for a law that LawInfo::tuned gives no rows.
u32 tuned_pair_tile(PairLaw law, Precision precision, u64 n, int device);
/// The tile of the all-pairs overlap search.
u32 tuned_overlap_tile(Precision precision, u64 n, int device);
/// Bodies from which the grid searches for contacts.
u64 tuned_grid_bodies(Precision precision, int device);

/// Throws CudaError.
u32 multiprocessors_of(int device);

}  // namespace tri::cuda
