#include "app/gui/start/presented_map.hpp"

#include <fmt/format.h>

#include "app/gui/base/keys.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"
#include "app/support/sample_stats.hpp"

namespace tri::app::gui::start {

std::string map_in_words(const SessionModel& model) {
  const auto& maps = shown_maps(model);
  if (maps.empty()) return "";
  const std::size_t now = map_in_use(model);
  const MapRow& map = maps[now];
  if (now == 0) return map.name + ", the baseline";
  if (map.turns.own.empty()) return map.name;
  const PairedFigures turns = paired_figures(map.turns.baseline.values(), map.turns.own.values());
  if (!turns.improvement.decided()) return map.name;
  if (!turns.improvement.differs()) return map.name + ", no difference to bb";
  return fmt::format("{}, {} over bb", map.name, times_text(turns.ratio()));
}

void presented_map(ImDrawList& draw, const SessionModel& model, float scale, const Rect& scene) {
  const std::string words = map_in_words(model);
  const ImVec2 at{scene.x + 16 * scale, scene.y + 12 * scale};
  write(draw, Face::body, {at.x + scale, at.y + scale}, IM_COL32(0, 0, 0, 160), words);
  write(draw, Face::body, at, theme_of(true).text2, words);
}

}  // namespace tri::app::gui::start
