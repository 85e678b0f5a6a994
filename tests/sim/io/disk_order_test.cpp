/// The order of disk operations: this program has its own fsync() and rename(), which record the call and
/// forward it.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>

#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace {

std::vector<std::string>* recorded = nullptr;  // set while a test records
int sync_error = 0;                            // of the next fsync() of a file; 0 = none

}  // namespace

extern "C" int fsync(int fd) {
  struct stat info {};
  const bool folder = fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
  if (recorded != nullptr)
    recorded->push_back(folder ? "sync folder" : "sync " + std::to_string(info.st_size) + " bytes");
  if (!folder && sync_error != 0) {
    errno = std::exchange(sync_error, 0);
    return -1;
  }
  return static_cast<int>(syscall(SYS_fsync, fd));
}

extern "C" int rename(const char* from, const char* to) noexcept {
  if (recorded != nullptr) recorded->push_back("rename to " + std::filesystem::path(to).filename().string());
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

namespace tri::test {
namespace {

/// The calls of write_bodies() for this path.
std::vector<std::string> calls_of(const std::string& path, const Bodies& b) {
  std::vector<std::string> calls;
  recorded = &calls;
  try {
    write_bodies(path, b);
  } catch (...) {
    recorded = nullptr;
    throw;
  }
  recorded = nullptr;
  return calls;
}

// With the rename before the sync, a power failure could leave an empty file of that name.
TEST(DiskOrder, SyncsTheFileThenRenamesThenSyncsTheFolder) {
  TempFolder folder;
  for (const char* name : {"a.tab", "a.csv", "a.npy", "a.hdf5", "a.tipsy", "a.xyz", "a.ply", "a.vtp"}) {
    const auto calls = calls_of(folder.at(name), awkward_narrow_bodies(3));
    const std::string whole = std::to_string(content_of(folder.at(name)).size());
    EXPECT_EQ(calls,
              (std::vector<std::string>{"sync " + whole + " bytes", std::string("rename to ") + name, "sync folder"}));
  }
}

// Some network disks report that they are full only at fsync().
TEST(DiskOrder, AFullDiskAtSyncKeepsTheEarlierFile) {
  TempFolder folder;
  const Bodies earlier = awkward_bodies(3, false);
  write_bodies(folder.at("a.npy"), earlier);
  sync_error = ENOSPC;
  expect_parts(message_of<FileError>([&] { calls_of(folder.at("a.npy"), awkward_bodies(5, false)); }),
               {"a.npy", "No space left on device", "free some space", "earlier file of that name is untouched"});
  expect_same_bodies(read_bodies(folder.at("a.npy")), earlier);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.npy"});
  // Some disks do not support fsync(): not an error.
  sync_error = EINVAL;
  write_bodies(folder.at("a.npy"), awkward_bodies(5, false));
  expect_same_bodies(read_bodies(folder.at("a.npy")), awkward_bodies(5, false));
}

}  // namespace
}  // namespace tri::test
