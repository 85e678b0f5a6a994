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

#include "sim/cuda/kernels/bodies/body_domains.hpp"
#include "sim/cuda/kernels/bodies/fault_state.cuh"
#include "sim/cuda/kernels/collisions/grid_lists.cuh"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;
constexpr u32 kNowhere = 0xffffffffu;

u32 blocks_for(u64 n) { return static_cast<u32>((n + kThreads - 1) / kThreads); }

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
    take_own_kernel(const CellGrid<Real> grid, const RankCells cells, const StepArrays<Real> all,
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
  take_own_kernel<<<blocks_for(all.n), kThreads, 0, stream>>>(grid, cells, all, to, acceleration);
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
