#pragma once
/// What a presentation keeps of the maps.

#include <imgui.h>

#include <string>

#include "app/gui/base/layout.hpp"
#include "app/session/session_model.hpp"

namespace tri::app::gui::start {

/// "lambda, 1.48 x over bb", "bb, the baseline", "fold, no difference to bb"; the name alone before it is decided, and
/// nothing without a law.
std::string map_in_words(const SessionModel& model);
/// In the upper left corner of the scene.
void presented_map(ImDrawList& draw, const SessionModel& model, float scale, const Rect& scene);

}  // namespace tri::app::gui::start
