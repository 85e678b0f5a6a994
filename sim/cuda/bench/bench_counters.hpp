#pragma once
/// What the bench kernels that write have in common: a counter a cell, checked over the whole array.

#include "sim/cuda/bench/bench_cases.hpp"
#include "sim/cuda/kernels/pairs/plain_kernels.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"

namespace tri::cuda {

/// Each cell counts how often it was met.
class CounterCase : public CudaCase {
 public:
  /// Each cell is read and written.
  u64 bytes() const final { return 2 * cells_.bytes(); }

 protected:
  using CudaCase::CudaCase;

  /// Takes the memory of so many cells, which the case has predicted; returns where they are.
  u32* make_cells(u64 count) {
    cells_ = DeviceBuffer<u32>(count);
    faults_ = DeviceBuffer<unsigned long long>(1);
    return cells_.data();
  }

 private:
  void poison() final { cells_.fill_bytes(0, stream()); }

  BenchCheck compare() final {
    faults_.fill_bytes(0, stream());
    plain_cells_other_than(repeats(), cells_.data(), cells_.size(), faults_.data(), stream());
    const u64 faults = faults_.download(stream())[0];
    return {faults == 0, static_cast<double>(faults) / static_cast<double>(cells_.size()),
            "every cell met once a run, none missed"};
  }

  void damage() final { TRI_CUDA(cudaMemsetAsync(cells_.data() + cells_.size() - 1, 0xff, sizeof(u32), stream())); }

  DeviceBuffer<u32> cells_;
  DeviceBuffer<unsigned long long> faults_;
};

}  // namespace tri::cuda
