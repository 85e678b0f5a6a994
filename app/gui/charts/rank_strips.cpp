#include "app/gui/charts/rank_strips.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <vector>

#include "app/gui/look/figures.hpp"
#include "app/gui/look/rank_ink.hpp"
#include "app/gui/look/theme.hpp"

namespace tri::app::gui::charts {
namespace {

constexpr u32 kMostStrips = 16;

/// Times of all ranks, on one scale from 0.
struct RankTimes {
  std::vector<double> ms;  ///< [ranks] medians; empty: not measured
  double longest = 0, mean = 0;
};

RankTimes times_of(const SessionModel& model) {
  RankTimes times;
  for (const Samples& samples : model.rank_ms) times.ms.push_back(samples.median());
  for (const double ms : times.ms) {
    times.longest = std::max(times.longest, ms);
    times.mean += ms / static_cast<double>(times.ms.size());
  }
  return times;
}

/// Its number and name, its share, its time; below them the bar, and where the mean is.
void strip(const SessionModel& model, u32 rank, const RankTimes& times, ImVec2 at, float width, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = at.y + 9 * scale, bar = at.y + 19 * scale, thick = 8 * scale, right = at.x + width;
  const std::string ms = times.ms.empty() ? "" : time_text(times.ms[rank]);
  const bool measured = rank < model.rank_parts.size();
  const double part = measured ? model.rank_parts[rank] : model.main_shares().part(rank);
  const std::string share = fmt::format("{:.1f} %", 100 * part);
  const float share_right = right - 64 * scale;
  write_middle(draw, Face::body, {right, y}, theme().text, ms, Align::right);
  write_middle(draw, Face::caption, {share_right, y}, theme().text2, share, Align::right);
  const float name_left = at.x + width_in(Face::body, "00") + 8 * scale;
  write_middle(draw, Face::strong, {at.x, y}, theme().text, fmt::format("{}", rank));
  const std::string name = rank < model.backend.rank_names.size() ? model.backend.rank_names[rank] : "";
  write_middle(draw, Face::caption, {name_left, y}, theme().text2,
               fitting(Face::caption, name, share_right - 56 * scale - name_left));
  draw.AddRectFilled({at.x, bar}, {right, bar + thick}, theme().line, 2);
  if (times.longest > 0) {
    const auto x_of = [&](double time) { return at.x + width * static_cast<float>(time / times.longest); };
    draw.AddRectFilled({at.x, bar}, {x_of(times.ms[rank]), bar + thick}, rank_colour(rank), 2);
    const float mean = x_of(times.mean);
    draw.AddLine({mean, bar - 3 * scale}, {mean, bar + thick + 3 * scale}, theme().text, std::max(1.0f, scale));
  }
  ImGui::LogText("%u %s %s %s | ", rank, name.c_str(), share.c_str(), ms.c_str());
}

/// Devices measure their tiles of all pairs and triples, and contacts that they share; neither other ones nor jerks.
bool measures(const SessionModel& model) {
  const Scene& scene = model.scene;
  const bool jerks = scene.integrator == Integrator::hermite || scene.eta > 0;
  const bool contacts = scene.field.pair == PairLaw::contact;
  const bool shared = !scene.field.contact.impulse && model.engine.broad_phase == BroadPhase::grid;
  return model.backend.name != "cuda" || (contacts ? shared : !jerks);
}

std::string sentence(const SessionModel& model, const RankTimes& times) {
  if (!measures(model)) return "Devices do not measure impulses, few contacts, nor steps with jerks.";
  if (times.ms.empty()) return "Not measured yet: with the first steps.";
  if (!(times.mean > 0)) return "Too short to measure.";
  const auto slowest = std::max_element(times.ms.begin(), times.ms.end()) - times.ms.begin();
  return fmt::format("Rank {} is the slowest: {} the mean, which the line marks.", slowest,
                     times_text(times.longest / times.mean));
}

}  // namespace

void rank_strips(const SessionModel& model, float scale) {
  const u32 count = model.main_shares().ranks;
  if (count < 2) return;
  const RankTimes times = times_of(model);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float width = ImGui::GetContentRegionAvail().x;
  ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string title = fmt::format("{} ranks", count);
  write(draw, Face::strong, at, theme().text, title);
  const float after = width_in(Face::strong, title.c_str()) + 8 * scale;
  write(draw, Face::caption, {at.x + after, at.y + 2 * scale}, theme().text2,
        fitting(Face::caption, "share of the work, own time", width - after));
  ImGui::LogText("%s | ", title.c_str());
  ImGui::Dummy({1, 26 * scale - ImGui::GetStyle().ItemSpacing.y});
  const u32 shown = std::min(count, kMostStrips);
  for (u32 r = 0; r < shown; ++r) {
    at = ImGui::GetCursorScreenPos();
    strip(model, r, times, at, width, scale);
    ImGui::Dummy({width, 30 * scale - ImGui::GetStyle().ItemSpacing.y});
  }
  if (shown < count) {
    std::string more = fmt::format("and {} more", count - shown);
    if (!times.ms.empty()) {
      const auto [least, most] = std::minmax_element(times.ms.begin() + shown, times.ms.end());
      more += fmt::format(", {} to {}", time_text(*least), time_text(*most));
    }
    ImGui::TextDisabled("%s", more.c_str());
  }
  ImGui::TextWrapped("%s", sentence(model, times).c_str());
  ImGui::Dummy({1, 4 * scale});
}

}  // namespace tri::app::gui::charts
