#pragma once
/// What the ranks of one job say to each other. A rank is a process, or a thread with a backend of its own. Every rank
/// calls the same functions in the same order with spans of the same sizes; each call returns when its result is there.
/// One thread of a rank at a time.

#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/numbers.hpp"
#include "sim/base/platform.hpp"
#include "sim/base/progress.hpp"
#include "sim/maps/map_concepts.hpp"

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

// Which positions of a map each of several ranks works on, so who computes a tile.

/// A range of anything that can be counted, in parts of kWhole.
struct RankShare {
  static constexpr u64 kWhole = u64{1} << 24;
  u64 begin = 0, end = kWhole;

  u64 first(u64 count) const { return at(count, begin); }
  u64 last(u64 count) const { return at(count, end); }
  u64 part_of(u64 count) const { return last(count) - first(count); }

  friend bool operator==(const RankShare&, const RankShare&) = default;

 private:
  static u64 at(u64 count, u64 mark) {
    return count / kWhole * mark + static_cast<u64>(static_cast<Wide>(count % kWhole) * mark / kWhole);
  }
};

/// How the positions of a map are divided. By default one rank has them all.
struct RankShares {
  u32 ranks = 1;
  /// [ranks + 1] rank r works on [marks[r], marks[r + 1]) of RankShare::kWhole, a range of omega. Empty: the ranks take
  /// positions in turn, and each row of a grid begins with the next rank (maps/launch_split.hpp).
  std::vector<u64> marks = {};

  bool several() const { return ranks > 1; }
  /// The part of all positions that a rank works on, 0 to 1.
  double part(u32 rank) const;
  /// Who works on a position: the omega-th of the `launched` positions of a map, in this launch of it, whose grids are
  /// not cut further.
  u32 owner(const Launch& launch, const Position& at, u64 omega, u64 launched) const;

  friend bool operator==(const RankShares&, const RankShares&) = default;
};

// How ranks share the work of an evaluation: each takes a contiguous range of a map's positions, so of omega. The
// ranges follow the measured speed of the ranks, so that none waits for another.

/// Another rank failed or was stopped in work that all share. The state is handled as after Ctrl-C.
struct RankStopped : InterruptedError {
  RankStopped() : InterruptedError("another rank ended the work.") {}
};

/// The ranks that work on one law, and their shares. Without a communicator there is one rank, and all calls are free.
class Ranks {
 public:
  Ranks() = default;
  /// The communicator must outlive this object.
  explicit Ranks(Communicator* communicator);

  bool alone() const { return communicator_ == nullptr; }
  /// What this rank does in the next evaluation.
  RankShare share() const;
  /// [ranks + 1] the ends of all shares.
  const std::vector<u64>& marks() const { return marks_; }
  /// The same as shares of the positions; of one rank everything.
  RankShares shares() const;
  /// [ranks] how long each took in the last together(), in nanoseconds; empty before, and where one is alone.
  const std::vector<u64>& ns() const { return ns_; }
  /// Their shares in it; those before any evaluation are the first ones.
  RankShares measured() const;

  /// Does this rank's part (end_call() says what happens if the others do not come to its end). When that throws on any
  /// rank, every rank throws: its own exception, or RankStopped. Measures, and moves the shares for the next time if it
  /// takes long enough and the slowest rank takes 2 % more than the mean.
  void together(const std::function<void()>& part);

  /// As those of the communicator; do nothing for one rank.
  void max(std::span<u64> values) const;
  void sum(std::span<double> values) const;
  void sum(std::span<u64> values) const;
  /// Elements [first, second) of the sums are complete here.
  std::pair<u64, u64> sum_slices(std::span<Wide> values) const;
  void gather_slices(std::span<double> values) const;

 private:
  void move_shares(std::span<const u64> ns);

  Communicator* communicator_ = nullptr;
  std::vector<u64> marks_;          ///< rank r works on [marks_[r], marks_[r + 1]) of RankShare::kWhole
  std::vector<u64> ns_, measured_;  ///< of the last evaluation, and its marks
};

/// The ends of shares that take equally long, if the work within each share is spread evenly and took `ns`; each moves
/// half of its way. Every share keeps at least a thousandth of an equal one.
std::vector<u64> balanced_marks(std::span<const u64> marks, std::span<const u64> ns);

/// At the end of a call that all ranks make: agrees on whether all of them succeeded, unless Ranks::together() has
/// found out that they did not, and begins the next call. Returns normally only if all succeeded. Otherwise rethrows
/// the first rank's failure there and this rank's here; the first rank throws that of another rank, with its number and
/// host, if it had none of its own.
///
/// A failure asks the other ranks to stop. If they do not within kLongestEnd, because one waits for what will not come,
/// tells the sentence (on_last_words()) and ends all processes with the exit code of the failure.
void end_call(Communicator& ranks, const std::exception_ptr& failure);

/// Seconds.
inline constexpr double kLongestEnd = 5;

/// What end_call() tells a sentence to before it ends all processes; without one it goes to standard error. Once, from
/// main().
void on_last_words(std::function<void(const std::string& sentence, ExitCode code)> tell);

/// Tells a failure that the other ranks cannot be told of, and ends all processes with its exit code.
[[noreturn]] void end_all(Communicator& ranks, const std::exception_ptr& failure);

/// Does this rank's part of something that can fail on one rank alone, such as taking memory. When it throws on any
/// rank, every rank throws: its own exception, or RankStopped.
void all_or_none(Communicator& ranks, const std::function<void()>& part);

}  // namespace tri
