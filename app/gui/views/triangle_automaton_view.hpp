#pragma once
/// The automaton on the triangle (triangle_automaton.hpp), stepped by the tiles of the map in use.

#include <optional>

#include "app/gui/views/bottom_pane.hpp"
#include "app/gui/views/cell_view.hpp"
#include "app/views/triangle_automaton.hpp"

namespace tri::app::gui {

class TriangleAutomatonView final : public BottomPane {
 public:
  void work(Session& session, GuiState& state, float seconds) override;
  void draw(const SessionModel& model, GuiState& state, const Rect& place, float seconds) override;

 private:
  struct Source final : CellSource {
    u32 width() const override { return automaton->side(); }
    u32 height() const override { return automaton->side(); }
    u64 version() const override { return changes; }
    void read(const CellWindow& window, std::span<float> texels) const override;
    std::string tell(Cell cell) const override;
    std::optional<TriangleAutomaton> automaton;
    u64 changes = 0;
  };
  void take(const AutomatonChoice& choice);

  CellView view_;
  Source source_;
  MapTrace tiles_;
  std::optional<TriangleMapId> map_;  ///< of the tiles
  AutomatonChoice taken_;
  double owed_ = 0;  ///< generations
};

}  // namespace tri::app::gui
