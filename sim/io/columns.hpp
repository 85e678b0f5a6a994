#pragma once
/// What formats with named columns share: which quantity of a body a name means, and where its value goes.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/bodies.hpp"

namespace tri::io {

enum class Quantity : u8 { x, y, z, vx, vy, vz, mass, radius, group };

/// The quantity of a column's name, in any case: "x", "Mass", "m", "r", "velocity" (its first column) and so on;
/// nothing for a name that means none of them.
std::optional<Quantity> quantity_of(std::string_view name);

/// The next quantity of a vector's columns: x -> y.
constexpr Quantity after(Quantity q, u64 columns) { return static_cast<Quantity>(static_cast<u64>(q) + columns); }

/// The array of a quantity; not of group.
std::vector<double>& array_of(Bodies& bodies, Quantity quantity);

/// Puts a value that was read at its place; an empty text, or what is wrong with it: "-1 is negative; ...".
std::string put_value(Bodies& bodies, std::size_t body, Quantity quantity, double value);

}  // namespace tri::io
