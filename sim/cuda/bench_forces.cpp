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
  /// As LawSums::agree().
  void agree() const { forces_.agree(); }

 protected:
  /// radii and charges: of each body, or empty where the law reads none.
  ForcesCase(const CaseSpec& spec, const std::vector<Vec4<Real>>& positions, const ForceField& field,
             const EngineConfig& config, const std::vector<Vec4<Real>>& radii = {},
             const std::vector<Real>& charges = {})
      : CudaCase(spec),
        forces_(field, config, spec.n(), spec.device, spec.ranks),
        positions_(positions.size()),
        radii_(radii.size()),
        charges_(charges.size()),
        sums_(positions.size()) {
    positions_.upload(positions, stream());
    if (!radii.empty()) radii_.upload(radii, stream());
    if (!charges.empty()) charges_.upload(charges, stream());
    forces_.keep_sorted(stream(), state(), 1);
    set_work({[this](cudaStream_t on, u32) { forces_.enqueue(on, state(), sums_.data()); }, forces_.blocks_launched(),
              forces_.blocks_useful(), 1},
             forces_.block());
  }

  DeviceState<Real> state() const { return {positions_.data(), radii_.data(), n(), charges_.data()}; }
  std::vector<Vec4<Real>> positions() const { return positions_.download(stream()); }
  std::vector<Vec4<Real>> sums() const { return sums_.download(stream()); }
  const Vec4<Real>* sums_on_device() const { return sums_.data(); }
  static constexpr bool kFp32 = sizeof(Real) == 4;

  /// NaNs.
  void poison() final { sums_.fill_bytes(0xff, stream()); }

  BenchCheck compare() final {
    if (forces_.left_range(stream())) return {false, 1.0, "the range of ordered sums"};
    return compare_sums();
  }

  void damage() final {
    std::vector<Vec4<Real>> sums = this->sums();
    double square = 0;
    for (const Vec4<Real>& s : sums) square += double{s.y} * double{s.y};
    sums.back().y += static_cast<Real>(std::sqrt(square / n()) + 1e-30);
    sums_.upload(sums, stream());
  }

 private:
  virtual BenchCheck compare_sums() = 0;

  Forces<Real> forces_;
  DeviceBuffer<Vec4<Real>> positions_, radii_;  ///< a radius stands where velocities have theirs
  DeviceBuffer<Real> charges_;
  DeviceBuffer<Vec4<Real>> sums_;
};

/// A case whose law is built in.
template <class Real, template <class> class Forces>
class BuiltInForcesCase : public ForcesCase<Real, Forces> {
  using Base = ForcesCase<Real, Forces>;

 protected:
  using Base::Base;

 private:
  /// Of every component; `how` becomes the reference, `right` false for anything else that is wrong.
  virtual PairErrors errors(bool& right, const char*& how) = 0;

  BenchCheck compare_sums() final {
    bool right = true;
    const char* how = nullptr;
    const PairErrors e = errors(right, how);
    const double rms = e.differences == 0 ? 0 : std::sqrt(e.differences / e.squares);
    const double most = e.largest == 0 ? 0 : std::sqrt(e.largest / e.squares * this->n());
    return {right && rms <= (Base::kFp32 ? 1e-5 : 1e-12) && most <= (Base::kFp32 ? 1e-4 : 1e-11), most, how};
  }
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

// A typed law under the bench kernels gravity and triplet (sim/backend/bench.hpp).

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

// The bench kernel gravity: softened accelerations of a cloud, the same bodies as on the cpu backend.
//
// Up to kOracle bodies every component is compared with the oracle on the host, beyond with a plain float64 loop on the
// device, both on the same rounded data.

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

// The bench kernel triplet: Axilrod-Teller forces and energy of a jittered lattice, the same bodies as on the cpu
// backend.
//
// Every component is compared with a plain float64 loop on the device, which shares no formula with the kernels, and
// the energy that fast sums give beside the forces with the loop's.

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
