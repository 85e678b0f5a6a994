#pragma once
/// The automaton on the triangle (triangle_automaton.hpp), stepped tile by tile by the map in use.

#include <optional>

#include "app/gui/base/pane_choices.hpp"
#include "app/gui/views/bottom_pane.hpp"
#include "app/gui/views/cell_view.hpp"
#include "app/views/triangle_automaton.hpp"

namespace tri::app::gui {

class TriangleAutomatonView final : public BottomPane {
 public:
  explicit TriangleAutomatonView(AutomatonChoice& choice) : choice_(choice) {}
  void work(Session& session, const PaneContext& context) override;
  void draw(const SessionModel& model, const PaneContext& context, const Rect& place) override;

 private:
  struct Source final : CellSource {
    u32 width() const override { return automaton->side(); }
    u32 height() const override { return automaton->side(); }
    u64 version() const override { return changes; }
    void read(const CellWindow& window, std::span<float> texels) const override;
    std::string describe(Cell cell) const override;
    std::optional<TriangleAutomaton> automaton;
    u64 changes = 0;
  };
  void apply_choice();

  AutomatonChoice& choice_;
  CellView view_;
  Source source_;
  MapTrace tiles_;
  std::optional<TriangleMapId> map_;  ///< of the tiles
  AutomatonChoice applied_;
  double owed_ = 0;  ///< generations due at the chosen speed and not yet taken
};

}  // namespace tri::app::gui
