#include "sim/base/progress.hpp"

#include <algorithm>
#include <utility>

namespace tri {

namespace {

constexpr u64 kReports = 128;

thread_local ProgressSink* sink = nullptr;
thread_local const std::string* task = nullptr;

}  // namespace

ScopedProgressSink::ScopedProgressSink(ProgressSink& bound) noexcept : previous_(std::exchange(sink, &bound)) {}
ScopedProgressSink::~ScopedProgressSink() { sink = previous_; }

ScopedTask::ScopedTask(std::string name) : name_(std::move(name)), previous_(std::exchange(task, &name_)) {}
ScopedTask::~ScopedTask() { task = previous_; }

bool progress_is_wanted() noexcept { return sink != nullptr && task != nullptr; }

void report_progress(ProgressKind kind, const std::string& name, double done, double total) {
  if (sink != nullptr) sink->report({kind, name, done, total});
}

LoopProgress::LoopProgress(u64 total) : total_(total), stride_(std::max<u64>(1, total / kReports)) {
  if (progress_is_wanted()) next_ = stride_;
}

void LoopProgress::report(u64 done) {
  next_ = done + stride_;
  report_progress(ProgressKind::computing, *task, static_cast<double>(done), static_cast<double>(total_));
}

}  // namespace tri
