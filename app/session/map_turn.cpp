#include "app/session/map_turn.hpp"

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

}  // namespace tri::app
