#include "app/gui/frame/memory_log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

namespace tri::app::gui {
namespace {

std::string megabytes(u64 bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6); }

}  // namespace

u64 resident_bytes() {
  std::ifstream in("/proc/self/statm");
  u64 all = 0, resident = 0;
  if (!(in >> all >> resident)) return 0;
  return resident * static_cast<u64>(sysconf(_SC_PAGESIZE));
}

void MemoryLog::frame(u64 frames) {
  if (frames < next_) return;
  seen_.emplace_back(frames, resident_bytes());
  constexpr u64 kFactors[] = {2, 5, 10};  // of the power of ten below
  for (const u64 factor : kFactors) {
    if (decade_ * factor <= frames) continue;
    next_ = decade_ * factor;
    if (factor == 10) decade_ = next_;
    return;
  }
}

std::string MemoryLog::text() const {
  const u64 now = resident_bytes();
  if (now == 0) return "";
  std::string text = "resident memory: ";
  for (const auto& [frames, bytes] : seen_) text += fmt::format("{} after {} frames, ", megabytes(bytes), frames);
  return text + "now " + megabytes(now);
}

}  // namespace tri::app::gui
