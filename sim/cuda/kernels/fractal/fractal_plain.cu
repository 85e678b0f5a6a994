// Independent checks of the fractal kernels: a block takes rows of the embedding, its threads the positions of a row.
// Membership follows from the coordinates alone; no map, no tiles, no placement.

#include "sim/cuda/kernels/fractal/fractal_tiles.cuh"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;

/// Calls visit(shape, cell, offset, inside) for the positions of the thread and adds the results to *sum.
template <class Shape, class Visit>
__global__ void positions_kernel(const __grid_constant__ Shape shape, u32 levels, u32 n, u64 rows, const Visit visit,
                                 unsigned long long* sum) {
  unsigned long long mine = 0;
  for (u64 row = blockIdx.x; row < rows; row += gridDim.x) {
    for (u32 x = threadIdx.x; x < n; x += blockDim.x) {
      const FractalCell cell{x, static_cast<u32>(row % n), static_cast<u32>(row / n)};
      mine += visit(shape, cell, row * n + x, shape.holds(cell, levels));
    }
  }
  mine = warp_sum(mine);
  if (threadIdx.x % 32 == 0 && mine != 0) atomicAdd(sum, mine);
}

struct WriteVisit {
  const u8* cells;
  u8 untouched;
  bool sectors;
  u32 levels;
  template <class Shape>
  __device__ u32 operator()(const Shape& shape, const FractalCell& cell, u64 offset, bool inside) const {
    u8 expected = inside ? 1 : untouched;
    if (sectors && !inside) {
      bool touched = false;
      for (u32 x = cell.x & ~31u; x <= (cell.x | 31u); ++x) touched = touched || shape.holds({x, cell.y, 0}, levels);
      if (touched) expected = 0;
    }
    return cells[offset] != expected;
  }
};

struct SumVisit {
  const u8* cells;
  template <class Shape>
  __device__ u32 operator()(const Shape&, const FractalCell&, u64 offset, bool inside) const {
    return inside ? cells[offset] : 0;
  }
};

struct StepVisit {
  const u8* now;
  const u8* next;
  LifeRule rule;
  CellStorage storage;
  u8 untouched;
  u32 n, levels, row;

  template <class Shape>
  __device__ u64 offset_of(const Shape& shape, const FractalCell& cell) const {
    if (storage == CellStorage::embedded) return cell.x + u64{n} * (cell.y + u64{n} * cell.z);
    const PackedCell packed = shape.pack(cell, levels);
    return packed.x + u64{packed.y} * row;
  }
  template <class Shape>
  __device__ u32 operator()(const Shape& shape, const FractalCell& cell, u64 at, bool inside) const {
    if (!inside) return storage == CellStorage::embedded && next[at] != untouched;
    const u32 solid = shape.dimensions() == 3;
    u32 around = 0;
    for (u32 side = 0; side < (solid ? 27 : 9); ++side) {
      const FractalCell other{cell.x + side % 3 - 1, cell.y + side / 3 % 3 - 1, solid ? cell.z + side / 9 - 1 : 0};
      if (other == cell || other.x >= n || other.y >= n || other.z >= n || !shape.holds(other, levels)) continue;
      around += now[offset_of(shape, other)];
    }
    const u64 own = offset_of(shape, cell);
    return next[own] != (((now[own] != 0 ? rule.survive : rule.birth) >> around) & 1u);
  }
};

template <class Visit>
void visit_positions(const FractalLaunch& launch, const Visit& visit, unsigned long long* sum, cudaStream_t stream) {
  const u32 n = launch.grid.side, levels = launch.grid.levels;
  const u64 rows = launch.shape.dimensions() == 3 ? u64{n} * n : n;
  const u32 blocks = static_cast<u32>(rows < 65536 ? rows : 65536);
  if (launch.gasket) {
    positions_kernel<<<blocks, kThreads, 0, stream>>>(GasketShape{}, levels, n, rows, visit, sum);
  } else {
    positions_kernel<<<blocks, kThreads, 0, stream>>>(launch.shape, levels, n, rows, visit, sum);
  }
  check_launch("plain loop over a fractal");
}

}  // namespace

void plain_write_faults(const FractalLaunch& launch, const u8* cells, u8 untouched, bool sectors,
                        unsigned long long* faults, cudaStream_t stream) {
  visit_positions(launch, WriteVisit{cells, untouched, sectors, launch.grid.levels}, faults, stream);
}

void plain_fractal_sum(const FractalLaunch& launch, const u8* cells, unsigned long long* sum, cudaStream_t stream) {
  visit_positions(launch, SumVisit{cells}, sum, stream);
}

void plain_step_faults(const FractalLaunch& launch, CellStorage storage, const LifeRule& rule, const u8* now,
                       const u8* next, u8 untouched, unsigned long long* faults, cudaStream_t stream) {
  const u32 row = static_cast<u32>(packed_width(launch.shape.replicas(), launch.grid.levels));
  visit_positions(launch, StepVisit{now, next, rule, storage, untouched, launch.grid.side, launch.grid.levels, row},
                  faults, stream);
}

}  // namespace tri::cuda
