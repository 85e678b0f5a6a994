#pragma once
/// One type for all maps of a domain, for kernels whose tiles are so large that a branch on the map costs nothing: each
/// block takes one uniform branch for thousands of pairs or triples, and the kernel is compiled once instead of once a
/// map. (Kernels with one thread an element are instantiated for each map.) A plain value; pass it to a kernel.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "map_registry.hpp"

namespace tri {

/// A map of List that works in block space and whose cursor converts to Cursor_. A map outside the list does not
/// compile.
template <class Cursor_, class List>
class AnyMap;

template <class Cursor_, class Id, class... Maps>
class AnyMap<Cursor_, MapList<Id, Maps...>> {
 public:
  using Cursor = Cursor_;

  template <class M>
  static constexpr bool kHolds = M::kInfo.space == Space::block&& std::is_convertible_v<typename M::Cursor, Cursor>;

  template <class M>
  explicit AnyMap(const M& map) : id_(MapList<Id, Maps...>::template id_of<M>()) {
    static_assert((std::is_same_v<M, Maps> || ...), "this map is not in the list of its domain, see map_ids.hpp");
    static_assert(kHolds<M>, "this map works in thread space, or its cursor does not convert to that of AnyMap");
    static_assert(std::is_trivially_copyable_v<M>, "a kernel takes the map by value");
    std::memcpy(bytes_, &map, sizeof(M));
  }

 protected:
  template <class M>
  TRI_HD TRI_INLINE Cursor begin_as(const Position& p) const {
    if constexpr (kHolds<M>) {
      return reinterpret_cast<const M*>(bytes_)->begin(p);
    } else {
      __builtin_unreachable();  // the constructor does not let it in
    }
  }

  Id id_;

 private:
  alignas(8) unsigned char bytes_[std::max({(kHolds<Maps> ? sizeof(Maps) : 0)...})];
};

#define TRI_BEGIN_AS(id, type) \
  case decltype(id_)::id: \
    return begin_as<type>(p);

/// Of the triangle maps with one tile a position; a persistent map is compiled for itself, because a loop over tiles
/// holds registers that one tile does not need.
struct AnyTriangleMap : AnyMap<OneTile<Tile2>, TriangleMaps> {
  using AnyMap::AnyMap;
  TRI_HD TRI_INLINE Cursor begin(const Position& p) const {
    switch (id_) { TRI_TRIANGLE_MAPS(TRI_BEGIN_AS) }
    __builtin_unreachable();
  }
};

/// Of all tetrahedron maps: a cursor is a run, of one tile for most maps.
struct AnyTetraMap : AnyMap<TetraRun, TetraMaps> {
  using AnyMap::AnyMap;
  TRI_HD TRI_INLINE Cursor begin(const Position& p) const {
    switch (id_) { TRI_TETRA_MAPS(TRI_BEGIN_AS) }
    __builtin_unreachable();
  }
};

#undef TRI_BEGIN_AS

}  // namespace tri
