#include "render/image.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <png.h>

#include "render/gl/gl.hpp"
#include "render/view.hpp"
#include "sim/base/error.hpp"
#include "sim/files/file.hpp"
#include "sim/files/process.hpp"

namespace tri::render {
namespace {

struct Close {
  void operator()(std::FILE* f) const noexcept { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Close>;

constexpr std::size_t kLongText = 1024;

// A small file may hold a picture of terabytes, and texts of gigabytes: libpng decodes 8 MB of each of 1,000 chunks.
constexpr u64 kMaxPixels = u64{1} << 28;
constexpr int kMaxChunks = 64;
constexpr png_alloc_size_t kMaxChunkBytes = png_alloc_size_t{4} << 20;

// Error handlers of libpng. Exceptions may pass through its frames, which own nothing.
[[noreturn]] void on_error(png_structp png, png_const_charp text) {
  throw FileError(fmt::format("{}: {}.", static_cast<const char*>(png_get_error_ptr(png)), text));
}
void on_warning(png_structp, png_const_charp) {}

/// Owns the two structures of libpng; kCreate and kDestroy are its functions for reading or writing.
template <auto kCreate, auto kDestroy>
struct Png {
  explicit Png(const std::string& path)
      : png(kCreate(PNG_LIBPNG_VER_STRING, const_cast<char*>(path.c_str()), on_error, on_warning)),
        info(png == nullptr ? nullptr : png_create_info_struct(png)) {}
  ~Png() { kDestroy(&png, &info); }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
  png_structp png;
  png_infop info;
};
void destroy_reader(png_structpp png, png_infopp info) { png_destroy_read_struct(png, info, nullptr); }
using Reader = Png<png_create_read_struct, destroy_reader>;
using Writer = Png<png_create_write_struct, png_destroy_write_struct>;

/// Counts the chunks from here to the pixels, and returns to here. A file that ends is left to libpng.
void check_chunks(const std::string& path, std::FILE* file) {
  const long begin = std::ftell(file);
  png_byte head[8] = {};
  for (int chunks = 0; std::fread(head, 1, sizeof head, file) == sizeof head; ++chunks) {
    if (std::string_view(reinterpret_cast<const char*>(head) + 4, 4) == "IDAT") break;
    if (chunks == kMaxChunks) {
      throw FileError(fmt::format(
          "{}: more than {} chunks stand before its pixels; save the picture without its texts.", path, kMaxChunks));
    }
    if (std::fseek(file, static_cast<long>(png_get_uint_32(head)) + 4, SEEK_CUR) != 0) break;
  }
  std::fseek(file, begin, SEEK_SET);
}

/// At the first chunk, with the size of the picture and the number of its chunks checked.
File open_png(const std::string& path) {
  const io::InputFile regular(path, io::Accepts::files);
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) throw FileError(fmt::format("cannot open '{}' for reading.", path));
  png_byte head[24] = {};  // signature; length, name, width and height of the first chunk
  const std::size_t got = std::fread(head, 1, sizeof head, file.get());
  if (got < 8 || png_sig_cmp(head, 0, 8) != 0) throw FileError(fmt::format("{}: this is not a PNG file.", path));
  const u64 width = png_get_uint_32(head + 16), height = png_get_uint_32(head + 20);
  if (height > 0 && width > kMaxPixels / height) {
    throw FileError(fmt::format("{}: the picture has {} x {} pixels, more than the {} that can be read.", path, width,
                                height, kMaxPixels));
  }
  if (std::fseek(file.get(), 8, SEEK_SET) != 0) {
    throw FileError(fmt::format("{}: this is a pipe or a device; name a PNG file.", path));
  }
  check_chunks(path, file.get());
  return file;
}

/// Lets libpng read what open_png() has opened.
void begin_reading(const Reader& r, std::FILE* file) {
  png_init_io(r.png, file);
  png_set_sig_bytes(r.png, 8);
  png_set_chunk_malloc_max(r.png, kMaxChunkBytes);
  png_set_chunk_cache_max(r.png, kMaxChunks + 2);  // it drops the last of so many
}

ImageTexts texts_of(const Reader& r) {
  png_textp text = nullptr;
  int count = 0;
  png_get_text(r.png, r.info, &text, &count);
  ImageTexts texts;
  for (int i = 0; i < count; ++i) texts[text[i].key] = text[i].text;
  return texts;
}

void append(png_structp png, png_bytep bytes, std::size_t count) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(bytes), count);
}
void no_flush(png_structp) {}

void write_row(const Writer& w, const Image& image, u32 y) { png_write_row(w.png, image.at(0, y)); }
void write_row(const Writer& w, const AlphaImage& image, u32 y) {
  png_write_row(w.png, reinterpret_cast<png_const_bytep>(image.at(0, y)));
}

template <class Picture>
std::string encoded(const std::string& path, const Picture& image, const ImageTexts& texts) {
  constexpr bool kAlpha = std::is_same_v<Picture, AlphaImage>;
  std::string bytes;
  Writer w(path);
  png_set_write_fn(w.png, &bytes, append, no_flush);
  png_set_IHDR(w.png, w.info, image.width, image.height, kAlpha ? 16 : 8,
               kAlpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(w.png, w.info, PNG_sRGB_INTENT_PERCEPTUAL);
  const auto a_metre = static_cast<u32>(std::lround(image.dpi / 0.0254));
  if (image.dpi > 0) png_set_pHYs(w.png, w.info, a_metre, a_metre, PNG_RESOLUTION_METER);
  png_set_compression_level(w.png, 3);
  std::vector<png_text> rows;
  for (const auto& [key, text] : texts) {
    png_text row{};
    row.compression = text.size() > kLongText ? PNG_TEXT_COMPRESSION_zTXt : PNG_TEXT_COMPRESSION_NONE;
    row.key = const_cast<char*>(key.c_str());
    row.text = const_cast<char*>(text.c_str());
    row.text_length = text.size();
    rows.push_back(row);
  }
  png_set_text(w.png, w.info, rows.data(), static_cast<int>(rows.size()));
  png_write_info(w.png, w.info);
  if (kAlpha && std::endian::native == std::endian::little) png_set_swap(w.png);
  for (u32 y = 0; y < image.height; ++y) write_row(w, image, y);
  png_write_end(w.png, w.info);
  return bytes;
}

/// GL's first row is the bottom one; a picture's is the top. row: values of one.
template <class Value>
void turn_over(std::vector<Value>& values, std::size_t row, u32 height) {
  for (u32 y = 0; y < height / 2; ++y) {
    auto* top = values.data() + y * row;
    std::swap_ranges(top, top + row, values.data() + (height - 1 - y) * row);
  }
}

}  // namespace

Image read_framebuffer(u32 width, u32 height, u32 low) {
  Image image{width, height, std::vector<u8>(std::size_t{width} * height * 3)};
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, static_cast<GLint>(low), static_cast<GLsizei>(width), static_cast<GLsizei>(height), GL_RGB,
               GL_UNSIGNED_BYTE, image.rgb.data());
  turn_over(image.rgb, std::size_t{width} * 3, height);
  return image;
}

AlphaImage read_alpha_framebuffer(u32 width, u32 height, u32 low) {
  AlphaImage image{width, height, std::vector<std::uint16_t>(std::size_t{width} * height * 4)};
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, static_cast<GLint>(low), static_cast<GLsizei>(width), static_cast<GLsizei>(height), GL_RGBA,
               GL_UNSIGNED_SHORT, image.rgba.data());
  turn_over(image.rgba, std::size_t{width} * 4, height);
  return image;
}

Image on_white(const AlphaImage& image) {
  static const std::vector<float> seen = [] {
    std::vector<float> table;
    for (u32 k = 0; k < 65536; ++k) table.push_back(to_srgb(static_cast<float>(k) / 65535) / 257);
    return table;
  }();
  Image out{image.width, image.height, std::vector<u8>(std::size_t{image.width} * image.height * 3), image.dpi};
  for (std::size_t k = 0; k < out.rgb.size() / 3; ++k) {
    const std::uint16_t* from = image.rgba.data() + 4 * k;
    const float covered = seen[from[3]];
    for (std::size_t c = 0; c < 3; ++c) {
      out.rgb[3 * k + c] = static_cast<u8>(std::lround(255 - covered * static_cast<float>(65535 - from[c])));
    }
  }
  return out;
}

namespace {

/// A channel of letters of this opacity over one that covers `under`, in linear light.
float laid_over(u8 letter, float own, float channel, float under) {
  const float above = to_linear(std::min(1.0f, static_cast<float>(letter) / (255 * own)));
  const float rest = under * (1 - own);
  return to_srgb((above * own + to_linear(channel) * rest) / (own + rest));
}

}  // namespace

void lay_over(Image& image, std::span<const u8> letters) {
  for (std::size_t k = 0; k < letters.size() / 4; ++k) {
    const u8* over = letters.data() + 4 * k;
    const float own = static_cast<float>(over[3]) / 255;
    for (std::size_t c = 0; c < 3 && own > 0; ++c) {
      u8& under = image.rgb[3 * k + c];
      under = static_cast<u8>(std::lround(255 * laid_over(over[c], own, static_cast<float>(under) / 255, 1)));
    }
  }
}

void lay_over(AlphaImage& image, std::span<const u8> letters) {
  for (std::size_t k = 0; k < letters.size() / 4; ++k) {
    const u8* over = letters.data() + 4 * k;
    const float own = static_cast<float>(over[3]) / 255;
    if (!(own > 0)) continue;
    std::uint16_t* under = image.rgba.data() + 4 * k;
    const float covered = static_cast<float>(under[3]) / 65535;
    for (std::size_t c = 0; c < 3; ++c) {
      const float mixed = laid_over(over[c], own, static_cast<float>(under[c]) / 65535, covered);
      under[c] = static_cast<std::uint16_t>(std::lround(65535 * mixed));
    }
    under[3] = static_cast<std::uint16_t>(std::lround(65535 * (own + covered * (1 - own))));
  }
}

template <class Picture>
void write_png(const std::string& path, const Picture& image, const ImageTexts& texts) {
  const std::string bytes = encoded(path, image, texts);
  io::OutputFile file(path);
  file.write(bytes);
  file.commit();
}
template void write_png(const std::string& path, const Image& image, const ImageTexts& texts);
template void write_png(const std::string& path, const AlphaImage& image, const ImageTexts& texts);

ImageTexts read_png_texts(const std::string& path) {
  const File file = open_png(path);
  Reader r(path);
  begin_reading(r, file.get());
  png_read_info(r.png, r.info);
  return texts_of(r);
}

Image read_png(const std::string& path) {
  const File file = open_png(path);
  Reader r(path);
  begin_reading(r, file.get());
  png_read_png(r.png, r.info, PNG_TRANSFORM_STRIP_ALPHA | PNG_TRANSFORM_STRIP_16 | PNG_TRANSFORM_EXPAND, nullptr);
  Image image{png_get_image_width(r.png, r.info), png_get_image_height(r.png, r.info), {}};
  if (png_get_channels(r.png, r.info) != 3) throw FileError(fmt::format("{}: this is not a colour image.", path));
  png_bytepp rows = png_get_rows(r.png, r.info);
  for (u32 y = 0; y < image.height; ++y) {
    image.rgb.insert(image.rgb.end(), rows[y], rows[y] + std::size_t{image.width} * 3);
  }
  return image;
}

namespace {

namespace fs = std::filesystem;

void require_writable(const std::string& what, const std::string& folder) {
  if (access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw FileError(
      fmt::format("cannot write '{}': the folder '{}' is not writable: {}. Name an existing folder of your own.", what,
                  folder, std::strerror(errno)));
}

/// PNG files by the names that a function gives.
class PngSink final : public FrameSink {
 public:
  explicit PngSink(std::function<std::string()> next) : next_(std::move(next)) {}
  void add(const Image& image, const ImageTexts& texts) override { write(image, texts); }
  void add(const AlphaImage& image, const ImageTexts& texts) override { write(image, texts); }
  void finish() override {}
  u64 bytes() const override { return bytes_; }

 private:
  template <class Picture>
  void write(const Picture& image, const ImageTexts& texts) {
    const std::string path = next_();
    write_png(path, image, texts);
    std::error_code unknown;
    if (const auto size = fs::file_size(path, unknown); !unknown) bytes_ += size;
  }

  std::function<std::string()> next_;
  u64 bytes_ = 0;
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

std::unique_ptr<FrameSink> make_folder_sink(const std::string& folder) {
  check_frame_folder(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    throw FileError(fmt::format("cannot create the folder '{}': {}. Name another one.", folder, error.message()));
  }
  return std::make_unique<PngSink>([folder = fs::path(folder), count = u64{0}]() mutable {
    return (folder / fmt::format("frame_{:06}.png", ++count)).string();
  });
}

std::unique_ptr<FrameSink> make_image_sink(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  require_writable(path, folder.empty() ? "." : folder);
  return std::make_unique<PngSink>([path] { return path; });
}

// Pipes frames to ffmpeg, which writes into the temporary file of an OutputFile; the file appears when it is complete.

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
    struct stat now {};
    if (fstat(file_.descriptor(), &now) == 0) bytes_ = static_cast<u64>(now.st_size);
  }

  void add(const AlphaImage&, const ImageTexts&) override {
    throw FileError(fmt::format("{}: a video has no alpha. Name a folder to get frames as PNG files.", file_.path()));
  }

  void finish() override {
    if (!ffmpeg_) return;  // no frames, no video
    if (!ffmpeg_->end()) fail();
    file_.commit();
  }

  u64 bytes() const override { return bytes_; }

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
    if (file_.path().ends_with(".webp")) {
      for (const auto& [option, value] : {std::pair{"-c:v", "libwebp_anim"}, {"-quality", "90"}, {"-loop", "0"}}) {
        add(option, value);
      }
      add("-f", "webp");
    } else {
      add("-pix_fmt", "yuv420p");  // supported by every player
      add("-f", "mp4");
    }
    a.push_back(fmt::format("/proc/self/fd/{}", kFileInChild));
    return a;
  }
  [[noreturn]] void fail() const {
    throw FileError(fmt::format("{}: ffmpeg failed: {}. No video is written; name a folder to get frames as PNG files.",
                                file_.path(), ffmpeg_->message()));
  }

  std::string program_;
  u32 fps_, width_ = 0, height_ = 0;
  u64 bytes_ = 0;
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
