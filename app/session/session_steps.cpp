// A session's steps: the thread that takes them, their pace, and the accounts of their time.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/language.hpp"
#include "app/support/measurement.hpp"
#include "app/support/text_table.hpp"
#include "sim/backends.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"

namespace tri::app {

StepThread::~StepThread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StepThread::begin(std::function<void()> job) {
  TRI_EXPECTS(!begun_);
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job), done_ = false;
  }
  begun_ = true;
  changed_.notify_all();
}

bool StepThread::wait(double seconds) {
  if (!begun_) return true;
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return done_; })) return false;
  begun_ = false;
  return true;
}

void StepThread::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || job_; });
    if (!job_) return;  // asked to stop, and nothing left to do
    const std::function<void()> job = std::exchange(job_, nullptr);
    lock.unlock();
    job();
    lock.lock();
    done_ = true;
    changed_.notify_all();
  }
}

// Steps of a session: on the calling thread, or on a worker while that thread draws.

namespace {

constexpr double kFrame = 1.0 / 60;         // seconds; shorter steps delay no frame
constexpr std::size_t kSurelyQuick = 4096;  // bodies whose step takes less on any processor

/// Steps that are left to that time, at most; 0: the run stands there, or beyond.
u64 steps_left(const Simulation& run, double until) {
  constexpr double kMaxLeft = 1e15;
  const double way = (run.parameters().backwards ? -1 : 1) * (until - run.time());
  if (run.automatic()) return way > 1e-12 * std::abs(until) ? 1 : 0;
  return static_cast<u64>(std::clamp(std::round(way / run.scene().dt), 0.0, kMaxLeft));
}

}  // namespace

/// Ends a loop over tiles when the steps are to end.
class Session::StopSink final : public ProgressSink {
 public:
  explicit StopSink(const StopFlags& flags) : flags_(flags) {}
  void report(const ProgressReport&) override {
    if (flags_.up()) throw InterruptedError("interrupted in a step; it was not taken.");
  }

 private:
  const StopFlags& flags_;
};

/// The steps of one frame: what to do, and the result. Touches simulation and timeline alone, never the model.
struct Session::StepJob {
  Simulation& simulation;
  const StopFlags& ends;
  u64 asked, steps, least;  ///< by ask::Take; in all; at least, however long they take
  double seconds;
  std::optional<u64> lost_after;  ///< for tests: the device fails after so many steps
  Timeline* timeline;             ///< null: there is none
  std::optional<double> until;    ///< the time at which they end
  EngineConfig config;            ///< in use; a run that is shown again may change it, and its parameters
  bool changed = false;           ///< it did

  std::optional<MapTurn> turn = {};  ///< after the steps
  double turn_took = 0;
  bool diagnose = false;  ///< after those
  std::function<Looked()> look;
  std::optional<DiagnosticsRow> row = {};
  Looked looked = {};
  double diagnose_took = 0;
  std::exception_ptr diagnose_failure = nullptr;

  u64 done = 0;
  double took = 0;
  double began = 0;
  bool on_thread = false;
  Engine::Timing timing = {};  ///< of the last step
  std::exception_ptr failure = nullptr;
  bool broken = false;  ///< it is of the numbers

  void run() noexcept {
    const double begin = began = clock_s(), end = begin + seconds;
    StopSink sink(ends);
    const ScopedProgressSink watching(sink);
    const ScopedTask work("steps");
    try {
      while (!ends.up() && done < steps && (done < least || clock_s() < end)) {
        u64 now = std::min(steps - done, simulation.engine().steps_at_once());
        if (until) now = std::min(now, steps_left(simulation, *until));
        if (now == 0) break;
        if (lost_after && done >= *lost_after) throw BackendError("the device was lost, as was asked for.");
        if (lost_after) now = std::min(now, *lost_after - done);
        if (timeline != nullptr) now = timeline->steps_to_stop(simulation.step_count(), now, clock_s());
        done += simulation.advance(now);
        if (timeline != nullptr) changed |= timeline->pass(simulation, config, clock_s());
      }
    } catch (const NumericalError&) {
      failure = std::current_exception(), broken = true;
    } catch (...) {
      failure = std::current_exception();
    }
    took = clock_s() - begin;
    timing = simulation.engine().timing();
    if (failure) return;
    if (turn && !changed) turn->take(simulation.engine());  // else it is of what was in use before
    turn_took = clock_s() - begin - took;
    if (!diagnose) return;
    try {
      row = simulation.diagnostics();
      looked = look();
    } catch (...) {
      diagnose_failure = std::current_exception();
    }
    diagnose_took = clock_s() - begin - took - turn_took;
  }
};

void Session::keep_pace() {
  keeps_pace_ = true;
  model_.pace = series_ ? series_->usual_pace() : model_.scene.pace;
}

void Session::let_time_pass(double seconds) {
  TRI_EXPECTS(!busy());
  constexpr double kBacklog = 0.5, kLook = 0.5;  // seconds that may be caught up with; between two looks
  if (!model_.running) {
    due_ = watched_ = model_.pace_reached = 0, watched_at_ = model_.time;
    return;
  }
  due_ = std::min(due_ + model_.pace * seconds, model_.pace * kBacklog + next_step());
  watched_ += seconds;
  if (watched_ < kLook) return;
  model_.pace_reached = std::abs(model_.time - watched_at_) / watched_;
  watched_ = 0, watched_at_ = model_.time;
}

void Session::run_until(double time) {
  if (!std::isfinite(time)) throw ConfigError(phrase("the run cannot go to t = {}: it must be finite.", time));
  if (model_.broken) throw ConfigError("the state holds a value that is not finite. Reset it, or open another scene.");
  if (steps_left(*simulation_, time) == 0) {
    const ClockUnit clock = clock_unit(find_unit_system(model_.scene.units));
    throw ConfigError(phrase("the run goes {} from t = {:.6g}{} and does not come to {:.6g}{}.",
                             model_.backwards ? "backwards" : "on", clock.size * model_.time, clock.behind,
                             clock.size * time, clock.behind));
  }
  model_.until = time, model_.running = true;
}

/// The run rests where it was to go.
void Session::end_until() {
  if (!model_.until || steps_left(*simulation_, *model_.until) > 0) return;
  model_.until.reset(), model_.running = false;
  end_turns();
}

u64 Session::steps_by_clock() const {
  constexpr double kMax = 1e9;  // more take longer than any frame
  return static_cast<u64>(std::min(due_ / model_.scene.dt, kMax));
}

/// False where there is nothing to do.
bool Session::plan_steps(double seconds) {
  TRI_EXPECTS(!busy());
  failure_ = nullptr;
  // What does not fit into this frame's time is left for later frames.
  const u64 more = std::exchange(model_.steps_asked, 0);
  const auto& seek = model_.timeline.seek;
  if (model_.broken || (!model_.running && more == 0 && !seek)) {
    model_.steps_last_frame = 0;
    return false;
  }
  try {
    StopSink sink(stop_);
    const ScopedProgressSink watching(sink);
    const ScopedTask work("energies");
    begin_run();
    if (model_.comparing && model_.running && !seek) next_map();
  } catch (const std::exception& error) {
    failure_ = std::current_exception();
    model_.running = false, model_.steps_last_frame = 0;
    end_turns();
    end_seek();
    note(error.what(), true);
    return false;
  }
  // A map's first evaluation after the switch is not timed, so a turn has two steps at least.
  const u64 least = model_.comparing ? 2 : 1;
  const bool by_clock = model_.pace > 0 && !model_.comparing;
  const u64 in_frame = by_clock ? steps_by_clock() : std::max<u64>(least, model_.steps_per_frame);
  const u64 steps = seek ? seek->to - model_.steps : more + (model_.running ? in_frame : 0);
  if (steps == 0) {
    model_.steps_last_frame = 0;
    return false;
  }
  job_.reset(new StepJob{
      .simulation = *simulation_,
      .ends = stop_,
      .asked = more,
      .steps = steps,
      .least = least,
      .seconds = seconds,
      .lost_after = loses_at_ ? std::optional(*loses_at_ - std::min(*loses_at_, model_.steps)) : std::nullopt,
      .timeline = timeline_.get(),
      .until = model_.running && !seek ? model_.until : std::nullopt,
      .config = model_.asked,
      .turn = seek ? std::nullopt : next_turn(clock_s()),
      .look = [this] { return look(); },
  });
  return true;
}

void Session::account_steps() {
  const StepJob& job = *job_;
  note_work();
  if (job.done > 0) step_seconds_ = job.took / static_cast<double>(job.done);
  const double before = model_.time;
  if (job.changed) adopt(job.config), show_bodies(timeline_->population());
  show_clock();
  due_ = std::max(0.0, due_ - std::abs(model_.time - before));
  const u64 reached = model_.steps;
  model_.steps_last_frame = job.done;
  if (timeline_ && job.broken) timeline_->reach(*simulation_);
  show_timeline();
  const std::optional<TimelineModel::Seek> seek = model_.timeline.seek;
  if (job.failure) end_seek();
  if (job.failure && recover(job.failure)) {
    if (seek) note(phrase("step {} was lost on the way to it.", grouped(seek->to)), true);
    // Steps that are not taken, or were lost with the device, are still to be taken.
    const u64 lost = reached - model_.steps;
    if (job.asked > 0) model_.steps_asked += lost + job.asked - std::min(job.asked, job.done);
    return;
  }
  if (job.failure) {
    model_.running = false;
    model_.broken = job.broken;
    end_turns();
    failure_ = job.failure;
    return;
  }
  if (job.asked > job.done) model_.steps_asked += job.asked - job.done;
  account_ranks();
  account_diagnostics();
  keep_copy();
  end_until();
  if (seek && model_.steps == seek->to) return arrive();
  const bool first = std::exchange(skip_samples_, 0) > 0;
  if (job.turn && !job.changed) account_turn(*job.turn, job.turn_took);
  if (first && (job.done < 2 || job.changed)) return;
  const Engine::Timing& timing = job.timing;
  model_.force.add(timing.force);
  model_.integrate.add(timing.integrate);
  if (!model_.pair_maps.empty()) {
    model_.pair_maps[static_cast<u32>(model_.asked.pair_map)].force.add(timing.force - timing.triples);
  }
  const bool products = model_.engine.arithmetic == Arithmetic::tensor;  // of triples: driven by a map of pairs
  if (!model_.triple_maps.empty() && !products) {
    model_.triple_maps[static_cast<u32>(model_.asked.triple_map)].force.add(timing.triples);
  }
}

void Session::add_work(const char* name, WorkLane lane, u8 depth, const Engine::When& when) {
  constexpr std::size_t kMax = 64;  // of a caller that takes none
  if (when.end <= 0) return;
  if (work_.size() >= kMax) work_.erase(work_.begin());
  work_.push_back({name, lane, depth, when.begin, when.end});
}

/// When the job's parts were done. On the calling thread they are within a part of its frame.
void Session::note_work() {
  const StepJob& job = *job_;
  const WorkLane lane = job.on_thread ? WorkLane::step_thread : WorkLane::draw_thread;
  const u8 depth = job.on_thread ? 0 : 1;
  const bool device = model_.backend.name != "cpu";
  double at = job.began;
  const auto next = [&](const char* name, double took) {
    if (took > 0) add_work(name, lane, depth, {at, at + took});
    at += took;
  };
  next("steps", job.took);
  next("turn", job.turn ? job.turn_took : 0);
  next("diagnostics", job.diagnose_took);
  const Engine::Timing& t = job.timing;
  if (job.done == 0) return;
  if (device) {
    add_work("steps", WorkLane::gpu_step, 0, t.steps_when);
    if (t.force_when.begin >= t.steps_when.begin) add_work("force", WorkLane::gpu_step, 1, t.force_when);
  } else if (t.force_when.begin >= job.began) {
    add_work("force", lane, static_cast<u8>(depth + 1), t.force_when);
  }
}

void Session::account_diagnostics() {
  const StepJob& job = *job_;
  if (!job.diagnose) return;
  if (job.row) add_diagnostics(*job.row);
  tell(job.looked);
  if (job.diagnose_failure) recover(job.diagnose_failure);
  diagnosing_.at = clock_s(), diagnosing_.cost = job.diagnose_took;
}

void Session::advance(double seconds) {
  if (series_) return show_next(false);
  if (!plan_steps(seconds)) return;
  job_->run();
  account_steps();
}

void Session::begin_steps(double seconds) {
  if (series_) return show_next(true);
  if (!plan_steps(seconds)) return;
  job_->diagnose = diagnostics_due(clock_s());
  job_->on_thread = true;
  begun_at_ = clock_s();
  thread_.begin([job = job_.get()] { job->run(); });
}

bool Session::finish_steps(double patience) {
  if (!busy()) return true;
  if (!thread_.wait(patience)) return false;
  survey_job_ ? account_survey() : frame_job_ ? account_frame() : account_steps();
  return true;
}

bool Session::steps_overlap() const {
  if (model_.backend.name != "cpu" || series_) return true;
  return step_seconds_ ? *step_seconds_ > kFrame : model_.n > kSurelyQuick;
}

// Queries of a session: diagnostics, one body, all bodies as they are drawn.

namespace {

constexpr u64 kManyEdited = 65536;  // beyond, only the running watch says what is lost

}  // namespace

void Session::show_shares() {
  model_.pair_shares = engine().shares(Domain::triangle), model_.triple_shares = engine().shares(Domain::tetrahedron);
}

/// Times belong to the shares that they were measured with.
void Session::account_ranks() {
  show_shares();
  const Engine::Timing timing = engine().timing();
  if (timing.rank_parts != model_.rank_parts) model_.rank_ms.clear();
  model_.rank_parts = timing.rank_parts;
  model_.rank_ms.resize(timing.rank_ms.size());
  for (std::size_t r = 0; r < timing.rank_ms.size(); ++r) {
    Samples& samples = model_.rank_ms[r];
    if (samples.empty() || samples.last() != timing.rank_ms[r]) samples.add(timing.rank_ms[r]);
  }
}

void Session::add_diagnostics(const DiagnosticsRow& row) {
  auto& rows = model_.diagnostics;
  diagnosed_step_ = row.step;
  watch_energy(row);
  if (!rows.empty() && rows.back().step >= row.step) return;  // of a step that is shown again
  if (row_count_++ % row_stride_ != 0) return;
  rows.push_back(row);
  if (rows.size() < SessionModel::kMaxRows) return;
  std::size_t kept = 0;  // drops every second row, and from now on half as many are added
  for (std::size_t k = 0; k < rows.size(); k += 2) rows[kept++] = rows[k];
  rows.resize(kept);
  row_stride_ *= 2, row_count_ = 0;
}

/// Says once that the energy is lost, after each change anew.
void Session::watch_energy(const DiagnosticsRow& row) {
  constexpr double kLost = 0.5;  // relative
  if (!watches_energy_ || !conserves_energy(model_.scene.field)) return;
  if (!(judges_as_run_ ? energy_is_off(row) : std::abs(row.energy_error) > kLost)) return;
  watches_energy_ = false;
  if (judges_as_run_) return note(energy_warning(row, *simulation_), false);
  note(
      "the energy has changed by more than half: the time step is too long for the forces. Shorten it (panel Physics), "
      "or soften the law",
      false);
}

bool Session::diagnostics_due(double now_seconds) const {
  const bool again = !model_.diagnostics.empty() && model_.diagnostics.back().step > model_.steps;
  const bool fast = watches_motion_ && motion_.steps_to_look(model_.steps, model_.first_step, model_.n) == 0;
  return !model_.broken && !again && !series_ && (fast || diagnosing_.is_due(now_seconds));
}

void Session::diagnose(double now_seconds) {
  TRI_EXPECTS(!busy());
  if (model_.steps == diagnosed_step_ || !diagnostics_due(now_seconds)) return;
  const double begin = clock_s();
  StopSink sink(stop_);
  const ScopedProgressSink watching(sink);
  const ScopedTask work("energies");
  try {
    begin_run();
    add_diagnostics(simulation_->diagnostics());
    tell(look());
  } catch (const InterruptedError&) {  // the session is to end
  } catch (const std::exception&) {
    recover(std::current_exception());
  }
  diagnosing_.at = now_seconds, diagnosing_.cost = clock_s() - begin;
}

void Session::watch_motion() { tell({{}, lost_motion()}); }

Session::Looked Session::look() {
  const ForceField& field = simulation_->scene().field;
  const bool springs = OverlapWatch::wants(field);
  return {springs ? overlaps_.look(engine().read(), field, simulation_->time()) : "", lost_motion()};
}

std::string Session::lost_motion() {
  const u64 step = simulation_->step_count();
  if (series_ || !watches_motion_ || step == simulation_->first_step()) return "";
  const Scene& scene = simulation_->scene();
  const double dt = simulation_->automatic() ? simulation_->step_lengths().last : scene.dt;
  return motion_.look(step, engine().read(), scene.field, dt, engine().config().precision);
}

void Session::tell(const Looked& looked) {
  if (!looked.overlap.empty()) note(looked.overlap, false);
  model_.overlap_max = overlaps_.largest().of_radius;
  if (looked.motion.empty()) return;
  watches_motion_ = false;
  note(looked.motion, false);
}

/// After a change of bodies, laws or the time step: says what the precision loses now, unless that was said before.
void Session::watch_anew() {
  overlaps_ = {}, model_.overlap_max = 0, watches_energy_ = true;
  if (series_ || model_.n > kManyEdited) return;
  Scene scene = simulation_->scene();
  scene.bodies = engine().read();
  const std::string loss = precision_note(scene, false, engine().config().precision, true);
  if (!loss.empty() && watches_motion_) note(loss, false);
  motion_ = {}, watches_motion_ = loss.empty();
}

void Session::inspect(std::optional<u32> body, double now_seconds) {
  TRI_EXPECTS(!busy());
  auto& seen = model_.inspected;
  if (!body || *body >= model_.n) {
    seen.reset();
    return;
  }
  const bool same = seen && seen->body == *body;
  if (same && seen->step == model_.steps && seen->time == model_.time) return;
  if (same && !inspecting_.is_due(now_seconds)) return;
  const double begin = clock_s();
  try {
    const Bodies all = engine().read();
    const bool contact = model_.scene.field.pair == PairLaw::contact;
    const std::vector<Instance> shown = drawn(contact ? InstanceScalar::contacts : InstanceScalar::mass);
    const std::size_t i = *body;
    const ForceField& field = model_.scene.field;
    const bool acts = field.pair != PairLaw::none || field.triple != TripleLaw::none;
    // An engine that evaluated no forces yet, as after an edit, publishes 0 for all.
    const bool forced = std::any_of(shown.begin(), shown.end(), [](const Instance& b) { return b.acceleration != 0; });
    seen = Inspected{*body,
                     model_.steps,
                     model_.time,
                     {all.x[i], all.y[i], all.z[i]},
                     {all.vx[i], all.vy[i], all.vz[i]},
                     all.m[i],
                     all.r[i],
                     forced || !acts ? std::optional(static_cast<double>(shown[i].acceleration)) : std::nullopt,
                     all.group.empty() ? std::nullopt : std::optional<u32>(all.group[i]),
                     contact ? std::optional(static_cast<u32>(shown[i].mass)) : std::nullopt,
                     all.q.empty() ? std::nullopt : std::optional<double>(all.q[i])};
  } catch (const std::exception&) {
    seen.reset();
    recover(std::current_exception());
  }
  inspecting_.at = now_seconds, inspecting_.cost = clock_s() - begin;
}

std::pair<double, double> Session::publish_by(const Request& map, InstanceSink& sink) {
  TRI_EXPECTS(!busy());
  if (has_impulses(model_.scene.field)) {
    throw ConfigError("impulses change the bodies and leave no forces to be compared; contacts by springs have them.");
  }
  const auto* pairs = std::get_if<ask::PairMap>(&map);
  const auto* triples = std::get_if<ask::TripleMap>(&map);
  TRI_EXPECTS(pairs != nullptr || triples != nullptr);
  const EngineConfig own = triples != nullptr ? in_tiles_of_triples(model_.asked) : model_.asked;
  EngineConfig other = own;
  if (pairs != nullptr) other.pair_map = pairs->map;
  if (triples != nullptr) other.triple_map = triples->map;
  const auto of_domain = [&](const MapTurn::Times& t) { return pairs != nullptr ? t.pairs : t.triples; };
  try {
    const double other_ms = of_domain(time_evaluation(engine(), other));
    sink.scalar = model_.scalar;
    engine().publish(sink);
    const double own_ms = of_domain(time_evaluation(engine(), own));
    if (own != model_.asked) engine().configure(model_.asked);
    return {own_ms, other_ms};
  } catch (...) {
    engine().configure(model_.asked);
    throw;
  }
}

DistanceResult Session::distances(const PointSet& points, DistanceLayout layout) {
  TRI_EXPECTS(!busy());
  return backend_->distances(points, layout, model_.asked);
}

TreePicture Session::tree(u32 most) const { return tree_picture(bodies(), model_.scene.field, model_.asked, most); }

Bodies Session::bodies() const {
  TRI_EXPECTS(!busy());
  return engine().read();
}

std::vector<Instance> Session::drawn(InstanceScalar scalar) const {
  TRI_EXPECTS(!busy());
  std::vector<Instance> instances(model_.n);
  InstanceSink sink{InstanceSink::Place::host, instances, scalar};
  engine().publish(sink);
  return instances;
}

void Session::publish(InstanceSink& sink) {
  TRI_EXPECTS(!busy());
  sink.scalar = model_.scalar;
  try {
    engine().publish(sink);
  } catch (const std::exception& error) {
    if (!recover(error)) throw;
    return;
  }
  model_.publish.add(engine().timing().publish);
  add_work("publish", WorkLane::gpu_step, 0, engine().timing().publish_when);
}

std::array<double, 3> Session::place_of(std::size_t body) const {
  TRI_EXPECTS(!busy() && body < model_.n);
  const Bodies bodies = engine().read();
  return {bodies.x[body], bodies.y[body], bodies.z[body]};
}

Box Session::view_box() const {
  TRI_EXPECTS(!busy());
  Box box;
  const Bodies bodies = engine().read();
  const std::vector<double>* axes[] = {&bodies.x, &bodies.y, &bodies.z};
  for (std::size_t a = 0; a < 3; ++a) {
    std::vector<double> values = *axes[a];
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    if (values.empty()) continue;
    const std::size_t out = values.size() >= 100 ? values.size() / 50 : 0;
    const auto at = [&](std::size_t k) {
      std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k), values.end());
      return values[k];
    };
    box.low[a] = at(out), box.high[a] = at(values.size() - 1 - out);
  }
  return box;
}

// A device that fails while a session runs: the session goes on without it.

namespace {

/// Neither what was asked for nor the bodies can be the cause.
bool is_of_the_device(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return known != nullptr && dynamic_cast<const ConfigError*>(known) == nullptr &&
         dynamic_cast<const NumericalError*>(known) == nullptr && dynamic_cast<const MemoryError*>(known) == nullptr &&
         dynamic_cast<const FileError*>(known) == nullptr && dynamic_cast<const InterruptedError*>(known) == nullptr;
}

}  // namespace

/// Host memory is not lost with a device, so the cpu backend needs no copies.
void Session::keep_copy() {
  if (model_.backend.name == "cpu" || copy_.step == model_.steps || model_.broken) return;
  const double begin = clock_s();
  if (!copying_.is_due(begin)) return;
  try {
    copy_ = {engine().read(), model_.steps, model_.time};
  } catch (const std::exception&) {
    recover(std::current_exception());
    return;
  }
  copying_.done(begin, clock_s());
  add_work("copy", WorkLane::draw_thread, 1, {begin, clock_s()});
}

/// Replaces the engine of a device that failed by one of the cpu backend. False where the error is of another kind, or
/// the cpu backend failed.
bool Session::recover(const std::exception& error) {
  std::unique_ptr<Backend> lost;  // goes last, after the states that were kept on it
  if (!is_of_the_device(error) || (model_.backend.name == "cpu" && !loses_at_)) return false;
  const std::string what = stated(error.what());
  Copy from{{}, model_.steps, model_.time};
  PopulationPtr population = model_.population;
  std::string rest = phrase("at step {}", grouped(model_.steps));
  try {
    from.bodies = engine().read();
    check(from.bodies);
  } catch (const std::exception&) {  // gone with the device
    const bool copied = copy_.bodies.size() > 0;
    from = copied ? copy_ : Copy{first_->bodies, model_.first_step, simulation_->first_time()};
    if (!copied) population = first_;
    rest = phrase("from step {}, the last that could be kept of {}", grouped(from.step), grouped(model_.steps));
  }
  try {
    Scene scene = model_.scene;
    scene.bodies = std::move(from.bodies);
    EngineConfig wanted = model_.asked;
    auto backend = make_backend("cpu");
    auto engine = make_fitting_engine(*backend, scene, wanted);
    simulation_->replace_engine(std::move(engine), from.step, from.time);  // before the backend of the old one goes
    lost = std::exchange(backend_, std::move(backend));
    model_.asked = wanted;
  } catch (const std::exception& second) {
    note(phrase("{} The cpu backend cannot go on either: {}", what, stated(second.what())), true);
    return false;
  }
  model_.backend = backend_->info(), model_.engine = engine().config();
  show_clock();
  loses_at_.reset(), step_seconds_.reset();
  copy_ = {};
  ++lost_;
  std::erase_if(model_.diagnostics, [&](const DiagnosticsRow& row) { return row.step > from.step; });
  show_bodies(population);
  forget_states();
  update_maps();
  note(phrase("{} The session goes on with the cpu backend {}.", what, rest), true);
  return true;
}

/// What was kept on the device went with it.
void Session::forget_states() {
  for (std::vector<Done>* all : {&past_, &future_}) {
    std::erase_if(*all, [](const Done& done) { return std::holds_alternative<Place>(done.before); });
    for (Done& done : *all) {
      if (auto* reset = std::get_if<BeforeReset>(&done.before)) reset->timeline.reset(), reset->shown = {};
    }
  }
  show_history();
  begin_timeline();
}

/// The same; an error that stays becomes a notice.
bool Session::recover(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    const bool recovered = recover(error);
    if (!recovered) note(error.what(), true);
    return recovered;
  }
}

}  // namespace tri::app
