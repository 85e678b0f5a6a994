#pragma once
/// The one type for all tetrahedron maps, as any_triangle_map.hpp has it for triangles.

#include "any_triangle_map.hpp"
#include "map_registry.hpp"

namespace tri {

#define TRI_BEGIN_AS(id, type) \
  case decltype(id_)::id: \
    return begin_as<type>(p);

/// All tetrahedron maps: the cursor is a run, of one tile for most maps.
struct AnyTetraMap : AnyMap<TetraRun, TetraMaps> {
  using AnyMap::AnyMap;
  TRI_HD TRI_INLINE Cursor begin(const Position& p) const {
    switch (id_) { TRI_TETRA_MAPS(TRI_BEGIN_AS) }
    __builtin_unreachable();
  }
};

#undef TRI_BEGIN_AS

}  // namespace tri
