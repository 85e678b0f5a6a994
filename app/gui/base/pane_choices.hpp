#pragma once
/// What each bottom pane shows. Plain data; panes and scripts change it.

#include <optional>
#include <string>

#include "app/views/fractal_choice.hpp"
#include "sim/maps/map_concepts.hpp"

namespace tri::app::gui {

/// The view along (1, 1, 1).
inline constexpr float kCornerYaw = 0.78539816f, kCornerPitch = 0.61547971f;

struct DomainChoice {
  std::optional<Domain> domain;  ///< none: that of the scene
  std::optional<u32> map;        ///< of that domain; none: the one in use
  u32 gasket_map = 1;
  u32 side = 12, levels = 4;
  float launched = 1;                            ///< share of the blocks launched so far
  bool running = false;                          ///< omega advances by itself
  float yaw = kCornerYaw, pitch = kCornerPitch;  ///< of figures in depth, in radians; at first seen from a corner
  u32 removed = 0;                               ///< layers of these, from above
  bool by_rank = true;                           ///< colours are those of ranks, where there are several; else of omega
  float shown = 1;                               ///< the same for the two maps in the right column
  bool sweeps = false;
};

/// The page of a map, over the scene.
struct PageChoice {
  bool shown = false;
  Domain domain = Domain::triangle;  ///< of pairs or triples
  u32 map = 0;                       ///< of that domain
  float launched = 1;                ///< share of its blocks
  bool sweeps = false;               ///< omega advances by itself
};

/// The automaton on the triangle: the request and its result.
struct AutomatonChoice : StepChoice {
  AutomatonChoice() : StepChoice{.speed = 20} {}
  u32 side = 256;
  std::string rule = "B3/S23";
  u64 seed = 1;
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
  bool whole = false;       ///< instead of the lower half it takes the whole of the scene
  std::size_t current = 0;  ///< row of pane_rows(); 0 is the domain view
  DomainChoice domain;
  DistanceChoice distances;
  AutomatonChoice automaton;
  FractalChoice fractal;
};

}  // namespace tri::app::gui
