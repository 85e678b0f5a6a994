#pragma once
/// The form of a recording, from the name of its output. Pure.

#include <string>

#include "sim/base/platform.hpp"

namespace tri::app {

enum class FrameTarget : u8 { folder, picture, video };

/// FILE.mp4, FILE.png, or a folder: a name without an extension, or with a trailing /. Throws ConfigError that names
/// the option for any other extension.
FrameTarget frame_target(const std::string& option, const std::string& name);

}  // namespace tri::app
