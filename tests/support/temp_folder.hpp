#pragma once
/// A temporary folder of a test, and files in it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace tri::test {

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tri-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string at(const std::string& name) const { return path_ + "/" + name; }

  /// Writes a file of these bytes, and the folders that it is in; returns its path. Removes an earlier one first, since
  /// some file systems sync when a file is truncated and rewritten.
  std::string file(const std::string& name, const std::string& bytes) const {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(at(name)).parent_path(), ignored);
    std::filesystem::remove(at(name), ignored);
    std::ofstream(at(name), std::ios::binary) << bytes;
    return at(name);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::string path_;
};

/// A test with a folder of its own.
class InFolder : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.at(name); }

  TempFolder folder_;
};

inline std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace tri::test
