#include "app/session/session.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/sketches.hpp"
#include "app/support/language.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/scene/scene.hpp"
#include "sim/text/map_file.hpp"

namespace tri::app {

MapTurn::Times time_evaluation(Engine& engine, const EngineConfig& config) {
  engine.configure(config);
  // Steps of no length move nothing and evaluate all. The first evaluation after a change is not timed.
  engine.advance(Integrator::symplectic_euler, 0, 2);
  const Engine::Timing timing = engine.timing();
  return {timing.force - timing.triples, timing.triples};
}

EngineConfig in_tiles_of_triples(EngineConfig config) {
  if (config.arithmetic == Arithmetic::tensor) config.triple_block = 0;  // the side of a tile of products
  config.arithmetic = Arithmetic::float32;
  return config;
}

bool has_impulses(const ForceField& field) { return field.pair == PairLaw::contact && field.contact.impulse; }

void MapTurn::take(Engine& engine) noexcept {
  baseline_ms.reset(), own_ms.reset();
  try {
    if (own_first) own_ms = time_evaluation(engine, own);
    baseline_ms = time_evaluation(engine, baseline);
    if (!own_first) own_ms = time_evaluation(engine, own);
  } catch (const std::exception&) {  // of the device or of the bodies: the next step reports it
    baseline_ms.reset(), own_ms.reset();
  }
  try {
    if (own_first || !own_ms || own != after) engine.configure(after);
  } catch (const std::exception&) {  // likewise
  }
}

namespace {

constexpr std::size_t kMaxPast = 100;
constexpr std::size_t kMaxPastBytes = std::size_t{1} << 30;  // of the bodies before edits; one edit in any case

}  // namespace

Session::~Session() { stop_.own = true; }

void Session::note(const std::string& said, bool error) {
  const std::string text = error ? stated(said) : said;
  if (!model_.notices.empty() && model_.notices.back().text == text) {
    ++model_.notices.back().count;
    return;
  }
  model_.notices.push_back({text, error, 1});
  if (model_.notices.size() > SessionModel::kMaxNotices) model_.notices.pop_front();
}

/// Everything is made beside the old scene and then replaces it, so that a failure leaves the old one.
void Session::open(const std::string& spec, const EngineOverrides& first_of_all, std::optional<Scene> made) {
  auto series = Series::is_named_by(spec) ? std::make_unique<Series>(spec) : nullptr;
  auto [scene, run] =
      made ? SceneToView{std::move(*made), {}} : scene_to_view(series ? series->entries().front().path : spec);
  EngineConfig wanted;
  wanted.precision = usual_precision(scene, backend_->info().triples_in_fp64);
  apply_overrides(given_, wanted);
  if (run) wanted = as_computed(wanted, run->engine);
  apply_overrides(first_of_all, wanted);
  const EngineConfig before = wanted;
  const bool asked = run || given_.precision || first_of_all.precision;
  const std::string loss =
      series ? "" : precision_note(scene, backend_->info().triples_in_fp64, wanted.precision, asked);
  auto engine = make_fitting_engine(*backend_, scene, wanted);
  Bodies bodies = std::move(scene.bodies);
  const ScopedTask work(phrase("energies of {} bodies", grouped(bodies.size())));
  const Stopwatch watch;
  auto simulation = run ? std::make_unique<Simulation>(std::move(scene), run->clock, run->initial, std::move(engine))
                        : std::make_unique<Simulation>(std::move(scene), std::move(engine));
  const DiagnosticsRow first = run ? simulation->diagnostics() : simulation->initial();
  simulation_ = std::move(simulation);
  step_seconds_.reset();
  series_ = std::move(series);
  first_ = first_population(std::move(bodies));
  next_id_ = static_cast<u32>(first_->bodies.size());
  record_ = run ? std::move(run->record) : RunRecord{};
  model_.spec = spec;
  model_.scene = simulation_->scene();
  model_.backend = backend_->info();
  model_.asked = wanted;
  model_.engine = simulation_->engine().config();
  model_.backwards = false;
  model_.pace = keeps_pace_ ? model_.scene.pace : 0;
  past_.clear(), future_.clear();
  show_history();
  model_.comparing = false;
  before_turns_.reset();
  model_.first_step = simulation_->first_step();
  ++opened_;
  show_bodies(first_);
  name_bodies();
  if (series_) model_.scene.notes = {series_->note()};
  if (!loss.empty()) model_.scene.notes.push_back(loss);
  if (std::string step = series_ ? "" : contact_step_warning(first_->bodies, model_.scene.field, model_.scene.dt);
      !step.empty()) {
    model_.scene.notes.push_back(std::move(step));
  }
  for (const std::string& text : model_.scene.notes) note(text, false);
  if (wanted.pair_map != before.pair_map || wanted.triple_map != before.triple_map) {
    note("the map does not fit this scene; the default one is in use.", false);
  }
  begin(first, watch.ms() / 1e3);
  motion_ = {}, watches_motion_ = !series_ && loss.empty(), watches_energy_ = !series_;
}

/// When it throws, which the viewer of its progress may have it do, nothing has changed.
void Session::reset() {
  std::optional<BeforeReset> before;
  const bool any = model_.steps != model_.first_step || (timeline_ && timeline_->last() > timeline_->first());
  if (any && !model_.broken) before = before_reset();
  auto engine = backend_->make_engine(first_->bodies, model_.scene.field, model_.asked);
  const ScopedTask work(phrase("energies of {} bodies", grouped(first_->bodies.size())));
  const Stopwatch watch;
  const DiagnosticsRow first = simulation_->reset(std::move(engine));
  if (before) before->timeline = std::move(timeline_), before->shown = std::move(model_.timeline);
  show_bodies(first_);
  begin(first, watch.ms() / 1e3);
  if (!before) return;
  std::erase_if(past_, [](const Done& done) { return std::holds_alternative<BeforeReset>(done.before); });
  const std::string what = phrase("back to the start from step {}", grouped(before->step()));
  remember(std::move(*before), what);
}

Session::BeforeReset Session::before_reset() const {
  return {
      {simulation_->mark(), model_.asked, model_.population}, bodies(), model_.diagnostics, row_stride_, row_count_};
}

Session::BeforeEdit Session::before_edit(const Bodies& bodies, bool left) const {
  const Population& now = *model_.population;
  return {{simulation_->mark(), model_.asked, std::make_shared<Population>(Population{bodies, now.ids, now.edits})},
          timeline_ ? timeline_->run() : 0,
          left,
          row_here()};
}

/// A state that is not finite is not kept for redo.
void Session::restore(BeforeReset& before) {
  auto engine = backend_->make_engine(before.bodies, model_.scene.field, model_.asked);
  if (!model_.broken) {
    BeforeReset now_there = before_reset();
    now_there.timeline = std::move(timeline_), now_there.shown = std::move(model_.timeline);
    inverse_ = std::move(now_there);
  }
  const Simulation::Mark now = simulation_->mark();  // whose parameters stay
  before.mark.parameters = now.parameters, before.mark.setting = now.setting;
  simulation_->return_to(before.mark, nullptr, nullptr, std::move(engine));
  show_bodies(before.population);
  begin(simulation_->initial(), diagnosing_.cost);
  model_.diagnostics = std::move(before.diagnostics);
  row_stride_ = before.row_stride, row_count_ = before.row_count;
  if (before.timeline) {
    timeline_ = std::move(before.timeline);
    model_.timeline = std::move(before.shown);
    model_.timeline.seek.reset();
    show_timeline();
  }
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
  model_.survey.reset();
  row_stride_ = 1, row_count_ = 0, diagnosed_step_ = ~u64{0};
  forget_times();
  add_diagnostics(first);
  diagnosing_.at = 0, diagnosing_.cost = cost;
  overlaps_ = {}, model_.overlap_max = 0;
  begin_timeline();
}

void Session::show_clock() {
  model_.steps = simulation_->step_count(), model_.time = simulation_->time();
  model_.last_step = simulation_->step_lengths().last;
}

void Session::begin_run() {
  if (!simulation_->begin()) return;
  auto& rows = model_.diagnostics;  // those before other bodies came stay
  while (!rows.empty() && rows.back().step >= model_.steps) rows.pop_back();
  if (rows.empty()) row_stride_ = 1, row_count_ = 0;
  add_diagnostics(simulation_->initial());
  if (timeline_) timeline_->change(*simulation_, model_.asked, false);
}

/// A snapshot continues the run. One of a modified run is the start of a run with the present parameters.
void Session::save(const std::string& path) {
  begin_run();
  if (!is_snapshot_name(path)) {
    simulation_->save(path);
    const std::vector<std::string> lost = lost_in(path, simulation_->bodies(), model_.scene);
    return note(phrase("wrote {}{}", path, lost.empty() ? "" : fmt::format(". {}", fmt::join(lost, " "))), false);
  }
  const bool modified = simulation_->modified();
  RunRecord record = modified ? RunRecord{} : record_;
  record.backend = model_.backend.name;
  if (record.scene.empty()) record.scene = model_.spec;
  record.edits = model_.population->edits;
  if (!modified) {
    record.rows = std::max<u64>(record.rows, 1);  // that of step 0, which is in the file
    for (const DiagnosticsRow& row : model_.diagnostics) {
      if (row.step > model_.steps) break;
      record.energy_error_max = std::max(record.energy_error_max, std::abs(row.energy_error));
    }
  }
  simulation_->save(path, record);
  note(phrase("wrote {}{}; continue with: triangulum run --restart {}", path,
              modified ? ", as the start of a run with the present laws and step" : "", path),
       false);
}

void Session::forget_times() {
  turned_at_ = clock_s(), turn_cost_ = 0, ++model_.work;
  model_.force.clear(), model_.integrate.clear(), model_.publish.clear();
  model_.rank_ms.clear(), model_.rank_parts.clear();
  show_shares();
  skip_samples_ = 1;
}

/// Undo and redo remember what takes them back; anything else ends what could be done again.
void Session::remember(Change before, std::string what) {
  if (travels_) {
    inverse_ = std::move(before);
    return;
  }
  future_.clear();
  past_.push_back({std::move(before), std::move(what)});
  std::size_t bytes = 0;
  for (const Done& done : past_) {
    const auto* edit = std::get_if<BeforeEdit>(&done.before);
    if (edit != nullptr) bytes += edit->population->bodies.size() * 8 * sizeof(double);
  }
  if (past_.size() > kMaxPast || (past_.size() > 1 && bytes > kMaxPastBytes)) past_.erase(past_.begin());
  show_history();
}

void Session::show_history() {
  model_.undoable = past_.size();
  model_.history.clear();
  for (const Done& done : past_) model_.history.push_back(done.what);
  for (auto done = future_.rbegin(); done != future_.rend(); ++done) model_.history.push_back(done->what);
}

/// Brings back what was before the last change of `from`; `to` gets what takes that back.
void Session::travel(std::vector<Done>& from, std::vector<Done>& to) {
  if (from.empty()) return;
  Done done = std::move(from.back());
  from.pop_back();
  inverse_.reset(), travels_ = true;
  const bool went = attempt([&] { std::visit([this](auto& before) { restore(before); }, done.before); });
  travels_ = false;
  if (went && inverse_) to.push_back({std::move(*inverse_), std::move(done.what)});
  inverse_.reset();
  show_history();
}

bool Session::set_parameters(const Parameters& p, bool of_run) {
  // Under ordered sums maps, blocks and threads change no bit of what follows.
  const bool fast = p.asked.accumulate == Accumulate::fast || model_.asked.accumulate == Accumulate::fast;
  const bool matters = timeline_ && !model_.broken && (of_run || fast);
  const bool branches = matters && timeline_->replays(model_.steps);
  if (branches) timeline_->prepare_branch(*simulation_, model_.asked);
  of_run ? simulation_->change(p.run, p.asked) : engine().configure(p.asked);
  adopt(p.asked);
  if (branches) {
    switch_branch();
  } else if (matters) {
    timeline_->change(*simulation_, p.asked, of_run);
  }
  return branches;
}

/// At the same step the energies are again measured from where they were before the change.
void Session::restore(const Parameters& before) {
  Parameters now_there = parameters();
  now_there.energies = {simulation_->mark(), row_here()};
  inverse_ = std::move(now_there);
  if (set_parameters(before, true)) return;
  if (!before.energies || before.energies->mark.steps != model_.steps || model_.broken) return;
  simulation_->return_to(before.energies->mark, nullptr);
  if (timeline_) timeline_->change(*simulation_, model_.asked, false);
  restore_row(before.energies->row);
}

std::optional<DiagnosticsRow> Session::row_here() const {
  for (const DiagnosticsRow& row : model_.diagnostics) {
    if (row.step == model_.steps) return row;
  }
  return std::nullopt;
}

/// The present step has this row again; without one it is computed anew.
void Session::restore_row(const std::optional<DiagnosticsRow>& row) {
  auto& rows = model_.diagnostics;
  const auto here = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.step >= model_.steps; });
  const bool there = here != rows.end() && here->step == model_.steps;
  if (row && there) {
    *here = *row;
  } else if (row) {
    rows.insert(here, *row);
  } else if (there) {
    rows.erase(here);
  }
  diagnosed_step_ = row ? model_.steps : ~u64{0};
}

/// The model shows the parameters of the simulation and this configuration.
void Session::adopt(const EngineConfig& asked) {
  const Scene before = std::exchange(model_.scene, simulation_->scene());
  EngineConfig same_work = asked;
  same_work.pair_map = model_.asked.pair_map, same_work.triple_map = model_.asked.triple_map;
  const bool maps_stay = same_work == model_.asked && is_same_work(before.field, model_.scene.field);
  model_.backwards = simulation_->parameters().backwards;
  model_.asked = asked;
  model_.engine = engine().config();
  skip_samples_ = 1;
  if (!model_.comparing) model_.force.clear();
  if (before.integrator != model_.scene.integrator) model_.integrate.clear();
  model_.rank_ms.clear(), model_.rank_parts.clear();
  show_shares();
  if (!maps_stay) update_maps();
}

// What each request to a session does.

/// What each request does; apply() catches what it throws.
struct Session::Apply {
  Session& s;
  SessionModel& m = s.model_;

  void operator()(const ask::Open& r) {
    s.open(r.scene, r.engine);
    m.running = false;
  }
  void operator()(const ask::Reset&) { s.reset(); }  // the times of maps are of the same work
  void operator()(const ask::Save& r) { s.save(r.path); }
  void operator()(const ask::Run& r) {
    if (r.on && m.broken)
      throw ConfigError("the state holds a value that is not finite. Reset it, or open another scene.");
    m.running = r.on;
  }
  void operator()(const ask::RunUntil& r) { s.run_until(r.time); }
  void operator()(const ask::Take& r) { m.steps_asked += r.steps; }
  void operator()(const ask::StepsPerFrame& r) { m.steps_per_frame = std::max<u32>(1, r.count), m.pace = 0; }
  void operator()(const ask::PaceOfTime& r) {
    if (!(r.per_second >= 0) || std::isinf(r.per_second)) {
      throw ConfigError(phrase("the pace is {}, but it must be a finite time a second, 0 or more.", r.per_second));
    }
    m.pace = r.per_second, s.due_ = 0;
  }
  void operator()(const ask::Reverse&) {
    change_run([](RunParameters& p) { p.backwards = !p.backwards; });
  }
  void operator()(const ask::TimeStep& r) {
    change_run([&](RunParameters& p) { p.dt = r.dt, p.eta = 0; });
    s.watch_anew();
  }
  void operator()(const ask::AutoStep& r) {
    change_run([&](RunParameters& p) { p.eta = r.eta; });
  }
  void operator()(const ask::Scheme& r) {
    change_run([&](RunParameters& p) { p.integrator = r.integrator; });
  }
  void operator()(const ask::Field& r) {
    const ForceField& was = m.scene.field;
    if (r.field.pair != was.pair || r.field.triple != was.triple) {
      if (const std::string why = massless_refusal(s.engine().read(), r.field); !why.empty()) throw ConfigError(why);
    }
    const Box before = was.box;
    const u32 uses = pair_uses(was);
    change_run([&](RunParameters& p) { p.field = r.field; }, r.goes_on);
    if (pair_uses(m.scene.field) != uses) {
      const std::string missing = scene::missing_column(s.engine().read(), m.scene.field).sentence;
      if (!missing.empty()) s.note(missing + tr(": each counts as 0."), false);
    }
    s.watch_anew();
    const Box& now = m.scene.field.box;
    if (now.boundary == before.boundary && now.low == before.low && now.high == before.high) return;
    const std::string outside = now.boundary == Boundary::open ? "" : scene::outside_walls(s.engine().read(), now);
    if (!outside.empty())
      s.note(outside + tr("; they are folded in or flung back. Move the walls, or open them."), false);
  }
  void operator()(const ask::PairMap& r) {
    change_engine([&](EngineConfig& c) { c.pair_map = r.map; });
    if (s.before_turns_) s.before_turns_->pair_map = r.map;
  }
  void operator()(const ask::TripleMap& r) {
    change_engine([&](EngineConfig& c) { c.triple_map = r.map; });
    if (s.before_turns_) s.before_turns_->triple_map = r.map;
  }
  void operator()(const ask::Blocks& r) {
    change_engine([&](EngineConfig& c) { c.pair_block = r.pairs, c.triple_block = r.triples; });
  }
  void operator()(const ask::Sums& r) {
    change_engine([&](EngineConfig& c) { c.accumulate = r.accumulate; });
  }
  void operator()(const ask::Accuracy& r) {
    change_engine([&](EngineConfig& c) { c.arithmetic = r.arithmetic, c.tolerance = r.tolerance, c.pairs = r.pairs; });
  }
  void operator()(const ask::Contacts& r) {
    change_engine([&](EngineConfig& c) { c.broad_phase = r.broad_phase; });
  }
  void operator()(const ask::Compare& r) {
    if (!r.on) return s.end_turns();
    if (!m.comparing) s.before_turns_ = m.asked;
    m.comparing = true;
    if (!m.broken) m.running = true;
  }
  void operator()(const ask::LoseDevice& r) { s.loses_at_ = m.steps + r.steps; }
  void operator()(const ask::StepBack& r) { s.step_back(r.steps); }
  void operator()(const ask::GoTo& r) { s.visit(r.step); }
  void operator()(const ask::Branch&) { s.branch(); }
  void operator()(const ask::OtherBranch&) { s.swap_branches(); }
  void operator()(const ask::AddBodies& r) { s.add_bodies(r.bodies); }
  void operator()(const ask::Name& r) { s.rename(r.body, r.name); }
  void operator()(const ask::ChangeBody& r) { s.change_body(r.body, r.to); }
  void operator()(const ask::ChangeBodies& r) { s.change_bodies(r.bodies, r.to); }
  void operator()(const ask::DeleteBodies& r) { s.delete_bodies(r.bodies); }
  void operator()(const ask::Export& r) { s.export_bodies(r.path, r.bodies); }
  void operator()(const ask::AddMap& r) {
    mapfile::add_map(r.map);
    s.update_maps();
  }
  void operator()(const ask::Undo&) { s.travel(s.past_, s.future_); }
  void operator()(const ask::Redo&) { s.travel(s.future_, s.past_); }

  /// Changes that can be undone. When one throws, all is as before. goes_on: undone with the one before.
  template <class Edit>
  void change_run(Edit edit, bool goes_on = false) {
    Parameters p = s.parameters();
    edit(p.run);
    change(p, true, goes_on);
  }
  template <class Edit>
  void change_engine(Edit edit) {
    Parameters p = s.parameters();
    edit(p.asked);
    change(p, false, false);
  }
  void change(const Parameters& p, bool of_run, bool goes_on) {
    Parameters before = s.parameters();
    before.energies = {s.simulation_->mark(), s.row_here()};
    const bool begins = s.set_parameters(p, of_run);  // which remembers what was before
    const auto what = [&](const Parameters& from) {
      return change_text(from.run, from.asked, p.run, p.asked, find_unit_system(m.scene.units));
    };
    const std::string text = what(before);
    auto* const first = goes_on && !s.past_.empty() ? std::get_if<Parameters>(&s.past_.back().before) : nullptr;
    if (begins) {
      s.past_.back().what = text.empty() ? s.past_.back().what : text + tr(", as another run");
    } else if (first != nullptr) {
      s.past_.back().what = what(*first);
    } else if (!goes_on && !text.empty()) {
      s.remember(std::move(before), text);
    }
    s.show_history();
  }
};

Session::Session(std::unique_ptr<Backend> backend, const ask::Open& first, const EngineOverrides& given,
                 const Requests& then, std::optional<Scene> made)
    : given_(given), backend_(std::move(backend)) {
  EngineOverrides first_of_all = first.engine;
  apply_overrides(given, first_of_all);
  open(first.scene, first_of_all, std::move(made));
  for (const Request& request : then) perform(request);
}

void Session::perform(const Request& request) {
  if (is_one_of<ask::Open, ask::Run, ask::Reverse>(request)) model_.until.reset();
  if (!series_ || !ask_series(request)) std::visit(Apply{*this}, request);
}

void Session::apply(const Request& request) {
  TRI_EXPECTS(!busy());
  if (!series_ && waits(request)) {
    waiting_.push_back(request);
    return;
  }
  attempt([&] { perform(request); });
}

void Session::apply(const Requests& requests) {
  for (const Request& request : requests) apply(request);
}

// Which maps fit the laws, size and block of a session, and why the others do not.

namespace {

template <class Id>
std::vector<MapRow> rows_of(std::span<const MapInfo> maps, u64 n, const MapLimits& limits) {
  std::vector<MapRow> rows;
  for (const MapInfo& map : maps) {
    MapRow row{map.name, map.formula, map_refusal(map, n, limits), {}};
    if (row.fits()) row.blocks = map_counts(static_cast<Id>(rows.size()), tiles_per_side(map, n, limits.block));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::unique_ptr<Engine> Session::make_fitting_engine(Backend& backend, const Scene& scene, EngineConfig& config) {
  try {
    return backend.make_engine(scene.bodies, scene.field, config);
  } catch (const ConfigError&) {
    EngineConfig usual = config;
    const EngineConfig none;
    usual.pair_map = none.pair_map, usual.triple_map = none.triple_map;
    usual.pair_block = none.pair_block, usual.triple_block = none.triple_block;
    auto engine = backend.make_engine(scene.bodies, scene.field, usual);  // a scene that is wrong throws again
    config = usual;
    return engine;
  }
}

/// Maps of the domains that the present field has.
void Session::update_maps() {
  const ForceField& field = model_.scene.field;
  model_.pair_maps.clear(), model_.triple_maps.clear();
  if (field.pair != PairLaw::none) {
    model_.pair_maps = rows_of<TriangleMapId>(triangle_maps(), model_.n, engine().map_limits(Domain::triangle));
  }
  if (field.triple != TripleLaw::none) {
    model_.triple_maps = rows_of<TetraMapId>(tetra_maps(), model_.n, engine().map_limits(Domain::tetrahedron));
  }
  forget_times();
}

std::size_t next_fitting(const std::vector<MapRow>& rows, std::size_t now, std::size_t stride) {
  for (std::size_t k = 1; k <= rows.size(); ++k) {
    if (const std::size_t at = (now + k * stride) % rows.size(); rows[at].fits()) return at;
  }
  return now;
}

std::size_t compared_maps(const std::vector<MapRow>& rows) {
  const auto turns = std::count_if(rows.begin(), rows.end(), [](const MapRow& map) { return !map.turns.own.empty(); });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, turns));
}

void Session::next_map() {
  Parameters next = parameters();
  EngineConfig& config = next.asked;
  // Where there are triples, a step spends its time on them.
  if (!model_.triple_maps.empty()) {
    const auto now = static_cast<std::size_t>(config.triple_map);
    config.triple_map = static_cast<TetraMapId>(next_fitting(model_.triple_maps, now));
  } else if (!model_.pair_maps.empty()) {
    const auto now = static_cast<std::size_t>(config.pair_map);
    config.pair_map = static_cast<TriangleMapId>(next_fitting(model_.pair_maps, now));
  }
  set_parameters(next, false);
}

/// The maps that were in use before all took turns are so again.
void Session::end_turns() {
  model_.comparing = false;
  const auto before = std::exchange(before_turns_, {});
  if (!before || model_.broken) return;
  Parameters own = parameters();
  own.asked.pair_map = before->pair_map, own.asked.triple_map = before->triple_map;
  if (own.asked != model_.asked) attempt([&] { set_parameters(own, false); });
}

/// The turn of the next steps, where one is due: at each while all maps take turns. Until every map has had one, and
/// until every map has had enough of them, they may take more of the time, so that all times stand there soon.
std::optional<MapTurn> Session::next_turn(double now_seconds) {
  constexpr double kShare = 0.05, kEarlyShare = 0.1, kFirstShare = 0.2;  // of the time, at most
  constexpr double kEvaluations = 4, kFelt = 0.5;  // of a turn; seconds that steps may wait for one so often
  if (!model_.running || !(model_.comparing || compares_with_bb_) || has_impulses(model_.scene.field)) return {};
  const EngineConfig& asked = model_.asked;
  const EngineConfig compared = model_.triple_maps.empty() ? asked : in_tiles_of_triples(asked);
  MapTurn turn{compared, compared, asked, false, {}, {}};
  const auto fits = [](const std::vector<MapRow>& rows) { return !rows.empty() && rows.front().fits(); };
  double share = kShare;
  bool wanted = false;  // the map is the one that somebody waits for
  const auto time_next = [&](const std::vector<MapRow>& rows, auto& baseline, auto& own, std::size_t asked_for) {
    if (!fits(rows)) return;
    using Id = std::remove_reference_t<decltype(own)>;
    baseline = Id::bb;
    if (model_.comparing) return;
    const std::size_t next = map_to_time(rows, static_cast<std::size_t>(own), asked_for);
    wanted |= next == asked_for && next != 0 && rows[next].wants_turns();
    own = static_cast<Id>(next);
    if (next == 0 || !rows[next].wants_turns() || rows[next].is_slow()) return;
    share = std::max(share, rows[next].turns.own.values().empty() ? kFirstShare : kEarlyShare);
  };
  const bool triples = !model_.triple_maps.empty();
  time_next(model_.pair_maps, turn.baseline.pair_map, turn.own.pair_map, triples ? 0 : timed_first_);
  time_next(model_.triple_maps, turn.baseline.triple_map, turn.own.triple_map, timed_first_);
  if (turn.baseline == turn.own) return {};
  // Before the first steps of a scene nothing says how long a turn would take.
  const double usual = kEvaluations * step_seconds_.value_or(1e9), cost = wanted ? usual : std::max(turn_cost_, usual);
  if (!model_.comparing && now_seconds - turned_at_ < cost / (cost < kFelt ? share : kShare)) return {};
  bool& own_first = own_first_[{turn.own.pair_map, turn.own.triple_map}];
  turn.own_first = own_first = !own_first;
  return turn;
}

void Session::account_turn(const MapTurn& turn, double seconds) {
  turned_at_ = clock_s(), turn_cost_ = seconds;
  skip_samples_ = 1;
  if (!turn.baseline_ms || !turn.own_ms) {
    if (!model_.pair_maps.empty()) ++model_.pair_maps[static_cast<u32>(turn.own.pair_map)].failed;
    if (!model_.triple_maps.empty()) ++model_.triple_maps[static_cast<u32>(turn.own.triple_map)].failed;
    return;
  }
  const auto timed = [](double baseline, double own) { return baseline > 0 && own > 0; };
  if (turn.baseline.pair_map != turn.own.pair_map && timed(turn.baseline_ms->pairs, turn.own_ms->pairs)) {
    model_.pair_maps[static_cast<u32>(turn.own.pair_map)].turns.add(turn.baseline_ms->pairs, turn.own_ms->pairs);
  }
  if (turn.baseline.triple_map != turn.own.triple_map && timed(turn.baseline_ms->triples, turn.own_ms->triples)) {
    model_.triple_maps[static_cast<u32>(turn.own.triple_map)].turns.add(turn.baseline_ms->triples,
                                                                        turn.own_ms->triples);
  }
}

// The distribution of the bodies, computed on the step thread so that a million of them hold up no frame.

/// Reads the engine; touches no model.
struct Session::SurveyJob {
  const Engine& engine;
  SurveyOf of;
  u64 step;
  double time;
  Survey survey = {};
  std::exception_ptr failure = nullptr;
  double took = 0;

  void run() noexcept {
    const Stopwatch watch;
    try {
      survey = survey_of(engine.read(), of);
      survey.step = step, survey.time = time;
    } catch (...) {
      failure = std::current_exception();
    }
    took = watch.ms() / 1e3;
  }
};

bool Session::survey(std::optional<SurveyOf> of, double now_seconds) {
  TRI_EXPECTS(!busy());
  std::optional<Survey>& now = model_.survey;
  if (!of) {
    now.reset();
    return false;
  }
  const bool same = now && now->of == *of;
  if (same && now->step == model_.steps && now->time == model_.time) return false;
  if (same && !surveying_.is_due(now_seconds)) return false;
  survey_job_.reset(new SurveyJob{engine(), *of, model_.steps, model_.time});
  surveying_.at = now_seconds, begun_at_ = clock_s();
  thread_.begin([job = survey_job_.get()] { job->run(); });
  return true;
}

void Session::account_survey() {
  const std::shared_ptr<SurveyJob> job = std::exchange(survey_job_, nullptr);
  surveying_.cost = job->took;
  add_work("survey", WorkLane::step_thread, 0, {begun_at_, begun_at_ + job->took});
  if (job->failure) {
    recover(job->failure);
  } else {
    model_.survey = std::move(job->survey);
  }
}

}  // namespace tri::app
