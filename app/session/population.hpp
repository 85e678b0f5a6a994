#pragma once
/// The bodies that a run has between two edits by hand, and which of them are the same as before. Plain data.

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "sim/model/bodies.hpp"

namespace tri::app {

struct Population {
  Bodies bodies;         ///< as they were when it began; masses and radii stay
  std::vector<u32> ids;  ///< [n] ascending; a body keeps its id while others are added and deleted
  u64 edits = 0;         ///< that led to it from the bodies of the scene
};
using PopulationPtr = std::shared_ptr<const Population>;

/// Bodies as they are opened: each has its index as its id.
PopulationPtr first_population(Bodies bodies);

/// The index of the body with this id; the number of bodies where it is gone.
std::size_t index_of(const Population& population, u32 id);

/// A body by hand, in the scene's units.
struct BodyValues {
  std::array<double, 3> place{}, velocity{};
  double mass = 1, radius = 0;
  bool operator==(const BodyValues&) const = default;
};
/// What changes of one; the rest stays as it is then.
struct BodyChange {
  std::optional<std::array<double, 3>> place = {}, velocity = {};
  std::optional<double> mass = {}, radius = {};
  BodyValues of(BodyValues b) const {
    return {place.value_or(b.place), velocity.value_or(b.velocity), mass.value_or(b.mass), radius.value_or(b.radius)};
  }
};

BodyValues values_of(const Bodies& bodies, std::size_t body);

/// These bodies alone; indices below n.
Bodies only(const Bodies& bodies, const std::vector<u32>& indices);

}  // namespace tri::app
