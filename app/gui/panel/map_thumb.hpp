#pragma once
/// The thumbnail of a map: a few of its tiles in the order in which it launches them.

#include <imgui.h>

#include "app/views/map_trace.hpp"

namespace tri::app::gui::panel {

/// The trace of a map on few tiles, made once.
const MapTrace& thumb_trace(Domain domain, u32 map);
/// Draws it into a square; dim: of a map that does not fit.
void map_thumb(ImDrawList& draw, Domain domain, u32 map, ImVec2 low, float size, bool dim);

}  // namespace tri::app::gui::panel
