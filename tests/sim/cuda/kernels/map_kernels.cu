// One thread a position, on maps with their tables in device memory.

#include "sim/cuda/kernels/map_tables.cuh"
#include "sim/maps/map_check.hpp"
#include "tests/sim/cuda/kernels/map_kernels.hpp"

namespace tri::test {
namespace {

using cuda::DeviceBuffer;

template <class M, class Cells>
__global__ void cover_kernel(const M map, const GridPiece piece, const Cells cells, u32* met, u32* outside) {
  const Position at = position_in(piece, blockIdx.x, blockIdx.y, blockIdx.z);
  tile_visits(map, at, [&](auto tile) { atomicAdd(cells.holds(tile) ? met + cells.index(tile) : outside, 1u); });
}

template <class M>
__global__ void answer_kernel(const M map, u64 count, Answer* out) {
  const u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) out[k] = first_answer(map, sample_position(map, k));
}

template <class M, class Cells>
DeviceCover cover(const M& map, const Cells& cells, GridLimits limits) {
  DeviceBuffer<u32> met(cells.count() + 1);  // the last one is for strays
  met.fill_bytes(0, nullptr);
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    for_each_grid(
        map.launch(pass),
        [&](const GridPiece& piece) {
          cover_kernel<<<dim3(piece.x, piece.y, piece.z), 1>>>(map, piece, cells, met.data(),
                                                               met.data() + cells.count());
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

/// The tetrahedral maps with the table in device memory.
template <class F>
void visit_device_tetra_map(TetraMapId id, u32 side, Diagonal diagonal, u32 workers, F&& f) {
  if (id == TetraMapId::tetra_lut) {
    const std::vector<u64> prefix = make_tetra_table(side, diagonal);
    DeviceBuffer<u64> table(prefix.size());
    table.upload(prefix, nullptr);
    f(TetraLut(side, diagonal, table.data()));
    return;
  }
  visit_tetra_map(id, side, diagonal, workers, f);
}

}  // namespace

DeviceCover device_cover(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers, GridLimits limits) {
  DeviceCover result;
  const TriangleCells cells{side, diagonal == Diagonal::without};
  cuda::visit_device_triangle_map(id, side, diagonal, workers,
                                  [&](const auto& map, const auto&) { result = cover(map, cells, limits); });
  return result;
}

DeviceCover device_cover(TetraMapId id, u32 side, Diagonal diagonal, u32 workers, GridLimits limits) {
  DeviceCover result;
  const TetraCells cells{side, diagonal == Diagonal::without};
  visit_device_tetra_map(id, side, diagonal, workers, [&](const auto& map) { result = cover(map, cells, limits); });
  return result;
}

DeviceCover device_cover(GasketMapId id, u32 levels, GridLimits limits) {
  DeviceCover result;
  visit_gasket_map(id, levels, 1000, [&](const auto& map) { result = cover(map, GasketCells{1u << levels}, limits); });
  return result;
}

std::vector<Answer> device_answers(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers, u64 count) {
  std::vector<Answer> result;
  cuda::visit_device_triangle_map(id, side, diagonal, workers,
                                  [&](const auto& map, const auto&) { result = answers(map, count); });
  return result;
}

std::vector<Answer> device_answers(TetraMapId id, u32 side, Diagonal diagonal, u32 workers, u64 count) {
  std::vector<Answer> result;
  visit_device_tetra_map(id, side, diagonal, workers, [&](const auto& map) { result = answers(map, count); });
  return result;
}

std::vector<Answer> device_answers(GasketMapId id, u32 levels, u64 count) {
  std::vector<Answer> result;
  visit_gasket_map(id, levels, 1000, [&](const auto& map) { result = answers(map, count); });
  return result;
}

}  // namespace tri::test
