#include "app/gui/frame/body_publisher.hpp"

#include <fmt/format.h>

#include "render/gl/check.hpp"
#include "render/interop/interop_buffer.hpp"

namespace tri::app::gui {

void BodyPublisher::fall_back(Session& session, const std::string& why) {
  interop_failed_ = true;
  why_copy_ = why;
  session.note(fmt::format("the bodies are copied to graphics memory, because {}.", why), wanted_ == Present::interop);
}

void BodyPublisher::make_buffer(Session& session) {
  buffer_.reset();
  const std::size_t n = session.model().n;
  const bool cuda = session.model().backend.name == "cuda";
  if (wanted_ == Present::copy) {
    why_copy_ = "requested";
  } else if (!cuda) {
    if (wanted_ == Present::interop && why_copy_.empty()) {
      session.note("the bodies are copied to graphics memory, because the cpu backend computes them.", true);
    }
    why_copy_ = "cpu backend";
  } else if (!interop_failed_) {
    std::string why;
    buffer_ = render::make_interop_buffer(n, device_, why);
    if (buffer_ == nullptr) fall_back(session, why);
  }
  if (buffer_ == nullptr) buffer_ = render::make_copy_buffer(n);
}

bool BodyPublisher::write(Session& session) {
  try {
    InstanceSink sink = buffer_->sink();
    session.publish(sink);
    buffer_->written();
    return true;
  } catch (const gl::GlError& error) {
    if (buffer_->path() == render::PresentPath::copy) throw;
    fall_back(session, error.what());
    return false;
  }
}

void BodyPublisher::publish(Session& session) {
  const SessionModel& m = session.model();
  const bool other = buffer_ == nullptr || generation_ != session.generation() || backends_ != session.backends();
  if (!other && steps_ == m.steps && time_ == m.time && scalar_ == m.scalar) return;
  if (other) make_buffer(session);
  const u64 backends = session.backends();
  if (!write(session) || session.backends() != backends) {  // the path or the backend changed
    make_buffer(session);
    write(session);
  }
  generation_ = session.generation(), backends_ = session.backends(), steps_ = m.steps, time_ = m.time,
  scalar_ = m.scalar;
}

std::string BodyPublisher::path() const {
  if (buffer_ == nullptr) return "nothing yet";
  return buffer_->path() == render::PresentPath::interop ? "interop" : fmt::format("copy ({})", why_copy_);
}

}  // namespace tri::app::gui
