#pragma once
/// The end of a headless run, in text and as JSON.

#include <optional>
#include <string>
#include <vector>

#include "app/commands/orbits.hpp"
#include "sim/backend/backend.hpp"
#include "sim/model/contact_step.hpp"
#include "sim/simulation.hpp"

namespace tri::app {

/// How a run came to its end: by its last step, by Ctrl-C, or by --walltime.
enum class RunEnding : u8 { whole, interrupted, walltime };

struct RunSummary {
  Scene scene;  ///< without bodies
  std::size_t n = 0;
  BackendInfo backend;
  EngineConfig engine;
  u64 steps = 0;         ///< since the beginning, before a restart too
  u64 steps_before = 0;  ///< those before the restart; 0 = none
  u64 steps_wanted = 0;
  double time_wanted = 0;           ///< of automatic steps that end at a time; 0: steps_wanted counts
  Simulation::StepLengths lengths;  ///< of automatic steps
  double time = 0;
  double seconds = 0;  ///< of stepping alone since the (re)start, without diagnostics and files
  RunEnding ending = RunEnding::whole;
  DiagnosticsRow first, last;
  double energy_error_max = 0;  ///< largest |dE/E| of all rows taken
  u64 rows = 0;                 ///< how many those were
  bool has_orbits = false;
  std::vector<Orbit> orbits;
  std::optional<OverlapWatch::Largest> overlap;  ///< of contact by springs
  std::vector<double> rank_ms;  ///< of several ranks: what each took for its share of the last evaluation; may be empty
  u64 hash = 0;

  double steps_per_s() const { return seconds > 0 ? static_cast<double>(steps - steps_before) / seconds : 0; }
};

/// |P - P0| / sqrt(2 K M): the largest momentum that the kinetic energy K and mass M allow is the scale, of the first
/// or the last row, whichever is larger. Absolute where nothing ever moved.
double momentum_drift(const DiagnosticsRow& first, const DiagnosticsRow& last);

/// "gravity, G = 1, softening 0.02", "lennard-jones (...) + axilrod-teller (...)".
std::string laws_text(const ForceField& field);

/// Ends with the line "state hash <16 hex digits>".
std::string summary_text(const RunSummary& summary);
std::string summary_json(const RunSummary& summary);

}  // namespace tri::app
