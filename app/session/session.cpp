#include "app/session/session.hpp"

#include <fmt/ranges.h>

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
constexpr std::size_t kMaxPastBytes = std::size_t{1} << 30;  // of the bodies before edits; one edit in any case

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
  auto series = Series::is_named_by(spec) ? std::make_unique<Series>(spec) : nullptr;
  auto [scene, run] = scene_to_view(series ? series->entries().front().path : spec);
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
  const ScopedTask work(fmt::format("energies of {} bodies", grouped(bodies.size())));
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
  past_.clear();
  model_.undoable = 0;
  model_.comparing = false;
  model_.first_step = simulation_->first_step();
  ++opened_;
  show_bodies(first_);
  if (series_) model_.scene.notes = {series_->note()};
  if (!loss.empty()) model_.scene.notes.push_back(loss);
  for (const std::string& text : model_.scene.notes) note(text, false);
  if (wanted.pair_map != before.pair_map || wanted.triple_map != before.triple_map) {
    note("the map does not fit this scene; the default one is in use.", false);
  }
  begin(first, watch.ms() / 1e3);
  motion_ = {}, watches_motion_ = !series_ && loss.empty();
}

/// When it throws, which the viewer of its progress may have it do, nothing has changed.
void Session::reset() {
  std::optional<BeforeReset> before;
  const bool any = model_.steps != model_.first_step || (timeline_ && timeline_->last() > timeline_->first());
  if (any && !model_.broken) {
    before =
        BeforeReset{simulation_->moment(), model_.diagnostics, row_stride_, row_count_, nullptr, {}, model_.population};
  }
  auto engine = backend_->make_engine(first_->bodies, model_.scene.field, model_.asked);
  const ScopedTask work(fmt::format("energies of {} bodies", grouped(first_->bodies.size())));
  const Stopwatch watch;
  const DiagnosticsRow first = simulation_->reset(std::move(engine));
  if (before) before->timeline = std::move(timeline_), before->shown = std::move(model_.timeline);
  show_bodies(first_);
  begin(first, watch.ms() / 1e3);
  if (!before) return;
  std::erase_if(past_, [](const Change& change) { return std::holds_alternative<BeforeReset>(change); });
  remember(std::move(*before));
}

void Session::bring_back(BeforeReset& before) {
  simulation_->return_to(before.moment, backend_->make_engine(before.moment.bodies, model_.scene.field, model_.asked));
  show_bodies(before.population);
  begin(simulation_->initial(), diagnose_cost_);
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
  row_stride_ = 1, row_count_ = 0, diagnosed_step_ = ~u64{0}, diagnosed_at_ = 0;
  forget_times();
  add_diagnostics(first);
  diagnose_cost_ = cost;
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
    return note(fmt::format("wrote {}{}", path, lost.empty() ? "" : fmt::format(". {}", fmt::join(lost, " "))), false);
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
  note(fmt::format("wrote {}{}; continue with: triangulum run --restart {}", path,
                   modified ? ", as the start of a run with the present laws and step" : "", path),
       false);
}

void Session::forget_times() {
  turned_at_ = clock_s();
  model_.force.clear(), model_.integrate.clear(), model_.publish.clear();
  model_.rank_ms.clear(), model_.rank_parts.clear();
  show_shares();
  skip_samples_ = 1;
}

void Session::remember(Change before) {
  past_.push_back(std::move(before));
  std::size_t bytes = 0;
  for (const Change& change : past_) {
    const auto* edit = std::get_if<BeforeEdit>(&change);
    if (edit != nullptr) bytes += edit->population->bodies.size() * 8 * sizeof(double);
  }
  if (past_.size() > kMaxPast || (past_.size() > 1 && bytes > kMaxPastBytes)) past_.erase(past_.begin());
  model_.undoable = past_.size();
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
    take_branch();
  } else if (matters) {
    timeline_->change(*simulation_, p.asked, of_run);
  }
  return branches;
}

/// The model shows the parameters of the simulation and this configuration.
void Session::adopt(const EngineConfig& asked) {
  const ForceField before = std::exchange(model_.scene, simulation_->scene()).field;
  const ForceField& laws = model_.scene.field;
  EngineConfig same_work = asked;
  same_work.pair_map = model_.asked.pair_map, same_work.triple_map = model_.asked.triple_map;
  const bool maps_stay = same_work == model_.asked && before.pair == laws.pair && before.triple == laws.triple;
  model_.backwards = simulation_->parameters().backwards;
  model_.asked = asked;
  model_.engine = engine().config();
  skip_samples_ = 1;
  if (!model_.comparing) model_.force.clear();
  model_.rank_ms.clear(), model_.rank_parts.clear();
  show_shares();
  if (!maps_stay) update_maps();
}

}  // namespace tri::app
