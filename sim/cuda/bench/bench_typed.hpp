#pragma once
/// A typed law under the bench kernels gravity and triplet (sim/backend/typed_bench.hpp).

#include "sim/backend/typed_bench.hpp"
#include "sim/cuda/bench/bench_forces.hpp"

namespace tri::cuda {

/// The law's bodies in this precision: positions and masses, radii where velocities have theirs, charges.
template <class Real>
struct TypedColumns {
  std::vector<Vec4<Real>> positions, radii;
  std::vector<Real> charges;

  explicit TypedColumns(const Bodies& b) {
    const auto real = [](double v) { return static_cast<Real>(v); };
    for (std::size_t i = 0; i < b.size(); ++i) {
      positions.push_back({real(b.x[i]), real(b.y[i]), real(b.z[i]), real(b.m[i])});
      radii.push_back({Real(0), Real(0), Real(0), real(b.r[i])});
      charges.push_back(real(b.q[i]));
    }
  }
};

/// Forces: PairForces or TripleForces.
template <class Real, template <class> class Forces>
class TypedForcesCase : public ForcesCase<Real, Forces> {
  using Base = ForcesCase<Real, Forces>;

 public:
  TypedForcesCase(const CaseSpec& spec, const EngineConfig& config)
      : TypedForcesCase(spec, config, typed_bench_bodies(spec.bench)) {}

 private:
  TypedForcesCase(const CaseSpec& spec, const EngineConfig& config, const Bodies& bodies)
      : TypedForcesCase(spec, config, TypedColumns<Real>(bodies)) {}
  TypedForcesCase(const CaseSpec& spec, const EngineConfig& config, const TypedColumns<Real>& columns)
      : Base(spec, columns.positions, typed_bench_field(spec.bench), config, columns.radii, columns.charges) {}

  BenchCheck compare_sums() override {
    TypedSums sums;
    for (const Vec4<Real>& s : this->sums()) {
      sums.x.push_back(double{s.x}), sums.y.push_back(double{s.y}), sums.z.push_back(double{s.z});
    }
    const BenchSpec& bench = this->spec().bench;
    return typed_check(typed_errors(typed_bench_field(bench), typed_bench_bodies(bench), sums), bench.precision);
  }
};

template <class Real>
using TypedPairCase = TypedForcesCase<Real, PairForces>;
template <class Real>
using TypedTripleCase = TypedForcesCase<Real, TripleForces>;

}  // namespace tri::cuda
