#pragma once
/// How the blocks and tiles of a map are painted: by omega in viridis or by rank, idle blocks grey and struck through,
/// those not launched yet as outlines.

#include <imgui.h>

#include <span>

#include "app/gui/views/domain_layout.hpp"
#include "app/views/map_trace.hpp"

namespace tri::app::gui {

/// The colour of the block omega of `of` blocks.
ImU32 omega_colour(u32 omega, std::size_t of);

/// Parallel space, after `launched` blocks. A block launched last has a white edge, where `last` is set. owners:
/// [cells] the rank that works on each, for colours and numbers of ranks in place of omega; empty: omega.
void paint_cells(ImDrawList& draw, const MapTrace& trace, const GridLayout& cells, u32 launched, bool last = false,
                 std::span<const u32> owners = {});
/// Data space, likewise.
void paint_tiles(ImDrawList& draw, const MapTrace& trace, const GridLayout& tiles, u32 launched, bool last = false,
                 std::span<const u32> owners = {});
/// A ring around a square or a cube; drawn last, so that a cube behind others shows where it is.
void mark_spot(ImDrawList& draw, const GridLayout& map, const Spot& spot);

/// How many of the first `launched` blocks have a tile.
u32 useful_of(const MapTrace& trace, u32 launched);

}  // namespace tri::app::gui
