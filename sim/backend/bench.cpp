#include "sim/backend/bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "sim/backend/engine.hpp"
#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {
namespace {

constexpr BenchForm kDummyForms[] = {BenchForm::hold, BenchForm::store, BenchForm::write, BenchForm::automaton};
constexpr BenchForm kGasketForms[] = {BenchForm::write, BenchForm::reduce, BenchForm::automaton, BenchForm::compact};
constexpr Baseline kPlain[] = {Baseline::plain}, kLambdaAlone[] = {Baseline::lambda_alone},
                   kDistanceBaselines[] = {Baseline::fill, Baseline::lambda_alone};

template <class... Axes>
constexpr u32 bits(Axes... axes) {
  return (static_cast<u32>(axes) | ...);
}

/// One counter an element, or two states of the automaton.
u64 dummy_bytes(const BenchSpec& spec) {
  if (spec.form == BenchForm::write) return 4 * triangular(spec.n);
  return spec.form == BenchForm::automaton ? 2 * spec.n * spec.n : 0;
}

u64 dummy3_bytes(const BenchSpec& spec) { return spec.form == BenchForm::write ? 4 * tetrahedral(spec.n) : 0; }

/// Output and points.
u64 distance_bytes(const BenchSpec& spec) {
  const u64 real = spec.precision == Precision::fp32 ? 4 : 8;
  return real * (distance_count(spec.n, spec.layout) + spec.n * spec.features);
}

u64 gasket_bytes(const BenchSpec& spec) {
  if (spec.form == BenchForm::compact) return 2 * item_count(spec);
  const bool solid = open_fractal(spec.fractal).shape.dimensions() == 3;
  return (spec.form == BenchForm::automaton ? 2 : 1) * spec.n * spec.n * (solid ? spec.n : 1);
}

using K = BenchKernel;
using A = BenchAxis;

constexpr BenchKernelInfo kKernels[] = {
    {.id = K::dummy,
     .name = "dummy",
     .axes = bits(A::rec, A::seed),
     .forms = kDummyForms,
     .usual_n = 8192,
     .data_bytes = dummy_bytes},
    {.id = K::edm,
     .name = "edm",
     .axes = bits(A::features, A::layout, A::rec, A::precision, A::seed),
     .baselines = kDistanceBaselines,
     .usual_n = 4096,
     .data_bytes = distance_bytes},
    {.id = K::collision,
     .name = "collision",
     .axes = bits(A::dimensions, A::rec, A::precision, A::seed),
     .baselines = kLambdaAlone,
     .usual_n = 8192},
    {.id = K::gravity,
     .name = "gravity",
     .axes = bits(A::precision, A::accumulate, A::arithmetic, A::pairs, A::law, A::seed),
     .baselines = kPlain,
     .usual_n = 4096,
     .directed_rate = true,
     .shared = true},
    {.id = K::dummy3,
     .name = "dummy3",
     .domain = Domain::tetrahedron,
     .forms = kDummyForms,
     .usual_n = 512,
     .smoke_n = 45,
     .verify_n = {3, 37},
     .panel_n = "2^6:2^8",
     .data_bytes = dummy3_bytes},
    {.id = K::triplet,
     .name = "triplet",
     .domain = Domain::tetrahedron,
     .axes = bits(A::precision, A::accumulate, A::arithmetic, A::law, A::seed),
     .baselines = kPlain,
     .usual_n = 192,
     .smoke_n = 45,
     .verify_n = {3, 37},
     .panel_n = "2^6:2^8",
     .shared = true},
    {.id = K::gasket,
     .name = "gasket",
     .domain = Domain::gasket,
     .axes = bits(A::fractal, A::seed),
     .forms = kGasketForms,
     .usual_n = 1024,
     .smoke_n = 128,
     .verify_n = {16, 64},
     .panel_n = "2^7:2^10",
     .data_bytes = gasket_bytes},
};

constexpr bool rows_follow_the_enum() {
  for (std::size_t i = 0; i < std::size(kKernels); ++i) {
    if (kKernels[i].id != static_cast<K>(i)) return false;
  }
#define TRI_BENCH_COUNT(id) +1
  return std::size(kKernels) == 0 TRI_BENCH_KERNELS(TRI_BENCH_COUNT);
#undef TRI_BENCH_COUNT
}
static_assert(rows_follow_the_enum(), "one row a bench kernel, in the order of TRI_BENCH_KERNELS");

struct AnyValue {
  template <class T>
  operator T() const;
};
template <class T, class... Values>
consteval std::size_t fields_of() {
  if constexpr (requires { T{Values{}..., AnyValue{}}; }) {
    return fields_of<T, Values..., AnyValue>();
  } else {
    return sizeof...(Values);
  }
}
constexpr std::size_t described_fields() {
  std::size_t count = 0;
  for_each_bench_field([&](auto&...) { ++count; });
  return count;
}
static_assert(described_fields() == fields_of<BenchSpec>(), "for_each_bench_field() has every field of BenchSpec");

/// In the order of the enum.
constexpr BaselineInfo kBaselines[] = {
    {"plain", "cpu", false}, {"fill", "cuda", false}, {"lambda-alone", "cuda", true}};

template <class T>
bool holds(std::span<const T> values, T value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

bool BenchKernelInfo::has(BenchAxis axis) const {
  if (axis == BenchAxis::form) return !forms.empty();
  return axis == BenchAxis::timing || (axes & static_cast<u32>(axis)) != 0;
}
bool BenchKernelInfo::has(BenchForm form) const { return holds(forms, form); }
bool BenchKernelInfo::has(Baseline baseline) const { return holds(baselines, baseline); }

bool BenchKernelInfo::reads_seed(BenchForm form) const {
  const bool fixed = form == BenchForm::hold || form == BenchForm::store || form == BenchForm::write;
  return has(BenchAxis::seed) && (forms.empty() || !fixed);
}

std::vector<std::string_view> bench_axis_keys() {
  std::vector<std::string_view> keys;
  describe_axes([&](const BenchAxisInfo& axis, auto, auto) { keys.emplace_back(axis.key); });
  return keys;
}

std::span<const BenchKernelInfo> bench_kernels() { return kKernels; }
const BenchKernelInfo& info(BenchKernel kernel) { return kKernels[static_cast<std::size_t>(kernel)]; }
const char* to_string(BenchKernel kernel) { return info(kernel).name; }

const BaselineInfo& info(Baseline baseline) { return kBaselines[static_cast<std::size_t>(baseline)]; }

std::optional<Baseline> find_baseline(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kBaselines); ++i) {
    if (name == kBaselines[i].name) return static_cast<Baseline>(i);
  }
  return std::nullopt;
}

bool has_blocks(const BenchSpec& spec) {
  const auto baseline = find_baseline(spec.map);
  return !baseline || info(*baseline).has_blocks;
}

bool is_shared(const BenchSpec& spec) { return info(spec.kernel).shared && !find_baseline(spec.map); }

BenchSubject subject_of(const BenchSpec& spec, std::string_view backend) {
  const BenchKernelInfo& kernel = info(spec.kernel);
  if (!kernel.forms.empty() && !kernel.has(spec.form)) {
    throw ConfigError(fmt::format("--kernel {} lacks this form; leave --form out.", kernel.name));
  }
  if (const auto baseline = find_baseline(spec.map); baseline && kernel.has(*baseline)) {
    const BaselineInfo& row = info(*baseline);
    if (row.backend == backend) return *baseline;
    throw ConfigError(fmt::format("--map {} is there on the {} backend only; leave it out, or use {}.", row.name,
                                  row.backend, row.backend));
  }
  if (kernel.domain == Domain::triangle) return triangle_map_from(spec.map);
  if (kernel.domain == Domain::tetrahedron) return tetra_map_from(spec.map);
  return gasket_map_from(spec.map);
}

void check_features(const BenchSpec& spec) {
  if (spec.features != 0 && spec.features <= PointSet::kMaxFeatures) return;
  throw ConfigError(fmt::format("--features {} is out of range; use 1 to {}.", spec.features, PointSet::kMaxFeatures));
}

u64 item_count(const BenchSpec& spec) {
  const Domain domain = info(spec.kernel).domain;
  if (spec.n == 0) return 0;
  if (domain == Domain::triangle) return triangular(spec.n - 1);
  if (domain == Domain::tetrahedron) return spec.n < 3 ? 0 : tetrahedral(spec.n - 2);
  const FractalShape shape = open_fractal(spec.fractal).shape;
  u32 levels = 0;
  while (power_of(shape.scale(), levels + 1) <= spec.n) ++levels;
  return fractal_cells(shape, levels);
}

u64 data_bytes(const BenchSpec& spec) {
  const auto bytes = info(spec.kernel).data_bytes;
  return bytes != nullptr ? bytes(spec) : 0;
}

std::optional<double> launch_bound(const BenchSpec& spec, u32 block) {
  if (spec.pairs == BenchPairs::tree) return std::nullopt;  // its time is that of the nodes, not of the squares
  const Domain domain = info(spec.kernel).domain;
  const u64 side = (spec.n + block - 1) / block;
  const auto b = static_cast<double>(side);
  if (domain == Domain::triangle) return 2 * b / (b + 1);
  if (domain == Domain::tetrahedron) return 6 * b * b / ((b + 1) * (b + 2));
  try {
    const FractalShape shape = open_fractal(spec.fractal).shape;
    const auto whole = levels_of_side(shape, spec.n), inner = levels_of_side(shape, block);
    if (!whole || !inner || *inner > *whole) return std::nullopt;
    const u32 levels = *whole - *inner;
    return embedded_cells(shape, levels) / static_cast<double>(fractal_cells(shape, levels));
  } catch (const Error&) {
    return std::nullopt;  // the file existed when the group ran
  }
}

u64 BenchCase::run_for(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  u64 times = 0;
  do {
    run();
    ++times;
  } while (std::chrono::steady_clock::now() < end);
  return times;
}

namespace {

/// Threads of the blocks that start in the rate of launches.
constexpr double kFloorThreads = 256;

/// Whether the spec is what lanes_an_item() and the bytes describe.
bool has_floor(const BenchSpec& spec) {
  const BenchKernelInfo& kernel = info(spec.kernel);
  if (find_baseline(spec.map) || !spec.law.empty() || spec.pairs == BenchPairs::tree) return false;
  if (!kernel.forms.empty() && spec.form != kernel.default_form()) return false;
  if (kernel.has(BenchAxis::precision) && spec.precision != Precision::fp32) return false;
  if (kernel.has(BenchAxis::accumulate) && spec.accumulate != Accumulate::fast) return false;
  if (kernel.has(BenchAxis::arithmetic) && spec.arithmetic != BenchArithmetic::float32) return false;
  return spec.kernel != BenchKernel::collision || spec.dimensions == 3;
}

/// Bytes of the pieces of memory that hold a cell: a gasket of tiles as wide as a piece has a piece in each of their
/// rows.
double touched_bytes(const BenchSpec& spec, u64 bytes, double piece) {
  if (spec.fractal != kDefaultFractal) return static_cast<double>(bytes);
  double side = static_cast<double>(spec.n), pieces = piece;
  for (; side > piece; side /= 2) pieces *= 3;
  return std::max(static_cast<double>(bytes), side < piece ? side * piece : pieces * piece);
}

/// The tetrahedron and the gasket have no such maps.
bool in_thread_space(const BenchSpec& spec) {
  const auto maps = triangle_maps();
  const auto named = [&](const MapInfo& map) { return spec.map == map.name && map.space == Space::thread; };
  return info(spec.kernel).domain == Domain::triangle && std::any_of(maps.begin(), maps.end(), named);
}

}  // namespace

double lanes_an_item(const BenchSpec& spec, std::string_view backend) {
  const bool gpu = backend == "cuda";
  switch (spec.kernel) {
    case BenchKernel::dummy:  // a GPU folds each coordinate into a register; the cpu multiplies and adds in 64 bits
      return gpu ? 2 : 4;
    case BenchKernel::dummy3:
      return gpu ? 3 : 4;
    case BenchKernel::edm:  // a difference and a multiply-add a feature, a root, a store
      return 2 * spec.features + 2;
    case BenchKernel::collision:  // the cpu rounds each product by itself
      return gpu ? 5 : 12;
    case BenchKernel::gravity:
      return gpu ? 17 : 23;
    case BenchKernel::triplet:
      return gpu ? 22 : 84;
    case BenchKernel::gasket:
      return 0;
  }
  return 0;
}

std::optional<KernelFloor> kernel_floor(const BenchSpec& spec, std::string_view backend, u64 bytes, u64 useful,
                                        const Floors& floors) {
  if (!has_floor(spec)) return std::nullopt;
  const bool gpu = backend == "cuda";
  double moved = static_cast<double>(bytes);
  if (spec.kernel == BenchKernel::gasket) moved = touched_bytes(spec, bytes, gpu ? 32 : 64);
  double blocks = gpu ? static_cast<double>(useful) : 0;
  if (in_thread_space(spec)) blocks /= kFloorThreads;
  const KernelFloor of[] = {
      {FloorKind::arithmetic,
       1e3 * lanes_an_item(spec, backend) * static_cast<double>(item_count(spec)) / floors.lanes.per_s},
      {FloorKind::memory, 1e3 * moved / floors.bytes.per_s},
      {FloorKind::launches, 1e3 * blocks / floors.launches.per_s},
  };
  const auto most = [](const KernelFloor& a, const KernelFloor& b) { return a.ms < b.ms; };
  const KernelFloor floor = *std::max_element(std::begin(of), std::end(of), most);
  return floor.ms > 0 ? std::optional(floor) : std::nullopt;
}

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

namespace {

void round_to(Precision precision, std::vector<double>& values) {
  if (precision == Precision::fp64) return;
  for (double& v : values) v = static_cast<double>(static_cast<float>(v));
}

/// The error of a body, and what was expected. False: no more, since it is not a number.
bool add(ForceErrors& errors, const Vector& off, const Vector& expected) {
  errors.squares += expected.square(), errors.differences += off.square();
  if (!(off.square() <= errors.largest)) errors.largest = off.square();  // keeps a NaN
  return !std::isnan(errors.largest);
}

double largest_of(const ForceErrors& e, u64 n) {
  return e.differences == 0 ? 0 : std::sqrt(e.largest / e.squares * static_cast<double>(n));
}

/// The acceleration of body i by all others.
Vector direct_acceleration(const Bodies& b, const GravityParams& gravity, std::size_t i) {
  Vector sum;
  for (std::size_t j = 0; j < b.size(); ++j) {
    if (j == i) continue;
    const Vector d = difference(b, i, j);
    const double r2 = d.square() + gravity.softening * gravity.softening;
    add_scaled(sum, gravity.G * b.m[j] / (r2 * std::sqrt(r2)), d);
  }
  return sum;
}

}  // namespace

double rms_of(const ForceErrors& e) { return e.differences == 0 ? 0 : std::sqrt(e.differences / e.squares); }

void check_tree(const BenchSpec& spec, TriangleMapId map) {
  if (spec.block != 0) {
    throw ConfigError(
        "--block is the side of a tile of all pairs, and the leaves of the tree have their own; leave it "
        "out, or use --pairs all.");
  }
  const std::string text = tree_refusal(force_bench_field(spec), tree_config(spec, map));
  if (!text.empty()) throw ConfigError(text);
}

EngineConfig tree_config(const BenchSpec& spec, TriangleMapId map) {
  EngineConfig config;
  config.precision = spec.precision, config.accumulate = spec.accumulate, config.tolerance = spec.tolerance;
  config.pairs = PairSearch::tree, config.pair_map = map;
  const bool tensor = spec.arithmetic == BenchArithmetic::tensor;
  config.arithmetic = tensor ? Arithmetic::tensor : Arithmetic::float32;
  return config;
}

ForceErrors sampled_errors(const TypedSums& got, const Bodies& bodies, const GravityParams& gravity, u64* sampled,
                           u64 most) {
  ForceErrors errors;
  const std::size_t n = bodies.size(), stride = std::max<std::size_t>(1, (n + most - 1) / most);
  *sampled = 0;
  for (std::size_t k = 0; k < n; k += stride) {
    const std::size_t i = n - 1 - k;
    if (bodies.m[i] == 0) continue;
    const Vector right = direct_acceleration(bodies, gravity, i);
    ++*sampled;
    if (!add(errors, {got.x[i] - right.x, got.y[i] - right.y, got.z[i] - right.z}, right)) break;
  }
  return errors;
}

BenchCheck tree_check(const ForceErrors& errors, const BenchSpec& spec, const char* reference) {
  const double rms = rms_of(errors);
  return {rms <= tree_tolerance(tree_config(spec, {})), rms, reference};
}

ForceField force_bench_field(const BenchSpec& spec) {
  ForceField field;
  const bool triples = spec.kernel == BenchKernel::triplet;
  field.gravity.softening = kBenchSoftening;
  if (triples || !spec.law.empty()) field.pair = PairLaw::none;
  if (spec.law.empty()) {
    if (triples) field.triple = TripleLaw::axilrod_teller;
  } else {
    triples ? set_triple_law(field, spec.law) : set_pair_law(field, spec.law);
  }
  return field;
}

Bodies force_bench_bodies(const BenchSpec& spec) {
  Bodies b;
  const bool typed = !spec.law.empty(), cloud = !typed && spec.kernel == BenchKernel::gravity;
  if (typed) b.q.push_back(0);  // so that there are charges
  b.resize(spec.n);
  SplitMix64 random{spec.seed};
  const u64 side = static_cast<u64>(std::ceil(std::cbrt(static_cast<double>(spec.n))));
  const auto at = [&](u64 cell) {
    return cloud ? random.uniform() : static_cast<double>(cell) + 0.4 * (random.uniform() - 0.5);
  };
  for (u64 i = 0; i < spec.n; ++i) {
    b.x[i] = at(i % side), b.y[i] = at(i / side % side), b.z[i] = at(i / side / side);
    b.m[i] = typed ? 0.5 + random.uniform() : cloud ? (0.5 + random.uniform()) / static_cast<double>(spec.n) : 1;
    if (typed) b.r[i] = 0.5, b.q[i] = random.uniform() < 0.5 ? -1 : 1;
  }
  for (auto* column : {&b.x, &b.y, &b.z, &b.m}) round_to(spec.precision, *column);
  return b;
}

Bodies collision_bench_bodies(const BenchSpec& spec) {
  const double n = static_cast<double>(spec.n);
  const double mean = spec.dimensions == 1 ? 0.25 / n : 0.5 * std::cbrt(3.0 / (4.0 * 3.14159265358979 * n));
  SplitMix64 random{spec.seed};
  Bodies bodies;
  for (u64 i = 0; i < spec.n; ++i) {
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    bodies.add(x, y, z, 0, 0, 0, 1, mean * (0.5 + random.uniform()));
  }
  return bodies;
}

PointSet distance_bench_points(const BenchSpec& spec) {
  PointSet points{static_cast<u32>(spec.n), spec.features, std::vector<double>(spec.n * spec.features)};
  SplitMix64 random{spec.seed};
  for (double& v : points.values) v = random.uniform();
  round_to(spec.precision, points.values);
  return points;
}

ForceErrors force_errors(const TypedSums& got, const TypedSums& expected) {
  ForceErrors errors;
  for (std::size_t i = 0; i < expected.x.size(); ++i) {
    const Vector at{expected.x[i], expected.y[i], expected.z[i]};
    if (!add(errors, {got.x[i] - at.x, got.y[i] - at.y, got.z[i] - at.z}, at)) break;
  }
  return errors;
}

BenchCheck force_check(const ForceErrors& errors, u64 n, Precision precision, const char* reference) {
  const bool fp32 = precision == Precision::fp32;
  const double rms = rms_of(errors), most = largest_of(errors, n);
  return {rms <= (fp32 ? 1e-5 : 1e-12) && most <= (fp32 ? 1e-4 : 1e-11), most, reference};
}

TypedErrors typed_errors(const ForceField& field, const Bodies& b, const TypedSums& sums) {
  const bool pairs = field.pair == PairLaw::typed;
  const expression::TypedLaw& typed = pairs ? field.typed_pair : field.typed_triple;
  const std::vector<double> uniforms = typed.law->uniforms(typed.values);
  const u64 n = b.size(), each = pairs ? n : std::max<u64>(1, n * n / 2);
  const u64 rows = std::clamp<u64>(kTypedEvaluations / std::max<u64>(1, each), std::min<u64>(n, 4), n);
  TypedErrors errors;
  errors.all = rows == n;
  ForceErrors sums_of;
  for (u64 row = 0; row < rows; ++row) {
    const u64 i = n - 1 - row * n / rows;
    const Vector expected = pairs ? pair_sum(*typed.law, uniforms, b, i) : triple_sum(*typed.law, uniforms, b, i);
    if (!add(sums_of, {sums.x[i] - expected.x, sums.y[i] - expected.y, sums.z[i] - expected.z}, expected)) break;
  }
  errors.rms = rms_of(sums_of), errors.max = largest_of(sums_of, rows);
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
