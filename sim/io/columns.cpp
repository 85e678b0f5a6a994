#include "sim/io/columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "sim/base/contracts.hpp"
#include "sim/io/files/text_input.hpp"
#include "sim/io/format.hpp"

namespace tri::io {

namespace {

using Known = std::pair<std::string_view, Quantity>;

std::optional<Quantity> known(std::span<const Known> names, std::string_view name) {
  const std::string lower = lower_case(name);
  for (const auto& [text, quantity] : names) {
    if (lower == text) return quantity;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Quantity> quantity_of(std::string_view name) {
  static constexpr Known kNames[] = {
      {"x", Quantity::x},      {"y", Quantity::y},           {"z", Quantity::z},
      {"vx", Quantity::vx},    {"vy", Quantity::vy},         {"vz", Quantity::vz},
      {"m", Quantity::mass},   {"mass", Quantity::mass},     {"masses", Quantity::mass},
      {"r", Quantity::radius}, {"radius", Quantity::radius}, {"group", Quantity::group},
      {"q", Quantity::charge}, {"charge", Quantity::charge}, {"initial_charges", Quantity::charge},
  };
  return known(kNames, name);
}

std::optional<Quantity> vector_of(std::string_view name) {
  static constexpr Known kNames[] = {
      {"position", Quantity::x},  {"positions", Quantity::x},   {"pos", Quantity::x},   {"points", Quantity::x},
      {"velocity", Quantity::vx}, {"velocities", Quantity::vx}, {"velo", Quantity::vx}, {"vel", Quantity::vx},
  };
  return known(kNames, name);
}

void take_units(const std::string& path, std::string_view name, ReadReport& reading) {
  if (name.empty()) return;
  const UnitSystem* system = find_unit_system(name);
  if (system == nullptr) {
    reading.unknown_units = name;
  } else if (reading.units == nullptr) {
    reading.units = system;
  } else if (!same_units(*system, *reading.units)) {
    throw FileError(fmt::format("'{}' names two systems of units, {} and {}; remove one of them.", path,
                                reading.units->name, system->name));
  }
}

void take_units_comment(const std::string& path, std::string_view comment, ReadReport& reading) {
  constexpr std::string_view kKey = "units";
  comment = trimmed(comment.substr(std::min(comment.find_first_not_of("# \t"), comment.size())));
  if (lower_case(comment.substr(0, kKey.size())) != kKey) return;
  comment = trimmed(comment.substr(kKey.size()));
  const bool marked = !comment.empty() && (comment.front() == ':' || comment.front() == '=');
  if (marked) comment = trimmed(comment.substr(1));
  const bool sentence = !marked && comment.find(' ') != std::string_view::npos;  // "units of ..."
  if (!sentence || find_unit_system(comment) != nullptr) take_units(path, comment, reading);
}

std::string units_comment(const std::string& units) {
  return find_unit_system(units) == nullptr ? "" : fmt::format("# units: {}\n", units);
}

std::vector<double>& array_of(Bodies& b, Quantity quantity) {
  if (quantity == Quantity::charge) return b.q;
  const std::array<std::vector<double>*, 8> arrays{&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.m, &b.r};
  TRI_EXPECTS(quantity != Quantity::group);
  return *arrays[static_cast<std::size_t>(quantity)];
}

std::string store_value(Bodies& b, std::size_t body, Quantity quantity, double value) {
  if (!std::isfinite(value)) return fmt::format("{} is not finite; remove or repair the body", value);
  if (quantity == Quantity::group) {
    if (!is_group(value)) return fmt::format("{} is not a group; groups are integers from 0 to 65535", value);
    if (b.group.size() < b.size()) b.group.resize(b.size(), 0);
    b.group[body] = static_cast<std::uint16_t>(value);
    return "";
  }
  const bool mass = quantity == Quantity::mass;
  if (value < 0 && (mass || quantity == Quantity::radius)) {
    return fmt::format("{} is negative; a {} is 0 or more", value, mass ? "mass" : "radius");
  }
  if (quantity == Quantity::charge && b.q.size() < b.size()) b.q.resize(b.size(), 0.0);
  array_of(b, quantity)[body] = value;
  return "";
}

}  // namespace tri::io
