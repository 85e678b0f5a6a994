#include "app/support/frame_target.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "sim/base/error.hpp"

namespace tri::app {

FrameTarget frame_target(const std::string& option, const std::string& name) {
  if (name.empty()) throw ConfigError(fmt::format("{} needs the name of a folder, FILE.mp4 or FILE.png.", option));
  const std::string ending = std::filesystem::path(name).extension().string();
  if (ending.empty()) return FrameTarget::folder;  // also for a name that ends in /
  if (ending == ".mp4") return FrameTarget::video;
  if (ending == ".png") return FrameTarget::picture;
  throw ConfigError(
      fmt::format("{} {}: '{}' is not a recording format. Use FILE.mp4, FILE.png, or a folder (with / at its end).",
                  option, name, ending));
}

}  // namespace tri::app
