// Arrays of other libraries: what a DLPack capsule holds, and memory of a device for a library that only takes DLPack.
// nanobind's own import knows no streams, and not whether an array may be written.

#include <nanobind/stl/string.h>

#include <cstring>
#include <utility>

#include "app/python/parts.hpp"
#include "sim/base/error.hpp"

namespace tri::python {
namespace {

namespace nb = nanobind;

/// Of dlpack.h, versions 0 and 1.
struct ManagedTensor {
  nb::dlpack::dltensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};
struct VersionedTensor {
  u32 major, minor;
  void* context;
  void (*deleter)(VersionedTensor*);
  std::uint64_t flags;
  nb::dlpack::dltensor tensor;
};

/// Takes the content of a capsule, and gives it back to its producer when it goes.
class Imported {
 public:
  explicit Imported(nb::handle capsule) {
    PyObject* const from = capsule.ptr();
    if (PyCapsule_IsValid(from, "dltensor_versioned") != 0) {
      versioned_ = static_cast<VersionedTensor*>(PyCapsule_GetPointer(from, "dltensor_versioned"));
      if (versioned_->major != 1) {
        versioned_ = nullptr;
        throw nb::type_error("__dlpack__() gave an array of another version of DLPack; 0 and 1 are understood.");
      }
      PyCapsule_SetName(from, "used_dltensor_versioned");
    } else if (PyCapsule_IsValid(from, "dltensor") != 0) {
      managed_ = static_cast<ManagedTensor*>(PyCapsule_GetPointer(from, "dltensor"));
      PyCapsule_SetName(from, "used_dltensor");
    } else {
      throw nb::type_error("__dlpack__() gave no capsule of DLPack, or one that is used up.");
    }
  }
  Imported(const Imported&) = delete;
  Imported& operator=(const Imported&) = delete;
  ~Imported() {
    const nb::error_scope pending;  // a deleter may run Python
    if (managed_ != nullptr && managed_->deleter != nullptr) managed_->deleter(managed_);
    if (versioned_ != nullptr && versioned_->deleter != nullptr) versioned_->deleter(versioned_);
  }

  const nb::dlpack::dltensor& tensor() const { return versioned_ != nullptr ? versioned_->tensor : managed_->tensor; }
  bool writable() const { return versioned_ == nullptr || (versioned_->flags & 1u) == 0; }
  std::uintptr_t address() const {
    return reinterpret_cast<std::uintptr_t>(tensor().data) + static_cast<std::uintptr_t>(tensor().byte_offset);
  }
  nb::tuple shape() const {
    nb::list sides;
    for (int k = 0; k < tensor().ndim; ++k) sides.append(tensor().shape[k]);
    return nb::tuple(sides);
  }
  bool contiguous() const {
    const auto& t = tensor();
    std::int64_t step = 1, values = 1;
    for (int k = 0; k < t.ndim; ++k) values *= t.shape[k];
    if (t.strides == nullptr || values == 0) return true;
    for (int k = t.ndim - 1; k >= 0; step *= t.shape[k], --k) {
      if (t.shape[k] != 1 && t.strides[k] != step) return false;
    }
    return true;
  }
  /// As NumPy names it, "" for what it has no name for.
  std::string dtype() const {
    static constexpr const char* kNames[] = {"int", "uint", "float", "", "bfloat", "complex", "bool"};
    const auto& type = tensor().dtype;
    if (type.lanes != 1 || type.code > 6) return "";
    return type.code == 6 ? "bool" : kNames[type.code] + std::to_string(type.bits);
  }

 private:
  ManagedTensor* managed_ = nullptr;
  VersionedTensor* versioned_ = nullptr;
};

/// The same memory as a NumPy array, which keeps `self`. Host memory only, C-contiguous.
template <class Real>
nb::object host_array(nb::handle_t<Imported> self) {
  const Imported& from = nb::cast<const Imported&>(self);
  std::size_t shape[2] = {};
  const auto& t = from.tensor();
  if (t.ndim > 2) throw ConfigError("more than two dimensions.");
  for (int k = 0; k < t.ndim; ++k) shape[k] = static_cast<std::size_t>(t.shape[k]);
  return nb::cast(nb::ndarray<nb::numpy, Real>(reinterpret_cast<Real*>(from.address()),
                                               static_cast<std::size_t>(t.ndim), shape, self));
}

/// New memory as an object with __dlpack__, and its address.
nb::tuple device_memory(const std::string& dtype, const nb::tuple& shape, int device) {
  std::size_t sides[2] = {1, 1};
  const std::size_t ndim = nb::len(shape);
  if (ndim < 1 || ndim > 2) throw ConfigError("shape has one or two sides.");
  for (std::size_t k = 0; k < ndim; ++k) sides[k] = nb::cast<std::size_t>(shape[k]);
  const nb::dlpack::dtype type = dtype == "float32"   ? nb::dtype<float>()
                                 : dtype == "float64" ? nb::dtype<double>()
                                 : dtype == "int64"   ? nb::dtype<std::int64_t>()
                                                      : nb::dtype<std::uint8_t>();
  const DeviceQueue at{device, nullptr};
  auto* memory = new DeviceBlock(at, u64{sides[0]} * sides[1] * (type.bits / 8u));
  const nb::capsule owner(memory, [](void* p) noexcept { delete static_cast<DeviceBlock*>(p); });
  const nb::ndarray<nb::array_api> array(memory->data(), ndim, sides, owner, nullptr, type, nb::device::cuda::value,
                                         device);
  return nb::make_tuple(nb::cast(array), reinterpret_cast<std::uintptr_t>(memory->data()));
}

}  // namespace

void add_dlpack(nb::module_& module) {
  nb::class_<Imported>(module, "Imported", "What a DLPack capsule holds.")
      .def(nb::init<nb::handle>(), nb::arg("capsule"))
      .def_prop_ro("address", &Imported::address)
      .def_prop_ro("shape", &Imported::shape)
      .def_prop_ro("dtype", &Imported::dtype)
      .def_prop_ro("contiguous", &Imported::contiguous)
      .def_prop_ro("writable", &Imported::writable)
      .def("float32", &host_array<float>, "The same memory as a NumPy array.")
      .def("float64", &host_array<double>, "The same memory as a NumPy array.");
  nb::class_<GivenArray>(module, "GivenArray", "Memory of an array; of a device with its stream.")
      .def(
          "__init__",
          [](GivenArray* self, std::uintptr_t address, u64 n, u64 columns, bool is_double, int device,
             std::uintptr_t stream) { new (self) GivenArray{address, n, columns, is_double, device, stream}; },
          nb::arg("address"), nb::arg("n"), nb::arg("columns"), nb::arg("is_double"), nb::arg("device"),
          nb::arg("stream"));
  module.def("device_memory", &device_memory, nb::arg("dtype"), nb::arg("shape"), nb::arg("device"),
             "(array with __dlpack__, address) of new memory of a device.");
  module.def(
      "wait_for",
      [](int device, std::uintptr_t stream) {
        const ReleasedGil no_gil;
        wait_for({device, reinterpret_cast<void*>(stream)});
      },
      nb::arg("device"), nb::arg("stream"), "Waits for a stream.");
}

}  // namespace tri::python
