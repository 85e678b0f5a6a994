#include "app/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/support/scene_spec.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/progress.hpp"
#include "sim/scene/scene_checks.hpp"

namespace tri::app {
namespace {

constexpr std::size_t kMaxPast = 100;

}  // namespace

Session::~Session() { stop_.own = true; }

void Session::note(const std::string& text, bool error) {
  if (!model_.notices.empty() && model_.notices.back().text == text) {
    ++model_.notices.back().count;
    return;
  }
  model_.notices.push_back({text, error, 1});
  if (model_.notices.size() > SessionModel::kMaxNotices) model_.notices.pop_front();
}

/// Everything is made beside the old scene and then replaces it, so that a failure leaves the old one.
void Session::open(const std::string& spec, const EngineOverrides& first_of_all) {
  auto [scene, run] = scene_to_view(spec);
  EngineConfig wanted;
  wanted.precision = usual_precision(scene);
  apply_overrides(given_, wanted);
  if (run) wanted = as_computed(wanted, run->engine);
  apply_overrides(first_of_all, wanted);
  const EngineConfig before = wanted;
  auto engine = make_fitting_engine(*backend_, scene, wanted);
  Bodies bodies = std::move(scene.bodies);
  const ScopedTask work(fmt::format("energies of {} bodies", grouped(bodies.size())));
  const Stopwatch watch;
  auto simulation = run ? std::make_unique<Simulation>(std::move(scene), run->clock, run->initial, std::move(engine))
                        : std::make_unique<Simulation>(std::move(scene), std::move(engine));
  const DiagnosticsRow first = run ? simulation->diagnostics() : simulation->initial();
  simulation_ = std::move(simulation);
  step_seconds_.reset();
  first_ = std::move(bodies);
  record_ = run ? std::move(run->record) : RunRecord{};
  model_.spec = spec;
  model_.n = first_.size();
  model_.groups = group_count(first_);
  model_.scene = simulation_->scene();
  model_.backend = backend_->info();
  model_.asked = wanted;
  model_.engine = simulation_->engine().config();
  model_.backwards = false;
  model_.pace = keeps_pace_ ? model_.scene.pace : 0;
  past_.clear();
  model_.undoable = 0;
  model_.comparing = false;
  model_.first_step = simulation_->first_step();
  ++generation_;
  for (const std::string& text : model_.scene.notes) note(text, false);
  if (wanted.pair_map != before.pair_map || wanted.triple_map != before.triple_map) {
    note("the map does not fit this scene; the default one is in use.", false);
  }
  update_maps();
  begin(first, watch.ms() / 1e3);
}

/// When it throws, which the viewer of its progress may have it do, nothing has changed.
void Session::reset() {
  std::optional<BeforeReset> before;
  if (model_.steps != model_.first_step && !model_.broken) {
    before = {simulation_->moment(), model_.diagnostics, row_stride_, row_count_};
  }
  auto engine = backend_->make_engine(first_, model_.scene.field, model_.asked);
  const ScopedTask work(fmt::format("energies of {} bodies", grouped(first_.size())));
  const Stopwatch watch;
  const DiagnosticsRow first = simulation_->reset(std::move(engine));
  begin(first, watch.ms() / 1e3);
  if (!before) return;
  std::erase_if(past_, [](const Change& change) { return std::holds_alternative<BeforeReset>(change); });
  remember(std::move(*before));
}

void Session::bring_back(const BeforeReset& before) {
  simulation_->return_to(before.moment, backend_->make_engine(before.moment.bodies, model_.scene.field, model_.asked));
  begin(simulation_->initial(), diagnose_cost_);
  model_.diagnostics = before.diagnostics;
  row_stride_ = before.row_stride, row_count_ = before.row_count;
  update_maps();
}

/// The model of the first step; `cost`: seconds that its diagnostics took.
void Session::begin(const DiagnosticsRow& first, double cost) {
  show_clock();
  model_.steps_asked = 0;
  model_.broken = false;
  due_ = watched_ = model_.pace_reached = 0, watched_at_ = model_.time;
  copy_ = {};  // the first bodies serve until there is one
  loses_at_.reset();
  model_.diagnostics.clear();
  model_.inspected.reset();
  row_stride_ = 1, row_count_ = 0, diagnosed_step_ = ~u64{0}, diagnosed_at_ = 0;
  forget_times();
  add_diagnostics(first);
  diagnose_cost_ = cost;
}

void Session::show_clock() {
  model_.steps = simulation_->step_count(), model_.time = simulation_->time();
  model_.last_step = simulation_->step_lengths().last;
}

void Session::begin_run() {
  if (!simulation_->begin()) return;
  model_.diagnostics.clear();
  row_stride_ = 1, row_count_ = 0;
  add_diagnostics(simulation_->initial());
}

/// A snapshot continues the run. One of a modified run is the start of a run with the present parameters.
void Session::save(const std::string& path) {
  begin_run();
  if (!is_snapshot_name(path)) {
    simulation_->save(path);
    return note(fmt::format("wrote {}", path), false);
  }
  const bool modified = simulation_->modified();
  RunRecord record = modified ? RunRecord{} : record_;
  record.backend = model_.backend.name;
  if (record.scene.empty()) record.scene = model_.spec;
  if (!modified) {
    record.rows = std::max<u64>(record.rows, 1);  // that of step 0, which is in the file
    for (const DiagnosticsRow& row : model_.diagnostics) {
      record.energy_error_max = std::max(record.energy_error_max, std::abs(row.energy_error));
    }
  }
  simulation_->save(path, record);
  note(fmt::format("wrote {}{}; continue with: triangulum run --restart {}", path,
                   modified ? ", as the start of a run with the present laws and step" : "", path),
       false);
}

void Session::forget_times() {
  turned_at_ = clock_s();
  model_.force.clear(), model_.integrate.clear(), model_.publish.clear();
  skip_samples_ = 1;
}

void Session::remember(Change before) {
  past_.push_back(std::move(before));
  if (past_.size() > kMaxPast) past_.erase(past_.begin());
  model_.undoable = past_.size();
}

void Session::set_parameters(const Parameters& p, bool of_run) {
  const ForceField& laws = model_.scene.field;
  EngineConfig same_work = p.asked;
  same_work.pair_map = model_.asked.pair_map, same_work.triple_map = model_.asked.triple_map;
  const bool maps_stay =
      same_work == model_.asked && p.run.field.pair == laws.pair && p.run.field.triple == laws.triple;
  of_run ? simulation_->change(p.run, p.asked) : engine().configure(p.asked);
  if (of_run) model_.scene = simulation_->scene(), model_.backwards = p.run.backwards;
  model_.asked = p.asked;
  model_.engine = engine().config();
  skip_samples_ = 1;
  if (!model_.comparing) model_.force.clear();
  if (!maps_stay) update_maps();
}

/// What each request does; apply() catches what it throws.
struct Session::Apply {
  Session& s;
  SessionModel& m = s.model_;

  void operator()(const ask::Open& r) {
    s.open(r.scene, r.engine);
    m.running = false;
  }
  void operator()(const ask::Reset&) {
    s.reset();
    s.update_maps();
  }
  void operator()(const ask::Save& r) { s.save(r.path); }
  void operator()(const ask::Run& r) {
    if (r.on && m.broken)
      throw ConfigError("the state holds a value that is not finite. Reset it, or open another scene.");
    m.running = r.on;
  }
  void operator()(const ask::Take& r) { m.steps_asked += r.steps; }
  void operator()(const ask::StepsPerFrame& r) { m.steps_per_frame = std::max<u32>(1, r.count), m.pace = 0; }
  void operator()(const ask::PaceOfTime& r) {
    if (!(r.per_second >= 0) || std::isinf(r.per_second)) {
      throw ConfigError(fmt::format("the pace is {}, but it must be a finite time a second, 0 or more.", r.per_second));
    }
    m.pace = r.per_second, s.due_ = 0;
  }
  void operator()(const ask::Reverse&) {
    change_run([](RunParameters& p) { p.backwards = !p.backwards; });
  }
  void operator()(const ask::TimeStep& r) {
    change_run([&](RunParameters& p) { p.dt = r.dt, p.eta = 0; });
  }
  void operator()(const ask::AutoStep& r) {
    change_run([&](RunParameters& p) { p.eta = r.eta; });
  }
  void operator()(const ask::Scheme& r) {
    change_run([&](RunParameters& p) { p.integrator = r.integrator; });
  }
  void operator()(const ask::Field& r) {
    const Box before = m.scene.field.box;
    change_run([&](RunParameters& p) { p.field = r.field; });
    const Box& now = m.scene.field.box;
    if (now.boundary == before.boundary && now.low == before.low && now.high == before.high) return;
    const std::string outside = now.boundary == Boundary::open ? "" : scene::outside_walls(s.engine().read(), now);
    if (!outside.empty()) s.note(outside + "; they are folded in or flung back. Move the walls, or open them.", false);
  }
  void operator()(const ask::PairMap& r) {
    change_engine([&](EngineConfig& c) { c.pair_map = r.map; });
  }
  void operator()(const ask::TripleMap& r) {
    change_engine([&](EngineConfig& c) { c.triple_map = r.map; });
  }
  void operator()(const ask::Blocks& r) {
    change_engine([&](EngineConfig& c) { c.pair_block = r.pairs, c.triple_block = r.triples; });
  }
  void operator()(const ask::Sums& r) {
    change_engine([&](EngineConfig& c) { c.accumulate = r.accumulate; });
  }
  void operator()(const ask::Contacts& r) {
    change_engine([&](EngineConfig& c) { c.broad_phase = r.broad_phase; });
  }
  void operator()(const ask::Compare& r) {
    m.comparing = r.on;
    if (r.on && !m.broken) m.running = true;
  }
  void operator()(const ask::LoseDevice& r) { s.loses_at_ = m.steps + r.steps; }
  void operator()(const ask::Undo&) {
    if (s.past_.empty()) return;
    const Change back = std::move(s.past_.back());
    s.past_.pop_back();
    m.undoable = s.past_.size();
    std::visit([this](const auto& change) { s.bring_back(change); }, back);
  }

  /// Changes that can be undone. When one throws, all is as before.
  template <class Edit>
  void change_run(Edit edit) {
    Parameters p = s.parameters();
    edit(p.run);
    change(p, true);
  }
  template <class Edit>
  void change_engine(Edit edit) {
    Parameters p = s.parameters();
    edit(p.asked);
    change(p, false);
  }
  void change(const Parameters& p, bool of_run) {
    const Parameters before = s.parameters();
    s.set_parameters(p, of_run);
    s.remember(before);
  }
};

Session::Session(std::unique_ptr<Backend> backend, const ask::Open& first, const EngineOverrides& given,
                 const Requests& then)
    : given_(given), backend_(std::move(backend)) {
  EngineOverrides first_of_all = first.engine;
  apply_overrides(given, first_of_all);
  open(first.scene, first_of_all);
  for (const Request& request : then) std::visit(Apply{*this}, request);
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
