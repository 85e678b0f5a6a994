#pragma once
/// The kernels that typed maps drive, as texts: all but those of forces, which also have a law (typed_functor.hpp).
/// Pure functions.

#include <string>
#include <string_view>

#include "sim/cuda/jit/kernel_code.hpp"
#include "sim/cuda/jit/map_text.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// An instance of a kernel template: name, template arguments and parameters, where KernelMap is the map. Its first
/// parameters are the map by value and a GridPiece.
struct MapKernel {
  std::string_view text;  ///< with the template
  std::string instance;
};

/// The text of that kernel for a map of this type.
KernelText text_on(const MapText& map, const MapKernel& kernel);

/// element_kernel of kernels/element_work.cuh, for one of its works; triples: element3_kernel.
MapKernel element_map_kernel(bool triples, const std::string& work);
/// cells_kernel of kernels/fractal/cell_work.cuh, for one of its works, on the gasket; and sectors_kernel.
MapKernel cells_map_kernel(const std::string& work);
MapKernel sectors_map_kernel();
/// compact_kernel of kernels/fractal/compact_work.cuh, on the gasket.
MapKernel compact_map_kernel();
/// distance_tile_kernel of kernels/distances/distance_tile.cuh; layout: AnyLayout, or an instance of FixedLayout.
MapKernel distance_tile_map_kernel(Precision precision, u32 quads, const std::string& layout);
MapKernel distance_element_map_kernel(Precision precision);
/// collision_tile_kernel of kernels/collisions/collision_tile.cuh.
MapKernel collision_tile_map_kernel(Precision precision, u32 dimensions, u32 rows, u32 threads);
MapKernel collision_element_map_kernel(Precision precision, u32 dimensions);
/// jerk_tile_kernel of kernels/pairs/jerk_tile.cuh.
MapKernel jerk_map_kernel(Accumulate accumulate);
/// tile_pairs_kernel of kernels/tensor/tile_pairs.cuh.
MapKernel tile_pairs_map_kernel();
/// triple_counts_kernel of kernels/triples/triple_count_tile.cuh.
MapKernel triple_counts_map_kernel(bool shared);

}  // namespace tri::cuda
