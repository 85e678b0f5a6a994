#pragma once
/// Parsing and composing scene texts, NAME:key=value,...

#include <optional>
#include <string>
#include <string_view>

#include "app/support/run_config.hpp"
#include "sim/simulation.hpp"

namespace tri::app {

/// The part before the ':'.
std::string scene_name(const std::string& spec);

/// Whether keys may follow: for a scene or a .toml file, not for a file of bodies.
bool is_scene(const std::string& spec);

/// Whether the scene has this key; false for a file.
bool scene_takes(const std::string& spec, std::string_view key);

/// The value of this key, an integer >= 0: that of the text, else the scene's default; none for a scene without the key
/// or a file. Of a scene of several parts, n is that of each.
std::optional<u64> scene_count(const std::string& spec, std::string_view key);

/// The point from which a session continues a run.
struct ResumePoint {
  Clock clock;
  DiagnosticsRow initial;  ///< at its step 0
  EngineConfig engine;     ///< as of the run
  RunRecord record;
};

struct SceneToView {
  Scene scene;
  std::optional<ResumePoint> run;  ///< for a snapshot
};

/// What a window shows for a text: as open_scene(), but a snapshot of a run includes its laws, step and clock, and a
/// note that says so; and bodies in a periodic cell, which gravity does not fit, have no law.
SceneToView scene_to_view(const std::string& spec);

/// `now` with the settings that most affect the bits of a run's next steps taken from `before`: precision, maps,
/// accumulation and broad phase. Keeps the session's blocks, threads and slices.
EngineConfig as_computed(EngineConfig now, const EngineConfig& before);

/// The text of a scene with the options --seed and --units as keys, and the parameters of laws that are keys of it.
std::string with_options(std::string spec, const RunConfig& config);

/// The others, all of a file.
std::vector<GivenParameter> parameters_beside(const std::string& spec, const RunOptions& run);

/// The text with that key set to the value, replacing an earlier one.
std::string with_key(const std::string& spec, std::string_view key, std::string_view value);

}  // namespace tri::app
