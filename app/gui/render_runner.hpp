#pragma once
/// `render`: frames of a simulation without a window. The same input makes the same frames, as steps are counted and no
/// clock is looked at.

#include <memory>
#include <string>

#include "app/gui/base/view_defaults.hpp"
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
  /// Looks at the options, opens the scene, then OpenGL, then the output; each throws its own error. config and console
  /// must outlive the run.
  RenderRun(const RunConfig& config, Console& console);
  /// To the last frame, or the stop by Ctrl-C. Returns the exit code. Frames before an error are whole on the disk.
  int run();

 private:
  bool take_steps(u64 steps);
  void draw(u64 frame);
  void tell_notices();
  void progress(u64 frame) const;
  void finish();

  const RunConfig& config_;
  const RenderOptions& options_;
  Console& console_;
  Session session_;
  render::Offscreen screen_;
  render::BodyRenderer renderer_;
  BodyPublisher publisher_;
  render::BodyStyle style_;
  render::Camera whole_;
  SceneLengths lengths_;
  std::unique_ptr<render::FrameSink> sink_;
  u64 frames_ = 0;  ///< written
  double begin_s_ = 0;
  std::size_t told_ = 0;
};

}  // namespace tri::app::gui
