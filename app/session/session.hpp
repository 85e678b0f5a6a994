#pragma once
/// A simulation that is watched and changed while it runs: the model and the requests of the app. No window, no GL.
///
/// A frame: apply(requests) -> advance() -> publish(sink). A request that cannot be met changes nothing and leaves its
/// sentence in model().notices; none of them throws. One thread calls it. Steps may go on beside that thread, between
/// begin_steps() and the finish_steps() that tells of their end: until then busy() holds, the model stays as it was,
/// and nothing but model(), note() and those two may be called.

#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"
#include "app/session/step_thread.hpp"
#include "app/support/scene_spec.hpp"

namespace tri::app {

class Session {
 public:
  /// Makes the backend that a field needs; throws what make_backend() throws.
  using Backends = std::function<std::unique_ptr<Backend>(BackendNeed)>;

  /// Opens the scene and does what is asked for first; here errors are thrown, as there is nothing to go on with.
  Session(Backends backends, const std::string& spec, const EngineConfig& config, const Requests& first = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const SessionModel& model() const noexcept { return model_; }

  void apply(const Requests& requests);
  void apply(const Request& request);

  /// Takes the steps of this frame, as many of them as fit into `seconds` and at least one (two while maps take turns);
  /// nothing while paused. A bad number stops the run with a notice. A device that fails is given up: the session goes
  /// on with the cpu backend from the state that it had, or where that cannot be read, from the last copy of it.
  void advance(double seconds);
  /// Begins what advance() does, on a thread of the session's own, and the diagnostics after it when they are due.
  void begin_steps(double seconds);
  /// Waits up to so long for the steps begun; true when they are done and in the model, or none were begun.
  bool finish_steps(double patience);
  bool busy() const noexcept { return thread_.busy(); }
  /// Whether steps are such that the thread that draws had better go on meanwhile: those of a device, which take no
  /// processor, and those that take longer than a frame may, or may take that for all that is known.
  bool steps_overlap() const;
  /// Whether steps were asked for one by one (ask::Take) that are not taken yet.
  bool asked_for_steps() const noexcept { return model_.steps_asked > 0; }
  /// Brings the diagnostics up to date when their cost is at most a twentieth of the time since the last.
  void diagnose(double now_seconds);
  /// What ended the last advance() before its time; null when nothing did.
  const std::exception_ptr& failure() const noexcept { return failure_; }
  /// Brings model().inspected up to date for this body (none: for nobody), when its cost is at most a tenth of the time
  /// since the last; another body is looked at at once. Throws nothing: what fails is a notice.
  void inspect(std::optional<u32> body, double now_seconds);
  /// All bodies as they are drawn, in host memory. Throws what the engine throws.
  std::vector<Instance> drawn(InstanceScalar scalar = InstanceScalar::mass) const;
  /// Writes the instances. Throws what the engine throws; where the device fails, nothing is written and backends()
  /// counts on.
  void publish(InstanceSink& sink);

  /// What publish() gives as the mass from now on.
  void set_scalar(InstanceScalar scalar) { model_.scalar = scalar; }

  /// Writes the instances of the present state with accelerations by another map (a PairMap or TripleMap request), and
  /// returns the time of an evaluation by it, in ms. State and map in use stay what they are. Throws what the engine
  /// throws, and ConfigError under a law of impulses, which acts beside the forces.
  double publish_by(const Request& map, InstanceSink& sink);
  /// All distances of points, by the backend, map, block and sums in use. Throws what the backend throws.
  DistanceResult distances(const PointSet& points, DistanceLayout layout);

  void note(const std::string& text, bool error);
  /// Box of the bodies as they are now, without those far outside (along each axis 2 % at both ends).
  Box view_box() const;
  /// Where a body (< n) is now.
  std::array<double, 3> place_of(std::size_t body) const;
  /// Counts opened scenes; who holds buffers of n bodies compares.
  u64 generation() const noexcept { return generation_; }
  /// Counts the devices that were given up; who holds buffers of a device compares.
  u64 backends() const noexcept { return lost_; }

 private:
  struct Parameters {
    ForceField field;
    double dt;
    Integrator integrator;
    EngineConfig asked;
    bool backwards;
  };
  struct Apply;

  enum class Way : u8 { as_asked, as_computed };
  void open(const std::string& spec, const EngineConfig& config, Way of_run);
  struct FirstRow {
    Diagnostics values;
    double seconds;  ///< that they took
  };
  static FirstRow first_row(Engine& engine);
  void begin(const FirstRow& first);
  void reset();
  void save(const std::string& path);
  double first_time() const;
  void laws_changed();
  void begin_run();
  void configure(const EngineConfig& config);
  void set_parameters(const Parameters& p);
  Parameters parameters() const;
  void remember(const Parameters& before);
  void update_maps();
  void next_map();
  void forget_times();
  struct StepJob;
  bool plan_steps(double seconds);
  void account_steps();
  void account_diagnostics();
  void add_diagnostics(const Diagnostics& values);
  bool diagnostics_due(double now_seconds) const;
  bool recover(const std::exception& error);
  bool recover(const std::exception_ptr& failure);
  void keep_copy();

  Backends backends_;
  SessionModel model_;
  std::unique_ptr<Backend> backend_;
  std::optional<BackendNeed> need_;
  std::unique_ptr<Engine> engine_;
  Bodies first_;                    ///< of the first step
  std::optional<ResumePoint> run_;  ///< that goes on here
  DiagnosticsRow initial_;          ///< of step 0, which energies are relative to
  bool changed_ = false;            ///< laws, step or scheme, since step 0
  bool stale_ = false;              ///< they were changed at step 0, and initial_ is of those before
  std::vector<Parameters> past_;
  std::exception_ptr failure_;
  /// A copy of the state in host memory, for the case that the device is lost.
  struct Copy {
    Bodies bodies;
    u64 step = 0;
    double time = 0;
  };
  Copy copy_;
  double copied_at_ = 0, copy_cost_ = 0;
  u64 lost_ = 0;
  std::optional<u64> loses_at_;  ///< the step at which the device is to fail
  u64 generation_ = 0;
  double inspected_at_ = 0, inspect_cost_ = 0;
  double diagnosed_at_ = 0, diagnose_cost_ = 0, energy_scale_ = 1;
  u64 row_stride_ = 1, row_count_ = 0, diagnosed_step_ = ~u64{0};
  u32 skip_samples_ = 0;                ///< evaluations after a change that are not timed
  std::optional<double> step_seconds_;  ///< of the last steps; none before the first of a scene
  std::shared_ptr<StepJob> job_;        ///< the last, or the one under way
  StepThread thread_;                   ///< goes first, while what it works on is there
};

}  // namespace tri::app
