#include "sim/expression/law_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/base/splitmix64.hpp"

namespace tri::expression {
namespace {

using Wide = long double;

constexpr u32 kSamples = 192, kDisproofs = 4096;
constexpr double kMostAsymmetry = 1e-9, kMostDerivative = 1e-4;

class Check {
 public:
  explicit Check(const CheckedLaw& law) : law_(law), uniforms_(law.uniforms.begin(), law.uniforms.end()) {
    for (const Parameter& p : law.parameters) {
      if (p.value != 0) scales_.push_back(std::fabs(p.value));
    }
  }

  LawCheck run(std::string& fault) {
    for (u32 k = 0; k < kSamples; ++k) {
      const std::vector<Wide> inputs = draw(k);
      const Wide energy = this->energy(inputs);
      compare_orders(inputs, energy, fault);
      if (!std::isfinite(energy)) continue;
      ++found_.samples;
      compare_slopes(inputs);
    }
    if (!law_.is_symmetric && fault.empty()) disprove_symmetry(fault);
    if (found_.samples == 0 && fault.empty()) {
      fault = "the energy is not a finite number at any distance that was tried; look at its signs and parameters";
    }
    if (fault.empty() && wrong_ > right_ && wrong_ > 3) {
      fault = fmt::format(
          "the derivative of the energy differs from its differences by {:.1g}; write it in a way that "
          "keeps more digits",
          found_.derivative);
    }
    return found_;
  }

 private:
  double between(double low, double high) { return low * std::pow(high / low, random_.uniform()); }

  double length(u32 k) {
    const bool around = k % 2 == 1 && !scales_.empty();
    return around ? scales_[k / 2 % scales_.size()] * between(0.1, 10) : between(0.05, 20);
  }

  std::vector<Wide> draw(u32 k) {
    const double x = length(k);
    if (law_.over == Over::triples) {
      // Two sides and the cosine between them.
      const double y = x * between(0.5, 2), cosine = 1.9 * random_.uniform() - 0.95;
      return {Wide(x * x), Wide(y * y), Wide(x * x + y * y - 2 * x * y * cosine)};
    }
    const auto charge = [this] { return 4 * random_.uniform() - 2; };
    std::vector<Wide> inputs{Wide(x * x)};
    for (int body = 0; body < 2; ++body) inputs.push_back(between(0.2, 5));
    for (int body = 0; body < 2; ++body) inputs.push_back(between(0.1, 2));
    for (int body = 0; body < 2; ++body) inputs.push_back(charge());
    return inputs;
  }

  /// Looks for a pair that has two energies, with columns around the numbers of the text: a law may have a threshold
  /// there. Without one, too, the law is refused: its symmetry is not certain.
  void disprove_symmetry(std::string& fault) {
    std::vector<double> scales = scales_;
    for (const double number : law_.numbers) scales.push_back(std::fabs(number));
    scales.push_back(1);
    for (u32 k = 0; k < kDisproofs && fault.empty(); ++k) {
      std::vector<Wide> inputs = draw(k);
      for (std::size_t c = 1; law_.over == Over::pairs && c < inputs.size(); ++c) {
        const bool negative = c > 4 && random_.uniform() < 0.5;
        inputs[c] = (negative ? -1 : 1) * scales[random_.next() % scales.size()] * between(0.1, 10);
      }
      compare_orders(inputs, energy(inputs), fault);
    }
    if (!fault.empty()) return;
    fault = law_.over == Over::pairs
                ? "it is not certain that the energy stays the same when the bodies i and j change places; write it "
                  "with what takes both alike, as mi*mj, ri + rj, (qi - qj)^2, abs(), min(), max(), or a sum over both "
                  "orders"
                : "it is not certain that the energy stays the same when the sides change places; write it with what "
                  "takes all three alike, as a*b*c, a^2 + b^2 + c^2, min(), max(), or a sum over all orders";
  }

  std::vector<Wide> run_program(const std::vector<Wide>& inputs) const {
    return law_.program.run<Wide>(inputs, uniforms_);
  }
  Wide energy(const std::vector<Wide>& inputs) const { return run_program(inputs).back(); }

  void compare_orders(const std::vector<Wide>& inputs, Wide energy, std::string& fault) {
    if (law_.over == Over::pairs) {
      std::vector<Wide> swapped = inputs;
      for (const std::size_t column : {1, 3, 5}) std::swap(swapped[column], swapped[column + 1]);
      return compare(energy, this->energy(swapped), fault, [&] { return columns(inputs); });
    }
    std::array<u32, 3> order{0, 1, 2};
    while (std::next_permutation(order.begin(), order.end())) {
      const std::vector<Wide> other{inputs[order[0]], inputs[order[1]], inputs[order[2]]};
      compare(energy, this->energy(other), fault, [&] {
        const auto side = [&](u32 k) { return std::sqrt(double(inputs[k])); };
        return fmt::format("(a, b, c) = ({:.3g}, {:.3g}, {:.3g})", side(0), side(1), side(2));
      });
    }
  }

  /// The columns that the energy reads, for a sentence.
  std::string columns(const std::vector<Wide>& inputs) const {
    constexpr std::string_view kNames[] = {"(mi, mj)", "(ri, rj)", "(qi, qj)"};
    std::string text;
    for (u32 k = 0; k < 3; ++k) {
      if (((law_.depends >> (Symbol::mi + 2 * k)) & 3) == 0) continue;
      text += fmt::format("{}{} = ({:.3g}, {:.3g})", text.empty() ? "" : ", ", kNames[k],
                          static_cast<double>(inputs[1 + 2 * k]), static_cast<double>(inputs[2 + 2 * k]));
    }
    return text;
  }

  template <class Where>
  void compare(Wide one, Wide other, std::string& fault, Where&& where) {
    if (!std::isfinite(one) && !std::isfinite(other)) return;
    const Wide scale = std::fabs(one) + std::fabs(other);
    Wide difference = scale == 0 ? 0 : std::fabs(one - other) / scale;
    if (!std::isfinite(difference)) difference = 1;
    found_.asymmetry = std::max(found_.asymmetry, static_cast<double>(difference));
    if (difference < kMostAsymmetry || law_.is_symmetric || !fault.empty()) return;
    fault = law_.over == Over::pairs
                ? fmt::format(
                      "the energy changes when the bodies i and j change places: {:.6g} becomes {:.6g} with {}; "
                      "a pair has one energy",
                      double(one), double(other), where())
                : fmt::format(
                      "the energy changes when the sides change places: {:.6g} becomes {:.6g} with {}; a triple "
                      "has one energy",
                      double(one), double(other), where());
  }

  /// Central differences in steps h, h/2, h/4, extrapolated twice. Both results agree where the energy is smooth.
  void compare_slopes(const std::vector<Wide>& inputs) {
    const std::vector<Wide> results = run_program(inputs);
    for (std::size_t k = 0; k + 1 < results.size(); ++k) {
      const Wide h = inputs[k] / 512;
      Wide largest = 0;
      const auto slope = [&](Wide step) {
        std::vector<Wide> low = inputs, high = inputs;
        low[k] -= step, high[k] += step;
        const Wide below = energy(low), above = energy(high);
        largest = std::max({largest, std::fabs(below), std::fabs(above)});
        return (above - below) / step;  // twice the derivative, as the program's
      };
      const Wide s1 = slope(h), s2 = slope(h / 2), s4 = slope(h / 4);
      const Wide r1 = (4 * s2 - s1) / 3, r2 = (4 * s4 - s2) / 3;
      const Wide noise = 1000 * std::numeric_limits<Wide>::epsilon() * largest / h;
      const Wide scale = std::fabs(r2) + noise / 1e-7L;
      if (!std::isfinite(r2) || !std::isfinite(results[k]) || scale == 0 || std::fabs(r1 - r2) > 1e-6L * scale)
        continue;
      const double difference = static_cast<double>(std::fabs(results[k] - r2) / scale);
      found_.derivative = std::max(found_.derivative, difference);
      ++(difference > kMostDerivative ? wrong_ : right_);
    }
  }

  const CheckedLaw& law_;
  std::vector<Wide> uniforms_;
  std::vector<double> scales_;
  SplitMix64 random_{2026};
  LawCheck found_;
  u32 right_ = 0, wrong_ = 0;
};

}  // namespace

LawCheck check_law(const CheckedLaw& law, std::string& fault) { return Check(law).run(fault); }

}  // namespace tri::expression
