// Queries of a session: diagnostics, one body, all bodies as they are drawn.

#include <algorithm>
#include <cmath>

#include "app/session/session.hpp"
#include "app/support/sample_stats.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/contracts.hpp"

namespace tri::app {
namespace {

constexpr u64 kManyEdited = 65536;                               // beyond, only the running watch says what is lost
constexpr double kDiagnosticsShare = 0.05, kInspectShare = 0.1;  // of the time, at most

}  // namespace

void Samples::add(double ms) {
  if (values_.size() == kMax) values_.erase(values_.begin());
  values_.push_back(ms);
}

double Samples::median() const { return values_.empty() ? 0 : sample_stats(values_).median; }

double SessionModel::work_items() const {
  const double m = static_cast<double>(n);
  double items = 0;
  if (!pair_maps.empty()) items += m * (m - 1) / 2;
  if (!triple_maps.empty()) items += m * (m - 1) * (m - 2) / 6;
  return items;
}

RankShares SessionModel::shares(Domain domain) const {
  // Triples as products on tensor cores go along the map of pairs, and a grid along none. Devices share no other
  // search.
  const bool products = !triple_maps.empty() && engine.arithmetic == Arithmetic::tensor;
  const bool along_none =
      scene.field.pair == PairLaw::contact && (engine.broad_phase == BroadPhase::grid || backend.name == "cuda");
  if (domain == Domain::triangle && !pair_maps.empty() && !along_none) return pair_shares;
  if (domain == Domain::triangle && products) return pair_shares;
  if (domain == Domain::tetrahedron && !triple_maps.empty() && !products) return triple_shares;
  return {};
}

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
  if (!rows.empty() && rows.back().step >= row.step) return;  // of a step that is shown again
  if (row_count_++ % row_stride_ != 0) return;
  rows.push_back(row);
  if (rows.size() < SessionModel::kMaxRows) return;
  std::size_t kept = 0;  // drops every second row, and from now on half as many are added
  for (std::size_t k = 0; k < rows.size(); k += 2) rows[kept++] = rows[k];
  rows.resize(kept);
  row_stride_ *= 2, row_count_ = 0;
}

bool Session::diagnostics_due(double now_seconds) const {
  const bool again = !model_.diagnostics.empty() && model_.diagnostics.back().step > model_.steps;
  return !model_.broken && !again && !series_ && now_seconds - diagnosed_at_ >= diagnose_cost_ / kDiagnosticsShare;
}

void Session::diagnose(double now_seconds) {
  TRI_EXPECTS(!busy());
  if (model_.steps == diagnosed_step_ || !diagnostics_due(now_seconds)) return;
  const double begin = clock_s();
  try {
    begin_run();
    add_diagnostics(simulation_->diagnostics());
    if (OverlapWatch::wants(model_.scene.field)) {
      const std::string said = overlaps_.look(engine().read(), model_.scene.field, model_.time);
      if (!said.empty()) note(said, false);
      model_.overlap_max = overlaps_.largest().of_radius;
    }
    watch_motion();
  } catch (const std::exception& error) {
    if (!recover(error)) note(error.what(), true);
  }
  diagnose_cost_ = clock_s() - begin;
  diagnosed_at_ = now_seconds;
}

/// Says once that the precision has lost a body.
void Session::watch_motion() {
  if (!watches_motion_ || model_.steps == model_.first_step) return;
  const Scene& scene = simulation_->scene();
  const double dt = simulation_->automatic() ? simulation_->step_lengths().last : scene.dt;
  const Precision precision = engine().config().precision;
  const std::string text = motion_.look(model_.steps, engine().read(), scene.field, dt, precision);
  if (text.empty()) return;
  watches_motion_ = false;
  note(text, false);
}

/// After a change of bodies, laws or the time step: says what the precision loses now, unless that was said before.
void Session::watch_anew() {
  overlaps_ = {}, model_.overlap_max = 0;
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
  if (same && now_seconds - inspected_at_ < inspect_cost_ / kInspectShare) return;
  const double begin = clock_s();
  try {
    const Bodies all = engine().read();
    const bool contact = model_.scene.field.pair == PairLaw::contact;
    const std::vector<Instance> shown = drawn(contact ? InstanceScalar::contacts : InstanceScalar::mass);
    const std::size_t i = *body;
    seen = Inspected{*body,
                     model_.steps,
                     model_.time,
                     {all.x[i], all.y[i], all.z[i]},
                     {all.vx[i], all.vy[i], all.vz[i]},
                     all.m[i],
                     all.r[i],
                     static_cast<double>(shown[i].acceleration),
                     all.group.empty() ? std::nullopt : std::optional<u32>(all.group[i]),
                     contact ? std::optional(static_cast<u32>(shown[i].mass)) : std::nullopt,
                     all.q.empty() ? std::nullopt : std::optional<double>(all.q[i])};
  } catch (const std::exception& error) {
    seen.reset();
    if (!recover(error)) note(error.what(), true);
  }
  inspect_cost_ = clock_s() - begin;
  inspected_at_ = now_seconds;
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

}  // namespace tri::app
