#pragma once
/// A font of the system, found by fontconfig, which is loaded at run time where it is installed.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tri::app::gui {

struct SystemFont {
  std::string bytes;  ///< of the whole file
  int index = 0;      ///< of the font in it
};

/// The font that has most of these letters (UTF-16 without surrogates), and the first of them at least. None without
/// fontconfig, without such a font, or where its file cannot be read.
std::optional<SystemFont> system_font_with(const std::vector<std::uint16_t>& letters);

}  // namespace tri::app::gui
