#pragma once
/// Images in host memory and as PNG files with text chunks, and sinks of the frames of a video.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::render {

struct Image {
  u32 width = 0, height = 0;
  std::vector<u8> rgb;  ///< [height][width][3], top row first, sRGB
  u32 dpi = 0;          ///< dots an inch that a file announces; 0: none

  const u8* at(u32 x, u32 y) const { return rgb.data() + (std::size_t{y} * width + x) * 3; }
};

/// A picture over nothing.
struct AlphaImage {
  u32 width = 0, height = 0;
  std::vector<std::uint16_t>
      rgba;     ///< [height][width][4], top row first; sRGB and straight, not premultiplied; alpha is linear
  u32 dpi = 0;  ///< as of Image

  const std::uint16_t* at(u32 x, u32 y) const { return rgba.data() + (std::size_t{y} * width + x) * 4; }
};

/// Text chunks by keyword (1 to 79 characters), compressed if long (PNG 1.2, 4.2.3).
using ImageTexts = std::map<std::string, std::string>;

/// Reads the bound framebuffer, from its lower left corner or that of the row `low` from below.
Image read_framebuffer(u32 width, u32 height, u32 low = 0);

/// The same of a framebuffer with alpha (gl::AlphaTarget).
AlphaImage read_alpha_framebuffer(u32 width, u32 height, u32 low = 0);

/// A picture over nothing as ink on white: light is as dense as it looks bright on black.
Image on_white(const AlphaImage& image);

/// Letters and lines over a picture: [height][width][4], top row first, sRGB, premultiplied; blended in linear light.
void lay_over(Image& image, std::span<const u8> letters);
void lay_over(AlphaImage& image, std::span<const u8> letters);

/// Writes atomically, 8 bits a channel, or 16 with alpha. Throws FileError.
template <class Picture>  // Image or AlphaImage
void write_png(const std::string& path, const Picture& image, const ImageTexts& texts);

/// The text chunks of a PNG file, or its image. Throws FileError for a file that is damaged or not a PNG, and for one
/// of more than 2^28 pixels or 64 chunks before them.
ImageTexts read_png_texts(const std::string& path);
Image read_png(const std::string& path);

// Destinations of recorded frames: PNG files in a folder, one PNG file, or a video by ffmpeg. Frames added before an
// error stay intact.

class FrameSink {
 public:
  virtual ~FrameSink() = default;
  /// Adds the next frame. Throws FileError.
  virtual void add(const Image& image, const ImageTexts& texts) = 0;
  /// The same with alpha, which a video has not. Throws FileError.
  virtual void add(const AlphaImage& image, const ImageTexts& texts) = 0;
  /// Call after the last frame. Throws FileError. Without it a video is discarded; PNG files stay.
  virtual void finish() = 0;
  /// Bytes on the disk so far; of a video, those that ffmpeg has let go.
  virtual u64 bytes() const { return 0; }
};

/// frame_000001.png, ... in a folder, which is created if needed. Throws FileError if it is not writable or already has
/// frames, which would be mistaken for frames of this recording.
std::unique_ptr<FrameSink> make_folder_sink(const std::string& folder);

/// Throws the FileError of make_folder_sink(), without creating the folder.
void check_frame_folder(const std::string& folder);

/// One PNG file, replaced by every frame. Throws FileError if its folder is not writable.
std::unique_ptr<FrameSink> make_image_sink(const std::string& path);

/// An .mp4 file, encoded by the ffmpeg in PATH, which gets the frames through a pipe. The file appears when it is
/// finished. All frames have the size of the first, both sides even. fps: frames per second, >= 1. Throws FileError
/// without ffmpeg, and with ffmpeg's message if it fails. The program must ignore SIGPIPE.
std::unique_ptr<FrameSink> make_video_sink(const std::string& path, u32 fps);

/// Throws the FileError of a video without ffmpeg.
void require_ffmpeg(const std::string& path);

/// Whether ffmpeg is in PATH.
bool video_available();

}  // namespace tri::render
