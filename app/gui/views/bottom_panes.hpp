#pragma once
/// The bottom panes, in a table: a new one is a class and a row.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "app/gui/base/pane_choices.hpp"
#include "app/gui/views/bottom_pane.hpp"
#include "app/support/run_config.hpp"

namespace tri::app::gui {

struct PaneRow {
  const char* name;  ///< on the tab and in scripts
  const char* about;
  std::unique_ptr<BottomPane> (*make)(PaneChoices& choices, const CommonOptions& common);
};
std::span<const PaneRow> pane_rows();

/// Shows the pane of that name; an unknown name changes nothing.
void show_pane(std::string_view name, PaneChoices& choices);

class BottomPanes {
 public:
  /// choices and common must outlive the panes.
  BottomPanes(PaneChoices& choices, const CommonOptions& common);
  void work(Session& session, const PaneContext& context);
  /// Draws the tabs, and the pane below them, over `place`.
  void draw(const SessionModel& model, const PaneContext& context, const Rect& place);

 private:
  PaneChoices& choices_;
  std::vector<std::unique_ptr<BottomPane>> panes_;
};

}  // namespace tri::app::gui
