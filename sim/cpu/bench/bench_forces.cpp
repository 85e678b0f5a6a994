// Bench kernels gravity and triplet, on maps and as the plain loop that is their baseline.
//
// The check. Up to kPlainLimit bodies, every component of every body is compared with the plain float64 loop on the
// same rounded data, relative to the rms force. Beyond, where that loop would take minutes, sums over the whole output
// decide: the total force is zero, and sum r.F equals the virial that other kernels compute in float64 (for triples:
// nine times the energy).

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <type_traits>

#include "sim/backend/arithmetic.hpp"
#include "sim/backend/typed_bench.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/error.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/cpu/bench/bench_cases.hpp"
#include "sim/cpu/bench/plain_loops.hpp"
#include "sim/cpu/kernels/body_store.hpp"

namespace tri::cpu {
namespace {

/// MapId says which kernel: gravity meets pairs, triplet triples.
template <class MapId>
constexpr bool kPairs = std::is_same_v<MapId, TriangleMapId>;
template <class MapId>
constexpr u64 kPlainLimit = kPairs<MapId> ? 40000 : 1100;
/// An exact map, on which the plain loop is checked.
constexpr TriangleMapId exact_map(TriangleMapId) { return TriangleMapId::lambda; }
constexpr TetraMapId exact_map(TetraMapId) { return TetraMapId::tetra; }
constexpr double kSoftening = 0.01;

template <class MapId>
ForceField bench_field() {
  ForceField field;
  field.gravity.softening = kSoftening;
  if (!kPairs<MapId>) {
    field.pair = PairLaw::none;
    field.triple = TripleLaw::axilrod_teller;
  }
  return field;
}

template <class MapId>
ForceField field_of(const BenchSpec& spec) {
  return spec.law.empty() ? bench_field<MapId>() : typed_bench_field(spec);
}

template <class Real>
void sum_forces(ForceSums& sums, const ForceField& field, const BodyView<Real>& bodies, const Walk<TriangleMapId>& walk,
                Accumulate accumulate) {
  sums.add_pairs(field, bodies, walk, accumulate);
}
template <class Real>
void sum_forces(ForceSums& sums, const ForceField& field, const BodyView<Real>& bodies, const Walk<TetraMapId>& walk,
                Accumulate accumulate) {
  sums.add_triples(field, bodies, walk, accumulate);
}

/// Gravity: the cloud in the unit cube, total mass 1, masses from 0.5 to 1.5 of the mean. Triplet: a cubic lattice of
/// step 1, each atom displaced at random by up to 0.2 an axis: forces of one order of magnitude, as in a liquid; in the
/// cloud, the nearest triple would outweigh all others.
template <class MapId>
Bodies bench_bodies(const BenchSpec& spec) {
  if (!spec.law.empty()) return typed_bench_bodies(spec);
  Bodies bodies;
  SplitMix64 random{spec.seed};
  const u64 side = static_cast<u64>(std::ceil(std::cbrt(static_cast<double>(spec.n))));
  for (u64 i = 0; i < spec.n; ++i) {
    const double u = random.uniform(), v = random.uniform(), w = random.uniform();
    if (kPairs<MapId>) {
      bodies.add(u, v, w, 0, 0, 0, (0.5 + random.uniform()) / static_cast<double>(spec.n));
    } else {
      const auto at = [](u64 cell, double jitter) { return static_cast<double>(cell) + 0.4 * (jitter - 0.5); };
      bodies.add(at(i % side, u), at(i / side % side, v), at(i / side / side, w), 0, 0, 0, 1);
    }
  }
  for (auto* a : {&bodies.x, &bodies.y, &bodies.z, &bodies.m}) round_to(spec.precision, *a);
  return bodies;
}

template <class MapId>
PlainForces plain_forces(const Bodies& bodies) {
  return kPairs<MapId> ? plain_gravity(bodies, kSoftening) : plain_axilrod_teller(bodies, AxilrodTellerParams{}.nu);
}

/// The plain loop's forces for a spec's data, computed once for all maps and tile sides of a bench.
template <class MapId>
const PlainForces& expected_forces(const BenchSpec& spec, const Bodies& bodies) {
  static std::mutex mutex;
  static std::map<std::tuple<u64, Precision, u64>, PlainForces> known;
  const std::lock_guard lock(mutex);
  const auto [entry, absent] = known.try_emplace({spec.n, spec.precision, spec.seed});
  if (absent) entry->second = plain_forces<MapId>(bodies);
  return entry->second;
}

/// rms of the differences and the largest, both relative to the rms length of the expected vectors.
struct Errors {
  double rms = 0;
  double max = 0;
};

Errors compare(const PlainForces& got, const PlainForces& expected) {
  double square = 0, difference = 0, largest = 0;
  const std::size_t n = expected.x.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double ex = got.x[i] - expected.x[i], ey = got.y[i] - expected.y[i], ez = got.z[i] - expected.z[i];
    const double e2 = ex * ex + ey * ey + ez * ez;
    difference += e2;
    if (!(e2 <= largest)) largest = e2;  // keeps a NaN
    if (std::isnan(largest)) break;
    square += expected.x[i] * expected.x[i] + expected.y[i] * expected.y[i] + expected.z[i] * expected.z[i];
  }
  if (difference == 0) return {};
  return {std::sqrt(difference / square), std::sqrt(largest / square * static_cast<double>(n))};
}

BenchCheck check_errors(const Errors& e, bool fp32, const char* reference) {
  const bool passed = fp32 ? e.rms <= 1e-5 && e.max <= 1e-4 : e.rms <= 1e-12 && e.max <= 1e-11;
  return {passed, e.max, reference};
}

/// The identities that hold for the whole output; see the head of the file.
template <class MapId>
BenchCheck check_sums(const PlainForces& out, const Bodies& b, const BenchSpec& spec) {
  constexpr bool gravity = kPairs<MapId>;
  double fx = 0, fy = 0, fz = 0, size = 0, virial = 0, virial_size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double m = gravity ? b.m[i] : 1.0;
    fx += m * out.x[i], fy += m * out.y[i], fz += m * out.z[i];
    size += m * std::sqrt(out.x[i] * out.x[i] + out.y[i] * out.y[i] + out.z[i] * out.z[i]);
    const double r_dot_f = m * (b.x[i] * out.x[i] + b.y[i] * out.y[i] + b.z[i] * out.z[i]);
    virial += r_dot_f;
    virial_size += std::fabs(r_dot_f);
  }
  const ForceField field = bench_field<MapId>();
  const BodyStore<double> store(b);
  Ranks alone;
  const double expected = gravity ? pair_energy(field, store.view(), store.n, spec.threads, alone).virial
                                  : 9.0 * triple_energy(field, store.view(), store.n, spec.threads, alone).potential;
  const double total_error = std::sqrt(fx * fx + fy * fy + fz * fz) / size;
  const double virial_error = std::fabs(virial - expected) / virial_size;
  const double worst = std::max(total_error, virial_error);
  return {worst <= (spec.precision == Precision::fp32 ? 1e-5 : 1e-11), worst,
          gravity ? "total force 0, sum r.F in float64" : "total force 0, sum r.F = 9 E in float64"};
}

template <class Real, class MapId>
class ForceCase final : public WalkedCase<MapId> {
 public:
  ForceCase(const BenchSpec& spec, MapId map, Communicator* ranks)
      : WalkedCase<MapId>(spec, map, Ranks(ranks).share()),
        field_(field_of<MapId>(spec)),
        bodies_(bench_bodies<MapId>(spec)),
        store_(bodies_),
        sums_(ranks) {}

  double run() override {
    for (auto* a : {&sums_.x, &sums_.y, &sums_.z}) std::fill(a->begin(), a->end(), std::nan(""));
    largest(0);  // all ranks begin together
    const Stopwatch watch;
    sum_forces(sums_, field_, store_.view(), this->walk_, this->spec_.accumulate);
    const double ms = watch.ms();
    ran_ = true;
    return ms;
  }

  u64 run_for(double seconds) override {
    const Stopwatch watch;
    u64 times = 0;
    do {
      run();
      ++times;
    } while (largest(watch.ms() < 1e3 * seconds ? 1 : 0) != 0);
    return times;
  }

  BenchCheck check() override {
    const BenchSpec& spec = this->spec_;
    if (!ran_) return {false, 0, "nothing was run"};
    if (!spec.law.empty()) {
      return typed_check(typed_errors(field_, bodies_, {sums_.x, sums_.y, sums_.z}), spec.precision);
    }
    const PlainForces out{sums_.x, sums_.y, sums_.z};
    if (spec.n > kPlainLimit<MapId>) return check_sums<MapId>(out, bodies_, spec);
    return check_errors(compare(out, expected_forces<MapId>(spec, bodies_)), spec.precision == Precision::fp32,
                        "every component by the plain float64 loop");
  }

  void corrupt_output() override {
    // By the rms of its axis: the value of a single body may be next to nothing.
    double square = 0;
    for (double v : sums_.y) square += v * v;
    if (ran_) sums_.y.back() += std::sqrt(square / static_cast<double>(sums_.y.size())) + 1e-300;
  }

 private:
  /// The largest number of any rank, once all have come here.
  u64 largest(u64 number) const {
    sums_.ranks().max({&number, 1});
    return number;
  }

  ForceField field_;
  Bodies bodies_;
  BodyStore<Real> store_;
  ForceSums sums_;
  bool ran_ = false;
};

/// The plain loop itself, on one thread and without a map; precision rounds the data only.
template <class MapId>
class PlainCase final : public BenchCase {
 public:
  explicit PlainCase(const BenchSpec& spec) : spec_(spec), bodies_(bench_bodies<MapId>(spec)) {}

  double run() override {
    const Stopwatch watch;
    out_ = plain_forces<MapId>(bodies_);
    return watch.ms();
  }

  /// Against the SIMD kernels in float64, which share no code with the loop.
  BenchCheck check() override {
    if (out_.x.empty()) return {false, 0, "nothing was run"};
    const BodyStore<double> store(bodies_);
    ForceSums sums;
    sum_forces(sums, bench_field<MapId>(), store.view(), walk_of(spec_, exact_map(MapId{})), Accumulate::fast);
    return check_errors(compare(out_, {sums.x, sums.y, sums.z}), false,
                        "every component by the SIMD kernel in float64");
  }

  void corrupt_output() override {
    if (!out_.x.empty()) out_.y.back() += 1e-6 * std::fabs(out_.y.back()) + 1e-300;
  }
  u64 work_items() const override { return item_count(spec_); }
  u64 blocks_launched() const override { return 1; }
  u64 blocks_useful() const override { return 1; }
  u32 block() const override { return static_cast<u32>(spec_.n); }

 private:
  BenchSpec spec_;
  Bodies bodies_;
  PlainForces out_;
};

template <class MapId>
std::unique_ptr<BenchCase> make_force_case(const BenchSpec& spec, const BenchSubject& subject, Communicator* ranks) {
  if (std::holds_alternative<Baseline>(subject)) {
    if (!spec.law.empty())
      throw ConfigError("--map plain knows the built-in laws; leave it out, or leave out the law.");
    return std::make_unique<PlainCase<MapId>>(spec);
  }
  const MapId map = std::get<MapId>(subject);
  if (spec.precision == Precision::fp32) return std::make_unique<ForceCase<float, MapId>>(spec, map, ranks);
  return std::make_unique<ForceCase<double, MapId>>(spec, map, ranks);
}

}  // namespace

std::unique_ptr<BenchCase> make_gravity_bench(const BenchSpec& spec, const BenchSubject& subject, Communicator* ranks) {
  if (spec.arithmetic == BenchArithmetic::tensor) refuse_tensor("cpu");
  return make_force_case<TriangleMapId>(spec, subject, ranks);
}

std::unique_ptr<BenchCase> make_triplet_bench(const BenchSpec& spec, const BenchSubject& subject, Communicator* ranks) {
  if (spec.arithmetic == BenchArithmetic::tensor) refuse_tensor("cpu");
  return make_force_case<TetraMapId>(spec, subject, ranks);
}

}  // namespace tri::cpu
