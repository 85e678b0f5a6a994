// Timing: the parts of a frame with their noise, and the throughput of the kernel. Diagnostics: conserved quantities
// over time.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/base/plot.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/panel/panels.hpp"
#include "app/support/sample_stats.hpp"

namespace tri::app::gui::panel {
namespace {

/// Three digits, without an exponent from 10 on.
std::string digits(double ms) {
  return ms >= 10 ? fmt::format("{:.{}f}", ms, ms >= 100 ? 0 : 1) : fmt::format("{:.3g}", ms);
}

void line(const char* name, const SampleStats* stats, ImU32 mark) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(mark), "%s", name);
  ImGui::TableNextColumn();
  if (stats == nullptr) {
    ImGui::TextDisabled("-");
    ImGui::TableNextColumn();
    return;
  }
  ImGui::TextUnformatted(digits(stats->median).c_str());
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", digits(stats->iqr).c_str());
}

SampleStats stats_of(const std::deque<FrameCost>& frames, float FrameCost::*part) {
  std::vector<double> values;
  for (const FrameCost& f : frames) values.push_back(static_cast<double>(f.*part));
  return sample_stats(values);
}

void line_of(const char* name, const Samples& samples, unsigned series) {
  if (samples.empty()) return line(name, nullptr, colour::series(series));
  const SampleStats stats = sample_stats(samples.values());
  line(name, &stats, colour::series(series));
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
  draw_frame_costs(frames.costs, 64, scale);
  if (ImGui::BeginTable("times", 3, ImGuiTableFlags_SizingStretchProp)) {
    ImGui::TableSetupColumn("part");
    ImGui::TableSetupColumn("median ms");
    ImGui::TableSetupColumn("noise");
    ImGui::TableHeadersRow();
    line_of("force", model.force, 0);
    line_of("integrate", model.integrate, 1);
    line_of("publish", model.publish, 2);
    if (!frames.costs.empty()) {
      const SampleStats render = stats_of(frames.costs, &FrameCost::render);
      const SampleStats whole = stats_of(frames.costs, &FrameCost::whole);
      line("render (GPU)", &render, colour::series(3));
      line("whole frame", &whole, ImGui::GetColorU32(ImGuiCol_Text));
    }
    ImGui::EndTable();
  }
  tip("Median of the last 240 samples; noise: their interquartile range. Force and integrate are of one step.");
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
  draw_plot({"energies", "energy", x, "step", {kinetic, potential}}, scale);
  draw_plot({"virial", "2K / |sum r.F|", x, "step", {virial}}, scale);
  draw_plot({"momentum", "momentum |p|", x, "step", {momentum}}, scale);
}

}  // namespace tri::app::gui::panel
