#include "sim/backend/ranks.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <numeric>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/maps/launch_split.hpp"

namespace tri {
namespace {

/// Whether a position is in the piece.
bool holds(const GridPiece& piece, const Position& at) {
  const Position& o = piece.origin;
  return at.x >= o.x && at.x - o.x < piece.x && at.y >= o.y && at.y - o.y < piece.y && at.z >= o.z &&
         at.z - o.z < piece.z;
}

/// The rank to which share_of() gives a position of the piece.
u32 rank_of(const GridPiece& piece, const Position& at, u32 ranks) {
  const u64 x = at.x - piece.origin.x, rows = u64{at.y - piece.origin.y} + (at.z - piece.origin.z);
  return static_cast<u32>((x % ranks + ranks - rows % ranks) % ranks);
}

}  // namespace

double RankShares::part(u32 rank) const {
  TRI_EXPECTS(rank < ranks);
  if (marks.empty()) return 1.0 / ranks;
  return static_cast<double>(marks[rank + 1] - marks[rank]) / static_cast<double>(RankShare::kWhole);
}

u32 RankShares::owner(const Launch& launch, const Position& at, u64 omega, u64 launched) const {
  TRI_EXPECTS(contains(launch, at) && omega < launched);
  u32 found = 0;
  if (!marks.empty()) {
    while (found + 1 < ranks && omega >= RankShare{marks[found], marks[found + 1]}.last(launched)) ++found;
    return found;
  }
  for_each_grid(launch, [&](const GridPiece& piece) {
    if (holds(piece, at)) found = rank_of(piece, at, ranks);
  });
  return found;
}

namespace {

/// Shorter work is not worth moving: its time is that of waking threads.
constexpr u64 kLongNs = 1000000;
constexpr double kUneven = 1.02;

/// What a rank has to say of its failure, as all ranks can read it.
struct Report {
  u32 code = 0;
  std::array<char, 1020> text{};
};

/// Empty for a rank that was only stopped.
std::optional<Report> report_of(const std::exception_ptr& failure) {
  Report report;
  const auto set = [&](ExitCode code, const std::string& text) {
    report.code = static_cast<u32>(code);
    text.copy(report.text.data(), report.text.size() - 1);
  };
  try {
    if (!failure) return {};
    std::rethrow_exception(failure);
  } catch (const InterruptedError&) {
    return {};
  } catch (const Error& error) {
    set(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    set(ExitCode::out_of_memory, "out of memory");
  } catch (const std::exception& error) {
    set(ExitCode::check_failed, error.what());
  }
  return report;
}

std::function<void(const std::string&, ExitCode)>& last_words() {
  static std::function<void(const std::string&, ExitCode)> tell;
  return tell;
}

std::string sentence_of(u32 rank, const std::string& host, const Report& report) {
  return fmt::format("rank {} on {}: {}", rank, host, report.text.data());
}

[[noreturn]] void tell_and_end(Communicator& ranks, const Report& report) {
  const std::string sentence = sentence_of(ranks.rank(), ranks.host(), report);
  if (last_words()) {
    last_words()(sentence, static_cast<ExitCode>(report.code));
  } else {
    fmt::print(stderr, "error: {}\n", sentence);
  }
  std::fflush(nullptr);
  ranks.end_all(static_cast<int>(report.code));
  std::abort();  // not reached
}

/// values: [ranks + 1]; the first says whether any rank failed, the rest is for the caller. Returns false if one did.
bool exchange(Communicator& ranks, std::span<u64> values, const std::exception_ptr& failure) {
  const std::optional<Report> report = report_of(failure);
  if (failure) ranks.request_stop();
  values[0] = failure ? 1 : 0;
  if (!ranks.agree(values, report ? kLongestEnd : 0)) tell_and_end(ranks, *report);
  if (values[0] == 0) return true;
  ranks.clear_stop();
  ranks.failure_known = true;
  return false;
}

/// What a part threw.
std::exception_ptr failure_of(const std::function<void()>& part) {
  try {
    part();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// Throws on every rank if one failed.
void settle(Communicator& ranks, std::span<u64> values, const std::exception_ptr& failure) {
  if (exchange(ranks, values, failure)) return;
  if (failure) std::rethrow_exception(failure);
  throw RankStopped();
}

}  // namespace

void on_last_words(std::function<void(const std::string&, ExitCode)> tell) { last_words() = std::move(tell); }

void end_all(Communicator& ranks, const std::exception_ptr& failure) {
  tell_and_end(ranks, report_of(failure).value_or(Report{static_cast<u32>(ExitCode::interrupted), {}}));
}

void all_or_none(Communicator& ranks, const std::function<void()>& part) {
  std::vector<u64> values(ranks.size() + 1, 0);
  settle(ranks, values, failure_of(part));
}

Ranks::Ranks(Communicator* communicator) : communicator_(communicator) {
  if (communicator_ == nullptr) return;
  const u64 size = communicator_->size();
  for (u64 r = 0; r <= size; ++r) marks_.push_back(RankShare::kWhole * r / size);
}

RankShare Ranks::share() const {
  if (alone()) return {};
  const u32 rank = communicator_->rank();
  return {marks_[rank], marks_[rank + 1]};
}

RankShares Ranks::shares() const {
  if (alone()) return {};
  return {communicator_->size(), marks_};
}

RankShares Ranks::measured() const {
  if (ns_.empty()) return shares();
  return {communicator_->size(), measured_};
}

void Ranks::together(const std::function<void()>& part) {
  if (alone()) return part();
  const Stopwatch watch;
  const std::exception_ptr failure = failure_of(part);
  std::vector<u64> values(communicator_->size() + 1, 0);
  values[communicator_->rank() + 1] = static_cast<u64>(watch.ms() * 1e6);
  settle(*communicator_, values, failure);
  ns_.assign(values.begin() + 1, values.end());
  measured_ = marks_;
  move_shares(ns_);
}

void Ranks::move_shares(std::span<const u64> ns) {
  const u64 longest = *std::max_element(ns.begin(), ns.end());
  const double mean =
      static_cast<double>(std::accumulate(ns.begin(), ns.end(), u64{0})) / static_cast<double>(ns.size());
  if (longest >= kLongNs && static_cast<double>(longest) > kUneven * mean) marks_ = balanced_marks(marks_, ns);
}

void Ranks::max(std::span<u64> values) const {
  if (!alone()) communicator_->max(values);
}

void Ranks::sum(std::span<double> values) const {
  if (!alone()) communicator_->sum(values);
}

void Ranks::sum(std::span<u64> values) const {
  if (!alone()) communicator_->sum(values);
}

std::pair<u64, u64> Ranks::sum_slices(std::span<Wide> values) const {
  if (alone()) return {0, values.size()};
  communicator_->sum_slices(values);
  return communicator_->slice(values.size());
}

void Ranks::gather_slices(std::span<double> values) const {
  if (!alone()) communicator_->gather_slices(values);
}

std::vector<u64> balanced_marks(std::span<const u64> marks, std::span<const u64> ns) {
  TRI_EXPECTS(marks.size() == ns.size() + 1);
  const std::size_t ranks = ns.size();
  const u64 least = RankShare::kWhole / (1000 * ranks) + 1;
  const double whole = static_cast<double>(std::accumulate(ns.begin(), ns.end(), u64{0}));
  std::vector<u64> moved(marks.begin(), marks.end());
  if (!(whole > 0)) return moved;
  double before = 0;  // time of the shares before share s
  std::size_t s = 0;
  for (std::size_t r = 1; r < ranks; ++r) {
    const double target = whole * static_cast<double>(r) / static_cast<double>(ranks);
    while (s + 1 < ranks && before + static_cast<double>(ns[s]) < target) before += static_cast<double>(ns[s++]);
    const double within = ns[s] == 0 ? 0 : (target - before) / static_cast<double>(ns[s]);
    const double even = static_cast<double>(marks[s]) + within * static_cast<double>(marks[s + 1] - marks[s]);
    moved[r] = static_cast<u64>((even + static_cast<double>(marks[r])) / 2);
  }
  for (std::size_t r = 1; r < ranks; ++r) moved[r] = std::max(moved[r], moved[r - 1] + least);
  for (std::size_t r = ranks - 1; r > 0; --r) moved[r] = std::min(moved[r], moved[r + 1] - least);
  return moved;
}

void end_call(Communicator& ranks, const std::exception_ptr& failure) {
  std::vector<u64> values(ranks.size() + 1, 0);
  if (!ranks.failure_known && exchange(ranks, values, failure)) return;
  ranks.failure_known = false;
  std::optional<Report> report = report_of(failure);
  u64 speaker = report ? ranks.size() - ranks.rank() : 0;  // the lowest rank that has something to say
  ranks.max({&speaker, 1});
  if (speaker != 0) {
    const u32 rank = ranks.size() - static_cast<u32>(speaker);
    Report said = report.value_or(Report());
    std::array<char, 64> host{};
    ranks.host().copy(host.data(), host.size() - 1);
    ranks.broadcast(std::as_writable_bytes(std::span(&said, 1)), rank);
    ranks.broadcast(std::as_writable_bytes(std::span(host)), rank);
    if (ranks.rank() == 0 && rank != 0) {
      const std::string sentence = sentence_of(rank, host.data(), said);
      if (static_cast<ExitCode>(said.code) == ExitCode::out_of_memory) throw MemoryError(sentence);
      throw Error(static_cast<ExitCode>(said.code), sentence);
    }
  }
  if (failure) std::rethrow_exception(failure);
  throw RankStopped();
}

}  // namespace tri
