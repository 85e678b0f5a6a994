// Bench kernels of one thread an element, a pair (dummy) or a triple (dummy3): the map with and without a store, write,
// and the automaton of the triangle.

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <optional>

#include "sim/base/error.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/cuda/bench/bench_cases.hpp"
#include "sim/cuda/kernels/distances/rec_device.hpp"
#include "sim/cuda/kernels/element_kernels.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

__extension__ typedef unsigned __int128 WideUnsigned;

/// What is particular to the elements (i, j), i >= j.
struct Pairs {
  using MapId = TriangleMapId;
  using Sums = std::array<u64, 2>;  ///< elements, hash
  static constexpr const char* kReference = "number and hash of all elements by a plain loop";

  static MapId map(const CaseSpec& spec) { return spec.pair_map(); }
  static u32 block(const CaseSpec& spec) {
    return choose_kernel(spec.pair_map(), spec.bench.n, spec.bench.block, kPaperBlock, {}).block;
  }
  static u64 count(u64 n) { return triangular(n); }
  static double table(const CaseSpec& spec, u64 n, u32 block) { return table_bytes(spec.pair_map(), n, block); }
  static bool closed_form(const Sums&, u64) { return true; }
};

/// The same of the elements (i, j, k), i <= j <= k.
struct Triples {
  static constexpr u32 kPaperTripleBlock = 8;
  using MapId = TetraMapId;
  using Sums = std::array<u64, 3>;  ///< elements, hash, products
  static constexpr const char* kReference = "number and hash of all elements by a plain loop, sum of (i+1)(j+1)(k+1)";

  static MapId map(const CaseSpec& spec) { return spec.triple_map(); }
  static u32 block(const CaseSpec& spec) {
    std::vector<u32> blocks(kMaxTripleBlock);
    std::iota(blocks.begin(), blocks.end(), 1u);
    return choose_triple_block(spec.triple_map(), spec.bench.n, spec.bench.block, kPaperTripleBlock, blocks);
  }
  static u64 count(u64 n) { return tetrahedral(n); }
  static double table(const CaseSpec&, u64, u32) { return 0; }

  /// sum over i < j < k of (i+1)(j+1)(k+1) modulo 2^64, by Newton: with p1, p2, p3 the power sums of 1..n, it is
  /// (p1^3 - 3 p1 p2 + 2 p3) / 6 = p1 (p1^2 - 3 p2 + 2 p1) / 6, for p3 = p1^2; the product stays below 2^126 for n <=
  /// 2^21.
  static bool closed_form(const Sums& sums, u64 n) {
    const WideUnsigned p1 = WideUnsigned{n} * (n + 1) / 2, p2 = p1 * (2 * n + 1) / 3;
    return sums[0] == count(n) && sums[2] == static_cast<u64>(p1 * (p1 * p1 + 2 * p1 - 3 * p2) / 6);
  }
};

/// Predicts the memory: bytes_of(n), and `tables` tables of the map.
template <class Elements, class BytesOf>
void need(const CaseSpec& spec, const char* what, u32 block, u32 tables, const BytesOf& bytes_of) {
  const auto bytes = [&](u64 n) { return bytes_of(n) + tables * Elements::table(spec, n, block); };
  require_device_memory_for(bytes, spec.bench.n, fmt::format("{} at n = {}", what, spec.bench.n), "Use --n ",
                            " or less");
}

/// Timed: the map and what the form does with the coordinates. Checked: the same map on the same grids with a kernel
/// that counts and hashes the coordinates, against the sums of a plain loop; triples also by a closed form.
template <class Elements>
class DummyCase final : public CudaCase {
 public:
  explicit DummyCase(const CaseSpec& spec)
      : CudaCase(spec), block_(Elements::block(spec)), scratch_(kDummySlots), sums_(kSums * kChecksumSlots) {
    // The check prepares the map once more while the timed work holds the first.
    need<Elements>(spec, "the map's table, twice,", block_, 2, [](u64) { return 0.0; });
    const BenchForm form = spec.bench.form;
    if (rec_from_device(spec)) {
      check_rec_from_device(spec, block_);
      set_work(prepare_dummy_from_device(n(), block_, form, scratch_.data()), block_);
    } else {
      set_work(prepare_dummy(Elements::map(spec), n(), block_, form, scratch_.data()), block_);
    }
    scratch_.fill_bytes(0, stream());
  }

 private:
  using Sums = typename Elements::Sums;
  static constexpr std::size_t kSums = std::tuple_size_v<Sums>;

  void poison() override { found_.reset(); }

  BenchCheck compare() override {
    if (!expected_) expected_ = sums_by(prepare_plain_checksum<typename Elements::MapId>(n(), sums_.data()));
    read_found();
    const bool right = found_ == expected_ && Elements::closed_form(*found_, n());
    return {right, right ? 0.0 : 1.0, Elements::kReference};
  }

  void damage() override {
    read_found();
    ++(*found_)[1];
  }

  void read_found() {
    if (!found_) found_ = sums_by(prepare_checksum(Elements::map(spec()), n(), block_, sums_.data()));
  }

  Sums sums_by(const PreparedLaunch& work) {
    sums_.fill_bytes(0, stream());
    work.enqueue(stream());
    const std::vector<unsigned long long> slots = sums_.download(stream());
    Sums sums{};
    for (std::size_t row = 0; row < kSums; ++row) {
      const auto begin = slots.begin() + static_cast<std::ptrdiff_t>(row * kChecksumSlots);
      sums[row] = std::accumulate(begin, begin + kChecksumSlots, u64{0});
    }
    return sums;
  }

  u32 block_;
  DeviceBuffer<u32> scratch_;
  DeviceBuffer<unsigned long long> sums_;
  std::optional<Sums> found_, expected_;
};

/// Each cell counts how often its element was met.
template <class Elements>
class WriteCase final : public WordsCase {
 public:
  WriteCase(const CaseSpec& spec, u32 block)
      : WordsCase(spec, Elements::count(spec.n()), 0, "every cell met once a run, none missed") {
    set_work(prepare_write(Elements::map(spec), n(), block, words().data()), block);
  }
  /// Each cell is read and written.
  u64 bytes() const override { return 2 * words().bytes(); }

 private:
  u32 expected() const override { return repeats(); }
};

template <class Elements>
std::unique_ptr<BenchCase> make_write(const CaseSpec& spec) {
  const u32 block = Elements::block(spec);
  need<Elements>(spec, "one counter a cell", block, 1,
                 [](u64 n) { return static_cast<double>(Elements::count(n)) * sizeof(u32); });
  return std::make_unique<WriteCase<Elements>>(spec, block);
}

/// Life on the triangle, from random cells of which a third live.
class AutomatonCase final : public CudaCase {
 public:
  explicit AutomatonCase(const CaseSpec& spec) : CudaCase(spec) {
    const u32 block = Pairs::block(spec);
    const auto state = [](u64 n) { return static_cast<double>(n) * static_cast<double>(n); };
    need<Pairs>(spec, "two states of the automaton", block, 1, [&](u64 n) { return 2 * state(n); });
    require_memory(state(n()), fmt::format("the start of the automaton at n = {}", n()),
                   size_hint("Use --n ", largest_that_fits(state, available_memory()), " or less"));
    const u64 cells = u64{n()} * n();
    std::vector<u8> start(cells);
    SplitMix64 random{spec.bench.seed};
    for (u64 i = 0; i < n(); ++i) {
      for (u64 j = 0; j <= i; ++j) start[i * n() + j] = random.uniform() < 1.0 / 3;
    }
    now_ = DeviceBuffer<u8>(cells);
    next_ = DeviceBuffer<u8>(cells);
    now_.upload(start, stream());
    set_work(prepare_automaton(spec.pair_map(), n(), block, now_.data(), next_.data()), block);
  }

  /// Each cell of the triangle is read at least once, and written.
  u64 bytes() const override { return 2 * triangular(n()); }

 private:
  static constexpr u8 kUntouched = 0xa5;

  void poison() override { next_.fill_bytes(kUntouched, stream()); }

  BenchCheck compare() override {
    const u64 faults = sum_of([&](unsigned long long* sum) {
      plain_automaton_faults(now_.data(), next_.data(), n(), kUntouched, sum, stream());
    });
    return count_faults(faults, next_.size(), "every cell by a plain loop, those above the diagonal untouched");
  }

  void damage() override { TRI_CUDA(cudaMemsetAsync(next_.data() + next_.size() - 1, 7, 1, stream())); }

  DeviceBuffer<u8> now_, next_;
};

}  // namespace

std::unique_ptr<BenchCase> make_dummy_bench(const CaseSpec& spec) {
  const BenchForm form = spec.bench.form;
  if ((form == BenchForm::write || form == BenchForm::automaton) && rec_from_device(spec)) {
    throw ConfigError("--map rec is launched from the device for dummy and edm only; launch it from the host.");
  }
  if (form == BenchForm::write) return make_write<Pairs>(spec);
  if (form == BenchForm::automaton) return std::make_unique<AutomatonCase>(spec);
  return std::make_unique<DummyCase<Pairs>>(spec);
}

std::unique_ptr<BenchCase> make_dummy3_bench(const CaseSpec& spec) {
  const BenchForm form = spec.bench.form;
  if (form == BenchForm::write) return make_write<Triples>(spec);
  if (form == BenchForm::automaton) {
    throw ConfigError("--form automaton lives on the triangle; --kernel dummy3 takes hold, store or write.");
  }
  return std::make_unique<DummyCase<Triples>>(spec);
}

}  // namespace tri::cuda
