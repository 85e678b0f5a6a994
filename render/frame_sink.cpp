#include "render/frame_sink.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "sim/base/error.hpp"

namespace tri::render {
namespace {

namespace fs = std::filesystem;

void require_writable(const std::string& what, const std::string& folder) {
  if (access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw FileError(
      fmt::format("cannot write '{}': the folder '{}' is not writable: {}. Name an existing folder of your own.", what,
                  folder, std::strerror(errno)));
}

class FolderSink final : public FrameSink {
 public:
  explicit FolderSink(const std::string& folder) : folder_(folder) {
    check_frame_folder(folder);
    std::error_code error;
    fs::create_directories(folder_, error);
    if (!fs::is_directory(folder_)) {
      throw FileError(fmt::format("cannot create the folder '{}': {}. Name another one.", folder, error.message()));
    }
  }
  void add(const Image& image, const ImageTexts& texts) override { write_png(next_name(), image, texts); }
  void add(const AlphaImage& image, const ImageTexts& texts) override { write_png(next_name(), image, texts); }
  void finish() override {}

 private:
  std::string next_name() { return (folder_ / fmt::format("frame_{:06}.png", ++count_)).string(); }

  fs::path folder_;
  u64 count_ = 0;
};

class ImageSink final : public FrameSink {
 public:
  explicit ImageSink(const std::string& path) : path_(path) {
    const std::string folder = fs::path(path).parent_path().string();
    require_writable(path, folder.empty() ? "." : folder);
  }
  void add(const Image& image, const ImageTexts& texts) override { write_png(path_, image, texts); }
  void add(const AlphaImage& image, const ImageTexts& texts) override { write_png(path_, image, texts); }
  void finish() override {}

 private:
  std::string path_;
};

}  // namespace

void check_frame_folder(const std::string& folder) {
  std::error_code ignored;
  fs::path there(folder);  // or the nearest folder above it that is there
  while (!there.empty() && !fs::exists(there, ignored)) there = there.parent_path();
  if (there.empty()) there = ".";
  if (!fs::is_directory(there, ignored)) {
    const std::string why = there == folder ? "a file has that name" : fmt::format("'{}' is a file", there.string());
    throw FileError(fmt::format("cannot create the folder '{}': {}. Name another one.", folder, why));
  }
  require_writable(folder, there.string());
  if (!fs::exists(folder, ignored)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("frame_") || !name.ends_with(".png")) continue;
    throw FileError(fmt::format(
        "{}: the folder has frames of another recording ({}). Name an empty folder, or remove them.", folder, name));
  }
}

std::unique_ptr<FrameSink> make_folder_sink(const std::string& folder) { return std::make_unique<FolderSink>(folder); }
std::unique_ptr<FrameSink> make_image_sink(const std::string& path) { return std::make_unique<ImageSink>(path); }

}  // namespace tri::render
