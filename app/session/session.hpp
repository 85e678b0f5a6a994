#pragma once
/// A simulation that the window watches and changes, with its thread, turns of maps, and recorded series.

#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "app/session/session_model.hpp"
#include "app/session/timeline.hpp"
#include "app/support/measurement.hpp"
#include "app/support/run_config.hpp"
#include "sim/backend/engine.hpp"
#include "sim/base/platform.hpp"
#include "sim/model/checks.hpp"

namespace tri::app {

/// A thread that does one job at a time while its owner goes on.
class StepThread {
 public:
  StepThread() = default;
  /// Waits for the job under way.
  ~StepThread();
  StepThread(const StepThread&) = delete;
  StepThread& operator=(const StepThread&) = delete;

  /// Starts the job, which must not throw, on the thread; that is made at the first call. None may be under way. Throws
  /// std::system_error where there can be no thread.
  void begin(std::function<void()> job);
  /// Whether a job was begun whose end wait() has not told yet.
  bool busy() const noexcept { return begun_; }
  /// Waits up to so long for the end of the job; what it wrote may be read once this is true. True without a job.
  bool wait(double seconds);

 private:
  void work();

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;  ///< under the mutex, as are the next two
  bool done_ = true, stop_ = false;
  bool begun_ = false;  ///< the owner's
};

// A turn of two maps: both evaluate the forces on the same bodies, one right after the other, so that whatever slows
// this moment down slows both.

struct MapTurn {
  EngineConfig baseline, own;  ///< what is compared
  EngineConfig after;          ///< the configuration in use, which the engine has afterwards
  bool own_first = false;      ///< alternates, so that neither always follows the other

  /// Of one evaluation, in ms, by domain.
  struct Times {
    double pairs = 0, triples = 0;
  };
  std::optional<Times> baseline_ms, own_ms;  ///< both are none where the turn failed

  /// Takes the turn. The bodies stay as they are, bit for bit. Not for laws of impulses, which act beside the forces.
  void take(Engine& engine) noexcept;
};

/// A configuration in which maps of triples can be compared: products on tensor cores are driven by a map of pairs.
EngineConfig in_tiles_of_triples(EngineConfig config);

/// Whether the field has laws of impulses, under which maps take no turns.
bool has_impulses(const ForceField& field);

/// The time of an evaluation under this configuration, which the engine keeps. Throws what the engine throws.
MapTurn::Times time_evaluation(Engine& engine, const EngineConfig& config);

// A recorded run: files of one run, as `run --save-every` writes them, in the order of their steps.

class Series {
 public:
  struct Entry {
    std::string path;
    u64 step = 0;     ///< by the file's name, or its place in the list; rising
    double time = 0;  ///< by the list; by the step where there is none
  };

  /// Whether the text is that of a series: a .pvd, or a name with {step} or * for the number, run_{step}.hdf5. A file
  /// that has such a name is none.
  static bool is_named_by(const std::string& text);

  /// Throws FileError where the list cannot be read, or no file has such a name.
  explicit Series(const std::string& text);

  const std::vector<Entry>& entries() const noexcept { return entries_; }
  /// What to say of it when it is opened.
  std::string note() const;
  /// Time a second that shows ten states a second.
  double usual_pace() const;
  /// The last entry of a step that is not after this one; the first where there is none.
  std::size_t at(u64 step) const;
  /// The last entry whose time is not after this one, from `from` on.
  std::size_t at_time(double time, std::size_t from) const;

 private:
  std::vector<Entry> entries_;
};

// A Simulation that is watched and changed while it runs: the model and the requests of the app. No window, no GL.
//
// A frame: apply(requests) -> advance() -> publish(sink). A request that fails changes nothing and leaves a notice in
// the model; none throws. One thread calls it. Steps may run beside that thread, from begin_steps() until
// finish_steps() returns true: meanwhile busy() holds, the model does not change, and only model(), note() and those
// two may be called.

class Session {
 public:
  /// Opens the scene and applies the first requests; here errors are thrown, as there is no earlier state to keep.
  /// `given` is the command line's: every scene opens with it. The first run opened goes by it too, later ones go on as
  /// they were computed. made: that scene with all else that the command line says of it.
  Session(std::unique_ptr<Backend> backend, const ask::Open& first, const EngineOverrides& given,
          const Requests& then = {}, std::optional<Scene> made = {});
  /// Ends steps in progress within a fraction of an evaluation of forces.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// From now on steps in progress end as soon when *flag is up, with an InterruptedError as failure() where that was
  /// within a step, which is then not taken. Any thread and any signal handler may set the flag; it must outlive the
  /// session.
  void set_stop_flag(const std::atomic<bool>& flag) noexcept { stop_.other = &flag; }

  const SessionModel& model() const noexcept { return model_; }

  void apply(const Requests& requests);
  void apply(const Request& request);

  /// Takes the steps of this frame, as many as fit into `seconds` and at least one (two while maps take turns); none
  /// while paused. A value that is not finite stops the run with a notice. When a device fails, the session continues
  /// on the cpu backend from the present state, or from the last copy where that cannot be read.
  void advance(double seconds);
  /// Begins what advance() does, on a thread of the session's own, and the diagnostics after it when they are due.
  void begin_steps(double seconds);
  /// Waits up to so long for the steps begun; true when they are done and in the model, or none were begun.
  bool finish_steps(double patience);
  bool busy() const noexcept { return thread_.busy(); }
  /// Since when steps are under way, in seconds of clock_s(); none: none are.
  std::optional<double> busy_since() const { return busy() && !survey_job_ ? std::optional(begun_at_) : std::nullopt; }
  /// When the steps, turns, diagnostics and publications since the last call were done; of many, the last.
  std::vector<WorkSpan> release_work() { return std::exchange(work_, {}); }
  /// Whether to draw while steps run: those of a device, which need no processor, and those that take longer than a
  /// frame, or might.
  bool steps_overlap() const;
  /// From now on a scene opens at its own pace (this one too), which let_time_pass() drives.
  void keep_pace();
  /// From now on steps can be gone back to, from the present one on and in every scene opened. Limits::bytes of 0 is a
  /// twentieth of the free memory.
  void keep_timeline(const Timeline::Limits& limits = {.bytes = 0});
  /// So many seconds have passed since the last call; at rest.
  void let_time_pass(double seconds);
  /// Whether steps of ask::Take, or up to that of ask::GoTo or ask::StepBack, are still to be taken.
  bool asked_for_steps() const noexcept { return model_.steps_asked > 0 || model_.timeline.seek.has_value(); }
  /// Brings the diagnostics up to date when their cost is at most a fiftieth of the time since the last; now infinite:
  /// whatever they cost. A stop flag ends it.
  void diagnose(double now_seconds);
  /// From now on energies are judged as `run` judges them: from its limit on, and in the words of its options.
  void judge_as_run() noexcept { judges_as_run_ = true; }
  /// Notes once that the precision has lost a body. A few passes over the bodies and a sort; diagnose() does it too.
  void watch_motion();
  /// Whether diagnose() has nothing left to do in the present state.
  bool diagnosed() const noexcept { return model_.broken || series_ || diagnosed_step_ == model_.steps; }
  /// What ended the last advance() early; null when nothing did.
  const std::exception_ptr& failure() const noexcept { return failure_; }
  /// Brings model().inspected up to date for this body (none: clears it), when its cost is at most a tenth of the time
  /// since the last; another body at once. Throws nothing: a failure is a notice.
  void inspect(std::optional<u32> body, double now_seconds);
  /// A copy of the present bodies. Throws what the engine throws.
  Bodies bodies() const;
  /// Begins to bring model().survey up to date for this, on the step thread, when its cost is at most a twentieth of
  /// the time since the last; none: clears it. True where it began: then busy() holds until finish_steps().
  bool survey(std::optional<SurveyOf> of, double now_seconds);
  /// All bodies as they are drawn, in host memory. Throws what the engine throws.
  std::vector<Instance> drawn(InstanceScalar scalar = InstanceScalar::mass) const;
  /// Writes the instances. Throws what the engine throws; where the device fails, nothing is written and backends()
  /// counts on.
  void publish(InstanceSink& sink);

  /// What publish() gives as the mass from now on.
  void set_scalar(InstanceScalar scalar) { model_.scalar = scalar; }

  /// From now on every map takes turns with bb while steps are taken, in at most a fifth of the time until each has had
  /// one, then a tenth (a twentieth, where turns take long): that gives the model's MapRow::turns. Once each has had a
  /// dozen, the map in use goes on, in a twentieth of it.
  void compare_with_bb() { compares_with_bb_ = true; }
  /// The map of this row (of triples where the scene has a law for them) takes its turns before all others; 0: none
  /// does.
  void time_first(std::size_t map) { timed_first_ = map; }
  /// Writes the instances of the present state with accelerations by another map (a PairMap or TripleMap request), and
  /// returns the times of an evaluation by the map in use and by that one, in ms. State and map in use stay what they
  /// are. Throws what the engine throws, and ConfigError under a law of impulses, which acts beside the forces.
  std::pair<double, double> publish_by(const Request& map, InstanceSink& sink);
  /// Stands where the other stands, in a scene that was opened as the other's and with its parameters: its bodies,
  /// clock and diagnostics. Throws ConfigError for a state that is not finite, and what the backend throws.
  void go_on_from(const Session& other);
  /// Becomes the run on the other branch of another session, likewise: with what is kept of it from the branch on.
  /// Steps then lead to where the other stands, or to its last step. The other has a branch, and both keep a timeline.
  /// Throws as go_on_from().
  void go_on_from_branch(const Session& other);
  /// To a step that is kept, or (none) back to the start, as a run that another one leads: undo does not come back from
  /// there. A failure is a notice.
  void be_led_to(std::optional<u64> step);
  /// All distances of points, by the backend, map, block and sums in use. Throws what the backend throws.
  DistanceResult distances(const PointSet& points, DistanceLayout layout);
  /// Who would meet whom in the tree, now; most: leaves of the picture, a side. Throws ConfigError.
  TreePicture tree(u32 most) const;

  void note(const std::string& text, bool error);
  /// Does work whose failure becomes a notice; whether it did not fail.
  template <class Work>
  bool attempt(const Work& work) {
    try {
      work();
      return true;
    } catch (const std::exception& error) {
      note(error.what(), true);
      return false;
    }
  }
  /// Box of the bodies as they are now, without those far outside (along each axis 2 % at both ends).
  Box view_box() const;
  /// Where a body (< n) is now.
  std::array<double, 3> place_of(std::size_t body) const;
  /// Counts opened scenes.
  u64 opened() const noexcept { return opened_; }
  /// Counts those, and other bodies in them: holders of buffers of n bodies compare it.
  u64 generation() const noexcept { return generation_; }
  /// Counts the devices that were given up: holders of device buffers compare it.
  u64 backends() const noexcept { return lost_; }

 private:
  /// Energies before a change, which undo at the same step brings back.
  struct Energies {
    Simulation::Mark mark;
    std::optional<DiagnosticsRow> row;  ///< of that step, where there is one
  };
  struct Parameters {
    RunParameters run;
    EngineConfig asked;
    std::optional<Energies> energies = {};  ///< of what undo brings back
  };
  /// A run before it was reset.
  struct BeforeReset : RunState {
    Bodies bodies;
    std::vector<DiagnosticsRow> diagnostics;
    u64 row_stride, row_count;
    std::unique_ptr<Timeline> timeline = nullptr;
    TimelineModel shown = {};
  };
  /// A run before bodies were added, changed or deleted; its population has the bodies of that moment.
  struct BeforeEdit : RunState {
    u64 run;                            ///< of the timeline; 0: there was none
    bool left;                          ///< another run began with the edit, and this one goes on without it
    std::optional<DiagnosticsRow> row;  ///< of its step
  };
  /// A step of a run.
  struct Place {
    u64 run = 0, step = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  /// What undo brings back.
  using Change = std::variant<Parameters, BeforeReset, BeforeEdit, Place>;
  struct Done {
    Change before;
    std::string what;
  };
  struct Apply;
  void perform(const Request& request);

  void open(const std::string& spec, const EngineOverrides& first_of_all, std::optional<Scene> made = {});
  void begin(const DiagnosticsRow& first, double cost);
  void reset();
  void save(const std::string& path);
  void begin_run();
  /// Configures the engine, and changes the run's parameters first where they are part of the change. True where that
  /// began another run.
  bool set_parameters(const Parameters& p, bool of_run);
  void adopt(const EngineConfig& asked);
  Parameters parameters() const { return {simulation_->parameters(), model_.asked}; }
  std::optional<DiagnosticsRow> row_here() const;
  void restore_row(const std::optional<DiagnosticsRow>& row);
  Engine& engine() const { return simulation_->engine(); }
  void show_clock();
  void remember(Change before, std::string what);
  void travel(std::vector<Done>& from, std::vector<Done>& to);
  void show_history();
  BeforeReset before_reset() const;
  BeforeEdit before_edit(const Bodies& bodies, bool left) const;
  void restore(const Parameters& before);
  void restore(BeforeReset& before);
  void restore(const Place& before);
  void restore(const BeforeEdit& before);
  void add_bodies(const std::vector<BodyValues>& added);
  void name_bodies();
  void rename(u32 body, const std::string& name);
  void change_body(u32 body, const BodyChange& change);
  void change_bodies(const std::vector<u32>& bodies, const BodiesChange& change);
  void delete_bodies(const std::vector<u32>& deleted);
  void export_bodies(const std::string& path, const std::vector<u32>& bodies);
  void edit(const Bodies& before, Bodies bodies, std::vector<u32> ids, const std::string& what);
  void settle(const EngineConfig& asked, const PopulationPtr& population, std::unique_ptr<SavedState> state);
  void show_bodies(const PopulationPtr& population);
  bool swap_to(u64 run);
  /// An engine for the scene; where the maps or blocks asked for do not fit it, with the default ones, and `config` is
  /// set to them. Throws what Backend::make_engine throws.
  static std::unique_ptr<Engine> make_fitting_engine(Backend& backend, const Scene& scene, EngineConfig& config);
  void update_maps();
  void next_map();
  void end_turns();
  void forget_times();
  struct StopFlags {
    std::atomic<bool> own{false};
    const std::atomic<bool>* other = nullptr;
    bool up() const { return own || (other != nullptr && *other); }
  };
  class StopSink;
  struct StepJob;
  bool plan_steps(double seconds);
  u64 steps_by_clock() const;
  void run_until(double time);
  void end_until();
  std::optional<MapTurn> next_turn(double now_seconds);
  void account_turn(const MapTurn& turn, double seconds);
  void account_steps();
  void show_shares();
  void account_ranks();
  void note_work();
  void add_work(const char* name, WorkLane lane, u8 depth, const Engine::When& when);
  void account_diagnostics();
  /// Sentences about deep overlaps of spheres and lost motion, each said once. look() reads the state between steps, on
  /// the thread that takes them.
  struct Looked {
    std::string overlap, motion;
  };
  Looked look();
  std::string lost_motion();
  void tell(const Looked& looked);
  void add_diagnostics(const DiagnosticsRow& row);
  void watch_energy(const DiagnosticsRow& row);
  void watch_anew();
  bool diagnostics_due(double now_seconds) const;
  bool recover(const std::exception& error);
  bool recover(const std::exception_ptr& failure);
  void keep_copy();
  Timeline& timeline() const;
  void begin_timeline();
  void forget_states();
  void show_timeline();
  void end_seek();
  bool waits(const Request& request) const;
  std::optional<Place> place_to_remember() const;
  void step_back(u64 steps);
  void visit(u64 step);
  void go_to(u64 step, bool on_run);
  void arrive();
  void branch();
  void switch_branch();
  void swap_branches();
  void swap_rows();
  std::vector<DiagnosticsRow> split_rows_after(u64 step);
  struct FrameJob;
  struct SurveyJob;
  void account_survey();
  void show_series();
  double next_step() const;
  bool ask_series(const Request& request);
  bool plan_frame();
  void show_next(bool on_thread);
  void account_frame();

  SessionModel model_;
  EngineOverrides given_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Simulation> simulation_;  ///< the worker thread's while busy()
  PopulationPtr first_;                     ///< of the first step
  u32 next_id_ = 0;                         ///< of a body to be added
  RunRecord record_;                        ///< of the run that was opened; empty for a scene
  std::vector<Done> past_, future_;         ///< of resets only the last, which holds all bodies
  bool travels_ = false;                    ///< undo or redo is under way,
  std::optional<Change> inverse_;           ///< and this is what takes it back
  std::optional<Timeline::Limits> limits_;  ///< none: no timeline
  std::unique_ptr<Timeline> timeline_;      ///< the worker thread's while busy()
  u64 runs_ = 0;                            ///< counts those of all timelines
  Place arrived_;                           ///< where the last GoTo or StepBack led
  Requests waiting_;                        ///< for the step that is being sought
  std::unique_ptr<Series> series_;          ///< the recorded run that is shown; none: steps are computed
  std::size_t frame_ = 0;                   ///< of the series, the one shown
  std::shared_ptr<FrameJob> frame_job_;     ///< under way
  std::shared_ptr<SurveyJob> survey_job_;   ///< under way
  std::exception_ptr failure_;
  /// A copy of the state in host memory, for the case that the device is lost.
  struct Copy {
    Bodies bodies;
    u64 step = 0;
    double time = 0;
  };
  Copy copy_;
  u64 lost_ = 0;
  std::optional<u64> loses_at_;  ///< the step at which the device is to fail
  u64 opened_ = 0, generation_ = 0;
  TimeShare copying_{0.01, 1}, inspecting_{0.1}, diagnosing_{0.02}, surveying_{0.05};
  OverlapWatch overlaps_;
  MotionWatch motion_;
  bool watches_motion_ = true, watches_energy_ = true;  ///< until there was something to say
  bool judges_as_run_ = false;
  u64 row_stride_ = 1, row_count_ = 0, diagnosed_step_ = ~u64{0};
  bool keeps_pace_ = false;
  double due_ = 0;                       ///< simulated time that the pace asks for and steps have not taken yet
  double watched_ = 0, watched_at_ = 0;  ///< seconds since, and the time of, the last look at the pace reached
  bool compares_with_bb_ = false;
  std::size_t timed_first_ = 0;
  std::optional<EngineConfig> before_turns_;  ///< whose maps are in use again after the turns of all maps
  /// Whether the maps in use were the first in their last turn. Each two alternate on their own: by a common count,
  /// maps that take turns in a cycle of even length would always come in the same order.
  std::map<std::pair<TriangleMapId, TetraMapId>, bool> own_first_;
  double turned_at_ = 0, turn_cost_ = 0;
  u32 skip_samples_ = 0;                ///< evaluations after a change that are not timed
  std::optional<double> step_seconds_;  ///< of the last steps; none before the first of a scene
  std::shared_ptr<StepJob> job_;        ///< the last, or the one under way
  double begun_at_ = 0;                 ///< it, on the thread
  std::vector<WorkSpan> work_;          ///< that release_work() has not taken
  StopFlags stop_;                      ///< steps in progress are to end
  StepThread thread_;                   ///< goes first, while what it works on is there
};

}  // namespace tri::app
