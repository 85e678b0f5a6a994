#pragma once
/// Ranks that share a run: a strip for each, so that an imbalance is seen at a glance.

#include "app/session/session_model.hpp"

namespace tri::app::gui::charts {

/// In the current window: of each rank its number and name, its share of the positions of a map, or of the bodies, and
/// its own time, with a bar on one scale, and the mean. Nothing for one rank.
void rank_strips(const SessionModel& model, float scale);

}  // namespace tri::app::gui::charts
