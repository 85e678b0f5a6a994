#pragma once
/// Parallel space beside data space: the blocks that a map launches, in launch order, and the tiles that they become.
/// Point at one to see where it lands; let omega run to see the order.

#include <optional>

#include "app/gui/views/bottom_pane.hpp"
#include "app/views/map_trace.hpp"

namespace tri::app::gui {

class DomainView final : public BottomPane {
 public:
  /// With its own line of choices.
  void draw(const SessionModel& model, GuiState& state, const Rect& place, float seconds) override;

 private:
  struct Key {
    u32 domain = 0, map = 0, side = 0;
    bool operator==(const Key&) const = default;
  };
  Key wanted(const SessionModel& model, const DomainChoice& choice) const;
  void choices(const SessionModel& model, GuiState& state, float seconds);
  void explain(const Key& key, std::optional<u32> cell) const;

  std::optional<Key> made_;
  MapTrace picture_;
};

}  // namespace tri::app::gui
