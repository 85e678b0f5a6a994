#pragma once
/// Internals shared by the two source files of the oracle.

#include <array>
#include <vector>

#include "sim/reference/reference.hpp"

namespace tri::reference_detail {

using Vec3 = std::array<double, 3>;

/// Forces and energies of one state.
struct Sums {
  std::vector<Vec3> acceleration;  ///< [n] of laws that give accelerations (gravity)
  std::vector<Vec3> force;         ///< [n] of laws that give forces: pairs and triples
  std::vector<Vec3> wall_force;    ///< [n] of the walls' springs
  double pair_potential = 0;
  double pair_virial = 0;  ///< of laws that give forces, summed over pairs
  double triple_potential = 0;
  double wall_potential = 0;
};

/// From i to j; in a periodic box, to the nearest image of j.
Vec3 displacement(const Bodies& b, const Box& box, std::size_t i, std::size_t j);

Sums sum_all(const Bodies& bodies, const ForceField& field);

inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

inline Vec3 position(const Bodies& b, std::size_t i) { return {b.x[i], b.y[i], b.z[i]}; }
inline Vec3 velocity(const Bodies& b, std::size_t i) { return {b.vx[i], b.vy[i], b.vz[i]}; }
inline void set_position(Bodies& b, std::size_t i, const Vec3& r) { b.x[i] = r[0], b.y[i] = r[1], b.z[i] = r[2]; }
inline void set_velocity(Bodies& b, std::size_t i, const Vec3& v) { b.vx[i] = v[0], b.vy[i] = v[1], b.vz[i] = v[2]; }

}  // namespace tri::reference_detail
