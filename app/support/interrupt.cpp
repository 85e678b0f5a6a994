#include "app/support/interrupt.hpp"

#include <csignal>

namespace tri::app {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch a lock-free flag");

extern "C" void on_signal(int) { interrupted.store(true, std::memory_order_relaxed); }

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  // Restore the default after the first signal: a second Ctrl-C ends a run stuck in a step. Restart interrupted system
  // calls (a write).
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup ignores it
}

const std::atomic<bool>& interrupt_flag() { return interrupted; }

}  // namespace tri::app
