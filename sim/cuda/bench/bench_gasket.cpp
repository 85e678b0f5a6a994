// Bench kernel gasket on the device: constant write, sum, and a step of life in either storage.

#include <fmt/format.h>

#include <numeric>

#include "sim/base/error.hpp"
#include "sim/base/memory.hpp"
#include "sim/cuda/bench/bench_cases.hpp"
#include "sim/cuda/jobs/automaton.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {
namespace {

constexpr u8 kUntouched = 0xa5;

/// What all forms share: the fractal, its grid, and embedded or compact arrays of bytes.
class GasketCase : public CudaCase {
 public:
  GasketCase(const CaseSpec& spec, const Fractal& fractal, const FractalLaunch& launch)
      : CudaCase(spec), launch_(launch), name_(fractal.name) {}

  u64 work_items() const final { return fractal_cells(launch_.shape, launch_.grid.levels); }

 protected:
  const FractalLaunch& launch() const { return launch_; }
  double places() const { return embedded_cells(launch_.shape, launch_.grid.levels); }

  void need(double arrays, double bytes, const char* what) const {
    require_device_memory(arrays * bytes, fmt::format("{} of {} at n = {}", what, name_, launch_.grid.side),
                          "Use a smaller --n");
  }

  /// Cells of which about a third are 1, spread over an embedded array of which the rest is 0.
  DeviceBuffer<u8> random_cells(bool embedded) {
    AutomatonSpec spec;
    spec.fractal.shape = launch_.shape;
    spec.levels = launch_.grid.levels;
    spec.seed = this->spec().bench.seed;
    require_memory(static_cast<double>(spec.cells()), fmt::format("{} cells of {}", spec.cells(), name_),
                   "Use a smaller --n");
    const std::vector<u8> first = initial_cells(spec);
    DeviceBuffer<u8> compact(first.size());
    compact.upload(first, stream());
    if (!embedded) return compact;
    DeviceBuffer<u8> cells(static_cast<u64>(places()));
    cells.fill_bytes(0, stream());
    spread_cells(launch_.shape, launch_.grid.levels, compact.data(), cells.data(), stream());
    stream().synchronize();
    return cells;
  }

 private:
  FractalLaunch launch_;
  std::string name_;
};

class GasketWriteCase final : public GasketCase {
 public:
  GasketWriteCase(const CaseSpec& spec, const Fractal& fractal, const FractalLaunch& given)
      : GasketCase(spec, fractal, given) {
    need(1, places(), "the grid");
    cells_ = DeviceBuffer<u8>(static_cast<u64>(places()));
    set_work(prepare_fractal_write(launch(), cells_.data()), launch().grid.block);
  }
  /// One each: what the paper counts. A device moves sectors of 32.
  u64 bytes() const override { return work_items(); }

 private:
  void poison() override { cells_.fill_bytes(kUntouched, stream()); }
  BenchCheck compare() override {
    const bool sectors = launch().placement == GasketPlacement::sectors;
    const u64 faults = sum_of([&](unsigned long long* sum) {
      plain_write_faults(launch(), cells_.data(), kUntouched, sectors, sum, stream());
    });
    return count_faults(faults, work_items(),
                        sectors ? "every place by its own coordinates; 0 between the cells of a sector"
                                : "every place by its own coordinates, all but cells untouched");
  }
  /// The last position is a cell in most members and none in others; either way the value is wrong there.
  void damage() override { TRI_CUDA(cudaMemsetAsync(cells_.data() + cells_.size() - 1, 7, 1, stream())); }

  DeviceBuffer<u8> cells_;
};

class SumCase final : public GasketCase {
 public:
  SumCase(const CaseSpec& spec, const Fractal& fractal, const FractalLaunch& given)
      : GasketCase(spec, fractal, given), sums_(kSumSlots) {
    need(2, places(), "the grid");
    cells_ = random_cells(true);
    expected_ = sum_of([&](unsigned long long* sum) { plain_fractal_sum(launch(), cells_.data(), sum, stream()); });
    set_work(prepare_fractal_sum(launch(), cells_.data(), sums_.data()), launch().grid.block);
  }
  u64 bytes() const override { return work_items(); }

 private:
  void poison() override { sums_.fill_bytes(0, stream()); }
  BenchCheck compare() override {
    const std::vector<unsigned long long> slots = sums_.download(stream());
    const u64 met = std::accumulate(slots.begin(), slots.end(), u64{0}), wanted = expected_ * repeats();
    return count_faults(met > wanted ? met - wanted : wanted - met, work_items(),
                        "the sum by a plain loop over all places");
  }
  void damage() override {
    std::vector<unsigned long long> slots = sums_.download(stream());
    ++slots[0];
    sums_.upload(slots, stream());
  }

  DeviceBuffer<u8> cells_;
  DeviceBuffer<unsigned long long> sums_;
  u64 expected_ = 0;
};

class StepCase final : public GasketCase {
 public:
  StepCase(const CaseSpec& spec, const Fractal& fractal, const FractalLaunch& given)
      : GasketCase(spec, fractal, given),
        storage_(spec.bench.form == BenchForm::compact ? CellStorage::compact : CellStorage::embedded) {
    const bool embedded = storage_ == CellStorage::embedded;
    need(2, embedded ? places() : static_cast<double>(work_items()), "two states");
    now_ = random_cells(embedded);
    next_ = DeviceBuffer<u8>(now_.size());
    set_work(embedded ? prepare_fractal_step(launch(), rule_, now_.data(), next_.data())
                      : prepare_compact_step(launch(), rule_, now_.data(), next_.data()),
             launch().grid.block);
  }
  /// Each cell is read once at least, and written.
  u64 bytes() const override { return 2 * work_items(); }

 private:
  void poison() override { next_.fill_bytes(kUntouched, stream()); }
  BenchCheck compare() override {
    const u64 faults = sum_of([&](unsigned long long* sum) {
      plain_step_faults(launch(), storage_, rule_, now_.data(), next_.data(), kUntouched, sum, stream());
    });
    return count_faults(faults, work_items(), "every cell by a plain loop, and places without one untouched");
  }
  void damage() override { TRI_CUDA(cudaMemsetAsync(next_.data() + next_.size() - 1, 7, 1, stream())); }

  CellStorage storage_;
  LifeRule rule_;
  DeviceBuffer<u8> now_, next_;
};

FractalLaunch launch_of(const BenchSpec& spec, GasketMapId map, const Fractal& fractal) {
  const u32 block = spec.block != 0 ? spec.block : default_fractal_block(fractal.shape, spec.n, spec.placement);
  if (spec.placement == GasketPlacement::sectors && spec.form != BenchForm::write) {
    throw ConfigError("--placement sectors is for constant writes (--form write) only; use subbox, lut or unroll.");
  }
  if (spec.form != BenchForm::compact) {
    return fractal_launch(fractal, fractal_grid(fractal, spec.n, block), map, spec.placement);
  }
  AutomatonSpec whole;
  whole.fractal = fractal;
  whole.levels = fractal_grid(fractal, spec.n, block).levels;
  whole.work = {map, spec.placement, block, 0};
  return fractal_launch(fractal, check_automaton(whole), map, spec.placement);
}

}  // namespace

std::unique_ptr<BenchCase> make_gasket_bench(const CaseSpec& spec) {
  const Fractal fractal = open_fractal(spec.bench.fractal);
  const FractalLaunch launch = launch_of(spec.bench, std::get<GasketMapId>(spec.subject), fractal);
  if (spec.bench.form == BenchForm::write) return std::make_unique<GasketWriteCase>(spec, fractal, launch);
  if (spec.bench.form == BenchForm::reduce) return std::make_unique<SumCase>(spec, fractal, launch);
  return std::make_unique<StepCase>(spec, fractal, launch);
}

}  // namespace tri::cuda
