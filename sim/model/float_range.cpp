#include "sim/model/float_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>

#include "sim/base/error.hpp"
#include "sim/model/typed_range.hpp"

namespace tri {

namespace {

constexpr auto kLeast = static_cast<double>(std::numeric_limits<float>::min());
constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
constexpr double kRounding = 0x1p-24;  ///< of float32, relative
constexpr const char* kRemedy = "use --precision fp64, or units in which lengths and masses are nearer to 1";

/// A number that a law computes on its way, by its formula.
struct Term {
  const char* name;
  double value;  ///< >= 0
};

/// "G/r^3 = 1.4e-46, 8.1e+07 times below the smallest number of float32"; empty if the value is normal.
std::string lost(const Term& term) {
  if (term.value >= kLeast && term.value <= kLargest) return "";
  const bool below = term.value < kLeast;
  return fmt::format("{} = {:.3g}, {:.2g} times {} number of float32", term.name, term.value,
                     below ? kLeast / term.value : term.value / kLargest,
                     below ? "below the smallest" : "above the largest");
}

void refuse_lost(const std::string& what, std::initializer_list<Term> terms) {
  for (const Term& term : terms) {
    if (const std::string why = lost(term); !why.empty()) {
      throw ConfigError(fmt::format("{}: {}; {}.", what, why, kRemedy));
    }
  }
}

double square(double x, double y, double z) { return x * x + y * y + z * z; }

/// Means of position and velocity weighted by mass.
struct Centre {
  double mass = 0;
  std::array<double, 6> mean{};  ///< x, y, z, vx, vy, vz
};

Centre centre_of(const Bodies& b) {
  Centre centre;
  for (const double m : b.m) centre.mass += m;
  if (!(centre.mass > 0)) return centre;
  const std::array<const std::vector<double>*, 6> columns{&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz};
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t i = 0; i < b.size(); ++i) centre.mean[c] += b.m[i] / centre.mass * (*columns[c])[i];
  }
  return centre;
}

void check_gravity(const Bodies& b, const GravityParams& gravity) {
  const Centre centre = centre_of(b);
  const double G = std::abs(gravity.G), heaviest = *std::max_element(b.m.begin(), b.m.end());
  if (G == 0 || !(heaviest > 0) || b.size() < 2) return;
  refuse_lost("gravity would vanish in float32", {{"G times the largest mass", G * heaviest}});
  const std::array<double, 6>& c = centre.mean;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double d2 = square(b.x[i] - c[0], b.y[i] - c[1], b.z[i] - c[2]);
    const double r = std::sqrt(d2 + gravity.softening * gravity.softening), cube = r * r * r;
    if (!(cube > 0)) continue;
    const double least = std::min({1.0, G, G * heaviest}) / cube;
    if (least >= kLeast) continue;
    const double speed2 = square(b.vx[i] - c[3], b.vy[i] - c[4], b.vz[i] - c[5]);
    if (G * centre.mass / r < kRounding * speed2) continue;
    refuse_lost(
        fmt::format("the gravity on body {} would vanish in float32, at r = {:.3g} from the centre of mass", i, r),
        {{"1/r^3", 1 / cube}, {"G/r^3", G / cube}, {"G m/r^3", G * heaviest / cube}});
  }
}

void check_lennard_jones(const LennardJonesParams& p) {
  const double sigma2 = p.sigma * p.sigma;
  refuse_lost(fmt::format("lennard-jones would be lost in float32 with sigma = {:.3g} and epsilon = {:.3g}", p.sigma,
                          p.epsilon),
              {{"sigma^2", sigma2},
               {"1/sigma^2", 1 / sigma2},
               {"epsilon", p.epsilon},
               {"24 epsilon/sigma^2", 24 * p.epsilon / sigma2}});
}

/// Distance of neighbours, if the bodies fill a ball with their rms radius evenly.
double mean_spacing(const Bodies& b) {
  const double n = static_cast<double>(b.size());
  double sum2 = 0;
  std::array<double, 3> mean{};
  for (std::size_t i = 0; i < b.size(); ++i) mean[0] += b.x[i] / n, mean[1] += b.y[i] / n, mean[2] += b.z[i] / n;
  for (std::size_t i = 0; i < b.size(); ++i) sum2 += square(b.x[i] - mean[0], b.y[i] - mean[1], b.z[i] - mean[2]) / n;
  return 2 * std::sqrt(sum2) / std::cbrt(n);
}

void check_axilrod_teller(const Bodies& b, const ForceField& field) {
  const double nu = std::abs(field.axilrod_teller.nu);
  if (nu == 0 || b.size() < 3) return;
  const bool alone = field.pair == PairLaw::none;
  const double r = alone ? mean_spacing(b) : field.lennard_jones.sigma;
  refuse_lost("axilrod-teller would be lost in float32", {{"nu", nu}});
  if (!(r > 0) || (!alone && field.pair != PairLaw::lennard_jones)) return;
  refuse_lost(fmt::format("axilrod-teller would be lost in float32 at {} {:.3g}", alone ? "the spacing" : "sigma =", r),
              {{"r^6", std::pow(r, 6)}, {"r^-6", std::pow(r, -6)}, {"3 nu/r^11", 3 * nu / std::pow(r, 11)}});
}

/// In any precision: a law that the user types may leave each.
void check_typed(const Bodies& b, const expression::TypedLaw& typed, const Box& box, Precision precision) {
  const std::string lost = typed_law_loss(b, typed, box, precision);
  if (lost.empty()) return;
  const bool pairs = typed.law->over() == expression::Over::pairs;
  throw ConfigError(
      fmt::format("the typed law of {} would be lost in {}: {}; {}.", pairs ? "pairs" : "triples",
                  precision == Precision::fp32 ? "float32" : "float64", lost,
                  precision == Precision::fp32 ? kRemedy : "use units in which lengths and masses are nearer to 1"));
}

/// Contact's normals are kept finite by a least squared distance, in every precision (contact.hpp).
void check_contact(const Bodies& b, Precision precision) {
  constexpr double kLeastRadius = 1e-14;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b.r[i] == 0 || b.r[i] >= kLeastRadius) continue;
    throw ConfigError(fmt::format(
        "body {} has the radius {:.3g}; contacts are computed for radii from {:g} on, so use a smaller unit of length.",
        i, b.r[i], kLeastRadius));
  }
  check_float_spheres(b, precision);
}

void check_box(const Box& box) {
  if (box.boundary == Boundary::open) return;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const float side = static_cast<float>(box.high[axis]) - static_cast<float>(box.low[axis]);
    if (std::isfinite(side) && side > 0) continue;
    throw ConfigError(fmt::format(
        "the box from {0} = {1:.9g} to {2:.9g} has no finite width in float32; use --precision fp64, or move the "
        "origin nearer to it.",
        "xyz"[axis], box.low[axis], box.high[axis]));
  }
}

}  // namespace

void check_float_values(const Bodies& b, Precision precision) {
  if (precision != Precision::fp32) return;
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (const double v : {b.x[i], b.y[i], b.z[i], b.vx[i], b.vy[i], b.vz[i], b.m[i], b.r[i]}) {
      if (std::isfinite(static_cast<float>(v))) continue;
      throw ConfigError(fmt::format("body {} holds a value beyond the range of float32; use --precision fp64.", i));
    }
    if (!b.q.empty() && !std::isfinite(static_cast<float>(b.q[i]))) {
      throw ConfigError(
          fmt::format("body {} has the charge {:g}, beyond the range of float32; use --precision fp64, or "
                      "a larger unit of charge.",
                      i, b.q[i]));
    }
    if (b.m[i] > 0 && b.m[i] < kLeast) {
      throw ConfigError(fmt::format(
          "body {} has the mass {:g}, below the range of float32 ({:.3g}), where it would be 0; use --precision "
          "fp64, or a smaller unit of mass.",
          i, b.m[i], kLeast));
    }
  }
}

void check_float_range(const Bodies& bodies, const ForceField& field, Precision precision) {
  if (field.pair == PairLaw::contact) check_contact(bodies, precision);
  if (field.pair == PairLaw::typed) check_typed(bodies, field.typed_pair, field.box, precision);
  if (field.triple == TripleLaw::typed) check_typed(bodies, field.typed_triple, field.box, precision);
  if (precision != Precision::fp32) return;
  check_box(field.box);
  if (field.pair == PairLaw::gravity) check_gravity(bodies, field.gravity);
  if (field.pair == PairLaw::lennard_jones) check_lennard_jones(field.lennard_jones);
  if (field.triple == TripleLaw::axilrod_teller) check_axilrod_teller(bodies, field);
}

void check_float_spheres(const Bodies& bodies, Precision precision) {
  if (precision != Precision::fp32) return;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double r = bodies.r[i];
    if (r == 0) continue;
    refuse_lost(fmt::format("the contacts of body {} would be lost in float32, with its radius r = {:.3g}", i, r),
                {{"(2 r)^2", 4 * r * r}});
  }
}

}  // namespace tri
