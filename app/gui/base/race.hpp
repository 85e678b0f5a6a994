#pragma once
/// Races of maps and the choices of the benchmark panel.
///
/// From the benchmark panel to a bench, and from its results to a plot. Pure.

#include <span>
#include <string>
#include <vector>

#include "app/bench/report.hpp"
#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/session/session_model.hpp"

namespace tri::app::gui {

/// Throws ConfigError for sizes or samples out of range.
RunConfig bench_config(const BenchChoice& choice);

/// Whether a request of the panel is pending or running.
bool bench_pending(const BenchPanel& panel);

/// I(n) of a finished bench: one line a map, at most the eight fastest at the largest n, without the baseline.
PlotSpec improvement_plot(const std::vector<BenchGroup>& groups);

// The race: three workloads on the same bodies, every map in each, so that one sees where the map matters. Pure; it
// is a bench of three groups (report.hpp).

/// Shows the race of the scene's domain.
void open_race(const SessionModel& model, RaceState& race);
/// The same, and begins it unless one is under way or has its figures already.
void press_race(const SessionModel& model, RaceState& race);
/// Numbers of bodies to choose from.
std::span<const u64> race_sizes(Domain domain);

/// Whether a race is asked for or under way.
bool race_pending(const RaceState& race);

/// The bench of a race of n bodies: an empty kernel, one write a cell, and forces; of triples in the tetrahedron.
/// n >= 1; common: backend, device
/// and threads.
RunConfig race_config(Domain domain, u64 n, const CommonOptions& common);
/// The same of some maps; none: of all.
RunConfig race_config(const RaceState& race, const CommonOptions& common);

/// Starts a race of this map against bb, on its page.
void race_map(const SessionModel& model, RaceState& race, Domain domain, const std::string& map);
/// The bench of an extra: forces of bb and the race's best map at five sizes up to n; the empty kernel on all maps of
/// triples; a write a cell on all maps of the gasket. device: a GPU, which takes more.
RunConfig race_extra_config(RaceExtra extra, const RaceState& race, const CommonOptions& common, bool device);
/// The map of an extra that is the fastest over bb, and its figures; none before, or where none differs.
struct RaceFigure {
  std::string map;
  Improvement over_bb;
  u64 n = 0;
};
std::optional<RaceFigure> race_figure(const BenchStatus* status);
/// Of over_n: the medians of both maps, in ms over the number of bodies.
PlotSpec race_plot(const BenchStatus* status);
/// Every figure of the race and its extras as CSV; empty: there is none.
std::string race_csv(const RaceState& race);

/// A map in one workload.
struct RaceRow {
  std::string map;
  std::string reason;                      ///< why it does not take part, in a few words; empty: it does
  double ms = 0;                           ///< bb: its median; others: that over the ratio; 0 while it is not timed
  Interval interval;                       ///< of the time, by that of the ratio
  std::optional<Improvement> improvement;  ///< over bb; the intervals of a race hold all together
  std::optional<double> above = {};        ///< the bound that the ratio is above, also when timed again
  /// Whether it is timed, and faster or slower than bb by more than a doubtful figure.
  bool faster() const { return decides() && improvement->ratio > 1; }
  bool slower() const { return decides() && improvement->ratio < 1; }

 private:
  bool decides() const { return ms > 0 && map != "bb" && improvement && improvement->differs() && !above; }
};

/// One workload.
struct RaceColumn {
  std::string title, about;
  std::string headline;  ///< "up to 9.06 x", "no difference", or what it waits for
  bool differs = false;  ///< the best map over bb
  double best = 1;       ///< its ratio
  bool timed = false;    ///< any map beside bb
  bool loaded = false;   ///< other programs took processors from it
  std::vector<RaceRow> rows;
};

/// Always three, in the order of the race; those without results have no rows.
std::vector<RaceColumn> race_columns(Domain domain, const BenchStatus* status);
/// What a race is doing, in the words of its page: "Empty kernel: round 3 of 15 (workload 1 of 3)".
std::string race_progress(const std::vector<RaceColumn>& columns, const BenchStatus& status);
/// Where the map matters, from the figures of a finished race and no others; empty before.
std::string race_sentence(const std::vector<RaceColumn>& columns, u64 n);
/// The race of another device, from the report of an H200 that comes with the program (docs/results/devices).
struct ShippedRace {
  std::string device;
  u64 n = 0;                        ///< bodies
  std::vector<RaceColumn> columns;  ///< as race_columns(); without rows where the report has none
};
/// Read once; of pairs or triples.
const ShippedRace& shipped_race(Domain domain);
/// A map over bb in the report of an H200 that comes with the program (docs/results/devices).
struct ShippedFigure {
  std::string device, map;
  u64 n = 0;
  Improvement over_bb;
};
/// With an empty kernel on this domain: of this map, or of that with the most over bb (empty name). None where the
/// report has none.
std::optional<ShippedFigure> shipped_figure(Domain domain, const std::string& map = "");
/// What other programs did meanwhile; none where no group tells.
std::optional<MachineLoad> race_load(const BenchStatus* status);

}  // namespace tri::app::gui
