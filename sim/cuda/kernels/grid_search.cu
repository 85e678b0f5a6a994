// The search through a grid, and the domains of several ranks.
//
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

#include "sim/cuda/kernels/bodies.cuh"
#include "sim/cuda/kernels/collisions.cuh"
#include "sim/cuda/kernels/contacts.hpp"
#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/cuda/runtime/device.hpp"

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

/// The law's decision on two spheres that may touch. Few pairs reach it, and its registers would cost the search warps:
/// as its loads are volatile and its pointers hidden, the compiler does no part of it earlier.
template <class Real>
__device__ __forceinline__ bool touch_late(const Sphere<Real>* a, const Sphere<Real>* b,
                                           const laws::NearestImage<Real>* image) {
  asm volatile("" : "+l"(image), "+l"(a), "+l"(b));
  const volatile Sphere<Real>&p = *a, &q = *b;
  return overlap_law<3>(*image).touches(p, q);
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

  /// Decides on the pair at two sorted indices, which may touch.
  __device__ __forceinline__ void decide(u32 a, u32 b) const {
    if (!touch_late(arrays.sorted + a, arrays.sorted + b, &image)) return;
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
        if (may_touch<3>(arrays.sorted[a], arrays.sorted[b], image)) decide(a, b);
      }
    }
  }

  /// All rows with the columns [begin, end); lanes that share a row take every `shares`-th.
  __device__ __forceinline__ void against(u32 row, const Sphere<Real>& one, u32 begin, u32 end, u32 share,
                                          u32 shares) const {
#pragma unroll 2
    for (u32 b = begin + share; b < end; b += shares) {
      if (may_touch<3>(one, arrays.sorted[b], image)) decide(row, b);
    }
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
                  const CollisionOutput out, const __grid_constant__ laws::NearestImage<Real> image,
                  unsigned long long* candidates) {
  const u32 lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const StripSearch<Real, kShared> search{arrays, out, image, kShared ? *arrays.domain : GridDomain{}};
  constexpr u32 kWarps = kThreads / kWarp;
  __shared__ unsigned long long tested[kWarps];  // of each warp: a register less in the search
  if (lane == 0) tested[warp] = 0;
  for (u32 s = blockIdx.x * kWarps + warp; s < *arrays.strip_count; s += gridDim.x * kWarps) {
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
    const u32 shares = kWarp / rows, share = lane / rows, row = first + lane % rows;
    const bool works = share < shares;
    const Sphere<Real> one = arrays.sorted[row];
    u32 columns = 0;
    uint2 mine = make_uint2(cell_begin, own ? first : cell_begin);  // the last run: what precedes the strip in its cell
    if (lane < 2 * kRuns) mine = run_of(grid, arrays.begin, strip.cell, lane);
#pragma unroll 1
    for (u32 run = 0; run <= 2 * kRuns; ++run) {
      const u32 begin = __shfl_sync(kAll, mine.x, run), end = __shfl_sync(kAll, mine.y, run);
      if (works) search.against(row, one, begin, end, share, shares);
      columns += end - begin;
    }
    if (own && lane == 0) tested[warp] += rows * (rows - 1) / 2 + u64{rows} * columns;
  }
  if (lane == 0) atomicAdd(candidates, tested[warp]);
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

// Bodies divided among ranks. An evaluation takes the own bodies of a rank from one array to another:
//
//   leave      one thread an own body: its cell, and its place among the bodies of that cell, if it is in the zone; a
//              copy into the box of every peer in whose zone it is
//   exchange   boxes of a fixed size between peers (DeviceRanks::enqueue_exchange)
//   arrive     the same count for the bodies of the boxes
//   scan       the start of each cell of the zone
//   range      one thread: the places of the own bodies; whether all fits
//   place      the bodies in the order of their cells, the own ones next to each other
//
//        cells of a rank, layers from left to right
//
//        zone   . . o o o | o o o o o . .
//               before      own      after
//
// The rank that owned a body before the evaluation sends it to every rank in whose zone it now lies. Whose cell it is
// in then owns it, so a body changes its owner without a message of its own. Copies serve one evaluation.
//
// Every rank knows the cells of all, so nothing else has to be agreed. Zones are whole layers, numbered on from the
// first, so that the search (grid_search.cu) works on a zone as it does on a grid.

namespace {

constexpr u32 kNowhere = 0xffffffffu;

template <class Real>
__device__ __forceinline__ u32 cell_at(const CellGrid<Real>& grid, const Vec4<Real>& position) {
  return grid.cell_of(position.x, position.y, position.z);
}

/// A cell as numbered within a zone, or kNowhere.
template <class Real>
__device__ __forceinline__ u32 in_zone(const CellGrid<Real>& grid, const RankCells& zone, u32 cell) {
  const u32 cells = grid.cells[0] * grid.cells[1], z = cell / cells;
  const u32 layer = z >= zone.layer ? z - zone.layer : z + grid.cells[2] - zone.layer;
  return layer < zone.layers ? layer * cells + (cell - z * cells) : kNowhere;
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    count_all_kernel(const CellGrid<Real> grid, const Vec4<Real>* position, u32 n, u32* begin) {
  const u64 i = u64{blockIdx.x} * kThreads + threadIdx.x;
  if (i < n) atomicAdd(&begin[cell_at(grid, position[i])], 1u);
}

/// One thread for each cut.
__global__ void cut_kernel(u32 cells, u32 n, u32 ranks, const u32* begin, u32* cuts) {
  const u32 rank = blockIdx.x * blockDim.x + threadIdx.x;
  if (rank > ranks) return;
  cuts[rank] = first_cell_of_part(begin, cells, n, rank, ranks);
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    gather_own_kernel(const CellGrid<Real> grid, const RankCells cells, const StepArrays<Real> all,
                      const LocalBodies<Real> to, Vec4<Real>* acceleration) {
  const u64 i = u64{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= all.n) return;
  const Vec4<Real> position = all.position[i];
  const u32 cell = cell_at(grid, position);
  if (cell < cells.low || cell >= cells.high) return;
  const u32 place = next_place(&to.range->high);
  to.position[place] = position;
  to.velocity[place] = all.velocity[i];
  to.body[place] = static_cast<u32>(i);
  acceleration[place] = all.acceleration[i];
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    leave_kernel(const DomainArrays<Real> arrays, const LocalBodies<Real> from, u32 number) {
  const FaultState state(arrays.fault_flag, number);
  const u32 k = blockIdx.x * kThreads + threadIdx.x, place = from.range->low + k;
  if (state.stopped() || place >= from.range->high) return;
  const Vec4<Real> position = from.position[place], velocity = from.velocity[place];
  const u32 body = from.body[place], cell = cell_at(arrays.grid, position);
  const u32 here = in_zone(arrays.grid, arrays.own, cell);
  arrays.cell[k] = here;
  if (here != kNowhere) {
    arrays.slot[k] = atomicAdd(&arrays.begin[here], 1u);
  } else if (!arrays.all_peers) {
    // It may be in the zone of a rank that is no peer.
    atomicMin(&arrays.fault_flag->first, FaultFlag::key(state.segment, Fault::contacts, 0));
  }
  for (u32 p = 0; p < arrays.peer_count; ++p) {
    if (in_zone(arrays.grid, arrays.peers[p], cell) == kNowhere) continue;
    const BodyBox<Real> box(arrays.out + p * BodyBox<Real>::bytes(arrays.box_capacity), arrays.box_capacity);
    const u32 at = next_place(box.count);
    if (at >= arrays.box_capacity) continue;
    box.position[at] = position;
    box.velocity[at] = velocity;
    box.body[at] = body;
  }
}

template <class Real>
__device__ __forceinline__ BodyBox<Real> arrived(const DomainArrays<Real>& arrays, u32 peer) {
  return {arrays.in + peer * BodyBox<Real>::bytes(arrays.box_capacity), arrays.box_capacity};
}

/// A row of blocks for each peer.
template <class Real>
__global__ void __launch_bounds__(kThreads) arrive_kernel(const DomainArrays<Real> arrays, u32 number) {
  const BodyBox<Real> box = arrived(arrays, blockIdx.y);
  const u32 k = blockIdx.x * kThreads + threadIdx.x;
  if (FaultState(arrays.fault_flag, number).stopped() || k >= *box.count || k >= arrays.box_capacity) return;
  const u32 cell = in_zone(arrays.grid, arrays.own, cell_at(arrays.grid, box.position[k]));
  const u64 at = arrays.capacity + u64{blockIdx.y} * arrays.box_capacity + k;
  arrays.cell[at] = cell;
  if (cell != kNowhere) arrays.slot[at] = atomicAdd(&arrays.begin[cell], 1u);
}

template <class Real>
__global__ void range_kernel(const DomainArrays<Real> arrays, u32 cells, BodyRange* range, u32 number) {
  const FaultState state(arrays.fault_flag, number);
  bool fits = arrays.begin[cells] <= arrays.capacity;
  for (u32 p = 0; p < arrays.peer_count; ++p) {
    const BodyBox<Real> out(arrays.out + p * BodyBox<Real>::bytes(arrays.box_capacity), arrays.box_capacity);
    fits = fits && *out.count <= arrays.box_capacity && *arrived(arrays, p).count <= arrays.box_capacity;
  }
  *arrays.domain = {};
  if (state.stopped()) return;
  if (!fits) {
    atomicMin(&arrays.fault_flag->first, FaultFlag::key(state.segment, Fault::contacts, 0));
    return;
  }
  BodyRange own{};
  if (arrays.own.layers > 0) {
    const u32 first = in_zone(arrays.grid, arrays.own, arrays.own.low);
    own = {arrays.begin[first], arrays.begin[first + (arrays.own.high - arrays.own.low)]};
  }
  *range = own;
  *arrays.domain = {own, 0, arrays.own.searched};
}

template <class Real>
__device__ __forceinline__ void put(const DomainArrays<Real>& arrays, const LocalBodies<Real>& to, u32 place,
                                    const Vec4<Real>& position, const Vec4<Real>& velocity, u32 body) {
  to.position[place] = position;
  to.velocity[place] = velocity;
  to.body[place] = body;
  arrays.sorted[place] = {position.x, position.y, position.z, velocity.w};
}

/// Rows of blocks: for the own bodies, then for each peer.
template <class Real>
__global__ void __launch_bounds__(kThreads)
    place_kernel(const DomainArrays<Real> arrays, const LocalBodies<Real> from, const LocalBodies<Real> to) {
  if (arrays.domain->layers == 0) return;  // stopped, or nothing in the zone
  const u32 k = blockIdx.x * kThreads + threadIdx.x;
  if (blockIdx.y == 0) {
    const u32 place = from.range->low + k;
    if (place >= from.range->high || arrays.cell[k] == kNowhere) return;
    put(arrays, to, arrays.begin[arrays.cell[k]] + arrays.slot[k], from.position[place], from.velocity[place],
        from.body[place]);
  } else {
    const u32 peer = blockIdx.y - 1;
    const BodyBox<Real> box = arrived(arrays, peer);
    const u64 at = arrays.capacity + u64{peer} * arrays.box_capacity + k;
    if (k >= *box.count || arrays.cell[at] == kNowhere) return;
    put(arrays, to, arrays.begin[arrays.cell[at]] + arrays.slot[at], box.position[k], box.velocity[k], box.body[k]);
  }
}

/// The packed form of so many bodies.
template <class Real>
struct Packed {
  Vec4<Real>* position;
  Vec4<Real>* velocity;
  Vec4<Real>* acceleration;
  u32* body;

  __device__ Packed(std::byte* at, u32 count)
      : position(reinterpret_cast<Vec4<Real>*>(at)),
        velocity(position + count),
        acceleration(velocity + count),
        body(reinterpret_cast<u32*>(acceleration + count)) {}
};

template <class Real>
__global__ void __launch_bounds__(kThreads)
    pack_kernel(const LocalBodies<Real> from, const Vec4<Real>* acceleration, u32 first, u32 count, std::byte* to) {
  const u32 k = blockIdx.x * kThreads + threadIdx.x;
  if (k >= count) return;
  const Packed<Real> packed(to, count);
  packed.position[k] = from.position[first + k];
  packed.velocity[k] = from.velocity[first + k];
  packed.acceleration[k] = acceleration[first + k];
  packed.body[k] = from.body[first + k];
}

template <class Real>
__global__ void __launch_bounds__(kThreads) unpack_kernel(std::byte* from, u32 count, const StepArrays<Real> to) {
  const u32 k = blockIdx.x * kThreads + threadIdx.x;
  if (k >= count) return;
  const Packed<Real> packed(from, count);
  const u32 body = packed.body[k];
  to.position[body] = packed.position[k];
  to.velocity[body] = packed.velocity[k];
  to.acceleration[body] = packed.acceleration[k];
}

}  // namespace

RankCells rank_cells(std::span<const u32> cuts, u32 rank, u32 cells_a_layer, u32 layers) {
  RankCells cells;
  cells.low = cuts[rank], cells.high = cuts[rank + 1];
  if (cells.low >= cells.high) return {};
  const u32 first = cells.low / cells_a_layer, own = (cells.high - 1) / cells_a_layer - first + 1;
  if (own + 2 <= layers) {
    cells.layer = (first + layers - 1) % layers, cells.layers = own + 2, cells.searched = own + 1;
  } else {
    cells.layers = cells.searched = layers;  // the whole grid
  }
  return cells;
}

bool zones_meet(const RankCells& a, const RankCells& b, u32 layers) {
  if (a.layers == 0 || b.layers == 0) return false;
  return (b.layer + layers - a.layer) % layers < a.layers || (a.layer + layers - b.layer) % layers < b.layers;
}

template <class Real>
void enqueue_cut_cells(cudaStream_t stream, const CellGrid<Real>& grid, const Vec4<Real>* position, u32 n, u32 ranks,
                       u32* begin, void* scan, u32* cuts) {
  const u32 cells = grid.count();
  TRI_CUDA(cudaMemsetAsync(begin, 0, (u64{cells} + 1) * sizeof(u32), stream));
  count_all_kernel<<<blocks_for(n), kThreads, 0, stream>>>(grid, position, n, begin);
  check_launch("cells of all bodies");
  enqueue_cell_scan(stream, cells, begin, scan);
  cut_kernel<<<blocks_for(ranks + 1), kThreads, 0, stream>>>(cells, n, ranks, begin, cuts);
  check_launch("first cells of the ranks");
}

template <class Real>
void enqueue_take_own(cudaStream_t stream, const CellGrid<Real>& grid, const RankCells& cells,
                      const StepArrays<Real>& all, const LocalBodies<Real>& to, Vec4<Real>* acceleration) {
  TRI_CUDA(cudaMemsetAsync(to.range, 0, sizeof(BodyRange), stream));
  gather_own_kernel<<<blocks_for(all.n), kThreads, 0, stream>>>(grid, cells, all, to, acceleration);
  check_launch("bodies of a rank");
}

template <class Real>
void enqueue_leave(cudaStream_t stream, const DomainArrays<Real>& arrays, const LocalBodies<Real>& from, u32 segment) {
  TRI_CUDA(cudaMemsetAsync(arrays.begin, 0, (u64{arrays.cells()} + 1) * sizeof(u32), stream));
  if (arrays.peer_count > 0) {
    TRI_CUDA(cudaMemset2DAsync(arrays.out, BodyBox<Real>::bytes(arrays.box_capacity), 0, sizeof(u32), arrays.peer_count,
                               stream));
  }
  leave_kernel<<<blocks_for(arrays.capacity), kThreads, 0, stream>>>(arrays, from, segment);
  check_launch("bodies that leave");
}

template <class Real>
void enqueue_arrive(cudaStream_t stream, const DomainArrays<Real>& arrays, const LocalBodies<Real>& from,
                    const LocalBodies<Real>& to, u32 segment) {
  const u32 boxes = blocks_for(arrays.box_capacity), own = blocks_for(arrays.capacity);
  if (arrays.peer_count > 0) {
    arrive_kernel<<<dim3(boxes, arrays.peer_count), kThreads, 0, stream>>>(arrays, segment);
    check_launch("bodies that arrive");
  }
  enqueue_cell_scan(stream, arrays.cells(), arrays.begin, arrays.scan);
  range_kernel<<<1, 1, 0, stream>>>(arrays, arrays.cells(), to.range, segment);
  check_launch("range of a rank");
  place_kernel<<<dim3(own > boxes ? own : boxes, 1 + arrays.peer_count), kThreads, 0, stream>>>(arrays, from, to);
  check_launch("places of bodies");
}

template <class Real>
void enqueue_pack(cudaStream_t stream, const LocalBodies<Real>& from, const Vec4<Real>* acceleration, u32 first,
                  u32 count, std::byte* packed) {
  pack_kernel<<<blocks_for(count), kThreads, 0, stream>>>(from, acceleration, first, count, packed);
  check_launch("packing of bodies");
}

template <class Real>
void enqueue_unpack(cudaStream_t stream, std::byte* packed, u32 count, const StepArrays<Real>& to) {
  unpack_kernel<<<blocks_for(count), kThreads, 0, stream>>>(packed, count, to);
  check_launch("unpacking of bodies");
}

#define TRI_INSTANTIATE(Real) \
  template void enqueue_cut_cells(cudaStream_t, const CellGrid<Real>&, const Vec4<Real>*, u32, u32, u32*, void*, \
                                  u32*); \
  template void enqueue_take_own(cudaStream_t, const CellGrid<Real>&, const RankCells&, const StepArrays<Real>&, \
                                 const LocalBodies<Real>&, Vec4<Real>*); \
  template void enqueue_leave(cudaStream_t, const DomainArrays<Real>&, const LocalBodies<Real>&, u32); \
  template void enqueue_arrive(cudaStream_t, const DomainArrays<Real>&, const LocalBodies<Real>&, \
                               const LocalBodies<Real>&, u32); \
  template void enqueue_pack(cudaStream_t, const LocalBodies<Real>&, const Vec4<Real>*, u32, u32, std::byte*); \
  template void enqueue_unpack(cudaStream_t, std::byte*, u32, const StepArrays<Real>&);
TRI_INSTANTIATE(float)
TRI_INSTANTIATE(double)
#undef TRI_INSTANTIATE

}  // namespace tri::cuda
