// The steps of a run: when to report, to save and to stop.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/commands/run.hpp"
#include "app/support/console.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/files/file.hpp"

namespace tri::app {

SaveSchedule::SaveSchedule(const SaveEvery& every, double dt, double now_s) : every_(every), dt_(dt), last_s_(now_s) {
  if (every.by == SaveEvery::By::time && every.amount < dt) {
    throw ConfigError(fmt::format("--save-every dt={:.9g} is shorter than a step, dt = {:.9g}; take --save-every 1.",
                                  every.amount, dt));
  }
}

/// The first step after `step` that is due by its number; kNever if that is beyond the steps a run can have.
u64 SaveSchedule::next_step(u64 step) const {
  if (every_.by == SaveEvery::By::steps) return step - step % every_.steps + every_.steps;
  // The last multiple before the current time or the first after it may already fall in this step.
  double mark = std::floor(static_cast<double>(step) * dt_ / every_.amount);
  for (;; ++mark) {
    const double at = std::floor(mark * every_.amount / dt_ + 0.5);
    if (at > 0x1p53) return kNever;
    if (at > static_cast<double>(step)) return static_cast<u64>(at);
  }
}

double SaveSchedule::next_time(double time) const {
  if (!by_time() || dt_ > 0) return std::numeric_limits<double>::infinity();
  double mark = std::floor(time / every_.amount);
  for (; mark < 0x1p53; ++mark) {
    if (mark * every_.amount > time) return mark * every_.amount;
  }
  return std::numeric_limits<double>::infinity();
}

u64 SaveSchedule::steps_to_next(u64 step) const {
  const bool by_number = every_.by == SaveEvery::By::steps || (by_time() && dt_ > 0);
  return by_number ? next_step(step) - step : kNever;
}

bool SaveSchedule::due(u64 step, double time, double now_s) const {
  switch (every_.by) {
    case SaveEvery::By::never:
      return false;
    case SaveEvery::By::wall:
      return now_s - last_s_ >= every_.amount;
    case SaveEvery::By::time:
      if (!(dt_ > 0)) return step > 0 && std::round(time / every_.amount) * every_.amount == time;
      [[fallthrough]];
    default:
      return step > 0 && next_step(step - 1) == step;
  }
}

namespace {

/// A pipe may have no reader yet, and Ctrl-C ends the program that waits for one. Null for a file.
std::unique_ptr<InterruptDeadline> at_a_pipe(const std::string& path, Console& console) {
  if (!io::is_pipe(path) || interrupt_flag()) return nullptr;
  return std::make_unique<InterruptDeadline>(
      [&console, path] { say_interrupted(console, false, fmt::format("interrupted; {} was not read.", path)); });
}

constexpr u64 kUsualRows = 1000;
constexpr u64 kUsualInterval = 100;        ///< steps between rows where the number of steps is not known
constexpr u64 kManySteps = 999'999'999;    ///< the same for the digits in file names
constexpr double kLookEverySeconds = 0.1;  ///< at the clock, for progress and for what goes by it
constexpr double kSlowDiskBytesPerSecond = 5e7;
constexpr double kBytesPerBody = 64;
constexpr double kLongStep = 0.2;
constexpr double kWatchShare = 0.02;  ///< of the time, for energies that nobody asked for
constexpr double kFreeWatch = 0.05;   ///< seconds, whatever their share
constexpr std::size_t kManyBodies = std::size_t{1} << 20;

/// A name for work that one waits for, and so a line of its own; short work, and there is a lot of it, goes without.
class LongWork {
 public:
  LongWork(double usual_seconds, bool first, const char* what, u64 step) {
    if (first || usual_seconds > kLongStep) name_.emplace(fmt::format("{} {}", what, grouped(step)));
  }

 private:
  std::optional<ScopedTask> name_;
};

}  // namespace

std::string snapshot_name(const std::string& pattern, u64 step, u64 last_step) {
  const std::size_t digits = fmt::formatted_size("{}", last_step);
  std::string name = pattern;
  const std::string number = fmt::format("{:0{}}", step, digits);
  for (std::size_t at = 0; (at = name.find("{step}", at)) != std::string::npos; at += number.size()) {
    name.replace(at, 6, number);
  }
  return name;
}

std::string progress_text(u64 step, u64 last_step, u64 done, double seconds) {
  const double percent = last_step > 0 ? 100.0 * static_cast<double>(step) / static_cast<double>(last_step) : 100.0;
  std::string text = fmt::format("step {} of {} ({:.0f} %)", grouped(step), grouped(last_step), std::floor(percent));
  if (done == 0 || !(seconds > 0)) return text;
  const auto taken = static_cast<double>(done);
  return text + fmt::format(", {:.3g} steps/s", taken / seconds) +
         time_left(taken, taken + static_cast<double>(last_step - step), seconds);
}

std::string progress_text(double time, double end, u64 step, u64 done, double seconds) {
  std::string text =
      fmt::format("t = {:.6g} of {:.6g} ({:.0f} %), step {}", time, end, std::floor(100 * time / end), grouped(step));
  if (done > 0 && seconds > 0) text += fmt::format(", {:.3g} steps/s", static_cast<double>(done) / seconds);
  return text;
}

RunLoop::RunLoop(const RunOptions& options, Simulation& simulation, Console& console, RunRecord record, double begin_s)
    : options_(options),
      simulation_(simulation),
      console_(console),
      record_(std::move(record)),
      first_step_(simulation.step_count()),
      begin_s_(begin_s),
      loop_begin_s_(clock_s()),
      schedule_(options.save_every, automatic() ? 0 : simulation.scene().dt, loop_begin_s_),
      watches_energy_(conserves_energy(simulation.scene().field)),
      series_(options.snapshot) {
  if (options.steps) record_.last_step = first_step_ + *options.steps, record_.last_time = 0;
  if (options.until && automatic()) {
    simulation.require_time_ahead(*options.until, *options.until < simulation.time());
    record_.last_time = *options.until;
  } else if (options.until) {
    record_.last_step = first_step_ + simulation.steps_until(*options.until);
  }
  if (options.diag_every) record_.diag_every = *options.diag_every;
  if (record_.diag_every == 0) {
    record_.diag_every = record_.last_time > 0 ? kUsualInterval : std::max<u64>(1, record_.last_step / kUsualRows);
  }
  if (options.energy_limit) simulation.set_energy_limit(*options.energy_limit, record_.diag_every);
  save_s_ = kBytesPerBody * static_cast<double>(simulation.size()) / kSlowDiskBytesPerSecond;
}

void RunLoop::begin() {
  const bool known = options_.save_every.by == SaveEvery::By::steps || options_.save_every.by == SaveEvery::By::time;
  const u64 left = record_.last_time > 0 ? SaveSchedule::kNever : record_.last_step - first_step_;
  if (known && !series_.wanted() && schedule_.steps_to_next(first_step_) > left) {
    console_.note("the run ends before a step of --save-every, so --snapshot writes nothing unless it ends early.");
  }
  const bool goes_on = record_.rows > 0;
  LoggedRun logged{simulation_.initial(), automatic() ? 0 : simulation_.scene().dt, simulation_.time(), 0};
  if (goes_on) {
    const Bodies b = simulation_.bodies();
    for (std::size_t i = 0; i < b.size(); ++i) {
      logged.kinetic += 0.5 * b.m[i] * (b.vx[i] * b.vx[i] + b.vy[i] * b.vy[i] + b.vz[i] * b.vz[i]);
    }
  }
  if (!options_.diag.empty()) {
    const StepKind kind = automatic() ? StepKind::automatic : StepKind::fixed;
    const auto waiting = at_a_pipe(options_.diag, console_);
    goes_on ? log_.emplace(options_.diag, first_step_, kind, &logged) : log_.emplace(options_.diag, kind);
    if (log_->rows_removed() > 0) {
      console_.note(fmt::format("{}: {} rows beyond step {} are taken out; the run comes to them again.", options_.diag,
                                log_->rows_removed(), first_step_));
    }
  }
  const double before = clock_s();
  // The first row of a run is there already; one that goes on has it in its log, unless that is new or Ctrl-C came
  // before the row.
  if (!goes_on) {
    add_row(simulation_.initial(), true);
    if (series_.wanted() && options_.save_every.by != SaveEvery::By::never) save_step();  // a film begins at its begin
    return;
  }
  const bool due = first_step_ % record_.diag_every == 0;
  add_row(measured(), log_ && (log_->is_new() || (due && !log_->ended_at(first_step_))));
  row_s_ = clock_s() - before;
}

void RunLoop::run() {
  try {
    go();
  } catch (const FileError& error) {
    if (last_snapshot_.empty()) throw;
    throw FileError(
        fmt::format("{} {} is whole: go on with --restart {}.", error.what(), last_snapshot_, last_snapshot_));
  }
}

void RunLoop::go() {
  begin();
  loop_begin_s_ = clock_s();
  try {
    watch_overlaps(false);
    while (!at_end() && !simulation_.stop_requested()) {
      const u64 steps = steps_to_next();
      if (time_is_over(steps)) {
        ending_ = RunEnding::walltime;
        break;
      }
      const double before = clock_s();
      const LongWork named(step_s(), done() == 0, "step", simulation_.step_count() + 1);
      const u64 taken = simulation_.advance(steps, next_time());
      seconds_ += clock_s() - before;
      if (taken > 0) look_around();
    }
  } catch (const InterruptedError&) {  // in a long step, which is as if it had not begun, or in the energies after one
  }
  end();
}

bool RunLoop::at_end() const {
  if (record_.last_time > 0) return simulation_.time() >= record_.last_time;
  return simulation_.step_count() >= record_.last_step;
}

/// The time that automatic steps have to meet next: of a snapshot, or the end.
double RunLoop::next_time() const {
  const double next = schedule_.next_time(simulation_.time());
  return record_.last_time > 0 ? std::min(next, record_.last_time) : next;
}

std::string RunLoop::progress() const {
  const u64 step = simulation_.step_count();
  const double seconds = clock_s() - loop_begin_s_;
  if (record_.last_time > 0) return progress_text(simulation_.time(), record_.last_time, step, done(), seconds);
  return progress_text(step, record_.last_step, done(), seconds);
}

std::string RunLoop::name_at(u64 step) const {
  return snapshot_name(options_.snapshot, step, record_.last_time > 0 ? kManySteps : record_.last_step);
}

/// Steps to the nearest of: row, snapshot, end; few enough to look at the clock some times a second.
u64 RunLoop::steps_to_next() const {
  const u64 step = simulation_.step_count();
  u64 next = schedule_.steps_to_next(step);
  if (!(record_.last_time > 0)) next = std::min(next, record_.last_step - step);
  if (log_) next = std::min(next, record_.diag_every - step % record_.diag_every);
  next = std::min(next, steps_to_look());
  const double in_time = step_s() > 0 ? kLookEverySeconds / step_s() : 0;
  return std::min(next, std::max<u64>(1, static_cast<u64>(std::min(in_time, 0x1p53))));
}

/// Steps to the looks that do not go by the clock.
u64 RunLoop::steps_to_look() const {
  u64 next = ~u64{0};
  if (watches_overlaps()) next = overlaps_.steps_to_look(simulation_.time(), simulation_.scene().dt);
  if (watches_motion_) next = std::min(next, steps_to_motion());
  return std::max<u64>(1, next);
}

/// Whether --walltime would be over with these steps, and the last row and state after them.
bool RunLoop::time_is_over(u64 steps) const {
  if (!options_.walltime) return false;
  const double after = clock_s() - begin_s_ + static_cast<double>(steps) * step_s();
  return after + row_s_ + 2 * save_s_ > *options_.walltime;
}

DiagnosticsRow RunLoop::measured() {
  const LongWork named(row_s_, row_s_ == 0, "energies of step", simulation_.step_count());
  return simulation_.diagnostics();
}

void RunLoop::look_around() {
  const u64 step = simulation_.step_count();
  if (log_ && step % record_.diag_every == 0) {
    const double before = clock_s();
    add_row(measured(), true);
    row_s_ = std::max(row_s_, clock_s() - before);
  } else {
    watch_energy();
  }
  watch_overlaps(false);
  watch_motion(false);
  if (schedule_.due(step, simulation_.time(), clock_s())) save_step();
  console_.progress(progress());
}

void RunLoop::end() {
  const u64 step = simulation_.step_count();
  if (!at_end() && ending_ == RunEnding::whole) ending_ = RunEnding::interrupted;
  look_at_last();
  if (ending_ != RunEnding::whole && !options_.snapshot.empty()) {
    if (name_at(step) != last_snapshot_) save_step();
  }
  if (row_s_ > 0) console_.detail(fmt::format("energies of a step: {:.3g} s at most", row_s_));
  if (!options_.output.empty()) {
    const auto waiting = at_a_pipe(options_.output, console_);
    save(options_.output);
  }
  check_finite(last_, simulation_.scene().field);  // after the state is saved
}

/// What takes long is not waited for after Ctrl-C.
void RunLoop::look_at_last() {
  try {
    if (last_.step != simulation_.step_count()) {
      const double before = clock_s();
      add_row(measured(), true);
      row_s_ = std::max(row_s_, clock_s() - before);
    }
    watch_overlaps(true);
    watch_motion(true);
  } catch (const InterruptedError&) {
  }
}

void RunLoop::add_row(const DiagnosticsRow& row, bool write) {
  if (log_ && write) log_->write(row);
  last_ = row;
  record_.energy_error_max = std::max(record_.energy_error_max, std::abs(row.energy_error));
  ++record_.rows;
  check_energy(row);
}

/// Measures the energy for check_energy() now and then: in a run without a log, that is at most 2 % of the time.
void RunLoop::watch_energy() {
  if (!watches_energy_) return;
  const double now = clock_s();
  const double cost = row_s_ > 0 ? row_s_ : loop_begin_s_ - begin_s_;  // the first energy is measured before the loop
  if (now - loop_begin_s_ < (watched_s_ + cost) / kWatchShare) return;
  check_energy(measured());
  row_s_ = std::max(row_s_, clock_s() - now);
  watched_s_ += clock_s() - now;
}

/// In a long run that takes a fiftieth of the time.
bool RunLoop::watches_overlaps() const {
  if (!OverlapWatch::wants(simulation_.scene().field)) return false;
  return overlaps_s_ < kFreeWatch || overlaps_s_ < kWatchShare * (clock_s() - loop_begin_s_);
}

/// Says once that spheres press into each other; last: looks at the last state whatever it costs, unless it is large.
void RunLoop::watch_overlaps(bool last) {
  const double now = clock_s();
  const bool in_end = last && OverlapWatch::wants(simulation_.scene().field) && simulation_.size() <= kManyBodies;
  const double dt = simulation_.scene().dt;
  if (!in_end && (!watches_overlaps() || overlaps_.steps_to_look(simulation_.time(), dt) > 0)) return;
  if (std::exchange(overlaps_step_, simulation_.step_count()) == simulation_.step_count()) return;
  const ScopedTask work("overlaps of the spheres");  // so that Ctrl-C ends it
  const std::string said = overlaps_.look(simulation_.bodies(), simulation_.scene().field, simulation_.time());
  if (!said.empty()) notes_.push_back(said), console_.note(said);
  overlaps_s_ += clock_s() - now;
}

/// Says once that the energy is off.
void RunLoop::check_energy(const DiagnosticsRow& row) {
  if (!watches_energy_ || !energy_is_off(row)) return;
  watches_energy_ = false;
  console_.note(energy_warning(row, simulation_));
}

/// Looks for bodies that the precision has lost: at the end, during at most 2 % of the time, and where motion_ is due.
/// (The first time in a run it is not known how long that takes.)
void RunLoop::watch_motion(bool last) {
  if (!watches_motion_ || done() == 0) return;
  const double now = clock_s();
  const bool few = simulation_.size() <= kManyBodies;
  if (steps_to_motion() > 0 && !(last && few) && now - loop_begin_s_ < (motion_s_ + looked_s_) / kWatchShare) return;
  const ScopedTask work("a look at the motion");
  const double dt = automatic() ? simulation_.step_lengths().last : simulation_.scene().dt;
  const Precision precision = simulation_.engine().config().precision;
  const ForceField& field = simulation_.scene().field;
  const std::string text = motion_.look(simulation_.step_count(), simulation_.bodies(), field, dt, precision);
  if (!text.empty()) note_motion(text);
  looked_s_ = clock_s() - now;
  motion_s_ += looked_s_;
}

void RunLoop::note_motion(const std::string& text) {
  watches_motion_ = false;
  notes_.push_back(text);
  console_.note(text);
}

void RunLoop::save(const std::string& path) {
  const double before = clock_s();
  simulation_.save(path, record_);
  if (is_snapshot_name(path)) last_snapshot_ = path;
  save_s_ = std::max(save_s_, clock_s() - before);
  schedule_.saved(clock_s());
  console_.detail(fmt::format("wrote {}", path));
}

/// The state as the pattern of snapshots names it.
void RunLoop::save_step() {
  const std::string path = name_at(simulation_.step_count());
  if (const auto folder = std::filesystem::path(path).parent_path(); options_.snapshot.find(folder.string()) != 0) {
    std::error_code failed;  // which save() meets again, and names
    std::filesystem::create_directories(folder, failed);
  }
  save(path);
  series_.add(path, simulation_.time());
}

RunSummary RunLoop::summary(const Backend& backend) const {
  RunSummary s;
  s.scene = simulation_.scene();
  s.scene.notes.insert(s.scene.notes.end(), notes_.begin(), notes_.end());
  s.n = simulation_.size();
  s.backend = backend.info();
  s.engine = simulation_.engine().config();
  s.steps = simulation_.step_count(), s.steps_before = first_step_, s.steps_wanted = record_.last_step;
  s.time_wanted = record_.last_time;
  s.lengths = simulation_.step_lengths();
  s.time = simulation_.time(), s.seconds = seconds_;
  s.ending = ending_;
  s.first = simulation_.initial(), s.last = last_;
  s.energy_error_max = record_.energy_error_max, s.rows = record_.rows;
  s.has_orbits = options_.orbits;
  if (s.has_orbits) s.orbits = osculating_orbits(simulation_.bodies(), s.scene.field.gravity.G);
  if (OverlapWatch::wants(s.scene.field)) s.overlap = overlaps_.largest();
  s.rank_ms = simulation_.engine().timing().rank_ms;
  s.hash = simulation_.state_hash();
  return s;
}

}  // namespace tri::app
