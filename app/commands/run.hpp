#pragma once
/// The parts of `run`: its start, steps, schedule of files, warnings, summary and orbits.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/verify.hpp"
#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "sim/backend/backend.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/checks.hpp"
#include "sim/model/units.hpp"
#include "sim/scene/scene.hpp"
#include "sim/simulation.hpp"

namespace tri::app {

/// The two-body orbit that a body would follow about body 0 from now on, without the other bodies.
struct Orbit {
  u32 body = 0;
  std::optional<double> semi_major_axis;  ///< negative for a hyperbola, none for a parabola; scene units
  std::optional<double> eccentricity;
  std::optional<double> period;  ///< none if unbound; scene units
  const char* fault = "";        ///< why there is no orbit, in a word or two; empty: there is one
};

/// Of bodies 1 .. n-1, with mu = G (m_0 + m_i):  1/a = 2/r - v^2/mu,  e = |v x (r x v)/mu - r/|r||. Expects G > 0.
/// Without mass, or at the place of body 0, there is none.
std::vector<Orbit> osculating_orbits(const Bodies& bodies, double G);

/// A table of at most `most` orbits, with the number of orbits omitted. units: of the scene; nullptr: none are named.
std::string orbits_table(const std::vector<Orbit>& orbits, std::size_t most, const UnitSystem* units);

// The end of a headless run, in text and as JSON.

/// How a run came to its end: by its last step, by Ctrl-C, or by --walltime.
enum class RunEnding : u8 { whole, interrupted, walltime };

struct RunSummary {
  Scene scene;  ///< without bodies
  std::size_t n = 0;
  BackendInfo backend;
  EngineConfig engine;
  u64 steps = 0;         ///< since the beginning, before a restart too
  u64 steps_before = 0;  ///< those before the restart; 0 = none
  u64 steps_wanted = 0;
  double time_wanted = 0;           ///< of automatic steps that end at a time; 0: steps_wanted counts
  Simulation::StepLengths lengths;  ///< of automatic steps
  double time = 0;
  double seconds = 0;  ///< of stepping alone since the (re)start, without diagnostics and files
  RunEnding ending = RunEnding::whole;
  DiagnosticsRow first, last;
  double energy_error_max = 0;  ///< largest |dE/E| of all rows taken
  u64 rows = 0;                 ///< how many those were
  bool has_orbits = false;
  std::vector<Orbit> orbits;
  std::optional<OverlapWatch::Largest> overlap;  ///< of contact by springs
  std::optional<TreeError> tree_error;           ///< of the last state; where --json asks for it, up to 2^24 bodies
  std::vector<double> rank_ms;  ///< of several ranks: what each took for its share of the last evaluation; may be empty
  u64 hash = 0;

  double steps_per_s() const { return seconds > 0 ? static_cast<double>(steps - steps_before) / seconds : 0; }
};

/// |P - P0| / sqrt(2 K M): the largest momentum that the kinetic energy K and mass M allow is the scale, of the first
/// or the last row, whichever is larger. Absolute where nothing ever moved.
double momentum_drift(const DiagnosticsRow& first, const DiagnosticsRow& last);

/// "gravity, G = 1, softening 0.02", "lennard-jones (...) + axilrod-teller (...)".
std::string laws_text(const ForceField& field);

/// Ends with the line "state hash <16 hex digits>".
std::string summary_text(const RunSummary& summary);
std::string summary_json(const RunSummary& summary);

// When a run writes its next snapshot: by steps, simulated time, or wall-clock time. Pure.

class SaveSchedule {
 public:
  static constexpr u64 kNever = std::numeric_limits<u64>::max();

  /// Wall-clock times start at now_s, in seconds. Steps due are those whose number is a multiple of K, or is nearest to
  /// a multiple of T, whatever step the run started at: a restarted run saves at the same steps as an uninterrupted
  /// one. Throws ConfigError if T is shorter than dt.
  /// dt 0: automatic steps, which end at each multiple of T (next_time()).
  SaveSchedule(const SaveEvery& every, double dt, double now_s);

  /// Steps from `step` to the next that is due by its number; kNever if none is.
  u64 steps_to_next(u64 step) const;
  /// Of automatic steps: the first multiple of T after `time`; infinity if none is due.
  double next_time(double time) const;
  bool due(u64 step, double time, double now_s) const;
  /// Call after every snapshot, whatever triggered it.
  void saved(double now_s) { last_s_ = now_s; }

 private:
  bool by_time() const { return every_.by == SaveEvery::By::time; }
  u64 next_step(u64 step) const;

  SaveEvery every_;
  double dt_;
  double last_s_;
};

// The loop of a headless run: steps up to the next thing to do, and that thing.

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
  u64 steps_to_look() const;
  u64 steps_to_motion() const {
    return motion_.steps_to_look(simulation_.step_count(), first_step_, simulation_.size());
  }
  bool time_is_over(u64 steps) const;
  void look_around();
  DiagnosticsRow measured();
  void end();
  void look_at_last();
  void add_row(const DiagnosticsRow& row, bool write);
  void watch_energy();
  bool watches_overlaps() const;
  void watch_overlaps(bool last);
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
  u64 overlaps_step_ = ~u64{0};  ///< the last looked at
  double overlaps_s_ = 0;        ///< time spent on them
  MotionWatch motion_;
  bool watches_motion_ = true;          ///< likewise
  double motion_s_ = 0, looked_s_ = 0;  ///< time spent on that: in all, and the last time
  std::vector<std::string> notes_;      ///< of the summary, beside those of the scene
  DiagnosticsRow last_;
  std::string last_snapshot_;
  VtkSeries series_;
};

// What a run begins with: a scene of the command line, or a snapshot to go on from.

/// The snapshot of --restart. Throws FileError, and ConfigError for an option that says otherwise than the run of the
/// snapshot: its scene, seed, dt, softening, G, integrator and precision stay what they are.
Snapshot snapshot_of(const RunConfig& config);

/// The command line for the rest of a run: the backend is the snapshot's where none was asked for.
CommonOptions common_of(const RunConfig& config, const Snapshot& snapshot);

/// How the rest is computed on this backend: as before, but for what the command line asks for. A sentence in `note`
/// where fast sums may have other last bits by it.
EngineConfig engine_of(const CommonOptions& common, const Snapshot& snapshot, const std::string& backend,
                       std::string& note);

}  // namespace tri::app
