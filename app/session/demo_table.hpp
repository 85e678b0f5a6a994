#pragma once
/// The demos: rows of stops, each a scene with a view and a caption. A new one is a row here and a line in help.md.
/// Plain data.

#include <string>
#include <string_view>
#include <vector>

namespace tri::app {

/// One scene of a demo.
struct DemoStop {
  std::string scene;            ///< spec as for `view`
  std::string caption;          ///< one or two sentences, shown over the scene
  const char* view = "domain";  ///< bottom pane by name; "" = none
  bool compare = true;          ///< cycle through all maps that fit
  const char* colour = "";      ///< quantity that colours bodies; "" = unchanged
  double seconds = 45;
  const char* automaton = "";  ///< scene of the view "fractal", which cycles through its maps; "" = unchanged
};

struct DemoRow {
  const char* name;
  std::vector<DemoStop> stops;
};

/// In menu order. The last is the tour: all stops of the others, then every scene that none of them shows.
const std::vector<DemoRow>& demo_rows();
std::vector<std::string_view> demo_names();

/// The stops of a demo; if `scene` is given, only the first stop, with that scene. Throws ConfigError, with the nearest
/// name, for an unknown name.
std::vector<DemoStop> demo_stops(const std::string& name, const std::string& scene = "");

}  // namespace tri::app
