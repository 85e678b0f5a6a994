#pragma once
/// Bench cases whose output is an array of words that must all hold one value: counters of a coverage check, a fill.

#include "sim/cuda/bench/bench_cases.hpp"
#include "sim/cuda/kernels/pairs/plain_kernels.hpp"

namespace tri::cuda {

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

}  // namespace tri::cuda
