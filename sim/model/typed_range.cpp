#include "sim/model/typed_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "sim/laws/nearest_image.hpp"
#include "sim/laws/scalar_math.hpp"

namespace tri {
namespace {

using expression::kPairInputs;
using expression::kTripleInputs;
using expression::Law;
using expression::Over;
using expression::TypedLaw;

constexpr double kMaxLoss = 1e-4;     // of the force on a body
constexpr double kRoundings = 64;     // of the inputs, that a law may cost
constexpr double kNoForce = 1e-20;    // of the largest one: less than its rounding after 10^10 times its period
constexpr std::size_t kSpread = 12;   // bodies taken at equal steps
constexpr std::size_t kNear = 65536;  // bodies among which neighbours are looked for

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
    wide_.assign(uniforms.begin(), uniforms.end());
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
  double squared_distance(std::size_t i, std::size_t j) const {
    double dx = b_.x[j] - b_.x[i], dy = b_.y[j] - b_.y[i], dz = b_.z[j] - b_.z[i];
    image_(laws::ScalarMath<double>{}, dx, dy, dz);
    return dx * dx + dy * dy + dz * dz;
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

  void add(std::size_t row, Wide wide, Wide narrow, Wide allowed) {
    if (!std::isfinite(wide)) return;
    Felt& f = felt_[row];
    f.wide += static_cast<double>(std::fabs(wide));
    f.narrow += static_cast<double>(std::fabs(narrow));
    const auto lost = static_cast<double>(std::fabs(wide - narrow));
    f.lost += std::isnan(lost) ? std::numeric_limits<double>::infinity() : lost;
    f.allowed += static_cast<double>(std::fabs(allowed));
  }

  /// As the kernels go on from the strength: times the factor and the distance, then the other mass; or with the factor
  /// in the mass.
  Real narrow_acceleration(Real strength, Real distance, Real mass) const {
    const Real here = strength * narrow_[0] * distance * mass;
    const Real there = strength * distance * (narrow_[0] * mass);
    return std::fabs(here) < std::fabs(there) ? here : there;
  }

  void add_pair(std::size_t row, std::size_t column) {
    const std::size_t i = rows_[row], j = rows_[column];
    const auto q = [this](std::size_t k) { return b_.q.empty() ? Wide(0) : Wide(b_.q[k]); };
    const std::vector<Wide> inputs{Wide(squared_distance(i, j)), b_.m[i], b_.m[j], b_.r[i], b_.r[j], q(i), q(j)};
    if (inputs[0] == 0) return;
    const Wide d = std::sqrt(inputs[0]);
    const auto narrow_d = static_cast<Real>(d);
    const Outputs out = outputs_of(inputs);
    const auto narrow = static_cast<Real>(out.narrow[0]);
    for (const auto& [to, of] : {std::pair(row, j), std::pair(column, i)}) {
      if (law_.weighs_masses()) {
        const Wide mass = Wide(b_.m[of]) * wide_[0];
        add(to, out.wide[0] * d * mass, narrow_acceleration(narrow, narrow_d, static_cast<Real>(b_.m[of])),
            out.allowed[0] * d * mass);
      } else {
        add(to, out.wide[0] * d, narrow * narrow_d, out.allowed[0] * d);
      }
    }
  }

  void add_triple(const std::array<std::size_t, 3>& rows) {
    std::vector<Wide> inputs;
    for (std::size_t side = 0; side < 3; ++side) {
      inputs.push_back(squared_distance(rows_[rows[side]], rows_[rows[(side + 1) % 3]]));
      if (inputs.back() == 0) return;
    }
    const Outputs out = outputs_of(inputs);
    for (std::size_t side = 0; side < 3; ++side) {
      const Wide d = std::sqrt(inputs[side]);
      const Real narrow = static_cast<Real>(out.narrow[side]) * static_cast<Real>(d);
      for (const std::size_t row : {rows[side], rows[(side + 1) % 3]}) {
        add(row, out.wide[side] * d, narrow, out.allowed[side] * d);
      }
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
