/// The bench kernels of forces: gravity, typed laws, triplets.
///
/// What the bench kernels of forces share: bodies on the device, a timed evaluation, and the check of all its
/// components.

#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "sim/backend/bench.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/numbers.hpp"
#include "sim/cuda/bench.hpp"
#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/reference/reference.hpp"

namespace tri::cuda {

/// Forces<Real>: PairForces or TripleForces.
template <class Real, template <class> class Forces>
class ForcesCase : public CudaCase {
 public:
  ForcesCase(const CaseSpec& spec, const EngineConfig& config)
      : ForcesCase(spec, config, force_bench_bodies(spec.bench)) {}

  /// As LawSums::agree().
  void agree() const { forces_.agree(); }

 protected:
  DeviceState<Real> state() const { return {positions_.data(), radii_.data(), n(), charges_.data()}; }
  std::vector<Vec4<Real>> sums() const { return sums_.download(stream()); }
  TypedSums wide_sums() const {
    TypedSums wide;
    for (const Vec4<Real>& s : sums()) {
      wide.x.push_back(double{s.x}), wide.y.push_back(double{s.y}), wide.z.push_back(double{s.z});
    }
    return wide;
  }
  const Vec4<Real>* sums_on_device() const { return sums_.data(); }
  static constexpr bool kFp32 = sizeof(Real) == 4;

 private:
  /// Of every component under the built-in law; `how` becomes the reference, `right` false for anything else that is
  /// wrong.
  virtual PairErrors errors(bool& right, const char*& how) = 0;

  ForcesCase(const CaseSpec& spec, const EngineConfig& config, const Bodies& b)
      : CudaCase(spec),
        forces_(force_bench_field(spec.bench), config, spec.n(), spec.device, spec.ranks),
        positions_(b.size()),
        radii_(b.q.size()),
        charges_(b.q.size()),
        sums_(b.size()) {
    const auto real = [](double v) { return static_cast<Real>(v); };
    std::vector<Vec4<Real>> vectors(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) vectors[i] = {real(b.x[i]), real(b.y[i]), real(b.z[i]), real(b.m[i])};
    positions_.upload(vectors, stream());
    if (!b.q.empty()) {  // a typed law, which may read radii too
      for (std::size_t i = 0; i < b.size(); ++i) vectors[i] = {Real(0), Real(0), Real(0), real(b.r[i])};
      radii_.upload(vectors, stream());
      charges_.upload(std::vector<Real>(b.q.begin(), b.q.end()), stream());
    }
    forces_.keep_sorted(stream(), state(), 1);
    set_work({[this](cudaStream_t on, u32) { forces_.enqueue(on, state(), sums_.data()); }, forces_.blocks_launched(),
              forces_.blocks_useful(), 1},
             forces_.block());
  }

  /// NaNs.
  void poison() final { sums_.fill_bytes(0xff, stream()); }

  BenchCheck compare() final {
    if (forces_.left_range(stream())) return {false, 1.0, "the range of ordered sums"};
    const BenchSpec& bench = this->spec().bench;
    if (!bench.law.empty()) {
      return typed_check(typed_errors(force_bench_field(bench), force_bench_bodies(bench), wide_sums()),
                         bench.precision);
    }
    bool right = true;
    const char* how = nullptr;
    const PairErrors e = errors(right, how);
    BenchCheck check = force_check(e, n(), bench.precision, how);
    check.passed = check.passed && right;
    return check;
  }

  void damage() final {
    std::vector<Vec4<Real>> sums = this->sums();
    double square = 0;
    for (const Vec4<Real>& s : sums) square += double{s.y} * double{s.y};
    sums.back().y += static_cast<Real>(std::sqrt(square / n()) + 1e-30);
    sums_.upload(sums, stream());
  }

  Forces<Real> forces_;
  DeviceBuffer<Vec4<Real>> positions_, radii_;  ///< a radius stands where velocities have theirs
  DeviceBuffer<Real> charges_;
  DeviceBuffer<Vec4<Real>> sums_;
};

/// `forces_bytes`: memory of the case's Forces beside positions and sums.
template <class Case>
std::unique_ptr<BenchCase> make_forces_case_in(const CaseSpec& spec, const EngineConfig& config,
                                               u64 (*forces_bytes)(const EngineConfig&, u64)) {
  const BenchSpec& bench = spec.bench;
  const bool fp32 = bench.precision == Precision::fp32;
  const auto bytes = [&](u64 n) {
    const u64 columns = bench.law.empty() ? 2 : 4;  // a typed law has radii and charges
    return n * columns * (fp32 ? sizeof(Vec4<float>) : sizeof(Vec4<double>)) + forces_bytes(config, n);
  };
  const std::string what = fmt::format("the data of {} bodies", bench.n);
  // On the host: the bodies, the sums, and both again in float64 for the check.
  std::unique_ptr<Case> made;
  const auto make = [&] {
    require_memory(bench.n * sizeof(double) * 16, what, "Use a smaller --n");
    require_device_memory_for(bytes, bench.n, what, "Use --n ", " or less");
    made = std::make_unique<Case>(spec, config);
  };
  spec.ranks != nullptr ? spec.ranks->all_or_none(make) : make();
  made->agree();
  return made;
}

/// Case<Real> in the spec's precision; as above.
template <template <class Real> class Case>
std::unique_ptr<BenchCase> make_forces_case(const CaseSpec& spec, EngineConfig config,
                                            u64 (*forces_bytes)(const EngineConfig&, u64)) {
  config.precision = spec.bench.precision;
  config.accumulate = spec.bench.accumulate;
  // Ctrl-C cuts a sample off: only a display asks for slices, and several devices have none.
  if (spec.ranks != nullptr || !drives_display(spec.device)) config.slice_ms = std::numeric_limits<double>::infinity();
  if (config.precision == Precision::fp32) return make_forces_case_in<Case<float>>(spec, config, forces_bytes);
  return make_forces_case_in<Case<double>>(spec, config, forces_bytes);
}

// Gravity. Up to kOracle bodies every component is compared with the oracle on the host, beyond with a plain float64
// loop on the device, both on the same rounded data.

namespace {

constexpr u64 kOracle = 3000;

template <class Real>
class GravityCase final : public ForcesCase<Real, PairForces> {
 public:
  using ForcesCase<Real, PairForces>::ForcesCase;

 private:
  PairErrors errors(bool& /*right*/, const char*& how) override {
    const bool few = this->n() <= kOracle;
    how = few ? "every component by the oracle" : "every component by a plain float64 loop";
    if (few) {
      const Bodies bodies = force_bench_bodies(this->spec().bench);
      ReferenceForces f = reference_forces(bodies, force_bench_field(this->spec().bench));
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        f.fx[i] /= bodies.m[i], f.fy[i] /= bodies.m[i], f.fz[i] /= bodies.m[i];
      }
      return force_errors(this->wide_sums(), {f.fx, f.fy, f.fz});
    }
    DeviceBuffer<PairErrors> errors(1);
    errors.fill_bytes(0, this->stream());
    plain_gravity_errors(this->state(), kBenchSoftening, this->sums_on_device(), errors.data(), this->stream());
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
  return make_forces_case<GravityCase>(spec, config, pair_forces_bytes);
}

// Triplet: forces and energy. Every component is compared with a plain float64 loop on the device, which shares no
// formula with the kernels, and the energy that fast sums give beside the forces with the loop's.

namespace {

template <class Real>
class TripletCase final : public ForcesCase<Real, TripleForces> {
  using Base = ForcesCase<Real, TripleForces>;

 public:
  using Base::Base;

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
  return make_forces_case<TripletCase>(spec, config, triple_forces_bytes);
}

}  // namespace tri::cuda
