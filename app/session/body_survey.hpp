#pragma once
/// How the bodies of a state are distributed: the density over the distance from the centre of mass, or how many have
/// which speed, mass, radius or distance. Pure functions.

#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/model/bodies.hpp"

namespace tri::app {

enum class SurveyOf : u8 { density, speed, mass, radius, distance };
inline constexpr u32 kSurveyCount = 5;
/// "density", "speed", "mass", "radius", "distance".
std::string_view to_string(SurveyOf of);

/// Bins of bodies; edges[k] <= value < edges[k + 1], and the last bin holds its upper edge.
struct Survey {
  SurveyOf of = SurveyOf::density;
  u64 step = 0;
  double time = 0;
  std::vector<double> edges;  ///< [bins + 1] ascending; of density: > 0, equal ratios, but for the first one, 0
  std::vector<double> value;  ///< [bins] of density: mass over volume; else: bodies
  std::vector<u64> bodies;    ///< [bins]
  u64 left_out = 0;           ///< bodies whose value is not finite

  bool operator==(const Survey&) const = default;
};

inline constexpr u32 kSurveyBins = 40;

/// Step and time stay 0. Of density the second edge encloses a hundredth of the bodies, or ten of them where that is
/// more. Without a body that has a finite value there are no bins. bins >= 2.
Survey survey_of(const Bodies& bodies, SurveyOf of, u32 bins = kSurveyBins);

}  // namespace tri::app
