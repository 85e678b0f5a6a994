// An automaton on the device: two state arrays; each step reads one and writes the other.

#include "sim/cuda/jobs/automaton.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/base/error.hpp"
#include "sim/base/memory.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/stream.hpp"
#include "sim/maps/gasket_placement.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {
namespace {

constexpr u64 kMaxThreads = 1024;

class CudaAutomaton final : public Automaton {
 public:
  CudaAutomaton(const AutomatonSpec& spec, int device) : spec_(spec), device_(device) {
    spec_.work.block = block_of(spec.work);
    const FractalGrid grid = check_automaton(spec_);
    const FractalLaunch launch = launch_of(spec_, grid);
    need_space();
    for (auto& state : states_) state = DeviceBuffer<u8>(storage_size());
    const std::vector<u8> first = initial_cells(spec_);
    if (spec_.storage == CellStorage::compact) {
      states_[0].upload(first, stream_);
    } else {
      for (auto& state : states_) state.fill_bytes(0, stream_);
      DeviceBuffer<u8> compact(first.size());
      compact.upload(first, stream_);
      spread_cells(spec_.fractal.shape, spec_.levels, compact.data(), states_[0].data(), stream_);
      stream_.synchronize();
    }
    prepare(launch);
  }

  const AutomatonSpec& spec() const override { return spec_; }

  void configure(const CellWork& work) override {
    use_device();
    AutomatonSpec changed = spec_;
    changed.work = work;
    changed.work.block = block_of(work);
    const FractalLaunch launch = launch_of(changed, check_automaton(changed));
    spec_ = changed;
    prepare(launch);
  }

  void set_rule(const LifeRule& rule) override {
    use_device();
    spec_.rule = rule;
    prepare(launch_of(spec_, check_automaton(spec_)));
  }

  void step(u64 steps) override {
    if (steps == 0) return;
    use_device();
    timer_.start(stream_);
    for (u64 s = 0; s < steps; ++s, now_ = 1 - now_) work_[now_].enqueue(stream_);
    timer_.stop(stream_);
    step_ms_ = timer_.elapsed_ms() / static_cast<double>(steps);
  }

  std::vector<u8> read() const override {
    use_device();
    if (spec_.storage == CellStorage::compact) return states_[now_].download(stream_);
    DeviceBuffer<u8> compact(spec_.cells());
    gather_cells(spec_.fractal.shape, spec_.levels, states_[now_].data(), compact.data(), stream_);
    return compact.download(stream_);
  }

  double step_ms() const override { return step_ms_; }

 private:
  void use_device() const { TRI_CUDA(cudaSetDevice(device_)); }

  u32 block_of(const CellWork& work) const {
    const FractalShape& shape = spec_.fractal.shape;
    // check_automaton() has already rejected too many levels.
    if (work.block != 0 || spec_.levels > 31) return work.block != 0 ? work.block : 1;
    return default_fractal_block(shape, power_of(shape.scale(), spec_.levels), work.placement);
  }

  static FractalLaunch launch_of(const AutomatonSpec& spec, const FractalGrid& grid) {
    return fractal_launch(spec.fractal, grid, spec.work.map, spec.work.placement);
  }

  u64 storage_size() const { return static_cast<u64>(spec_.bytes()); }

  void need_space() const {
    const bool compact = spec_.storage == CellStorage::compact;
    const double extra = compact ? 0 : static_cast<double>(spec_.cells());
    require_device_memory(
        2 * spec_.bytes() + extra,
        fmt::format("two {} states of {} at r = {}", to_string(spec_.storage), spec_.fractal.name, spec_.levels),
        compact ? "Use fewer levels" : "Use fewer levels, or storage=compact");
    require_memory(static_cast<double>(spec_.cells()), fmt::format("{} cells", spec_.cells()), "Use fewer levels");
  }

  void prepare(const FractalLaunch& launch) {
    for (u32 from = 0; from < 2; ++from) {
      const u8* now = states_[from].data();
      u8* next = states_[1 - from].data();
      work_[from] = spec_.storage == CellStorage::compact ? prepare_compact_step(launch, spec_.rule, now, next)
                                                          : prepare_fractal_step(launch, spec_.rule, now, next);
    }
  }

  AutomatonSpec spec_;
  int device_;
  Stream stream_;
  EventTimer timer_;
  std::array<DeviceBuffer<u8>, 2> states_;
  std::array<PreparedLaunch, 2> work_;  ///< from state 0 to 1 and back
  u32 now_ = 0;
  double step_ms_ = 0;
};

}  // namespace

FractalLaunch fractal_launch(const Fractal& fractal, const FractalGrid& grid, GasketMapId map,
                             GasketPlacement placement) {
  check_map(fractal, grid, map);
  FractalLaunch launch{fractal.shape, fractal.is_gasket(), grid, map, placement};
  if (placement == GasketPlacement::sectors && (!launch.gasket || grid.block != GasketSectors::kSide)) {
    throw ConfigError(
        fmt::format("--placement sectors writes whole sectors of the gasket in blocks of {0}; use --block "
                    "{0} with the gasket, or another placement.",
                    GasketSectors::kSide));
  }
  if (const u64 threads = fractal_threads(launch); threads > kMaxThreads) {
    throw ConfigError(fmt::format("--block {} asks for {} threads a block, and a device has {}; use --block {}.",
                                  grid.block, threads, kMaxThreads,
                                  default_fractal_block(fractal.shape, grid.side, placement)));
  }
  return launch;
}

u32 default_fractal_block(const FractalShape& shape, u64 n, GasketPlacement placement) {
  FractalLaunch launch;
  launch.shape = shape;
  launch.placement = placement;
  u32 block = largest_block(shape, n, 32);
  for (;; block /= shape.scale()) {
    launch.grid.block = block;
    launch.grid.inner = levels_of_side(shape, block).value_or(0);
    if (block == 1 || fractal_threads(launch) <= kMaxThreads) return block;
  }
}

std::unique_ptr<Automaton> make_automaton(const AutomatonSpec& spec, int device) {
  return std::make_unique<CudaAutomaton>(spec, device);
}

}  // namespace tri::cuda
