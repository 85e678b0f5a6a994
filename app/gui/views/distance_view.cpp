#include "app/gui/views/distance_view.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <glm/vec4.hpp>
#include <numeric>

#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/session/session.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/error.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app::gui {
namespace {

constexpr double kShare = 0.1;  // of the time, at most
constexpr u32 kSides[] = {128, 256, 512, 1024, 2048};

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

std::string DistanceView::Source::tell(Cell cell) const {
  return fmt::format("bodies {} and {}: distance {:.5g}", bodies[cell.row], bodies[cell.col],
                     square[std::size_t{cell.row} * width() + cell.col]);
}

/// Few bodies far outside shall not leave all others dark: two of a hundred distances may lie beyond.
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

bool DistanceView::same(const Key& a, const Key& b) {
  return a.generation == b.generation && a.steps == b.steps && a.time == b.time && a.most == b.most &&
         a.by_centre == b.by_centre && a.map == b.map && a.pose.yaw == b.pose.yaw && a.pose.pitch == b.pose.pitch &&
         a.pose.distance == b.pose.distance && a.pose.target == b.pose.target && a.aspect == b.aspect;
}

void DistanceView::compute(Session& session, GuiState& state) {
  const std::vector<Instance> all = session.drawn();
  std::vector<u32> seen = bodies_in_view(all, state.camera, state.scene_aspect, state.distances.most);
  source_.bodies.clear(), source_.square.clear();
  ++source_.changes;
  if (seen.empty()) {
    state.distances.told = "No body is in view.";
    return;
  }
  if (state.distances.by_centre) sort_by_centre(all, seen);
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
  state.distances.told =
      fmt::format("{} of {} bodies in view; {} distances by {} in {:.3g} ms; the lightest colour: {:.3g} or more",
                  source_.bodies.size(), all.size(), result.work_items, info(session.model().asked.pair_map).name,
                  result.ms, source_.most);
}

void DistanceView::work(Session& session, GuiState& state, float seconds) {
  const SessionModel& m = session.model();
  const Key key{session.generation(),
                m.steps,
                m.time,
                state.distances.most,
                state.distances.by_centre,
                m.asked.pair_map,
                state.camera.pose,
                state.scene_aspect};
  waited_ += static_cast<double>(seconds);
  if (made_ && same(*made_, key)) return;
  if (made_ && made_->generation == key.generation && waited_ < cost_ / kShare) return;
  const double begin = clock_s();
  try {
    compute(session, state);
  } catch (const std::exception& error) {
    source_.bodies.clear(), source_.square.clear();
    state.distances.told = error.what();
  }
  made_ = key;
  cost_ = clock_s() - begin, waited_ = 0;
}

void DistanceView::draw(const SessionModel&, GuiState& state, const Rect& place, float) {
  DistanceChoice& c = state.distances;
  const float unit = ImGui::CalcTextSize("0").x;
  ImGui::SetNextItemWidth(24 * unit);
  if (ImGui::BeginCombo("##order", c.by_centre ? "from the middle out" : "by number")) {
    if (ImGui::Selectable("by number", !c.by_centre)) c.by_centre = false;
    if (ImGui::Selectable("from the middle out", c.by_centre)) c.by_centre = true;
    ImGui::EndCombo();
  }
  panel::tip("The order of rows and columns");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(18 * unit);
  if (ImGui::BeginCombo("##most", fmt::format("at most {}", c.most).c_str())) {
    for (const u32 side : kSides) {
      if (ImGui::Selectable(fmt::format("{}", side).c_str(), side == c.most)) c.most = side;
    }
    ImGui::EndCombo();
  }
  panel::tip("Bodies; of more in view, so many evenly among them");
  ImGui::SameLine();
  ImGui::Checkbox("logarithm", &c.logarithmic);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float pad = 8 * state.scale;
  const std::string coarse = source_.bodies.empty() ? "" : coarseness(view_.lens().window());
  const std::string text = coarse.empty() ? c.told : fmt::format("{} ({})", c.told, coarse);
  const float below = ImGui::CalcTextSize(text.c_str(), nullptr, false, place.w - 2 * pad).y + 2 * pad;
  if (!source_.bodies.empty()) {
    const float least = c.logarithmic ? source_.least : 0;
    const CellPaint paint = cell_paint(state.style.colours, least, source_.most, c.logarithmic);
    view_.draw("distances", source_, paint, place.w - 2 * pad, place.y + place.h - corner.y - below);
  }
  ImGui::TextWrapped("%s", text.c_str());
}

}  // namespace tri::app::gui
