#include "sim/backend/typed_bench.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/contracts.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/laws/typed_text.hpp"

namespace tri {
namespace {

/// Evaluations of the program that a check makes at most, unless a single body takes more.
constexpr u64 kTypedEvaluations = 1'000'000;

struct Vector {
  double x = 0, y = 0, z = 0;
  double square() const { return x * x + y * y + z * z; }
};

Vector difference(const Bodies& b, std::size_t i, std::size_t j) {
  return {b.x[j] - b.x[i], b.y[j] - b.y[i], b.z[j] - b.z[i]};
}

void add_scaled(Vector& to, double factor, const Vector& d) {
  to.x += factor * d.x, to.y += factor * d.y, to.z += factor * d.z;
}

Vector pair_sum(const expression::Law& law, const std::vector<double>& uniforms, const Bodies& b, std::size_t i) {
  Vector sum;
  for (std::size_t j = 0; j < b.size(); ++j) {
    if (j == i) continue;
    const Vector d = difference(b, i, j);
    const double inputs[expression::kPairInputs] = {d.square(), b.m[i], b.m[j], b.r[i], b.r[j], b.q[i], b.q[j]};
    const double strength = law.strength().run<double>(inputs, uniforms)[0];
    add_scaled(sum, law.weighs_masses() ? strength * uniforms[0] * b.m[j] : strength, d);
  }
  return sum;
}

/// Over all pairs of others: the sides are (i, j), (j, k) and (k, i), and two of them pull at i.
Vector triple_sum(const expression::Law& law, const std::vector<double>& uniforms, const Bodies& b, std::size_t i) {
  Vector sum;
  for (std::size_t k = 0; k < b.size(); ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      if (j == i || k == i) continue;
      const Vector to_j = difference(b, i, j), to_k = difference(b, i, k);
      const double inputs[expression::kTripleInputs] = {to_j.square(), difference(b, j, k).square(), to_k.square()};
      const std::vector<double> strengths = law.strength().run<double>(inputs, uniforms);
      add_scaled(sum, strengths[0], to_j), add_scaled(sum, strengths[2], to_k);
    }
  }
  return sum;
}

}  // namespace

ForceField typed_bench_field(const BenchSpec& spec) {
  TRI_EXPECTS(!spec.law.empty());
  ForceField field;
  field.pair = PairLaw::none;
  spec.kernel == BenchKernel::triplet ? set_triple_law(field, spec.law) : set_pair_law(field, spec.law);
  return field;
}

Bodies typed_bench_bodies(const BenchSpec& spec) {
  Bodies bodies;
  std::vector<double> charges;
  SplitMix64 random{spec.seed};
  const u64 side = static_cast<u64>(std::ceil(std::cbrt(static_cast<double>(spec.n))));
  const auto at = [&](u64 cell) { return static_cast<double>(cell) + 0.4 * (random.uniform() - 0.5); };
  for (u64 i = 0; i < spec.n; ++i) {
    const double x = at(i % side), y = at(i / side % side), z = at(i / side / side);
    bodies.add(x, y, z, 0, 0, 0, 0.5 + random.uniform(), 0.5);
    charges.push_back(random.uniform() < 0.5 ? -1 : 1);
  }
  bodies.q = std::move(charges);
  if (spec.precision == Precision::fp64) return bodies;
  for (auto* column : {&bodies.x, &bodies.y, &bodies.z, &bodies.m}) {
    for (double& v : *column) v = static_cast<double>(static_cast<float>(v));
  }
  return bodies;
}

TypedErrors typed_errors(const ForceField& field, const Bodies& b, const TypedSums& sums) {
  const bool pairs = field.pair == PairLaw::typed;
  const expression::TypedLaw& typed = pairs ? field.typed_pair : field.typed_triple;
  const std::vector<double> uniforms = typed.law->uniforms(typed.values);
  const u64 n = b.size(), each = pairs ? n : std::max<u64>(1, n * n / 2);
  const u64 rows = std::clamp<u64>(kTypedEvaluations / std::max<u64>(1, each), std::min<u64>(n, 4), n);
  TypedErrors errors;
  errors.all = rows == n;
  double squares = 0, differences = 0, largest = 0;
  for (u64 row = 0; row < rows; ++row) {
    const u64 i = n - 1 - row * n / rows;
    const Vector expected = pairs ? pair_sum(*typed.law, uniforms, b, i) : triple_sum(*typed.law, uniforms, b, i);
    const Vector off{sums.x[i] - expected.x, sums.y[i] - expected.y, sums.z[i] - expected.z};
    squares += expected.square(), differences += off.square();
    if (!(off.square() <= largest)) largest = off.square();  // keeps a NaN
    if (std::isnan(largest)) break;
  }
  if (differences != 0) {
    errors.rms = std::sqrt(differences / squares);
    errors.max = std::sqrt(largest / squares * static_cast<double>(rows));
  }
  Vector total;
  double size = 0;
  for (u64 i = 0; i < n; ++i) {
    const Vector force{sums.x[i], sums.y[i], sums.z[i]};
    const double m = typed.law->weighs_masses() ? b.m[i] : 1;
    add_scaled(total, m, force);
    size += m * std::sqrt(force.square());
  }
  errors.total = size == 0 ? 0 : std::sqrt(total.square()) / size;
  return errors;
}

BenchCheck typed_check(const TypedErrors& e, Precision precision) {
  const bool fp32 = precision == Precision::fp32;
  // Steep laws multiply the rounding of distances by their exponent.
  const bool passed =
      e.rms <= (fp32 ? 3e-5 : 1e-11) && e.max <= (fp32 ? 5e-4 : 1e-10) && e.total <= (fp32 ? 1e-5 : 1e-11);
  return {passed, std::max(e.max, e.total),
          e.all ? "every component by the law's program in float64, total force 0"
                : "some bodies by the law's program in float64, total force 0"};
}

}  // namespace tri
