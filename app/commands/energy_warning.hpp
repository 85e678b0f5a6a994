#pragma once
/// What to say about a closed system whose energy drifts.

#include <string>

#include "sim/simulation.hpp"

namespace tri::app {

/// The error of the row, the closest pair with time step and softening, and what to try, in two sentences. Takes
/// O(n^2) time on one thread; beyond 20,000 bodies the pair is left out.
std::string energy_warning(const DiagnosticsRow& row, const Simulation& simulation);

}  // namespace tri::app
