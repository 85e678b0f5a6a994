// Maps on the device, with their tables in device memory: by their own types, and through the dispatchers.

#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/maps/map_check.hpp"
#include "tests/sim/cuda/kernels/kernels.hpp"

namespace tri::test {
namespace {

using cuda::DeviceBuffer;

template <class M, class Cells>
__global__ void cover_kernel(const M map, const GridPiece piece, const Cells cells, u32* met, u32* outside) {
  const Position at = cuda::block_position(piece);
  tile_visits(map, at, [&](auto tile) { atomicAdd(cells.holds(tile) ? met + cells.index(tile) : outside, 1u); });
}

template <class M>
__global__ void answer_kernel(const M map, u64 count, Answer* out) {
  const u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) out[k] = first_answer(map, sample_position(map, k));
}

template <class M, class Cells>
DeviceCover cover(const M& map, const Cells& cells, GridLimits limits) {
  DeviceBuffer<u32> met(cells.count() + 1);  // the last one counts tiles outside
  met.fill_bytes(0, nullptr);
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    for_each_grid(
        map.launch(pass),
        [&](const GridPiece& piece) {
          cover_kernel<<<cuda::grid_of(piece), 1>>>(map, piece, cells, met.data(), met.data() + cells.count());
          cuda::check_launch("cover");
        },
        limits);
  }
  DeviceCover result{met.download(nullptr), 0};
  result.outside = result.met.back();
  result.met.pop_back();
  return result;
}

template <class M>
std::vector<Answer> answers(const M& map, u64 count) {
  DeviceBuffer<Answer> out(count);
  answer_kernel<<<static_cast<u32>((count + 255) / 256), 256>>>(map, count, out.data());
  cuda::check_launch("answers");
  return out.download(nullptr);
}

/// One block per launch position: its tiles, in order.
template <class M>
__global__ void tiles_kernel(const __grid_constant__ M map, const GridPiece piece, const Launch launch, u64 first,
                             u32 slots, Answer* out) {
  const Position at = cuda::block_position(piece);
  Answer* own = out + (first + at.x + launch.x * (at.y + u64{launch.y} * at.z)) * slots;
  auto tiles = cuda::block_cursor(map, at);
  for (u32 k = 0; k < slots && tiles.valid(); ++k, tiles.next()) own[k] = answer_of(tiles.tile());
}

/// Walks the launches of map with a kernel that takes in_kernel.
template <class M, class InKernel>
std::vector<Answer> tiles_through(const M& map, const InKernel& in_kernel, u32 slots) {
  DeviceBuffer<Answer> out(launched_positions(map) * slots);
  out.fill_bytes(0, nullptr);
  u64 first = 0;
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    const Launch launch = map.launch(pass);
    for_each_grid(launch, [&](const GridPiece& piece) {
      tiles_kernel<<<cuda::grid_of(piece), 1>>>(in_kernel, piece, launch, first, slots, out.data());
      cuda::check_launch("tiles of each position");
    });
    first += positions(launch);
  }
  return out.download(nullptr);
}

}  // namespace

DeviceCover device_cover(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers, GridLimits limits) {
  DeviceCover result;
  const TriangleCells cells{side, diagonal == Diagonal::without};
  cuda::visit_device_map(id, side, diagonal, workers,
                         [&](const auto& map, const auto&) { result = cover(map, cells, limits); });
  return result;
}

DeviceCover device_cover(TetraMapId id, u32 side, Diagonal diagonal, u32 workers, GridLimits limits) {
  DeviceCover result;
  const TetraCells cells{side, diagonal == Diagonal::without};
  cuda::visit_device_map(id, side, diagonal, workers,
                         [&](const auto& map, const auto&) { result = cover(map, cells, limits); });
  return result;
}

DeviceCover device_cover(GasketMapId id, u32 levels, GridLimits limits) {
  DeviceCover result;
  visit_built_in_gasket_map(id, levels, 1000,
                            [&](const auto& map) { result = cover(map, GasketCells{1u << levels}, limits); });
  return result;
}

std::vector<Answer> device_answers(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers, u64 count) {
  std::vector<Answer> result;
  cuda::visit_device_map(id, side, diagonal, workers,
                         [&](const auto& map, const auto&) { result = answers(map, count); });
  return result;
}

std::vector<Answer> device_answers(TetraMapId id, u32 side, Diagonal diagonal, u32 workers, u64 count) {
  std::vector<Answer> result;
  cuda::visit_device_map(id, side, diagonal, workers,
                         [&](const auto& map, const auto&) { result = answers(map, count); });
  return result;
}

std::vector<Answer> device_answers(GasketMapId id, u32 levels, u64 count) {
  std::vector<Answer> result;
  visit_built_in_gasket_map(id, levels, 1000, [&](const auto& map) { result = answers(map, count); });
  return result;
}

std::vector<Answer> dispatched_tiles(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers, u32 slots) {
  std::vector<Answer> result;
  cuda::visit_device_map(id, side, diagonal, workers, [&](const auto& map, const auto&) {
    cuda::with_kernel_map(map, [&](const auto& in_kernel) { result = tiles_through(map, in_kernel, slots); });
  });
  return result;
}

std::vector<Answer> dispatched_tiles(TetraMapId id, u32 side, Diagonal diagonal, u32 workers, u32 slots) {
  std::vector<Answer> result;
  cuda::visit_device_map(id, side, diagonal, workers,
                         [&](const auto& map, const auto&) { result = tiles_through(map, AnyTetraMap(map), slots); });
  return result;
}

}  // namespace tri::test
