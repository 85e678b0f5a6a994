#pragma once
/// A film of the run, frame by frame whatever the machine's speed: what it is to be, and how far it is. Plain data.

#include <optional>
#include <string>

#include "sim/base/platform.hpp"

namespace tri::app::gui {

struct FilmChoice {
  static constexpr u32 kMinSide = 16, kMaxSide = 16384, kMaxFps = 1000;
  u32 width = 1920, height = 1080;  ///< in pixels; 0 x 0: of the window, with panels
  u32 fps = 30;                     ///< frames a second of film, >= 1
  double speed = 0;                 ///< simulated time a second of film; 0: the pace of time
  double seconds = 10;              ///< of film
  bool panels = false;              ///< the whole window, else the bodies alone
  std::string path = "film.mp4";    ///< or a folder
};

/// Steps from one frame to the next: their number is whole, so that every frame is exact.
struct FilmSteps {
  u64 a_frame = 1;
  double speed = 0;  ///< simulated time a second of film that this gives
};
/// dt: length of a step, > 0. usual: the pace of time, for a speed of 0; where both are 0, one step a frame.
FilmSteps film_steps(const FilmChoice& choice, double dt, double usual);
u64 film_frames(const FilmChoice& choice);

struct FilmProgress {
  u64 frames = 0, all = 0;  ///< drawn, and at its end
  double seconds = 0;       ///< of the clock, since its start
  std::string path;
};

/// What the mark of a recording says.
struct RecordMark {
  double seconds = 0;  ///< of film so far
  double speed = 0;    ///< simulated time a second of film; 0: none yet
};

/// Two runs side by side.
struct SecondChoice {
  bool on = false;          ///< there is to be a second one, B
  bool controls_b = false;  ///< what panels, keys and scripts change of laws, maps and steps is B's
  bool shown = false;       ///< there is one
  bool behind = false;      ///< it is on its way to where the first one is, or has requests to come
};

struct FilmState {
  FilmChoice choice;
  bool start = false, stop = false;  ///< requests
  std::optional<FilmProgress> now;   ///< while one is made
  std::optional<RecordMark> mark;    ///< while a film is made or the window recorded
};

}  // namespace tri::app::gui
