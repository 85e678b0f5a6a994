// Pipes frames to ffmpeg, which writes into the temporary file of an OutputFile; the file appears when it is complete.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "render/frame_sink.hpp"
#include "sim/base/error.hpp"
#include "sim/io/files/atomic_file.hpp"
#include "sim/io/files/child_process.hpp"

namespace tri::render {
namespace {

using io::Descriptor;

constexpr int kFileInChild = 3;
constexpr std::size_t kMaxMessage = 400;  // of ffmpeg's error output

/// A running ffmpeg, its standard input and its output.
class Ffmpeg {
 public:
  Ffmpeg(const std::string& program, const std::vector<std::string>& arguments, int video) {
    int ends[2] = {-1, -1};
    output_ = Descriptor(memfd_create("triangulum-ffmpeg", MFD_CLOEXEC));  // in memory: there may be no TMPDIR
    if (output_.get() < 0 || pipe2(ends, O_CLOEXEC) != 0) fail(program, errno);
    const Descriptor reads(ends[0]);
    input_ = Descriptor(ends[1]);
    io::ChildSetup setup{program, arguments, {}};
    setup.files = {{reads.get(), STDIN_FILENO},
                   {output_.get(), STDOUT_FILENO},
                   {output_.get(), STDERR_FILENO},
                   {video, kFileInChild}};
    child_.emplace(setup);
    if (child_->error() != 0) fail(program, child_->error());
  }
  ~Ffmpeg() { input_.close(); }
  Ffmpeg(const Ffmpeg&) = delete;
  Ffmpeg& operator=(const Ffmpeg&) = delete;

  /// False if ffmpeg has closed its input.
  bool write(const u8* bytes, std::size_t count) {
    while (count > 0) {
      const ssize_t written = ::write(input_.get(), bytes, count);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      bytes += written, count -= static_cast<std::size_t>(written);
    }
    return true;
  }
  /// Closes the input and waits for the process; whether it succeeded.
  bool end() {
    input_.close();
    const int status = child_->wait();
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  /// The first line of its output, without the component prefix ("[mp4 @ 0x5621] ").
  std::string message() const {
    std::string text(kMaxMessage, '\0');
    const ssize_t got = pread(output_.get(), text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    text.resize(std::min(text.find_first_of("\r\n"), text.size()));
    while (text.starts_with('[') && text.find("] ") != std::string::npos) text.erase(0, text.find("] ") + 2);
    while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
    return text.empty() ? "no error message" : text;
  }

 private:
  [[noreturn]] static void fail(const std::string& program, int error) {
    throw FileError(fmt::format("{} cannot be started: {}. Name a folder to get frames as PNG files.", program,
                                std::strerror(error)));
  }
  Descriptor output_, input_;
  std::optional<io::ChildProcess> child_;  // ends first
};

class VideoSink final : public FrameSink {
 public:
  VideoSink(const std::string& path, u32 fps) : program_(io::find_program("ffmpeg")), fps_(fps), file_(path) {
    require_ffmpeg(path);
    file_.descriptor();  // throws for pipes and devices
  }

  void add(const Image& image, const ImageTexts& texts) override {
    if (!ffmpeg_) {
      width_ = image.width, height_ = image.height;
      ffmpeg_.emplace(program_, arguments(texts), file_.descriptor());
    }
    if (image.width != width_ || image.height != height_) {
      throw FileError(fmt::format("{}: a frame has {} x {} pixels, but the previous ones have {} x {}.", file_.path(),
                                  image.width, image.height, width_, height_));
    }
    if (!ffmpeg_->write(image.rgb.data(), image.rgb.size())) {
      ffmpeg_->end();
      fail();
    }
  }

  void add(const AlphaImage&, const ImageTexts&) override {
    throw FileError(fmt::format("{}: a video has no alpha. Name a folder to get frames as PNG files.", file_.path()));
  }

  void finish() override {
    if (!ffmpeg_) return;  // no frames, no video
    if (!ffmpeg_->end()) fail();
    file_.commit();
  }

 private:
  std::vector<std::string> arguments(const ImageTexts& texts) const {
    std::vector<std::string> a{"-hide_banner", "-loglevel", "error",         "-nostdin", "-y",
                               "-f",           "rawvideo",  "-pixel_format", "rgb24"};
    const auto add = [&a](const char* option, std::string value) { a.insert(a.end(), {option, std::move(value)}); };
    add("-video_size", fmt::format("{}x{}", width_, height_));
    add("-framerate", std::to_string(fps_));
    add("-i", "pipe:0");
    for (const auto& [key, text] : texts) {
      if (key == "Title") add("-metadata", "title=" + text);
      if (key == "triangulum") add("-metadata", "comment=" + text);
    }
    add("-pix_fmt", "yuv420p");  // supported by every player
    add("-f", "mp4");
    a.push_back(fmt::format("/proc/self/fd/{}", kFileInChild));
    return a;
  }
  [[noreturn]] void fail() const {
    throw FileError(fmt::format("{}: ffmpeg failed: {}. No video is written; name a folder to get frames as PNG files.",
                                file_.path(), ffmpeg_->message()));
  }

  std::string program_;
  u32 fps_, width_ = 0, height_ = 0;
  io::OutputFile file_;
  std::optional<Ffmpeg> ffmpeg_;
};

}  // namespace

void require_ffmpeg(const std::string& path) {
  if (video_available()) return;
  throw FileError(fmt::format(
      "{}: videos need ffmpeg, which is not in PATH. Install ffmpeg, or name a folder to get frames as PNG files.",
      path));
}

bool video_available() { return !io::find_program("ffmpeg").empty(); }

std::unique_ptr<FrameSink> make_video_sink(const std::string& path, u32 fps) {
  return std::make_unique<VideoSink>(path, fps);
}

}  // namespace tri::render
