// Launches the kernels of typed_elements.cuh.

#include <string>

#include "sim/base/contracts.hpp"
#include "sim/cuda/jit/arguments.hpp"
#include "sim/cuda/jit/runtime_kernel.hpp"
#include "sim/cuda/jit/typed_elements.hpp"
#include "sim/cuda/jit/typed_functor.hpp"
#include "sim/cuda/jit/typed_grids.hpp"
#include "sim/cuda/kernels/element_work.cuh"
#include "sim/cuda/runtime/early_launch.hpp"

namespace tri::cuda {
namespace {

dim3 threads_of(TriangleMapId, u32 rho) { return dim3(rho, rho); }
dim3 threads_of(TetraMapId, u32 rho) { return dim3(rho, rho, layers_of_block(rho)); }

template <class MapId, class Work>
PreparedLaunch prepare(MapId id, u32 n, u32 rho, const Work& work) {
  const RuntimeKernel kernel = runtime_kernel(
      {typed_elements_text(), map_text(id).definition + element_instance(Work::kType, map_text(id).type)});
  const auto launch = [=](const void* map, const GridPiece& piece, cudaStream_t stream) {
    void* arguments[] = {const_cast<void*>(map), argument(piece), argument(n), argument(work)};
    launch_early(kernel.handle, false, grid_of(piece), threads_of(id, rho), stream, arguments);
  };
  return prepare_on_typed_map(id, n, rho, launch);
}

}  // namespace

template <class MapId>
PreparedLaunch prepare_typed_dummy(MapId map, u32 n, u32 rho, BenchForm form, u32* scratch) {
  TRI_EXPECTS(form == BenchForm::hold || form == BenchForm::store);
  if (form == BenchForm::hold) return prepare(map, n, rho, HoldWork{scratch});
  return prepare(map, n, rho, StoreWork{scratch});
}

template <class MapId>
PreparedLaunch prepare_typed_write(MapId map, u32 n, u32 rho, u32* cells) {
  return prepare(map, n, rho, WriteWork{cells});
}

template <class MapId>
PreparedLaunch prepare_typed_checksum(MapId map, u32 n, u32 rho, unsigned long long* sums) {
  return prepare(map, n, rho, ChecksumWork<MapId>{sums});
}

PreparedLaunch prepare_typed_automaton(TriangleMapId map, u32 n, u32 rho, const u8* now, u8* next) {
  return prepare(map, n, rho, AutomatonWork{now, next, n});
}

template PreparedLaunch prepare_typed_dummy(TriangleMapId, u32, u32, BenchForm, u32*);
template PreparedLaunch prepare_typed_dummy(TetraMapId, u32, u32, BenchForm, u32*);
template PreparedLaunch prepare_typed_write(TriangleMapId, u32, u32, u32*);
template PreparedLaunch prepare_typed_write(TetraMapId, u32, u32, u32*);
template PreparedLaunch prepare_typed_checksum(TriangleMapId, u32, u32, unsigned long long*);
template PreparedLaunch prepare_typed_checksum(TetraMapId, u32, u32, unsigned long long*);

}  // namespace tri::cuda
