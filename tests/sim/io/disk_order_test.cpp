/// What is asked of the disk, in which order: this program has its own fsync() and rename(), which note the call and
/// then make it.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>

#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace {

std::vector<std::string>* noted = nullptr;  // while a test listens
int sync_error = 0;                         // of the next file (no folder) that is synced; 0 = none

}  // namespace

extern "C" int fsync(int fd) {
  struct stat info {};
  const bool folder = fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
  if (noted != nullptr) noted->push_back(folder ? "sync folder" : "sync " + std::to_string(info.st_size) + " bytes");
  if (!folder && sync_error != 0) {
    errno = std::exchange(sync_error, 0);
    return -1;
  }
  return static_cast<int>(syscall(SYS_fsync, fd));
}

extern "C" int rename(const char* from, const char* to) noexcept {
  if (noted != nullptr) noted->push_back("rename to " + std::filesystem::path(to).filename().string());
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

namespace tri::test {
namespace {

/// What write_bodies() asks for at this place.
std::vector<std::string> calls_of(const std::string& path, const Bodies& b) {
  std::vector<std::string> calls;
  noted = &calls;
  try {
    write_bodies(path, b);
  } catch (...) {
    noted = nullptr;
    throw;
  }
  noted = nullptr;
  return calls;
}

// Were the name there before the bytes, a failure of power would leave the name with nothing behind it.
TEST(DiskOrder, AFileIsOnTheDiskBeforeItsNameIsAndThenTheNameIs) {
  TempFolder folder;
  for (const char* name : {"a.tab", "a.csv", "a.npy", "a.hdf5", "a.tipsy", "a.xyz", "a.ply", "a.vtp"}) {
    const auto calls = calls_of(folder.at(name), awkward_narrow_bodies(3));
    const std::string whole = std::to_string(content_of(folder.at(name)).size());
    EXPECT_EQ(calls,
              (std::vector<std::string>{"sync " + whole + " bytes", std::string("rename to ") + name, "sync folder"}));
  }
}

// Some network disks say only here that they are full.
TEST(DiskOrder, AFullDiskToldAtTheSyncLeavesTheEarlierFile) {
  TempFolder folder;
  const Bodies earlier = awkward_bodies(3, false);
  write_bodies(folder.at("a.npy"), earlier);
  sync_error = ENOSPC;
  expect_parts(sentence_of([&] { calls_of(folder.at("a.npy"), awkward_bodies(5, false)); }),
               {"a.npy", "No space left on device", "free some space", "earlier file of that name is untouched"});
  expect_same_bodies(read_bodies(folder.at("a.npy")), earlier);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.npy"});
  // Disks that cannot be synced are none the worse for it.
  sync_error = EINVAL;
  write_bodies(folder.at("a.npy"), awkward_bodies(5, false));
  expect_same_bodies(read_bodies(folder.at("a.npy")), awkward_bodies(5, false));
}

}  // namespace
}  // namespace tri::test
