#pragma once
/// Shared by formats with named columns: column names to body quantities, and storing their values.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/bodies.hpp"
#include "sim/model/units.hpp"

namespace tri {
struct ReadReport;
}

namespace tri::io {

enum class Quantity : u8 { x, y, z, vx, vy, vz, mass, radius, group, charge };
inline constexpr std::size_t kQuantities = 10;

/// The quantity of the name of a single column, case-insensitive: "x", "Mass", "m", "r", ...; nullopt for an unknown
/// name.
std::optional<Quantity> quantity_of(std::string_view name);
/// The first quantity of the name of three columns: x of "position", vx of "velocity", ...
std::optional<Quantity> vector_of(std::string_view name);

/// The quantity `columns` after q within a vector: x, 1 -> y.
constexpr Quantity after(Quantity q, u64 columns) { return static_cast<Quantity>(static_cast<u64>(q) + columns); }

/// The system of this name, or unknown_units. Throws FileError for another one than before.
void take_units(const std::string& path, std::string_view name, ReadReport& reading);
/// The same of a comment like "# units: si" or "units si".
void take_units_comment(const std::string& path, std::string_view comment, ReadReport& reading);
/// "# units: si\n" for a state in a named system, else empty.
std::string units_comment(const std::string& units);

/// The array of a quantity other than group; that of charges is empty until store_value() has one.
std::vector<double>& array_of(Bodies& bodies, Quantity quantity);

/// Validates and stores a value; returns "" or what is wrong with it: "-1 is negative; ...".
std::string store_value(Bodies& bodies, std::size_t body, Quantity quantity, double value);

}  // namespace tri::io
