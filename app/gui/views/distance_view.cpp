#include "app/gui/views/distance_view.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <glm/vec4.hpp>
#include <numeric>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/imgui_layer.hpp"
#include "app/session/session.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/error.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app::gui {
namespace {

constexpr double kDrawingShare = 0.1;  // of the time, at most
constexpr u32 kSampleSides[] = {128, 256, 512, 1024, 2048};

}  // namespace

std::vector<u32> bodies_in_view(std::span<const Instance> bodies, const render::Camera& camera, float aspect,
                                u32 most) {
  const glm::mat4 m = camera.projection(aspect) * camera.view();
  std::vector<u32> seen;
  for (const Instance& b : bodies) {
    const glm::vec4 p = m * glm::vec4(b.x, b.y, b.z, 1);
    if (p.w > 0 && std::abs(p.x) <= p.w && std::abs(p.y) <= p.w) seen.push_back(b.id);
  }
  if (seen.size() <= most) return seen;
  std::vector<u32> some(most);
  for (u32 k = 0; k < most; ++k) some[k] = seen[u64{k} * seen.size() / most];
  return some;
}

void sort_by_centre(std::span<const Instance> bodies, std::vector<u32>& numbers) {
  double mean[3] = {0, 0, 0};
  for (const u32 i : numbers) {
    mean[0] += static_cast<double>(bodies[i].x), mean[1] += static_cast<double>(bodies[i].y);
    mean[2] += static_cast<double>(bodies[i].z);
  }
  for (double& v : mean) v /= static_cast<double>(std::max<std::size_t>(1, numbers.size()));
  const auto away = [&](u32 i) {
    const Instance& b = bodies[i];
    return std::hypot(static_cast<double>(b.x) - mean[0], static_cast<double>(b.y) - mean[1],
                      static_cast<double>(b.z) - mean[2]);
  };
  std::stable_sort(numbers.begin(), numbers.end(), [&](u32 a, u32 b) { return away(a) < away(b); });
}

void DistanceView::Source::read(const CellWindow& window, std::span<float> texels) const {
  mean_cells(square, width(), window, texels);
}

std::string DistanceView::Source::describe(Cell cell) const {
  return fmt::format("bodies {} and {}: distance {:.5g}", bodies[cell.row], bodies[cell.col],
                     square[std::size_t{cell.row} * width() + cell.col]);
}

/// The range ends at the 98th percentile, so that a few distant bodies do not leave all others dark.
void DistanceView::Source::find_range() {
  std::vector<float> sorted = square;
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() - 1 - sorted.size() / 50);
  std::nth_element(sorted.begin(), at, sorted.end());
  most = *at > 0 ? *at : 1;
  least = most;
  for (const float d : square) {
    if (d > 0) least = std::min(least, d);
  }
}

void DistanceView::compute(Session& session, const SceneView& view) {
  const std::vector<Instance> all = session.drawn();
  std::vector<u32> seen = bodies_in_view(all, view.camera, view.aspect, choice_.most);
  source_.bodies.clear(), source_.square.clear();
  ++source_.changes;
  if (seen.empty()) {
    choice_.status_text = "No body is in view.";
    return;
  }
  if (choice_.by_centre) sort_by_centre(all, seen);
  PointSet points{static_cast<u32>(seen.size()), 3, {}};
  for (const u32 i : seen) {
    for (const float x : {all[i].x, all[i].y, all[i].z}) points.values.push_back(static_cast<double>(x));
  }
  DistanceResult result = session.distances(points, DistanceLayout::square);
  if (auto* single = std::get_if<std::vector<float>>(&result.values)) {
    source_.square = std::move(*single);
  } else {
    const auto& wide = std::get<std::vector<double>>(result.values);
    source_.square.assign(wide.begin(), wide.end());
  }
  source_.bodies = std::move(seen);
  source_.find_range();
  choice_.status_text =
      fmt::format("{} of {} bodies in view; {} distances by {} in {:.3g} ms; lightest colour: {:.3g} or more",
                  source_.bodies.size(), all.size(), result.work_items, info(session.model().asked.pair_map).name,
                  result.ms, source_.most);
}

void DistanceView::work(Session& session, const PaneContext& context) {
  const SessionModel& m = session.model();
  const render::CameraPose& pose = context.view.camera.pose;
  const Key key{session.generation(), m.steps,       m.time,   choice_.most, choice_.by_centre,  m.asked.pair_map,
                pose.target,          pose.distance, pose.yaw, pose.pitch,   context.view.aspect};
  waited_ += static_cast<double>(context.seconds);
  if (made_ == key) return;
  if (made_ && made_->generation == key.generation && waited_ < cost_ / kDrawingShare) return;
  const double begin = clock_s();
  try {
    compute(session, context.view);
  } catch (const std::exception& error) {
    source_.bodies.clear(), source_.square.clear();
    choice_.status_text = error.what();
  }
  made_ = key;
  cost_ = clock_s() - begin, waited_ = 0;
}

void DistanceView::draw(const SessionModel&, const PaneContext& context, const Rect& place) {
  const float unit = ImGui::CalcTextSize("0").x;
  u32 order = choice_.by_centre ? 1 : 0;
  if (panel::choose("##order", order, {"by index", "from the centre out"}, 24 * unit)) choice_.by_centre = order == 1;
  panel::tip("Order of rows and columns");
  ImGui::SameLine();
  panel::choose_number("##most", choice_.most, kSampleSides, 18 * unit, fmt::format("at most {}", choice_.most));
  panel::tip("Bodies; of more in view, an even sample of that size");
  ImGui::SameLine();
  ImGui::Checkbox("log scale", &choice_.logarithmic);
  if (source_.bodies.empty()) return ImGui::TextWrapped("%s", choice_.status_text.c_str());
  const float least = choice_.logarithmic ? source_.least : 0;
  // Distances go from dark to bright; colours of stars and of kinds do not.
  const render::ColourMap asked = context.view.style.colours;
  const render::ColourMap map = render::begins_dark(asked) ? asked : render::ColourMap::inferno;
  const CellPaint paint = cell_paint(map, least, source_.most, choice_.logarithmic);
  view_.draw("distances", source_, paint, place, context.scale, choice_.status_text);
}

}  // namespace tri::app::gui
