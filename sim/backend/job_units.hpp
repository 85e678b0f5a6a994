#pragma once
/// The data of jobs in units and from an origin that the arithmetic can hold: what depends on differences alone does
/// not change with the origin, and counts do not change with the unit of length.

#include <optional>

#include "sim/laws/box.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/triple_counts.hpp"

namespace tri {

/// For float32, whose numbers are 8 apart at 1e8: the points relative to the middle of every range that does not
/// contain 0; nothing where there is none, or where all values are numbers of float32 already, whose differences lose
/// nothing. Throws ConfigError for a value below the range of float32, which would be 0.
std::optional<PointSet> centred(const PointSet& points);

/// The same of positions. The box goes with them.
std::optional<Bodies> centred(const Bodies& bodies, Box& box);

/// The first sphere that rounding to float32 moves by a 64th of its radius or more; nothing where there is none.
std::optional<std::size_t> moved_by_rounding(const Bodies& bodies);
/// Whether float32 has all positions.
bool are_floats(const Bodies& bodies);

/// The power of two that brings edges whose squares leave the range of float64 near to 1; else 1. (The squares of
/// sides may leave it: they are in the right bin all the same.) Throws ConfigError for edges that are too far apart.
double scale_of(const SideBins& bins);
/// Points and edges times that.
PointSet scaled(const PointSet& points, double scale);
SideBins scaled(const SideBins& bins, double scale);

}  // namespace tri
