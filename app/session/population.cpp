#include "app/session/population.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tri::app {

PopulationPtr first_population(Bodies bodies) {
  std::vector<u32> ids(bodies.size());
  std::iota(ids.begin(), ids.end(), 0u);
  return std::make_shared<Population>(Population{std::move(bodies), std::move(ids), 0});
}

std::size_t index_of(const Population& population, u32 id) {
  const auto& ids = population.ids;
  const auto at = std::lower_bound(ids.begin(), ids.end(), id);
  return at != ids.end() && *at == id ? static_cast<std::size_t>(at - ids.begin()) : ids.size();
}

BodyValues values_of(const Bodies& b, std::size_t i) {
  return {{b.x[i], b.y[i], b.z[i]}, {b.vx[i], b.vy[i], b.vz[i]}, b.m[i], b.r[i]};
}

Bodies only(const Bodies& from, const std::vector<u32>& indices) {
  Bodies to;
  const auto take = [&indices](const auto& all, auto& some, std::size_t width = 1) {
    if (all.empty()) return;
    for (const u32 i : indices) {
      for (std::size_t k = 0; k < width; ++k) some.push_back(all[width * i + k]);
    }
  };
  take(from.x, to.x), take(from.y, to.y), take(from.z, to.z);
  take(from.vx, to.vx), take(from.vy, to.vy), take(from.vz, to.vz);
  take(from.m, to.m), take(from.r, to.r);
  take(from.group, to.group), take(from.species, to.species), take(from.q, to.q), take(from.rest, to.rest, 3);
  return to;
}

}  // namespace tri::app
