#pragma once
/// Which kernel and which tiles: the choice, the tunings of a device, the tuner.
///
/// Selects a kernel by block side, and rejects maps and block sides with a reason.

#include <initializer_list>
#include <string>
#include <vector>

#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_concepts.hpp"
#include "sim/maps/map_ids.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// The largest n of this backend: element indices are 32 bits wide, rounded up to whole tiles.
inline constexpr u64 kMaxElements = u64{1} << 31;
/// The papers' block side, and the largest: 32 x 32 threads.
inline constexpr u32 kPaperBlock = 16;
inline constexpr u32 kMaxBlock = 32;

struct KernelChoice {
  bool tiles = false;  ///< the fast kernel with many pairs per thread; else the papers' kernel with one
  u32 block = 0;       ///< side in elements
};

/// block 1..32: the papers' kernel. One of tile_sides: the fast kernel. 0: `preferred`, or kPaperBlock for thread-space
/// maps. Throws ConfigError for any other block, for a tile side with a thread-space map, for n outside
/// 1..kMaxElements, and with the map's own reason for this size.
KernelChoice choose_kernel(TriangleMapId map, u64 n, u32 block, u32 preferred, std::initializer_list<u32> tile_sides);

/// The largest n of kernels over triples: three indices are hashed with 21 bits each.
inline constexpr u64 kMaxTripleElements = u64{1} << 21;

/// The block side of a kernel over triples: `block`, which must be one of `blocks`, or `preferred` for 0. Throws
/// ConfigError for any other block, for n outside 1..kMaxTripleElements, and with the map's own reason.
u32 choose_triple_block(TetraMapId map, u64 n, u32 block, u32 preferred, const std::vector<u32>& blocks);

/// The map of pairs that products of triples go along: the one of pairs, and lambda in place of a typed one, which is
/// not compiled into these kernels.
TriangleMapId product_map(const EngineConfig& config);

/// Bytes that the table of a map may take on the current device.
u64 device_table_memory();

/// Device memory of the map's table in bytes; 0 for maps without one.
double table_bytes(TriangleMapId map, u64 n, u32 block);

// Device tuning for the kernels: from the user's file (sim/io/formats.hpp) if it has an entry for the device, else
// from the rules of sim/cuda/kernels/pairs.hpp and sim/cuda/kernels/pair_jobs.hpp, which count multiprocessors.

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
/// Bodies from which gravity by a tree is faster than all pairs at this tolerance, on an H200 and on this device.
u64 tree_bodies_for(double tolerance);
u64 tuned_tree_bodies(Precision precision, double tolerance, int device);

/// Throws CudaError.
u32 multiprocessors_of(int device);

// Times the choices of the pair kernels on this device.

/// Times pair forces and the overlap search with every tile, and the grid and the tree against all pairs, at each
/// requested size and precision. Compares results: a choice whose result differs throws Error. Throws MemoryError,
/// CudaError. On request.stop returns the results so far.
Tuning tune_device(int device, const TuneRequest& request, const TuneListener& tell);

}  // namespace tri::cuda
