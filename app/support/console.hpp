#pragma once
/// Text output: results to standard output, everything else to standard error.
///
/// A closed pipe (EPIPE) is no error: further output is dropped and the command continues to its own exit code. Any
/// other failure to write results is a FileError. main() must ignore SIGPIPE. One thread at a time.

#include <cstdio>
#include <string>
#include <string_view>

#include "sim/base/platform.hpp"

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

}  // namespace tri::app
