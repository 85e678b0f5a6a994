// Each call publishes the spans of all ranks, between two barriers in which they are read.

#include "sim/cluster/local_ranks.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>

#include "sim/base/contracts.hpp"

namespace tri {
namespace {

struct Shared {
  explicit Shared(u32 size) : memory(size), meeting(size) {}

  std::vector<void*> memory;  ///< [ranks] what each brings to the present call
  std::barrier<> meeting;
  std::atomic<bool> stop{false};
};

class LocalRank final : public Communicator {
 public:
  LocalRank(std::shared_ptr<Shared> shared, u32 rank) : shared_(std::move(shared)), rank_(rank) {}

  u32 rank() const override { return rank_; }
  u32 size() const override { return static_cast<u32>(shared_->memory.size()); }
  std::string host() const override { return "this process"; }
  u32 host_ranks() const override { return size(); }

  void max(std::span<u64> values) override {
    const std::vector<u64> mine(values.begin(), values.end());
    exchange(const_cast<u64*>(mine.data()), [&] {
      for (u32 r = 0; r < size(); ++r) {
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = std::max(values[k], of<u64>(r)[k]);
      }
    });
  }

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
    shared_->meeting.arrive_and_wait();
    shared_->stop = false;
    shared_->meeting.arrive_and_wait();
  }

 private:
  template <class T>
  const T* of(u32 rank) const {
    return static_cast<const T*>(shared_->memory[rank]);
  }

  template <class Read>
  void exchange(void* mine, const Read& read) {
    shared_->memory[rank_] = mine;
    shared_->meeting.arrive_and_wait();
    read();
    shared_->meeting.arrive_and_wait();
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
