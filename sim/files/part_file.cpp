// Unfinished files: their names, and output that several runs write.

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/files/file.hpp"

namespace tri::io {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHalf = 8, kDigits = 2 * kHalf;
constexpr int kTries = 100;

/// A number that no one else can predict, as far as the system has one.
u32 random_number() {
  u32 number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) == static_cast<ssize_t>(sizeof number)) return number;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<u32>(now.tv_nsec) * 2654435761u + static_cast<u32>(::getpid());
}

/// The second half of the digits of a file whose name begins so.
std::string second_half(std::string_view begin) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const u64 hash = fnv1a(fnv1a(kFnvOffset, host.data(), host.size()), begin.data(), begin.size());
  return hash_text(hash).substr(kHalf);
}

/// Whether a name, without its folder, is that of an unfinished file of this sort.
bool is_unfinished(std::string_view name, std::string_view sort) {
  if (name.size() < sort.size() + kDigits) return false;
  const std::string_view begin = name.substr(0, name.size() - kHalf);
  return begin.substr(begin.size() - kHalf - sort.size(), sort.size()) == sort &&
         name.substr(name.size() - kHalf) == second_half(begin);
}

fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    found.push_back(at->path());
  }
  return found;
}

/// A lock that the file system does not have is as good as one that we got.
bool lock(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

}  // namespace

int create_unfinished(const std::string& target, std::string_view sort, mode_t mode, std::string& name) {
  for (int tries = 0; tries < kTries; ++tries) {
    const std::string begin = fmt::format("{}{}{:08x}", target, sort, random_number());
    name = begin + second_half(fs::path(begin).filename().string());
    const int fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0 && errno == EEXIST) continue;
    struct stat info {};
    // Another process may have taken it for a leftover before the lock was ours.
    if (fd < 0 || (lock(fd) && ::fstat(fd, &info) == 0 && info.st_nlink > 0)) return fd;
    ::close(fd);
  }
  errno = EEXIST;
  return -1;
}

std::vector<std::string> unfinished_of(const std::string& target, std::string_view sort, std::string_view ending) {
  const std::string begin = fs::path(target).filename().string() + std::string(sort);
  const std::size_t size = begin.size() + kDigits;
  std::vector<std::string> found;
  for (const fs::path& entry : entries_of(folder_of(target))) {
    const std::string name = entry.filename().string();
    if (name.size() != size + ending.size() || !name.starts_with(begin) || !name.ends_with(ending)) continue;
    if (is_unfinished(name.substr(0, size), sort)) found.push_back(target + name.substr(begin.size() - sort.size()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

int open_unfinished(const std::string& name, int flags, bool& written_now) {
  written_now = false;
  const int fd = ::open(name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -1;
  struct stat info {};
  const bool ours =
      ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 && info.st_uid == ::geteuid();
  if (ours && lock(fd)) return fd;
  written_now = ours;
  ::close(fd);
  return -1;
}

void remove_leftovers_beside(const std::string& target) {
  static std::mutex one_at_a_time;
  static std::set<fs::path>& seen = *new std::set<fs::path>;  // threads may outlive main()
  const std::lock_guard hold(one_at_a_time);
  std::error_code failed;
  const fs::path folder = fs::canonical(folder_of(target), failed);
  if (failed || !seen.insert(folder).second) return;
  for (const fs::path& entry : entries_of(folder)) {
    const std::string name = entry.filename().string();
    const bool part = is_unfinished(name, kPartSort);
    if (!part && !is_unfinished(name, kTemporarySort)) continue;
    if (part && fs::exists(fs::symlink_status(entry.string() + kStateEnding, failed))) continue;
    bool written_now = false;
    const int fd = open_unfinished(entry.string(), O_RDONLY, written_now);
    if (fd < 0) continue;
    ::unlink(entry.c_str());
    ::close(fd);
  }
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "triangulum part 2\n";
constexpr double kKeepSeconds = 1;  ///< between two syncs
constexpr u64 kMaxState = 1 << 16, kReadBack = 1 << 20;
constexpr std::size_t kEndingSize = std::string_view(kStateEnding).size();

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

std::string check_line(const std::string& lines) {
  return fmt::format("check {}\n", hash_text(fnv1a(kFnvOffset, lines.data(), lines.size())));
}

/// "name value" lines after the first and before the last; nothing if the text is damaged.
std::optional<std::map<std::string, std::string>> parse_state(const std::string& text) {
  const std::size_t check = text.rfind("check ");
  if (!text.starts_with(kFirstLine) || check == std::string::npos) return std::nullopt;
  const std::string lines = text.substr(0, check);
  if (text.substr(check) != check_line(lines)) return std::nullopt;
  std::map<std::string, std::string> values;
  for (std::size_t begin = kFirstLine.size(); begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin), blank = lines.find(' ', begin);
    if (end == std::string::npos || blank > end) return std::nullopt;
    values[lines.substr(begin, blank - begin)] = lines.substr(blank + 1, end - blank - 1);
    begin = end + 1;
  }
  return values;
}

std::optional<u64> number(const std::string& text, int base = 10) {
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string read_state(const std::string& path) {
  InputFile file(path, Accepts::files);
  std::string text(kMaxState, ' ');
  text.resize(file.read(text.data(), text.size()));
  return text;
}

/// The name of the part that a state is of.
std::string part_of(const std::string& state) { return state.substr(0, state.size() - kEndingSize); }

std::vector<std::string> states_of(const std::string& path) {
  return unfinished_of(target_of(path), kPartSort, kStateEnding);
}

/// Before the part file is created: the state of a file that is no longer there.
std::string checked_path(const std::string& path, u64 parts, bool may_keep) {
  if (!may_keep || stream_of(path)) return path;
  for (const std::string& state : states_of(path)) {
    if (exists(part_of(state))) continue;
    const auto values = parse_state(read_state(state));
    // A crash between the last two steps of commit().
    if (values && values->contains("done") && number(values->at("done")) == parts) {
      ::unlink(state.c_str());
      continue;
    }
    throw FileError(
        fmt::format("'{}' is missing, of which '{}' says that it is begun; delete the latter to begin anew.",
                    part_of(state), state));
  }
  return path;
}

}  // namespace

std::optional<u64> PartFile::bytes_left(const std::string& path) {
  for (const std::string& state : states_of(path)) {
    std::error_code failed;
    const u64 bytes = fs::file_size(part_of(state), failed);
    if (!failed) return bytes;
  }
  return {};
}

PartFile::PartFile(const std::string& path, u64 parts, const std::optional<Facts>& made_of)
    : parts_(parts),
      made_of_(made_of.value_or(Facts())),
      file_(checked_path(path, parts, made_of.has_value()), made_of ? Unfinished::kept : Unfinished::removed),
      state_path_(file_.temporary() + kStateEnding),
      keeps_(made_of && !file_.temporary().empty()) {
  if (!keeps_) return;
  if (size() > 0 && exists(state_path_)) go_on(read_state(state_path_));
  if (done_ > 0) return;
  // Of a run that ended before anything was done.
  ::unlink(state_path_.c_str());
  head_bytes_ = head_size_ = 0;
  written_ = {};
  resize(0);
  file_.go_to(0);
}

u64 PartFile::size() const {
  struct stat info {};
  if (::fstat(file_.descriptor(), &info) != 0) refuse("its size is not known");
  return static_cast<u64>(info.st_size);
}

void PartFile::resize(u64 bytes) const {
  if (::ftruncate(file_.descriptor(), static_cast<off_t>(bytes)) != 0) file_.fail_write(errno);
}

void PartFile::refuse(const std::string& why) const {
  throw FileError(fmt::format("cannot go on with '{}': {}; delete it and '{}' to begin anew, or name another output.",
                              file_.temporary(), why, state_path_));
}

std::string PartFile::text(u64 bytes) const {
  std::string lines(kFirstLine);
  for (const auto& [name, value] : made_of_) lines += fmt::format("{} {}\n", name, value);
  lines += fmt::format("parts {}\ndone {}\nbytes {}\nhead {}\nhead-hash {}\nhead-size {}\nrows-hash {}\n", parts_,
                       done_, bytes, head_bytes_, hash_text(head_hash_), head_size_, hash_text(rows_hash_));
  return lines + check_line(lines);
}

void PartFile::go_on(const std::string& state) {
  const auto values = parse_state(state);
  if (!values) refuse("its state is damaged");
  const auto value = [&](const std::string& name) {
    const auto found = values->find(name);
    if (found == values->end()) refuse(fmt::format("its state does not say '{}'", name));
    return found->second;
  };
  Facts facts = made_of_;
  facts.emplace_back("parts", fmt::format("{}", parts_));
  for (const auto& [name, now] : facts) {
    if (value(name) != now) refuse(fmt::format("it was begun with {} {}, and this is {}", name, value(name), now));
  }
  const auto done = number(value("done")), bytes = number(value("bytes")), head = number(value("head"));
  const auto hash = number(value("head-hash"), 16), head_size = number(value("head-size"));
  const auto rows = number(value("rows-hash"), 16);
  if (!done || !bytes || !head || !hash || !head_size || !rows || *done > parts_ || *head > *bytes)
    refuse("its state is damaged");
  if (size() < *bytes) refuse(fmt::format("it has {} bytes, and {} were done: it was cut off", size(), *bytes));
  done_ = *done, bytes_ = *bytes, head_bytes_ = *head, head_hash_ = *hash, head_size_ = *head_size;
  rows_hash_ = *rows;
  if (head_hash() != head_hash_) refuse("its first bytes are not those that were written");
  read_rows();
  if (written_.value() != rows_hash_) refuse("what is done is not what was written: it was changed since");
  resize(std::max(bytes_, head_size_));  // without what does not count
  file_.go_to(bytes_);
}

/// Calls f(data, bytes) for [begin, end) of the file, piece by piece.
template <class F>
void PartFile::read_back(u64 begin, u64 end, const F& f) const {
  std::vector<char> chunk(std::min<u64>(kReadBack, end - begin));
  for (u64 at = begin; at < end;) {
    const ssize_t got =
        ::pread(file_.descriptor(), chunk.data(), std::min<u64>(chunk.size(), end - at), static_cast<off_t>(at));
    if (got <= 0) refuse("it cannot be read");
    f(chunk.data(), static_cast<std::size_t>(got));
    at += static_cast<u64>(got);
    report_progress(ProgressKind::reading, file_.temporary(), static_cast<double>(at), static_cast<double>(end));
  }
}

u64 PartFile::head_hash() const {
  u64 hash = kFnvOffset;
  read_back(0, head_bytes_, [&](const char* data, std::size_t bytes) { hash = fnv1a(hash, data, bytes); });
  return hash;
}

void PartFile::read_rows() {
  written_ = {};
  read_back(head_bytes_, bytes_, [&](const char* data, std::size_t bytes) { written_.add(data, bytes); });
}

void PartFile::write(const void* data, std::size_t bytes) {
  file_.write(data, bytes);
  if (keeps_) written_.add(data, bytes);
}

void PartFile::head_is_written() {
  if (!keeps_) return;
  file_.sync();
  bytes_ = head_bytes_ = file_.position();
  head_size_ = size();
  head_hash_ = head_hash();
  rows_hash_ = written_.value();
  save();
  kept_s_ = 0;
}

void PartFile::count(u64 parts) {
  done_ = parts, bytes_ = file_.position(), rows_hash_ = written_.value();
  if (clock_s() - kept_s_ >= kKeepSeconds) save();
}

void PartFile::save() {
  if (!keeps_) return;
  file_.sync();
  OutputFile state(state_path_);
  state.write(text(bytes_));
  state.commit();
  kept_s_ = clock_s();
}

void PartFile::commit() {
  save();
  file_.commit();
  end_state();
}

void PartFile::discard() {
  file_.discard();
  end_state();
}

void PartFile::end_state() {
  if (!keeps_) return;
  ::unlink(state_path_.c_str());
}

}  // namespace tri::io
