#pragma once
/// Shared by formats with named columns: column names to body quantities, and storing their values.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/bodies.hpp"
#include "sim/model/units.hpp"

namespace tri::io {

enum class Quantity : u8 { x, y, z, vx, vy, vz, mass, radius, group, charge };
inline constexpr std::size_t kQuantities = 10;

/// The quantity of a column name, case-insensitive: "x", "Mass", "m", "r", "velocity" (its first column), ...; nullopt
/// for an unknown name.
std::optional<Quantity> quantity_of(std::string_view name);

/// The quantity `columns` after q within a vector: x, 1 -> y.
constexpr Quantity after(Quantity q, u64 columns) { return static_cast<Quantity>(static_cast<u64>(q) + columns); }

/// The system that a comment like "# units: si" or "units si" names; nullptr: none.
const UnitSystem* units_of_comment(std::string_view comment);
/// "# units: si\n" for a state in a named system, else empty.
std::string units_comment(const std::string& units);

/// The array of a quantity other than group; that of charges is empty until store_value() has one.
std::vector<double>& array_of(Bodies& bodies, Quantity quantity);

/// Validates and stores a value; returns "" or what is wrong with it: "-1 is negative; ...".
std::string store_value(Bodies& bodies, std::size_t body, Quantity quantity, double value);

}  // namespace tri::io
