#pragma once
/// Bodies as scenes, files and tests exchange them: host memory, float64, one array per quantity.
/// An engine keeps its own copy in its own precision and layout.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri {

/// All arrays have the same length n; n is exact, never rounded. Units are the scene's.
struct Bodies {
  std::vector<double> x, y, z;       ///< [n] position
  std::vector<double> vx, vy, vz;    ///< [n] velocity
  std::vector<double> m;             ///< [n] mass >= 0
  std::vector<double> r;             ///< [n] radius >= 0 (0 for point masses)
  std::vector<std::uint16_t> group;  ///< [n] part of the scene; empty without parts
  std::vector<u8> species;           ///< [n] atomic number, 0: none; empty if no body is an atom
  std::vector<double> q;             ///< [n] charge, any finite value; empty if no body has one
  /// [3 n] x, y, z of each body: what its position lost to rounding, for schemes that carry it on; empty: nothing
  std::vector<double> rest;

  std::size_t size() const noexcept { return x.size(); }

  void resize(std::size_t n) {
    for (auto* a : {&x, &y, &z, &vx, &vy, &vz, &m, &r}) a->resize(n, 0.0);
    if (!group.empty()) group.resize(n, 0);
    if (!species.empty()) species.resize(n, 0);
    if (!q.empty()) q.resize(n, 0.0);
    if (!rest.empty()) rest.resize(3 * n, 0.0);
  }

  void add(double px, double py, double pz, double qx, double qy, double qz, double mass, double radius = 0.0) {
    x.push_back(px), y.push_back(py), z.push_back(pz);
    vx.push_back(qx), vy.push_back(qy), vz.push_back(qz);
    m.push_back(mass), r.push_back(radius);
    if (!group.empty()) group.push_back(0);
    if (!species.empty()) species.push_back(0);
    if (!q.empty()) q.push_back(0.0);
    if (!rest.empty()) rest.resize(3 * size(), 0.0);
  }

  /// Assigns bodies from `first` on to this group; if there were no groups, the earlier ones get group 0.
  void set_group(std::size_t first, std::uint16_t number) {
    group.resize(size(), 0);
    for (std::size_t i = first; i < size(); ++i) group[i] = number;
  }
};

/// Throws ConfigError (with the index of the first bad body) on unequal lengths, n = 0, NaN or infinity, negative mass
/// or radius. Either every body has a group or none has, and likewise a species, and
/// a charge.
void check(const Bodies& bodies);

/// 0 without bodies.
double largest_radius(const Bodies& bodies);
/// The highest group plus 1; 0 without groups.
u32 group_count(const Bodies& bodies);

/// Points with any number of features, for all-pairs distances. Row-major.
struct PointSet {
  static constexpr u32 kMaxFeatures = 16;

  u32 n = 0;
  u32 features = 0;            ///< 1..kMaxFeatures
  std::vector<double> values;  ///< [n * features]
};

/// Throws ConfigError on no points, features out of range, too few or too many values, and (with the position of the
/// first) NaN or infinity.
void check(const PointSet& points);

}  // namespace tri
