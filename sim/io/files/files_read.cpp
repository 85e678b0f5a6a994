#include "sim/io/files/files_read.hpp"

#include <sys/stat.h>

#include <map>
#include <mutex>
#include <utility>

namespace tri::io {
namespace {

struct FilesRead {
  std::mutex lock;
  std::map<std::pair<dev_t, ino_t>, std::string> names;
};
FilesRead& files_read() {
  static FilesRead& all = *new FilesRead;  // threads may outlive main()
  return all;
}

}  // namespace

void note_read(int fd, const std::string& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return;
  const std::lock_guard hold(files_read().lock);
  files_read().names.try_emplace({info.st_dev, info.st_ino}, path);
}

std::optional<std::string> read_as(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  const std::lock_guard hold(files_read().lock);
  const auto found = files_read().names.find({info.st_dev, info.st_ino});
  if (found == files_read().names.end()) return {};
  return found->second;
}

}  // namespace tri::io
