#pragma once
/// Path of the bodies to the screen: interop is tried once; after a failure, one notice, and copies from then on.

#include <memory>
#include <string>

#include "app/session/session.hpp"
#include "app/support/run_config.hpp"
#include "render/instance_buffer.hpp"

namespace tri::app::gui {

class BodyPublisher {
 public:
  /// device: of the session's backend, where that is cuda.
  BodyPublisher(Present wanted, int device) : wanted_(wanted), device_(device) {}

  /// Publishes the session's bodies when they changed since the last call. Throws MemoryError, and what the engine
  /// throws.
  void publish(Session& session);
  /// The buffer published last; null before the first.
  render::InstanceBuffer* buffer() const noexcept { return buffer_.get(); }
  /// "interop", or "copy (why)".
  std::string path() const;

 private:
  void make_buffer(Session& session);
  void fall_back(Session& session, const std::string& why);
  bool write(Session& session);

  Present wanted_;
  int device_;
  bool interop_failed_ = false;
  std::string why_copy_;
  std::unique_ptr<render::InstanceBuffer> buffer_;
  u64 generation_ = 0, backends_ = 0, steps_ = 0;
  double time_ = 0;
  InstanceScalar scalar_ = InstanceScalar::mass;
};

}  // namespace tri::app::gui
