#pragma once
/// Texts that name scenes, NAME:key=value,...: taken apart and put together.

#include <optional>
#include <string>
#include <string_view>

#include "sim/snapshot.hpp"

namespace tri::app {

/// What stands before the ':'.
std::string scene_name(const std::string& spec);

/// Whether keys may follow: a scene or a .toml file, and not a file of bodies.
bool is_scene(const std::string& spec);

/// Whether the scene has such a key; false for a file.
bool scene_takes(const std::string& spec, std::string_view key);

/// Where a run stands that a session goes on with.
struct ResumePoint {
  u64 step = 0;
  DiagnosticsRow initial;  ///< of its step 0
  EngineConfig engine;     ///< how it was computed
  RunRecord record;
};

struct SceneToView {
  Scene scene;
  std::optional<ResumePoint> run;  ///< of a snapshot
};

/// What a window shows of a text: as open_scene(), but a snapshot of a run comes with its laws, step and clock, and a
/// note that says so.
SceneToView scene_to_view(const std::string& spec);

/// `now` with what the bits of a run's next steps depend on most as it was before: precision, maps, sums and the way
/// contacts are found. Blocks, threads and slices are the session's own.
EngineConfig as_computed(EngineConfig now, const EngineConfig& before);

/// The text with that key set to the value, in place of an earlier one.
std::string with_key(const std::string& spec, std::string_view key, std::string_view value);

}  // namespace tri::app
