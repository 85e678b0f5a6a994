#pragma once
/// All tetrahedron maps as types: what kernels need of them, and nothing of the host.

#include "map_ids.hpp"
#include "map_list.hpp"
#include "tetra_bb.hpp"
#include "tetra_exact.hpp"
#include "tetra_h.hpp"
#include "tetra_lut.hpp"
#include "tetra_r.hpp"
#include "tetra_stream.hpp"

namespace tri {

#define TRI_MAP_TYPE(id, type) , type
using TetraMaps = MapList<TetraMapId TRI_TETRA_MAPS(TRI_MAP_TYPE)>;
#undef TRI_MAP_TYPE

}  // namespace tri
