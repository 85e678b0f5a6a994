// Each call publishes the spans of all ranks, between two meetings in which they are read.

#include "sim/cluster/local_ranks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "sim/backend/ranks.hpp"
#include "sim/base/contracts.hpp"

namespace tri {
namespace {

struct Shared {
  explicit Shared(u32 size) : brought(size) {}

  /// Returns when every rank has called it; false if that takes longer than so many seconds, and 0 is for ever.
  bool meet(double within_s = 0) {
    std::unique_lock lock(mutex_);
    if (++waiting_ == brought.size()) {
      waiting_ = 0, ++meetings_;
      all_here_.notify_all();
      return true;
    }
    const auto over = [this, number = meetings_] { return meetings_ != number; };
    if (within_s > 0) return all_here_.wait_for(lock, std::chrono::duration<double>(within_s), over);
    all_here_.wait(lock, over);
    return true;
  }

  /// What a rank brings to the present call.
  struct Brought {
    void* memory = nullptr;
    bool agrees = false;  ///< the call is agree()
  };
  std::vector<Brought> brought;  ///< [ranks]
  std::atomic<bool> stop{false};

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::size_t waiting_ = 0;
  u64 meetings_ = 0;
};

class LocalRank final : public Communicator {
 public:
  LocalRank(std::shared_ptr<Shared> shared, u32 rank) : shared_(std::move(shared)), rank_(rank) {}

  u32 rank() const override { return rank_; }
  u32 size() const override { return static_cast<u32>(shared_->brought.size()); }
  std::string host() const override { return "this process"; }
  u32 host_ranks() const override { return size(); }
  u32 host_rank() const override { return rank_; }

  void max(std::span<u64> values) override { take_largest(values, false, 0); }
  bool agree(std::span<u64> values, double within_s) override { return take_largest(values, true, within_s); }
  void end_all(int code) override { std::_Exit(code); }

  void sum_slices(std::span<double> values) override { add(values); }
  void sum_slices(std::span<Wide> values) override { add(values); }
  void sum_slices(std::span<u64> values) override { add(values); }
  void gather_slices(std::span<double> values) override { gather(values); }
  void gather_slices(std::span<u64> values) override { gather(values); }

  void broadcast(std::span<std::byte> bytes, u32 root) override {
    exchange(bytes.data(), [&] {
      if (rank_ != root && !bytes.empty()) std::memcpy(bytes.data(), of<std::byte>(root), bytes.size());
    });
  }

  void request_stop() override { shared_->stop = true; }
  bool stop_requested() override { return shared_->stop; }
  void clear_stop() override {
    shared_->meet();
    shared_->stop = false;
    shared_->meet();
  }

 private:
  template <class T>
  const T* of(u32 rank) const {
    return static_cast<const T*>(shared_->brought[rank].memory);
  }

  /// Ends only those calls of the others that are of its kind; see Communicator::agree().
  template <class Read>
  bool exchange(void* mine, const Read& read, bool agrees = false, double within_s = 0) {
    for (;;) {
      shared_->brought[rank_] = {mine, agrees};
      if (!shared_->meet(within_s)) return false;
      const bool same = std::all_of(shared_->brought.begin(), shared_->brought.end(),
                                    [agrees](const Shared::Brought& of) { return of.agrees == agrees; });
      if (same) read();
      shared_->meet();
      if (same) return true;
      if (!agrees) throw RankStopped();
    }
  }

  bool take_largest(std::span<u64> values, bool agrees, double within_s) {
    std::vector<u64> mine(values.begin(), values.end());
    const auto read = [&] {
      for (u32 r = 0; r < size(); ++r) {
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = std::max(values[k], of<u64>(r)[k]);
      }
    };
    return exchange(mine.data(), read, agrees, within_s);
  }

  /// Each rank writes its own slice alone, which no other reads.
  template <class Number>
  void add(std::span<Number> values) {
    const auto mine = slice(values.size());
    const u64 begin = mine.first, end = mine.second;
    exchange(values.data(), [&] {
      std::vector<Number> sums(end - begin, 0);
      for (u32 r = 0; r < size(); ++r) {
        for (u64 k = begin; k < end; ++k) sums[k - begin] += of<Number>(r)[k];
      }
      std::copy(sums.begin(), sums.end(), values.begin() + static_cast<std::ptrdiff_t>(begin));
    });
  }

  template <class Number>
  void gather(std::span<Number> values) {
    exchange(values.data(), [&] {
      for (u32 r = 0; r < size(); ++r) {
        const auto [begin, end] = slice(values.size(), r);
        if (r != rank_) std::copy(of<Number>(r) + begin, of<Number>(r) + end, values.data() + begin);
      }
    });
  }

  std::shared_ptr<Shared> shared_;
  u32 rank_;
};

}  // namespace

std::vector<std::unique_ptr<Communicator>> make_local_ranks(u32 size) {
  TRI_EXPECTS(size >= 1);
  const auto shared = std::make_shared<Shared>(size);
  std::vector<std::unique_ptr<Communicator>> ranks;
  for (u32 r = 0; r < size; ++r) ranks.push_back(std::make_unique<LocalRank>(shared, r));
  return ranks;
}

}  // namespace tri
