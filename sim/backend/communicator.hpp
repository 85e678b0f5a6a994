#pragma once
/// What the ranks of one job say to each other. A rank is a process, or a thread with a backend of its own. Every rank
/// calls the same functions in the same order with spans of the same sizes; each call returns when its result is there.
/// One thread of a rank at a time.

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "sim/base/platform.hpp"
#include "sim/base/wide.hpp"

namespace tri {

class Communicator {
 public:
  virtual ~Communicator() = default;
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual u32 rank() const = 0;
  virtual u32 size() const = 0;
  /// The machine that this rank runs on; ranks of one name share it.
  virtual std::string host() const = 0;
  /// The number of ranks on that machine, with this one, and this one's number among them.
  virtual u32 host_ranks() const = 0;
  virtual u32 host_rank() const = 0;

  /// Every element becomes the largest of all ranks.
  virtual void max(std::span<u64> values) = 0;
  /// The elements of slice(values.size()) become the sums over all ranks; the others are undefined.
  virtual void sum_slices(std::span<double> values) = 0;
  virtual void sum_slices(std::span<Wide> values) = 0;
  virtual void sum_slices(std::span<u64> values) = 0;
  /// Every rank gets the elements of every other rank's slice.
  virtual void gather_slices(std::span<double> values) = 0;
  virtual void gather_slices(std::span<u64> values) = 0;
  /// Every rank gets the bytes of `root`.
  virtual void broadcast(std::span<std::byte> bytes, u32 root) = 0;

  /// Sums over all ranks, with the same bits on every rank: each element is added up by one of them.
  template <class Number>
  void sum(std::span<Number> values) {
    sum_slices(values);
    gather_slices(values);
  }

  /// Elements [first, second) of `count` that belong to this rank, or to any.
  std::pair<u64, u64> slice(u64 count) const { return slice(count, rank()); }
  std::pair<u64, u64> slice(u64 count, u32 of) const { return {part(count, of), part(count, of + 1)}; }

  /// As max(), but a rank that failed may call it while the others wait in another call, or will: threads of one
  /// process then get RankStopped (backend/ranks.hpp) from theirs and come here. Returns false if one did not come
  /// within so many seconds; nothing but end_all() may be called after that. 0: waits for as long as it takes.
  virtual bool agree(std::span<u64> values, double within_s) = 0;
  /// Ends the processes of all ranks with this exit code, without destructors.
  virtual void end_all(int code) = 0;

  /// Asks the other ranks to end what they do; no collective call, may be made at any time by any rank.
  virtual void request_stop() = 0;
  /// Whether another rank asked for it since the last clear_stop().
  virtual bool stop_requested() = 0;
  /// Every rank calls it after a stop, when none of them works any more.
  virtual void clear_stop() = 0;

  bool failure_known = false;  ///< whether all ranks have agreed that the present call failed (backend/ranks.hpp)

 private:
  u64 part(u64 count, u32 of) const { return count / size() * of + count % size() * of / size(); }
};

}  // namespace tri
