#include "app/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "app/scene_spec.hpp"
#include "app/session_maps.hpp"
#include "sim/contracts.hpp"
#include "sim/io/format.hpp"

namespace tri::app {
namespace {

constexpr std::size_t kMostPast = 100;

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Session::~Session() = default;

void Session::note(const std::string& text, bool error) {
  if (!model_.notices.empty() && model_.notices.back().text == text) {
    ++model_.notices.back().count;
    return;
  }
  model_.notices.push_back({text, error, 1});
  if (model_.notices.size() > SessionModel::kMostNotices) model_.notices.pop_front();
}

/// Everything is made beside the old scene and then put in its place, so that a failure leaves the old one.
void Session::open(const std::string& spec, const EngineConfig& config) {
  Scene scene = scene_to_view(spec);
  const BackendNeed need = need_of(scene.field);
  std::unique_ptr<Backend> made;
  if (need_ != need) made = backends_(need);
  Backend& backend = made ? *made : *backend_;
  EngineConfig wanted = config;
  auto engine = make_fitting_engine(backend, scene, wanted);
  engine_ = std::move(engine);  // before its backend, which must outlive it
  step_seconds_.reset();
  if (made) backend_ = std::move(made);
  need_ = need;
  first_ = std::move(scene.bodies);
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
  model_.undoable = 0;
  model_.comparing = false;
  model_.steps = 0, model_.broken = false;  // the engine is new: nothing to go back to
  ++generation_;
  for (const std::string& text : model_.scene.notes) note(text, false);
  if (wanted.pair_map != config.pair_map || wanted.triple_map != config.triple_map) {
    note("the map does not fit this scene; the default one is in use.", false);
  }
  judge_maps();
  reset();
}

void Session::reset() {
  asked_steps_ = 0;
  if (model_.steps > 0 || model_.broken) engine_ = backend_->make_engine(first_, model_.scene.field, model_.asked);
  model_.steps = 0, model_.time = 0, model_.broken = false;
  copy_ = {};  // the first bodies serve until there is one
  loses_at_.reset();
  model_.diagnostics.clear();
  model_.inspected.reset();
  row_stride_ = 1, row_count_ = 0, diagnosed_step_ = ~u64{0}, diagnosed_at_ = 0;
  forget_times();
  const double begin = now_s();
  add_diagnostics(engine_->diagnose());
  diagnose_cost_ = now_s() - begin;
}

void Session::judge_maps() {
  judge(model_, *engine_);
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
  if (!same_work) judge_maps();
}

Session::Parameters Session::parameters() const {
  return {model_.scene.field, model_.scene.dt, model_.scene.integrator, model_.asked, model_.backwards};
}

void Session::remember(const Parameters& before) {
  past_.push_back(before);
  if (past_.size() > kMostPast) past_.erase(past_.begin());
  model_.undoable = past_.size();
}

void Session::set_parameters(const Parameters& p) {
  const bool laws = p.field.pair != model_.scene.field.pair || p.field.triple != model_.scene.field.triple;
  engine_->set_field(p.field);
  model_.scene.field = p.field;
  model_.scene.dt = p.dt, model_.scene.integrator = p.integrator;
  model_.backwards = p.backwards;
  if (laws) judge_maps();
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
    s.open(r.scene, m.asked);
    m.running = false;
  }
  void operator()(const ask::Reset&) {
    s.reset();
    s.judge_maps();
  }
  void operator()(const ask::Save& r) {
    write_bodies(r.path, s.engine_->read());
    s.note(fmt::format("wrote {}", r.path), false);
  }
  void operator()(const ask::Run& r) {
    if (r.on && m.broken) throw ConfigError("the state holds a number that is none. Reset it, or open another scene.");
    m.running = r.on;
  }
  void operator()(const ask::Take& r) { s.asked_steps_ += r.steps; }
  void operator()(const ask::StepsPerFrame& r) { m.steps_per_frame = std::max<u32>(1, r.count); }
  void operator()(const ask::Reverse&) {
    change([](Parameters& p) { p.backwards = !p.backwards; });
  }
  void operator()(const ask::TimeStep& r) {
    if (!(std::isfinite(r.dt) && r.dt > 0)) {
      throw ConfigError(fmt::format("the time step is {}, but it must be finite and more than 0.", r.dt));
    }
    change([&](Parameters& p) { p.dt = r.dt; });
  }
  void operator()(const ask::Scheme& r) {
    change([&](Parameters& p) { p.integrator = r.integrator; });
  }
  void operator()(const ask::Field& r) {
    change([&](Parameters& p) { p.field = r.field; });
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
  open(spec, config);
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
