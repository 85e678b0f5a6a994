#pragma once
/// `verify` as a library: what is to be checked is handed in, so that a test can hand in a map or a backend that is
/// broken on purpose and see the table go red.

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "sim/backend/backend.hpp"
#include "sim/maps/map_check.hpp"

namespace tri::app {

/// A map behind one face, whatever its type.
struct MapUnderTest {
  MapInfo info;
  /// Walks the whole launch at `side` tiles (gasket: side = 2^r) and counts. workers is for persistent maps. The gasket
  /// has no diagonal to leave out.
  std::function<MapReport(u32 side, Diagonal diagonal, u32 workers)> cover;
};

/// Every map of the registry.
std::vector<MapUnderTest> all_maps();

struct VerifyPlan {
  bool full = false;
  u64 seed = 42;
  u32 threads = 0;  ///< 0 = as many as the backend takes
  std::vector<MapUnderTest> maps;
  std::vector<Backend*> backends;  ///< not owned; must outlive the checks
};

struct VerifyOutcome {
  u64 cases = 0;
  double worst = 0;  ///< largest error met, in the measure of the check; a count for exact checks
  bool passed = true;
  std::string note;  ///< what failed first, in words; empty when nothing did

  /// Counts a case. `error` may be NaN, which fails.
  void add(double error, double limit, const std::string& what);
  /// Counts a case that must hold exactly.
  void add_exact(bool holds, const std::string& what);
};

/// One row of the table.
struct VerifyCheck {
  std::string name;  ///< "map lambda", "cpu gravity fp32 fast"
  std::string what;  ///< what is held against what
  double limit = 0;  ///< of the worst error; 0 = exact
  std::function<VerifyOutcome()> run;
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

}  // namespace tri::app
