#pragma once
/// What the window's view of an automaton is asked for; panels and scripts change it. Plain data.

#include <string>

#include "sim/fractal/automaton.hpp"

namespace tri::app {

struct FractalChoice {
  std::string scene = "gasket:r=10,rule=B2/S12";  ///< as `run` takes it
  CellWork work;
  bool running = true;
  double speed = 30;  ///< steps a second
  u64 asked = 0;      ///< steps to be taken all the same
  u32 restarts = 0;

  // Told by the view.
  u64 steps = 0;
  u64 hash = 0;      ///< FNV-1a of the state, as `run` prints it; 0 while it is running
  std::string told;  ///< why the scene or the work asked for cannot be; empty = it is
};

}  // namespace tri::app
