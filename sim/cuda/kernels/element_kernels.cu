// One thread per element (i, j) of the triangle. In block space a block of rho x rho threads takes the tile that the
// map gives it; in thread space (rb, utm) each thread calls the map. No shared memory. The work is so small that a
// timing measures the map and the launch of blocks.

#include "sim/cuda/kernels/element_work.cuh"
#include "sim/cuda/kernels/map_tables.cuh"

namespace tri::cuda {
namespace {

__global__ void plain_checksum_kernel(u32 n, ChecksumWork work) {
  for (u32 i = blockIdx.x; i < n; i += gridDim.x) {
    for (u32 j = threadIdx.x; j <= i; j += blockDim.x) work(i, j);
  }
  work.finish();
}

template <class Work>
PreparedLaunch prepare(TriangleMapId id, u32 n, u32 rho, const Work& work, const char* name) {
  PreparedLaunch prepared;
  const u32 side = static_cast<u32>(tiles_per_side(info(id), n, rho));
  visit_device_triangle_map(id, side, Diagonal::with, resident_workers(), [&](const auto& map, auto owner) {
    const std::vector<GridPiece> pieces = grid_pieces(map, rho);
    fill_counts(prepared, map, pieces.size());
    prepared.launch = [map, owner, pieces, n, rho, work, name](cudaStream_t stream, u32 k) {
      element_kernel<<<grid_of(pieces[k]), dim3(rho, rho), 0, stream>>>(map, pieces[k], n, work);
      check_launch(name);
    };
  });
  return prepared;
}

}  // namespace

PreparedLaunch prepare_dummy(TriangleMapId map, u32 n, u32 rho, BenchForm form, u32* scratch) {
  TRI_EXPECTS(form == BenchForm::hold || form == BenchForm::store);
  if (form == BenchForm::hold) return prepare(map, n, rho, HoldWork{scratch}, "dummy");
  return prepare(map, n, rho, StoreWork{scratch}, "dummy with store");
}

PreparedLaunch prepare_write(TriangleMapId map, u32 n, u32 rho, u32* cells) {
  return prepare(map, n, rho, WriteWork{cells}, "write");
}

PreparedLaunch prepare_checksum(TriangleMapId map, u32 n, u32 rho, unsigned long long* sums) {
  return prepare(map, n, rho, ChecksumWork{sums}, "checksum");
}

PreparedLaunch prepare_plain_checksum(u32 n, unsigned long long* sums) {
  PreparedLaunch prepared;
  prepared.launched = prepared.useful = n < 65536 ? n : 65536;
  prepared.launches = 1;
  prepared.launch = [blocks = static_cast<u32>(prepared.launched), n, sums](cudaStream_t stream, u32) {
    plain_checksum_kernel<<<blocks, 256, 0, stream>>>(n, ChecksumWork{sums});
    check_launch("plain checksum");
  };
  return prepared;
}

PreparedLaunch prepare_automaton(TriangleMapId map, u32 n, u32 rho, const u8* now, u8* next) {
  return prepare(map, n, rho, AutomatonWork{now, next, n}, "automaton");
}

}  // namespace tri::cuda
