#pragma once
/// All triangle maps as types: what kernels need of them, and nothing of the host.

#include "map_ids.hpp"
#include "map_list.hpp"
#include "triangle_bb.hpp"
#include "triangle_circulant.hpp"
#include "triangle_fold.hpp"
#include "triangle_h.hpp"
#include "triangle_lambda.hpp"
#include "triangle_lambda_grouped.hpp"
#include "triangle_lambda_historical.hpp"
#include "triangle_lambda_longest.hpp"
#include "triangle_lambda_lut.hpp"
#include "triangle_lambda_stream.hpp"
#include "triangle_rb.hpp"
#include "triangle_rec.hpp"
#include "triangle_utm.hpp"

namespace tri {

#define TRI_MAP_TYPE(id, type) , type
using TriangleMaps = MapList<TriangleMapId TRI_TRIANGLE_MAPS(TRI_MAP_TYPE)>;
#undef TRI_MAP_TYPE

}  // namespace tri
