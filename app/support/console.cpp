#include "app/support/console.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <semaphore.h>

#include "app/support/json.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/files/file.hpp"

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

namespace {

/// What a rank tells the first one. Not one of those that end a program when they come twice.
constexpr int kRelayed = SIGUSR2;

std::atomic<bool> interrupted{false};
std::atomic<i64> first_signal{0};  ///< when it came, in ns of the monotonic clock
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<i64>::is_always_lock_free,
              "a signal handler may only touch a lock-free flag");

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

/// A second Ctrl-C ends a run stuck in a step. `timeout` and batch systems send one signal to the program and to its
/// group: what comes with the first is no second one.
extern "C" void on_ending_signal(int signal) {
  constexpr i64 kTogether = 300'000'000;  // ns
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const i64 at = i64{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  if (i64 first = 0; !first_signal.compare_exchange_strong(first, at) && at - first > kTogether) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // blocked here, it ends the program on return
  }
  on_signal(signal);
}

}  // namespace

void relay_interrupts(int pid) {
  leader = pid;
  if (pid > 0 && interrupted.load()) kill(pid, kRelayed);  // it came while the ranks were meeting
}

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
  action.sa_handler = on_ending_signal;
  action.sa_flags = SA_RESTART;  // interrupted system calls go on (a write)
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup ignores it
  // What batch systems send some time before they kill, and again: SIGXCPU each second of a processor (ulimit -t).
  action.sa_handler = on_signal;
  for (const int warning : {SIGXCPU, SIGUSR1, SIGUSR2}) sigaction(warning, &action, nullptr);
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

namespace {

/// Shorter work needs no line.
constexpr double kQuietSeconds = 0.5;
/// After Ctrl-C: a step that ends within it is taken to its end.
constexpr double kPatience = 0.1;

std::string doing(const ProgressReport& report) {
  switch (report.kind) {
    case ProgressKind::reading:
      return "reading " + report.name;
    case ProgressKind::writing:
      return "writing " + report.name;
    case ProgressKind::computing:
      return report.name;
  }
  TRI_UNREACHABLE("a ProgressKind outside its enum");
}

}  // namespace

std::string wall_text(double seconds) {
  const auto s = static_cast<u64>(std::clamp(seconds + 0.5, 0.0, 1e15));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  if (s < 86400) return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
  return fmt::format("{} d {} h", s / 86400, s / 3600 % 24);
}

std::string time_left(double done, double whole, double seconds) {
  if (!(done > 0) || !(seconds > 0) || whole < done) return "";
  return fmt::format(", {} left", wall_text((whole - done) * seconds / done));
}

std::optional<std::string> ProgressFormatter::line(const ProgressReport& report, double quiet) {
  const double now = clock_s();
  const bool begins = kind_ != report.kind || report.done < done_ || name_ != report.name;  // or begins again
  if (begins) kind_ = report.kind, name_ = report.name, begin_s_ = now, begin_done_ = report.done;
  done_ = report.done;
  if (now - begin_s_ < quiet) return std::nullopt;
  if (!(report.total > 0) && report.kind == ProgressKind::computing) return doing(report);
  if (!(report.total > 0)) return fmt::format("{}: {}bytes", doing(report), with_prefix(report.done));
  const double percent = std::floor(100 * std::min(1.0, report.done / report.total));
  return fmt::format("{}: {:.0f} %{}", doing(report), percent,
                     time_left(report.done - begin_done_, report.total - begin_done_, now - begin_s_));
}

bool ProgressLine::ends(ProgressKind kind) {
  if (!interrupted_.load(std::memory_order_relaxed)) return false;
  if (gives_up_ || kind == ProgressKind::reading) return true;
  if (kind == ProgressKind::writing) return false;
  if (!interrupted_s_) interrupted_s_ = clock_s();
  return clock_s() - *interrupted_s_ > kPatience;
}

void ProgressLine::report(const ProgressReport& report) {
  if (ends(report.kind)) {
    throw InterruptedError(fmt::format("interrupted while {}{}; nothing was written.",
                                       report.kind == ProgressKind::computing ? "computing " : "", doing(report)));
  }
  if (const auto line = words_.line(report, kQuietSeconds)) console_.progress(*line);
}

}  // namespace tri::app
