#include "app/support/interrupt.hpp"

#include <fcntl.h>
#include <semaphore.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <utility>

#include "app/support/json_text.hpp"
#include "sim/base/error.hpp"
#include "sim/io/files/atomic_file.hpp"

namespace tri::app {
namespace {

/// What a rank tells the first one. Not one of those that end a program when they come twice.
constexpr int kRelayed = SIGUSR2;

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch a lock-free flag");

/// Wakes the deadline; signal handlers may post it.
sem_t& wake() {
  static sem_t semaphore = [] {
    sem_t s;
    sem_init(&s, 0, 0);
    return s;
  }();
  return semaphore;
}

struct CutOffSentence {
  std::mutex lock;
  std::string text = kNothingWritten;
};
CutOffSentence& cut_off() {
  static CutOffSentence& sentence = *new CutOffSentence;  // threads may outlive main()
  return sentence;
}

std::atomic<int> leader{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int) {
  interrupted.store(true, std::memory_order_relaxed);
  sem_post(&wake());
  if (const int pid = leader.load(std::memory_order_relaxed); pid > 0) kill(pid, kRelayed);
}

}  // namespace

void relay_interrupts(int pid) { leader = pid; }

void catch_relayed_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(kRelayed, &action, nullptr);
}

void catch_interrupts() {
  wake();
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

std::string cut_off_sentence() {
  const std::scoped_lock hold(cut_off().lock);
  return cut_off().text;
}

void set_cut_off_sentence(const std::string& sentence) {
  const std::scoped_lock hold(cut_off().lock);
  cut_off().text = sentence;
}

void say_interrupted(Console& console, bool json, const std::string& sentence) {
  console.note(sentence);
  if (json) console.print(failure_json(sentence, ExitCode::interrupted));
}

InterruptDeadline::InterruptDeadline(std::function<void()> last_words) : last_words_(std::move(last_words)) {
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {  // a limit on threads; work that looks at the flag ends all the same
  }
}

InterruptDeadline::~InterruptDeadline() {
  {
    const std::lock_guard hold(lock_);
    over_ = true;
  }
  sem_post(&wake());
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void InterruptDeadline::watch() {
  while (!interrupted.load()) {
    sem_wait(&wake());
    const std::lock_guard hold(lock_);
    if (over_) return;
  }
  std::unique_lock hold(lock_);
  if (changed_.wait_for(hold, std::chrono::milliseconds(kPatienceMs), [this] { return over_; })) return;
  hold.unlock();
  last_words_();
  io::remove_unfinished_files();
  std::fflush(stdout);
  std::fflush(stderr);
  _exit(static_cast<int>(ExitCode::interrupted));
}

}  // namespace tri::app
