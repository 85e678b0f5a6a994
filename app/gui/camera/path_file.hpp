#pragma once
/// Camera paths as files: TOML with a table a bookmark.
///
///     [[bookmark]]
///     time = 0.5             # simulated, in the unit of the scene
///     target = [0, 0, 0]     # what the camera looks at
///     distance = 4           # from there, > 0
///     yaw = 30               # degrees about the direction that is up
///     pitch = 20             # degrees above the plane across it, -89 to 89

#include <string>

#include "app/gui/camera/camera_path.hpp"

namespace tri::app::gui {

/// Throws FileError with file and line for a file that is not of this form, and for one without a bookmark.
CameraPath read_camera_path(const std::string& path);
/// The same path is read again, bit for bit. Throws FileError.
void write_camera_path(const std::string& path, const CameraPath& camera);

/// The text of such a file, and its reader; `path` is for messages.
std::string camera_path_text(const CameraPath& camera);
CameraPath parse_camera_path(const std::string& text, const std::string& path);

}  // namespace tri::app::gui
