/// Scenes of spheres: boxes, piles, random placement.
///
/// Random sequential addition of spheres with a grid of cells.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/model/checks.hpp"
#include "sim/scene/generators.hpp"

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
  sort_reporting(order.begin(), order.end());

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
  return from_name<Boundary>(keys.name("walls", to_string(fallback), kNamesOf<Boundary>.list()));
}

// Contact: gases of spheres in a cube.
//
// Three keys scale both: `length`, the side of the box; `mass`, that of a sphere (sphere-box: the mean); `speed`, the
// rms speed of a sphere of that mass. Each is 1 if it is not given. k and dt follow, so that the motion is the same in
// units of length / speed.
//
// sphere-box: soft elastic spheres of different radius and mass. Radii are uniform in [R/2, R], the density is
// constant, and R is such that the spheres fill the fraction `fill` of the box. Nothing overlaps at t = 0. With the
// default stiffness k, a collision at ten times the mean thermal energy compresses the spheres by a tenth of the
// smallest radius; the default step is a fiftieth of the shortest contact, the largest that is accurate.
//
// gas: equal hard spheres with impulses, the textbook's gas. The default step moves the fastest sphere by a tenth of a
// radius.

namespace {

/// What the user sets of the three scales.
struct Scales {
  double mass, length, speed;

  explicit Scales(SceneKeys& keys)
      : mass(keys.real("mass", 1.0, kPositive)),
        length(keys.real("length", 1.0, kPositive)),
        speed(keys.real("speed", 1.0, kNotNegative)) {}

  /// The speed, or 1 where spheres at rest have none: for what must be above 0.
  double pace() const { return speed > 0 ? speed : 1.0; }
  Box box(Boundary walls) const { return {{0, 0, 0}, {length, length, length}, walls}; }
};

/// Radius of n equal spheres of total volume `fill`.
double equal_radius(u32 n, double fill) { return std::cbrt(fill * 3.0 / (4.0 * std::numbers::pi * n)); }

/// Largest radius of n spheres with radii uniform in [R/2, R] and total volume `fill`; the mean of r^3 is 15/32 R^3.
double largest_radius(u32 n, double fill) { return std::cbrt(fill * 3.0 / (4.0 * std::numbers::pi * n) * 32.0 / 15.0); }

/// Lower for few spheres: they are large, and walls exclude much of the volume.
double default_fill(u32 n) { return 0.2 * n / (n + 16.0); }

constexpr Range kFill{0, 0.3, false, true};

double fastest(const Bodies& b) {
  double square = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    square = std::max(square, b.vx[i] * b.vx[i] + b.vy[i] * b.vy[i] + b.vz[i] * b.vz[i]);
  }
  return std::sqrt(square);
}

}  // namespace

Scene sphere_box(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 512, 1, kMaxBodies);
  scene.seed = keys.seed();
  const double fill = keys.real("fill", default_fill(n), kFill);
  const Scales scales(keys);
  keys.time = scales.length / scales.pace();
  const Boundary walls = read_walls(keys, Boundary::reflecting);
  const double largest = largest_radius(n, fill);
  const double press = 0.1 * 0.5 * largest * scales.length;
  const double energy = 10.0 * scales.mass * scales.pace() * scales.pace() / 3.0;
  ContactParams& contact = scene.field.contact;
  contact.stiffness = keys.real("k", 2.0 * energy / (press * press), kPositive);
  contact.damping = keys.real("c", 0.0, kNotNegative);
  const double dt = keys.real("dt", 0.0, kPositive);  // 0: not given, derived from the contacts below
  keys.done();

  scene.units = fmt::format("side of the box {:.6g}, mean mass {:.6g}, rms speed of that mass {:.6g}", scales.length,
                            scales.mass, scales.speed);
  scene.field.pair = PairLaw::contact;
  scene.field.box = scales.box(walls);
  Random random(scene.seed);
  scene.bodies.resize(n);
  Bodies& b = scene.bodies;
  for (double& r : b.r) r = largest * random.uniform(0.5, 1.0);
  place_spheres("sphere-box", b, walls, random);
  set_masses_by_volume(b, n);
  scale_bodies(b, scales.mass, scales.length);
  set_thermal_velocities(b, 0.5 * n * scales.mass * scales.speed * scales.speed, random);
  // A single sphere without walls has no contacts; any step will do.
  const double contact_time = shortest_contact(b, scene.field);
  scene.dt = dt > 0 ? dt : std::isfinite(contact_time) ? contact_time / kStepsPerContact : scene.dt;
  return scene;
}

Scene gas(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 4096, 1, kMaxBodies);
  scene.seed = keys.seed();
  const double fill = keys.real("fill", default_fill(n), kFill);
  const Scales scales(keys);
  keys.time = scales.length / scales.pace();
  const Boundary walls = read_walls(keys, Boundary::periodic);
  scene.field.contact.impulse = true;
  scene.field.contact.restitution = keys.real("e", 1.0, {0, 1, true, true});
  const double dt = keys.real("dt", 0.0, kPositive);  // 0: not given, derived from the fastest sphere below
  keys.done();

  scene.units = fmt::format("side of the box {:.6g}, mass of a sphere {:.6g}, rms speed {:.6g}", scales.length,
                            scales.mass, scales.speed);
  scene.field.pair = PairLaw::contact;
  scene.field.box = scales.box(walls);
  Random random(scene.seed);
  scene.bodies.resize(n);
  Bodies& b = scene.bodies;
  std::fill(b.r.begin(), b.r.end(), equal_radius(n, fill));
  std::fill(b.m.begin(), b.m.end(), 1.0);
  place_spheres("gas", b, walls, random);
  scale_bodies(b, scales.mass, scales.length);
  set_thermal_velocities(b, 0.5 * n * scales.mass * scales.speed * scales.speed, random);
  const double top_speed = fastest(b);
  scene.dt = dt > 0 ? dt : 0.1 * b.r[0] / (top_speed > 0 ? top_speed : 1.0);
  return scene;
}

// Contact: spheres of different radius and mass fall into a box, pile up and come to rest.
//
// Three keys scale it: `length`, the largest diameter; `mass`, that of a sphere of this size; `g`, the field. Each is
// 1 if it is not given. k, the dashpot and dt follow, so that the motion is the same in units of sqrt(length / g).
//
// Radii are uniform in [1/4, 1/2] length, the density is constant. At t = 0 the spheres form loose layers of w x w,
// each at a random position in its own cell, so that none overlap; w^3 = 2 n, so the box is wider than the pile is
// high. The field points along -y; the lid is higher than any sphere can jump.
//
// response=springs: with the stiffness k, a fall of the largest sphere from the top compresses a contact of two of
// them by a tenth of the smallest radius; the dashpot gives two of them the restitution e (lighter ones rebound less),
// and the step is a fiftieth of the shortest contact. response=impulses: restitution e; in one step, a sphere that
// fell from the top to the floor moves by a tenth of the smallest radius.

namespace {

constexpr double kSmallest = 0.25, kLargest = 0.5;
/// Side of a sphere's starting cell. All three are in units of length.
constexpr double kSpacing = 1.05;

/// Damping of two such masses on a spring k for a restitution 0 < e <= 1: the inverse of contact_restitution().
double damping_for(double k, double mass, double e) {
  const double log = std::log(e);
  const double ratio = -log / std::sqrt(std::numbers::pi * std::numbers::pi + log * log);
  return 2.0 * ratio * std::sqrt(k * mass * 0.5);
}

void stack(Bodies& b, u32 wide, Random& random) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double r = b.r[i] = random.uniform(kSmallest, kLargest);
    b.m[i] = 8 * r * r * r;
    const auto random_in = [&](std::size_t cell) {
      return kSpacing * static_cast<double>(cell) + random.uniform(r, kSpacing - r);
    };
    b.x[i] = random_in(i % wide);
    b.z[i] = random_in(i / wide % wide);
    b.y[i] = random_in(i / wide / wide);
  }
}

}  // namespace

Scene falling_pile(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 1000, 1, kMaxBodies);
  scene.seed = keys.seed();
  const double mass = keys.real("mass", 1.0, kPositive), length = keys.real("length", 1.0, kPositive);
  const double g = keys.real("g", 1.0, kPositive);
  keys.time = std::sqrt(length / g);
  const bool impulses = keys.name("response", "springs", {"springs", "impulses"}) == "impulses";
  const u32 wide = std::max(1u, static_cast<u32>(std::lround(std::cbrt(2.0 * n))));
  const double layers = std::ceil(static_cast<double>(n) / wide / wide);
  const double side = kSpacing * wide * length, height = kSpacing * layers * length;
  ContactParams& contact = scene.field.contact;
  contact.impulse = impulses;
  const double e = keys.real("e", 0.5, {0, 1, impulses, true});
  const double press = 0.1 * kSmallest * length;
  // m_eff v^2 / 2 = k h^2 / 2 with m_eff = mass / 2 and v^2 = 2 g height.
  if (impulses) keys.refuse_idle("k", "belongs to contact with response = springs, and response is impulses.");
  if (!impulses) contact.stiffness = keys.real("k", mass * g * height / (press * press), kPositive);
  const double dt = keys.real("dt", 0.0, kPositive);  // 0: not given, derived from the contacts below
  keys.done();

  contact.restitution = e;
  if (!impulses) contact.damping = damping_for(contact.stiffness, mass, e);
  scene.units = fmt::format("largest diameter {:.6g}, mass of such a sphere {:.6g}, field {:.6g}", length, mass, g);
  scene.field.pair = PairLaw::contact;
  scene.field.field = {0, -g, 0};
  scene.field.box = {{0, 0, 0}, {side, 2 * (height + length), side}, Boundary::reflecting};
  scene.bodies.resize(n);
  Random random(scene.seed);
  stack(scene.bodies, wide, random);
  scale_bodies(scene.bodies, mass, length);
  const double by_contact =
      impulses ? press / std::sqrt(2 * g * height) : shortest_contact(scene.bodies, scene.field) / kStepsPerContact;
  scene.dt = dt > 0 ? dt : by_contact;
  return scene;
}

}  // namespace tri::scene
