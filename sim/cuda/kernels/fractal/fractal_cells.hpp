#pragma once
/// Kernels on the cells of a fractal of r levels: constant write, sum, and a step of an automaton, for every map of the
/// gasket family, every placement and block side.
///
/// The map assigns tiles to a block; the placement assigns cells of a tile to threads (sim/maps/gasket_placement.hpp).
/// Embedded arrays are [n, n] or [n, n, n] bytes, n = s^r, compact ones [k^floor(r/2), k^ceil(r/2)]. All buffers are
/// device memory and must outlive the PreparedLaunch.

#include "sim/cuda/kernels/fractal/sum_slots.hpp"
#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/fractal/fractal.hpp"

namespace tri::cuda {

/// Launch parameters. Threads per block: fractal_threads(), <= 1024.
struct FractalLaunch {
  FractalShape shape;
  bool gasket = true;  ///< Fractal::is_gasket(): use the maps and shapes specialised for its bits
  FractalGrid grid;
  GasketMapId map = GasketMapId::gasket_stream;
  GasketPlacement placement = GasketPlacement::lut;
};

/// Threads per block: subbox block^d, lut and unroll k^inner, sectors 64.
u64 fractal_threads(const FractalLaunch& launch);

/// Writes 1 into every cell of the embedded array; placement sectors (only the gasket with block 32) also writes 0
/// between the cells of the 32-byte sectors that it touches.
PreparedLaunch prepare_fractal_write(const FractalLaunch& launch, u8* cells);

/// Sums all cells of the embedded array: per thread, per block by shuffles, then one atomic per block.
/// sums: [kSumSlots], zeroed by the caller; the result is their sum.
PreparedLaunch prepare_fractal_sum(const FractalLaunch& launch, const u8* cells, unsigned long long* sums);

/// One step in embedded storage. `now` must be 0 where there is no cell; only cells of `next` are written.
PreparedLaunch prepare_fractal_step(const FractalLaunch& launch, const LifeRule& rule, const u8* now, u8* next);

/// One step in compact storage. Expects box_fits() for the block.
PreparedLaunch prepare_compact_step(const FractalLaunch& launch, const LifeRule& rule, const u8* now, u8* next);

/// Copies a state from compact to embedded storage (other positions stay unchanged) or back.
void spread_cells(const FractalShape& shape, u32 levels, const u8* compact, u8* embedded, cudaStream_t stream);
void gather_cells(const FractalShape& shape, u32 levels, const u8* embedded, u8* compact, cudaStream_t stream);

/// Independent checks by plain loops over all positions of the embedding, without map or tiles. The number of wrong
/// values is added to *faults, which the caller zeroes.
/// write: expects 1 in the cells and `untouched` elsewhere; with `sectors`, 0 in 32-byte sectors that hold a cell.
void plain_write_faults(const FractalLaunch& launch, const u8* cells, u8 untouched, bool sectors,
                        unsigned long long* faults, cudaStream_t stream);
/// Adds the sum of the cells to *sum.
void plain_fractal_sum(const FractalLaunch& launch, const u8* cells, unsigned long long* sum, cudaStream_t stream);
/// step: counts cells of `next` that differ from the rule applied to `now`, and in embedded storage other positions
/// that are not `untouched`.
void plain_step_faults(const FractalLaunch& launch, CellStorage storage, const LifeRule& rule, const u8* now,
                       const u8* next, u8 untouched, unsigned long long* faults, cudaStream_t stream);

}  // namespace tri::cuda
