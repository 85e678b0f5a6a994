// Which maps fit the laws, size and block of a session, and why the others do not.

#include <algorithm>
#include <utility>

#include "app/session/map_counts.hpp"
#include "app/session/session.hpp"
#include "sim/base/clock.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {
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

/// The turn of the next steps, where one is due: at each while all maps take turns.
std::optional<MapTurn> Session::next_turn(double now_seconds) {
  constexpr double kShare = 0.05, kEvaluations = 4;  // of the time, at most; of a turn
  if (!model_.running || !(model_.comparing || compares_with_bb_) || has_impulses(model_.scene.field)) return {};
  const EngineConfig& asked = model_.asked;
  const EngineConfig compared = model_.triple_maps.empty() ? asked : in_tiles_of_triples(asked);
  MapTurn turn{compared, compared, asked, false, {}, {}};
  const auto fits = [](const std::vector<MapRow>& rows) { return !rows.empty() && rows.front().fits(); };
  if (fits(model_.pair_maps)) turn.baseline.pair_map = TriangleMapId::bb;
  if (fits(model_.triple_maps)) turn.baseline.triple_map = TetraMapId::bb;
  if (turn.baseline == turn.own) return {};
  // Before the first steps of a scene nothing says how long a turn would take.
  const double cost = std::max(turn_cost_, kEvaluations * step_seconds_.value_or(1e9));
  if (!model_.comparing && now_seconds - turned_at_ < cost / kShare) return {};
  bool& own_first = own_first_[{turn.own.pair_map, turn.own.triple_map}];
  turn.own_first = own_first = !own_first;
  return turn;
}

void Session::account_turn(const MapTurn& turn, double seconds) {
  turned_at_ = clock_s(), turn_cost_ = seconds;
  skip_samples_ = 1;
  if (!turn.baseline_ms || !turn.own_ms) return;
  const auto timed = [](double baseline, double own) { return baseline > 0 && own > 0; };
  if (turn.baseline.pair_map != turn.own.pair_map && timed(turn.baseline_ms->pairs, turn.own_ms->pairs)) {
    model_.pair_maps[static_cast<u32>(turn.own.pair_map)].turns.add(turn.baseline_ms->pairs, turn.own_ms->pairs);
  }
  if (turn.baseline.triple_map != turn.own.triple_map && timed(turn.baseline_ms->triples, turn.own_ms->triples)) {
    model_.triple_maps[static_cast<u32>(turn.own.triple_map)].turns.add(turn.baseline_ms->triples,
                                                                        turn.own_ms->triples);
  }
}

}  // namespace tri::app
