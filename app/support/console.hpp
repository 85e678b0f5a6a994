#pragma once
/// Where words go: results to standard output, everything else to standard error.
///
/// A reader that closed the pipe (EPIPE) is no error: what follows is dropped and the command goes on to its own exit
/// code. Any other failure to write results is a FileError. main() must ignore SIGPIPE. One thread at a time.

#include <cstdio>
#include <string>
#include <string_view>

#include "sim/base/platform.hpp"

namespace tri::app {

enum class Tone : u8 { plain, good, bad, dim };

class Console {
 public:
  enum class Level : u8 { quiet, normal, verbose };

  /// Colour and progress are used where the stream is a terminal; NO_COLOR (set and not empty) takes colour away.
  Console(std::FILE* out, std::FILE* err, Level level);
  ~Console() { clear_progress(); }  ///< what is said of a failure stands on a line of its own
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Results, flushed at once.
  void print(std::string_view text);
  /// The same text in a tone, where standard output has colour.
  std::string toned(std::string_view text, Tone tone) const;

  /// One line for people, on standard error; nothing under --quiet.
  void note(std::string_view line);
  /// One line under --verbose.
  void detail(std::string_view line);
  /// A line that the next one overwrites; only on a terminal, never under --quiet. Drawn at most ten times a second.
  void progress(std::string_view line);

  bool verbose() const noexcept { return level_ == Level::verbose; }
  /// Columns of the terminal of standard output; 100 where it is none.
  u32 width() const noexcept { return width_; }

 private:
  void clear_progress();

  std::FILE* out_;
  std::FILE* err_;
  Level level_;
  bool colour_ = false;
  bool live_ = false;  ///< standard error is a terminal
  bool deaf_ = false;  ///< the reader of standard output is gone
  bool line_open_ = false;
  double last_progress_s_ = -1;
  u32 width_ = 100, err_width_ = 100;
};

/// "error: sentence" on standard error, as every failure is told.
void print_error(std::string_view sentence);

}  // namespace tri::app
