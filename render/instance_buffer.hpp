#pragma once
/// Where a backend writes the bodies to be drawn, as a GL buffer.
///
/// A frame: `sink()` -> the engine publishes -> `written()` -> `bind()` and draw -> `drawn()`. Two ways to the buffer:
/// interop (the CUDA backend writes into the mapped GL buffer itself) and copy (host memory that GL reads, one part of
/// three a frame, so that nobody waits for the frame before).

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
  /// Memory of size() instances, which the caller fills before written(). Throws GlError when it cannot be had.
  virtual InstanceSink sink() = 0;
  /// The writing is over; what was written is what bind() shows.
  virtual void written() = 0;
  /// Binds the bodies written last as shader storage.
  virtual void bind(u32 binding) const = 0;
  /// The drawing of this frame is over.
  virtual void drawn() = 0;
};

/// By copy: always there. n >= 1.
std::unique_ptr<InstanceBuffer> make_copy_buffer(std::size_t n);

}  // namespace tri::render
