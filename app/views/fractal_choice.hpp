#pragma once
/// Settings and status of the window's view of an automaton. Panels and scripts change the settings.

#include <algorithm>
#include <string>

#include "sim/base/clock.hpp"
#include "sim/fractal/automaton.hpp"

namespace tri::app {

/// The pace of an automaton.
struct StepChoice {
  bool running = true;
  double speed = 30;      ///< steps per second
  u64 pending_steps = 0;  ///< requested single steps, taken even while paused
  u64 restarts = 0;       ///< number of restarts requested
};

/// Takes the requested steps, and those that are due after `seconds` as far as `budget` seconds of computation allow;
/// the rest is dropped. due: steps due at the chosen speed and not yet taken.
template <class Step>
void take_steps(StepChoice& choice, double& due, double seconds, double budget, const Step& step) {
  if (choice.running) due += choice.speed * std::min(seconds, 0.1);
  const double end = clock_s() + budget;
  while (choice.pending_steps > 0 || due >= 1) {
    step();
    if (choice.pending_steps > 0) {
      --choice.pending_steps;
    } else {
      due = clock_s() < end ? due - 1 : 0;
    }
  }
}

struct FractalChoice : StepChoice {
  std::string scene = "gasket:r=10,rule=B2/S12";  ///< spec as for `run`
  CellWork work;

  // Status, set by the view.
  u64 steps = 0;
  u64 hash = 0;       ///< FNV-1a of the state, as `run` prints it; 0 while running
  std::string error;  ///< why the last change of scene or work failed; empty if it succeeded
};

}  // namespace tri::app
