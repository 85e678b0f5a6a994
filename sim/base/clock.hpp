#pragma once
/// Time on the wall.

#include <chrono>

namespace tri {

/// Seconds of a clock that never goes back, from an arbitrary origin.
inline double clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Measures from its construction.
class Stopwatch {
 public:
  double ms() const { return (clock_s() - begin_s_) * 1e3; }

 private:
  double begin_s_ = clock_s();
};

}  // namespace tri
