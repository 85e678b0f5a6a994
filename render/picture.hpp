#pragma once
/// A picture in host memory, and as a PNG file that carries texts.

#include <map>
#include <string>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::render {

struct Picture {
  u32 width = 0, height = 0;
  std::vector<u8> rgb;  ///< [height][width][3], top row first, sRGB

  const u8* at(u32 x, u32 y) const { return rgb.data() + (std::size_t{y} * width + x) * 3; }
};

/// Keywords of 1 to 79 letters, and their texts, stored compressed when long (PNG 1.2, 4.2.3).
using PictureTexts = std::map<std::string, std::string>;

/// Reads what the bound framebuffer shows, from (0, 0) lower left.
Picture read_framebuffer(u32 width, u32 height);

/// Writes beside and renames, so that no half picture is left. Throws FileError.
void write_png(const std::string& path, const Picture& picture, const PictureTexts& texts);

/// The texts of a PNG file, or the picture itself. Throws FileError for a file that is none or is damaged.
PictureTexts read_png_texts(const std::string& path);
Picture read_png(const std::string& path);

}  // namespace tri::render
