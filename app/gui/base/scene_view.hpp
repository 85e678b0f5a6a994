#pragma once
/// How the scene is seen: style, camera, trails and the selected body. Plain data; panels, keys and scripts change it.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/camera/camera_path.hpp"
#include "render/body_renderer.hpp"
#include "render/camera.hpp"

namespace tri::app::gui {

/// Lengths that suit a scene, in its units.
struct SceneLengths {
  float body_radius = 0.01f;  ///< of bodies without one
  float axis_length = 1;
  float extent = 1;         ///< of the whole
  float ground = 0;         ///< of the lowest point, along the camera's up
  float sphere_radius = 0;  ///< mean of those bodies that have one; 0: none has
};

/// A saved view of the camera.
struct Bookmark {
  render::CameraPose pose;
  render::CameraMode mode = render::CameraMode::orbit;
};

/// A body with a name, and where it is.
struct NamedBody {
  std::string name;
  std::array<float, 3> place{};
};

/// Which bodies leave trails, and how long these are.
struct TrailChoice {
  bool shown = false;
  u32 bodies = 256;  ///< evenly spread over the indices; the selected body always has a trail
  u32 length = 128;  ///< positions of each, one per frame that took steps
};

/// Two maps side by side: left of a line the one in use, right of it another.
struct SplitChoice {
  std::optional<std::size_t> map;  ///< the other map, by its row of shown_maps(); none = no line
  float line = 0.5f;               ///< position of the line, as a share of the scene's width
};

struct SceneView {
  render::BodyStyle style;
  render::Camera camera;
  SceneLengths lengths;
  float aspect = 1;  ///< width over height of the scene
  bool box = true, axes = true;
  bool grid = false;  ///< on the ground
  bool clock = false;
  bool names = true;              ///< whether labels are shown
  std::vector<NamedBody> labels;  ///< the first bodies, those that the scene names
  TrailChoice trails;
  std::optional<u32> selected;  ///< body drawn brighter; the camera follows it when `follow`
  bool follow = false;
  static constexpr std::size_t kBookmarks = 5;
  std::array<std::optional<Bookmark>, kBookmarks> bookmarks;  ///< of this scene

  CameraPath path;                                   ///< of this scene; films follow it
  bool on_path = false;                              ///< the camera follows it in the window
  std::optional<std::size_t> mark;                   ///< bookmark of the path that was clicked
  std::string path_file = "camera.toml", path_note;  ///< being edited; what became of it

  /// Selects a body, or none, which also ends following.
  void select(std::optional<u32> body) {
    selected = body;
    follow = follow && body;
  }
  /// Saves the present view under a number < kBookmarks.
  void save_bookmark(std::size_t number);
  /// Restores the view saved there, at rest and following no body; false where there is none.
  bool restore_bookmark(std::size_t number);
};

}  // namespace tri::app::gui
