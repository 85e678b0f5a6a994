#pragma once
/// The colours of ranks, such as the GPUs that share a run.

#include <imgui.h>

#include "sim/base/platform.hpp"

namespace tri::app::gui {

inline constexpr u32 kRankColours = 8;

/// In the theme in use, for areas on a panel; colour-blind readers can tell them apart too. From kRankColours on they
/// begin again, so the number of the rank always stands beside its colour.
ImU32 rank_colour(u32 rank);
/// The ink for letters on a filled area of any colour: dark or light.
ImU32 ink_on(ImU32 area);

}  // namespace tri::app::gui
