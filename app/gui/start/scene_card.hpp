#pragma once
/// The cards of the gallery: scenes and recent files, and how the program makes their pictures. Plain data.

#include <string>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app::gui::start {

inline constexpr u32 kPictureWidth = 224, kPictureHeight = 140;  // pixels: twice those of a card

struct SceneCard {
  std::string spec;         ///< opens it
  std::string name, about;  ///< one word or two, and a sentence
  u64 n = 0;                ///< bodies; 0: not known
};

/// The built-in scenes, made once.
const std::vector<SceneCard>& scene_cards();
/// A recent file: its name and its folder.
SceneCard file_card(const std::string& path);

/// The arguments with which the program draws the picture of a card into that file, without a window: `render`, on one
/// thread of the processor. Steps are taken first where the start shows little. Empty: it draws none, as for a large
/// file or for a screenshot.
std::vector<std::string> picture_arguments(const std::string& spec, const std::string& output);
/// Name of the file of a picture. It changes with the program's version, with the arguments, and with a file's size and
/// time.
std::string picture_name(const std::string& spec);

}  // namespace tri::app::gui::start
