#include "app/session/session_maps.hpp"

#include "sim/maps/map_registry.hpp"

namespace tri::app {
namespace {

/// Tables beyond this are not built only to learn whether they can be.
constexpr u64 kLargestTrial = u64{1} << 20;

/// What the engine says to this configuration; empty when it takes it.
std::string rejection_reason(Engine& engine, const EngineConfig& config) {
  try {
    engine.configure(config);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

template <class Set>
MapRow judged(const MapInfo& map, std::size_t n, u32 block, Engine& engine, EngineConfig config, Set set) {
  MapRow row{map.name, map.formula, refusal(map, n, block), {}};
  const u64 tiles = tiles_per_side(map, n, block);
  const bool table = std::string_view(map.name).ends_with("-lut") && tiles * tiles / 2 > kLargestTrial;
  if (!row.reason.empty() || table) return row;
  set(config);
  row.reason = rejection_reason(engine, config);
  return row;
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

void evaluate_maps(SessionModel& model, Engine& engine) {
  model.pair_maps.clear(), model.triple_maps.clear();
  const EngineConfig& asked = model.asked;
  if (model.scene.field.pair != PairLaw::none) {
    for (u32 id = 0; id < kTriangleMapCount; ++id) {
      const auto map = static_cast<TriangleMapId>(id);
      model.pair_maps.push_back(judged(info(map), model.n, model.engine.pair_block, engine, asked,
                                       [map](EngineConfig& c) { c.pair_map = map; }));
    }
  }
  if (model.scene.field.triple != TripleLaw::none) {
    for (u32 id = 0; id < kTetraMapCount; ++id) {
      const auto map = static_cast<TetraMapId>(id);
      model.triple_maps.push_back(judged(info(map), model.n, model.engine.triple_block, engine, asked,
                                         [map](EngineConfig& c) { c.triple_map = map; }));
    }
  }
  engine.configure(asked);
}

}  // namespace tri::app
