#include "sim/backend/bench_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sim/base/error.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/model/map_choice.hpp"

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
     .axes = bits(A::precision, A::accumulate, A::arithmetic, A::law, A::seed),
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

/// In the order of the enum.
constexpr BaselineInfo kBaselines[] = {
    {"plain", "cpu", false}, {"fill", "cuda", false}, {"lambda-alone", "cuda", true}};

template <class T>
bool holds(std::span<const T> values, T value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

bool BenchKernelInfo::has(BenchForm form) const { return holds(forms, form); }
bool BenchKernelInfo::has(Baseline baseline) const { return holds(baselines, baseline); }

bool BenchKernelInfo::reads_seed(BenchForm form) const {
  const bool fixed = form == BenchForm::hold || form == BenchForm::store || form == BenchForm::write;
  return has(BenchAxis::seed) && (forms.empty() || !fixed);
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

}  // namespace tri
