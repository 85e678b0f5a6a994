// Overlaps through a uniform grid (sim/backend/broad_phase.hpp), in four kernels and a scan, all asynchronous.
//
//   count     one thread per body: its cell, and its position among the bodies of that cell (atomic counters)
//   scan      the start of each cell in sorted order
//   sort      one thread per body writes its sphere in sorted order; one per cell makes the cell's strips of 32 bodies
//   search    one warp per strip
//
// A warp tests the pairs of its strip in two ways. Within the strip, r bodies form a triangle of r (r - 1) / 2 pairs,
// and a triangle map assigns them to the lanes without gaps:
//
//        strip of 5 bodies, map lambda            columns: the bodies before the strip in its cell, then
//          1 |  0                                 the cells that follow it
//          2 |  1  2                                        +---+---+---+
//          3 |  3  4  5          lane = omega               | * | * | * |   z + 1, three rows of three,
//          4 |  6  7  8  9                                  +---+---+---+   and in the same layer
//               0  1  2  3                                      | o | * |   o: this cell
//                                                           +---+---+---+
//                                                           | * | * | * |   y + 1
//
// (a half stencil: of two neighbouring cells one follows the other). Against columns a lane keeps one row in registers,
// and 32 / r lanes share a column: with strips of 8 bodies four columns are tested at once. Neighbours along x are
// contiguous in sorted order, except across the fold, so there are five runs of columns and up to five more beyond the
// fold.
//
// Several ranks share the last two kernels, each on a state of its own with all bodies. A rank's bodies are those of
// successive cells, so of a slab of layers: domain_kernel finds them by their number, after the scan. A pair is found
// from its earlier cell, so the layer before the slab is searched as well, for pairs with a body in it.
//
// A body's position in its cell depends on the order of atomics, so strips differ from run to run; the set of
// overlapping pairs does not.

#include <cub/device/device_scan.cuh>

#include "sim/cuda/kernels/collisions/collision_pair.cuh"
#include "sim/cuda/kernels/collisions/grid_lists.cuh"
#include "sim/cuda/kernels/collisions/grid_search.hpp"
#include "sim/cuda/kernels/map_tables.cuh"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;
constexpr u32 kWarp = 32;
constexpr u32 kRuns = 5;
constexpr u32 kAll = 0xffffffffu;

u32 blocks_for(u64 n) { return static_cast<u32>((n + kThreads - 1) / kThreads); }

template <class Real>
__global__ void __launch_bounds__(kThreads)
    count_kernel(const CellGrid<Real> grid, u32 n, const Sphere<Real>* spheres, GridArrays<Real> arrays) {
  const u64 i = u64{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= n) return;
  const Sphere<Real> s = spheres[i];
  const u32 cell = grid.cell_of(s.x, s.y, s.z);
  arrays.cell[i] = cell;
  arrays.slot[i] = atomicAdd(&arrays.begin[cell], 1u);
}

/// Two threads: the first cells of this rank and of the next one.
template <class Real>
__global__ void domain_kernel(const CellGrid<Real> grid, u32 n, const GridArrays<Real> arrays, const GridShare share) {
  const u32 cells = grid.count(), of = share.rank + threadIdx.x;
  const u32 first = first_cell_of_part(arrays.begin, cells, n, of, share.ranks);
  const u32 end = __shfl_sync(3u, first, 1), layer = grid.cells[0] * grid.cells[1];
  if (threadIdx.x != 0) return;
  const u32 before = (first / layer + grid.cells[2] - 1) % grid.cells[2];
  const u32 layers = end > first ? (end - 1) / layer - first / layer + 2 : 0;
  *arrays.domain = {{arrays.begin[first], arrays.begin[end]}, before, layers < grid.cells[2] ? layers : grid.cells[2]};
}

/// Whether the cell is in so many layers on from that of the domain.
template <class Real>
__device__ __forceinline__ bool in_layers(const CellGrid<Real>& grid, const GridDomain& domain, u32 cell, u32 layers) {
  const u32 z = cell / (grid.cells[0] * grid.cells[1]), nz = grid.cells[2];
  return (z >= domain.layer ? z - domain.layer : z + nz - domain.layer) < layers;
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    sort_kernel(const CellGrid<Real> grid, u32 n, const Sphere<Real>* spheres, const GridArrays<Real> arrays) {
  const u64 i = u64{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= n) return;
  const u32 cell = arrays.cell[i];
  if (arrays.domain != nullptr && !in_layers(grid, *arrays.domain, cell, arrays.domain->layers + 1)) return;
  const u32 at = arrays.begin[cell] + arrays.slot[i];
  arrays.sorted[at] = spheres[i];
  arrays.body[at] = static_cast<u32>(i);
}

/// Each warp allocates its strips together: one atomic for 32 cells.
template <class Real>
__global__ void __launch_bounds__(kThreads)
    strip_kernel(const CellGrid<Real> grid, u32 cells, const GridArrays<Real> arrays) {
  const u32 cell = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % kWarp;
  const bool here =
      cell < cells && (arrays.domain == nullptr || in_layers(grid, *arrays.domain, cell, arrays.domain->layers));
  const u32 bodies = here ? arrays.begin[cell + 1] - arrays.begin[cell] : 0;
  const u32 mine = (bodies + kWarp - 1) / kWarp;
  u32 upto = mine;
#pragma unroll
  for (u32 step = 1; step < kWarp; step *= 2) {
    const u32 other = __shfl_up_sync(kAll, upto, step);
    if (lane >= step) upto += other;
  }
  u32 base = 0;
  if (lane == kWarp - 1 && upto > 0) base = atomicAdd(arrays.strip_count, upto);
  base = __shfl_sync(kAll, base, kWarp - 1) + upto - mine;
  for (u32 s = 0; s < mine; ++s) arrays.strips[base + s] = {cell, s};
}

/// One atomic for all active lanes. i and j may have the mark kForeign.
__device__ __forceinline__ void record_hit(const CollisionOutput& out, u32 i, u32 j) {
  if (out.per_body != nullptr) {
    atomicAdd(&out.per_body[i], 1u);
    atomicAdd(&out.per_body[j], 1u);
  }
  const unsigned long long position = next_place(out.count);
  if (out.pairs != nullptr && position < out.capacity)
    out.pairs[position] = (i & ~kForeign) > (j & ~kForeign) ? make_uint2(i, j) : make_uint2(j, i);
}

/// kShared: by several ranks.
template <class Real, bool kShared>
struct StripSearch {
  const GridArrays<Real>& arrays;
  const CollisionOutput& out;
  const laws::NearestImage<Real>& image;
  const GridDomain domain;

  /// Whether the body at a sorted index is one of this rank's.
  __device__ __forceinline__ bool owns(u32 a) const { return a >= domain.own.low && a < domain.own.high; }

  __device__ __forceinline__ u32 number_of(u32 a) const { return arrays.body == nullptr ? a : arrays.body[a]; }

  /// Tests the pair at two sorted indices.
  __device__ __forceinline__ void test_pair(u32 a, const Sphere<Real>& one, u32 b) const {
    if (!touches<3>(one, arrays.sorted[b], image)) return;
    if constexpr (kShared) {
      const bool first = owns(a), second = owns(b);
      if (first || second) {
        record_hit(out, number_of(a) | (first ? 0 : kForeign), number_of(b) | (second ? 0 : kForeign));
      }
    } else {
      record_hit(out, arrays.body[a], arrays.body[b]);
    }
  }

  /// All pairs of the strip, assigned to lanes by the map.
  template <class M>
  __device__ __forceinline__ void within(u32 first, u32 rows, u32 lane) const {
    const M map(rows, Diagonal::without);
    const Launch launch = map.launch(0);
    const u32 across = static_cast<u32>(launch.x), all = across * launch.y;
    for (u32 p = lane; p < all; p += kWarp) {
      for (auto tiles = map.begin({p % across, p / across, 0, 0}); tiles.valid(); tiles.next()) {
        const u32 a = first + tiles.tile().row, b = first + tiles.tile().col;
        test_pair(a, arrays.sorted[a], b);
      }
    }
  }

  /// All rows with the columns [begin, end); lanes that share a row take every `lanes_a_row`-th.
  __device__ __forceinline__ void against(u32 row, const Sphere<Real>& one, u32 begin, u32 end, u32 share,
                                          u32 shares) const {
#pragma unroll 4
    for (u32 b = begin + share; b < end; b += shares) test_pair(row, one, b);
  }
};

/// One of the ten runs of columns, for lane `run` < 10: the part along x of row run % 5 of the half stencil, then the
/// part that the fold cut off.
template <class Real>
__device__ uint2 run_of(const CellGrid<Real>& grid, const u32* begin, u32 cell, u32 run) {
  const u32 nx = grid.cells[0], ny = grid.cells[1], nz = grid.cells[2];
  const u32 x = cell % nx, y = cell / nx % ny, z = cell / nx / ny;
  const u32 row = run % kRuns;
  const bool beyond = run >= kRuns;
  const auto after = [](u32 c, u32 count) { return c + 1 < count ? c + 1 : 0; };
  const auto before = [](u32 c, u32 count) { return c > 0 ? c - 1 : count - 1; };
  // Rows (dy, dz): (0, 0), (1, 0), (-1, 1), (0, 1), (1, 1).
  const u32 to_z = row >= 2 ? after(z, nz) : z;
  const u32 to_y = row == 1 || row == 4 ? after(y, ny) : row == 2 ? before(y, ny) : y;
  const u32 line = (to_z * ny + to_y) * nx;
  u32 low, high;  // cells of the row, high excluded
  if (row == 0) {
    const bool folds = x + 1 == nx;
    low = folds ? 0 : x + 1, high = low + 1;
    if (beyond) high = low;
  } else if (!beyond) {
    low = x > 0 ? x - 1 : 0, high = x + 1 < nx ? x + 2 : nx;
  } else {
    low = x == 0 ? nx - 1 : 0, high = x == 0 || x + 1 == nx ? low + 1 : low;
  }
  return make_uint2(begin[line + low], begin[line + high]);
}

template <class Real, bool kShared>
__global__ void __launch_bounds__(kThreads)
    search_kernel(TriangleMapId map, const CellGrid<Real> grid, const GridArrays<Real> arrays,
                  const CollisionOutput out, const laws::NearestImage<Real> image, unsigned long long* candidates) {
  const u32 lane = threadIdx.x % kWarp;
  const u32 count = *arrays.strip_count;
  const StripSearch<Real, kShared> search{arrays, out, image, kShared ? *arrays.domain : GridDomain{}};
  unsigned long long tested = 0;
  for (u32 s = blockIdx.x * (kThreads / kWarp) + threadIdx.x / kWarp; s < count; s += gridDim.x * (kThreads / kWarp)) {
    const CellStrip strip = arrays.strips[s];
    const u32 cell_begin = arrays.begin[strip.cell], cell_end = arrays.begin[strip.cell + 1];
    const u32 first = cell_begin + kWarp * strip.strip;
    const u32 rows = cell_end - first < kWarp ? cell_end - first : kWarp;
    const bool own = !kShared || search.owns(first);  // all of a cell are, or none
    if (rows > 1 && own) {
      if (map == TriangleMapId::bb) {
        search.template within<TriangleBb>(first, rows, lane);
      } else if (map == TriangleMapId::fold) {
        search.template within<TriangleFold>(first, rows, lane);
      } else {
        search.template within<TriangleLambda>(first, rows, lane);
      }
    }
    if (own) tested += rows * (rows - 1) / 2;
    const u32 shares = kWarp / rows, share = lane / rows, row = first + lane % rows;
    const bool works = share < shares;
    const Sphere<Real> one = arrays.sorted[row];
    if (works && own) search.against(row, one, cell_begin, first, share, shares);
    if (own) tested += u64{rows} * (first - cell_begin);
    const uint2 mine = lane < 2 * kRuns ? run_of(grid, arrays.begin, strip.cell, lane) : make_uint2(0, 0);
    for (u32 run = 0; run < 2 * kRuns; ++run) {
      const u32 begin = __shfl_sync(kAll, mine.x, run), end = __shfl_sync(kAll, mine.y, run);
      if (works) search.against(row, one, begin, end, share, shares);
      if (own) tested += u64{rows} * (end - begin);
    }
  }
  if (lane == 0 && tested > 0) atomicAdd(candidates, tested);
}

}  // namespace

u64 grid_scan_bytes(u32 cells) {
  std::size_t bytes = 0;
  u32* const none = nullptr;
  TRI_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, none, none, cells + 1, nullptr));
  return bytes;
}

void enqueue_cell_scan(cudaStream_t stream, u32 cells, u32* begin, void* scan) {
  std::size_t bytes = grid_scan_bytes(cells);
  TRI_CUDA(cub::DeviceScan::ExclusiveSum(scan, bytes, begin, begin, cells + 1, stream));
}

template <class Real>
void enqueue_strip_search(cudaStream_t stream, TriangleMapId map, const CellGrid<Real>& grid, u32 cells, u32 bodies,
                          const GridArrays<Real>& arrays, const CollisionOutput& out,
                          const laws::NearestImage<Real>& image, unsigned long long* candidates) {
  TRI_CUDA(cudaMemsetAsync(arrays.strip_count, 0, sizeof(u32), stream));
  strip_kernel<<<blocks_for(cells), kThreads, 0, stream>>>(grid, cells, arrays);
  check_launch("strips of cells");
  const u64 most = (grid_strips(bodies, cells) * kWarp + kThreads - 1) / kThreads;
  const auto kernel = arrays.domain != nullptr ? search_kernel<Real, true> : search_kernel<Real, false>;
  const u64 holds = resident_workers(kernel, kThreads);
  kernel<<<static_cast<u32>(most < holds ? most : holds), kThreads, 0, stream>>>(map, grid, arrays, out, image,
                                                                                 candidates);
  check_launch("search of overlaps");
}

template <class Real>
void enqueue_grid_search(cudaStream_t stream, TriangleMapId map, const CellGrid<Real>& grid, u32 n,
                         const Sphere<Real>* spheres, const GridArrays<Real>& arrays, const CollisionOutput& out,
                         const laws::NearestImage<Real>& image, unsigned long long* candidates,
                         const GridShare& share) {
  const u32 cells = grid.count();
  TRI_CUDA(cudaMemsetAsync(arrays.begin, 0, (u64{cells} + 1) * sizeof(u32), stream));
  count_kernel<<<blocks_for(n), kThreads, 0, stream>>>(grid, n, spheres, arrays);
  check_launch("cells of bodies");
  enqueue_cell_scan(stream, cells, arrays.begin, arrays.scan);
  if (arrays.domain != nullptr) {
    domain_kernel<<<1, 2, 0, stream>>>(grid, n, arrays, share);
    check_launch("domain of a rank");
  }
  sort_kernel<<<blocks_for(n), kThreads, 0, stream>>>(grid, n, spheres, arrays);
  check_launch("bodies by cells");
  enqueue_strip_search(stream, map, grid, cells, n, arrays, out, image, candidates);
}

template void enqueue_strip_search(cudaStream_t, TriangleMapId, const CellGrid<float>&, u32, u32,
                                   const GridArrays<float>&, const CollisionOutput&, const laws::NearestImage<float>&,
                                   unsigned long long*);
template void enqueue_strip_search(cudaStream_t, TriangleMapId, const CellGrid<double>&, u32, u32,
                                   const GridArrays<double>&, const CollisionOutput&, const laws::NearestImage<double>&,
                                   unsigned long long*);
template void enqueue_grid_search(cudaStream_t, TriangleMapId, const CellGrid<float>&, u32, const Sphere<float>*,
                                  const GridArrays<float>&, const CollisionOutput&, const laws::NearestImage<float>&,
                                  unsigned long long*, const GridShare&);
template void enqueue_grid_search(cudaStream_t, TriangleMapId, const CellGrid<double>&, u32, const Sphere<double>*,
                                  const GridArrays<double>&, const CollisionOutput&, const laws::NearestImage<double>&,
                                  unsigned long long*, const GridShare&);

}  // namespace tri::cuda
