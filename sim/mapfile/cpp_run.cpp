#include "sim/mapfile/cpp_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <optional>

#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/io/files/child_process.hpp"
#include "sim/mapfile/map_file.hpp"

namespace tri::mapfile {
namespace {

enum RecordKind : u32 { kHeader = 1, kLaunch, kTile, kEnd, kSignal };
constexpr u32 kRecordVersion = 1;
constexpr int kRecordsThere = 3, kPollMs = 50;
constexpr double kGrace = 1;  // seconds from SIGXCPU to the end

std::string reason_of(int status) {
  if (WIFSIGNALED(status)) return fmt::format("is ended by a signal ({})", strsignal(WTERMSIG(status)));
  return fmt::format("ends with exit code {} before its last tile", WEXITSTATUS(status));
}

}  // namespace

/// Takes the records of a run one by one.
class CppAnswers::Reader {
 public:
  Reader(CppAnswers& to, const std::string& program, const CppSetup& setup, u64 most_tiles)
      : to_(to), program_(program), setup_(setup), most_tiles_(most_tiles) {}

  bool ended() const { return ended_; }

  void take(const char* bytes, std::size_t count) {
    pending_.append(bytes, count);
    std::size_t at = 0;
    for (; pending_.size() - at >= sizeof(Record) && !ended_; at += sizeof(Record)) {
      Record record;
      std::memcpy(&record, pending_.data() + at, sizeof record);
      take(record);
    }
    pending_.erase(0, at);
  }

 private:
  void stop(std::string why) { to_.why_not_ = std::move(why), ended_ = true; }

  [[noreturn]] void fail() const {
    throw FileError(
        fmt::format("{}: the map writes to descriptor 3, which carries its tiles; leave that one alone.", program_));
  }

  void take(const Record& r) {
    if (r.kind == kSignal) return take_signal(r);
    if (!launches_) {
      if (r.kind != kHeader || r.c != kRecordVersion || r.a > 2) fail();
      to_.domain_ = static_cast<Domain>(r.a), to_.limit_ = r.omega, launches_ = r.b;
      if (r.b > kMaxPasses) stop(fmt::format("launch_count() is {}, and may be 0 to {}", r.b, kMaxPasses));
    } else if (r.kind == kLaunch && to_.launches_.size() < *launches_) {
      take_launch(r);
    } else if (r.kind == kTile && to_.launches_.size() == *launches_) {
      take_tile(r);
    } else if (r.kind == kEnd && to_.launches_.size() == *launches_) {
      ended_ = true;
    } else {
      fail();
    }
  }

  void take_launch(const Record& r) {
    constexpr u64 kMost = u64{1} << 62;
    u64 all = 0;
    if (__builtin_mul_overflow(r.omega, u64{r.a} * r.b, &all) || all > kMost || all + positions_ > kMost) {
      return stop(fmt::format("launch {} has more than 2^62 positions", to_.launches_.size()));
    }
    positions_ += all;
    to_.launches_.push_back({r.omega, r.a, r.b, static_cast<u32>(to_.launches_.size())});
  }

  void take_tile(const Record& r) {
    if (r.omega >= positions_ || (!to_.tiles_.empty() && r.omega < to_.tiles_.back().omega)) fail();
    if (to_.tiles_.size() == most_tiles_) {
      return stop(fmt::format("the map gives more than {} tiles, and is at omega {}", most_tiles_, r.omega));
    }
    to_.tiles_.push_back({r.omega, r.a, r.b, r.c});
  }

  void take_signal(const Record& r) {
    const int number = static_cast<int>(r.a);
    if (number == SIGXCPU) {
      stop(fmt::format("the map takes longer than {} s, and is at omega {}", setup_.seconds, r.omega));
    } else {
      const char* more = number == SIGABRT ? ", as of an exception, or of too much memory" : "";
      stop(fmt::format("omega {} crashes ({}{})", r.omega, strsignal(number), more));
    }
  }

  CppAnswers& to_;
  const std::string& program_;
  const CppSetup& setup_;
  const u64 most_tiles_;
  std::optional<u32> launches_;
  u64 positions_ = 0;
  std::string pending_;
  bool ended_ = false;
};

CppAnswers::CppAnswers(const std::string& program, u32 side, const CppSetup& setup, u64 most_tiles) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) throw FileError(fmt::format("no pipe can be made: {}.", std::strerror(errno)));
  const io::Descriptor reads(ends[0]);
  io::Descriptor writes(ends[1]);
  io::ChildSetup child_setup{program, {std::to_string(side)}, {{writes.get(), kRecordsThere}}, {}};
  child_setup.memory = setup.memory, child_setup.seconds = static_cast<u64>(std::ceil(setup.seconds)) + 1;
  io::ChildProcess child(child_setup);
  if (child.error() != 0) throw FileError(fmt::format("{} cannot be run: {}.", program, std::strerror(child.error())));
  writes.close();

  Reader reader(*this, program, setup, most_tiles);
  const auto start = std::chrono::steady_clock::now();
  const std::string task = fmt::format("running the map at m = {}", side);
  std::vector<char> buffer(1u << 16);
  bool warned = false;
  double elapsed = 0;
  while (!reader.ended() && elapsed < setup.seconds + kGrace) {
    pollfd one{reads.get(), POLLIN, 0};
    if (poll(&one, 1, kPollMs) > 0) {
      const ssize_t got = read(reads.get(), buffer.data(), buffer.size());
      if (got == 0 || (got < 0 && errno != EINTR)) break;
      if (got > 0) reader.take(buffer.data(), static_cast<std::size_t>(got));
    }
    elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report_progress(ProgressKind::computing, task, elapsed, setup.seconds);
    if (elapsed > setup.seconds && !std::exchange(warned, true)) child.send(SIGXCPU);
  }
  if (reader.ended()) return;
  if (!warned && child.ended(static_cast<int>(1000 * kGrace))) {
    why_not_ = "the map " + reason_of(child.wait());
  } else {
    why_not_ = fmt::format("the map takes longer than {} s", setup.seconds);
  }
}

void CppAnswers::walk(const Visit& visit) const {
  std::size_t k = 0;
  u64 base = 0;  // omega of the first position of launch k
  for (const Tile& t : tiles_) {
    while (t.omega - base >= positions(launches_[k])) base += positions(launches_[k++]);
    const Launch& grid = launches_[k];
    const u64 w = t.omega - base, row = w / grid.x;
    const Position at{w % grid.x, static_cast<u32>(row % grid.y), static_cast<u32>(row / grid.y), grid.pass};
    if (!visit(t.omega, at, {false, {}, t.row, t.col, t.layer})) return;
  }
}

}  // namespace tri::mapfile
