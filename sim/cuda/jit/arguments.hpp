#pragma once
/// Arguments of kernels that are launched by their addresses.

#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// The address of a kernel's argument, which the launch copies.
template <class T>
void* argument(const T& value) {
  return const_cast<void*>(static_cast<const void*>(&value));
}

/// The name of the number type in texts.
constexpr const char* real_name(Precision precision) { return precision == Precision::fp32 ? "float" : "double"; }

template <class Real>
inline constexpr Precision kPrecisionAs = sizeof(Real) == 4 ? Precision::fp32 : Precision::fp64;

}  // namespace tri::cuda
