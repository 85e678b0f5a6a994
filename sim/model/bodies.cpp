/// Checks of bodies and points.

#include "sim/model/bodies.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"

namespace tri {
namespace {

/// Real numbers, one a body.
struct Column {
  ColumnInfo info;
  const std::vector<double>* values;
};

void check_length(const ColumnInfo& c, std::size_t length, std::size_t n) {
  if (length == c.width * n || (c.has(ColumnInfo::kOptional) && length == 0)) return;
  const std::string one = c.width == 3 ? "three" : c.highest != 0 ? "one" : fmt::format("one {}", c.long_name);
  throw ConfigError(fmt::format("the array {} holds {} values for {} bodies; {}.", c.name, length, n,
                                c.has(ColumnInfo::kOptional) ? fmt::format("give {} a body, or none at all", one)
                                                             : "every array needs one value a body"));
}

}  // namespace

void Bodies::resize(std::size_t n) {
  for_each_column(*this, [n](const ColumnInfo& c, auto& values) {
    if (!c.has(ColumnInfo::kOptional) || !values.empty()) values.resize(c.width * n);
  });
}

void Bodies::add(double px, double py, double pz, double qx, double qy, double qz, double mass, double radius) {
  resize(size() + 1);
  x.back() = px, y.back() = py, z.back() = pz;
  vx.back() = qx, vy.back() = qy, vz.back() = qz;
  m.back() = mass, r.back() = radius;
}

std::span<const ColumnInfo> body_columns() {
  static const std::vector<ColumnInfo> columns = [] {
    std::vector<ColumnInfo> rows;
    describe_columns([&rows](const ColumnInfo& c) { rows.push_back(c); });
    return rows;
  }();
  return columns;
}

Bodies passive_columns(const Bodies& bodies, bool fp32) {
  Bodies passive;
  for_each_column(passive, bodies,
                  [fp32]<class T>(const ColumnInfo& c, std::vector<T>& to, const std::vector<T>& from) {
                    if (c.has(ColumnInfo::kComputed)) return;
                    to = from;
                    if constexpr (std::is_same_v<T, double>) {
                      for (double& v : to) v = fp32 ? static_cast<double>(static_cast<float>(v)) : v;
                    }
                  });
  return passive;
}

void check(const Bodies& bodies) {
  const std::size_t n = bodies.size();
  if (n == 0) throw ConfigError("there are no bodies; a scene needs at least one.");
  if (n > 0xffffffffu) {
    throw ConfigError(fmt::format("{} bodies are more than an index of 32 bits counts; give fewer than 2^32.", n));
  }
  std::vector<Column> columns;
  for_each_column(bodies, [&]<class T>(const ColumnInfo& c, const std::vector<T>& values) {
    check_length(c, values.size(), n);
    if constexpr (std::is_same_v<T, double>) {
      if (c.width == 1 && !values.empty()) columns.push_back({c, &values});
    }
  });
  // Checks body by body, so that the message names the first bad body whatever the column.
  for (std::size_t i = 0; i < n; ++i) {
    for (const auto& [c, values] : columns) {
      const double v = (*values)[i];
      if (!std::isfinite(v)) {
        throw ConfigError(fmt::format("body {} has {} = {}; every {} must be a finite number.", i, c.name, v,
                                      c.has(ColumnInfo::kOptional) ? c.long_name : "value"));
      }
      if (c.has(ColumnInfo::kFromZero) && v < 0) {
        throw ConfigError(fmt::format("body {} has {} = {}; a {} may not be negative.", i, c.name, v, c.long_name));
      }
    }
  }
}

void check(const PointSet& points) {
  if (points.n == 0) throw ConfigError("there are no points; give at least one.");
  if (points.features == 0 || points.features > PointSet::kMaxFeatures) {
    throw ConfigError(
        fmt::format("the points have {} features; give 1 to {}.", points.features, PointSet::kMaxFeatures));
  }
  if (points.values.size() != std::size_t{points.n} * points.features) {
    throw ConfigError(
        fmt::format("{} values are not {} points of {} features.", points.values.size(), points.n, points.features));
  }
  for (std::size_t i = 0; i < points.values.size(); ++i) {
    if (std::isfinite(points.values[i])) continue;
    throw ConfigError(fmt::format("point {} has feature {} = {}; every value must be a finite number.",
                                  i / points.features, i % points.features, points.values[i]));
  }
}

double largest_radius(const Bodies& bodies) {
  double largest = 0;
  for (const double r : bodies.r) largest = std::max(largest, r);
  return largest;
}

u32 group_count(const Bodies& bodies) {
  if (bodies.group.empty()) return 0;
  return *std::max_element(bodies.group.begin(), bodies.group.end()) + 1u;
}

}  // namespace tri
