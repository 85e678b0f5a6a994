#include "app/session/session_maps.hpp"

#include "sim/maps/map_registry.hpp"

namespace tri::app {
namespace {

std::vector<MapRow> rows_of(std::span<const MapInfo> maps, u64 n, const MapLimits& limits) {
  std::vector<MapRow> rows;
  for (const MapInfo& map : maps) rows.push_back({map.name, map.formula, map_refusal(map, n, limits), {}});
  return rows;
}

}  // namespace

std::unique_ptr<Engine> make_fitting_engine(Backend& backend, const Scene& scene, EngineConfig& config) {
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

void evaluate_maps(SessionModel& model, const Engine& engine) {
  const auto& field = model.scene.field;
  model.pair_maps.clear(), model.triple_maps.clear();
  if (field.pair != PairLaw::none) {
    model.pair_maps = rows_of(triangle_maps(), model.n, engine.map_limits(Domain::triangle));
  }
  if (field.triple != TripleLaw::none) {
    model.triple_maps = rows_of(tetra_maps(), model.n, engine.map_limits(Domain::tetrahedron));
  }
}

}  // namespace tri::app
