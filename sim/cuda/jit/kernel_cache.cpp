#include "sim/cuda/jit/kernel_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "sim/base/error.hpp"
#include "sim/base/state_hash.hpp"
#include "sim/io/files/atomic_file.hpp"
#include "sim/io/files/user_file.hpp"

namespace tri::cuda {
namespace {

namespace fs = std::filesystem;

constexpr u32 kEntryLayout = 1;
/// More is no kernel of a law.
constexpr u64 kMostCode = u64{32} << 20;
constexpr std::size_t kNameDigits = 32;

struct EntryHead {
  char magic[8] = {'T', 'R', 'I', 'K', 'E', 'R', 'N', '\n'};
  u32 layout = kEntryLayout, zero = 0;
  u64 high = 0, low = 0;
  u64 length = 0;
  u64 checksum = 0;
};
static_assert(sizeof(EntryHead) == 48);

EntryHead head_of(const KernelKey& key, const std::vector<char>& code) {
  EntryHead head;
  head.high = key.high, head.low = key.low, head.length = code.size();
  head.checksum = fnv1a(kFnvOffset, code.data(), code.size());
  return head;
}

/// The head of a regular file; others, which may never end, are not read.
bool read_head(io::InputFile& file, EntryHead& head) {
  return file.read(&head, sizeof head) == sizeof head &&
         std::memcmp(head.magic, EntryHead().magic, sizeof head.magic) == 0;
}

/// Whether this is a file that a cache wrote: by its name, and by what it begins with.
bool is_entry(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.size() != kNameDigits || name.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  std::error_code failed;
  if (!fs::is_regular_file(fs::symlink_status(path, failed))) return false;
  try {
    EntryHead head;
    io::InputFile file(path.string(), io::Accepts::files);
    return read_head(file, head);
  } catch (const FileError&) {
    return false;
  }
}

struct CachedFile {
  fs::path path;
  fs::file_time_type used;
  u64 bytes;
};

}  // namespace

void KernelKey::add(std::string_view text) {
  __extension__ using Bits = unsigned __int128;
  const Bits prime = (Bits{1} << 88) + 0x13b;
  Bits hash = Bits{high} << 64 | low;
  const auto take = [&](unsigned char byte) { hash = (hash ^ byte) * prime; };
  for (u64 length = text.size(), k = 0; k < 8; ++k, length >>= 8) take(static_cast<unsigned char>(length));
  for (const char c : text) take(static_cast<unsigned char>(c));
  high = static_cast<u64>(hash >> 64), low = static_cast<u64>(hash);
}

std::string KernelKey::name() const { return hash_text(high) + hash_text(low); }

KernelCache::KernelCache(std::string folder, u64 most_bytes) : folder_(std::move(folder)), most_bytes_(most_bytes) {}

std::optional<std::vector<char>> KernelCache::find(const KernelKey& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = fs::path(folder_) / key.name();
  std::vector<char> code;
  try {
    EntryHead head;
    char more = 0;
    io::InputFile file(path.string(), io::Accepts::files);
    if (!read_head(file, head) || head.length == 0 || head.length > kMostCode) return {};
    code.resize(head.length);
    if (file.read(code.data(), code.size()) != code.size() || file.read(&more, 1) != 0) return {};
    const EntryHead expected = head_of(key, code);
    if (std::memcmp(&head, &expected, sizeof head) != 0) return {};
  } catch (const FileError&) {
    return {};
  }
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return code;
}

std::string KernelCache::keep(const KernelKey& key, const std::vector<char>& code) const {
  if (folder_.empty()) return {};
  std::error_code error;
  if (fs::create_directories(folder_, error)) {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
  }
  if (error) return fmt::format("cannot create the folder {}: {}", folder_, error.message());
  try {
    io::OutputFile file((fs::path(folder_) / key.name()).string(), io::Accepts::files);
    const EntryHead head = head_of(key, code);
    file.write(&head, sizeof head);
    file.write(code.data(), code.size());
    file.commit();
  } catch (const FileError& failure) {
    return failure.what();
  }
  remove_oldest(key.name());
  return {};
}

void KernelCache::remove_oldest(const std::string& but) const {
  std::vector<CachedFile> files;
  u64 bytes = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;  // by another process
    const CachedFile file{at->path(), at->last_write_time(gone), at->file_size(gone)};
    if (gone || !is_entry(file.path)) continue;
    bytes += file.bytes;
    if (file.path.filename() != but) files.push_back(file);
  }
  std::sort(files.begin(), files.end(), [](const CachedFile& a, const CachedFile& b) { return a.used < b.used; });
  for (const CachedFile& file : files) {
    if (bytes <= most_bytes_) return;
    std::error_code gone;
    fs::remove(file.path, gone);
    bytes -= file.bytes;
  }
}

std::string kernel_folder() {
  if (const char* folder = std::getenv("TRI_CACHE"); folder != nullptr && *folder != '\0') {
    return (fs::path(folder) / "kernels").string();
  }
  return io::user_cache("kernels");
}

}  // namespace tri::cuda
