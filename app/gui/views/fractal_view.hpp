#pragma once
/// The automaton on a fractal (fractal_world.hpp), as a picture to zoom and to pan.

#include <optional>

#include "app/gui/views/bottom_pane.hpp"
#include "app/gui/views/cell_view.hpp"
#include "app/views/fractal_world.hpp"

namespace tri::app::gui {

class FractalView final : public BottomPane {
 public:
  void work(Session& session, GuiState& state, float seconds) override;
  void draw(const SessionModel& model, GuiState& state, const Rect& place, float seconds) override;

 private:
  struct Source final : CellSource {
    u32 width() const override { return picture->side(); }
    u32 height() const override { return picture->side(); }
    u64 version() const override { return changes; }
    void read(const CellWindow& window, std::span<float> texels) const override;
    std::string tell(Cell cell) const override;
    const FractalPicture* picture = nullptr;
    u64 changes = 0;
  };

  std::optional<FractalWorld> world_;
  CellView view_;
  Source source_;
};

}  // namespace tri::app::gui
