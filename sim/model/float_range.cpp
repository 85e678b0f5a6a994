// What float32 and float64 cannot hold of bodies and laws, found before the first step.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/laws/nearest_image.hpp"
#include "sim/model/checks.hpp"
#include "sim/text/law_maker.hpp"

namespace tri {
namespace {

using expression::Law;
using expression::Over;
using expression::TypedLaw;

constexpr double kMaxLoss = 1e-4;   // of the force on a body
constexpr double kRoundings = 64;   // of the inputs, that a law may cost
constexpr double kNoForce = 1e-20;  // of the largest one: less than its rounding after 10^10 times its period
constexpr double kStretches[] = {1, 0.983, 1.021};  // of squared distances: a lucky rounding is no accuracy
constexpr std::size_t kSpread = 12;                 // bodies taken at equal steps
constexpr std::size_t kNear = 65536;                // bodies among which neighbours are looked for
constexpr std::size_t kMaxNearTests = 1 << 20;      // of pairs, for the nearest two

/// The two bodies that are nearest to each other and nearer than `within`, not at one place; with very many tests or
/// bodies, two near ones. Two equal numbers: there are none.
std::pair<std::size_t, std::size_t> nearest_two(const Bodies& b, double within = HUGE_VAL) {
  const std::size_t step = b.size() / (std::isinf(within) ? kNear : kMaxNearTests) + 1;
  constexpr double kX = 0.7548776662466927, kY = 0.5698402909980532, kZ = 0.3247179572447461;  // no lattice's axis
  std::vector<std::pair<double, std::size_t>> along;
  for (std::size_t i = 0; i < b.size(); i += step) along.emplace_back(kX * b.x[i] + kY * b.y[i] + kZ * b.z[i], i);
  sort_reporting(along.begin(), along.end());
  double least = within;
  std::pair<std::size_t, std::size_t> two;
  std::size_t tests = 0;
  for (std::size_t k = 0; k < along.size(); ++k) {
    for (std::size_t l = k + 1; l < along.size() && along[l].first - along[k].first < least; ++l) {
      const std::size_t i = along[k].second, j = along[l].second;
      const double d = std::hypot(b.x[j] - b.x[i], b.y[j] - b.y[i], b.z[j] - b.z[i]);
      if (d > 0 && d < least) least = d, two = {i, j};
      if (++tests > kMaxNearTests) return two;
    }
  }
  return two;
}

/// Some bodies of a scene, in rising order.
std::vector<std::size_t> chosen_bodies(const Bodies& b) {
  const std::size_t n = b.size();
  std::set<std::size_t> chosen;
  for (std::size_t k = 0; k < kSpread; ++k) chosen.insert(k * (n - 1) / (kSpread - 1));
  for (const std::vector<double>* column : {&b.x, &b.y, &b.z, &b.m, &b.r, &b.q}) {
    if (column->empty()) continue;
    const auto [low, high] = std::minmax_element(column->begin(), column->end());
    chosen.insert(static_cast<std::size_t>(low - column->begin()));
    chosen.insert(static_cast<std::size_t>(high - column->begin()));
  }
  const std::size_t step = n / kNear + 1;
  const std::vector<std::size_t> first(chosen.begin(), chosen.end());
  for (const std::size_t i : first) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t nearest = i;
    for (std::size_t j = 0; j < n; j += step) {
      const double d = std::max({std::fabs(b.x[j] - b.x[i]), std::fabs(b.y[j] - b.y[i]), std::fabs(b.z[j] - b.z[i])});
      if (j != i && d > 0 && d < least) least = d, nearest = j;
    }
    chosen.insert(nearest);
  }
  if (const auto [i, j] = nearest_two(b); i != j) chosen.insert(i), chosen.insert(j);
  return {chosen.begin(), chosen.end()};
}

/// What a body feels, as sums of sizes.
struct Felt {
  double wide = 0, narrow = 0;
  double lost = 0;     ///< difference of both
  double allowed = 0;  ///< what rounding the bodies' values costs
};

/// Real: the precision in question; Wide: a better one.
template <class Real, class Wide>
class TypedRange {
 public:
  TypedRange(const Bodies& bodies, const TypedLaw& typed, const Box& box)
      : b_(bodies), law_(*typed.law), image_(box), rows_(chosen_bodies(bodies)), felt_(rows_.size()) {
    const std::vector<double> uniforms = typed.law->uniforms(typed.values);
    // They are computed in float64: only a law in float64 may have lost something there.
    const std::vector<long double> exact = expression::LawMaker::wide_uniforms(*typed.law, typed.values);
    wide_.assign(exact.begin(), exact.end());
    for (const double value : uniforms) narrow_.push_back(static_cast<Real>(value));
  }

  std::string run() {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (std::size_t other = row + 1; other < rows_.size(); ++other) {
        if (law_.over() == Over::pairs) {
          add_pair(row, other);
        } else {
          for (std::size_t third = other + 1; third < rows_.size(); third += 1 + rows_.size() / 8) {
            add_triple({row, other, third});
          }
        }
      }
    }
    double largest = 0;
    for (const Felt& f : felt_) largest = std::max(largest, f.wide);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const Felt& f = felt_[row];
      if (!(f.wide > kNoForce * largest) || f.lost <= kMaxLoss * f.wide + kRoundings * f.allowed) continue;
      const char* const what = law_.weighs_masses() ? "acceleration" : "force";
      return fmt::format(
          "the {} on body {} would be {:.3g} in float{} and is {:.3g}: numbers on the way leave the range or "
          "lose their digits",
          what, rows_[row], f.narrow, 8 * sizeof(Real), f.wide);
    }
    return {};
  }

 private:
  Wide squared_distance(std::size_t i, std::size_t j) const {
    double dx = b_.x[j] - b_.x[i], dy = b_.y[j] - b_.y[i], dz = b_.z[j] - b_.z[i];
    image_(laws::ScalarMath<double>{}, dx, dy, dz);
    return Wide(dx) * Wide(dx) + Wide(dy) * Wide(dy) + Wide(dz) * Wide(dz);
  }

  /// The outputs of a program, each with what rounding the inputs may cost it, if anything is lost at all.
  struct Outputs {
    std::vector<Wide> wide, narrow, allowed;
  };
  Outputs outputs_of(const std::vector<Wide>& inputs) const {
    const std::vector<Real> rounded(inputs.begin(), inputs.end());
    const std::vector<Real> narrow = law_.strength().template run<Real>(rounded, narrow_);
    Outputs out{law_.strength().template run<Wide>(inputs, wide_), {narrow.begin(), narrow.end()}, {}};
    out.allowed.resize(narrow.size());
    const auto is_kept = [](Wide a, Wide b) { return std::fabs(a - b) <= Wide(kMaxLoss) * std::fabs(a); };
    if (std::equal(out.wide.begin(), out.wide.end(), out.narrow.begin(), is_kept)) return out;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      for (const Wide change : {Wide(-4), Wide(4)}) {
        std::vector<Wide> changed = inputs;
        changed[k] *= 1 + change * std::numeric_limits<Real>::epsilon();
        const std::vector<Wide> there = law_.strength().template run<Wide>(changed, wide_);
        for (std::size_t o = 0; o < there.size(); ++o) {
          const Wide cost = std::fabs(there[o] - out.wide[o]) / 4;
          if (std::isfinite(cost)) out.allowed[o] = std::max(out.allowed[o], cost);
        }
      }
    }
    return out;
  }

  /// As the kernels go on from the strength: times the factor and the distance, then the other mass; or with the factor
  /// in the mass. The worse of both.
  Real narrow_acceleration(Real strength, Real distance, Real mass, Wide wide) const {
    const Real here = strength * narrow_[0] * distance * mass;
    const Real there = strength * distance * (narrow_[0] * mass);
    return std::fabs(here - wide) > std::fabs(there - wide) ? here : there;
  }

  /// What a pair gives to both bodies, and a triple along a side.
  struct Share {
    Wide wide = 0, narrow = 0, allowed = 0;
  };
  /// The one that loses most; as a share of the first, which is at the bodies' own distance.
  static Share worst_of(const std::vector<Share>& shares) {
    Share worst = shares[0];
    for (const Share& s : shares) {
      const Wide scale = shares[0].wide / s.wide;
      if (!(scale > Wide(0.1) && scale < 10)) continue;  // near a jump, or where the force changes its sign
      const Share here{shares[0].wide, s.narrow * scale, s.allowed * scale};
      if (!(std::fabs(here.narrow - here.wide) <= std::fabs(worst.narrow - worst.wide))) worst = here;
    }
    return worst;
  }

  void add(std::size_t row, const Share& share) {
    if (!std::isfinite(share.wide)) return;
    Felt& f = felt_[row];
    f.wide += static_cast<double>(std::fabs(share.wide));
    f.narrow += static_cast<double>(std::fabs(share.narrow));
    const auto lost = static_cast<double>(std::fabs(share.wide - share.narrow));
    f.lost += std::isnan(lost) ? std::numeric_limits<double>::infinity() : lost;
    f.allowed += static_cast<double>(std::fabs(share.allowed));
  }

  void add_pair(std::size_t row, std::size_t column) {
    const std::size_t i = rows_[row], j = rows_[column];
    const auto q = [this](std::size_t k) { return b_.q.empty() ? Wide(0) : Wide(b_.q[k]); };
    const Wide squared = squared_distance(i, j);
    if (squared == 0) return;
    std::vector<Share> shares[2];
    for (const double stretch : kStretches) {
      const std::vector<Wide> inputs{squared * stretch, b_.m[i], b_.m[j], b_.r[i], b_.r[j], q(i), q(j)};
      const Wide d = std::sqrt(inputs[0]);
      const auto narrow_d = static_cast<Real>(d);
      const Outputs out = outputs_of(inputs);
      const auto narrow = static_cast<Real>(out.narrow[0]);
      for (const std::size_t other : {0, 1}) {
        const double m = b_.m[other == 0 ? j : i];
        const Wide mass = law_.weighs_masses() ? Wide(m) * wide_[0] : 1;
        const Wide wide = out.wide[0] * d * mass;
        const Real felt = law_.weighs_masses() ? narrow_acceleration(narrow, narrow_d, static_cast<Real>(m), wide)
                                               : narrow * narrow_d;
        shares[other].push_back({wide, felt, out.allowed[0] * d * mass});
      }
    }
    add(row, worst_of(shares[0])), add(column, worst_of(shares[1]));
  }

  void add_triple(const std::array<std::size_t, 3>& rows) {
    std::vector<Share> shares[3];
    std::array<Wide, 3> squared{};
    for (std::size_t side = 0; side < 3; ++side) {
      squared[side] = squared_distance(rows_[rows[side]], rows_[rows[(side + 1) % 3]]);
      if (squared[side] == 0) return;
    }
    for (const double stretch : kStretches) {
      const Outputs out = outputs_of({squared[0] * stretch, squared[1] * stretch, squared[2] * stretch});
      for (std::size_t side = 0; side < 3; ++side) {
        const Wide d = std::sqrt(squared[side] * stretch);
        const Real narrow = static_cast<Real>(out.narrow[side]) * static_cast<Real>(d);
        shares[side].push_back({out.wide[side] * d, narrow, out.allowed[side] * d});
      }
    }
    for (std::size_t side = 0; side < 3; ++side) {
      const Share worst = worst_of(shares[side]);
      add(rows[side], worst), add(rows[(side + 1) % 3], worst);
    }
  }

  const Bodies& b_;
  const Law& law_;
  laws::NearestImage<double> image_;
  std::vector<std::size_t> rows_;
  std::vector<Felt> felt_;
  std::vector<Wide> wide_;
  std::vector<Real> narrow_;
};

}  // namespace

std::string typed_law_loss(const Bodies& bodies, const TypedLaw& typed, const Box& box, Precision precision) {
  if (bodies.size() < 2) return {};
  if (precision == Precision::fp32) return TypedRange<float, double>(bodies, typed, box).run();
  return TypedRange<double, long double>(bodies, typed, box).run();
}

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
  LoopProgress progress(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    progress.at(i);
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

/// Contact's normals are kept finite by a least squared distance (contact.hpp), of which radii have to stay away, and
/// two bodies that are not at one place: rounded to the precision, too.
void check_contact(const Bodies& b, Precision precision) {
  const bool single = precision == Precision::fp32;
  const double least_radius = single ? 1e-14 : 1e-149, least = std::sqrt(limits_of(precision).least);
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b.r[i] == 0 || b.r[i] >= least_radius) continue;
    throw ConfigError(fmt::format(
        "body {} has the radius {:.3g}; contacts are computed for radii from {:g} on, so use a smaller unit of length.",
        i, b.r[i], least_radius));
  }
  check_squares(b, type_of(precision));
  double farthest = 0;
  for (std::size_t k = 0; k < b.size(); ++k) farthest = std::max(farthest, length(b.x[k], b.y[k], b.z[k]));
  const auto two = nearest_two(b, 4 * (least + type_of(precision).rounding * farthest));
  const std::size_t i = two.first, j = two.second;
  const auto rounded = [single](double v) { return single ? static_cast<double>(static_cast<float>(v)) : v; };
  const auto side = [&](const std::vector<double>& v) { return rounded(v[j]) - rounded(v[i]); };
  if (i == j || b.r[i] + b.r[j] == 0 || std::hypot(side(b.x), side(b.y), side(b.z)) >= least) return;
  throw ConfigError(
      fmt::format("bodies {} and {} are {:.3g} apart, and {} loses their direction; use {}another place for one.",
                  std::min(i, j), std::max(i, j), std::hypot(b.x[j] - b.x[i], b.y[j] - b.y[i], b.z[j] - b.z[i]),
                  type_of(precision).name, single ? "--precision fp64, or " : ""));
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

void check_float_neighbours(const Bodies& b, const ForceField& field) {
  const bool gravity = field.pair == PairLaw::gravity;
  if (b.size() < 2 || !(gravity || field.pair == PairLaw::lennard_jones)) return;
  const auto& [epsilon, sigma, cutoff, shifted] = field.lennard_jones;
  const double largest = kFloat.limits.largest, softening = gravity ? field.gravity.softening : 0;
  const double heaviest = *std::max_element(b.m.begin(), b.m.end()), G = std::abs(field.gravity.G);
  // Where 1/r^3, G/r^3 or G m/r^3 is infinite, and 48 epsilon sigma^12/r^14, or that without 1/r^2.
  const double wells = 48 * std::max(epsilon, 1.0) / largest;
  const double near =
      gravity ? std::cbrt(std::max({1.0, G, G * heaviest}) / largest)
              : std::max(sigma * std::pow(wells, 1.0 / 12), std::pow(wells, 1.0 / 14) * std::pow(sigma, 6.0 / 7));
  if (!(near > softening)) return;
  // Farther from the origin such a distance is of few units in the last place, which resolution_loss() finds.
  const double place = near / 1024 / kFloat.rounding;
  Bodies some;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!(std::max({std::abs(b.x[i]), std::abs(b.y[i]), std::abs(b.z[i])}) < place)) continue;
    some.add(b.x[i], b.y[i], b.z[i], 0, 0, 0, 1), rows.push_back(i);
  }
  if (rows.size() < 2) return;
  const auto [i, j] = nearest_two(some, std::sqrt(near * near - softening * softening));
  if (i == j) return;
  throw ConfigError(
      fmt::format("bodies {} and {} are {:.3g} apart, where {} between them leaves the range of float32; use "
                  "--precision fp64.",
                  rows[std::min(i, j)], rows[std::max(i, j)],
                  std::hypot(some.x[j] - some.x[i], some.y[j] - some.y[i], some.z[j] - some.z[i]),
                  gravity ? "gravity" : "lennard-jones"));
}

void check_float_spheres(const Bodies& bodies, Precision precision) {
  if (precision == Precision::fp32) check_squares(bodies, kFloat);
}

}  // namespace tri
