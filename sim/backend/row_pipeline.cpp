#include "sim/backend/row_pipeline.hpp"

#include <chrono>
#include <utility>

#include "sim/base/contracts.hpp"
#include "sim/base/progress.hpp"

namespace tri {

namespace {

/// Notes how far a block is, and ends it once nobody waits for it.
class BlockProgress final : public ProgressSink {
 public:
  BlockProgress(std::atomic<double>& part, const std::atomic<bool>& stopped) : part_(part), stopped_(stopped) {}
  void report(const ProgressReport& report) override {
    if (stopped_) throw InterruptedError("stopped");
    if (report.total > 0) part_ = report.done / report.total;
  }

 private:
  std::atomic<double>& part_;
  const std::atomic<bool>& stopped_;
};

}  // namespace

std::vector<RowBlock> row_blocks(u32 n, DistanceLayout layout, u32 from, u32 at_once, u64 values) {
  std::vector<RowBlock> blocks;
  for (u32 first = from; first < n;) {
    u32 last = first + 1;
    if (at_once > 0) {
      last = n - first > at_once ? first + at_once : n;
    } else {
      const u64 begin = distance_row_begin(n, layout, first);
      while (last < n && distance_row_begin(n, layout, u64{last} + 1) - begin <= values) ++last;
    }
    blocks.push_back({first, last});
    first = last;
  }
  return blocks;
}

RowPipeline::RowPipeline(std::vector<std::unique_ptr<DistanceRows>> workers, std::vector<RowBlock> blocks)
    : blocks_(std::move(blocks)) {
  TRI_EXPECTS(!workers.empty());
  for (auto& rows : workers) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->rows = std::move(rows);
  }
  for (std::size_t w = 0; w < workers_.size() && w < blocks_.size(); ++w) {
    threads_.emplace_back([this, w] { work(w); });
  }
}

RowPipeline::~RowPipeline() {
  {
    const std::scoped_lock hold(lock_);
    stopped_ = true;
  }
  changed_.notify_all();
}

void RowPipeline::work(std::size_t number) {
  BlockProgress progress(workers_[number]->part, stopped_);
  const ScopedProgressSink watching(progress);
  const ScopedTask task("a block of rows");
  for (std::size_t b = number; b < blocks_.size(); b += workers_.size()) {
    Slot& slot = slot_of(b);
    {
      std::unique_lock hold(lock_);
      changed_.wait(hold, [&] { return stopped_ || !slot.full; });
      if (stopped_) return;
    }
    worker_of(b).part = 0;
    slot.block.rows = blocks_[b];
    try {
      slot.block.ms = worker_of(b).rows->rows(blocks_[b].first, blocks_[b].last, slot.block.values);
    } catch (...) {
      slot.failure = std::current_exception();
    }
    {
      const std::scoped_lock hold(lock_);
      slot.full = true;
    }
    changed_.notify_all();
    if (slot.failure) return;
  }
}

const RowPipeline::Done* RowPipeline::next(const std::function<void(double)>& waiting) {
  constexpr std::chrono::milliseconds kPeriod{20};
  if (taken_ > 0) {
    const std::scoped_lock hold(lock_);
    slot_of(taken_ - 1).full = false;
  }
  changed_.notify_all();
  if (taken_ == blocks_.size()) return nullptr;
  Slot& slot = slot_of(taken_);
  for (std::unique_lock hold(lock_); !changed_.wait_for(hold, kPeriod, [&] { return slot.full; });) {
    hold.unlock();
    waiting(worker_of(taken_).part);
    hold.lock();
  }
  ++taken_;
  if (slot.failure) std::rethrow_exception(slot.failure);
  return &slot.block;
}

}  // namespace tri
