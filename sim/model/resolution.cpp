#include "sim/model/resolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/model/float_range.hpp"

namespace tri {
namespace {

constexpr double kTypicalMotion = 16, kSingleMotion = 2, kVelocityChange = 16;
constexpr double kRadius = 4096, kDistance = 256, kSteepDistance = 1024;
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
  for (std::size_t i = 0; i < b.size(); ++i) {
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
  const bool steep = field.pair == PairLaw::lennard_jones || field.triple == TripleLaw::axilrod_teller;
  const double least = steep ? kSteepDistance : kDistance;
  const double softening = field.pair == PairLaw::gravity ? field.gravity.softening : 0;
  const bool any = field.pair != PairLaw::none || field.triple != TripleLaw::none;
  if (!any || field.pair == PairLaw::contact || b.size() > kMaxSorted) return "";
  double farthest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) farthest = std::max(farthest, place_of(b, i));
  if (softening >= least * numbers.ulp(farthest)) return "";
  constexpr double kX = 0.7548776662466927, kY = 0.5698402909980532, kZ = 0.3247179572447461;  // of length 1.0 almost
  std::vector<std::pair<double, u32>> along(b.size());
  for (u32 i = 0; i < b.size(); ++i) along[i] = {kX * b.x[i] + kY * b.y[i] + kZ * b.z[i], i};
  std::sort(along.begin(), along.end());
  std::size_t tests = 0;
  const std::size_t most = kMaxTests * b.size();
  for (std::size_t k = 0; k < along.size() && tests < most; ++k) {
    const u32 i = along[k].second;
    const double reach = least * numbers.ulp(place_of(b, i));
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
  speed_ = std::max(speed_, typical_speed(Scale(bodies), field));
  std::string loss = single_loss(bodies, field, dt, speed_, Numbers(precision));
  if (loss.empty()) loss = refused([&] { check_float_range(bodies, field, precision); });
  if (loss.empty()) return "";
  return fmt::format("step {}: {}: this motion is lost.{}", step, loss,
                     precision == Precision::fp32 ? " Use --precision fp64." : "");
}

}  // namespace tri
