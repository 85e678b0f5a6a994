#pragma once
/// The panels of the rail, in a table: a new one is a function and a row.

#include <span>

#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {

struct PanelContext {
  const SessionModel& model;
  GuiState& state;
  Requests& requests;
};

struct PanelRow {
  const char* name;   ///< on the rail, in settings and scripts
  const char* glyph;  ///< an icon of base/type.hpp
  const char* about;
  bool at_end;  ///< at the lower end of the rail
  void (*draw)(const PanelContext&);
};
std::span<const PanelRow> panel_rows();
/// The row of that name; null where there is none.
const PanelRow* find_panel(std::string_view name);

}  // namespace tri::app::gui::panel
