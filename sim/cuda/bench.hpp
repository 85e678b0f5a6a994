#pragma once
/// Bench cases on a device, their timing, and the floors of the device.
///
/// Times a PreparedLaunch on the device without the cost of its launch.

#include <algorithm>
#include <memory>

#include "sim/backend/bench.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/cuda/runtime/ranks.hpp"

namespace tri::cuda {

class TimedWork {
 public:
  /// ranks: those that do the work together, each its part of it, in the same calls; null for one alone. captured:
  /// whether a graph may hold the work, and so repeat it.
  TimedWork(PreparedLaunch work, GraphShape shape, LaunchTiming timing, DeviceRanks* ranks, bool captured = true);

  /// Runs the work at least once, and determines how often a timed run must repeat it. Call it before the first
  /// run(); prepare the output after it.
  void calibrate(cudaStream_t stream);
  /// Milliseconds of one repetition. Waits for the end.
  double run(cudaStream_t stream);

  const PreparedLaunch& work() const { return work_; }
  /// How many times each run() does the work: 1 unless it is short, or timed as an average.
  u32 repeats() const { return repeats_; }

 private:
  void enqueue_once(cudaStream_t stream);
  double run_synchronised(cudaStream_t stream);
  double run_by_events(cudaStream_t stream);

  PreparedLaunch work_;
  GraphShape shape_;
  LaunchTiming timing_;
  DeviceRanks* ranks_;
  bool captured_;
  EventTimer timer_;
  std::unique_ptr<Graph> graph_;  ///< `repeats_` times the work; null for a chain of one
  u32 repeats_ = 1;
  bool calibrated_ = false;
};

// The bench cases of the cuda backend: data from a seed, timed runs, and a check of the whole output.

/// On the current device, which is `device`. Throws ConfigError (n, block, features or dimensions out of range, a map's
/// refusal, an unknown map, a baseline or form that this backend lacks) and MemoryError, predicted. `ranks`: those that
/// share the case, null or is_shared(); they must outlive it, and every rank makes it.
std::unique_ptr<BenchCase> make_cuda_bench(const BenchSpec& spec, int device, DeviceRanks* ranks);

/// The spec with the name of its map resolved.
struct CaseSpec {
  BenchSpec bench;
  BenchSubject subject;
  int device;
  DeviceRanks* ranks;  ///< null for one alone

  u32 n() const { return static_cast<u32>(bench.n); }
  bool is(Baseline baseline) const { return subject == BenchSubject(baseline); }
  /// Baselines and other domains: lambda.
  TriangleMapId pair_map() const {
    const auto* map = std::get_if<TriangleMapId>(&subject);
    return map != nullptr ? *map : TriangleMapId::lambda;
  }
  TetraMapId triple_map() const { return std::get<TetraMapId>(subject); }
};

/// make_<kernel>_bench().
#define TRI_DECLARE_BENCH(id) std::unique_ptr<BenchCase> make_##id##_bench(const CaseSpec& spec);
TRI_BENCH_KERNELS(TRI_DECLARE_BENCH)
#undef TRI_DECLARE_BENCH

/// What all cases share: the device, the stream, the clock and the counts.
class CudaCase : public BenchCase {
 public:
  double run() final;
  u64 run_for(double seconds) final;
  BenchCheck check() final;
  void corrupt_output() final;
  u64 work_items() const override { return item_count(spec_.bench); }
  u64 blocks_launched() const final { return timed_->work().launched; }
  u64 blocks_useful() const final { return timed_->work().useful; }
  u32 block() const final { return block_; }

 protected:
  explicit CudaCase(const CaseSpec& spec) : spec_(spec) {}

  /// Called once, by the constructor of a case, when its memory is allocated.
  void set_work(PreparedLaunch work, u32 block);

  /// Fills the output with what no right result holds; enqueued before each timed run.
  virtual void poison() = 0;
  /// Checks the last run's output, which did the work repeats() times.
  virtual BenchCheck compare() = 0;
  virtual void damage() = 0;

  u32 repeats() const { return timed_->repeats(); }
  const Stream& stream() const { return stream_; }
  const CaseSpec& spec() const { return spec_; }
  u32 n() const { return spec_.n(); }

  /// Runs loop(sum), which adds to a zeroed word on the device; returns the sum.
  template <class Loop>
  u64 sum_of(const Loop& loop) const {
    DeviceBuffer<unsigned long long> sum(1);
    sum.fill_bytes(0, stream_);
    loop(sum.data());
    return sum.download(stream_)[0];
  }
  /// Passed when none of `all` values is wrong.
  static BenchCheck count_faults(u64 faults, u64 all, const char* reference) {
    return {faults == 0, static_cast<double>(faults) / static_cast<double>(std::max<u64>(1, all)), reference};
  }

 private:
  CaseSpec spec_;
  Stream stream_;
  std::unique_ptr<TimedWork> timed_;
  u32 block_ = 0;
  bool ran_ = false;
};

/// A case whose output is an array of words that must all hold one value: counters of a coverage check, a fill.
class WordsCase : public CudaCase {
 protected:
  /// Allocates `count` words; the caller has predicted the memory.
  WordsCase(const CaseSpec& spec, u64 count, u8 poison, const char* reference)
      : CudaCase(spec), words_(count), poison_(poison), reference_(reference) {}

  DeviceBuffer<u32>& words() { return words_; }
  const DeviceBuffer<u32>& words() const { return words_; }

 private:
  /// What each word holds after a run.
  virtual u32 expected() const = 0;

  void poison() final { words_.fill_bytes(poison_, stream()); }

  BenchCheck compare() final {
    const u64 faults = sum_of([&](unsigned long long* sum) {
      plain_cells_other_than(expected(), words_.data(), words_.size(), sum, stream());
    });
    return count_faults(faults, words_.size(), reference_);
  }

  void damage() final {
    if (words_.size() > 0) TRI_CUDA(cudaMemsetAsync(words_.data() + words_.size() / 2, 0xa5, sizeof(u32), stream()));
  }

  DeviceBuffer<u32> words_;
  u8 poison_;
  const char* reference_;
};

/// Throws ConfigError when rec cannot be launched from the device with this block, or in this precision.
void check_rec_from_device(const CaseSpec& spec, u32 block);
/// Whether the spec asks for dynamic parallelism and its map has a use for it.
inline bool rec_from_device(const CaseSpec& spec) {
  return spec.pair_map() == TriangleMapId::rec && spec.bench.rec == RecForm::device;
}

// The floors of a device.

/// Of the current device; each rate is the best of several rounds, some hundred milliseconds in all. Throws
/// MemoryError.
Floors measure_floors();

}  // namespace tri::cuda
