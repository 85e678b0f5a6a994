#pragma once
/// The GL buffer into which a backend publishes instances.
///
/// A frame: `sink()` -> the engine publishes -> `written()` -> `bind()` and draw -> `drawn()`. Two paths: interop (the
/// CUDA backend writes into the mapped GL buffer) and copy (host memory read by GL, triple-buffered, so that no frame
/// waits for the previous one).

#include <memory>
#include <string>

#include "sim/backend/instance_sink.hpp"

namespace tri::render {

enum class PresentPath : u8 { copy, interop };

class InstanceBuffer {
 public:
  virtual ~InstanceBuffer() = default;
  virtual PresentPath path() const = 0;
  virtual std::size_t size() const = 0;  ///< bodies
  /// Memory of size() instances, which the caller fills before written(). Throws GlError if it is not available.
  virtual InstanceSink sink() = 0;
  /// Ends writing; bind() then uses the new instances.
  virtual void written() = 0;
  /// Binds the last written instances as shader storage.
  virtual void bind(u32 binding) const = 0;
  /// Ends drawing of this frame.
  virtual void drawn() = 0;
};

/// The copy path, which is always available. n >= 1.
std::unique_ptr<InstanceBuffer> make_copy_buffer(std::size_t n);

}  // namespace tri::render
