#include "sim/model/float_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/model/typed_range.hpp"

namespace tri {

namespace {

constexpr const char* kRemedy = "use --precision fp64, or units in which lengths and masses are nearer to 1";

/// A precision, for sentences.
struct Type {
  FloatLimits limits;
  double rounding;  ///< relative
  const char* name;
  const char* remedy;
};
constexpr Type kFloat{limits_of(Precision::fp32), 0x1p-24, "float32", kRemedy};
constexpr Type kDouble{limits_of(Precision::fp64), 0x1p-53, "float64",
                       "use units in which lengths and masses are nearer to 1"};

const Type& type_of(Precision precision) { return precision == Precision::fp32 ? kFloat : kDouble; }

/// A number that a law computes on its way, by its formula.
struct Term {
  const char* name;
  double value;  ///< >= 0
};

/// "G/r^3 = 1.4e-46, 8.1e+07 times below the smallest number of float32"; empty if the value is normal.
std::string lost(const Term& term, const Type& type) {
  const auto [least, largest] = type.limits;
  if (term.value >= least && term.value <= largest) return "";
  const bool below = term.value < least;
  const double times = below ? least / term.value : term.value / largest;
  return fmt::format("{} = {:.3g}, {}{} number of {}", term.name, term.value,
                     std::isfinite(times) ? fmt::format("{:.2g} times ", times) : "",
                     below ? "below the smallest" : "above the largest", type.name);
}

void refuse_lost(const std::string& what, std::initializer_list<Term> terms, const Type& type = kFloat) {
  for (const Term& term : terms) {
    if (const std::string why = lost(term, type); !why.empty()) {
      throw ConfigError(fmt::format("{}: {}; {}.", what, why, type.remedy));
    }
  }
}

/// A parameter that may be 0, and is not to become 0.
void refuse_vanishing(const char* name, double value, const Type& type) {
  if (value != 0) refuse_lost(fmt::format("{} would vanish in {}", name, type.name), {{name, std::abs(value)}}, type);
}

double square(double x, double y, double z) { return x * x + y * y + z * z; }

/// The root of the same; slower where squares leave the range.
double length(double x, double y, double z) {
  const double s = square(x, y, z);
  return s > 1e-200 && s < 1e200 ? std::sqrt(s) : std::hypot(x, y, z);
}

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

void check_gravity(const Bodies& b, const GravityParams& gravity, const Type& type) {
  if (b.size() < 2) return;
  const Centre centre = centre_of(b);
  const double G = std::abs(gravity.G), heaviest = *std::max_element(b.m.begin(), b.m.end());
  if (G == 0 || !(heaviest > 0)) return;
  refuse_lost(fmt::format("gravity would vanish in {}", type.name), {{"G times the largest mass", G * heaviest}}, type);
  const std::array<double, 6>& c = centre.mean;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double d = length(b.x[i] - c[0], b.y[i] - c[1], b.z[i] - c[2]);
    const double r = length(d, gravity.softening, 0), cube = r * r * r;
    if (!(cube > 0)) continue;
    const double least = std::min({1.0, G, G * heaviest}) / cube;
    if (least >= type.limits.least) continue;
    const double speed2 = square(b.vx[i] - c[3], b.vy[i] - c[4], b.vz[i] - c[5]);
    if (G * centre.mass / r < type.rounding * speed2) continue;
    refuse_lost(fmt::format("the gravity on body {} would vanish in {}, at r = {:.3g} from the centre of mass", i,
                            type.name, r),
                {{"1/r^3", 1 / cube}, {"G/r^3", G / cube}, {"G m/r^3", G * heaviest / cube}}, type);
  }
}

void check_lennard_jones(const LennardJonesParams& p, const Type& type) {
  const double sigma2 = p.sigma * p.sigma;
  refuse_lost(fmt::format("lennard-jones would be lost in {} with sigma = {:.3g} and epsilon = {:.3g}", type.name,
                          p.sigma, p.epsilon),
              {{"sigma^2", sigma2},
               {"1/sigma^2", 1 / sigma2},
               {"epsilon", p.epsilon},
               {"24 epsilon/sigma^2", 24 * p.epsilon / sigma2}},
              type);
  if (p.cutoff > 0 && p.cutoff * p.cutoff < type.limits.least) {
    refuse_lost(fmt::format("every pair would be beyond the cutoff in {}", type.name),
                {{"cutoff^2", p.cutoff * p.cutoff}}, type);
  }
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

void check_axilrod_teller(const Bodies& b, const ForceField& field, const Type& type) {
  const double nu = std::abs(field.axilrod_teller.nu);
  if (nu == 0 || b.size() < 3) return;
  const bool by_sigma = field.pair == PairLaw::lennard_jones;
  const double r = by_sigma ? field.lennard_jones.sigma : mean_spacing(b);
  const std::string what = fmt::format("axilrod-teller would be lost in {}", type.name);
  refuse_lost(what, {{"nu", nu}}, type);
  if (!(r > 0)) return;
  refuse_lost(fmt::format("{} at {} {:.3g}", what, by_sigma ? "sigma =" : "the spacing", r),
              {{"r^6", std::pow(r, 6)}, {"r^-6", std::pow(r, -6)}, {"3 nu/r^11", 3 * nu / std::pow(r, 11)}}, type);
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

void check_springs(const Bodies& b, const ContactParams& p, const Type& type) {
  if (p.impulse) {
    double heaviest[2] = {0, 0};
    for (const double m : b.m) {
      if (m > heaviest[1]) heaviest[1] = m;
      if (heaviest[1] > heaviest[0]) std::swap(heaviest[0], heaviest[1]);
    }
    const double total = heaviest[0] + heaviest[1];
    if (total > 0) refuse_lost("impulses would be lost", {{"the sum of the two largest masses", total}}, type);
    return;
  }
  refuse_vanishing("the stiffness", p.stiffness, type);
  refuse_vanishing("the damping", p.damping, type);
  refuse_vanishing("the shear", p.shear, type);
}

void check_squares(const Bodies& b, const Type& type) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double r = b.r[i];
    if (r == 0) continue;
    refuse_lost(fmt::format("the contacts of body {} would be lost in {}, with its radius r = {:.3g}", i, type.name, r),
                {{"(2 r)^2", 4 * r * r}}, type);
  }
}

/// Contact's normals are kept finite by a least squared distance (contact.hpp), of which radii have to stay away.
void check_contact(const Bodies& b, Precision precision) {
  const double least_radius = precision == Precision::fp32 ? 1e-14 : 1e-149;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b.r[i] == 0 || b.r[i] >= least_radius) continue;
    throw ConfigError(fmt::format(
        "body {} has the radius {:.3g}; contacts are computed for radii from {:g} on, so use a smaller unit of length.",
        i, b.r[i], least_radius));
  }
  check_squares(b, type_of(precision));
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

/// `size`: the largest number of body i.
void check_above(const Bodies& b, std::size_t i, double size) {
  if (!std::isfinite(static_cast<float>(size))) {
    throw ConfigError(fmt::format("body {} holds a value beyond the range of float32; use --precision fp64.", i));
  }
  if (!b.q.empty() && !std::isfinite(static_cast<float>(b.q[i]))) {
    throw ConfigError(
        fmt::format("body {} has the charge {:g}, beyond the range of float32; use --precision fp64, or "
                    "a larger unit of charge.",
                    i, b.q[i]));
  }
}

}  // namespace

void check_float_values(const Bodies& b, Precision precision) {
  const Type& type = type_of(precision);
  const auto [least, largest] = type.limits;
  double places = 0, speeds = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double place = std::max({std::abs(b.x[i]), std::abs(b.y[i]), std::abs(b.z[i])});
    const double speed = std::max({std::abs(b.vx[i]), std::abs(b.vy[i]), std::abs(b.vz[i])});
    places = std::max(places, place), speeds = std::max(speeds, speed);
    if (precision == Precision::fp32) check_above(b, i, std::max({place, speed, b.m[i], b.r[i]}));
    const double charge = b.q.empty() ? 0 : std::abs(b.q[i]);
    for (const auto& [name, value] : {Term{"mass", b.m[i]}, Term{"radius", b.r[i]}, Term{"charge", charge}}) {
      if (!(value > 0) || value >= least) continue;
      throw ConfigError(
          fmt::format("body {} has the {} {:g}, below the range of {} ({:.3g}), where it would be 0; use {}a "
                      "smaller unit of {}.",
                      i, name, value, type.name, least, precision == Precision::fp32 ? "--precision fp64, or " : "",
                      name[0] == 'r' ? "length" : name));
    }
  }
  if (places > 0) refuse_lost("no position would be left", {{"the largest coordinate", places}}, type);
  if (speeds > 0) refuse_lost("no velocity would be left", {{"the largest of them", speeds}}, type);
}

void check_float_range(const Bodies& bodies, const ForceField& field, Precision precision) {
  const Type& type = type_of(precision);
  if (field.pair == PairLaw::contact) {
    check_contact(bodies, precision);
    check_springs(bodies, field.contact, type);
  }
  if (field.pair == PairLaw::gravity) check_gravity(bodies, field.gravity, type);
  if (field.pair == PairLaw::lennard_jones) check_lennard_jones(field.lennard_jones, type);
  if (field.triple == TripleLaw::axilrod_teller) check_axilrod_teller(bodies, field, type);
  for (const double g : field.field) refuse_vanishing("the uniform field", g, type);
  if (field.pair == PairLaw::typed) check_typed(bodies, field.typed_pair, field.box, precision);
  if (field.triple == TripleLaw::typed) check_typed(bodies, field.typed_triple, field.box, precision);
  if (precision == Precision::fp32) check_box(field.box);
}

void check_float_spheres(const Bodies& bodies, Precision precision) {
  if (precision == Precision::fp32) check_squares(bodies, kFloat);
}

}  // namespace tri
