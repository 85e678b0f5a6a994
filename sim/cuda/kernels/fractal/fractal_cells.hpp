#pragma once
/// Kernels on the cells of a fractal of r levels: constant write, sum, and a step of an automaton, on every map of the
/// gasket and of its family, every placement and block side.
///
/// A block of threads takes the tiles that the map gives it; the placement says which cell of a tile a thread has
/// (sim/maps/gasket_placement.hpp). Embedded arrays are [n, n] or [n, n, n] bytes, n = s^r, compact ones
/// [k^floor(r/2), k^ceil(r/2)]. All buffers are device memory and must outlive the PreparedLaunch.

#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/fractal/fractal.hpp"

namespace tri::cuda {

/// What the kernels need of a FractalGrid, its fractal and its CellWork. Threads a block: fractal_threads(), <= 1024.
struct FractalLaunch {
  FractalShape shape;
  bool gasket = true;  ///< Fractal::is_gasket(): the maps and shapes made for its bits serve
  FractalGrid grid;
  GasketMapId map = GasketMapId::gasket_stream;
  GasketPlacement placement = GasketPlacement::lut;
};

/// Threads of a block: subbox block^d, lut and unroll k^inner, sectors 64.
u64 fractal_threads(const FractalLaunch& launch);

/// Writes 1 into every cell of the embedded array; placement sectors (the gasket with blocks of 32 alone) also 0
/// between the cells of the sectors that it touches.
PreparedLaunch prepare_fractal_write(const FractalLaunch& launch, u8* cells);

/// Adds all cells of the embedded array up: within threads, then within blocks by shuffles, then one addition a block.
/// sums: [kSumSlots], zeroed by the caller; the answer is their sum.
inline constexpr u32 kSumSlots = 1024;
PreparedLaunch prepare_fractal_sum(const FractalLaunch& launch, const u8* cells, unsigned long long* sums);

/// One step in embedded storage. `now` holds 0 where there is no cell; of `next` only the cells are written.
PreparedLaunch prepare_fractal_step(const FractalLaunch& launch, const LifeRule& rule, const u8* now, u8* next);

/// One step in compact storage. box_fits() must hold of the block.
PreparedLaunch prepare_compact_step(const FractalLaunch& launch, const LifeRule& rule, const u8* now, u8* next);

/// Copies a state between the storages: from compact to embedded (whose other places are left alone) or back.
void spread_cells(const FractalShape& shape, u32 levels, const u8* compact, u8* embedded, cudaStream_t stream);
void gather_cells(const FractalShape& shape, u32 levels, const u8* embedded, u8* compact, cudaStream_t stream);

/// What independent loops over all places of the embedding, without map and tile, find wrong; added to *faults, which
/// the caller zeroes.
/// write: 1 in the cells, and elsewhere `untouched`; with `sectors` 0 in the sectors of 32 bytes that hold a cell.
void plain_write_faults(const FractalLaunch& launch, const u8* cells, u8 untouched, bool sectors,
                        unsigned long long* faults, cudaStream_t stream);
/// Not faults: the sum of the cells.
void plain_fractal_sum(const FractalLaunch& launch, const u8* cells, unsigned long long* sum, cudaStream_t stream);
/// step: cells of `next` that are not what the rule says of `now`; in embedded storage also other places that are not
/// `untouched`.
void plain_step_faults(const FractalLaunch& launch, CellStorage storage, const LifeRule& rule, const u8* now,
                       const u8* next, u8 untouched, unsigned long long* faults, cudaStream_t stream);

}  // namespace tri::cuda
