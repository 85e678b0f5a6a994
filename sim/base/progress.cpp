#include "sim/base/progress.hpp"

#include <algorithm>
#include <utility>

namespace tri {

namespace {

constexpr u64 kReports = 128;

thread_local ProgressSink* watch = nullptr;
thread_local const std::string* name = nullptr;

}  // namespace

ScopedProgressSink::ScopedProgressSink(ProgressSink& now) noexcept : before_(std::exchange(watch, &now)) {}
ScopedProgressSink::~ScopedProgressSink() { watch = before_; }

ScopedTask::ScopedTask(std::string now) : name_(std::move(now)), before_(std::exchange(name, &name_)) {}
ScopedTask::~ScopedTask() { name = before_; }

bool progress_is_wanted() noexcept { return watch != nullptr && name != nullptr; }

void report_progress(ProgressKind kind, const std::string& what, double done, double whole) {
  if (watch != nullptr) watch->report({kind, what, done, whole});
}

LoopProgress::LoopProgress(u64 whole) : whole_(whole), stride_(std::max<u64>(1, whole / kReports)) {
  if (progress_is_wanted()) next_ = stride_;
}

void LoopProgress::tell(u64 done) {
  next_ = done + stride_;
  report_progress(ProgressKind::computing, *name, static_cast<double>(done), static_cast<double>(whole_));
}

}  // namespace tri
