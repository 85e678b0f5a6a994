#pragma once
/// Shared by the HDF5 reader and writer: an owning id, initialisation of the library, and its error messages.

#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

namespace tri::io {

/// Owns an id of the library together with the function that closes it.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_), std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { reset(); }

  hid_t get() const noexcept { return id_; }
  explicit operator bool() const noexcept { return id_ >= 0; }
  /// Closes now; false when the library fails to.
  bool reset() noexcept { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Initialises the library, turns its own error output off and acquires the global lock.
std::unique_lock<std::mutex> hdf5_lock();

/// The library's innermost message for its last failure; "unknown reason" where it has none.
std::string hdf5_reason();

}  // namespace tri::io
