#pragma once
/// Parallel space beside data space: the blocks that a map launches, in launch order, and the tiles they are mapped to.
/// Colours are those of omega, or of the ranks that share a run. Point at a block to see its tile; run omega to see the
/// order. A drag turns figures in depth, and a slider takes their layers off.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/base/pane_choices.hpp"
#include "app/gui/views/bottom_pane.hpp"
#include "app/gui/views/domain_layout.hpp"
#include "app/views/map_trace.hpp"

namespace tri::app::gui {

/// The blocks under the pointer, by omega: the visible one, and those that it hides, the nearest first.
struct PointedBlocks {
  std::optional<u32> visible;
  std::vector<u32> hidden;
};
/// covering: blocks whose cell or tile covers the pointer, the nearest first. Those not launched yet are drawn faint
/// and hide nothing, so the nearest launched one is the visible one, and without one the nearest.
PointedBlocks pointed_blocks(const std::vector<u32>& covering, u32 launched);

/// A drag that begins in `place` turns the figures, a double click there turns them back. In the current window;
/// not empty.
void turn_figures(DomainChoice& choice, const Rect& place);

class DomainView final : public BottomPane {
 public:
  explicit DomainView(DomainChoice& choice) : choice_(choice) {}
  void draw(const SessionModel& model, const PaneContext& context, const Rect& place) override;

 private:
  struct Key {
    Domain domain = Domain::triangle;
    u32 map = 0, side = 0;
    RankShares shares = {};
    bool operator==(const Key&) const = default;
  };
  Key wanted(const SessionModel& model) const;
  void controls(const SessionModel& model, float seconds);
  void choose_map(const Key& key, float width);
  void omega_controls(float unit, float seconds);
  void depth_controls(float unit);
  void rank_controls(float unit);
  void legend(const SessionModel& model, const Rect& line) const;
  /// [cells] what the colours show; empty: omega.
  std::span<const u32> shown_owners() const;
  void describe(const Key& key, const PointedBlocks& pointed) const;
  std::string text_of(u32 cell) const;
  PointedBlocks under_pointer(const GridLayout& cells, const GridLayout& tiles, u32 launched) const;

  DomainChoice& choice_;
  std::optional<Key> made_;
  MapTrace trace_;
  std::vector<u32> owners_;  ///< [cells] of several ranks; else empty
};

}  // namespace tri::app::gui
