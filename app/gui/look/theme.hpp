#pragma once
/// The colours of the window by what they are for. Text has a contrast of 4.5 : 1 or more on what it is drawn on, and
/// marks of 3 : 1 (WCAG 2.1, 1.4.3 and 1.4.11), in both themes.

#include <imgui.h>

namespace tri::app::gui {

struct Theme {
  ImU32 page, panel, raised, selected;  ///< backgrounds: of pages, panels, hovered items, and the row in use
  ImU32 line, edge;                     ///< between parts, and around buttons
  ImU32 text, text2, text3;             ///< text3: "no difference"
  ImU32 disabled;
  ImU32 idle;     ///< blocks without work
  ImU32 focus;    ///< the ring of the keyboard, links
  ImU32 record;   ///< recording
  ImU32 fault;    ///< errors
  ImU32 running;  ///< the mark beside "running"
};

const Theme& theme_of(bool dark);
/// The one in use; it belongs to the ImGui context.
const Theme& theme();
void use_theme(bool dark);

/// Contrast of two opaque colours, 1 to 21 (WCAG 2.1, relative luminance).
double contrast(ImU32 a, ImU32 b);
/// The same colour with this opacity, 0 to 1.
ImU32 faded(ImU32 colour, float opacity);

/// Of the k-th line or part of a plot; eight colours that colour-blind readers can tell apart too (Okabe and Ito 2008).
ImU32 series_colour(unsigned k);

}  // namespace tri::app::gui
