// The bench kernel dummy3: one thread an element of the tetrahedron, with and without a store, and write.

#include <fmt/format.h>

#include <array>
#include <numeric>

#include "sim/cuda/bench/bench_cases.hpp"
#include "sim/cuda/bench/bench_counters.hpp"
#include "sim/cuda/kernels/pairs/plain_kernels.hpp"
#include "sim/cuda/kernels/triple_element_kernels.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kPaperTripleBlock = 8;

u32 block_of(const CaseSpec& spec) {
  std::vector<u32> blocks(kMaxTripleBlock);
  std::iota(blocks.begin(), blocks.end(), 1u);
  return choose_triple_block(spec.tetra, spec.bench.n, spec.bench.block, kPaperTripleBlock, blocks);
}

__extension__ typedef unsigned __int128 WideUnsigned;

/// sum over i < j < k of (i+1)(j+1)(k+1) modulo 2^64, by Newton: with p1, p2, p3 the power sums of 1..n, it is
/// (p1^3 - 3 p1 p2 + 2 p3) / 6 = p1 (p1^2 - 3 p2 + 2 p1) / 6, for p3 = p1^2; the product stays below 2^126 for n <=
/// 2^21.
u64 product_sum(u64 n) {
  const WideUnsigned p1 = WideUnsigned{n} * (n + 1) / 2, p2 = p1 * (2 * n + 1) / 3;
  return static_cast<u64>(p1 * (p1 * p1 + 2 * p1 - 3 * p2) / 6);
}

/// Timed: the map and what the form does with the coordinates. Checked: the same map on the same grids with a kernel
/// that counts, hashes and multiplies the coordinates, against the sums of a plain loop and a closed form.
class Dummy3Case final : public CudaCase {
 public:
  explicit Dummy3Case(const CaseSpec& spec)
      : CudaCase(spec), block_(block_of(spec)), scratch_(kDummy3Slots), sums_(3 * kTripleSlots) {
    set_work(prepare_dummy3(spec.tetra, n(), block_, spec.bench.dummy, scratch_.data()), block_);
    scratch_.fill_bytes(0, stream());
  }

  u64 work_items() const override { return tetrahedral(n()); }
  u64 bytes() const override { return 0; }

 private:
  using Sums = std::array<u64, 3>;  ///< elements, hash, products

  void poison() override { met_known_ = false; }

  BenchCheck compare() override {
    if (!expected_known_) expected_ = sums_of(prepare_plain_checksum3(n(), sums_.data())), expected_known_ = true;
    read_met();
    const bool right = met_ == expected_ && met_[0] == tetrahedral(n()) && met_[2] == product_sum(n());
    return {right, right ? 0.0 : 1.0, "number and hash of all elements by a plain loop, sum of (i+1)(j+1)(k+1)"};
  }

  void damage() override {
    read_met();
    ++met_[1];
  }

  void read_met() {
    if (!met_known_) met_ = sums_of(prepare_checksum3(spec().tetra, n(), block_, sums_.data()));
    met_known_ = true;
  }

  Sums sums_of(const PreparedLaunch& work) {
    sums_.fill_bytes(0, stream());
    work.enqueue(stream());
    const std::vector<unsigned long long> slots = sums_.download(stream());
    Sums sums{};
    for (u32 row = 0; row < 3; ++row) {
      const auto begin = slots.begin() + row * kTripleSlots;
      sums[row] = std::accumulate(begin, begin + kTripleSlots, u64{0});
    }
    return sums;
  }

  u32 block_;
  DeviceBuffer<u32> scratch_;
  DeviceBuffer<unsigned long long> sums_;
  Sums met_{}, expected_{};
  bool met_known_ = false, expected_known_ = false;
};

/// Each cell counts how often it was met.
class Write3Case final : public CounterCase {
 public:
  explicit Write3Case(const CaseSpec& spec) : CounterCase(spec) {
    const u32 block = block_of(spec);
    const auto bytes = [](u64 n) { return static_cast<double>(tetrahedral(n)) * sizeof(u32); };
    need_device_memory_for(bytes, n(), fmt::format("one counter a cell at n = {}", n()), "Use --n ", " or less");
    set_work(prepare_write3(spec.tetra, n(), block, make_cells(work_items())), block);
  }
  u64 work_items() const override { return tetrahedral(n()); }
};

}  // namespace

std::unique_ptr<BenchCase> make_dummy3_bench(const CaseSpec& spec) {
  switch (spec.bench.dummy) {
    case DummyForm::hold:
    case DummyForm::store:
      break;
    case DummyForm::write:
      return std::make_unique<Write3Case>(spec);
    case DummyForm::automaton:
      throw ConfigError("--form automaton lives on the triangle; --kernel dummy3 takes hold, store or write.");
  }
  return std::make_unique<Dummy3Case>(spec);
}

}  // namespace tri::cuda
