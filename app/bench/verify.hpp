#pragma once
/// `verify` as a library: maps and backends are parameters, so that a test can pass broken ones and see the checks
/// fail.

#include <atomic>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "sim/backend/backend.hpp"
#include "sim/base/platform.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/model/bodies.hpp"

namespace tri::app {

/// A type-erased map.
struct MapUnderTest {
  MapInfo info;
  /// Enumerates the whole launch at `side` tiles (gasket: side = 2^r) and checks coverage. workers is for persistent
  /// maps; diagonal does not apply to the gasket.
  std::function<MapReport(u32 side, Diagonal diagonal, u32 workers)> cover;
};

/// Every map of the registry.
std::vector<MapUnderTest> all_maps();

/// A law with a well-conditioned state. Positions, masses and radii are float32 numbers, so that both precisions start
/// from the same state.
struct LawCase {
  std::string name;
  ForceField field;
  std::function<Bodies(u32 n, u64 seed)> bodies;
  double slack32 = 1, slack64 = 1;  ///< times the usual limits of errors in float32, in float64
};

struct VerifyPlan {
  bool full = false;
  u64 seed = 42;
  u32 threads = 0;                 ///< 0 = the backend's default
  std::string law, triple_law;     ///< texts of typed laws: checks of these alone; empty = all checks
  std::vector<LawCase> laws;       ///< likewise
  std::vector<u32> sizes, blocks;  ///< numbers of bodies and tile sides of laws; empty: a few of each
  std::vector<MapUnderTest> maps;
  std::vector<Backend*> backends;  ///< not owned; must outlive the checks
};

struct VerifyOutcome {
  u64 cases = 0;
  double worst = 0;  ///< largest error, in the check's measure; number of failures for exact checks
  bool passed = true;
  std::string note;     ///< describes the first failure; empty if there is none
  std::string skipped;  ///< why there is nothing to check; empty: there is

  /// Counts a case. `error` may be NaN, which fails.
  void add(double error, double limit, const std::string& what);
  /// Counts a case that must hold exactly.
  void add_exact(bool holds, const std::string& what);
};

/// One row of the table.
struct VerifyCheck {
  std::string name;  ///< "map lambda", "cpu gravity fp32 fast"
  std::string what;  ///< what is compared
  double limit = 0;  ///< of the worst error; 0 = exact
  std::function<VerifyOutcome()> run;
  bool beside = false;  ///< may run beside others: it needs one thread, and no other rank
};

/// The rms error of accelerations by a tree beside all pairs in float64, relative to their rms, and of how many bodies.
struct TreeError {
  double rms = 0;
  u64 bodies = 0;
};
/// Of at most `most` bodies. forces: of these bodies.
TreeError tree_error(const ForceResult& forces, const Bodies& bodies, const GravityParams& gravity, u64 most = 1000);
/// So many bodies take some twenty million pairs, and at least ten are taken; 0 of none, and beyond 2^24.
u64 bodies_for_error(u64 n);

/// Of gravity by a tree, with its engine, which must outlive them: each pair is met, and of a thousand bodies the rms
/// error of their accelerations, relative to their rms, is at most `tolerance`.
std::vector<VerifyCheck> tree_checks(Engine& engine, const ForceField& field, double tolerance);

/// Checks in the order of the table. Running one may throw what a backend throws; that counts as failed.
std::vector<VerifyCheck> make_checks(const VerifyPlan& plan);

struct VerifyRow {
  VerifyCheck check;
  VerifyOutcome outcome;
  double seconds = 0;
};

/// Runs one check; an exception becomes a failed outcome with its sentence.
VerifyRow run_check(const VerifyCheck& check);

/// Runs checks and hands out their rows in order. Threads of its own run ahead with those that may run beside others:
/// each waits for small work of a GPU or for its compiler most of the time.
class CheckRuns {
 public:
  /// checks must outlive it.
  explicit CheckRuns(const std::vector<VerifyCheck>& checks);
  ~CheckRuns();
  CheckRuns(const CheckRuns&) = delete;
  CheckRuns& operator=(const CheckRuns&) = delete;
  /// The row of the next check, which it waits for or runs itself.
  VerifyRow next();

 private:
  struct EndWatch;
  void run_ahead();
  const std::vector<VerifyCheck>& checks_;
  std::vector<std::promise<VerifyRow>> rows_;  ///< of checks that run beside others
  std::size_t handed_out_ = 0;
  std::atomic<std::size_t> begun_{0};  ///< the first check that no thread has looked at
  std::atomic<bool> ended_{false};     ///< nobody waits for the others
  std::vector<std::thread> threads_;
};

/// {"passed", "checks", "failed", "interrupted", "seconds", "results": [...]}, with a line feed at its end.
std::string verify_json(const std::vector<VerifyRow>& rows, double seconds, bool interrupted);

/// The backend that the options name; without, every one there is, and the console gets why another is not.
std::vector<std::unique_ptr<Backend>> backends_to_check(const CommonOptions& common, Console* console = nullptr);

/// Runs the checks in order, prints a row after each (or one JSON object at the end), and returns ok, check_failed, or
/// interrupted if `stop` was set between two checks.
int run_checks(const std::vector<VerifyCheck>& checks, bool json, Console& console, const std::atomic<bool>& stop);

}  // namespace tri::app

// States and configurations for the checks of a backend. Pure.

namespace tri::app::verify_parts {

const std::vector<LawCase>& law_cases();
/// Those, or the laws that the plan names.
std::vector<LawCase> law_cases(const VerifyPlan& plan);

/// Numbers of bodies: the smallest ones, and sizes that are not multiples of a tile.
std::vector<u32> law_sizes(const LawCase& law, const VerifyPlan& plan);

/// Every map of the law's domain that is exact at n, with default tile side and threads, and with a few others that
/// this backend ("cpu", "cuda") accepts.
std::vector<EngineConfig> law_configs(const std::string& backend, const LawCase& law, const VerifyPlan& plan, u32 n,
                                      Precision precision, Accumulate accumulate);

/// "n = 65, --map lambda, --block 16, 1 threads"
std::string case_text(const EngineConfig& config, const LawCase& law, u32 n);

/// Points of a jittered unit lattice, at least 0.6 apart; velocity components in [-1, 1].
Bodies jittered_lattice(u32 n, u64 seed, double radius);

// The groups of checks that make_checks() combines; internal.

void add_map_checks(const VerifyPlan& plan, std::vector<VerifyCheck>& checks);
void add_law_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);
/// None where the backend has no tensor cores.
void add_tensor_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);
void add_ordered_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);
void add_jerk_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);
void add_orbit_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);
void add_job_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);
void add_kernel_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);

}  // namespace tri::app::verify_parts

// The search for the first index at which a formula from an index to a row is wrong, with integers alone as the
// measure. Internal to app/bench and its tests.
//
// A formula is f(index) -> row. Each is a chain of rounded operations none of which falls as its argument grows, so in
// a row the wrong indices are at an end: a row whose first and last index are right is right, and bisection finds
// where the wrong ones begin. (Where an integer wraps, it does so once within a row, and bisection finds that too.)

namespace tri::app {

/// What a formula gives where it has no row: the root of a negative number.
inline constexpr i64 kNoRow = std::numeric_limits<i64>::min();

/// A row and the first index in it that is wrong.
struct WrongRow {
  u64 row = 0;
  u64 index = 0;
};

/// The first wrong index of [first, last], whose row is `row`. Nothing when both ends are right.
template <class F>
std::optional<u64> first_wrong_in_row(const F& f, u64 row, u64 first, u64 last) {
  const auto right = [&](u64 index) { return f(index) == static_cast<i64>(row); };
  if (!right(first)) return first;
  if (right(last)) return std::nullopt;
  u64 low = first, high = last;  // right, wrong
  while (high - low > 1) {
    const u64 middle = low + (high - low) / 2;
    (right(middle) ? low : high) = middle;
  }
  return high;
}

/// Rows one after the other; row r has the indices [first_of(r), first_of(r + 1)). Every index below `every`, then both
/// ends of each row. Nothing when rows below `rows` are right.
template <class F, class FirstOf>
std::optional<WrongRow> first_wrong_row_of(const F& f, const FirstOf& first_of, u64 every, u64 rows) {
  for (u64 row = 0; row < rows; ++row) {
    const u64 first = first_of(row), end = first_of(row + 1);
    for (u64 index = first; index < end && index < every; ++index) {
      if (f(index) != static_cast<i64>(row)) return WrongRow{row, index};
    }
    if (end <= every) continue;
    if (const auto wrong = first_wrong_in_row(f, row, first, end - 1)) return WrongRow{row, *wrong};
  }
  return std::nullopt;
}

/// The strict upper triangle of n elements in the order of SciPy and R: row i has n - 1 - i indices.
constexpr u64 first_of_condensed_row(u64 n, u64 i) { return i * (2 * n - i - 1) / 2; }

/// The first row of that triangle with a wrong index, by both ends of each row. Nothing when all are right.
template <class F>
std::optional<WrongRow> first_wrong_condensed(const F& f, u64 n) {
  for (u64 i = 0; i + 1 < n; ++i) {
    const u64 first = first_of_condensed_row(n, i), last = first_of_condensed_row(n, i + 1) - 1;
    if (const auto wrong = first_wrong_in_row(f, i, first, last)) return WrongRow{i, *wrong};
  }
  return std::nullopt;
}

// Published formulas from a linear index to a row of the triangle or a layer of the tetrahedron, and the first index
// at which each is wrong: `list failures`. Each is written here anew, operation by operation with the rounding of its
// source, and its failure is searched for and not written down.
//
// Pure functions: any thread may call them. A search takes up to a second.

/// Where a formula is wrong for the first time.
struct IndexFailure {
  bool found = false;        ///< otherwise only `scanned` counts
  u64 side = 0;              ///< n of a formula that depends on it, the smallest that fails; 0 for one that does not
  u64 index = 0;             ///< the first wrong index (of that n), from 0
  std::optional<i64> given;  ///< row, of triples layer, that it gives, from 0; nothing: the root of a negative number
  u64 right = 0;             ///< the right one
  std::string scanned;       ///< what was tried, in words
};

struct IndexFormula {
  const char* name;
  const char* numbers;  ///< of its root and products
  const char* formula;
  const char* project;  ///< repository or paper
  const char* place;    ///< file and line, with the commit or version; section of a paper
  IndexFailure (*find)();
  /// A command line for a shell that prints what the formula gives at the failure, and the right row by integers.
  std::string (*command)(const IndexFailure& failure);
};

/// All of them; those of papers come first.
std::span<const IndexFormula> index_formulas();

/// The formulas themselves, for tests: row of index k of n elements, kNoRow (verify.hpp) where there is none.
namespace index_rows {
i64 pytorch_float(u64 n, u64 k);
i64 pytorch_int(u64 n, u64 k);
i64 cutlass(u64 t);
i64 quack(u64 t);
i64 eighths(u64 w);
i64 coacd(u64 w);
i64 newton_bisection(u64 n, u64 k);
i64 mujoco_warp(u64 n, u64 k);
i64 sunplin(u64 n, u64 k);
i64 condensed_numpy(u64 n, u64 k);
i64 condensed_r(u64 n, u64 k);
i64 utm(u64 n, u64 k);
}  // namespace index_rows

}  // namespace tri::app
