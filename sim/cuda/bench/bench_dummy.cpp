// Bench kernels of one thread an element: dummy with and without a store, write and automaton.

#include <fmt/format.h>

#include <array>
#include <numeric>

#include "sim/base/error.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/cuda/bench/bench_cases.hpp"
#include "sim/cuda/bench/bench_counters.hpp"
#include "sim/cuda/kernels/element_kernels.hpp"
#include "sim/cuda/kernels/pairs/plain_kernels.hpp"
#include "sim/cuda/kernels/pairs/rec_device.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

KernelChoice element_choice(const CaseSpec& spec) {
  return choose_kernel(spec.map, spec.bench.n, spec.bench.block, kPaperBlock, {});
}

/// Predicted: what the form holds at n, and `tables` tables of the map.
template <class BytesOf>
void need(const CaseSpec& spec, const char* what, u32 block, u32 tables, const BytesOf& bytes_of) {
  const auto bytes = [&](u64 n) { return bytes_of(n) + tables * table_bytes(spec.map, n, block); };
  need_device_memory_for(bytes, spec.bench.n, fmt::format("{} at n = {}", what, spec.bench.n), "Use --n ", " or less");
}

class ElementCase : public CudaCase {
 public:
  using CudaCase::CudaCase;
  u64 work_items() const override { return triangular(n()); }
};

/// Timed: the map and what the form does with the coordinates. Checked: the same map on the same grids with a kernel
/// that sums a hash of the coordinates, against the sums of a plain double loop.
class DummyCase final : public ElementCase {
 public:
  explicit DummyCase(const CaseSpec& spec)
      : ElementCase(spec), block_(element_choice(spec).block), scratch_(kDummySlots), sums_(2 * kChecksumSlots) {
    // The check prepares the map once more while the timed work holds the first.
    need(spec, "the map's table, twice,", block_, 2, [](u64) { return 0.0; });
    if (rec_from_device(spec)) {
      check_rec_from_device(spec, block_);
      set_work(prepare_dummy_from_device(n(), block_, spec.bench.dummy, scratch_.data()), block_);
    } else {
      set_work(prepare_dummy(spec.map, n(), block_, spec.bench.dummy, scratch_.data()), block_);
    }
    scratch_.fill_bytes(0, stream());
  }

  u64 bytes() const override { return 0; }

 private:
  using Sums = std::array<u64, 2>;  ///< elements, hash

  void poison() override { met_known_ = false; }

  BenchCheck compare() override {
    if (!expected_known_) expected_ = sums_of(prepare_plain_checksum(n(), sums_.data())), expected_known_ = true;
    read_met();
    return {met_ == expected_, met_ == expected_ ? 0.0 : 1.0, "number and hash of all elements by a plain loop"};
  }

  void damage() override {
    read_met();
    ++met_[1];
  }

  void read_met() {
    if (!met_known_) met_ = sums_of(prepare_checksum(spec().map, n(), block_, sums_.data()));
    met_known_ = true;
  }

  Sums sums_of(const PreparedLaunch& work) {
    sums_.fill_bytes(0, stream());
    work.enqueue(stream());
    const std::vector<unsigned long long> slots = sums_.download(stream());
    const auto half = slots.begin() + kChecksumSlots;
    return {std::accumulate(slots.begin(), half, u64{0}), std::accumulate(half, slots.end(), u64{0})};
  }

  u32 block_;
  DeviceBuffer<u32> scratch_;
  DeviceBuffer<unsigned long long> sums_;
  Sums met_{}, expected_{};
  bool met_known_ = false, expected_known_ = false;
};

/// Each cell counts how often it was met.
class WriteCase final : public CounterCase {
 public:
  explicit WriteCase(const CaseSpec& spec) : CounterCase(spec) {
    const u32 block = element_choice(spec).block;
    need(spec, "one counter a cell", block, 1, [](u64 n) { return static_cast<double>(triangular(n)) * sizeof(u32); });
    set_work(prepare_write(spec.map, n(), block, make_cells(work_items())), block);
  }
  u64 work_items() const override { return triangular(n()); }
};

/// Life on the triangle, from random cells of which a third live.
class AutomatonCase final : public ElementCase {
 public:
  explicit AutomatonCase(const CaseSpec& spec) : ElementCase(spec) {
    const u32 block = element_choice(spec).block;
    const auto state = [](u64 n) { return static_cast<double>(n) * static_cast<double>(n); };
    need(spec, "two states of the automaton", block, 1, [&](u64 n) { return 2 * state(n); });
    need_memory(state(n()), fmt::format("the start of the automaton at n = {}", n()),
                cure_by_size("Use --n ", largest_that_fits(state, available_memory()), " or less"));
    const u64 cells = u64{n()} * n();
    std::vector<u8> start(cells);
    SplitMix64 random{spec.bench.seed};
    for (u64 i = 0; i < n(); ++i) {
      for (u64 j = 0; j <= i; ++j) start[i * n() + j] = random.uniform() < 1.0 / 3;
    }
    now_ = DeviceBuffer<u8>(cells);
    next_ = DeviceBuffer<u8>(cells);
    faults_ = DeviceBuffer<unsigned long long>(1);
    now_.upload(start, stream());
    set_work(prepare_automaton(spec.map, n(), block, now_.data(), next_.data()), block);
  }

  /// Each cell of the triangle is read once at least, and written.
  u64 bytes() const override { return 2 * triangular(n()); }

 private:
  static constexpr u8 kUntouched = 0xa5;

  void poison() override { next_.fill_bytes(kUntouched, stream()); }

  BenchCheck compare() override {
    faults_.fill_bytes(0, stream());
    plain_automaton_faults(now_.data(), next_.data(), n(), kUntouched, faults_.data(), stream());
    const u64 faults = faults_.download(stream())[0];
    return {faults == 0, static_cast<double>(faults) / static_cast<double>(next_.size()),
            "every cell by a plain loop, those above the diagonal untouched"};
  }

  void damage() override { TRI_CUDA(cudaMemsetAsync(next_.data() + next_.size() - 1, 7, 1, stream())); }

  DeviceBuffer<u8> now_, next_;
  DeviceBuffer<unsigned long long> faults_;
};

}  // namespace

std::unique_ptr<BenchCase> make_dummy_bench(const CaseSpec& spec) {
  const bool counts = spec.bench.dummy == DummyForm::write || spec.bench.dummy == DummyForm::automaton;
  if (counts && rec_from_device(spec)) {
    throw ConfigError("--map rec is launched from the device for dummy and edm only; launch it from the host.");
  }
  switch (spec.bench.dummy) {
    case DummyForm::hold:
    case DummyForm::store:
      break;
    case DummyForm::write:
      return std::make_unique<WriteCase>(spec);
    case DummyForm::automaton:
      return std::make_unique<AutomatonCase>(spec);
  }
  return std::make_unique<DummyCase>(spec);
}

}  // namespace tri::cuda
