#include "app/session/step_thread.hpp"

#include <chrono>
#include <utility>

#include "sim/base/contracts.hpp"

namespace tri::app {

StepThread::~StepThread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StepThread::begin(std::function<void()> job) {
  TRI_EXPECTS(!begun_);
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job), done_ = false;
  }
  begun_ = true;
  changed_.notify_all();
}

bool StepThread::wait(double seconds) {
  if (!begun_) return true;
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return done_; })) return false;
  begun_ = false;
  return true;
}

void StepThread::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || job_; });
    if (!job_) return;  // asked to stop, and nothing left to do
    const std::function<void()> job = std::exchange(job_, nullptr);
    lock.unlock();
    job();
    lock.lock();
    done_ = true;
    changed_.notify_all();
  }
}

}  // namespace tri::app
