#pragma once
/// The demonstrations: rows of stops, each a scene with what is shown of it and what is said. A new one is a row here
/// and its line in help.md. Plain data.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tri::app {

/// Some time with one scene.
struct DemoStop {
  std::string scene;            ///< as `view` takes it
  std::string caption;          ///< what is seen: a sentence or two, over the scene
  const char* view = "domain";  ///< of the lower half, by its name; "" = none
  bool compare = true;          ///< all maps that fit take turns
  const char* colour = "";      ///< by what bodies are coloured; "" = as it was
  double seconds = 45;
  const char* automaton = "";  ///< what the view "fractal" runs, its maps in turns; "" = as it was
};

struct DemoRow {
  const char* name;
  std::vector<DemoStop> stops;
};

/// In the order of the menu. The last is the tour: all stops of the others, then every scene that none of them has.
const std::vector<DemoRow>& demo_rows();
std::vector<std::string_view> demo_names();

/// The stops of a demonstration; of those the first alone with another scene, where the user named one. Throws
/// ConfigError, with the nearest name, for a name that is none.
std::vector<DemoStop> demo_stops(const std::string& name, const std::string& scene = "");

}  // namespace tri::app
