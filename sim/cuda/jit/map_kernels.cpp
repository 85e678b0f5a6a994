#include "sim/cuda/jit/map_kernels.hpp"

#include <fmt/format.h>

#include "sim/cuda/jit/arguments.hpp"
#include "sim/cuda/jit/kernel_texts.hpp"

namespace tri::cuda {

KernelText text_on(const MapText& map, const MapKernel& kernel) {
  return {kernel.text, fmt::format("{}"
                                   "namespace tri::cuda {{\n"
                                   "using KernelMap = {};\n"
                                   "template __global__ void {};\n"
                                   "}}  // namespace tri::cuda\n",
                                   map.definition, map.type, kernel.instance)};
}

MapKernel element_map_kernel(bool triples, const std::string& work) {
  return {typed_elements_text(), fmt::format("{}<KernelMap, {}>(const KernelMap, const GridPiece, u32, {})",
                                             triples ? "element3_kernel" : "element_kernel", work, work)};
}

MapKernel cells_map_kernel(const std::string& work) {
  return {typed_cells_text(),
          fmt::format("cells_kernel<KernelMap, GasketShape, {}>(const __grid_constant__ KernelMap, const GridPiece, "
                      "const __grid_constant__ GasketShape, const TileThreads, u32, {})",
                      work, work)};
}

MapKernel sectors_map_kernel() {
  return {typed_cells_text(),
          "sectors_kernel<KernelMap>(const __grid_constant__ KernelMap, const GridPiece, u32, u8*)"};
}

MapKernel compact_map_kernel() {
  return {typed_cells_text(),
          "compact_kernel<KernelMap, GasketShape>(const __grid_constant__ KernelMap, const GridPiece, const "
          "__grid_constant__ GasketShape, u32, u32, const CompactBox, const LifeRule, const u8* __restrict__, u8* "
          "__restrict__)"};
}

MapKernel distance_tile_map_kernel(Precision precision, u32 quads, const std::string& layout) {
  return {typed_distances_text(),
          fmt::format("distance_tile_kernel<{0}, {1}, {2}, KernelMap>(const __grid_constant__ KernelMap, const "
                      "GridPiece, u32, const __grid_constant__ PointArray<{0}>, {0}* __restrict__, const RowPart, "
                      "const {2})",
                      real_name(precision), quads, layout)};
}

MapKernel distance_element_map_kernel(Precision precision) {
  return {typed_distances_text(),
          fmt::format("distance_element_kernel<{0}, KernelMap>(const KernelMap, const GridPiece, const "
                      "DistanceArguments<{0}>)",
                      real_name(precision))};
}

MapKernel collision_tile_map_kernel(Precision precision, u32 dimensions, u32 rows, u32 threads) {
  return {typed_collisions_text(),
          fmt::format("collision_tile_kernel<{0}, {1}, {2}, {3}, KernelMap>(const __grid_constant__ KernelMap, const "
                      "GridPiece, u32, const Sphere<{0}>* __restrict__, const CollisionOutput, const "
                      "laws::NearestImage<{0}>)",
                      real_name(precision), dimensions, rows, threads)};
}

MapKernel collision_element_map_kernel(Precision precision, u32 dimensions) {
  return {typed_collisions_text(),
          fmt::format("collision_element_kernel<{1}, {0}, KernelMap>(const KernelMap, const GridPiece, u32, const "
                      "Sphere<{0}>* __restrict__, const CollisionOutput, const laws::NearestImage<{0}>)",
                      real_name(precision), dimensions)};
}

MapKernel jerk_map_kernel(Accumulate accumulate) {
  return {typed_jerks_text(),
          fmt::format("jerk_tile_kernel<{}, KernelMap>(const __grid_constant__ KernelMap, const GridPiece, const "
                      "JerkLaw, u32, const DeviceState<double>, const JerkSums)",
                      accumulate == Accumulate::ordered)};
}

MapKernel tile_pairs_map_kernel() {
  return {typed_tile_pairs_text(),
          "tile_pairs_kernel<KernelMap>(const __grid_constant__ KernelMap, const GridPiece, float, const TensorLimits, "
          "const UnitSizes, const TiledBodies, const PairUnits)"};
}

MapKernel triple_counts_map_kernel(bool shared) {
  return {typed_counts_text(),
          fmt::format("triple_counts_kernel<{}, KernelMap>(const __grid_constant__ KernelMap, const GridPiece, u32, "
                      "u32, const u8*, unsigned long long*)",
                      shared)};
}

}  // namespace tri::cuda
