#include "sim/model/checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/laws/law_table.hpp"

namespace tri {
namespace {

constexpr double kTypicalMotion = 16, kSingleMotion = 2, kVelocityChange = 16;
constexpr double kRadius = 4096, kDistance = 2048;
constexpr double kPartOfSpeed = 0.1;
constexpr std::size_t kMaxSorted = std::size_t{1} << 20;
constexpr std::size_t kMaxTests = 64;  ///< of distances, per body

/// The numbers of a precision.
struct Numbers {
  const char* name;
  int digits;  ///< of the mantissa, behind the leading one
  double smallest;

  explicit Numbers(Precision precision)
      : name(precision == Precision::fp32 ? "float32" : "float64"),
        digits(precision == Precision::fp32 ? 23 : 52),
        smallest(precision == Precision::fp32 ? static_cast<double>(std::numeric_limits<float>::min())
                                              : std::numeric_limits<double>::min()) {}

  /// How far apart they are at x.
  double ulp(double x) const {
    const double size = std::max(std::abs(x), smallest);
    return std::isfinite(size) ? std::ldexp(1.0, std::ilogb(size) - digits) : 0;
  }

  std::string at(double x) const {
    return fmt::format("at {:.6g}, where numbers of {} are {:.2g} apart", x, name, ulp(x));
  }
};

double largest_of(double x, double y, double z) { return std::max({std::abs(x), std::abs(y), std::abs(z)}); }

double place_of(const Bodies& b, std::size_t i) { return largest_of(b.x[i], b.y[i], b.z[i]); }

double speed_of(const Bodies& b, std::size_t i) { return largest_of(b.vx[i], b.vy[i], b.vz[i]); }

double sum_of_squares(double x, double y, double z) { return x * x + y * y + z * z; }

/// Of an evenly spaced sample.
double median_place(const Bodies& b) {
  constexpr std::size_t kSample = 4096;
  std::vector<double> places;
  for (std::size_t i = 0; i < b.size(); i += b.size() / kSample + 1) places.push_back(place_of(b, i));
  const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
  std::nth_element(places.begin(), middle, places.end());
  return *middle;
}

/// Sizes of a scene as a whole.
struct Scale {
  double place = 0;   ///< median of the largest coordinates
  double radius = 0;  ///< rms distance from the middle
  double speed = 0;   ///< rms
  double mass = 0;
  double lightest = std::numeric_limits<double>::infinity();  ///< of those with a mass

  explicit Scale(const Bodies& b) {
    const double n = static_cast<double>(b.size());
    std::array<double, 3> mean{};
    for (std::size_t i = 0; i < b.size(); ++i) {
      mean[0] += b.x[i] / n, mean[1] += b.y[i] / n, mean[2] += b.z[i] / n;
      place = std::max(place, place_of(b, i)), speed = std::max(speed, speed_of(b, i));
      mass += b.m[i];
      if (b.m[i] > 0) lightest = std::min(lightest, b.m[i]);
    }
    // Relative to the largest, so that no square leaves the range.
    const double place1 = place > 0 ? place : 1, speed1 = speed > 0 ? speed : 1;
    double speed2 = 0, radius2 = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      speed2 += sum_of_squares(b.vx[i] / speed1, b.vy[i] / speed1, b.vz[i] / speed1) / n;
      radius2 +=
          sum_of_squares((b.x[i] - mean[0]) / place1, (b.y[i] - mean[1]) / place1, (b.z[i] - mean[2]) / place1) / n;
    }
    place = median_place(b), speed = speed1 * std::sqrt(speed2), radius = place1 * std::sqrt(radius2);
  }
};

double uniform_field(const ForceField& field) { return std::hypot(field.field[0], field.field[1], field.field[2]); }

/// The acceleration that everything feels; 0 if that is not known without a sum over pairs.
double acceleration_of(const Scale& scale, const ForceField& field) {
  double a = uniform_field(field);
  const double r = std::hypot(scale.radius, field.gravity.softening);
  if (field.pair == PairLaw::gravity && r > 0) a = std::max(a, std::abs(field.gravity.G) * scale.mass / r / r);
  return a;
}

/// The speed of bodies, now or when they have felt the forces.
double typical_speed(const Scale& scale, const ForceField& field) {
  double v = std::max(scale.speed, std::sqrt(acceleration_of(scale, field) * scale.radius));
  if (field.pair == PairLaw::lennard_jones && std::isfinite(scale.lightest)) {
    v = std::max(v, std::sqrt(field.lennard_jones.epsilon / scale.lightest));
  }
  return v;
}

std::string typical_loss(const Scale& scale, const ForceField& field, double dt, const Numbers& numbers) {
  const double v = typical_speed(scale, field), moved = v * dt, changed = acceleration_of(scale, field) * dt;
  if (v > 0 && dt < numbers.smallest) {
    return fmt::format("the time step is {:.3g}, below the smallest number of {}", dt, numbers.name);
  }
  if (moved > 0 && moved < kTypicalMotion * numbers.ulp(scale.place)) {
    return fmt::format("the bodies are {}, and move by {:.2g} in a time step", numbers.at(scale.place), moved);
  }
  if (changed > 0 && scale.speed > 0 && changed < kVelocityChange * numbers.ulp(scale.speed)) {
    return fmt::format("the speeds are {}, and change by {:.2g} in a time step", numbers.at(scale.speed), changed);
  }
  return "";
}

std::string single_loss(const Bodies& b, const ForceField& field, double dt, double speed, const Numbers& numbers) {
  const bool radii = field.pair == PairLaw::contact;
  LoopProgress progress(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    progress.at(i);
    const double place = place_of(b, i), ulp = numbers.ulp(place), v = speed_of(b, i);
    if (v > 0 && v >= kPartOfSpeed * speed && v * dt < kSingleMotion * ulp) {
      return fmt::format("body {} is {}, and moves by {:.2g} in a time step", i, numbers.at(place), v * dt);
    }
    if (radii && b.r[i] > 0 && b.r[i] < kRadius * ulp) {
      return fmt::format("body {} is {}, and its radius is {:.3g}", i, numbers.at(place), b.r[i]);
    }
  }
  return "";
}

/// The first pair found that is closer than its place allows. A body is compared with those next to it along one
/// direction, which no lattice has as an axis.
std::string pair_loss(const Bodies& b, const ForceField& field, const Numbers& numbers) {
  const double softening = field.pair == PairLaw::gravity ? field.gravity.softening : 0;
  const bool any = field.pair != PairLaw::none || field.triple != TripleLaw::none;
  if (!any || field.pair == PairLaw::contact || b.size() > kMaxSorted) return "";
  double farthest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) farthest = std::max(farthest, place_of(b, i));
  if (softening >= kDistance * numbers.ulp(farthest)) return "";
  constexpr double kX = 0.7548776662466927, kY = 0.5698402909980532, kZ = 0.3247179572447461;  // of length 1.0 almost
  std::vector<std::pair<double, u32>> along(b.size());
  for (u32 i = 0; i < b.size(); ++i) along[i] = {kX * b.x[i] + kY * b.y[i] + kZ * b.z[i], i};
  sort_reporting(along.begin(), along.end());
  std::size_t tests = 0;
  const std::size_t most = kMaxTests * b.size();
  for (std::size_t k = 0; k < along.size() && tests < most; ++k) {
    const u32 i = along[k].second;
    const double reach = kDistance * numbers.ulp(place_of(b, i));
    if (reach <= softening) continue;
    for (std::size_t l = k + 1; l < along.size() && along[l].first - along[k].first <= reach && tests < most; ++l) {
      const u32 j = along[l].second;
      const double d = std::hypot(b.x[j] - b.x[i], b.y[j] - b.y[i], b.z[j] - b.z[i]);
      ++tests;
      if (!(d > 0) || std::hypot(d, softening) >= reach) continue;
      return fmt::format("bodies {} and {} are {}, and {:.3g} from each other", std::min(i, j), std::max(i, j),
                         numbers.at(place_of(b, i)), d);
    }
  }
  return "";
}

/// What check() refuses, without the cure.
template <class Check>
std::string refused(const Check& check) {
  try {
    check();
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    return text.substr(0, text.rfind("; use "));
  }
  return "";
}

/// What the checks of a run in fp32 would refuse.
std::string range_loss(const Bodies& b, const ForceField& field) {
  return refused([&] {
    check_float_values(b, Precision::fp32);
    check_float_range(b, field, Precision::fp32);
    check_float_neighbours(b, field);
  });
}

}  // namespace

std::string resolution_loss(const Bodies& bodies, const ForceField& field, double dt, Precision precision) {
  if (bodies.size() == 0) return "";
  if (precision == Precision::fp32) {
    if (std::string loss = range_loss(bodies, field); !loss.empty()) return loss;
  }
  const Numbers numbers(precision);
  const Scale scale(bodies);
  if (!std::isfinite(scale.radius + scale.speed)) return "";  // others refuse such numbers
  std::string loss = typical_loss(scale, field, dt, numbers);
  if (loss.empty()) loss = single_loss(bodies, field, dt, typical_speed(scale, field), numbers);
  if (loss.empty()) loss = pair_loss(bodies, field, numbers);
  return loss;
}

std::string MotionWatch::look(u64 step, const Bodies& bodies, const ForceField& field, double dt, Precision precision) {
  if (bodies.size() == 0) return "";
  speed_ = std::max(speed_, typical_speed(Scale(bodies), field)), looked_step_ = step;
  std::string loss = single_loss(bodies, field, dt, speed_, Numbers(precision));
  if (loss.empty()) loss = pair_loss(bodies, field, Numbers(precision));
  if (loss.empty()) loss = refused([&] { check_float_range(bodies, field, precision); });
  if (loss.empty()) return "";
  return fmt::format("step {}: {}: this motion is lost.{}", step, loss,
                     precision == Precision::fp32 ? " Use --precision fp64." : "");
}

void check_images(const Bodies& b, const Box& box, bool spheres, Precision precision) {
  constexpr double kPartOfSide = 1e-4, kPartOfRadius = 1.0 / 64;
  if (box.boundary != Boundary::periodic) return;
  const Numbers numbers(precision);
  const std::array<const std::vector<double>*, 3> axes{&b.x, &b.y, &b.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = box.low[axis], high = box.high[axis], side = high - low;
    for (std::size_t i = 0; i < b.size(); ++i) {
      const double at = (*axes[axis])[i];
      if (at >= low && at <= high) continue;
      const bool sphere = spheres && b.r[i] > 0;
      if (numbers.ulp(at) <= (sphere ? kPartOfRadius * b.r[i] : kPartOfSide * side)) continue;
      throw ConfigError(
          fmt::format("body {} is {}, and {}: its place in the periodic box is not known. Give a place in the box, or "
                      "nearer to it.",
                      i, numbers.at(at),
                      sphere ? fmt::format("its radius is {:.3g}", b.r[i]) : fmt::format("a side is {:.3g}", side)));
    }
  }
}

// What bodies without mass need.

namespace {

using expression::Law;
using expression::TypedLaw;

/// Places nearer to each other than this give no finite term: 1/r^3 is above the largest number.
double too_near(Precision precision) { return precision == Precision::fp32 ? 2e-13 : 2e-103; }

/// The same law with r^2 + eps^2 for r^2; nothing if it has a softening, which is its own affair.
std::optional<TypedLaw> with_softening(const TypedLaw& typed, double eps) {
  const u32 at = typed.law->find("softening");
  if (at < typed.values.size()) {
    if (typed.values[at] != 0) return std::nullopt;
    TypedLaw softened = typed;
    softened.values[at] = eps;
    return softened;
  }
  std::string text = typed.text();
  text.resize(text.find_last_not_of(" \t\r\n;") + 1);
  return expression::typed_law(fmt::format("{}; softening = {:.17g}", text, eps), typed.law->over());
}

double largest_value(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

/// Whether the law has a finite strength at r = 0 in this type.
template <class Real>
bool is_finite_at_zero(const TypedLaw& typed, double r, double q) {
  const std::vector<double> values = typed.law->uniforms(typed.values);
  const std::vector<Real> uniforms(values.begin(), values.end());
  const auto real = [](double v) { return static_cast<Real>(v); };
  const std::vector<Real> inputs{0, 0, 0, real(r), real(r), real(q), real(q)};
  const auto strength = typed.law->strength().template run<Real>(inputs, uniforms);
  const auto both = typed.law->strength_and_energy().template run<Real>(inputs, uniforms);
  return std::isfinite(strength[0] * uniforms[0]) && std::isfinite(both[0]) && std::isfinite(both[1]);
}

/// The longest softening that pairs at the mean spacing do not notice.
double longest_softening(const Bodies& b, Precision precision) {
  double diagonal2 = 0;
  for (const std::vector<double>* column : {&b.x, &b.y, &b.z}) {
    const auto [low, high] = std::minmax_element(column->begin(), column->end());
    diagonal2 += (*high - *low) * (*high - *low);
  }
  const double spacing = std::sqrt(diagonal2) / std::cbrt(static_cast<double>(b.size()));
  const double rounding = precision == Precision::fp32 ? 0x1p-24 : 0x1p-53;
  return spacing > 0 ? std::sqrt(rounding) * spacing : 1;
}

std::optional<TypedLaw> softened(const TypedLaw& typed, const Bodies& b, Precision precision) {
  const double r = largest_value(b.r), q = largest_value(b.q), longest = longest_softening(b, precision);
  constexpr double kRoom = 10;  // above the shortest one with a finite strength
  for (double eps = precision == Precision::fp32 ? 1e-18 : 1e-100; kRoom * eps <= longest; eps *= 10) {
    const std::optional<TypedLaw> law = with_softening(typed, eps);
    if (!law) return std::nullopt;
    const bool fits =
        is_finite_at_zero<double>(*law, r, q) && (precision == Precision::fp64 || is_finite_at_zero<float>(*law, r, q));
    if (fits) return with_softening(typed, kRoom * eps);
  }
  return std::nullopt;
}

}  // namespace

bool only_massless_coincide(const Bodies& b, Precision precision) {
  const double near = too_near(precision);
  const auto place = [&](double v) { return std::abs(v) < 0x1p50 * near ? std::nearbyint(v / near) * near : v; };
  using Place = std::tuple<double, double, double, bool>;
  std::vector<Place> places(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) places[i] = {place(b.x[i]), place(b.y[i]), place(b.z[i]), b.m[i] > 0};
  sort_reporting(places.begin(), places.end());
  bool found = false;
  for (std::size_t k = 0; k + 1 < places.size(); ++k) {
    const auto& [x, y, z, heavy] = places[k];
    const auto& [u, v, w, other] = places[k + 1];
    if (x != u || y != v || z != w) continue;
    if (heavy || other) return false;
    found = true;
  }
  return found;
}

std::string massless_refusal(const Bodies& b, const ForceField& field) {
  const bool forces = field.pair != PairLaw::none && !sums_are_accelerations(field);
  if (!forces && field.triple == TripleLaw::none) return {};
  const auto count = std::count(b.m.begin(), b.m.end(), 0.0);
  if (count == 0) return {};
  const auto first = std::find(b.m.begin(), b.m.end(), 0.0) - b.m.begin();
  return fmt::format(
      "{} of {} bodies have no mass, the first of them body {} (from 0), and the law of {} is {}: a force cannot move "
      "them. Give each a mass (a very large one stays where it is), or use gravity, which moves bodies without mass.",
      count, b.size(), first, forces ? "pairs" : "triples", forces ? to_string(field.pair) : to_string(field.triple));
}

std::optional<ForceField> apart(const Bodies& bodies, const ForceField& field, Precision precision) {
  if (!sums_are_accelerations(field) || std::count(bodies.m.begin(), bodies.m.end(), 0.0) < 2) return std::nullopt;
  if (field.pair == PairLaw::gravity && field.gravity.softening != 0) return std::nullopt;
  if (!only_massless_coincide(bodies, precision)) return std::nullopt;
  ForceField changed = field;
  if (field.pair == PairLaw::gravity) {
    // G / eps^3, and G / eps^5 of jerks in float64, stay within the range of the numbers.
    const double G = std::max(1.0, std::abs(field.gravity.G));
    changed.gravity.softening = precision == Precision::fp32 ? std::cbrt(G * 1e-36) : 1e-50;
    return changed;
  }
  const std::optional<TypedLaw> law = softened(field.typed_pair, bodies, precision);
  if (!law) return std::nullopt;
  changed.typed_pair = *law;
  return changed;
}

// The time scale of a contact compared with the step; depths of contacts, foreseen from energies and found in a state.

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

constexpr std::size_t kEnergeticBodies = 256;
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

using Cell = std::array<i64, 3>;

/// The bodies by their cells, and once more behind the upper periodic walls those that are near the lower ones.
std::vector<std::pair<Cell, std::size_t>> in_cells(const Bodies& b, const Box& box, double width) {
  const auto cell = [&](double v) { return static_cast<i64>(std::clamp(std::floor(v / width), -1e15, 1e15)); };
  const bool periodic = box.boundary == Boundary::periodic;
  std::vector<std::pair<Cell, std::size_t>> order;
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (u32 image = 0; image < (periodic ? 8u : 1u); ++image) {
      Vec at = place(b, i);
      bool near = true;
      for (std::size_t a = 0; periodic && a < 3; ++a) {
        const double side = box.high[a] - box.low[a], above = at[a] - box.low[a];
        at[a] -= side * std::floor(above / side);
        if ((image >> a & 1) != 0) near = near && at[a] - box.low[a] < width, at[a] += side;
      }
      if (near) order.push_back({{cell(at[0]), cell(at[1]), cell(at[2])}, i});
    }
  }
  return order;
}

/// Pairs of spheres whose cells are neighbours, also across periodic walls; in a small system all pairs.
template <class Pair>
void for_near_pairs(const Bodies& b, const Box& box, double width, bool all, const Pair& pair) {
  if (all) {
    for (std::size_t i = 1; i < b.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) pair(i, j);
    }
    return;
  }
  std::vector<std::pair<Cell, std::size_t>> order = in_cells(b, box, width);
  sort_reporting(order.begin(), order.end());
  // The cells rise, and so do the begins of the nine rows of three around them.
  std::array<std::size_t, 9> begin{};
  LoopProgress progress(order.size());
  u64 done = 0;
  for (const auto& [at, i] : order) {
    progress.at(++done);
    for (i64 row = 0; row < 9; ++row) {
      const i64 x = at[0] + row / 3 - 1, y = at[1] + row % 3 - 1;
      const Cell from{x, y, at[2] - 1}, to{x, y, at[2] + 1};
      std::size_t& first = begin[static_cast<std::size_t>(row)];
      while (first < order.size() && order[first].first < from) ++first;
      for (std::size_t k = first; k < order.size() && order[k].first <= to; ++k) {
        if (order[k].second < i) pair(i, order[k].second);
      }
    }
  }
}

void find_pairs(const Bodies& b, const Box& box, Deepest& deepest) {
  constexpr std::size_t kFew = 256;
  const bool periodic = box.boundary == Boundary::periodic;
  const auto pair = [&](std::size_t i, std::size_t j) {
    Vec d = difference(place(b, j), place(b, i));
    for (std::size_t a = 0; periodic && a < 3; ++a) d[a] = std::remainder(d[a], box.high[a] - box.low[a]);
    const double overlap = b.r[i] + b.r[j] - std::sqrt(product(d, d)), radius = smaller_radius(b.r[i], b.r[j]);
    if (!(overlap > 0)) return;
    deepest.of_radius = std::max(deepest.of_radius, overlap / radius);
    deepest.offer(overlap, kDeepOverlap * radius,
                  [&] { return fmt::format("bodies {} and {} overlap by {}", j, i, percent_of(overlap, radius)); });
  };
  const double largest = b.size() == 0 ? 0 : *std::max_element(b.r.begin(), b.r.end());
  if (largest > 0) for_near_pairs(b, box, 2 * largest, b.size() <= kFew, pair);
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
  if (!(std::fabs(dt) > (1 + 1e-6) * time / kStepsPerContact)) return {};  // snapshots may have rounded the masses
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
  const std::size_t few = std::min(kEnergeticBodies, order.size());
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
  ++largest_.looks;
  if (deepest.of_radius > largest_.of_radius) largest_.of_radius = deepest.of_radius, largest_.time = time;
  if (deepest.text.empty() || found_) return {};
  found_ = true;
  return fmt::format("{}, at t = {:.6g}: {}. Use a larger stiffness than {:.4g}, with a step that fits.", deepest.text,
                     time, kTooSoft, f.contact.stiffness);
}

// What kernels of a GPU compute with.

namespace {

[[noreturn]] void refuse_beyond_reach(const std::string& what, double value, Precision precision) {
  const bool single = precision == Precision::fp32;
  throw ConfigError(fmt::format(
      "{} is {:.3g}, and the cuda backend computes up to {:g} in {}; use {}--backend cpu, or a larger unit of length.",
      what, value, device_reach(precision), to_string(precision), single ? "--precision fp64, " : ""));
}

}  // namespace

double device_reach(Precision precision) { return precision == Precision::fp32 ? 1e16 : 1e148; }

void check_device_range(const Bodies& bodies, const ForceField& field, Precision precision) {
  check_float_range(bodies, field, precision);
  const double most = device_reach(precision);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (const double v : {bodies.x[i], bodies.y[i], bodies.z[i], bodies.r[i]}) {
      if (std::fabs(v) > most)
        refuse_beyond_reach(fmt::format("a coordinate or the radius of body {}", i), v, precision);
    }
  }
  if (field.pair == PairLaw::lennard_jones && field.lennard_jones.sigma > most) {
    refuse_beyond_reach("sigma", field.lennard_jones.sigma, precision);
  }
}

}  // namespace tri
