/// The time scale of a contact compared with the step; depths of contacts, foreseen from energies and found in a state.

#include "sim/model/contact_step.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "sim/base/contracts.hpp"

namespace tri {
namespace {

/// v truncated (not rounded) to three digits, so that a user who follows the advice is below the limit.
double cut_to_three_digits(double v) {
  const double unit = std::pow(10.0, std::floor(std::log10(v)) - 2.0);
  return std::floor(v / unit) * unit;
}

constexpr double kNever = std::numeric_limits<double>::infinity();

/// The minimum of value(i) over the bodies that qualify, and over all others; infinity where there is none.
template <class Value, class Qualifies>
std::pair<double, double> least_two(const Bodies& bodies, const Value& value, const Qualifies& qualifies) {
  const std::size_t none = bodies.size();
  std::size_t first = none;
  for (std::size_t i = 0; i < none; ++i) {
    if (qualifies(i) && value(i) < kNever && (first == none || value(i) < value(first))) first = i;
  }
  if (first == none) return {kNever, kNever};
  double other = kNever;
  for (std::size_t i = 0; i < none; ++i) {
    if (i != first) other = std::min(other, value(i));
  }
  return {value(first), other};
}

double damping_ratio(double k, double m_eff, double c) { return c / (2.0 * std::sqrt(k * m_eff)); }

constexpr std::size_t kMostEnergetic = 256;
constexpr const char* kTooSoft = "the springs are too soft, and spheres can pass through";

using Vec = std::array<double, 3>;

Vec place(const Bodies& b, std::size_t i) { return {b.x[i], b.y[i], b.z[i]}; }
Vec speed_vector(const Bodies& b, std::size_t i) { return {b.vx[i], b.vy[i], b.vz[i]}; }
double product(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec difference(const Vec& a, const Vec& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

bool has_contact_springs(const ForceField& f) { return f.pair == PairLaw::contact && !f.contact.impulse; }
bool has_walls(const ForceField& f) { return f.box.boundary == Boundary::reflecting; }

/// Of a damped spring that a mass meets at this speed: v sqrt(m / k), and less for its dashpot.
double largest_overlap(const ContactParams& c, double mass, double speed) {
  const double zeta = c.damping / (2 * std::sqrt(c.stiffness * mass));
  const double free = speed * std::sqrt(mass / c.stiffness);
  if (zeta == 0) return free;
  if (zeta >= 1) return std::min(free * std::exp(-1.0), speed * mass / c.damping);
  const double root = std::sqrt(1 - zeta * zeta);
  return free * std::exp(-zeta / root * std::atan2(root, zeta));
}

/// The speed at the lower wall of a body that falls there in the uniform field.
double speed_below(const Bodies& b, const ForceField& f, std::size_t i) {
  double square = product(speed_vector(b, i), speed_vector(b, i));
  if (!has_walls(f)) return std::sqrt(square);
  const Vec at = place(b, i);
  for (std::size_t a = 0; a < 3; ++a) {
    const double way = f.field[a] < 0 ? at[a] - f.box.low[a] : f.box.high[a] - at[a];
    square += 2 * std::abs(f.field[a]) * std::max(0.0, way);
  }
  return std::sqrt(square);
}

/// How fast two bodies may meet, of which each reaches the speed of its fall below; 0: never.
double closing_speed(const Bodies& b, const ForceField& f, std::size_t i, std::size_t j, double fall_i, double fall_j) {
  if (f.box.boundary != Boundary::open) {
    const double own_i = std::sqrt(product(speed_vector(b, i), speed_vector(b, i)));
    const double own_j = std::sqrt(product(speed_vector(b, j), speed_vector(b, j)));
    return std::max(fall_i + own_j, own_i + fall_j);
  }
  const Vec d = difference(place(b, j), place(b, i)), v = difference(speed_vector(b, j), speed_vector(b, i));
  const double along = product(d, v), v2 = product(v, v), reach = b.r[i] + b.r[j];
  if (!(along < 0) || !(v2 > 0)) return 0;
  const double miss2 = std::max(0.0, product(d, d) - along * along / v2);
  return miss2 < reach * reach ? std::sqrt(v2 * (1 - miss2 / (reach * reach))) : 0;
}

double smaller_radius(double a, double b) { return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); }

/// The deepest of the overlaps that are offered, over its limit.
struct Deepest {
  double share = 1;      ///< of the limit
  double of_radius = 0;  ///< of all that are met, whatever their limit
  std::string text;

  template <class Text>
  void offer(double overlap, double limit, const Text& of) {
    if (!(overlap > share * limit)) return;
    share = overlap / limit, text = of();
  }
};

std::string percent_of(double overlap, double radius) {
  return fmt::format("{:.3g}, {:.0f} % of the smaller radius", overlap, 100 * overlap / radius);
}

void find_at_walls(const Bodies& b, const Box& box, Deepest& deepest) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    const Vec at = place(b, i);
    for (std::size_t a = 0; a < 3; ++a) {
      const double side = box.high[a] - box.low[a], below = box.low[a] - at[a], above = at[a] - box.high[a];
      const double limit = b.r[i] > 0 ? b.r[i] : 0.1 * side;
      const double out = std::max(below, above);
      if (b.r[i] > 0) deepest.of_radius = std::max(deepest.of_radius, (out + b.r[i]) / b.r[i]);
      deepest.offer(out + b.r[i], limit, [&] {
        return fmt::format("body {} is {:.3g} beyond the wall {} = {:.6g}", i, out, "xyz"[a],
                           below > above ? box.low[a] : box.high[a]);
      });
    }
  }
}

/// Pairs of spheres whose cells are neighbours; in a small system, and across periodic walls, all pairs.
template <class Pair>
void for_near_pairs(const Bodies& b, double width, bool all, const Pair& pair) {
  const std::size_t n = b.size();
  if (all) {
    for (std::size_t i = 1; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) pair(i, j);
    }
    return;
  }
  using Cell = std::array<i64, 3>;
  const auto cell = [&](double v) { return static_cast<i64>(std::clamp(std::floor(v / width), -1e15, 1e15)); };
  std::vector<std::pair<Cell, std::size_t>> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = {{cell(b.x[i]), cell(b.y[i]), cell(b.z[i])}, i};
  std::sort(order.begin(), order.end());
  for (const auto& [at, i] : order) {
    for (i64 x = -1; x <= 1; ++x) {
      for (i64 y = -1; y <= 1; ++y) {
        const Cell from{at[0] + x, at[1] + y, at[2] - 1}, to{at[0] + x, at[1] + y, at[2] + 1};
        auto other = std::lower_bound(order.begin(), order.end(), std::pair(from, std::size_t{0}));
        for (; other != order.end() && other->first <= to; ++other) {
          if (other->second < i) pair(i, other->second);
        }
      }
    }
  }
}

void find_pairs(const Bodies& b, const Box& box, Deepest& deepest) {
  constexpr std::size_t kFew = 256;
  const bool periodic = box.boundary == Boundary::periodic;
  const auto pair = [&](std::size_t i, std::size_t j) {
    Vec d = difference(place(b, j), place(b, i));
    for (std::size_t a = 0; periodic && a < 3; ++a) {
      const double side = box.high[a] - box.low[a];
      d[a] -= side * std::round(d[a] / side);
    }
    const double overlap = b.r[i] + b.r[j] - std::sqrt(product(d, d)), radius = smaller_radius(b.r[i], b.r[j]);
    if (!(overlap > 0)) return;
    deepest.of_radius = std::max(deepest.of_radius, overlap / radius);
    deepest.offer(overlap, kDeepOverlap * radius,
                  [&] { return fmt::format("bodies {} and {} overlap by {}", j, i, percent_of(overlap, radius)); });
  };
  const double largest = b.size() == 0 ? 0 : *std::max_element(b.r.begin(), b.r.end());
  if (largest > 0) for_near_pairs(b, 2 * largest, b.size() <= kFew, pair);
}

}  // namespace

double contact_time(double k, double m_eff, double c) {
  TRI_EXPECTS(k > 0 && m_eff > 0 && c >= 0);
  const double w0 = std::sqrt(k / m_eff);
  const double zeta = damping_ratio(k, m_eff, c);
  if (zeta < 1) return std::numbers::pi / (w0 * std::sqrt(1.0 - zeta * zeta));
  return std::numbers::pi / (w0 * (zeta + std::sqrt(zeta * zeta - 1.0)));
}

double contact_restitution(double k, double m_eff, double c) {
  TRI_EXPECTS(k > 0 && m_eff > 0 && c >= 0);
  const double zeta = damping_ratio(k, m_eff, c);
  return zeta < 1 ? std::exp(-std::numbers::pi * zeta / std::sqrt(1.0 - zeta * zeta)) : 0.0;
}

double shortest_contact(const Bodies& bodies, const ForceField& field) {
  if (field.pair != PairLaw::contact || field.contact.impulse) return kNever;
  const double k = field.contact.stiffness, c = field.contact.damping;
  const auto scale = [&](double m_eff) { return contact_time(k, m_eff, damping_ratio(k, m_eff, c) < 1 ? 0.0 : c); };
  // Point masses collide with spheres, but not with each other.
  const auto [sphere, other] = least_two(
      bodies, [&](std::size_t i) { return bodies.m[i] > 0 ? bodies.m[i] : kNever; },
      [&](std::size_t i) { return bodies.r[i] > 0; });
  // m1 m2 / (m1 + m2), in a form that neither overflows nor divides 0 by 0.
  if (other < kNever) return scale(std::min(sphere, other) / (1.0 + std::min(sphere, other) / std::max(sphere, other)));
  if (field.box.boundary != Boundary::reflecting) return kNever;
  const double lightest = least_two(
                              bodies, [&](std::size_t i) { return bodies.m[i] > 0 ? bodies.m[i] : kNever; },
                              [](std::size_t) { return true; })
                              .first;
  return lightest < kNever ? scale(lightest) : kNever;
}

double longest_impulse_step(const Bodies& bodies, const ForceField& field) {
  if (field.pair != PairLaw::contact || !field.contact.impulse) return kNever;
  const auto [smallest, other] = least_two(
      bodies, [&](std::size_t i) { return bodies.r[i]; }, [&](std::size_t i) { return bodies.r[i] > 0; });
  if (!(other < kNever)) return kNever;
  double fall = 0;  // twice the energy that a unit of mass can gain
  if (field.box.boundary == Boundary::reflecting) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      fall += 2 * std::fabs(field.field[axis]) * (field.box.high[axis] - field.box.low[axis]);
    }
  }
  double fastest = 0, second = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double square = bodies.vx[i] * bodies.vx[i] + bodies.vy[i] * bodies.vy[i] + bodies.vz[i] * bodies.vz[i];
    const double speed = std::sqrt(square + fall);
    second = std::max(second, std::min(fastest, speed));
    fastest = std::max(fastest, speed);
  }
  const double closing = fastest + second;
  return closing > 0 ? (smallest + other) / closing : kNever;
}

std::string contact_step_warning(const Bodies& bodies, const ForceField& field, double dt) {
  if (const double longest = longest_impulse_step(bodies, field); std::fabs(dt) > longest) {
    return fmt::format(
        "dt = {:.4g} is more than the {:.4g} in which the fastest spheres come from touching to centre on centre, so "
        "some may pass unseen; use --dt {:.4g} or less.",
        std::fabs(dt), longest, cut_to_three_digits(longest));
  }
  const double time = shortest_contact(bodies, field);
  if (!(std::fabs(dt) > time / kStepsPerContact)) return {};
  return fmt::format(
      "dt = {:.4g} is more than a fiftieth of the shortest contact time, {:.4g}, so contacts gain or lose energy; use "
      "--dt {:.4g} or less, or a softer spring.",
      std::fabs(dt), time, cut_to_three_digits(time / kStepsPerContact));
}

std::string soft_spring_warning(const Bodies& b, const ForceField& f) {
  if (!has_contact_springs(f)) return {};
  std::vector<double> speed(b.size()), energy(b.size());
  std::vector<std::size_t> order(b.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Deepest deepest;
  for (std::size_t i = 0; i < b.size(); ++i) {
    speed[i] = speed_below(b, f, i), energy[i] = 0.5 * b.m[i] * speed[i] * speed[i];
    if (!has_walls(f) || !(b.r[i] > 0) || !(b.m[i] > 0)) continue;
    const double overlap = largest_overlap(f.contact, b.m[i], speed[i]);
    deepest.offer(overlap, b.r[i], [&] {
      return fmt::format("body {} can press {:.3g} into a wall, {:.2g} times its radius", i, overlap, overlap / b.r[i]);
    });
  }
  const std::size_t few = std::min(kMostEnergetic, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(few), order.end(),
                    [&](std::size_t i, std::size_t j) { return std::pair(-energy[i], i) < std::pair(-energy[j], j); });
  for (std::size_t p = 1; p < few; ++p) {
    for (std::size_t q = 0; q < p; ++q) {
      const std::size_t i = order[p], j = order[q];
      const double radius = smaller_radius(b.r[i], b.r[j]), mass = b.m[i] * b.m[j] / (b.m[i] + b.m[j]);
      if (!(radius > 0) || !(mass > 0)) continue;
      const double closing = closing_speed(b, f, i, j, speed[i], speed[j]);
      const double overlap = largest_overlap(f.contact, mass, closing);
      deepest.offer(overlap, kDeepOverlap * radius, [&] {
        return fmt::format("bodies {} and {} can come together at a speed of {:.3g} and overlap by {}", std::min(i, j),
                           std::max(i, j), closing, percent_of(overlap, radius));
      });
    }
  }
  if (deepest.text.empty()) return {};
  return fmt::format("{}: {}. Use a stiffness of {:.2g} or more (it is {:.4g}), with a step that fits.", deepest.text,
                     kTooSoft, f.contact.stiffness * deepest.share * deepest.share, f.contact.stiffness);
}

bool OverlapWatch::wants(const ForceField& field) { return has_contact_springs(field); }

std::string OverlapWatch::look(const Bodies& b, const ForceField& f, double time) {
  double smallest = kNever, fastest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b.r[i] > 0) smallest = std::min(smallest, b.r[i]);
    fastest = std::max(fastest, product(speed_vector(b, i), speed_vector(b, i)));
  }
  const double pull = std::sqrt(product(f.field, f.field));
  const double passes = std::min(smallest / (2 * std::sqrt(fastest)), std::sqrt(smallest / pull));
  next_ = time + (std::isfinite(passes) ? passes : 0);
  Deepest deepest;
  find_pairs(b, f.box, deepest);
  if (has_walls(f)) find_at_walls(b, f.box, deepest);
  if (deepest.of_radius > largest_.of_radius) largest_ = {deepest.of_radius, time};
  if (deepest.text.empty() || found_) return {};
  found_ = true;
  return fmt::format("{}, at t = {:.6g}: {}. Use a larger stiffness than {:.4g}, with a step that fits.", deepest.text,
                     time, kTooSoft, f.contact.stiffness);
}

}  // namespace tri
