#include "sim/base/progress.hpp"

#include <algorithm>
#include <utility>

namespace tri {

namespace {

constexpr u64 kReports = 128;

thread_local WorkWatch* watch = nullptr;
thread_local const std::string* name = nullptr;

}  // namespace

WatchScope::WatchScope(WorkWatch& now) noexcept : before_(std::exchange(watch, &now)) {}
WatchScope::~WatchScope() { watch = before_; }

WorkName::WorkName(std::string now) : name_(std::move(now)), before_(std::exchange(name, &name_)) {}
WorkName::~WorkName() { name = before_; }

bool work_is_watched() noexcept { return watch != nullptr && name != nullptr; }

void report_work(WorkKind kind, const std::string& what, double done, double whole) {
  if (watch != nullptr) watch->look({kind, what, done, whole});
}

LoopReport::LoopReport(u64 whole) : whole_(whole), stride_(std::max<u64>(1, whole / kReports)) {
  if (work_is_watched()) next_ = stride_;
}

void LoopReport::tell(u64 done) {
  next_ = done + stride_;
  report_work(WorkKind::computing, *name, static_cast<double>(done), static_cast<double>(whole_));
}

}  // namespace tri
