#include "app/gui/base/tour.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/gui/base/keys.hpp"
#include "app/gui/look/figures.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app::gui {
namespace {

constexpr double kLinger = 1.5;  // seconds to look at what the action did
constexpr const char* kGallery = "Scene";

void go_to(GuiState& state, std::size_t stop) {
  TourState& t = state.tour;
  if (state.panels.open == kMapsPanel) state.panels.open.clear();
  if (t.stop == static_cast<std::size_t>(TourPart::strip)) state.lanes.shown = false;  // they take half of the scene
  const auto places = t.places;
  t = {};
  t.shown = true, t.stop = stop, t.places = places;
}

/// The map to try: bb where another one is in use, else the first that fits.
std::size_t map_to_try(const SessionModel& model) {
  const auto& rows = shown_maps(model);
  const std::size_t now = map_in_use(model);
  return now != 0 && !rows.empty() && rows.front().fits() ? 0 : next_fitting(rows, now);
}

TourWords pairs_words(const SessionModel& model) {
  const u64 n = model.n, pairs = n < 2 ? 0 : triangular(n - 1);
  if (model.triple_maps.empty()) {
    return {"Two bodies need one look",
            fmt::format("{} bodies make {} pairs, and each pair is computed once. In a table of all bodies with all "
                        "bodies that is one half: a triangle.",
                        grouped(n), grouped(pairs)),
            ""};
  }
  return {"Three bodies need one look",
          fmt::format("{} bodies make {} triples, and each is computed once. In a cube of all bodies that is about a "
                      "sixth: a tetrahedron.",
                      grouped(n), grouped(n < 3 ? 0 : tetrahedral(n - 2))),
          ""};
}

TourWords blocks_words(const SessionModel& model) {
  const auto& rows = shown_maps(model);
  TourWords w{"Grey blocks do nothing", "", "Press Play below the figure: it launches them one by one."};
  if (rows.empty()) return {w.title, "This scene has no law of pairs, so nothing is launched.", ""};
  const MapRow &bb = rows.front(), &own = rows[map_in_use(model)];
  w.text = fmt::format(
      "Work starts in blocks of threads. bb starts {}, the whole {}, and {} of them find nothing to do.",
      grouped(bb.blocks.launched), model.triple_maps.empty() ? "square" : "cube", grouped(bb.blocks.idle()));
  if (&own != &bb) {
    w.text += fmt::format(" {} starts {}, and {}.", own.name, grouped(own.blocks.launched),
                          own.blocks.idle() == 0 ? "none is idle" : grouped(own.blocks.idle()) + " are idle");
  }
  return w;
}

TourWords maps_words(const SessionModel& model) {
  const auto& rows = shown_maps(model);
  TourWords w{"Switch the map", "The bodies go on as before, only the blocks go another way.", ""};
  if (rows.empty()) return w;
  const MapRow& own = rows[map_in_use(model)];
  if (!own.force.empty()) {
    w.text += fmt::format(" With {} an evaluation takes {}.", own.name, time_text(own.force.median()));
  }
  const std::size_t other = map_to_try(model);
  if (other == map_in_use(model)) return w;
  w.action = other < 9 ? fmt::format("Press {} for {}, or click its row.", other + 1, rows[other].name)
                       : fmt::format("Click the row of {}.", rows[other].name);
  w.action += " Watch figure and time.";
  return w;
}

TourWords race_words(const SessionModel& model) {
  const auto& rows = shown_maps(model);
  const auto fit = std::count_if(rows.begin(), rows.end(), [](const MapRow& m) { return m.fits(); });
  return {"Where the map matters",
          fmt::format("Of {} maps, {} fit this scene. The race times them all with three workloads and says where the "
                      "map decides, and where it does not.",
                      rows.size(), fit),
          "Press Race (Y). Esc comes back."};
}

TourWords strip_words(const GuiState& state) {
  const StripTimes& times = state.frames.strip;
  TourWords w{"Where the time goes", "The parts of a frame sum to 100 %.",
              "Click a part: lanes show when it was done."};
  if (!(times.whole > 0)) return w;
  const auto most = std::max_element(times.parts.begin(), times.parts.end());
  const auto k = static_cast<std::size_t>(most - times.parts.begin());
  w.text = fmt::format("A frame takes {} now, and {:.0f} % of that is {}. The parts sum to 100 %.",
                       time_text(times.whole), 100 * *most / times.whole, kFrameParts[k].name);
  return w;
}

TourWords scenes_words() {
  return {"Make it yours",
          fmt::format("Scene shows {} scenes with pictures. Ctrl+P finds every action by words, and F1 lists the keys.",
                      list_scenes().size()),
          "Open the three of them, or end the tour here."};
}

/// Whether what the stop asks for was done.
bool is_done(const SessionModel& model, const GuiState& state) {
  const TourState& t = state.tour;
  switch (static_cast<TourPart>(t.stop)) {
    case TourPart::pairs:
      return false;  // asks for nothing
    case TourPart::blocks:
      return state.panes.domain.sweeps;
    case TourPart::maps:
      return map_in_use(model) != t.map;
    case TourPart::race:
      return t.seen_race && !state.race.shown;
    case TourPart::strip:
      return state.lanes.shown;
    case TourPart::scenes:
      return t.seen_scenes && t.seen_palette && t.seen_help;
  }
  return false;
}

}  // namespace

void start_tour(GuiState& state, std::size_t stop) {
  state.panels.shown = true, state.panels.presents = state.panels.help = false;
  state.race.shown = state.page.shown = state.palette.shown = false;
  go_to(state, std::min(stop, TourState::kStops - 1));
}

void leave_tour(GuiState& state) { state.tour = {}; }

void next_stop(GuiState& state) {
  state.tour.stop + 1 < TourState::kStops ? go_to(state, state.tour.stop + 1) : leave_tour(state);
}

void previous_stop(GuiState& state) {
  if (state.tour.stop > 0) go_to(state, state.tour.stop - 1);
}

void follow_tour(const SessionModel& model, GuiState& state, double now, bool narrow) {
  TourState& t = state.tour;
  if (!t.shown) return;
  if (!t.arrived) {
    t.arrived = true, t.map = map_in_use(model);
    if (narrow && t.stop <= static_cast<std::size_t>(TourPart::race)) state.panels.open = kMapsPanel;
    if (static_cast<TourPart>(t.stop) == TourPart::blocks) state.panes.domain.sweeps = false;
  }
  t.seen_race = t.seen_race || state.race.shown;
  t.seen_scenes = t.seen_scenes || state.panels.open == kGallery;
  t.seen_palette = t.seen_palette || state.palette.shown;
  t.seen_help = t.seen_help || state.panels.help;
  if (!t.done_at && is_done(model, state)) t.done_at = now;
  if (t.done_at && now - *t.done_at >= kLinger) next_stop(state);
}

TourWords tour_words(std::size_t stop, const SessionModel& model, const GuiState& state) {
  switch (static_cast<TourPart>(stop)) {
    case TourPart::pairs:
      return pairs_words(model);
    case TourPart::blocks:
      return blocks_words(model);
    case TourPart::maps:
      return maps_words(model);
    case TourPart::race:
      return race_words(model);
    case TourPart::strip:
      return strip_words(state);
    case TourPart::scenes:
      break;
  }
  return scenes_words();
}

Rect card_place(const Rect& part, float width, float height, const Rect& bounds, float gap) {
  const float right = bounds.x + bounds.w, bottom = bounds.y + bounds.h;
  const auto along = [](float at, float size, float low, float high) {
    return std::max(low, std::min(at, high - size));
  };
  const float x = along(part.x, width, bounds.x, right), y = along(part.y, height, bounds.y, bottom);
  if (part.x - gap - width >= bounds.x) return {part.x - gap - width, y, width, height};
  if (part.x + part.w + gap + width <= right) return {part.x + part.w + gap, y, width, height};
  if (part.y - gap - height >= bounds.y) return {x, std::min(part.y - gap, bottom) - height, width, height};
  if (part.y + part.h + gap + height <= bottom) return {x, part.y + part.h + gap, width, height};
  return {std::max(bounds.x, right - width), std::max(bounds.y, bottom - height), width, height};
}

}  // namespace tri::app::gui
