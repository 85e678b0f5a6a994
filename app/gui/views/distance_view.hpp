#pragma once
/// Distances of the bodies in view as a heat map with a row and a column per body, computed by the session's backend
/// with the map in use.

#include <optional>
#include <span>
#include <vector>

#include "app/gui/base/pane_choices.hpp"
#include "app/gui/views/bottom_pane.hpp"
#include "app/gui/views/cell_view.hpp"
#include "render/camera.hpp"

namespace tri::app::gui {

/// Indices of the bodies whose centre the camera sees in a picture of this aspect, ascending; of more than `most`, an
/// even sample of that size.
std::vector<u32> bodies_in_view(std::span<const Instance> bodies, const render::Camera& camera, float aspect, u32 most);

/// Sorts bodies by their distance from the mean of their positions, the nearest first.
void sort_by_centre(std::span<const Instance> bodies, std::vector<u32>& numbers);

class DistanceView final : public BottomPane {
 public:
  explicit DistanceView(DistanceChoice& choice) : choice_(choice) {}
  void work(Session& session, const PaneContext& context) override;
  void draw(const SessionModel& model, const PaneContext& context, const Rect& place) override;

 private:
  struct Source final : CellSource {
    u32 width() const override { return static_cast<u32>(bodies.size()); }
    u32 height() const override { return width(); }
    u64 version() const override { return changes; }
    void read(const CellWindow& window, std::span<float> texels) const override;
    std::string describe(Cell cell) const override;
    void find_range();
    std::vector<u32> bodies;    ///< indices, in the order of rows and columns
    std::vector<float> square;  ///< [bodies.size()^2]
    float least = 1, most = 1;  ///< range of colours
    u64 changes = 0;
  };
  /// What the picture depends on; a change recomputes it.
  struct Key {
    u64 generation = 0, steps = 0;
    double time = 0;
    u32 most = 0;
    bool by_centre = false;
    TriangleMapId map = TriangleMapId::bb;
    glm::vec3 target{0};
    float distance = 0, yaw = 0, pitch = 0, aspect = 1;
    bool operator==(const Key&) const = default;
  };
  void compute(Session& session, const SceneView& view);

  DistanceChoice& choice_;
  CellView view_;
  Source source_;
  std::optional<Key> made_;
  double waited_ = 0, cost_ = 0;  ///< seconds since the last computation, and that it took
};

}  // namespace tri::app::gui
