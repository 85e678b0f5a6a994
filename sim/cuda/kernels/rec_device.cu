// Grids launched from the device. Only this file is compiled for separate linking, which dynamic parallelism requires;
// it has its own instances of the kernels that the host launches.

#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/cuda/kernels/distances.cuh"
#include "sim/cuda/kernels/element_work.cuh"
#include "sim/cuda/kernels/maps.cuh"

namespace tri::cuda {
namespace {

template <class Work>
struct ElementChild {
  TriangleRec map;
  u32 n, rho;
  Work work;
  __device__ void launch(const GridPiece& piece) const {
    element_kernel<<<dim3(piece.x, piece.y, piece.z), dim3(rho, rho), 0, cudaStreamFireAndForget>>>(map, piece, n,
                                                                                                    work);
  }
};

struct DistanceElementChild {
  TriangleRec map;
  u32 rho;
  DistanceArguments<float> arg;
  __device__ void launch(const GridPiece& piece) const {
    const u32 shared = 2 * arg.vectors * rho * static_cast<u32>(sizeof(Vec4<float>));
    distance_element_kernel<float>
        <<<dim3(piece.x, piece.y, piece.z), dim3(rho, rho), shared, cudaStreamFireAndForget>>>(map, piece, arg);
  }
};

template <u32 kQuads>
struct DistanceTileChild {
  AnyTriangleMap map;
  u32 n;
  AnyLayout layout;
  PointArray<float> points;
  float* out;
  __device__ void launch(const GridPiece& piece) const {
    distance_tile_kernel<float, kQuads><<<distance_grid(piece), 32 * kDistanceWarps, 0, cudaStreamFireAndForget>>>(
        map, piece, n, points, out, RowPart{0, n, 0}, layout);
  }
};

/// One thread. A failed child launch ends the kernel with an error that the host sees.
template <class Child>
__global__ void launch_all_kernel(const TriangleRec map, const Child child) {
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    const Launch grid = map.launch(pass);
    child.launch(GridPiece{static_cast<u32>(grid.x), grid.y, grid.z, {0, 0, 0, pass}});
    if (cudaGetLastError() != cudaSuccess) __trap();
  }
}

TriangleRec rec_map(u32 n, u32 block) {
  const u64 side = tiles_per_side(TriangleRec::kInfo, n, block);
  TRI_EXPECTS(side <= kRecDeviceSide);
  return TriangleRec(static_cast<u32>(side), Diagonal::with);
}

template <class Child>
PreparedLaunch prepare(const TriangleRec& map, const Child& child) {
  return prepare_on(map, {GridPiece{}}, [=](const TriangleRec& m, const GridPiece&, cudaStream_t stream) {
    launch_all_kernel<<<1, 1, 0, stream>>>(m, child);
    check_launch("rec from the device");
  });
}

template <u32 kQuads>
PreparedLaunch prepare_tiles(const TriangleRec& map, u32 n, DistanceLayout layout, const PointArray<float>& points,
                             float* out) {
  return prepare(map, DistanceTileChild<kQuads>{AnyTriangleMap(map), n, {layout}, points, out});
}

}  // namespace

PreparedLaunch prepare_dummy_from_device(u32 n, u32 rho, BenchForm form, u32* scratch) {
  TRI_EXPECTS(form == BenchForm::hold || form == BenchForm::store);
  const TriangleRec map = rec_map(n, rho);
  if (form == BenchForm::hold) return prepare(map, ElementChild<HoldWork>{map, n, rho, {scratch}});
  return prepare(map, ElementChild<StoreWork>{map, n, rho, {scratch}});
}

PreparedLaunch prepare_distances_from_device(u32 n, u32 block, u32 features, DistanceLayout layout,
                                             const Vec4<float>* packed, float* out) {
  const PointArray<float> points = packed_points(packed, n, features);
  const TriangleRec map = rec_map(n, block);
  const auto work = [&] {
    if (block != kDistanceTile) {
      return prepare(map, DistanceElementChild{map, block, {points, out, n, vectors_of(features), layout, {0, n, 0}}});
    }
    switch (vectors_of(features)) {
      case 1:
        return prepare_tiles<1>(map, n, layout, points, out);
      case 2:
        return prepare_tiles<2>(map, n, layout, points, out);
      case 3:
        return prepare_tiles<3>(map, n, layout, points, out);
      default:
        TRI_EXPECTS(features <= 16);
        return prepare_tiles<4>(map, n, layout, points, out);
    }
  };
  return with_padding(work(), n, {0, n}, layout, out);
}

}  // namespace tri::cuda
