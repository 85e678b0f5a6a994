// The bench kernels: collisions, distances, dummies; gravity, typed laws, triplets.
//
// The bench kernel collision: overlapping spheres or intervals of different radii, about one contact a body.

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "sim/backend/bench.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/numbers.hpp"
#include "sim/cuda/bench.hpp"
#include "sim/cuda/engine/jobs.hpp"
#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/reference/reference.hpp"

namespace tri::cuda {
namespace {

template <class Real>
class CollisionCase final : public CudaCase {
 public:
  CollisionCase(const CaseSpec& spec, const KernelChoice& kernel) : CudaCase(spec), spheres_(spec.bench.n), count_(1) {
    spheres_.upload(pack_spheres<Real>(collision_bench_bodies(spec.bench)), stream());
    const CollisionOutput out{count_.data(), nullptr, nullptr, 0};
    if constexpr (sizeof(Real) == sizeof(float)) {
      if (spec.is(Baseline::lambda_alone)) {
        set_work(prepare_collision_lambda_alone(n(), kernel.block, spheres_.data(), out), kernel.block);
        return;
      }
    }
    set_work(kernel.tiles ? prepare_collision_tiles<Real>(spec.pair_map(), n(), kernel.block, spec.bench.dimensions,
                                                          spheres_.data(), out)
                          : prepare_collision_elements<Real>(spec.pair_map(), n(), kernel.block, spec.bench.dimensions,
                                                             spheres_.data(), out),
             kernel.block);
  }

 private:
  void poison() override { count_.fill_bytes(0, stream()); }

  BenchCheck compare() override {
    const u64 got = count_.download(stream())[0];
    if (!expected_) {
      expected_ = sum_of([&](unsigned long long* count) {
        plain_collision_count(spheres_.data(), n(), spec().bench.dimensions, count, stream());
      });
    }
    const u64 expected = *expected_ * repeats();
    const double difference = std::fabs(static_cast<double>(got) - static_cast<double>(expected));
    return {got == expected, difference / std::fmax(1.0, static_cast<double>(expected)),
            "number of pairs by a plain loop"};
  }

  void damage() override {
    const unsigned long long wrong = count_.download(stream())[0] + 1;
    count_.upload({&wrong, 1}, stream());
  }

  DeviceBuffer<Sphere<Real>> spheres_;
  DeviceBuffer<unsigned long long> count_;
  std::optional<u64> expected_;  ///< of one run
};

}  // namespace

std::unique_ptr<BenchCase> make_collision_bench(const CaseSpec& spec) {
  const BenchSpec& bench = spec.bench;
  if (bench.dimensions != 1 && bench.dimensions != 3) {
    throw ConfigError(fmt::format("collision has 1 or 3 dimensions, not {}.", bench.dimensions));
  }
  if (rec_from_device(spec)) {
    throw ConfigError("--map rec is launched from the device for dummy and edm only; launch it from the host.");
  }
  const KernelChoice kernel = choose_kernel(spec.pair_map(), bench.n, bench.block, collision_tile_for(bench.n),
                                            {kCollisionTileSmall, kCollisionTileLarge});
  if (spec.is(Baseline::lambda_alone) &&
      !(kernel.tiles && bench.precision == Precision::fp32 && bench.dimensions == 3)) {
    throw ConfigError(
        fmt::format("--map lambda-alone is compiled for --precision fp32, 3 dimensions and --block {} or {}.",
                    kCollisionTileSmall, kCollisionTileLarge));
  }
  const std::string what = fmt::format("the data of {} bodies", bench.n);
  const u64 sphere = bench.precision == Precision::fp32 ? sizeof(Sphere<float>) : sizeof(Sphere<double>);
  const auto bytes = [&](u64 n) {
    return static_cast<double>(n * sphere) + table_bytes(spec.pair_map(), n, kernel.block);
  };
  // On the host: eight float64 a body, half as many again while the arrays grow, and the packed spheres.
  const auto host_bytes = [&](u64 n) { return static_cast<double>(n * (12 * sizeof(double) + sphere)); };
  require_memory(host_bytes(bench.n), what,
                 size_hint("Use --n ", largest_that_fits(host_bytes, available_memory()), " or less"));
  require_device_memory_for(bytes, bench.n, what, "Use --n ", " or less");
  if (bench.precision == Precision::fp32) return std::make_unique<CollisionCase<float>>(spec, kernel);
  return std::make_unique<CollisionCase<double>>(spec, kernel);
}

// The bench kernel edm: all-pairs distances of random points.

namespace {

/// Up to this n the check is the oracle on the host, beyond it a plain float64 loop on the device.
constexpr u32 kHostCheck = 1024;

template <class Real>
class DistanceCase final : public CudaCase {
 public:
  DistanceCase(const CaseSpec& spec, const KernelChoice& kernel)
      : CudaCase(spec), out_(distance_count(spec.bench.n, spec.bench.layout)), worst_(1) {
    PointSet points = distance_bench_points(spec.bench);
    const std::vector<Vec4<Real>> packed = pack_points<Real>(points);
    points_ = DeviceBuffer<Vec4<Real>>(packed.size());
    points_.upload(packed, stream());
    if (n() <= kHostCheck) host_points_ = std::move(points);
    set_work(prepare_work(kernel), kernel.block);
  }

  /// The output, and the points without their padding.
  u64 bytes() const override { return data_bytes(spec().bench); }

 private:
  PreparedLaunch prepare_work(const KernelChoice& kernel) {
    const BenchSpec& bench = spec().bench;
    if constexpr (sizeof(Real) == sizeof(float)) {
      if (rec_from_device(spec())) {
        return prepare_distances_from_device(n(), kernel.block, bench.features, bench.layout, points_.data(),
                                             out_.data());
      }
      if (spec().is(Baseline::lambda_alone)) {
        return prepare_distance_lambda_alone(n(), bench.layout, points_.data(), out_.data());
      }
    }
    if (kernel.tiles) {
      return prepare_distance_tiles<Real>(spec().pair_map(), n(), bench.features, bench.layout, points_.data(),
                                          out_.data());
    }
    return prepare_distance_elements<Real>(spec().pair_map(), n(), kernel.block, bench.features, bench.layout,
                                           points_.data(), out_.data());
  }

  /// All bits set: NaN.
  void poison() override { out_.fill_bytes(0xff, stream()); }

  BenchCheck compare() override {
    const double tolerance = sizeof(Real) == sizeof(float) ? 1e-6 : 1e-14;
    const bool on_host = n() <= kHostCheck;
    const double worst = on_host ? worst_on_host() : worst_on_device();
    return {worst <= tolerance, worst,
            on_host ? "every distance in float64 by the oracle" : "every distance in float64 by a plain device loop"};
  }

  void damage() override {
    if (out_.size() == 0) return;
    Real last{};
    Real* position = out_.data() + distance_at();
    TRI_CUDA(cudaMemcpyAsync(&last, position, sizeof last, cudaMemcpyDeviceToHost, stream()));
    stream().synchronize();
    last = last * Real(1.001) + Real(1e-3);
    TRI_CUDA(cudaMemcpyAsync(position, &last, sizeof last, cudaMemcpyHostToDevice, stream()));
    stream().synchronize();
  }

  /// One value in the middle.
  u64 distance_at() const { return out_.size() / 2; }

  double worst_on_host() const {
    const std::vector<Real> got = out_.download(stream());
    const std::vector<double> expected = reference_distances(host_points_, spec().bench.layout);
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double error = std::fabs(static_cast<double>(got[i]) - expected[i]);
      if (error == 0) continue;
      const double relative = std::isnan(error) || expected[i] == 0 ? HUGE_VAL : error / expected[i];
      if (relative > worst) worst = relative;
    }
    return worst;
  }

  double worst_on_device() {
    const BenchSpec& bench = spec().bench;
    worst_.fill_bytes(0, stream());
    plain_distance_error(points_.data(), n(), bench.features, bench.layout, out_.data(), worst_.data(), stream());
    return std::bit_cast<double>(worst_.download(stream())[0]);
  }

  PointSet host_points_;  ///< for the oracle; empty when n is large
  DeviceBuffer<Vec4<Real>> points_;
  DeviceBuffer<Real> out_;
  DeviceBuffer<unsigned long long> worst_;
};

/// Writes as many bytes as the output has and computes nothing.
class FillCase final : public WordsCase {
 public:
  FillCase(const CaseSpec& spec, u64 bytes) : WordsCase(spec, bytes / sizeof(u32), 0xff, "every word written") {
    set_work(prepare_fill(words().size(), kValue, words().data()), 0);
  }
  u64 bytes() const override { return words().bytes(); }

 private:
  static constexpr u32 kValue = 0x3f9d70a4u;
  u32 expected() const override { return kValue; }
};

template <class Real>
std::unique_ptr<BenchCase> make(const CaseSpec& spec, const KernelChoice& kernel) {
  const auto bytes = [&](u64 n) {
    return sizeof(Real) * (static_cast<double>(distance_count(n, spec.bench.layout)) +
                           static_cast<double>(4 * u64{vectors_of(spec.bench.features)} * n)) +
           table_bytes(spec.pair_map(), n, kernel.block);
  };
  require_device_memory_for(bytes, spec.bench.n, fmt::format("the output of the distances of {} points", spec.bench.n),
                            "Use --n ", " or less");
  if (spec.is(Baseline::fill)) {
    return std::make_unique<FillCase>(spec, sizeof(Real) * distance_count(spec.bench.n, spec.bench.layout));
  }
  return std::make_unique<DistanceCase<Real>>(spec, kernel);
}

void check_lambda_alone(const BenchSpec& bench, const KernelChoice& kernel) {
  if (kernel.tiles && bench.precision == Precision::fp32 && vectors_of(bench.features) == 1) return;
  throw ConfigError(fmt::format("--map lambda-alone is compiled for --precision fp32, up to 4 features and --block {}.",
                                kDistanceTile));
}

}  // namespace

std::unique_ptr<BenchCase> make_edm_bench(const CaseSpec& spec) {
  const BenchSpec& bench = spec.bench;
  check_features(bench);
  const KernelChoice kernel = choose_kernel(spec.pair_map(), bench.n, bench.block, kDistanceTile, {kDistanceTile});
  if (spec.is(Baseline::lambda_alone)) check_lambda_alone(bench, kernel);
  if (rec_from_device(spec)) check_rec_from_device(spec, kernel.block);
  return bench.precision == Precision::fp32 ? make<float>(spec, kernel) : make<double>(spec, kernel);
}

// Bench kernels of one thread an element, a pair (dummy) or a triple (dummy3): the map with and without a store, write,
// and the automaton of the triangle.

namespace {

__extension__ typedef unsigned __int128 WideUnsigned;

/// What is particular to the elements (i, j), i >= j.
struct Pairs {
  using MapId = TriangleMapId;
  using Sums = std::array<u64, 2>;  ///< elements, hash
  static constexpr const char* kReference = "number and hash of all elements by a plain loop";

  static MapId map(const CaseSpec& spec) { return spec.pair_map(); }
  static u32 block(const CaseSpec& spec) {
    return choose_kernel(spec.pair_map(), spec.bench.n, spec.bench.block, kPaperBlock, {}).block;
  }
  static u64 count(u64 n) { return triangular(n); }
  static double table(const CaseSpec& spec, u64 n, u32 block) { return table_bytes(spec.pair_map(), n, block); }
  static bool closed_form(const Sums&, u64) { return true; }
};

/// The same of the elements (i, j, k), i <= j <= k.
struct Triples {
  static constexpr u32 kPaperTripleBlock = 8;
  using MapId = TetraMapId;
  using Sums = std::array<u64, 3>;  ///< elements, hash, products
  static constexpr const char* kReference = "number and hash of all elements by a plain loop, sum of (i+1)(j+1)(k+1)";

  static MapId map(const CaseSpec& spec) { return spec.triple_map(); }
  static u32 block(const CaseSpec& spec) {
    std::vector<u32> blocks(kMaxTripleBlock);
    std::iota(blocks.begin(), blocks.end(), 1u);
    return choose_triple_block(spec.triple_map(), spec.bench.n, spec.bench.block, kPaperTripleBlock, blocks);
  }
  static u64 count(u64 n) { return tetrahedral(n); }
  static double table(const CaseSpec&, u64, u32) { return 0; }

  /// sum over i < j < k of (i+1)(j+1)(k+1) modulo 2^64, by Newton: with p1, p2, p3 the power sums of 1..n, it is
  /// (p1^3 - 3 p1 p2 + 2 p3) / 6 = p1 (p1^2 - 3 p2 + 2 p1) / 6, for p3 = p1^2; the product stays below 2^126 for n <=
  /// 2^21.
  static bool closed_form(const Sums& sums, u64 n) {
    const WideUnsigned p1 = WideUnsigned{n} * (n + 1) / 2, p2 = p1 * (2 * n + 1) / 3;
    return sums[0] == count(n) && sums[2] == static_cast<u64>(p1 * (p1 * p1 + 2 * p1 - 3 * p2) / 6);
  }
};

/// Predicts the memory: bytes_of(n), and `tables` tables of the map.
template <class Elements, class BytesOf>
void need(const CaseSpec& spec, const char* what, u32 block, u32 tables, const BytesOf& bytes_of) {
  const auto bytes = [&](u64 n) { return bytes_of(n) + tables * Elements::table(spec, n, block); };
  require_device_memory_for(bytes, spec.bench.n, fmt::format("{} at n = {}", what, spec.bench.n), "Use --n ",
                            " or less");
}

/// Timed: the map and what the form does with the coordinates. Checked: the same map on the same grids with a kernel
/// that counts and hashes the coordinates, against the sums of a plain loop; triples also by a closed form.
template <class Elements>
class DummyCase final : public CudaCase {
 public:
  explicit DummyCase(const CaseSpec& spec)
      : CudaCase(spec), block_(Elements::block(spec)), scratch_(kDummySlots), sums_(kSums * kChecksumSlots) {
    // The check prepares the map once more while the timed work holds the first.
    need<Elements>(spec, "the map's table, twice,", block_, 2, [](u64) { return 0.0; });
    const BenchForm form = spec.bench.form;
    if (rec_from_device(spec)) {
      check_rec_from_device(spec, block_);
      set_work(prepare_dummy_from_device(n(), block_, form, scratch_.data()), block_);
    } else {
      set_work(prepare_dummy(Elements::map(spec), n(), block_, form, scratch_.data()), block_);
    }
    scratch_.fill_bytes(0, stream());
  }

 private:
  using Sums = typename Elements::Sums;
  static constexpr std::size_t kSums = std::tuple_size_v<Sums>;

  void poison() override { found_.reset(); }

  BenchCheck compare() override {
    if (!expected_) expected_ = sums_by(prepare_plain_checksum<typename Elements::MapId>(n(), sums_.data()));
    read_found();
    const bool right = found_ == expected_ && Elements::closed_form(*found_, n());
    return {right, right ? 0.0 : 1.0, Elements::kReference};
  }

  void damage() override {
    read_found();
    ++(*found_)[1];
  }

  void read_found() {
    if (!found_) found_ = sums_by(prepare_checksum(Elements::map(spec()), n(), block_, sums_.data()));
  }

  Sums sums_by(const PreparedLaunch& work) {
    sums_.fill_bytes(0, stream());
    work.enqueue(stream());
    const std::vector<unsigned long long> slots = sums_.download(stream());
    Sums sums{};
    for (std::size_t row = 0; row < kSums; ++row) {
      const auto begin = slots.begin() + static_cast<std::ptrdiff_t>(row * kChecksumSlots);
      sums[row] = std::accumulate(begin, begin + kChecksumSlots, u64{0});
    }
    return sums;
  }

  u32 block_;
  DeviceBuffer<u32> scratch_;
  DeviceBuffer<unsigned long long> sums_;
  std::optional<Sums> found_, expected_;
};

/// Each cell counts how often its element was met.
template <class Elements>
class WriteCase final : public WordsCase {
 public:
  WriteCase(const CaseSpec& spec, u32 block)
      : WordsCase(spec, Elements::count(spec.n()), 0, "every cell met once a run, none missed") {
    set_work(prepare_write(Elements::map(spec), n(), block, words().data()), block);
  }
  /// Each cell is read and written.
  u64 bytes() const override { return 2 * words().bytes(); }

 private:
  u32 expected() const override { return repeats(); }
};

template <class Elements>
std::unique_ptr<BenchCase> make_write(const CaseSpec& spec) {
  const u32 block = Elements::block(spec);
  need<Elements>(spec, "one counter a cell", block, 1,
                 [](u64 n) { return static_cast<double>(Elements::count(n)) * sizeof(u32); });
  return std::make_unique<WriteCase<Elements>>(spec, block);
}

/// Life on the triangle, from random cells of which a third live.
class AutomatonCase final : public CudaCase {
 public:
  explicit AutomatonCase(const CaseSpec& spec) : CudaCase(spec) {
    const u32 block = Pairs::block(spec);
    const auto state = [](u64 n) { return static_cast<double>(n) * static_cast<double>(n); };
    need<Pairs>(spec, "two states of the automaton", block, 1, [&](u64 n) { return 2 * state(n); });
    require_memory(state(n()), fmt::format("the start of the automaton at n = {}", n()),
                   size_hint("Use --n ", largest_that_fits(state, available_memory()), " or less"));
    const u64 cells = u64{n()} * n();
    std::vector<u8> start(cells);
    SplitMix64 random{spec.bench.seed};
    for (u64 i = 0; i < n(); ++i) {
      for (u64 j = 0; j <= i; ++j) start[i * n() + j] = random.uniform() < 1.0 / 3;
    }
    now_ = DeviceBuffer<u8>(cells);
    next_ = DeviceBuffer<u8>(cells);
    now_.upload(start, stream());
    set_work(prepare_automaton(spec.pair_map(), n(), block, LifeRule{}, now_.data(), next_.data()), block);
  }

  /// Each cell of the triangle is read at least once, and written.
  u64 bytes() const override { return 2 * triangular(n()); }

 private:
  static constexpr u8 kUntouched = 0xa5;

  void poison() override { next_.fill_bytes(kUntouched, stream()); }

  BenchCheck compare() override {
    const u64 faults = sum_of([&](unsigned long long* sum) {
      plain_automaton_faults(now_.data(), next_.data(), n(), kUntouched, sum, stream());
    });
    return count_faults(faults, next_.size(), "every cell by a plain loop, those above the diagonal untouched");
  }

  void damage() override { TRI_CUDA(cudaMemsetAsync(next_.data() + next_.size() - 1, 7, 1, stream())); }

  DeviceBuffer<u8> now_, next_;
};

}  // namespace

std::unique_ptr<BenchCase> make_dummy_bench(const CaseSpec& spec) {
  const BenchForm form = spec.bench.form;
  if ((form == BenchForm::write || form == BenchForm::automaton) && rec_from_device(spec)) {
    throw ConfigError("--map rec is launched from the device for dummy and edm only; launch it from the host.");
  }
  if (form == BenchForm::write) return make_write<Pairs>(spec);
  if (form == BenchForm::automaton) return std::make_unique<AutomatonCase>(spec);
  return std::make_unique<DummyCase<Pairs>>(spec);
}

std::unique_ptr<BenchCase> make_dummy3_bench(const CaseSpec& spec) {
  const BenchForm form = spec.bench.form;
  if (form == BenchForm::write) return make_write<Triples>(spec);
  if (form == BenchForm::automaton) {
    throw ConfigError("--form automaton lives on the triangle; --kernel dummy3 takes hold, store or write.");
  }
  return std::make_unique<DummyCase<Triples>>(spec);
}

// What the bench kernels of forces share: bodies on the device, a timed evaluation, and the check of all components.

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
  const Forces<Real>& forces() const { return forces_; }
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
    if (bench.pairs == BenchPairs::tree) return tree_check(e, bench, how);
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

  std::optional<TreeWork> tree() const override {
    // One of several devices knows its own share alone.
    if (this->spec().bench.pairs == BenchPairs::all || this->spec().ranks != nullptr) return {};
    const TreeMeetings met = this->forces().met();
    return TreeWork{met.near, met.series};
  }

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
  if (spec.bench.pairs == BenchPairs::tree) {
    check_tree(spec.bench, spec.pair_map());
    config = tree_config(spec.bench, spec.pair_map());
  }
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
