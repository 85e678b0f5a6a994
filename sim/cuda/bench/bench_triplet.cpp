// The bench kernel triplet: Axilrod-Teller forces and energy of a jittered lattice, the same bodies as on the cpu
// backend.
//
// Every component is compared with a plain float64 loop on the device, which shares no formula with the kernels, and
// the energy that fast sums give beside the forces with the loop's.

#include <cmath>

#include "sim/base/splitmix64.hpp"
#include "sim/cuda/bench/bench_typed.hpp"

namespace tri::cuda {
namespace {

/// A cubic lattice of step 1, each atom displaced at random by up to 0.2 an axis.
template <class Real>
std::vector<Vec4<Real>> jittered_lattice(const BenchSpec& spec) {
  SplitMix64 random{spec.seed};
  const u64 side = static_cast<u64>(std::ceil(std::cbrt(static_cast<double>(spec.n))));
  const auto at = [&](u64 cell) {
    return static_cast<Real>(static_cast<double>(cell) + 0.4 * (random.uniform() - 0.5));
  };
  std::vector<Vec4<Real>> positions(spec.n);
  for (u64 i = 0; i < spec.n; ++i) {
    Vec4<Real>& p = positions[i];
    p.x = at(i % side);
    p.y = at(i / side % side);
    p.z = at(i / side / side);
    p.w = 1;
  }
  return positions;
}

ForceField triplet_field() {
  ForceField field;
  field.pair = PairLaw::none;
  field.triple = TripleLaw::axilrod_teller;
  return field;
}

template <class Real>
class TripletCase final : public BuiltInForcesCase<Real, TripleForces> {
  using Base = BuiltInForcesCase<Real, TripleForces>;

 public:
  TripletCase(const CaseSpec& spec, const EngineConfig& config)
      : Base(spec, jittered_lattice<Real>(spec.bench), triplet_field(), config) {}

 private:
  PairErrors errors(bool& right, const char*& how) override {
    how = "every component and the energy by a plain float64 loop";
    DeviceBuffer<PairErrors> errors(1);
    DeviceBuffer<double> energy(1);
    errors.fill_bytes(0, this->stream());
    energy.fill_bytes(0, this->stream());
    plain_triple_errors(this->state(), AxilrodTellerParams{}.nu, this->sums_on_device(), errors.data(), energy.data(),
                        this->stream());
    if (this->spec().bench.accumulate == Accumulate::fast) {
      const double expected = energy.download(this->stream())[0];
      double got = 0;
      for (const Vec4<Real>& s : this->sums()) got += double{s.w};
      right = std::fabs(got - expected) <= (Base::kFp32 ? 1e-5 : 1e-12) * std::fabs(expected);
    }
    return errors.download(this->stream())[0];
  }
};

}  // namespace

std::unique_ptr<BenchCase> make_triplet_bench(const CaseSpec& spec) {
  EngineConfig config;
  config.triple_map = spec.triple_map();
  const bool tensor = spec.bench.arithmetic == BenchArithmetic::tensor;
  if (tensor && config.triple_map != EngineConfig().triple_map) {
    throw ConfigError("under --arithmetic tensor triples are products over pairs, by the map lambda; use --map tetra.");
  }
  config.arithmetic = tensor ? Arithmetic::tensor : Arithmetic::float32;
  config.triple_block = spec.bench.block;
  if (!spec.bench.law.empty()) return make_forces_case<TypedTripleCase>(spec, config, triple_forces_bytes);
  return make_forces_case<TripletCase>(spec, config, triple_forces_bytes);
}

}  // namespace tri::cuda
