#pragma once
/// The views of the lower half, in a table: a new one is a class and a row.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "app/gui/views/bottom_pane.hpp"

namespace tri::app::gui {

/// A row: its name on the tab and in scripts, what it is for, and how it is made.
struct LowerViewRow {
  const char* name;
  const char* about;
  std::unique_ptr<BottomPane> (*make)();
};
std::span<const LowerViewRow> lower_view_rows();

/// Shows the view of that name, one of the rows.
void show_lower_view(std::string_view name, GuiState& state);

/// All of them; state.bottom_pane says which is shown, state.domain.shown whether one is.
class BottomPanes {
 public:
  BottomPanes();
  void work(Session& session, GuiState& state, float seconds);
  /// Tabs, and the view below them, over `place`.
  void draw(const SessionModel& model, GuiState& state, const Rect& place, float seconds);

 private:
  std::vector<std::unique_ptr<BottomPane>> views_;
};

}  // namespace tri::app::gui
