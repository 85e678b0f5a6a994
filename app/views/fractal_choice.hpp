#pragma once
/// Settings and status of the window's view of an automaton. Panels and scripts change the settings. Plain data.

#include <string>

#include "sim/fractal/automaton.hpp"

namespace tri::app {

struct FractalChoice {
  std::string scene = "gasket:r=10,rule=B2/S12";  ///< spec as for `run`
  CellWork work;
  bool running = true;
  double speed = 30;      ///< steps per second
  u64 pending_steps = 0;  ///< requested single steps, taken even while paused
  u32 restarts = 0;

  // Status, set by the view.
  u64 steps = 0;
  u64 hash = 0;       ///< FNV-1a of the state, as `run` prints it; 0 while running
  std::string error;  ///< why the last change of scene or work failed; empty if it succeeded
};

}  // namespace tri::app
