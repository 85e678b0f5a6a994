#include "app/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "app/session/session_maps.hpp"
#include "app/support/scene_spec.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/progress.hpp"
#include "sim/io/format.hpp"

namespace tri::app {
namespace {

constexpr std::size_t kMaxPast = 100;

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Session::~Session() = default;

void Session::note(const std::string& text, bool error) {
  if (!model_.notices.empty() && model_.notices.back().text == text) {
    ++model_.notices.back().count;
    return;
  }
  model_.notices.push_back({text, error, 1});
  if (model_.notices.size() > SessionModel::kMaxNotices) model_.notices.pop_front();
}

/// Everything is made beside the old scene and then put in its place, so that a failure leaves the old one.
void Session::open(const std::string& spec, const EngineConfig& config, Way of_run) {
  auto [scene, run] = scene_to_view(spec);
  const BackendNeed need = need_of(scene.field);
  std::unique_ptr<Backend> made;
  if (need_ != need) made = backends_(need);
  Backend& backend = made ? *made : *backend_;
  const EngineConfig before = run && of_run == Way::as_computed ? as_computed(config, run->engine) : config;
  EngineConfig wanted = before;
  auto engine = make_fitting_engine(backend, scene, wanted);
  const FirstRow first = first_row(*engine);
  engine_ = std::move(engine);  // before its backend, which must outlive it
  step_seconds_.reset();
  if (made) backend_ = std::move(made);
  need_ = need;
  first_ = std::move(scene.bodies);
  run_ = std::move(run);
  scene.bodies = {};
  model_.spec = spec;
  model_.n = first_.size();
  model_.groups = group_count(first_);
  model_.scene = std::move(scene);
  model_.backend = backend_->info();
  model_.asked = wanted;
  model_.engine = engine_->config();
  model_.backwards = false;
  past_.clear();
  changed_ = false;
  model_.undoable = 0;
  model_.comparing = false;
  model_.first_step = run_ ? run_->step : 0;
  model_.steps = model_.first_step, model_.broken = false;  // the engine is new: nothing to go back to
  ++generation_;
  for (const std::string& text : model_.scene.notes) note(text, false);
  if (wanted.pair_map != before.pair_map || wanted.triple_map != before.triple_map) {
    note("the map does not fit this scene; the default one is in use.", false);
  }
  update_maps();
  begin(first);
}

/// Of many bodies these take a while, and who looks on is told.
Session::FirstRow Session::first_row(Engine& engine) {
  const ScopedTask work(fmt::format("energies of {} bodies", grouped(engine.size())));
  const double begin = now_s();
  const Diagnostics values = engine.diagnose();
  return {values, now_s() - begin};
}

void Session::reset() {
  std::unique_ptr<Engine> made;
  if (model_.steps > model_.first_step || model_.broken) {
    made = backend_->make_engine(first_, model_.scene.field, model_.asked);
  }
  const FirstRow first = first_row(made ? *made : *engine_);  // may be ended by who looks on
  if (made) engine_ = std::move(made);
  begin(first);
}

/// All is as at the first step of the engine, which has just been made.
void Session::begin(const FirstRow& first) {
  model_.steps_asked = 0;
  model_.steps = model_.first_step, model_.time = first_time(), model_.broken = false;
  copy_ = {};  // the first bodies serve until there is one
  loses_at_.reset();
  model_.diagnostics.clear();
  model_.inspected.reset();
  row_stride_ = 1, row_count_ = 0, diagnosed_step_ = ~u64{0}, diagnosed_at_ = 0;
  forget_times();
  if (!run_) changed_ = model_.backwards;  // a run of its own from here on
  stale_ = false;
  initial_ = run_ && !changed_ ? run_->initial : DiagnosticsRow{model_.steps, model_.time, first.values, 0};
  add_diagnostics(first.values);
  diagnose_cost_ = first.seconds;
}

/// A run that has not begun begins with the laws that it has by then, and its energies are relative to theirs.
void Session::laws_changed() {
  const bool begun = run_ || model_.steps > 0;
  (begun ? changed_ : stale_) = true;
}

void Session::begin_run() {
  if (!std::exchange(stale_, false) || model_.steps > 0) return;
  model_.diagnostics.clear();
  row_stride_ = 1, row_count_ = 0;
  const Diagnostics values = engine_->diagnose();
  initial_ = {0, 0, values, 0};
  add_diagnostics(values);
  changed_ = model_.backwards;
}

double Session::first_time() const { return static_cast<double>(model_.first_step) * model_.scene.dt; }

/// A snapshot is the run up to here, to go on with. One whose laws, step or scheme were changed on the way is not the
/// outcome of those that it has now: it is written as the begin of a run with them.
void Session::save(const std::string& path) {
  begin_run();
  Bodies bodies = engine_->read();
  check(bodies);  // nobody could read a state that is broken
  if (!is_snapshot_name(path)) {
    write_bodies(path, bodies, model_.time);
    return note(fmt::format("wrote {}", path), false);
  }
  Snapshot s{model_.scene, engine_->config(), model_.steps, initial_, run_ ? run_->record : RunRecord{}};
  s.scene.bodies = std::move(bodies);
  s.run.backend = model_.backend.name;
  if (s.run.scene.empty()) s.run.scene = model_.spec;
  s.run.rows = std::max<u64>(s.run.rows, 1);  // that of step 0, which is in the file
  if (changed_) {
    s.step = 0, s.initial = {0, 0, engine_->diagnose(), 0};
    s.run = {model_.spec, s.run.backend, 0, 0, 0, 0};
  }
  for (const DiagnosticsRow& row : model_.diagnostics) {
    if (!changed_) s.run.energy_error_max = std::max(s.run.energy_error_max, std::abs(row.energy_error));
  }
  write_snapshot(path, s);
  note(fmt::format("wrote {}{}; go on with: triangulum run --restart {}", path,
                   changed_ ? ", as the begin of a run with the present laws and step" : "", path),
       false);
}

void Session::update_maps() {
  evaluate_maps(model_, *engine_);
  forget_times();
}

void Session::forget_times() {
  for (auto* rows : {&model_.pair_maps, &model_.triple_maps}) {
    for (MapRow& row : *rows) row.force.clear();
  }
  model_.force.clear(), model_.integrate.clear(), model_.publish.clear();
  skip_samples_ = 1;
}

void Session::configure(const EngineConfig& config) {
  engine_->configure(config);
  const bool same_work = config.pair_block == model_.asked.pair_block &&
                         config.triple_block == model_.asked.triple_block &&
                         config.accumulate == model_.asked.accumulate && config.broad_phase == model_.asked.broad_phase;
  model_.asked = config;
  model_.engine = engine_->config();
  skip_samples_ = 1;
  if (!model_.comparing) model_.force.clear();
  if (!same_work) update_maps();
}

Session::Parameters Session::parameters() const {
  return {model_.scene.field, model_.scene.dt, model_.scene.integrator, model_.asked, model_.backwards};
}

void Session::remember(const Parameters& before) {
  past_.push_back(before);
  if (past_.size() > kMaxPast) past_.erase(past_.begin());
  model_.undoable = past_.size();
}

void Session::set_parameters(const Parameters& p) {
  const bool laws = p.field.pair != model_.scene.field.pair || p.field.triple != model_.scene.field.triple;
  engine_->set_field(p.field);
  model_.scene.field = p.field;
  model_.scene.dt = p.dt, model_.scene.integrator = p.integrator;
  model_.backwards = p.backwards;
  if (laws) update_maps();
  configure(p.asked);
}

void Session::next_map() {
  const auto turn = [](const std::vector<MapRow>& rows, u32 now) {
    for (std::size_t k = 1; k <= rows.size(); ++k) {
      const std::size_t at = (now + k) % rows.size();
      if (rows[at].fits()) return static_cast<u32>(at);
    }
    return now;
  };
  EngineConfig config = model_.asked;
  // Where there are triples, they are what a step is spent on.
  if (!model_.triple_maps.empty()) {
    config.triple_map = static_cast<TetraMapId>(turn(model_.triple_maps, static_cast<u32>(config.triple_map)));
  } else if (!model_.pair_maps.empty()) {
    config.pair_map = static_cast<TriangleMapId>(turn(model_.pair_maps, static_cast<u32>(config.pair_map)));
  }
  configure(config);
}

/// Each request by its meaning; what it throws is caught by apply().
struct Session::Apply {
  Session& s;
  SessionModel& m = s.model_;

  void operator()(const ask::Open& r) {
    s.open(r.scene, m.asked, Way::as_computed);
    m.running = false;
  }
  void operator()(const ask::Reset&) {
    s.reset();
    s.update_maps();
  }
  void operator()(const ask::Save& r) { s.save(r.path); }
  void operator()(const ask::Run& r) {
    if (r.on && m.broken) throw ConfigError("the state holds a number that is none. Reset it, or open another scene.");
    m.running = r.on;
  }
  void operator()(const ask::Take& r) { m.steps_asked += r.steps; }
  void operator()(const ask::StepsPerFrame& r) { m.steps_per_frame = std::max<u32>(1, r.count); }
  void operator()(const ask::Reverse&) {
    change([](Parameters& p) { p.backwards = !p.backwards; });
    s.laws_changed();
  }
  void operator()(const ask::TimeStep& r) {
    if (!(std::isfinite(r.dt) && r.dt > 0)) {
      throw ConfigError(fmt::format("the time step is {}, but it must be finite and more than 0.", r.dt));
    }
    change([&](Parameters& p) { p.dt = r.dt; });
    s.laws_changed();
  }
  void operator()(const ask::Scheme& r) {
    change([&](Parameters& p) { p.integrator = r.integrator; });
    s.laws_changed();
  }
  void operator()(const ask::Field& r) {
    change([&](Parameters& p) { p.field = r.field; });
    s.laws_changed();
  }
  void operator()(const ask::PairMap& r) {
    change([&](Parameters& p) { p.asked.pair_map = r.map; });
  }
  void operator()(const ask::TripleMap& r) {
    change([&](Parameters& p) { p.asked.triple_map = r.map; });
  }
  void operator()(const ask::Blocks& r) {
    change([&](Parameters& p) { p.asked.pair_block = r.pairs, p.asked.triple_block = r.triples; });
  }
  void operator()(const ask::Sums& r) {
    change([&](Parameters& p) { p.asked.accumulate = r.accumulate; });
  }
  void operator()(const ask::Contacts& r) {
    change([&](Parameters& p) { p.asked.broad_phase = r.broad_phase; });
  }
  void operator()(const ask::Compare& r) {
    m.comparing = r.on;
    if (r.on && !m.broken) m.running = true;
  }
  void operator()(const ask::LoseDevice& r) { s.loses_at_ = m.steps + r.steps; }
  void operator()(const ask::Undo&) {
    if (s.past_.empty()) return;
    const Parameters back = s.past_.back();
    s.past_.pop_back();
    m.undoable = s.past_.size();
    s.set_parameters(back);
    s.laws_changed();  // whether it is as it was at step 0 is not kept
  }

  /// A change that can be undone; when it fails half-way, all is as before.
  template <class Edit>
  void change(Edit edit) {
    const Parameters before = s.parameters();
    Parameters after = before;
    edit(after);
    try {
      s.set_parameters(after);
    } catch (...) {
      s.set_parameters(before);
      throw;
    }
    s.remember(before);
  }
};

Session::Session(Backends backends, const std::string& spec, const EngineConfig& config, const Requests& first)
    : backends_(std::move(backends)) {
  open(spec, config, Way::as_asked);
  for (const Request& request : first) std::visit(Apply{*this}, request);
}

void Session::apply(const Request& request) {
  TRI_EXPECTS(!busy());
  try {
    std::visit(Apply{*this}, request);
  } catch (const std::exception& error) {
    note(error.what(), true);
  }
}

void Session::apply(const Requests& requests) {
  for (const Request& request : requests) apply(request);
}

}  // namespace tri::app
