#pragma once
/// The simulation, its snapshots, its log of diagnostics.
///
/// A run on disk, with all that the next step depends on: HDF5 in the GADGET layout, which other programs read, and in
/// its group Triangulum the laws, the clock, the way of computing and the figures of step 0.
///
/// A run that goes on from a snapshot is bit for bit the run that was never interrupted, on the same backend with the
/// same map, block and threads (with ordered sums, with any). On the cuda backend that needs ordered sums: fast ones
/// differ there between any two runs. State is kept in the run's own precision, so nothing is rounded. Accelerations
/// are not kept: the first kick after a restart evaluates them at the places where the last kick before it did.

#include <atomic>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "sim/backend/backend.hpp"
#include "sim/files/file.hpp"
#include "sim/model/diagnostics.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/scene/scene.hpp"

namespace tri {

/// What a driver knows of its run beside the state.
struct RunRecord {
  std::string scene;            ///< as the user named it
  std::string backend;          ///< "cpu", "cuda"; empty: not told
  u64 last_step = 0;            ///< where the run was to end
  u64 diag_every = 0;           ///< steps between rows of diagnostics; 0: not told
  u64 rows = 0;                 ///< how many were taken
  double energy_error_max = 0;  ///< the largest of them
  u64 edits = 0;                ///< by hand, of its bodies; the title of the scene says so, and nothing else keeps it
  double last_time = 0;         ///< where a run with automatic steps was to end; 0: at last_step
};

struct Snapshot {
  Scene scene;          ///< its bodies are the state at `step`
  EngineConfig engine;  ///< with every choice of the backend filled in
  u64 step = 0;
  double time = 0;         ///< at `step`; with fixed steps step * dt, whatever is given
  double next_step = 0;    ///< of automatic steps: the length to try next; 0: none yet
  DiagnosticsRow initial;  ///< of step 0, which energies stay relative to
  RunRecord run;
};

/// Whether the path ends as snapshots do, in .hdf5 or .h5.
bool is_snapshot_name(const std::string& path);

/// What a file of this name leaves out of bodies and of the units and box of their scene, as sentences; nothing for a
/// snapshot. The time is not looked at. Throws FileError for a name of no format.
std::vector<std::string> lost_in(const std::string& path, const Bodies& bodies, const Scene& scene);

/// Whether the file is there, is HDF5 by its name, and holds a run beside the bodies. Throws FileError for one that is
/// no HDF5 inside.
bool holds_run(const std::string& path);

/// Written beside and renamed: after any failure, or a kill, an earlier file of that name is whole. Throws FileError.
void write_snapshot(const std::string& path, const Snapshot& snapshot);

/// Throws FileError for a file that is no snapshot, is damaged (a hash over state and parameters is held against the
/// one that was written), or comes from a later version.
Snapshot read_snapshot(const std::string& path);

// A scene in motion: one engine on one backend, the step count, the clock and the energy error. Headless runs and the
// app drive this class. One thread at a time, except for the stop flag.

/// What is computed, as far as it may change between two steps.
struct RunParameters {
  ForceField field;
  double dt = 0;  ///< > 0
  Integrator integrator = Integrator::kdk;
  double eta = 0;          ///< > 0: steps of automatic length, of this accuracy, in place of dt
  bool backwards = false;  ///< steps of -dt
};

/// Where a run stands that begins or goes on.
struct Clock {
  u64 step = 0;
  double time = 0;
  double next_step = 0;  ///< of automatic steps: the length to try next; 0: none yet
};

class Simulation {
 public:
  /// Copies the bodies into an engine of the backend (the scene kept here has none) and measures the energy of step 0,
  /// which costs one evaluation of all pairs and triples. The backend must outlive the simulation. Throws ConfigError
  /// when dt is not finite and > 0 or the scheme does not fit (scheme_refusal()), and what Backend::make_engine throws.
  Simulation(Scene scene, Backend& backend, const EngineConfig& config);
  /// The same with an engine that holds the scene's bodies already.
  Simulation(Scene&& scene, std::unique_ptr<Engine> engine);

  /// Continues from a snapshot: its step, time, and energy of step 0. `config` may compute in another way (map, block,
  /// threads, accumulation), but not in another precision (ConfigError).
  Simulation(Snapshot from, Backend& backend, const EngineConfig& config);
  /// The same with an engine that holds the bodies of `step` already, in any precision.
  Simulation(Scene&& scene, const Clock& clock, const DiagnosticsRow& initial, std::unique_ptr<Engine> engine);

  const Scene& scene() const noexcept {
    return scene_;
  }  ///< with the present parameters; `bodies` is empty: see bodies()
  Engine& engine() noexcept { return *engine_; }
  const Engine& engine() const noexcept { return *engine_; }
  std::size_t size() const { return engine_->size(); }

  u64 step_count() const noexcept { return steps_; }       ///< taken since step 0, forwards or backwards
  u64 first_step() const noexcept { return first_step_; }  ///< 0, or where the snapshot was
  double first_time() const noexcept;                      ///< of that step
  /// step_count() * dt in one rounding, however long the run; after a change of dt or direction, from there on. With
  /// automatic steps their sum.
  double time() const noexcept { return time_at(steps_); }

  RunParameters parameters() const { return {scene_.field, scene_.dt, scene_.integrator, scene_.eta, backwards_}; }
  /// Parameters and configuration from the next step on; 0 in the configuration is the backend's choice. Before the
  /// first step of a new run, the run begins with them; later they make it another run (modified()). Throws
  /// ConfigError, and then nothing has changed.
  void change(const RunParameters& to, const EngineConfig& config);
  /// Whether the parameters changed on the way, so that the state does not follow from them and step 0.
  bool modified() const noexcept { return modified_; }
  /// Measures the energy that errors are relative to again where laws, bodies or the state changed since: from here on
  /// that of the present step. True when they did. advance(), diagnostics() and save() begin with it.
  bool begin();
  /// Back to the first step, with an engine that holds its bodies; parameters stay. Returns the row of that step. When
  /// it throws, nothing has changed.
  DiagnosticsRow reset(std::unique_ptr<Engine> engine);
  /// Lengths of automatic steps: of the last, and the shortest and longest since the (re)start; 0 before the first.
  struct StepLengths {
    double last = 0, shortest = 0, longest = 0;
  };
  /// Where a run stands, but for its bodies: its clock, its parameters, and the energies that errors are relative to.
  struct Mark {
    RunParameters parameters;
    u64 setting = 0;  ///< equal numbers in one simulation: equal parameters
    DiagnosticsRow initial;
    double energy_scale = 1, clock_time = 0;
    u64 steps = 0, clock_step = 0;
    double time = 0;  ///< at `steps`
    double next_step = 0;
    StepLengths lengths;
    bool modified = false, stale = false;
  };
  Mark mark() const;
  /// Goes to where this run stood: the engine takes the parameters, the configuration (null: the present one stays) and
  /// the state (null: the engine's is that of this step already). Throws what change() throws, and then nothing has
  /// changed. `engine`: becomes that of the run, and has the parameters and its configuration already; null: the
  /// present one stays.
  void return_to(const Mark& mark, const SavedState* state, const EngineConfig* config = nullptr,
                 std::unique_ptr<Engine> engine = nullptr);
  /// Continues with other bodies, which this engine holds, from the present step on. Energies are relative to this step
  /// from now on; on the way that makes it another run (modified()).
  void adopt_bodies(std::unique_ptr<Engine> engine);
  /// The state itself, for others to read and write between two steps, until return_borrowed(); see Engine::borrow().
  StateArrays borrow() { return engine_->borrow(); }
  /// Continues with what was written; discard: with the state of borrow(). A change makes it another run (modified());
  /// before the first step of a new one, the run begins with it. Energies are relative to this step. Throws what
  /// Engine::return_borrowed() throws, and then nothing has changed. Whether there was a change.
  bool return_borrowed(bool discard);
  /// Continues on another engine, which holds the state of a step that was reached at `time`.
  void replace_engine(std::unique_ptr<Engine> engine, u64 step, double time);

  /// When *flag is true, the run ends after the steps in progress: one, or with an engine that takes several at once
  /// (Engine::steps_at_once()) those of some milliseconds. nullptr: never. Any thread and any signal handler
  /// may set the flag; it must outlive its use here.
  void set_stop_flag(const std::atomic<bool>* flag) noexcept { stop_ = flag; }
  bool stop_requested() const noexcept { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

  /// From now on |energy_error| > limit is a NumericalError, checked by every diagnostics(), and by advance() after
  /// each `every` steps (0 = by diagnostics() only). limit > 0; infinity removes the limit.
  void set_energy_limit(double limit, u64 every = 0);

  /// One step. False when the stop flag was up, and then nothing was done.
  bool step() { return advance(1) == 1; }

  /// k steps, or fewer when the stop flag goes up; returns how many were done. Automatic steps end at the time `until`
  /// exactly, the last ones shortened to meet it; fixed ones know no such time. NumericalError carries the absolute
  /// number of the step that failed, in its sentence and as step(); step_count() is then the last good step.
  u64 advance(u64 k, double until = std::numeric_limits<double>::infinity());

  /// How many steps from now reach the time T: those to the multiple of dt that is nearest to T (a half rounds up).
  /// Every step has the length dt, the last one too, so the run ends within dt/2 of T; 0 when the run is there already.
  /// Not for runs that are modified(). Throws ConfigError when T is not finite, lies before now by more than dt/2, or
  /// needs more than 2^53 steps.
  u64 steps_until(double end_time) const;
  /// advance(steps_until(T)); with automatic steps exactly to T.
  u64 run_until(double end_time);

  /// Throws ConfigError for a time that is not finite, or that lies behind.
  void require_time_ahead(double end_time, bool behind) const;

  bool automatic() const noexcept { return scene_.eta > 0; }
  const StepLengths& step_lengths() const noexcept { return lengths_; }

  /// Of the present state; throws NumericalError when the energy limit is broken.
  DiagnosticsRow diagnostics();
  /// The row that energies are relative to: of step 0, or of the last change of laws, bodies or state.
  const DiagnosticsRow& initial() const noexcept { return initial_; }

  u64 state_hash() const { return engine_->state_hash(); }
  Bodies bodies() const { return engine_->read(); }  ///< a copy of the present state
  /// Writes the present state by the extension of the path (sim/io/format.hpp): a snapshot where that is HDF5, from
  /// which a run restarts exactly, the bodies alone elsewhere. A snapshot of a modified() run is step 0 of a run with
  /// the present parameters. Throws FileError, ConfigError for a state with a value that is not finite.
  void save(const std::string& path, const RunRecord& run = {});

 private:
  double time_at(u64 step) const noexcept;
  void advance_automatically(double until);
  DiagnosticsRow row_of(const Diagnostics& values) const;
  void set_initial(const Diagnostics& values);
  void check_energy(const DiagnosticsRow& row) const;

  Scene scene_;
  std::unique_ptr<Engine> engine_;
  DiagnosticsRow initial_;
  double energy_scale_ = 1;
  double energy_limit_ = std::numeric_limits<double>::infinity();
  u64 energy_every_ = 0;
  u64 steps_ = 0, first_step_ = 0;
  u64 clock_step_ = 0;  ///< the clock showed clock_time_ here, and has counted steps of the present dt since
  double clock_time_ = 0, first_time_ = 0;
  double next_step_ = 0;  ///< as in Clock
  StepLengths lengths_;
  u64 setting_ = 0, settings_ = 0;  ///< of the present parameters, as in Mark; given so far
  bool resumed_ = false;            ///< from a snapshot
  bool backwards_ = false;
  bool modified_ = false;
  bool stale_ = false;  ///< initial_ is of parameters or a state before the present ones
  const std::atomic<bool>* stop_ = nullptr;
};

// The diagnostics of a run as a CSV file, one row a call, on disk as soon as the call returns.

/// The columns, in order, as the first line of the file has them.
inline constexpr const char* kDiagnosticsColumns =
    "step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,virial_ratio,cx,cy,cz";

/// Whether the steps of a run have one length, or each its own, which its log then has as a last column.
enum class StepKind : u8 { fixed, automatic };

/// The last column of a run with automatic steps: the length of the step that led to the row, 0 for the first.
inline constexpr const char* kStepColumn = ",dt";

/// The row in the order of kDiagnosticsColumns, reals with 17 significant digits, with the line's end.
std::string diagnostics_csv(const DiagnosticsRow& row, StepKind kind = StepKind::fixed);

/// What the rows of a run that goes on have to agree with.
struct LoggedRun {
  DiagnosticsRow initial;
  double dt = 0;                 ///< the length of all steps; 0: each has its own
  double time = 0, kinetic = 0;  ///< of the state in which it goes on
};

/// A file has one log at a time: opening a second one, also in another process, throws FileError. A new log replaces an
/// earlier file with its first row, whose other names keep what they had; a first row that is not finite waits for the
/// next, because it may be of a run that cannot take a step.
class DiagnosticsLog {
 public:
  /// Begins the file, standard output for `-`, anew with the line of names. Throws FileError.
  explicit DiagnosticsLog(const std::string& path, StepKind kind = StepKind::fixed);

  /// Goes on with the file of a run that is taken up again at `step`: rows of later steps, which the run comes to
  /// again, and a last line that was cut off, go. Begins anew where there is no file, or nothing in it. Throws
  /// FileError for a file that is no such log, or that of another run, and leaves it as it was.
  DiagnosticsLog(const std::string& path, u64 step, StepKind kind = StepKind::fixed, const LoggedRun* run = nullptr);
  /// Whether there was a row of this step when the log was opened as the last one.
  bool ended_at(u64 step) const noexcept { return kept_ > 0 && last_ == step; }
  bool is_new() const noexcept { return kept_ == 0; }     ///< without any row
  u64 rows_removed() const noexcept { return removed_; }  ///< by going on

  /// Appends one row and flushes it. Throws FileError when the disk is full; the file then ends with the row before.
  void write(const DiagnosticsRow& row);

 private:
  void require_free() const;
  void append(const std::string& lines, bool shown);

  std::string names() const;

  std::string path_;
  StepKind kind_;
  bool begun_ = false;  ///< with a row
  u64 kept_ = 0, removed_ = 0, last_ = 0;
  u64 whole_ = 0;  ///< bytes of whole lines
  io::OutputFile file_;
};

}  // namespace tri
