#pragma once
/// The keyboard's way through the window: Tab leads from part to part, arrows within one, Enter presses. Around what
/// has the keyboard there is a ring of 2 pixels.

namespace tri::app::gui::start {

/// Keys that ImGui's navigation takes: Enter in place of Space, which runs and pauses. Once for an ImGui context.
void take_navigation_keys();
/// At the beginning of a frame, before the first window: goes on by so many parts of those that were drawn in the last
/// frame, forwards or backwards.
void turn_focus(int parts);
/// At its end.
void draw_focus(float scale);

}  // namespace tri::app::gui::start
