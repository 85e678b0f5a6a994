#pragma once
/// GPU time between begin() and end(), read back some frames later to avoid a stall.

#include <array>
#include <utility>
#include <vector>

#include "render/gl/names.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/platform.hpp"

namespace tri::gl {

/// Seconds to add to a time of the GPU that make it one of clock_s(). Costs some microseconds; clocks part, so ask
/// again from time to time.
inline double gpu_clock_offset() {
  GLint64 ns = 0;
  const double before = clock_s();
  glGetInteger64v(GL_TIMESTAMP, &ns);
  return (before + clock_s()) / 2 - static_cast<double>(ns) * 1e-9;
}

class GpuTimer {
 public:
  /// Seconds of the GPU's clock.
  struct Span {
    double begin = 0, end = 0;
  };

  void begin() { stamp(pairs_[at_].begin); }
  void end() {
    stamp(pairs_[at_].end);
    at_ = (at_ + 1) % kInFlight;
    const Pair& oldest = pairs_[at_];  // of kInFlight - 1 frames ago
    if (!oldest.end) return;
    last_ = {seconds(oldest.begin), seconds(oldest.end)};
    if (done_.size() < kMaxDone) done_.push_back(last_);
  }
  /// Time of a frame some frames ago; 0 before the first.
  double ms() const noexcept { return (last_.end - last_.begin) * 1e3; }
  /// What was read back since the last call; of the many frames of a program that does not call it, the first.
  std::vector<Span> take() { return std::exchange(done_, {}); }

 private:
  struct Pair {
    Query begin, end;
  };
  static void stamp(Query& query) {
    if (!query) query = make_query(GL_TIMESTAMP);
    glQueryCounter(query.get(), GL_TIMESTAMP);
  }
  static double seconds(const Query& query) {
    GLuint64 ns = 0;
    glGetQueryObjectui64v(query.get(), GL_QUERY_RESULT, &ns);
    return static_cast<double>(ns) * 1e-9;
  }

  static constexpr u32 kInFlight = 4;
  static constexpr std::size_t kMaxDone = 8;
  std::array<Pair, kInFlight> pairs_;
  u32 at_ = 0;
  Span last_;
  std::vector<Span> done_;
};

}  // namespace tri::gl
