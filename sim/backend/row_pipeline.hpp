#pragma once
/// Blocks of rows of distances, computed ahead of the thread that takes them, on one or several backends in turn.

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sim/backend/backend.hpp"

namespace tri {

/// Rows first <= i < last of the output.
struct RowBlock {
  u32 first = 0, last = 0;
};

/// The rows from `from` on in blocks of `at_once` rows; for 0, of as many as have `values` values, or one.
std::vector<RowBlock> row_blocks(u32 n, DistanceLayout layout, u32 from, u32 at_once, u64 values);

/// Block b is computed by worker b modulo their number, each in a thread of its own, while the caller uses the blocks
/// before it: two blocks of values a worker. All calls come from one thread.
class RowPipeline {
 public:
  RowPipeline(std::vector<std::unique_ptr<DistanceRows>> workers, std::vector<RowBlock> blocks);
  /// Ends what is being computed, soon where that reports progress.
  ~RowPipeline();
  RowPipeline(const RowPipeline&) = delete;
  RowPipeline& operator=(const RowPipeline&) = delete;

  struct Done {
    RowBlock rows;
    DistanceValues values;
    double ms = 0;
  };
  /// The next block, valid until the next call; null after the last. Calls waiting(part of the block that is done, 0 to
  /// 1) every 20 ms until it is there, and throws what that or the worker throws.
  const Done* next(const std::function<void(double)>& waiting);

 private:
  struct Slot {
    Done block;
    bool full = false;
    std::exception_ptr failure;
  };
  struct Worker {
    std::unique_ptr<DistanceRows> rows;
    Slot slots[2];
    std::atomic<double> part{0};
  };

  void work(std::size_t number);
  Worker& worker_of(std::size_t block) { return *workers_[block % workers_.size()]; }
  Slot& slot_of(std::size_t block) { return worker_of(block).slots[block / workers_.size() % 2]; }

  std::vector<RowBlock> blocks_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::size_t taken_ = 0;  ///< blocks that next() has returned
  std::mutex lock_;
  std::condition_variable changed_;
  std::atomic<bool> stopped_{false};
  std::vector<std::jthread> threads_;  ///< last member: they use the others
};

}  // namespace tri
