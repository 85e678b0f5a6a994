#include "sim/model/typed_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "sim/expression/law_maker.hpp"
#include "sim/laws/nearest_image.hpp"
#include "sim/laws/scalar_math.hpp"

namespace tri {
namespace {

using expression::kPairInputs;
using expression::kTripleInputs;
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

/// The two bodies that are nearest to each other, not at one place; with very many tests or bodies, two near ones. Two
/// equal numbers: there are none.
std::pair<std::size_t, std::size_t> nearest_two(const Bodies& b) {
  const std::size_t step = b.size() / kNear + 1;
  constexpr double kX = 0.7548776662466927, kY = 0.5698402909980532, kZ = 0.3247179572447461;  // no lattice's axis
  std::vector<std::pair<double, std::size_t>> along;
  for (std::size_t i = 0; i < b.size(); i += step) along.emplace_back(kX * b.x[i] + kY * b.y[i] + kZ * b.z[i], i);
  std::sort(along.begin(), along.end());
  double least = std::numeric_limits<double>::infinity();
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

}  // namespace tri
