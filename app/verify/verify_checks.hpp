#pragma once
/// `verify` as a library: maps and backends are parameters, so that a test can pass broken ones and see the checks
/// fail.

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "sim/backend/backend.hpp"
#include "sim/maps/map_check.hpp"

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

struct VerifyPlan {
  bool full = false;
  u64 seed = 42;
  u32 threads = 0;              ///< 0 = the backend's default
  std::string law, triple_law;  ///< texts of typed laws: checks of these alone; empty = all checks
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
  void run_ahead();
  const std::vector<VerifyCheck>& checks_;
  std::vector<std::promise<VerifyRow>> rows_;  ///< of checks that run beside others
  std::size_t handed_out_ = 0;
  std::atomic<std::size_t> begun_{0};  ///< the first check that no thread has looked at
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
