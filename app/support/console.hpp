#pragma once
/// The console: text output, Ctrl-C, the progress line.
///
/// Text output: results to standard output, everything else to standard error.
///
/// A closed pipe (EPIPE) is no error: further output is dropped and the command continues to its own exit code. Any
/// other failure to write results is a FileError. main() must ignore SIGPIPE. One thread at a time.

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "sim/base/platform.hpp"
#include "sim/base/progress.hpp"

namespace tri::app {

enum class Tone : u8 { plain, good, bad, dim };

class Console {
 public:
  enum class Level : u8 { quiet, normal, verbose };

  /// Uses colour and progress if the stream is a terminal; NO_COLOR (set and not empty) disables colour.
  Console(std::FILE* out, std::FILE* err, Level level);
  ~Console() { clear_progress(); }  ///< so that an error message starts on a new line
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Results, flushed at once.
  void print(std::string_view text);
  /// The same text in a colour, if standard output has colour.
  std::string toned(std::string_view text, Tone tone) const;

  /// One line for people, on standard error; nothing under --quiet.
  void note(std::string_view line);
  /// One line under --verbose.
  void detail(std::string_view line);
  /// A line that the next one overwrites; only on a terminal, never under --quiet. Drawn at most ten times a second.
  void progress(std::string_view line);

  bool verbose() const noexcept { return level_ == Level::verbose; }
  /// Columns of the terminal on standard output; 100 if it is not a terminal.
  u32 width() const noexcept { return width_; }

 private:
  void clear_progress();

  std::FILE* out_;
  std::FILE* err_;
  Level level_;
  bool colour_ = false;
  bool live_ = false;    ///< standard error is a terminal
  bool closed_ = false;  ///< the reader of standard output has closed it
  bool line_open_ = false;
  double last_progress_s_ = -1;
  u32 width_ = 100, err_width_ = 100;
};

/// Prints "error: sentence" on standard error, the form of every failure.
void print_error(std::string_view sentence);

// Ctrl-C, kill and a closed terminal: the first one requests an orderly end, a second one terminates the program at
// once, unless it comes within 0.3 s of the first.

/// Installs handlers for SIGINT, SIGTERM and SIGHUP, unless that is ignored as under nohup (once, from main), and for
/// SIGXCPU, SIGUSR1 and SIGUSR2, which never end the program at once.
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

// Progress of long work on a terminal: the fraction done and the estimated time left.

/// "42 s", "3 min 20 s", "5 h 12 min", "3 d 4 h".
std::string wall_text(double seconds);

/// ", 17 s left" if `done` of `whole` took `seconds`; empty while no estimate is possible.
std::string time_left(double done, double whole, double seconds);

/// Formats reports: "reading big.tab: 34 %, 4 s left", with a clock for each piece of work.
class ProgressFormatter {
 public:
  /// Empty for work that began less than `quiet` seconds ago, as it may end soon.
  std::optional<std::string> line(const ProgressReport& report, double quiet);

 private:
  std::optional<ProgressKind> kind_;  ///< of the current work
  std::string name_;
  double begin_s_ = 0, begin_done_ = 0, done_ = 0;
};

/// Shows a progress line for each file or computation that takes longer than half a second. Runs on the thread of its
/// console.
///
/// It also handles Ctrl-C: reading ends with an InterruptedError; so do writing and computing if nothing of them would
/// be kept (`gives_up`). Else writing continues to its end, and computing only if that comes soon.
class ProgressLine final : public ProgressSink {
 public:
  ProgressLine(Console& console, const std::atomic<bool>& flag, bool gives_up)
      : console_(console), interrupted_(flag), gives_up_(gives_up) {}
  void report(const ProgressReport& report) override;

 private:
  bool ends(ProgressKind kind);

  Console& console_;
  const std::atomic<bool>& interrupted_;
  bool gives_up_;
  std::optional<double> interrupted_s_;  ///< when the flag was first seen
  ProgressFormatter words_;
};

}  // namespace tri::app
