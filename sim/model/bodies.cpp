/// Checks of bodies and points.

#include "sim/model/bodies.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"

namespace tri {
namespace {

struct Column {
  const char* name;
  const std::vector<double>& values;
  bool signed_;
};

}  // namespace

void check(const Bodies& bodies) {
  const Column columns[] = {{"x", bodies.x, true},   {"y", bodies.y, true},   {"z", bodies.z, true},
                            {"vx", bodies.vx, true}, {"vy", bodies.vy, true}, {"vz", bodies.vz, true},
                            {"m", bodies.m, false},  {"r", bodies.r, false}};
  const std::size_t n = bodies.size();
  if (n == 0) throw ConfigError("there are no bodies; a scene needs at least one.");
  if (n > 0xffffffffu) {
    throw ConfigError(fmt::format("{} bodies are more than an index of 32 bits counts; give fewer than 2^32.", n));
  }
  for (const Column& c : columns) {
    if (c.values.size() != n) {
      throw ConfigError(fmt::format("the array {} holds {} values for {} bodies; every array needs one value a body.",
                                    c.name, c.values.size(), n));
    }
  }
  if (!bodies.group.empty() && bodies.group.size() != n) {
    throw ConfigError(fmt::format("the array group holds {} values for {} bodies; give one a body, or none at all.",
                                  bodies.group.size(), n));
  }
  if (!bodies.species.empty() && bodies.species.size() != n) {
    throw ConfigError(fmt::format("the array species holds {} values for {} bodies; give one a body, or none at all.",
                                  bodies.species.size(), n));
  }
  if (!bodies.q.empty() && bodies.q.size() != n) {
    throw ConfigError(fmt::format("the array q holds {} values for {} bodies; give one charge a body, or none at all.",
                                  bodies.q.size(), n));
  }
  if (!bodies.rest.empty() && bodies.rest.size() != 3 * n) {
    throw ConfigError(fmt::format("the array rest holds {} values for {} bodies; give three a body, or none at all.",
                                  bodies.rest.size(), n));
  }
  // Checks body by body, so that the message names the first bad body whatever the column.
  for (std::size_t i = 0; i < n; ++i) {
    for (const Column& c : columns) {
      const double v = c.values[i];
      if (!std::isfinite(v)) {
        throw ConfigError(fmt::format("body {} has {} = {}; every value must be a finite number.", i, c.name, v));
      }
      if (!c.signed_ && v < 0) {
        throw ConfigError(fmt::format("body {} has {} = {}; {} may not be negative.", i, c.name, v,
                                      c.name[0] == 'm' ? "a mass" : "a radius"));
      }
    }
    if (!bodies.q.empty() && !std::isfinite(bodies.q[i])) {
      throw ConfigError(fmt::format("body {} has q = {}; every charge must be a finite number.", i, bodies.q[i]));
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
