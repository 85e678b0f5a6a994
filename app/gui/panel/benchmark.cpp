// Benchmark: kernel, sizes and maps, start and cancel; a table, a plot of I(n), and files. The simulation is paused
// while it runs, so that neither disturbs the other.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <span>

#include "app/gui/base/bench_choice.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/look/map_ink.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"
#include "app/support/axes.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui::panel {
namespace {

void text_field(const char* label, std::string& text, const char* explanation) {
  ImGui::SetNextItemWidth(field_width(13));
  ImGui::InputText(label, &text);
  tip(explanation);
}

void choose_kernel(BenchChoice& bench) {
  std::vector<std::string> names;
  for (const BenchKernelInfo& kernel : bench_kernels()) names.emplace_back(kernel.name);
  auto at = static_cast<u32>(bench.kernel);
  if (!choose("kernel", at, names)) return;
  bench.kernel = static_cast<BenchKernel>(at);
  bench.maps.clear();
  bench.sizes = info(bench.kernel).panel_n;
}

void choose_maps(BenchChoice& bench) {
  const std::vector<std::string> all = maps_of_kernel(bench.kernel, {"all"});
  const std::string shown =
      bench.maps.empty() ? fmt::format("all {}", all.size()) : fmt::format("{} of {}", bench.maps.size(), all.size());
  ImGui::SetNextItemWidth(field_width(13));
  if (!ImGui::BeginCombo("maps", shown.c_str(), ImGuiComboFlags_HeightLargest)) return;
  for (const std::string& map : all) {
    const auto at = std::find(bench.maps.begin(), bench.maps.end(), map);
    bool on = bench.maps.empty() || at != bench.maps.end();
    if (!ImGui::Checkbox(map.c_str(), &on)) continue;
    if (bench.maps.empty()) {
      bench.maps = {map};  // from all to this one; a click adds each other one
    } else if (on) {
      bench.maps.push_back(map);
    } else {
      bench.maps.erase(at);  // removing the last one selects all
    }
  }
  ImGui::EndCombo();
}

/// The equivalent command line, or what is wrong with the choice. Returns whether the benchmark can start.
bool command_line(const BenchChoice& bench) {
  std::string command;
  bool fine = true;
  try {
    const RunConfig config = bench_config(bench);
    bench_plan(config);
    command = fmt::format("{}", fmt::join(bench_argv(config), " "));
  } catch (const Error& error) {
    command = error.what();
    fine = false;
  }
  coloured_text(fine ? theme().text2 : theme().fault, command);
  if (fine && ImGui::Button("Copy")) ImGui::SetClipboardText(command.c_str());
  if (fine) tip("Copies this command line, which runs the same benchmark");
  return fine;
}

void progress(const BenchStatus& status) {
  const float share =
      static_cast<float>(status.finished) / static_cast<float>(std::max<std::size_t>(status.planned, 1));
  const std::string groups = fmt::format("{} of {} sizes", status.finished, status.planned);
  ImGui::PushStyleColor(ImGuiCol_PlotHistogram, theme().selected);
  ImGui::ProgressBar(share, {-1, 0}, groups.c_str());
  ImGui::PopStyleColor();
  if (!status.progress.empty()) ImGui::TextWrapped("%s", status.progress.c_str());
  if (status.cancelled) ImGui::TextDisabled("cancelled; finished results are below");
  if (!status.error.empty()) coloured_text(theme().fault, status.error);
}

/// The times of the baseline and of the map in the round that shows their ratio, and the ratio.
void comparison(const BenchRow& row, const BenchRow& baseline) {
  const std::size_t rounds = std::min(row.samples_ms.size(), baseline.samples_ms.size());
  const PairedFigures figures =
      paired_figures(std::span(baseline.samples_ms).first(rounds), std::span(row.samples_ms).first(rounds));
  ImGui::Text("%.4g", figures.other);
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%.4g", figures.baseline);
  ImGui::TableNextColumn();
  const Improvement& all = figures.improvement;
  if (&row == &baseline) {
    ImGui::TextDisabled("baseline");
  } else if (all.decided() && !all.differs()) {
    ImGui::TextDisabled("no difference");
  } else {
    ImGui::Text("%.3f", figures.ratio());
  }
  const Interval& i = all.interval;
  if (i.confidence <= 0) return;
  tip(fmt::format("{:.3f} to {:.3f} with {:.0f} %, from {} rounds. Times and I are those of the round in the middle.",
                  i.low, i.high, 100 * i.confidence, rounds));
}

void row(const BenchRow& row, const BenchRow* baseline) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, map_ink(row.spec.map).colour);
  ImGui::TextUnformatted(row.spec.map.c_str());
  ImGui::PopStyleColor();
  ImGui::TableNextColumn();
  if (row.skipped) {
    ImGui::TextDisabled("skipped");
    tip(*row.skipped);
    return;
  }
  if (baseline != nullptr) {
    comparison(row, *baseline);
  } else {
    ImGui::Text("%.4g", row.stats.median);
    ImGui::TableSetColumnIndex(3);
  }
  ImGui::TableNextColumn();
  if (row.check.passed) {
    ImGui::TextUnformatted("ok");
  } else {
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme().fault), "WRONG");
  }
  tip(fmt::format("largest relative error {:.2g}, compared with {}", row.check.max_rel_err, row.check.reference));
}

void results(const BenchStatus& status, std::size_t& shown_group, float scale) {
  const PlotSpec plot = improvement_plot(status.groups);
  draw_plot(plot, scale);
  const std::size_t shown = std::min(shown_group, status.groups.size() - 1);
  std::vector<std::string> sizes;
  for (const BenchGroup& g : status.groups) sizes.push_back(fmt::format("n = {}", g.common.n));
  auto at = static_cast<u32>(shown);
  if (choose("size", at, sizes)) shown_group = at;
  const std::vector<BenchRow>& rows = status.groups[shown].rows;
  const auto bb = std::find_if(rows.begin(), rows.end(), [](const BenchRow& r) { return r.spec.map == "bb"; });
  const BenchRow* baseline = bb == rows.end() || bb->skipped || bb->samples_ms.empty() ? nullptr : &*bb;
  if (!ImGui::BeginTable("bench", 5, ImGuiTableFlags_SizingStretchProp)) return;
  for (const char* name : {"map", "ms", "bb ms", "I", "check"}) ImGui::TableSetupColumn(name);
  ImGui::TableHeadersRow();
  for (const BenchRow& r : rows) row(r, baseline);
  ImGui::EndTable();
}

}  // namespace

void benchmark(BenchPanel& bench, float scale) {
  BenchChoice& choice = bench.choice;
  const bool running = bench.status != nullptr && bench.status->running;
  ImGui::BeginDisabled(running);
  choose_kernel(choice);
  text_field("n", choice.sizes, "Sizes: 1024,4096 or 1024:8192:1024 or 2^10:2^13");
  choose_maps(choice);
  u64 samples = choice.samples;
  if (whole("samples", samples, "Samples per map, 1 to 1000"))
    choice.samples = static_cast<u32>(std::clamp<u64>(samples, 1, 1000));
  const bool fine = command_line(choice);
  ImGui::EndDisabled();
  if (fine) ImGui::SameLine();
  ImGui::BeginDisabled(!fine && !running);
  const bool pressed = ImGui::Button(running ? "Cancel###go" : "Start###go");
  if (pressed && (fine || running))
    (running ? bench.cancel : bench.start) = true;  // the keyboard can activate disabled items
  ImGui::EndDisabled();
  tip(running ? "Stops after the current sample and keeps the results"
              : "Runs on a separate thread and pauses the simulation");
  if (bench.status == nullptr) return;
  progress(*bench.status);
  if (bench.status->groups.empty()) return;
  results(*bench.status, bench.shown_group, scale);
  text_field("file", bench.path, "The extension chooses the format: .csv, .json or .svg");
  if (ImGui::Button("Export")) bench.save = bench.path;
}

}  // namespace tri::app::gui::panel
