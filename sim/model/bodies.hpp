#pragma once
/// Bodies as scenes, files and tests exchange them: host memory, float64, one array per quantity.
/// An engine keeps its own copy in its own precision and layout.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
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

  void resize(std::size_t n);
  void add(double px, double py, double pz, double qx, double qy, double qz, double mass, double radius = 0.0);

  /// Assigns bodies from `first` on to this group; if there were no groups, the earlier ones get group 0.
  void set_group(std::size_t first, std::uint16_t number) {
    group.resize(size(), 0);
    for (std::size_t i = first; i < size(); ++i) group[i] = number;
  }
};

/// What files, checks and messages know of a column of bodies.
struct ColumnInfo {
  enum Trait : u32 {
    kOptional = 1,  ///< empty if no body has one
    kFromZero = 2,  ///< real numbers of 0 or more
    kComputed = 4,  ///< engines hold it in a form of their own
  };

  std::string_view name;          ///< in csv and in messages: "q"
  std::string_view long_name;     ///< in other formats: "charge"; empty: only formats with atoms have it
  const char* dataset;            ///< of GADGET's layout
  const char* plural;             ///< "charges", in notes of what a format drops
  u32 traits = 0;                 ///< of Trait
  u32 highest = 0;                ///< of whole numbers from 0 on; 0: real numbers
  std::string_view aliases = {};  ///< that readers take, too, separated by blanks
  u32 width = 1;                  ///< values of a body

  constexpr bool has(Trait trait) const { return (traits & trait) != 0; }
};

/// Calls visit(ColumnInfo, column...) once for every column of these bodies, in the order in which snapshots hash them.
/// The one list of them: formats, checks, snapshots, the messages of ranks, edits and engines read it.
template <class Visit, class... B>
constexpr void describe_columns(const Visit& visit, B&... b) {
  using C = ColumnInfo;
  visit(C{"x", "x", nullptr, nullptr, C::kComputed}, b.x...);
  visit(C{"y", "y", nullptr, nullptr, C::kComputed}, b.y...);
  visit(C{"z", "z", nullptr, nullptr, C::kComputed}, b.z...);
  visit(C{"vx", "vx", nullptr, nullptr, C::kComputed}, b.vx...);
  visit(C{"vy", "vy", nullptr, nullptr, C::kComputed}, b.vy...);
  visit(C{"vz", "vz", nullptr, nullptr, C::kComputed}, b.vz...);
  visit(C{"m", "mass", nullptr, nullptr, C::kFromZero | C::kComputed, 0, "masses"}, b.m...);
  visit(C{"r", "radius", "Radius", "radii", C::kFromZero | C::kComputed}, b.r...);
  visit(C{"group", "group", "Group", "groups", C::kOptional, 65535}, b.group...);
  visit(C{"species", {}, "Species", "species", C::kOptional, 118}, b.species...);
  visit(C{"q", "charge", "Charge", "charges", C::kOptional | C::kComputed, 0, "initial_charges"}, b.q...);
  visit(C{"rest", {}, nullptr, nullptr, C::kOptional | C::kComputed, 0, {}, 3}, b.rest...);
}

template <class B, class Visit>
constexpr void for_each_column(B& bodies, const Visit& visit) {
  describe_columns(visit, bodies);
}
/// Of two: visit(ColumnInfo, column of a, column of b).
template <class A, class B, class Visit>
constexpr void for_each_column(A& a, B& b, const Visit& visit) {
  describe_columns(visit, a, b);
}

/// The rows of describe_columns().
std::span<const ColumnInfo> body_columns();

/// The columns that engines only pass on, in float32 or float64; the others are empty.
Bodies passive_columns(const Bodies& bodies, bool fp32);

/// Throws ConfigError (with the index of the first bad body) on unequal lengths, n = 0, NaN or infinity, negative mass
/// or radius. Either every body has a value of an optional column or none has.
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
