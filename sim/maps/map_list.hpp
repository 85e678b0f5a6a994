#pragma once
/// The maps of a domain as a list of types.

#include <type_traits>

#include "map_concepts.hpp"

namespace tri {

/// The maps of a domain as types, in the order of their ids.
template <class Id, class... Maps>
struct MapList {
  static constexpr MapInfo kInfo[sizeof...(Maps)] = {Maps::kInfo...};

  template <class M>
  static constexpr Id id_of() {
    u32 k = 0;
    (void)((std::is_same_v<M, Maps> || (++k, false)) || ...);
    return static_cast<Id>(k);
  }
};

}  // namespace tri
