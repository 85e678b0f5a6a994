#pragma once
/// Time that the GPU spends between begin() and end(), read some frames later so that nobody waits for it.

#include <array>

#include "render/gl/names.hpp"
#include "sim/base/platform.hpp"

namespace tri::gl {

class GpuTimer {
 public:
  void begin() {
    if (!queries_[at_]) queries_[at_] = make_query(GL_TIME_ELAPSED);
    glBeginQuery(GL_TIME_ELAPSED, queries_[at_].get());
  }
  void end() {
    glEndQuery(GL_TIME_ELAPSED);
    at_ = (at_ + 1) % kInFlight;
    if (!queries_[at_]) return;
    GLuint64 ns = 0;  // the oldest one, kInFlight - 1 frames old: done, or soon
    glGetQueryObjectui64v(queries_[at_].get(), GL_QUERY_RESULT, &ns);
    ms_ = static_cast<double>(ns) * 1e-6;
  }
  /// Of a frame some frames ago; 0 before there is one.
  double ms() const noexcept { return ms_; }

 private:
  static constexpr u32 kInFlight = 4;
  std::array<Query, kInFlight> queries_;
  u32 at_ = 0;
  double ms_ = 0;
};

}  // namespace tri::gl
