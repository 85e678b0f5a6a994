#pragma once
/// GPU time between begin() and end(), read back some frames later to avoid a stall.

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
    GLuint64 ns = 0;  // of the oldest query, kInFlight - 1 frames ago
    glGetQueryObjectui64v(queries_[at_].get(), GL_QUERY_RESULT, &ns);
    ms_ = static_cast<double>(ns) * 1e-6;
  }
  /// Time of a frame some frames ago; 0 before the first.
  double ms() const noexcept { return ms_; }

 private:
  static constexpr u32 kInFlight = 4;
  std::array<Query, kInFlight> queries_;
  u32 at_ = 0;
  double ms_ = 0;
};

}  // namespace tri::gl
