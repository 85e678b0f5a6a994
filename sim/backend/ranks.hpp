#pragma once
/// How ranks share the work of an evaluation: each takes a contiguous range of a map's positions, so of omega. The
/// ranges follow the measured speed of the ranks, so that none waits for another.

#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "sim/backend/communicator.hpp"
#include "sim/backend/rank_shares.hpp"
#include "sim/base/progress.hpp"

namespace tri {

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
