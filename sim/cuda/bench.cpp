#include "sim/cuda/bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/cuda/engine/jobs.hpp"
#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {
namespace {

/// Shorter work is repeated, since the few microseconds between an event and the start of a kernel would show.
constexpr double kShortMs = 1.0;
/// Duration of all repetitions; their single launch is then at most a few parts in a thousand.
constexpr double kTogetherMs = 2.0;
constexpr u32 kMaxRepeats = 512;

}  // namespace

TimedWork::TimedWork(PreparedLaunch work, GraphShape shape, LaunchTiming timing, DeviceRanks* ranks, bool captured)
    : work_(std::move(work)),
      shape_(work_.launches > 1 ? shape : GraphShape::chain),
      timing_(timing),
      ranks_(ranks),
      captured_(captured) {
  if (shape_ == GraphShape::branches) graph_ = std::make_unique<Graph>(work_, shape_, 1);
}

void TimedWork::calibrate(cudaStream_t stream) {
  if (calibrated_) return;
  calibrated_ = true;
  if (timing_ == LaunchTiming::averaged) repeats_ = kAveragedLaunches;
  if (timing_ != LaunchTiming::work) return;
  run_by_events(stream);  // loads the kernel's code
  double ms = run_by_events(stream);
  if (ranks_ != nullptr) {  // all repeat it as often
    const std::vector<double> each = ranks_->of_each(ms);
    ms = *std::max_element(each.begin(), each.end());
    if (!ranks_->may_be_captured()) return;
  }
  if (ms >= kShortMs || work_.launches == 0 || !captured_) return;
  repeats_ = static_cast<u32>(std::clamp(std::ceil(kTogetherMs / std::max(ms, 1e-6)), 2.0, double{kMaxRepeats}));
  graph_ = std::make_unique<Graph>(work_, shape_, repeats_);
  if (ranks_ != nullptr) ranks_->largest(0);  // every graph is made before one waits for another
  graph_->launch(stream);
}

double TimedWork::run(cudaStream_t stream) {
  if (timing_ == LaunchTiming::work) return run_by_events(stream);
  double ms = 0;
  for (u32 r = 0; r < repeats_; ++r) ms += run_synchronised(stream);
  return ms / repeats_;
}

void TimedWork::enqueue_once(cudaStream_t stream) {
  if (graph_) {
    graph_->launch(stream);
  } else {
    work_.enqueue(stream);
  }
}

double TimedWork::run_by_events(cudaStream_t stream) {
  timer_.start(stream);
  enqueue_once(stream);
  timer_.stop(stream);
  return timer_.elapsed_ms() / repeats_;
}

double TimedWork::run_synchronised(cudaStream_t stream) {
  TRI_CUDA(cudaStreamSynchronize(stream));
  const auto begin = std::chrono::steady_clock::now();
  if (graph_) {
    graph_->launch(stream);
    TRI_CUDA(cudaStreamSynchronize(stream));
  } else {
    for (u32 k = 0; k < work_.launches; ++k) {
      work_.launch(stream, k);
      TRI_CUDA(cudaStreamSynchronize(stream));
    }
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

// From a spec to a bench case: what all kernels share.

double CudaCase::run() {
  TRI_CUDA(cudaSetDevice(spec_.device));
  if (!ran_) {
    poison();  // the trial runs add to the output
    timed_->calibrate(stream_);
    ran_ = true;
  }
  poison();
  if (spec_.ranks != nullptr) {  // which begin together
    stream_.synchronize();
    spec_.ranks->largest(0);
  }
  return timed_->run(stream_);
}

u64 CudaCase::run_for(double seconds) {
  if (!ran_) run();
  TRI_CUDA(cudaSetDevice(spec_.device));
  poison();
  stream_.synchronize();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const auto goes_on = [&] {
    const u64 here = std::chrono::steady_clock::now() < end ? 1 : 0;
    return (spec_.ranks != nullptr ? spec_.ranks->largest(here) : here) != 0;
  };
  u64 times = 0;
  do {
    timed_->run(stream_);  // waits for its end; poisoning in between would cost energy too
    times += timed_->repeats();
  } while (goes_on());
  return times;
}

BenchCheck CudaCase::check() {
  TRI_CUDA(cudaSetDevice(spec_.device));
  if (!ran_) return {false, 1.0, "nothing was run"};
  return compare();
}

void CudaCase::corrupt_output() {
  TRI_CUDA(cudaSetDevice(spec_.device));
  if (ran_) damage();
}

void CudaCase::set_work(PreparedLaunch work, u32 block) {
  const bool branches = spec_.pair_map() == TriangleMapId::rec && spec_.bench.rec == RecForm::graph;
  timed_ = std::make_unique<TimedWork>(std::move(work), branches ? GraphShape::branches : GraphShape::chain,
                                       spec_.bench.timing, spec_.ranks, spec_.bench.pairs == BenchPairs::all);
  block_ = block;
}

void check_rec_from_device(const CaseSpec& spec, u32 block) {
  if (spec.bench.precision != Precision::fp32) {
    throw ConfigError("--map rec launched from the device is there in fp32 only; use --precision fp32.");
  }
  if (tiles_per_side(TriangleRec::kInfo, spec.bench.n, block) > kRecDeviceSide) {
    throw ConfigError(
        fmt::format("--map rec launched from the device takes {} blocks a side, with --block {} to n = {}; "
                    "n = {}. Use --n {} or less, or launch it from the host.",
                    kRecDeviceSide, block, kRecDeviceSide * block, spec.bench.n, kRecDeviceSide * block));
  }
}

std::unique_ptr<BenchCase> make_cuda_bench(const BenchSpec& given, int device, DeviceRanks* ranks) {
  const CaseSpec spec{given, subject_of(given, "cuda"), device, ranks};
  switch (given.kernel) {
#define TRI_MAKE_BENCH(id) \
  case BenchKernel::id: \
    return make_##id##_bench(spec);
    TRI_BENCH_KERNELS(TRI_MAKE_BENCH)
#undef TRI_MAKE_BENCH
  }
  TRI_UNREACHABLE("a BenchKernel outside its enum");
}

namespace {

constexpr int kFloorRounds = 12;  // the first of them raise the clock
constexpr u32 kEmptyBlocks = 1u << 23, kPeakBlocks = 1u << 14, kPeakTurns = 1u << 9;
constexpr u64 kFillBytes = u64{1} << 30;

/// Units a second in the fastest round.
double best_rate(double units, const PreparedLaunch& work) {
  const Stream stream;
  EventTimer timer;
  double least = 0;
  for (int k = 0; k < kFloorRounds; ++k) {
    timer.start(stream);
    work.enqueue(stream);
    timer.stop(stream);
    const double ms = timer.elapsed_ms();
    if (k == 0 || ms < least) least = ms;
  }
  return units / (1e-3 * std::max(least, 1e-6));
}

}  // namespace

Floors measure_floors() {
  require_device_memory(double{1u << 27}, "measuring what the device does at most", "End other programs that use it");
  const u64 bytes = std::min(kFillBytes, free_device_memory() / 4 / 4096 * 4096);
  Floors floors;
  {
    DeviceBuffer<float> sums(u64{kPeakBlocks} * kPeakThreads);
    const double all = static_cast<double>(multiply_adds_a_thread(kPeakTurns)) * kPeakBlocks * kPeakThreads;
    floors.lanes = {best_rate(all, prepare_multiply_adds(kPeakBlocks, kPeakTurns, sums.data())),
                    "float32 multiply-adds in registers"};
  }
  {
    DeviceBuffer<u32> words(bytes / sizeof(u32));
    floors.bytes = {best_rate(static_cast<double>(words.bytes()), prepare_fill(words.size(), 1, words.data())),
                    fmt::format("stores to {} MiB", bytes >> 20)};
  }
  floors.launches = {best_rate(kEmptyBlocks, prepare_empty(kEmptyBlocks)),
                     fmt::format("empty blocks of {} threads", kPeakThreads)};
  return floors;
}

// Bench kernel gasket on the device: constant write, sum, and a step of life in either storage.

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
