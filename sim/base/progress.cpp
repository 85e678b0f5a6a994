#include "sim/base/progress.hpp"

#include <algorithm>
#include <utility>

namespace tri {

namespace {

constexpr u64 kReports = 128;
constexpr double kSoon = 0.025, kLate = 0.1;  ///< seconds between reports, within which the stride stays what it is

thread_local ProgressSink* sink = nullptr;
thread_local const std::string* task = nullptr;

}  // namespace

ScopedProgressSink::ScopedProgressSink(ProgressSink& bound) noexcept : previous_(std::exchange(sink, &bound)) {}
ScopedProgressSink::~ScopedProgressSink() { sink = previous_; }

ProgressSink* progress_sink() noexcept { return sink; }

ScopedTask::ScopedTask(std::string name) : name_(std::move(name)), previous_(std::exchange(task, &name_)) {}
ScopedTask::~ScopedTask() { task = previous_; }

bool progress_is_wanted() noexcept { return sink != nullptr && task != nullptr; }

void report_progress(ProgressKind kind, const std::string& name, double done, double total) {
  if (sink != nullptr) sink->report({kind, name, done, total});
}

LoopProgress::LoopProgress(u64 total) : total_(total) {
  if (progress_is_wanted()) next_ = stride_, reported_s_ = clock_s();
}

/// The stride grows from 1 while reports come soon, and shrinks when they come late.
void LoopProgress::report(u64 done) {
  const double now = clock_s(), seconds = now - reported_s_;
  reported_s_ = now;
  if (seconds < kSoon) stride_ = std::min(2 * stride_, std::max<u64>(1, total_ / kReports));
  if (seconds > kLate) stride_ = std::max<u64>(1, stride_ / 2);
  next_ = done + stride_;
  report_progress(ProgressKind::computing, *task, static_cast<double>(done), static_cast<double>(total_));
}

}  // namespace tri
