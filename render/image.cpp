#include "render/image.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <memory>
#include <string_view>

#include "render/gl/gl.hpp"
#include "sim/base/error.hpp"
#include "sim/io/files/atomic_file.hpp"

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

template <class Picture>
void write_picture(const std::string& path, const Picture& image, const ImageTexts& texts) {
  const std::string bytes = encoded(path, image, texts);
  io::OutputFile file(path);
  file.write(bytes);
  file.commit();
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

Image read_framebuffer(u32 width, u32 height) {
  Image image{width, height, std::vector<u8>(std::size_t{width} * height * 3)};
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, static_cast<GLsizei>(width), static_cast<GLsizei>(height), GL_RGB, GL_UNSIGNED_BYTE,
               image.rgb.data());
  turn_over(image.rgb, std::size_t{width} * 3, height);
  return image;
}

AlphaImage read_alpha_framebuffer(u32 width, u32 height) {
  AlphaImage image{width, height, std::vector<std::uint16_t>(std::size_t{width} * height * 4)};
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, static_cast<GLsizei>(width), static_cast<GLsizei>(height), GL_RGBA, GL_UNSIGNED_SHORT,
               image.rgba.data());
  turn_over(image.rgba, std::size_t{width} * 4, height);
  return image;
}

void write_png(const std::string& path, const Image& image, const ImageTexts& texts) {
  write_picture(path, image, texts);
}

void write_png(const std::string& path, const AlphaImage& image, const ImageTexts& texts) {
  write_picture(path, image, texts);
}

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

}  // namespace tri::render
