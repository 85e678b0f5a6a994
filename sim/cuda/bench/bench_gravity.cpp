// The bench kernel gravity: softened accelerations of a cloud, the same bodies as on the cpu backend.
//
// Up to kOracle bodies every component is compared with the oracle on the host, beyond with a plain float64 loop on the
// device, both on the same rounded data.

#include <cmath>

#include "sim/base/error.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/cuda/bench/bench_typed.hpp"
#include "sim/reference/reference.hpp"

namespace tri::cuda {
namespace {

constexpr double kSoftening = 0.01;
constexpr u64 kOracle = 3000;

ForceField gravity_field() {
  ForceField field;
  field.gravity.softening = kSoftening;
  return field;
}

/// The cloud in the unit cube, total mass 1, masses from 0.5 to 1.5 of the mean.
template <class Real>
std::vector<Vec4<Real>> random_positions(const BenchSpec& spec) {
  SplitMix64 random{spec.seed};
  std::vector<Vec4<Real>> positions(spec.n);
  for (Vec4<Real>& p : positions) {
    p.x = static_cast<Real>(random.uniform());
    p.y = static_cast<Real>(random.uniform());
    p.z = static_cast<Real>(random.uniform());
    p.w = static_cast<Real>((0.5 + random.uniform()) / static_cast<double>(spec.n));
  }
  return positions;
}

template <class Real>
PairErrors errors_by_oracle(const std::vector<Vec4<Real>>& positions, const std::vector<Vec4<Real>>& got) {
  Bodies bodies;
  for (const Vec4<Real>& p : positions) {
    bodies.add(double{p.x}, double{p.y}, double{p.z}, 0, 0, 0, double{p.w});
  }
  const ReferenceForces expected = reference_forces(bodies, gravity_field());
  PairErrors errors;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double x = expected.fx[i] / bodies.m[i], y = expected.fy[i] / bodies.m[i], z = expected.fz[i] / bodies.m[i];
    const double ex = double{got[i].x} - x, ey = double{got[i].y} - y, ez = double{got[i].z} - z;
    const double e2 = ex * ex + ey * ey + ez * ez;
    errors.differences += e2;
    errors.squares += x * x + y * y + z * z;
    if (!(e2 <= errors.largest)) errors.largest = e2;  // keeps a NaN
    if (std::isnan(e2)) break;
  }
  return errors;
}

template <class Real>
class GravityCase final : public BuiltInForcesCase<Real, PairForces> {
  using Base = BuiltInForcesCase<Real, PairForces>;

 public:
  GravityCase(const CaseSpec& spec, const EngineConfig& config)
      : Base(spec, random_positions<Real>(spec.bench), gravity_field(), config) {}

 private:
  PairErrors errors(bool& /*right*/, const char*& how) override {
    const bool few = this->n() <= kOracle;
    how = few ? "every component by the oracle" : "every component by a plain float64 loop";
    if (few) return errors_by_oracle(this->positions(), this->sums());
    DeviceBuffer<PairErrors> errors(1);
    errors.fill_bytes(0, this->stream());
    plain_gravity_errors(this->state(), kSoftening, this->sums_on_device(), errors.data(), this->stream());
    return errors.download(this->stream())[0];
  }
};

}  // namespace

std::unique_ptr<BenchCase> make_gravity_bench(const CaseSpec& spec) {
  if (spec.pair_map() == TriangleMapId::rec && spec.bench.rec != RecForm::launches) {
    throw ConfigError("--map rec of gravity is launched grid by grid only; leave --rec out.");
  }
  EngineConfig config;
  config.pair_map = spec.pair_map();
  config.pair_block = spec.bench.block;
  const bool tensor = spec.bench.arithmetic == BenchArithmetic::tensor;
  config.arithmetic = tensor ? Arithmetic::tensor : Arithmetic::float32, config.tolerance = spec.bench.tolerance;
  if (!spec.bench.law.empty()) return make_forces_case<TypedPairCase>(spec, config, pair_forces_bytes);
  return make_forces_case<GravityCase>(spec, config, pair_forces_bytes);
}

}  // namespace tri::cuda
