#include "sim/diagnostics_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include "sim/base/error.hpp"
#include "sim/io/files/atomic_file.hpp"

namespace tri {

std::string diagnostics_csv(const DiagnosticsRow& row, StepKind kind) {
  const Diagnostics& d = row.values;
  const auto& p = d.momentum;
  const auto& l = d.angular_momentum;
  const auto& c = d.centre;
  const std::array<double, 14> reals{row.time, d.kinetic, d.potential, d.energy(),       p[0], p[1], p[2],
                                     l[0],     l[1],      l[2],        d.virial_ratio(), c[0], c[1], c[2]};
  std::string line = fmt::format("{}", row.step);
  for (const double value : reals) fmt::format_to(std::back_inserter(line), ",{:.17g}", value);
  if (kind == StepKind::automatic) fmt::format_to(std::back_inserter(line), ",{:.17g}", row.dt);
  line += '\n';
  return line;
}

namespace {

/// How much of a log stays when its run is taken up at `step`.
struct Kept {
  u64 bytes = 0, rows = 0, removed = 0;
  u64 last = 0;  ///< step of the last row that stays
};

Kept kept_of(const std::string& path, const std::string& names, u64 step) {
  const auto refuse = [&](u64 line, const char* what) {
    throw FileError(fmt::format("'{}', line {}: {}; it is not the diagnostics of this run, so name another file.", path,
                                line, what));
  };
  Kept kept;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  u64 number = 0, last = 0;
  while (std::getline(file, line)) {
    ++number;
    const bool whole = !file.eof();  // ended by its line end, not by that of the file
    if (number == 1) {
      if (line != names) refuse(number, "has not the names of the columns");
      if (whole) kept.bytes = line.size() + 1;
      continue;
    }
    if (!whole) break;
    u64 at = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), at);
    if (error != std::errc() || end == line.data() + line.size() || *end != ',') refuse(number, "is no row of a step");
    if (number > 2 && at <= last) refuse(number, "has no later step than the line before");
    last = at;
    if (at > step) {
      ++kept.removed;
    } else {
      kept.bytes += line.size() + 1, ++kept.rows, kept.last = at;
    }
  }
  return kept;
}

}  // namespace

void DiagnosticsLog::open() {
  struct stat info {};
  const bool file = !io::stream_of(path_) && (stat(path_.c_str(), &info) != 0 || S_ISREG(info.st_mode));
  const int fd = file ? ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : io::open_stream(path_);
  file_.reset(fd < 0 ? nullptr : fdopen(fd, file ? "a" : "w"));
  if (file_ == nullptr) {
    throw FileError(
        fmt::format("cannot create '{}': {}; check the folder and its permissions.", path_, std::strerror(errno)));
  }
  regular_ = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  if (!regular_) return;  // a pipe or a device may have several writers
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw FileError(fmt::format("'{}' is being written by another run; name another file.", path_));
  }
}

void DiagnosticsLog::shorten(u64 bytes) {
  if (!regular_ || io::stream_of(path_)) return;  // what stands before is not ours
  if (ftruncate(fileno(file_.get()), static_cast<off_t>(bytes)) == 0) return;
  throw FileError(fmt::format("cannot shorten '{}': {}; name another file.", path_, std::strerror(errno)));
}

std::string DiagnosticsLog::names() const {
  return fmt::format("{}{}", kDiagnosticsColumns, kind_ == StepKind::automatic ? kStepColumn : "");
}

DiagnosticsLog::DiagnosticsLog(const std::string& path, StepKind kind) : path_(path), kind_(kind) {
  open();
  shorten(0);
  append(names() + '\n');
}

DiagnosticsLog::DiagnosticsLog(const std::string& path, u64 step, StepKind kind) : path_(path), kind_(kind) {
  open();
  const Kept kept = regular_ ? kept_of(path, names(), step) : Kept();
  kept_ = kept.rows, removed_ = kept.removed, last_ = kept.last;
  shorten(kept.bytes);
  if (kept.bytes == 0) append(names() + '\n');
}

void DiagnosticsLog::write(const DiagnosticsRow& row) { append(diagnostics_csv(row, kind_)); }

void DiagnosticsLog::append(const std::string& line) {
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size();
  if (written && std::fflush(file_.get()) == 0) return;
  throw FileError(
      fmt::format("cannot write '{}': {}; free some space, or log to another place.", path_, std::strerror(errno)));
}

}  // namespace tri
