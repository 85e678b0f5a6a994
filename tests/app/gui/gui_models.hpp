#pragma once
/// Session models for the panel tests, without a simulation.

#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::test {

/// 1000 bodies under gravity, map lambda; utm does not fit.
inline app::SessionModel gravity_model() {
  app::SessionModel m;
  m.spec = "plummer:n=1000", m.scene.name = "plummer", m.scene.title = "a cluster";
  m.n = 1000;
  m.backend = {"cpu", "a processor", "2 threads"};
  for (const MapInfo& map : triangle_maps()) m.pair_maps.push_back({map.name, map.formula, "", {}});
  m.pair_maps[static_cast<u32>(TriangleMapId::utm)].reason = "utm ends here for a reason";
  m.asked.pair_map = m.engine.pair_map = TriangleMapId::lambda;
  m.engine.pair_block = 64;
  return m;
}

inline app::SessionModel triples_model() {
  app::SessionModel m = gravity_model();
  m.pair_maps.clear();
  for (const MapInfo& map : tetra_maps()) m.triple_maps.push_back({map.name, map.formula, "", {}});
  m.scene.field.pair = PairLaw::none, m.scene.field.triple = TripleLaw::axilrod_teller;
  return m;
}

/// The only request of type T; fails the test if there is none or more than one.
template <class Kind>
const Kind* only(const app::Requests& requests) {
  return requests.size() == 1 ? std::get_if<Kind>(&requests.front()) : nullptr;
}

}  // namespace tri::test
