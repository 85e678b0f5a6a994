#pragma once
/// Ctrl-C, kill and a closed terminal: the first one requests an orderly end, a second one terminates the program at
/// once.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "app/support/console.hpp"

namespace tri::app {

/// Installs handlers for SIGINT, SIGTERM and SIGHUP, unless that is ignored as under nohup (once, from main).
void catch_interrupts();

/// A signal to this process goes on to another one, too: that of the first rank, which decides what it means.
void relay_interrupts(int pid);
/// In that process: takes them. They never end it at once, however many there are.
void catch_relayed_interrupts();

/// The flag that they set; static lifetime.
const std::atomic<bool>& interrupt_flag();

inline constexpr const char* kNothingWritten = "interrupted; nothing was written.";

/// What a command says that is cut off: kNothingWritten, until work that keeps something says otherwise. Any thread.
std::string cut_off_sentence();
void set_cut_off_sentence(const std::string& sentence);

/// Prints the last sentence of an interrupted command, as its JSON result too if that was asked for.
void say_interrupted(Console& console, bool json, const std::string& sentence);

/// Ends the program with exit code 130 when work has not ended a while after a signal: inside a kernel of a device, a
/// long sample, a parser. Work that looks at the flag ends by itself and in order. One at a time, around work that
/// leaves nothing useful when it is cut off.
class InterruptDeadline {
 public:
  /// `last_words` runs on a thread of its own, beside the work, just before the end and the removal of unfinished
  /// files.
  explicit InterruptDeadline(std::function<void()> last_words);
  /// Waits for the end of the program if that has begun.
  ~InterruptDeadline();
  InterruptDeadline(const InterruptDeadline&) = delete;
  InterruptDeadline& operator=(const InterruptDeadline&) = delete;

 private:
  static constexpr int kPatienceMs = 200;

  void watch();

  std::function<void()> last_words_;
  std::mutex lock_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;  ///< last member: it uses the others
};

}  // namespace tri::app
