#pragma once
/// What each bottom pane shows. Plain data; panes and scripts change it.

#include <optional>
#include <string>

#include "app/views/fractal_choice.hpp"

namespace tri::app::gui {

struct DomainChoice {
  std::optional<u32> domain;  ///< 0 triangle, 1 tetrahedron, 2 gasket; none: that of the scene
  std::optional<u32> map;     ///< of that domain; none: the one in use
  u32 gasket_map = 1;
  u32 side = 12, levels = 4;
  float launched = 1;    ///< share of the blocks launched so far
  bool running = false;  ///< omega advances by itself
};

/// The automaton on the triangle: the request and its result.
struct AutomatonChoice {
  u32 side = 256;
  std::string rule = "B3/S23";
  u64 seed = 1;
  bool running = true;
  double speed = 20;      ///< generations per second
  u64 pending_steps = 0;  ///< generations to take whether running or not
  u64 restarts = 0;       ///< number of restarts requested

  u64 generation = 0, alive = 0, wrong = 0;  ///< after the pane's last work()
};

struct DistanceChoice {
  u32 most = 1024;         ///< bodies; of more in view, an even sample
  bool by_centre = false;  ///< sorted by distance from the centroid of the bodies shown; else by index
  bool logarithmic = false;
  std::string status_text;  ///< written by the pane
};

struct PaneChoices {
  bool shown = false;
  std::size_t current = 0;  ///< row of pane_rows(); 0 is the domain view
  DomainChoice domain;
  DistanceChoice distances;
  AutomatonChoice automaton;
  FractalChoice fractal;
};

}  // namespace tri::app::gui
