#pragma once
/// `render`: frames of a simulation without a window. The same input gives the same frames: steps are counted and do
/// not depend on the clock.

#include <atomic>
#include <memory>
#include <string>

#include "app/gui/base/scene_view.hpp"
#include "app/gui/camera/camera_path.hpp"
#include "app/gui/frame/body_publisher.hpp"
#include "app/session/session.hpp"
#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "render/body_renderer.hpp"
#include "render/frame_sink.hpp"
#include "render/offscreen.hpp"

namespace tri::app::gui {

class RenderRun {
 public:
  /// Checks the options, opens the scene, then OpenGL, then the output; each throws its own error. config and console
  /// must outlive the run.
  RenderRun(const RunConfig& config, Console& console);
  /// Runs to the last frame or to Ctrl-C. Returns the exit code. Frames before an error are complete on disk.
  int run();

 private:
  void request(const Request& request);
  void count_frames();
  bool take_steps(u64 steps);
  bool skip();
  void draw(u64 frame);
  void keep(const render::ImageTexts& texts);
  void show_notices();
  void progress(u64 frame) const;
  void tell_frames() const;
  void finish();
  std::string interrupted_text() const;

  const RunConfig& config_;
  const RenderOptions& options_;
  Console& console_;
  Session session_;
  CameraPath path_;  ///< empty: the camera goes by the options
  render::Offscreen screen_;
  std::unique_ptr<gl::AlphaTarget> alpha_;  ///< where pictures are transparent
  render::BodyRenderer renderer_;
  render::Trails trails_;
  BodyPublisher publisher_;
  SceneView view_;  ///< whose camera sees the whole first frame
  std::unique_ptr<render::FrameSink> sink_;
  u64 all_ = 0;                  ///< frames
  std::atomic<u64> frames_ = 0;  ///< written
  double begin_s_ = 0;
  std::size_t notices_shown_ = 0;
};

}  // namespace tri::app::gui
