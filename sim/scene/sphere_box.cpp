/// Contact: a gas of elastic spheres of different radius and mass in a box of side 1 with reflecting walls.
///
/// Units: the box's side, the mean mass of a sphere and, by speed=1, the root mean square speed of a sphere of that
/// mass. Radii are even over [R/2, R], the density is one for all, and R is such that the spheres fill the share `fill`
/// of the box. Nothing overlaps at t = 0: places are drawn one after another until each is free (random sequential
/// addition, the largest first), with a grid of cells, so that a sphere looks at its neighbours only.
///
/// The default stiffness k lets a collision of ten times the mean thermal energy press the spheres together by a tenth
/// of the smallest radius; the default step is a fiftieth of the shortest contact, the longest that is sound.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "sim/contact_step.hpp"
#include "sim/error.hpp"
#include "sim/scene/random.hpp"
#include "sim/scene/scene_table.hpp"

namespace tri::scene {

namespace {

constexpr u32 kNobody = 0xFFFFFFFFu;

/// Spheres already placed, listed by the cell of their centre. Cells are at least as wide as the largest sphere, so
/// whatever a sphere can touch lies in its cell or a neighbour of it.
class CellGrid {
 public:
  /// At most about eight cells a sphere, however small the spheres are.
  CellGrid(u32 n, double diameter)
      : side_(static_cast<u32>(std::clamp(std::floor(1.0 / diameter), 1.0, 2.0 * std::cbrt(n) + 1.0))),
        first_(std::size_t{side_} * side_ * side_, kNobody),
        next_(n, kNobody) {}

  bool is_free(const Bodies& b, const Vec& p, double radius) const {
    const std::array<u32, 3> c{cell(p[0]), cell(p[1]), cell(p[2])};
    for (u32 k = low(c[2]); k <= high(c[2]); ++k) {
      for (u32 j = low(c[1]); j <= high(c[1]); ++j) {
        for (u32 i = low(c[0]); i <= high(c[0]); ++i) {
          if (touches_one_of(b, first_[index(i, j, k)], p, radius)) return false;
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
  bool touches_one_of(const Bodies& b, u32 body, const Vec& p, double radius) const {
    for (; body != kNobody; body = next_[body]) {
      const double dx = b.x[body] - p[0], dy = b.y[body] - p[1], dz = b.z[body] - p[2];
      const double reach = b.r[body] + radius;
      if (dx * dx + dy * dy + dz * dz <= reach * reach) return true;
    }
    return false;
  }

  u32 cell(double x) const { return std::min(static_cast<u32>(x * side_), side_ - 1); }
  u32 low(u32 c) const { return c == 0 ? 0 : c - 1; }
  u32 high(u32 c) const { return std::min(c + 1, side_ - 1); }
  std::size_t index(u32 i, u32 j, u32 k) const { return (std::size_t{k} * side_ + j) * side_ + i; }

  u32 side_;
  std::vector<u32> first_, next_;
};

/// Largest radius of n spheres with radii even over [R/2, R] and total volume `fill`; the mean of r^3 is 15/32 R^3.
double largest_radius(u32 n, double fill) { return std::cbrt(fill * 3.0 / (4.0 * std::numbers::pi * n) * 32.0 / 15.0); }

/// Draws the radii, then the places, the largest sphere first: the small ones find room between the large.
void place_spheres(Bodies& b, double largest, Random& random) {
  const auto n = static_cast<u32>(b.size());
  for (double& r : b.r) r = largest * random.uniform(0.5, 1.0);
  std::vector<u32> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](u32 i, u32 j) { return b.r[i] != b.r[j] ? b.r[i] > b.r[j] : i < j; });

  CellGrid grid(n, 2 * largest);
  constexpr u32 kMostTries = 100000;
  for (u32 placed = 0; placed < n; ++placed) {
    const u32 i = order[placed];
    Vec p{};
    u32 tries = 0;
    do {
      if (tries++ == kMostTries || b.r[i] >= 0.5) {
        throw ConfigError(
            fmt::format("scene sphere-box: {} of {} spheres found room; lower fill, or try another seed.", placed, n));
      }
      for (double& c : p) c = random.uniform(b.r[i], 1.0 - b.r[i]);
    } while (!grid.is_free(b, p, b.r[i]));
    b.x[i] = p[0], b.y[i] = p[1], b.z[i] = p[2];
    grid.add(p, i);
  }
}

}  // namespace

Scene sphere_box(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 512, 1, kMostBodies);
  scene.seed = keys.seed();
  // Few spheres are large ones, and the walls take much of their room.
  const double fill = keys.real("fill", 0.2 * n / (n + 16.0), {0, 0.3, false, true});
  const double speed = keys.real("speed", 1.0, kNotNegative);
  const double largest = largest_radius(n, fill);
  const double press = 0.1 * 0.5 * largest;
  const double energy = 10.0 * (speed > 0 ? speed * speed : 1.0) / 3.0;
  ContactParams& contact = scene.field.contact;
  contact.stiffness = keys.real("k", 2.0 * energy / (press * press), kPositive);
  contact.damping = keys.real("c", 0.0, kNotNegative);
  const double dt = keys.real("dt", 0.0, kPositive);  // 0 cannot be given: by the contacts, below
  keys.done();

  scene.units = "side of the box 1, mean mass 1, mean square speed of that mass 1";
  scene.field.pair = PairLaw::contact;
  scene.field.box = {{0, 0, 0}, {1, 1, 1}, Boundary::reflecting};
  Random random(scene.seed);
  scene.bodies.resize(n);
  Bodies& b = scene.bodies;
  place_spheres(b, largest, random);
  double volume = 0;
  for (const double r : b.r) volume += r * r * r;
  for (u32 i = 0; i < n; ++i) b.m[i] = b.r[i] * b.r[i] * b.r[i] * n / volume;
  set_thermal_velocities(b, 0.5 * n * speed * speed, random);
  scene.dt = dt > 0 ? dt : shortest_contact(b, scene.field) / kStepsPerContact;
  return scene;
}

}  // namespace tri::scene
