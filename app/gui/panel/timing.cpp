// Timing: the parts of a frame with their noise, and the throughput of the kernel. Diagnostics: conserved quantities
// over time.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "app/gui/base/plot.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/charts/rank_strips.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"
#include "app/support/sample_stats.hpp"

namespace tri::app::gui::panel {
namespace {

/// Three digits, without an exponent from 10 on.
std::string digits(double ms) {
  return ms >= 10 ? fmt::format("{:.{}f}", ms, ms >= 100 ? 0 : 1) : fmt::format("{:.3g}", ms);
}

/// A row: a time, and its noise; nothing where there is no sample.
void line(const char* name, const std::optional<std::pair<double, double>>& time, ImU32 mark, const char* text = "") {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(mark), "%s", name);
  tip(text);
  ImGui::TableNextColumn();
  if (!time) {
    ImGui::TextDisabled("-");
    ImGui::TableNextColumn();
    return;
  }
  ImGui::TextUnformatted(digits(time->first).c_str());
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", digits(time->second).c_str());
}

/// Mean and interquartile range over the frames. Means of parts sum to the mean of the whole; medians do not.
std::pair<double, double> of_frames(const std::deque<FrameCost>& frames, const auto& part) {
  std::vector<double> values;
  for (const FrameCost& f : frames) values.push_back(static_cast<double>(part(f)));
  const SampleStats stats = sample_stats(values);
  return {stats.mean, stats.iqr};
}

void line_of(const char* name, const Samples& samples, const char* text) {
  const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
  if (samples.empty()) return line(name, {}, ink, text);
  const SampleStats stats = sample_stats(samples.values());
  line(name, std::pair{stats.median, stats.iqr}, ink, text);
}

bool begin_times(const char* id, const char* what, const char* time) {
  if (!ImGui::BeginTable(id, 3, ImGuiTableFlags_SizingStretchProp)) return false;
  for (const char* column : {what, time, "noise"}) ImGui::TableSetupColumn(column);
  ImGui::TableHeadersRow();
  return true;
}

void frame_table(const FrameState& frames) {
  if (frames.costs.empty() || !begin_times("frame", "part", "mean ms")) return;
  for (std::size_t k = 0; k < kFramePartCount; ++k) {
    line(kFrameParts[k].name, of_frames(frames.costs, [k](const FrameCost& f) { return f.parts[k]; }),
         frame_part_colour(k), kFrameParts[k].text);
  }
  line("frame", of_frames(frames.costs, [](const FrameCost& f) { return f.whole(); }),
       ImGui::GetColorU32(ImGuiCol_Text), "The sum of the parts");
  ImGui::EndTable();
}

/// What goes on beside the parts of a frame, or within them.
void work_table(const SessionModel& model, const FrameState& frames) {
  if (!begin_times("work", "work", "median ms")) return;
  line_of("force", model.force, "One evaluation, of the last 240");
  line_of("integrate", model.integrate, "The rest of a step");
  line_of("publish", model.publish, "By the backend");
  if (!frames.costs.empty()) {
    std::vector<double> drawing;
    for (const FrameCost& f : frames.costs) drawing.push_back(static_cast<double>(f.drawing));
    const SampleStats stats = sample_stats(drawing);
    line(fmt::format("drawing ({})", frames.drawn_by).c_str(), std::pair{stats.median, stats.iqr},
         ImGui::GetColorU32(ImGuiCol_Text), "The bodies of a frame, at the same time as its parts");
  }
  ImGui::EndTable();
}

/// "1.23 G": with an SI prefix.
std::string with_prefix(double value) {
  constexpr const char* kPrefixes[] = {"", " k", " M", " G", " T", " P"};
  std::size_t k = 0;
  for (; value >= 1000 && k + 1 < std::size(kPrefixes); ++k) value /= 1000;
  return fmt::format("{:.3g}{}", value, kPrefixes[k]);
}

}  // namespace

void timing(const SessionModel& model, const FrameState& frames, float scale) {
  charts::rank_strips(model, scale);
  draw_frame_costs(frames.costs, 64, scale);
  frame_table(frames);
  work_table(model, frames);
  const double ms = model.force.median();
  if (model.scene.field.pair == PairLaw::contact && model.engine.broad_phase == BroadPhase::grid) {
    ImGui::TextDisabled("contacts by grid: not all pairs are tested");
    return;
  }
  if (ms > 0 && model.work_items() > 0) {
    const char* items = model.triple_maps.empty() ? "pairs" : "pairs and triples";
    ImGui::Text("%s %s/s", with_prefix(model.work_items() / ms * 1000).c_str(), items);
  } else {
    ImGui::TextDisabled("pairs/s: not running yet");
  }
}

void diagnostics(const SessionModel& model, float scale) {
  const auto& rows = model.diagnostics;
  std::vector<double> x;
  PlotLine error{"error", {}}, virial{"virial", {}}, kinetic{"kinetic", {}}, potential{"potential", {}},
      momentum{"|p|", {}};
  for (const DiagnosticsRow& row : rows) {
    // Steps keep counting when time is reversed, so the lines never run backwards.
    x.push_back(static_cast<double>(row.step));
    error.y.push_back(row.energy_error);
    virial.y.push_back(row.values.virial_ratio());
    kinetic.y.push_back(row.values.kinetic);
    potential.y.push_back(row.values.potential);
    const auto& p = row.values.momentum;
    momentum.y.push_back(std::hypot(p[0], p[1], p[2]));
  }
  draw_plot({"energy error", "energy error, relative", x, "step", {error}}, scale);
  const std::string unit = unit_behind(find_unit_system(model.scene.units), "energy");
  draw_plot({"energies", unit.empty() ? "energy" : "energy," + unit, x, "step", {kinetic, potential}}, scale);
  draw_plot({"virial", "-2K / sum r.F", x, "step", {virial}}, scale);
  draw_plot({"momentum", "momentum |p|", x, "step", {momentum}}, scale);
}

/// Of two runs at the steps of which both have energies: between them a line says nothing.
void energy_chart(const SessionModel& model, const SessionModel* second, float height, float width, float scale) {
  PlotSpec plot{"energy error", fmt::format("Energy error, relative, {} steps", grouped(model.steps)), {}, "step", {}};
  plot.runs = second != nullptr;
  plot.lines = {{plot.runs ? "A" : "error", {}}};
  if (plot.runs) plot.lines.push_back({"B", {}});
  for (const DiagnosticsRow& row : model.diagnostics) {
    if (second != nullptr) {
      const auto& rows = second->diagnostics;
      const auto same = std::lower_bound(rows.begin(), rows.end(), row.step,
                                         [](const DiagnosticsRow& r, u64 step) { return r.step < step; });
      if (same == rows.end() || same->step != row.step) continue;
      plot.lines[1].y.push_back(same->energy_error);
    }
    plot.x.push_back(static_cast<double>(row.step)), plot.lines[0].y.push_back(row.energy_error);
  }
  if (plot.x.size() < 2) {
    coloured_text(theme().text2, "Energy error: its line begins with the first steps.");
    return;
  }
  plot.height = height, plot.width = width;
  draw_plot(plot, scale);
}

}  // namespace tri::app::gui::panel
