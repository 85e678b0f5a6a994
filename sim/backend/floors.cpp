#include "sim/backend/floors.hpp"

#include <algorithm>

#include "sim/backend/bench_kernels.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri {
namespace {

/// Threads of the blocks that start in the rate of launches.
constexpr double kFloorThreads = 256;

/// Whether the spec is what lanes_an_item() and the bytes describe.
bool has_floor(const BenchSpec& spec) {
  const BenchKernelInfo& kernel = info(spec.kernel);
  if (find_baseline(spec.map) || !spec.law.empty()) return false;
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

const char* to_string(FloorKind kind) {
  return kind == FloorKind::arithmetic ? "arithmetic" : kind == FloorKind::memory ? "memory" : "launches";
}

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

}  // namespace tri
