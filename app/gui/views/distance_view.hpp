#pragma once
/// The distances of the bodies in view as a heat map, rows and columns by body: computed by the session's backend along
/// the map in use.

#include <optional>
#include <span>
#include <vector>

#include "app/gui/views/bottom_pane.hpp"
#include "app/gui/views/cell_view.hpp"
#include "render/camera.hpp"

namespace tri::app::gui {

/// Numbers of the bodies whose middle the camera sees in a picture of this aspect, ascending; of more than `most`, so
/// many evenly among them.
std::vector<u32> bodies_in_view(std::span<const Instance> bodies, const render::Camera& camera, float aspect, u32 most);

/// The same bodies, by their distance from the mean of their places, the nearest first.
void sort_by_centre(std::span<const Instance> bodies, std::vector<u32>& numbers);

class DistanceView final : public BottomPane {
 public:
  void work(Session& session, GuiState& state, float seconds) override;
  void draw(const SessionModel& model, GuiState& state, const Rect& place, float seconds) override;

 private:
  struct Source final : CellSource {
    u32 width() const override { return static_cast<u32>(bodies.size()); }
    u32 height() const override { return width(); }
    u64 version() const override { return changes; }
    void read(const CellWindow& window, std::span<float> texels) const override;
    std::string tell(Cell cell) const override;
    void find_range();
    std::vector<u32> bodies;    ///< numbers, in the order of rows and columns
    std::vector<float> square;  ///< [bodies.size()^2]
    float least = 1, most = 1;  ///< range of colours
    u64 changes = 0;
  };
  /// What the picture belongs to; another one is made anew.
  struct Key {
    u64 generation = 0, steps = 0;
    double time = 0;
    u32 most = 0;
    bool by_centre = false;
    TriangleMapId map = TriangleMapId::bb;
    render::CameraPose pose;
    float aspect = 1;
  };
  static bool same(const Key& a, const Key& b);
  void compute(Session& session, GuiState& state);

  CellView view_;
  Source source_;
  std::optional<Key> made_;
  double waited_ = 0, cost_ = 0;  ///< seconds
};

}  // namespace tri::app::gui
