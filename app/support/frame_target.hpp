#pragma once
/// What the name of an output says of a film's form. Pure.

#include <string>

#include "sim/base/platform.hpp"

namespace tri::app {

enum class FrameTarget : u8 { folder, picture, video };

/// FILE.mp4, FILE.png, or a folder: a name without an ending, or with / at its end. Throws ConfigError that names the
/// option for any other ending.
FrameTarget frame_target(const std::string& option, const std::string& name);

}  // namespace tri::app
