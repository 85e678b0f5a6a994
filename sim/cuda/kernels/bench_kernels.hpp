#pragma once
/// Kernels that benches alone use: elements, plain loops, peak rates, rec, cells.
///
/// Kernels over single elements of the triangle, (i, j), i >= j, and of the tetrahedron, (i, j, k), i <= j <= k, on
/// every map of either: what the papers time, and what checks a map on the device. Both domains include their
/// diagonals.
///
/// MapId: TriangleMapId or TetraMapId. n: elements per side, n >= 1, for triples <= 2^21. rho: block side, 1..32
/// threads (rho^2 threads per block) for pairs, a tile side of 1..kMaxTripleBlock for triples. All buffers are device
/// memory and must outlive the PreparedLaunch.

#include "sim/backend/bench.hpp"
#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::cuda {

/// Largest tile side of a block of triples.
inline constexpr u32 kMaxTripleBlock = 10;

/// form: hold or store. scratch: [kDummySlots].
template <class MapId>
PreparedLaunch prepare_dummy(MapId map, u32 n, u32 rho, BenchForm form, u32* scratch);

/// Adds 1 to cells[i(i+1)/2 + j], or cells[T3(k) + T2(j) + i]: after one run every cell is 1 if and only if the map
/// covers each element exactly once.
template <class MapId>
PreparedLaunch prepare_write(MapId map, u32 n, u32 rho, u32* cells);

/// Two sums modulo 2^64, the number of elements met and a hash of each: two maps that meet the same multiset of
/// elements agree in both. Works at sizes at which a counter per cell does not fit into memory. Of triples a third,
/// (i+1)(j+1)(k+1) over i < j < k. sums: [2 or 3, kChecksumSlots], zeroed by the caller; the results are the sums of
/// its rows.
template <class MapId>
PreparedLaunch prepare_checksum(MapId map, u32 n, u32 rho, unsigned long long* sums);

/// The same sums by a plain loop over the coordinates, without a map.
template <class MapId>
PreparedLaunch prepare_plain_checksum(u32 n, unsigned long long* sums);

/// One step of life on the triangle: cell (i, j) lives in the lower half of an [n, n] byte matrix, its
/// neighbours are those of the 8 around it that lie in the triangle. next must not be now.
PreparedLaunch prepare_automaton(TriangleMapId map, u32 n, u32 rho, const LifeRule& rule, const u8* now, u8* next);

// Plain float64 loops, without maps, tiles or Newton's third law: the reference for the kernels' results at sizes
// where the host would be too slow. All pointers are device memory; counters and sums are zeroed by the caller.
// Asynchronous.

/// The largest relative error in the whole output of a distance kernel, with each distance recomputed in float64 at the
/// index that the layout defines. *worst: the bits of a double (initially 0); infinity for NaN, or for a nonzero result
/// where zero is expected.
template <class Real>
void plain_distance_error(const Vec4<Real>* points, u32 n, u32 features, DistanceLayout layout, const Real* out,
                          unsigned long long* worst, cudaStream_t stream);

/// Adds the number of overlapping pairs to *count.
template <class Real>
void plain_collision_count(const Sphere<Real>* spheres, u32 n, u32 dimensions, unsigned long long* count,
                           cudaStream_t stream);

/// Adds the number of cells [size] that differ from `value` to *faults.
void plain_cells_other_than(u32 value, const u32* cells, u64 size, unsigned long long* faults, cudaStream_t stream);

/// Adds to *faults the number of cells of `next` [n, n] that differ from a step of life from `now`, and above the
/// diagonal from `untouched`.
void plain_automaton_faults(const u8* now, const u8* next, u32 n, u8 untouched, unsigned long long* faults,
                            cudaStream_t stream);

/// Of accelerations for G = 1 with Plummer softening, recomputed; infinity for a result that is not finite.
using PairErrors = ForceErrors;

/// Adds to *errors.
template <class Real>
void plain_gravity_errors(const DeviceState<Real>& state, double softening, const Vec4<Real>* got, PairErrors* errors,
                          cudaStream_t stream);

/// The same for forces of the Axilrod-Teller potential, in the form with the powers of Q = abc; also adds the energy of
/// all triples to *energy. n^3/2 terms: some 0.2 s for 4,096 bodies on an H200.
template <class Real>
void plain_triple_errors(const DeviceState<Real>& state, double nu, const Vec4<Real>* got, PairErrors* errors,
                         double* energy, cudaStream_t stream);

// Kernels that do one thing only, to find out how fast a device does it at most.

inline constexpr u32 kPeakThreads = 256;

/// `blocks` blocks of kPeakThreads threads that do nothing; 1 <= blocks < 2^31.
PreparedLaunch prepare_empty(u32 blocks);

/// multiply_adds_a_thread(turns) float32 multiply-adds in registers by each thread of `blocks` blocks. sums:
/// [blocks * kPeakThreads] device memory; each becomes kPeakChains to rounding.
inline constexpr u32 kPeakChains = 8;
PreparedLaunch prepare_multiply_adds(u32 blocks, u32 turns, float* sums);
constexpr u64 multiply_adds_a_thread(u32 turns) { return u64{turns} * 4 * kPeakChains; }

// The map `rec` by dynamic parallelism: one thread on the device launches all k + 1 grids concurrently, and the work
// ends when the last of them has. LTM V studies its cost compared with launches from the host.

/// The most tiles per side: grids are not split on the device, and a grid's height is half the padded side.
inline constexpr u64 kRecDeviceSide = 65536;

/// As prepare_dummy() with the map rec; n <= kRecDeviceSide * rho.
PreparedLaunch prepare_dummy_from_device(u32 n, u32 rho, BenchForm form, u32* scratch);

/// As prepare_distance_tiles() (block = kDistanceTile) or prepare_distance_elements() (block 1..32) with the map rec,
/// in float32; n <= kRecDeviceSide * block.
PreparedLaunch prepare_distances_from_device(u32 n, u32 block, u32 features, DistanceLayout layout,
                                             const Vec4<float>* points, float* out);

// Kernels on the cells of a fractal of r levels: constant write, sum, and a step of an automaton, for every map of the
// gasket family, every placement and block side.
//
// The map assigns tiles to a block; the placement assigns cells of a tile to threads (sim/maps/gasket_placement.hpp).
// Embedded arrays are [n, n] or [n, n, n] bytes, n = s^r, compact ones [k^floor(r/2), k^ceil(r/2)]. All buffers are
// device memory and must outlive the PreparedLaunch.

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

/// A sweep over spins in compact storage, in place: one launch a colour, to be enqueued in this order. *sweep, in host
/// memory, is read when they are. Expects a built-in map, and box_fits() for the block.
std::vector<PreparedLaunch> prepare_spin_sweep(const FractalLaunch& launch, const SpinRule& rule, const u64* sweep,
                                               u8* spins);
/// Adds the two numbers of SpinSums, in their order, to sums[2].
PreparedLaunch prepare_spin_sums(const FractalLaunch& launch, const SpinRule& rule, u8* spins,
                                 unsigned long long* sums);

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
