#pragma once
/// The diagnostics of a state at one step of a run.

#include "sim/model/diagnostics.hpp"

namespace tri {

struct DiagnosticsRow {
  u64 step = 0;
  double time = 0;
  Diagnostics values;
  /// (E - E0) / |E0|, E0 the energy at step 0. If E0 is only the rounding error of K0 + U0, relative to K0 + |U0|
  /// instead; absolute if both are 0.
  double energy_error = 0;
};

}  // namespace tri
