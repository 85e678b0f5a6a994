/// Random sequential addition of spheres with a grid of cells.

#include "sim/scene/spheres.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/laws/law_table.hpp"

namespace tri::scene {

namespace {

constexpr u32 kNone = 0xFFFFFFFFu;

/// The spheres placed so far, in linked lists by the cell of their centre. Cells are at least as wide as the largest
/// sphere, so that a sphere can touch only spheres in its cell and the neighbouring ones.
class PlacedSpheres {
 public:
  /// At most about eight cells per sphere, however small the spheres are.
  PlacedSpheres(u32 n, double diameter, bool periodic)
      : side_(static_cast<u32>(std::clamp(std::floor(1.0 / diameter), 1.0, 2.0 * std::cbrt(n) + 1.0))),
        periodic_(periodic),
        first_(std::size_t{side_} * side_ * side_, kNone),
        next_(n, kNone) {}

  bool is_free(const Bodies& b, const Vec& p, double radius) const {
    const Around x = around(p[0]), y = around(p[1]), z = around(p[2]);
    for (u32 k = 0; k < z.count; ++k) {
      for (u32 j = 0; j < y.count; ++j) {
        for (u32 i = 0; i < x.count; ++i) {
          if (touches_any(b, first_[index(x.cell[i], y.cell[j], z.cell[k])], p, radius)) return false;
        }
      }
    }
    return true;
  }

  void add(const Vec& p, u32 body) {
    u32& first = first_[index(cell(p[0]), cell(p[1]), cell(p[2]))];
    next_[body] = first;
    first = body;
  }

 private:
  /// A cell and its neighbours along one axis, each once.
  struct Around {
    std::array<u32, 3> cell{};
    u32 count = 0;
  };

  Around around(double x) const {
    const u32 c = cell(x);
    Around a;
    if (periodic_ && side_ < 3) {
      for (u32 other = 0; other < side_; ++other) a.cell[a.count++] = other;
      return a;
    }
    if (c > 0 || periodic_) a.cell[a.count++] = c > 0 ? c - 1 : side_ - 1;
    a.cell[a.count++] = c;
    if (c + 1 < side_ || periodic_) a.cell[a.count++] = c + 1 < side_ ? c + 1 : 0;
    return a;
  }

  bool touches_any(const Bodies& b, u32 body, const Vec& p, double radius) const {
    for (; body != kNone; body = next_[body]) {
      double dx = b.x[body] - p[0], dy = b.y[body] - p[1], dz = b.z[body] - p[2];
      if (periodic_) dx -= std::round(dx), dy -= std::round(dy), dz -= std::round(dz);
      const double reach = b.r[body] + radius;
      if (dx * dx + dy * dy + dz * dz <= reach * reach) return true;
    }
    return false;
  }

  u32 cell(double x) const { return std::min(static_cast<u32>(x * side_), side_ - 1); }
  std::size_t index(u32 i, u32 j, u32 k) const { return (std::size_t{k} * side_ + j) * side_ + i; }

  u32 side_;
  bool periodic_;
  std::vector<u32> first_, next_;
};

}  // namespace

void place_spheres(const char* scene, Bodies& b, Boundary walls, Random& random) {
  const auto n = static_cast<u32>(b.size());
  const bool periodic = walls == Boundary::periodic;
  std::vector<u32> order(n);
  std::iota(order.begin(), order.end(), 0u);
  // Largest first: small spheres fit between large ones.
  std::sort(order.begin(), order.end(), [&](u32 i, u32 j) { return b.r[i] != b.r[j] ? b.r[i] > b.r[j] : i < j; });

  PlacedSpheres placed_spheres(n, 2 * b.r[order.front()], periodic);
  constexpr u32 kMaxTries = 100000;
  for (u32 placed = 0; placed < n; ++placed) {
    const u32 i = order[placed];
    const double margin = periodic ? 0.0 : b.r[i];
    Vec p{};
    u32 tries = 0;
    do {
      // A periodic box is at least two diameters wide (physics_params.hpp).
      if (tries++ == kMaxTries || b.r[i] >= (periodic ? 0.25 : 0.5)) {
        throw ConfigError(
            fmt::format("scene {}: only {} of {} spheres fit; lower fill, or try another seed.", scene, placed, n));
      }
      for (double& c : p) c = random.uniform(margin, 1.0 - margin);
    } while (!placed_spheres.is_free(b, p, b.r[i]));
    b.x[i] = p[0], b.y[i] = p[1], b.z[i] = p[2];
    placed_spheres.add(p, i);
  }
}

void set_masses_by_volume(Bodies& b, double sum) {
  double volume = 0;
  for (const double r : b.r) volume += r * r * r;
  for (std::size_t i = 0; i < b.size(); ++i) b.m[i] = b.r[i] * b.r[i] * b.r[i] * sum / volume;
}

Boundary read_walls(SceneKeys& keys, Boundary fallback) {
  return boundary_from(keys.name("walls", to_string(fallback), kBoundaryNames.list()));
}

}  // namespace tri::scene
