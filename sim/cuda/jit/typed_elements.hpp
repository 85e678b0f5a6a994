#pragma once
/// Kernels over single elements on typed maps: as element_kernels.hpp for the built-in ones. May compile
/// (runtime_kernel.hpp), and throws as that does.

#include "sim/cuda/kernels/element_kernels.hpp"

namespace tri::cuda {

template <class MapId>
PreparedLaunch prepare_typed_dummy(MapId map, u32 n, u32 rho, BenchForm form, u32* scratch);
template <class MapId>
PreparedLaunch prepare_typed_write(MapId map, u32 n, u32 rho, u32* cells);
template <class MapId>
PreparedLaunch prepare_typed_checksum(MapId map, u32 n, u32 rho, unsigned long long* sums);
PreparedLaunch prepare_typed_automaton(TriangleMapId map, u32 n, u32 rho, const u8* now, u8* next);

}  // namespace tri::cuda
