#pragma once
/// Images in host memory and as PNG files with text chunks.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::render {

struct Image {
  u32 width = 0, height = 0;
  std::vector<u8> rgb;  ///< [height][width][3], top row first, sRGB

  const u8* at(u32 x, u32 y) const { return rgb.data() + (std::size_t{y} * width + x) * 3; }
};

/// A picture over nothing.
struct AlphaImage {
  u32 width = 0, height = 0;
  std::vector<std::uint16_t>
      rgba;  ///< [height][width][4], top row first; sRGB and straight, not premultiplied; alpha is linear

  const std::uint16_t* at(u32 x, u32 y) const { return rgba.data() + (std::size_t{y} * width + x) * 4; }
};

/// Text chunks by keyword (1 to 79 characters), compressed if long (PNG 1.2, 4.2.3).
using ImageTexts = std::map<std::string, std::string>;

/// Reads the bound framebuffer, from its lower left corner.
Image read_framebuffer(u32 width, u32 height);

/// The same of a framebuffer with alpha (gl::AlphaTarget).
AlphaImage read_alpha_framebuffer(u32 width, u32 height);

/// Writes atomically, 8 bits a channel, or 16 with alpha. Throws FileError.
void write_png(const std::string& path, const Image& image, const ImageTexts& texts);
void write_png(const std::string& path, const AlphaImage& image, const ImageTexts& texts);

/// The text chunks of a PNG file, or its image. Throws FileError for a file that is damaged or not a PNG, and for one
/// of more than 2^28 pixels or 64 chunks before them.
ImageTexts read_png_texts(const std::string& path);
Image read_png(const std::string& path);

}  // namespace tri::render
