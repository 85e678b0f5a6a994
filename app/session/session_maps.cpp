// Which maps fit the laws, size and block of a session, and why the others do not.

#include "app/session/session.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {
namespace {

std::vector<MapRow> rows_of(std::span<const MapInfo> maps, u64 n, const MapLimits& limits) {
  std::vector<MapRow> rows;
  for (const MapInfo& map : maps) rows.push_back({map.name, map.formula, map_refusal(map, n, limits), {}});
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
    model_.pair_maps = rows_of(triangle_maps(), model_.n, engine().map_limits(Domain::triangle));
  }
  if (field.triple != TripleLaw::none) {
    model_.triple_maps = rows_of(tetra_maps(), model_.n, engine().map_limits(Domain::tetrahedron));
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

}  // namespace tri::app
