#pragma once
/// One type for all maps of a domain, for kernels whose tiles are so large that a branch on the map costs nothing: a
/// block takes one uniform branch for thousands of pairs or triples, and the kernel is compiled once for all maps.
/// Kernels with one thread an element are instantiated for each map instead. Passed to a kernel by value.

#include <cstring>
#include <type_traits>

#include "tetra_maps.hpp"
#include "triangle_maps.hpp"

namespace tri {

namespace detail {

template <std::size_t... kBytes>
constexpr std::size_t largest_of() {
  constexpr std::size_t kAll[] = {kBytes...};
  std::size_t largest = 0;
  for (const std::size_t bytes : kAll) largest = bytes > largest ? bytes : largest;
  return largest;
}

}  // namespace detail

/// Holds one map of List, and its id. A map outside the list, or one that AnyMap cannot hold, does not compile.
template <class Cursor_, class List>
class AnyMap;

template <class Cursor_, class Id, class... Maps>
class AnyMap<Cursor_, MapList<Id, Maps...>> {
 public:
  using Cursor = Cursor_;

  /// Maps in block space whose cursor is Cursor or converts to it.
  template <class M>
  static constexpr bool kHolds = (M::kInfo.space == Space::block) && std::is_convertible_v<typename M::Cursor, Cursor>;

  template <class M>
  explicit AnyMap(const M& map) : id_(MapList<Id, Maps...>::template id_of<M>()) {
    static_assert((std::is_same_v<M, Maps> || ...), "this map is not in the list of its domain, see map_ids.hpp");
    static_assert(kHolds<M>, "this map works in thread space, or its cursor does not convert to that of AnyMap");
    static_assert(std::is_trivially_copyable_v<M> && alignof(M) <= 8, "a kernel takes the map by value");
    std::memcpy(bytes_, &map, sizeof(M));
  }

 protected:
  template <class M>
  TRI_HD TRI_INLINE Cursor begin_as(const Position& p) const {
    if constexpr (kHolds<M>) {
      return reinterpret_cast<const M*>(bytes_)->begin(p);
    } else {
      TRI_NOT_REACHED();  // the constructor refuses M
    }
  }

  Id id_;

 private:
  alignas(8) unsigned char bytes_[detail::largest_of<(kHolds<Maps> ? sizeof(Maps) : 0)...>()];
};

#define TRI_BEGIN_AS(id, type) \
  case decltype(id_)::id: \
    return begin_as<type>(p);

/// The triangle maps with one tile a position. A persistent map has a kernel of its own, because a loop over tiles
/// holds registers that one tile does not need.
struct AnyTriangleMap : AnyMap<OneTile<Tile2>, TriangleMaps> {
  using AnyMap::AnyMap;
  TRI_HD TRI_INLINE Cursor begin(const Position& p) const {
    switch (id_) { TRI_TRIANGLE_MAPS(TRI_BEGIN_AS) }
    TRI_NOT_REACHED();
  }
};

/// All tetrahedron maps: the cursor is a run, of one tile for most maps.
struct AnyTetraMap : AnyMap<TetraRun, TetraMaps> {
  using AnyMap::AnyMap;
  TRI_HD TRI_INLINE Cursor begin(const Position& p) const {
    switch (id_) { TRI_TETRA_MAPS(TRI_BEGIN_AS) }
    TRI_NOT_REACHED();
  }
};

#undef TRI_BEGIN_AS

}  // namespace tri
