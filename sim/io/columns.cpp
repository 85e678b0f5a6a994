#include "sim/io/columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/base/contracts.hpp"
#include "sim/io/files/text_input.hpp"

namespace tri::io {

std::optional<Quantity> quantity_of(std::string_view name) {
  constexpr std::pair<std::string_view, Quantity> kNames[] = {
      {"x", Quantity::x},
      {"y", Quantity::y},
      {"z", Quantity::z},
      {"vx", Quantity::vx},
      {"vy", Quantity::vy},
      {"vz", Quantity::vz},
      {"m", Quantity::mass},
      {"mass", Quantity::mass},
      {"masses", Quantity::mass},
      {"r", Quantity::radius},
      {"radius", Quantity::radius},
      {"group", Quantity::group},
      {"position", Quantity::x},
      {"pos", Quantity::x},
      {"points", Quantity::x},
      {"velocity", Quantity::vx},
      {"q", Quantity::charge},
      {"charge", Quantity::charge},
      {"initial_charges", Quantity::charge},
      {"velo", Quantity::vx},
      {"vel", Quantity::vx},
      {"velocities", Quantity::vx},
  };
  const std::string lower = lower_case(name);
  for (const auto& [known, quantity] : kNames) {
    if (lower == known) return quantity;
  }
  return std::nullopt;
}

const UnitSystem* units_of_comment(std::string_view comment) {
  constexpr std::string_view kKey = "units";
  comment = trimmed(comment.substr(std::min(comment.find_first_not_of("# \t"), comment.size())));
  if (!comment.starts_with(kKey)) return nullptr;
  comment.remove_prefix(kKey.size());
  if (!comment.empty() && comment.front() == ':') comment.remove_prefix(1);
  return find_unit_system(trimmed(comment));
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
