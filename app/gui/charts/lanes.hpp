#pragma once
/// Where the time goes: the work of the last frames in lanes, one for each thread and queue of a GPU that did any. The
/// wheel zooms, a drag moves, a double click shows the last frames again.

#include <imgui.h>

#include <optional>
#include <string>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/layout.hpp"
#include "app/gui/base/zoom.hpp"
#include "app/session/session_model.hpp"

namespace tri::app::gui::charts {

/// All that is kept, in seconds of clock_s(); nothing before the first frame.
std::optional<Extent> all_work(const WorkTrace& work);
/// What the lanes show: as chosen, or the last three frames, and steps under way from their beginning on.
std::optional<Extent> shown_work(const LanesState& lanes, const FrameState& frames);

/// "step 0.8 s, 2 requests wait" while steps take longer than a look at the window, else empty.
std::string step_under_way(const FrameState& frames, double now);

/// Takes over the work of late four times a second, unless frozen. now: of clock_s().
void refresh(LanesState& lanes, const FrameState& frames, double now);

/// The lanes while they are shown, at `place`. step_colour: of forces and steps.
void lanes(LanesState& lanes, const FrameState& frames, ImU32 step_colour, double now, const Rect& place, float scale);
/// What they hold, in the current window.
void lanes_items(LanesState& lanes, const FrameState& frames, ImU32 step_colour, double now, const Rect& place,
                 float scale);

}  // namespace tri::app::gui::charts
