// All-pairs distances as the papers run them: the kernel of edm_element.cuh, launched from the host.

#include "sim/cuda/kernels/map_tables.cuh"
#include "sim/cuda/kernels/pairs/distance_element.cuh"

namespace tri::cuda {

template <class Real>
Prepared prepare_edm_elements(TriangleMapId id, u32 n, u32 rho, u32 features, DistanceLayout layout,
                              const Quad<Real>* points, Real* out) {
  Prepared prepared;
  const u32 side = static_cast<u32>(tiles_per_side(info(id), n, rho));
  const EdmArguments<Real> arg{points, out, n, quads_of(features), layout};
  visit_device_triangle_map(id, side, Diagonal::with, resident_workers(), [&](const auto& map, auto owner) {
    const std::vector<GridPiece> pieces = grid_pieces(map, rho);
    fill_counts(prepared, map, pieces.size());
    const std::size_t shared = info(id).space == Space::thread ? 0 : 2 * arg.quads * rho * sizeof(Quad<Real>);
    prepared.launch = [map, owner, pieces, rho, shared, arg](cudaStream_t stream, u32 k) {
      edm_element_kernel<Real><<<grid_of(pieces[k]), dim3(rho, rho), shared, stream>>>(map, pieces[k], arg);
      check_launch("edm elements");
    };
  });
  return prepared;
}

template Prepared prepare_edm_elements(TriangleMapId, u32, u32, u32, DistanceLayout, const Quad<float>*, float*);
template Prepared prepare_edm_elements(TriangleMapId, u32, u32, u32, DistanceLayout, const Quad<double>*, double*);

}  // namespace tri::cuda
