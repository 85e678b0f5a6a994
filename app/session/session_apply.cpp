// What each request to a session does.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/session.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/mapfile/add_map.hpp"
#include "sim/model/massless.hpp"
#include "sim/scene/scene_checks.hpp"

namespace tri::app {

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
      if (!missing.empty()) s.note(missing + ": each counts as 0.", false);
    }
    s.watch_anew();
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
  void operator()(const ask::Accuracy& r) {
    change_engine([&](EngineConfig& c) { c.arithmetic = r.arithmetic, c.tolerance = r.tolerance; });
  }
  void operator()(const ask::Contacts& r) {
    change_engine([&](EngineConfig& c) { c.broad_phase = r.broad_phase; });
  }
  void operator()(const ask::Compare& r) {
    m.comparing = r.on;
    if (r.on && !m.broken) m.running = true;
  }
  void operator()(const ask::LoseDevice& r) { s.loses_at_ = m.steps + r.steps; }
  void operator()(const ask::StepBack& r) { s.step_back(r.steps); }
  void operator()(const ask::GoTo& r) { s.visit(r.step); }
  void operator()(const ask::Branch&) { s.branch(); }
  void operator()(const ask::OtherBranch&) { s.swap_branches(); }
  void operator()(const ask::AddBodies& r) { s.add_bodies(r.bodies); }
  void operator()(const ask::ChangeBody& r) { s.change_body(r.body, r.to); }
  void operator()(const ask::DeleteBodies& r) { s.delete_bodies(r.bodies); }
  void operator()(const ask::Export& r) { s.export_bodies(r.path, r.bodies); }
  void operator()(const ask::AddMap& r) {
    mapfile::add_map(r.map);
    s.update_maps();
  }
  void operator()(const ask::Undo&) {
    if (s.past_.empty()) return;
    Change back = std::move(s.past_.back());
    s.past_.pop_back();
    m.undoable = s.past_.size();
    std::visit([this](auto& change) { s.bring_back(change); }, back);
  }

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
    const Parameters before = s.parameters();
    const bool begins = s.set_parameters(p, of_run);  // which remembers what was before
    if (!begins && !goes_on) s.remember(before);
  }
};

Session::Session(std::unique_ptr<Backend> backend, const ask::Open& first, const EngineOverrides& given,
                 const Requests& then)
    : given_(given), backend_(std::move(backend)) {
  EngineOverrides first_of_all = first.engine;
  apply_overrides(given, first_of_all);
  open(first.scene, first_of_all);
  for (const Request& request : then) perform(request);
}

void Session::perform(const Request& request) {
  if (!series_ || !ask_series(request)) std::visit(Apply{*this}, request);
}

void Session::apply(const Request& request) {
  TRI_EXPECTS(!busy());
  if (!series_ && waits(request)) {
    waiting_.push_back(request);
    return;
  }
  try {
    perform(request);
  } catch (const std::exception& error) {
    note(error.what(), true);
  }
}

void Session::apply(const Requests& requests) {
  for (const Request& request : requests) apply(request);
}

}  // namespace tri::app
