#pragma once
/// The automaton on a fractal (fractal_world.hpp), as a picture to zoom and pan.

#include "app/gui/views/bottom_pane.hpp"
#include "app/gui/views/cell_view.hpp"
#include "app/support/engine_choice.hpp"
#include "app/views/fractal_world.hpp"

namespace tri::app::gui {

class FractalView final : public BottomPane {
 public:
  /// common: backend and device. Both must outlive the view.
  FractalView(FractalChoice& choice, const CommonOptions& common)
      : choice_(choice), world_([&common] { return open_backend(on_one_device(common)); }) {}
  void work(Session& session, const PaneContext& context) override;
  void draw(const SessionModel& model, const PaneContext& context, const Rect& place) override;

 private:
  struct Source final : CellSource {
    u32 width() const override { return picture->side(); }
    u32 height() const override { return picture->side(); }
    u64 version() const override { return changes; }
    void read(const CellWindow& window, std::span<float> texels) const override;
    std::string describe(Cell cell) const override;
    const FractalPicture* picture = nullptr;
    u64 changes = 0;
  };

  FractalChoice& choice_;
  FractalWorld world_;
  CellView view_;
  Source source_;
};

}  // namespace tri::app::gui
