#pragma once
/// The loop of a headless run: steps up to the next thing to do, and that thing.

#include <optional>
#include <string>
#include <vector>

#include "app/commands/run_summary.hpp"
#include "app/commands/save_schedule.hpp"
#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "app/support/vtk_series.hpp"
#include "sim/diagnostics_log.hpp"
#include "sim/model/contact_step.hpp"
#include "sim/model/resolution.hpp"
#include "sim/simulation.hpp"

namespace tri::app {

/// The file of a snapshot: {step} replaced by the number, with as many digits as the last step has.
std::string snapshot_name(const std::string& pattern, u64 step, u64 last_step);

/// "step 1,200 of 10,000 (12 %), 523 steps/s, 17 s left" when `done` steps took `seconds`.
std::string progress_text(u64 step, u64 last_step, u64 done, double seconds);

/// The same of a run to the time `end`: "t = 3.2 of 70 (4 %), step 1,200, 523 steps/s".
std::string progress_text(double time, double end, u64 step, u64 done, double seconds);

class RunLoop {
 public:
  /// `record` holds the scene and backend, and of a run that goes on (it has rows) what its snapshot
  /// said. begin_s: when the run began on clock_s(), which --walltime counts from.
  RunLoop(const RunOptions& options, Simulation& simulation, Console& console, RunRecord record, double begin_s);

  /// To the last step, the stop flag, or the end of --walltime; then the last row and the last state are written. Where
  /// the progress sink ends long work, the state is that of the last whole step, and its row may be missing.
  /// Throws what the simulation and the files throw: rows and snapshots up to then are whole on the disk.
  void run();

  RunSummary summary(const Backend& backend) const;
  /// Says what the precision does to the motion, once in a run: what comes up later is not said then.
  void note_motion(const std::string& text);
  /// The last file that restarts this run exactly; empty when none was written.
  const std::string& last_snapshot() const noexcept { return last_snapshot_; }

 private:
  void go();
  void begin();
  u64 steps_to_next() const;
  bool time_is_over(u64 steps) const;
  void look_around();
  DiagnosticsRow measured();
  void end();
  void take_last_row();
  void take_row(const DiagnosticsRow& row, bool write);
  void watch_energy();
  bool watches_overlaps() const;
  void watch_overlaps(bool last);
  u64 steps_to_overlap() const;
  void check_energy(const DiagnosticsRow& row);
  void watch_motion(bool last);
  void save(const std::string& path);
  void save_step();
  bool automatic() const { return simulation_.automatic(); }
  bool at_end() const;
  double next_time() const;
  std::string progress() const;
  std::string name_at(u64 step) const;
  u64 done() const { return simulation_.step_count() - first_step_; }
  double step_s() const { return done() > 0 ? seconds_ / static_cast<double>(done()) : 0; }

  const RunOptions& options_;
  Simulation& simulation_;
  Console& console_;
  RunRecord record_;  ///< always up to date, as a snapshot needs it
  u64 first_step_;
  double begin_s_;
  double loop_begin_s_;
  SaveSchedule schedule_;
  std::optional<DiagnosticsLog> log_;
  RunEnding ending_ = RunEnding::whole;
  double seconds_ = 0;             ///< of stepping alone
  double row_s_ = 0, save_s_ = 0;  ///< the longest of each so far
  double watched_s_ = 0;           ///< time spent on energies for check_energy() alone
  bool watches_energy_;            ///< until it has said something
  OverlapWatch overlaps_;
  double overlaps_s_ = 0;  ///< time spent on them
  MotionWatch motion_;
  bool watches_motion_ = true;          ///< likewise
  double motion_s_ = 0, looked_s_ = 0;  ///< time spent on that: in all, and the last time
  std::vector<std::string> notes_;      ///< of the summary, beside those of the scene
  DiagnosticsRow last_;
  std::string last_snapshot_;
  VtkSeries series_;
};

}  // namespace tri::app
