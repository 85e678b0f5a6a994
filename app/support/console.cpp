#include "app/support/console.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "sim/base/clock.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

bool is_terminal(std::FILE* stream) {
  const int fd = fileno(stream);
  return fd >= 0 && isatty(fd) == 1;
}

bool colour_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') && term != nullptr && std::strcmp(term, "dumb") != 0;
}

void put(std::FILE* stream, std::string_view text) { std::fwrite(text.data(), 1, text.size(), stream); }

/// What Console::toned() adds.
constexpr std::string_view kTones[] = {"\033[32m", "\033[1;31m", "\033[2m", "\033[0m"};

/// The text with control characters as text, ESC as \x1b: names and titles come from files of anyone, and a terminal
/// obeys what they say. Only tones stay.
std::string visible(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const auto byte = static_cast<unsigned char>(rest[0]);
    const auto next = static_cast<unsigned char>(rest.size() > 1 ? rest[1] : 0);
    const auto tone = std::find_if(std::begin(kTones), std::end(kTones), [&](auto t) { return rest.starts_with(t); });
    if (tone != std::end(kTones)) {
      shown += *tone, at += tone->size() - 1;
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {  // U+0080 to U+009F
      shown += fmt::format("\\u{:04x}", next), ++at;
    } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += rest[0];
    }
  }
  return shown;
}

}  // namespace

Console::Console(std::FILE* out, std::FILE* err, Level level) : out_(out), err_(err), level_(level) {
  colour_ = is_terminal(out) && colour_wanted();
  live_ = is_terminal(err);
  const auto columns = [](std::FILE* stream, u32& width) {
    winsize size{};
    if (is_terminal(stream) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) width = size.ws_col;
  };
  columns(out, width_), columns(err, err_width_);
}

void Console::print(std::string_view text) {
  if (closed_) return;
  clear_progress();
  std::string shown;
  if (is_terminal(out_)) text = shown = visible(text);
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), out_) == text.size();
  if (std::fflush(out_) == 0 && written) return;
  if (errno == EPIPE) {
    closed_ = true;
    return;
  }
  const int reason = errno;
  throw FileError(fmt::format("cannot write the results to standard output: {}.", std::strerror(reason)));
}

std::string Console::toned(std::string_view text, Tone tone) const {
  if (!colour_ || tone == Tone::plain) return std::string(text);
  const char* code = tone == Tone::good ? "32" : tone == Tone::bad ? "1;31" : "2";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

void Console::note(std::string_view line) {
  if (level_ == Level::quiet) return;
  clear_progress();
  put(err_, visible(line) + "\n");
}

void Console::detail(std::string_view line) {
  if (level_ == Level::verbose) note(line);
}

void Console::progress(std::string_view line) {
  if (level_ == Level::quiet || !live_) return;
  const double now = clock_s();
  if (now - last_progress_s_ < 0.1) return;
  last_progress_s_ = now;
  put(err_, fmt::format("\r\033[K{}", visible(line).substr(0, err_width_ - 1)));
  std::fflush(err_);
  line_open_ = true;
}

void Console::clear_progress() {
  if (!line_open_) return;
  put(err_, "\r\033[K");
  std::fflush(err_);
  line_open_ = false;
}

void print_error(std::string_view sentence) { put(stderr, fmt::format("error: {}\n", visible(sentence))); }

}  // namespace tri::app
