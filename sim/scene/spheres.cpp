/// Random sequential addition of spheres with a grid of cells.

#include "sim/scene/spheres.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/laws/law_table.hpp"

namespace tri::scene {

namespace {

constexpr u32 kNone = 0xFFFFFFFFu;

/// The spheres placed so far, in linked lists by the cell of their centre. Cells are at least as wide as the largest
/// sphere, so that a sphere can touch only spheres in its cell and the neighbouring ones; of these, only those that
/// begin within its reach are looked at, its own cell first, where most tries end.
class PlacedSpheres {
 public:
  /// At most about eight cells per sphere, however small the spheres are.
  PlacedSpheres(u32 n, double diameter, bool periodic)
      : side_(static_cast<u32>(std::clamp(std::floor(1.0 / diameter), 1.0, 2.0 * std::cbrt(n) + 1.0))),
        largest_(diameter / 2),
        periodic_(periodic),
        first_(std::size_t{side_} * side_ * side_, kNone) {
    spheres_.reserve(n);
  }

  bool is_free(const Vec& p, double radius) const {
    const Around x = around(p[0]), y = around(p[1]), z = around(p[2]);
    const double reach = radius + largest_ + kSlack, reach2 = reach * reach;
    for (u32 k = 0; k < z.count; ++k) {
      for (u32 j = 0; j < y.count; ++j) {
        const double left2 = reach2 - z.gap2[k] - y.gap2[j];
        const std::size_t row = (std::size_t{z.cell[k]} * side_ + y.cell[j]) * side_;
        for (u32 i = 0; i < x.count; ++i) {
          if (x.gap2[i] <= left2 && touches_any(first_[row + x.cell[i]], p, radius)) return false;
        }
      }
    }
    return true;
  }

  void add(const Vec& p, double radius) {
    u32& first = first_[(std::size_t{cell(p[2])} * side_ + cell(p[1])) * side_ + cell(p[0])];
    spheres_.push_back({p, radius, first});
    first = static_cast<u32>(spheres_.size() - 1);
  }

 private:
  struct Placed {
    Vec p;
    double r;
    u32 next;
  };
  /// A cell and its neighbours along one axis, each once, with the square of how far away they begin.
  struct Around {
    std::array<u32, 3> cell{};
    std::array<double, 3> gap2{};
    u32 count = 0;
  };

  Around around(double x) const {
    const u32 c = cell(x);
    const double at = x * side_ - c, width = 1.0 / side_;
    Around a;
    const auto add = [&](u32 other, double gap) { a.cell[a.count] = other, a.gap2[a.count++] = gap * gap; };
    add(c, 0);
    if (periodic_ && side_ < 3) {
      for (u32 other = 0; other < side_; ++other) {
        if (other != c) add(other, 0);
      }
      return a;
    }
    if (c > 0 || periodic_) add(c > 0 ? c - 1 : side_ - 1, at * width);
    if (c + 1 < side_ || periodic_) add(c + 1 < side_ ? c + 1 : 0, (1 - at) * width);
    return a;
  }

  bool touches_any(u32 at, const Vec& p, double radius) const {
    while (at != kNone) {
      const Placed& other = spheres_[at];
      double dx = other.p[0] - p[0], dy = other.p[1] - p[1], dz = other.p[2] - p[2];
      if (periodic_) dx -= std::round(dx), dy -= std::round(dy), dz -= std::round(dz);
      const double reach = other.r + radius;
      if (dx * dx + dy * dy + dz * dz <= reach * reach) return true;
      at = other.next;
    }
    return false;
  }

  u32 cell(double x) const { return std::min(static_cast<u32>(x * side_), side_ - 1); }

  static constexpr double kSlack = 1e-12;  ///< more than distances to cells are rounded by

  u32 side_;
  double largest_;
  bool periodic_;
  std::vector<u32> first_;
  std::vector<Placed> spheres_;
};

}  // namespace

void place_spheres(const char* scene, Bodies& b, Boundary walls, Random& random) {
  const auto n = static_cast<u32>(b.size());
  const bool periodic = walls == Boundary::periodic;
  // Largest first: small spheres fit between large ones.
  std::vector<std::pair<double, u32>> order(n);
  for (u32 i = 0; i < n; ++i) order[i] = {-b.r[i], i};
  std::sort(order.begin(), order.end());

  PlacedSpheres placed_spheres(n, -2 * order.front().first, periodic);
  constexpr u32 kMaxTries = 100000;
  const ScopedTask work(fmt::format("places of {} spheres", n));
  LoopProgress progress(n);
  for (u32 placed = 0; placed < n; ++placed) {
    const u32 i = order[placed].second;
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
    } while (!placed_spheres.is_free(p, b.r[i]));
    b.x[i] = p[0], b.y[i] = p[1], b.z[i] = p[2];
    placed_spheres.add(p, b.r[i]);
    progress.at(placed + 1);
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
