#pragma once
/// Pictures of scenes for the gallery. The program makes each by itself, in a process of its own at the lowest priority
/// and one after the other, so that no frame waits; they are kept in a folder of the user, and without one in a
/// temporary folder until the window closes. Needs the current GL context.

#include <sys/types.h>

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "app/gui/base/gui_state.hpp"
#include "render/gl/names.hpp"

namespace tri::app::gui::start {

/// $XDG_CACHE_HOME/triangulum/pictures, else ~/.cache/triangulum/pictures; empty if neither is an absolute path.
std::string picture_folder();

class ScenePictures {
 public:
  /// folder: empty, or one that cannot be made: a temporary one.
  explicit ScenePictures(std::string folder) : folder_(std::move(folder)) {}
  /// Ends a picture in progress.
  ~ScenePictures();
  ScenePictures(const ScenePictures&) = delete;
  ScenePictures& operator=(const ScenePictures&) = delete;

  /// Once a frame: takes what the gallery wants, loads at most one picture, and begins the next.
  void work(GalleryState& gallery);

 private:
  struct Made {
    pid_t process;
    std::string spec, path;
  };
  bool take(GalleryState& gallery, const std::string& spec, const std::string& path);
  void begin(GalleryState& gallery, const std::string& spec, const std::string& path);
  bool make_folder();

  std::string folder_;
  bool ready_ = false, temporary_ = false;
  std::deque<std::string> waiting_;
  std::optional<Made> made_;  ///< under way
  std::map<std::string, gl::Texture> textures_;
};

}  // namespace tri::app::gui::start
