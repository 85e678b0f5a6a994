#pragma once
/// Arrays in device memory, as the package hands them over.

#include <nanobind/nanobind.h>

#include <cstdint>

#include "sim/cuda/jobs/device_arrays.hpp"

namespace tri::python {

/// Where the memory is, which the package has checked: C-contiguous, aligned, of one device. It owns nothing: the
/// caller of the package holds the array.
struct DeviceArray {
  std::uintptr_t address = 0;
  u64 n = 0, columns = 1;
  bool is_double = false;
  int device = 0;
  std::uintptr_t stream = 0;

  DeviceQueue queue() const { return {device, reinterpret_cast<void*>(stream)}; }
  template <class T>
  T* values() const {
    return reinterpret_cast<T*>(address);
  }
  template <class Real>
  DeviceRows<Real> rows() const {
    return {values<const Real>(), n, columns};
  }
};

/// Calls f(Real()) with the type of the values.
template <class F>
void in_type_of(const DeviceArray& array, F&& f) {
  if (array.is_double) {
    f(double{});
  } else {
    f(float{});
  }
}

}  // namespace tri::python
