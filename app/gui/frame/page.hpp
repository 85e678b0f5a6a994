#pragma once
/// A run as one web page that needs no network: its bodies frame by frame as compressed whole numbers, and what draws
/// them in the browser, assets/pages/run.html, whose head says how they are packed.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "app/gui/base/scene_view.hpp"
#include "app/session/session_model.hpp"
#include "render/body_renderer.hpp"
#include "sim/files/file.hpp"

namespace tri::app::gui {

/// Bodies frame by frame: places as multiples of a step, as fine as `bits` and the size allow.
struct PackedRun {
  std::string bytes;  ///< a zlib stream
  u32 bits = 0;       ///< of a coordinate
  u32 order = 0;      ///< of the prediction
  std::array<double, 3> low{}, step{};
  double error = 0;  ///< no coordinate is further than this from the one that was added
};

/// What is drawn of a run, by frames.
class RunTrack {
 public:
  static constexpr u64 kMaxPlaces = u64{65'536} * 300;
  static constexpr u32 kMaxBits = 16, kMinBits = 4;

  /// Throws ConfigError for more than kMaxPlaces bodies times frames, MemoryError without room for them.
  RunTrack(std::size_t bodies, u64 frames);
  /// The next frame. Throws NumericalError for a place that is not finite, ConfigError for another number of bodies.
  void add(std::span<const Instance> bodies, render::Quantity quantity);

  u64 frames() const noexcept { return frames_; }
  std::size_t bodies() const noexcept { return n_; }
  /// Of the coloured quantity over all frames; if logarithmic, of its positive values.
  std::array<float, 2> range(bool logarithmic) const;
  /// With as many bits as `most` bytes allow, and never less than kMinBits, with which kMaxPlaces take 42 MB.
  /// light: of each body beside the others; empty: all the same. There must be a frame.
  PackedRun packed(bool logarithmic, std::span<const float> light, u64 most) const;

 private:
  std::size_t n_;
  u64 frames_ = 0;
  std::vector<float> values_;  ///< [frames][x, y, z, quantity][bodies]
  std::vector<float> radii_;   ///< of the first frame
};

/// Makes the page of a run; its file appears when it is finished.
class RunPage {
 public:
  static constexpr u64 kMaxBytes = 60'000'000;

  /// Throws what RunTrack throws, and FileError where the file cannot be written.
  RunPage(const std::string& path, std::size_t bodies, u64 frames) : file_(path), track_(bodies, frames) {}
  void add(std::span<const Instance> bodies, render::Quantity quantity, double time);
  /// view: of the first frame. source: the scene as typed. command: that made the page. fps: frames a second. Returns a
  /// sentence about the file; of no frames none is written. Throws FileError.
  std::string finish(const SessionModel& model, const SceneView& view, const std::string& source,
                     const std::string& command, u32 fps);

 private:
  io::OutputFile file_;
  RunTrack track_;
  std::vector<double> times_;
  std::vector<float> light_;
};

}  // namespace tri::app::gui
