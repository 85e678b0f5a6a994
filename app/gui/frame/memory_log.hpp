#pragma once
/// Memory use over a long scripted run, where leaks show as growth.

#include <string>
#include <utility>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app::gui {

class MemoryLog {
 public:
  /// Samples at 1,000 frames, 2,000, 5,000, 10,000 and so on. Call it for every frame.
  void frame(u64 frames);
  /// "resident memory: 210.5 MB after 1000 frames, 210.6 MB after 2000 frames, now 210.6 MB"; empty where it is
  /// unknown.
  std::string text() const;

 private:
  std::vector<std::pair<u64, u64>> seen_;  ///< frames, bytes
  u64 next_ = 1000, decade_ = 1000;
};

/// Resident memory of this process in bytes; 0 where it is unknown.
u64 resident_bytes();

}  // namespace tri::app::gui
