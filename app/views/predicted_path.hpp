#pragma once
/// Where a body would go: its path in the field of the others, for a look ahead while it is drawn by hand. Few bodies
/// move with it; many are held still, and of very many a sample attracts in place of all. Pure; float64.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"

namespace tri::app {

/// What attracts a body: gravity and the uniform field alone.
struct PathField {
  static constexpr std::size_t kMoving = 64, kStill = 1024;  ///< bodies at most
  struct Source {
    std::array<double, 3> place, velocity;
    double mass;
  };
  std::vector<Source> sources;
  std::size_t of = 0;  ///< bodies that they stand for
  bool moves = false;  ///< the sources do, and feel the body
  ForceField forces;
  /// "path beside 3 bodies", "path in the field of 1,024 of 100,000 bodies, held still".
  std::string text() const;
};

/// except: the body whose path it is, if it is one of them.
PathField path_field(const Bodies& bodies, const ForceField& forces, std::optional<u32> except = std::nullopt);

struct PathStart {
  std::array<double, 3> place{}, velocity{};
  double mass = 0;  ///< > 0
};
/// When a path ends; walls end it too.
struct PathEnd {
  double time = 1;         ///< simulated, > 0
  double seconds = 0.003;  ///< of computing
  std::size_t steps = 1500;
};
struct PredictedPath {
  std::vector<std::array<double, 3>> places;  ///< the first is that of the start
  std::vector<double> times;                  ///< since the start; as many
};
/// By kick, drift, kick with steps that are short beside the way to the nearest source.
PredictedPath predicted_path(const PathField& field, const PathStart& start, const PathEnd& end);

}  // namespace tri::app
