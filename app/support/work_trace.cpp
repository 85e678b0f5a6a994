#include "app/support/work_trace.hpp"

#include <algorithm>
#include <string_view>

namespace tri::app {

void WorkTrace::add(const WorkSpan& span) {
  if (!(span.end >= span.begin)) return;
  spans_.push_back(span);
  if (spans_.size() > kMaxSpans) spans_.pop_front();
}

void WorkTrace::end_frame(const Frame& frame) {
  frames_.push_back(frame);
  if (frames_.size() > kMaxFrames) frames_.pop_front();
  // Spans of other lanes come late, but never by more than some frames: the oldest stand near the front.
  while (!spans_.empty() && spans_.front().end < frames_.front().begin) spans_.pop_front();
}

double WorkTrace::sum(WorkLane lane, double begin, double end, const char* name) const {
  double seconds = 0;
  for (const WorkSpan& s : spans_) {
    if (s.lane != lane || s.depth > 0 || (name != nullptr && std::string_view(s.name) != name)) continue;
    seconds += std::max(0.0, std::min(s.end, end) - std::max(s.begin, begin));
  }
  return seconds;
}

bool WorkTrace::has(WorkLane lane) const {
  return std::any_of(spans_.begin(), spans_.end(), [&](const WorkSpan& s) { return s.lane == lane; });
}

}  // namespace tri::app
