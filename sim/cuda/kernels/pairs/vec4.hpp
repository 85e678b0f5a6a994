#pragma once
/// Four numbers that one or two vector loads fetch.

namespace tri::cuda {

template <class Real>
struct alignas(4 * sizeof(Real) < 16 ? 4 * sizeof(Real) : 16) Vec4 {
  Real x, y, z, w;
};

}  // namespace tri::cuda
