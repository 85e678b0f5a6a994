#pragma once
/// Shared by the session tests: the cpu backend, taking steps to the end, and a hash of the published instances.

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "app/session/session.hpp"

namespace tri::app {

inline std::unique_ptr<Backend> cpu() { return make_backend("cpu"); }

inline u64 hash_of(Session& s) {
  std::vector<Instance> instances(s.model().n);
  InstanceSink sink{InstanceSink::Place::host, instances};
  s.publish(sink);
  u64 h = 1469598103934665603ull;
  for (const Instance& i : instances) {
    for (const float v : {i.x, i.y, i.z, i.speed}) {
      u32 bits = 0;
      std::memcpy(&bits, &v, 4);
      h = (h ^ bits) * 1099511628211ull;
    }
  }
  return h;
}

/// The maps that fit; tests before may have added some.
inline u32 fitting(const std::vector<MapRow>& rows) {
  return static_cast<u32>(std::count_if(rows.begin(), rows.end(), [](const MapRow& row) { return row.fits(); }));
}

inline void steps(Session& s, u64 count) {
  s.apply(ask::Take{count});
  s.advance(1e9);
}

}  // namespace tri::app
