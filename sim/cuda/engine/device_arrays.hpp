#pragma once
/// Work on arrays in device memory that belong to the caller, ordered on a stream of the caller's: what the Python
/// module does with arrays of other libraries. No CUDA types here, so that a build without CUDA can refuse.
///
/// Any thread may call, several at once. The current device of the thread is what it was when a call returns.

#include <optional>
#include <vector>

#include "sim/laws/physics_params.hpp"
#include "sim/model/compute.hpp"

namespace tri {

/// A stream of a device: the cudaStream_t of any CUDA runtime in this process; null is the legacy default stream.
struct DeviceQueue {
  int device = 0;
  void* stream = nullptr;
};

/// [n, columns] values in device memory, row by row.
template <class Real>
struct DeviceRows {
  const Real* values = nullptr;
  u64 n = 0, columns = 0;
};

/// Sets out[distance_count(n, layout)] to the distances of the rows, in the arithmetic of Real: the bits of
/// Backend::distances() on that device. Of config the pair map and block count.
///
/// Only enqueues: no synchronisation, no allocation, no look at the values. So it may be captured into a CUDA graph. (A
/// map with a table is the exception: it waits for the device, and a capture is refused.) `points` and `out` do not
/// overlap, and stay until the stream is past the work. Throws ConfigError (columns, rows, block, the map's reason),
/// BackendError, CudaError.
template <class Real>
void enqueue_distances(const DeviceQueue& queue, const DeviceRows<Real>& points, DistanceLayout layout,
                       const EngineConfig& config, Real* out);

/// Where work on a queue takes memory of its device. It stays until the call has returned, and then until the stream is
/// past what was enqueued: as memory of a stream-ordered allocator that is given back on the same stream.
class DeviceAllocator {
 public:
  virtual ~DeviceAllocator() = default;
  virtual void* scratch(u64 bytes) = 0;            ///< bytes > 0; aligned to 256
  virtual i64* result(u64 rows, u64 columns) = 0;  ///< [rows, columns], or [rows] for columns = 0; aligned to 16
};

/// Contacts of spheres with centres in 1 to 3 dimensions, |d| <= ri + rj in the arithmetic of Real: allocates one
/// result, [k, 2] pairs (i, j), i < j, sorted, or [n] the number of contacts of each. radii: [n], or null: `radius` for
/// all. sides: of a periodic box from 0, none: open; pairs of nearest images, as Backend::collisions() has them.
///
/// The values are checked. Waits for the stream; the result is complete when the stream is past the work. Throws
/// ConfigError (a value or shape that does not fit; a stream that is being captured), CudaError, and what the allocator
/// throws.
template <class Real>
void device_contacts(const DeviceQueue& queue, const DeviceRows<Real>& centres, const Real* radii, Real radius,
                     const std::vector<double>& sides, bool per_body, DeviceAllocator& allocator);

/// Bodies in device memory. Where an array of [n] is null, one number is that of all.
template <class Real>
struct DeviceBodies {
  const Real* positions = nullptr;  ///< [n, 3]
  u64 n = 0;
  const Real* masses = nullptr;
  Real mass = 0;
  const Real* radii = nullptr;
  Real radius = 0;
  const Real* velocities = nullptr;  ///< [n, 3]; null: at rest
  const Real* charges = nullptr;
  Real charge = 0;
};

/// Sets out[n, 3] to what Engine::forces() has for these bodies, and returns the potential energy, 0 unless it is asked
/// for. field and config: as for Backend::make_engine().
///
/// Waits for the stream, twice or more. Returns nothing, and `out` is not to be used, where the bodies are for an
/// engine to look at: under contact, and where a value or a force may be one that it refuses. Throws ConfigError (a
/// capture, a parameter, the map's reason), MemoryError, CudaError.
template <class Real>
std::optional<double> device_forces(const DeviceQueue& queue, const DeviceBodies<Real>& bodies, const ForceField& field,
                                    const EngineConfig& config, bool energy, Real* out);

/// Backend::triplets() of the points. Waits for the stream. Returns nothing for what a look at the host's copy is for:
/// a value that is not finite, fewer than three points, a shape that does not fit. Throws ConfigError (bins, a capture,
/// the map's reason), MemoryError, CudaError.
template <class Real>
std::optional<TripleCounts> device_triplets(const DeviceQueue& queue, const DeviceRows<Real>& points,
                                            const SideBins& bins, const EngineConfig& config);

/// Copies device memory, after what the stream has, and waits. Throws ConfigError (a capture), CudaError.
void copy_to_host(const DeviceQueue& queue, const void* from, u64 bytes, void* to);
void copy_to_device(const DeviceQueue& queue, const void* from, u64 bytes, void* to);

/// Memory of a device: for those who have no allocator of their own.
class DeviceBlock {
 public:
  /// Throws MemoryError, CudaError.
  DeviceBlock(const DeviceQueue& queue, u64 bytes);
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;
  /// Waits for the device.
  ~DeviceBlock();
  void* data() const { return data_; }

 private:
  int device_;
  void* data_ = nullptr;
};

/// While it lives, this thread may make any device current: what was current before is so again when it goes.
class CurrentDevice {
 public:
  /// keep = false: it does nothing, and asks no driver.
  explicit CurrentDevice(bool keep);
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice();

 private:
  bool keep_;
  void* context_ = nullptr;
};

/// Waits for the stream. Throws CudaError for work on it that failed.
void wait_for(const DeviceQueue& queue);

}  // namespace tri
