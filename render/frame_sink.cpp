#include "render/frame_sink.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "sim/base/error.hpp"

namespace tri::render {
namespace {

namespace fs = std::filesystem;

void must_be_writable(const std::string& what, const std::string& folder) {
  if (access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw FileError(
      fmt::format("cannot write '{}': nothing can be written in folder '{}': {}. Name a folder that exists "
                  "and is yours.",
                  what, folder, std::strerror(errno)));
}

class FolderSink final : public FrameSink {
 public:
  explicit FolderSink(const std::string& folder) : folder_(folder) {
    std::error_code error, ignored;
    fs::create_directories(folder_, error);
    if (!fs::is_directory(folder_)) {
      throw FileError(fmt::format("cannot make the folder '{}': {}. Name one that can be made.", folder,
                                  fs::exists(folder_, ignored) ? "a file of that name is there" : error.message()));
    }
    must_be_writable(folder, folder_.string());
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("frame_") || !name.ends_with(".png")) continue;
      throw FileError(fmt::format(
          "{}: the folder holds frames of another film ({}). Name an empty folder, or remove them.", folder, name));
    }
  }
  void add(const Picture& picture, const PictureTexts& texts) override {
    write_png((folder_ / fmt::format("frame_{:06}.png", ++count_)).string(), picture, texts);
  }
  void finish() override {}

 private:
  fs::path folder_;
  u64 count_ = 0;
};

class PictureSink final : public FrameSink {
 public:
  explicit PictureSink(const std::string& path) : path_(path) {
    const std::string folder = fs::path(path).parent_path().string();
    must_be_writable(path, folder.empty() ? "." : folder);
  }
  void add(const Picture& picture, const PictureTexts& texts) override { write_png(path_, picture, texts); }
  void finish() override {}

 private:
  std::string path_;
};

}  // namespace

std::unique_ptr<FrameSink> make_folder_sink(const std::string& folder) { return std::make_unique<FolderSink>(folder); }
std::unique_ptr<FrameSink> make_picture_sink(const std::string& path) { return std::make_unique<PictureSink>(path); }

}  // namespace tri::render
