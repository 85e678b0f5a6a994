// The panel Benchmark, and races of maps.
//
// Benchmark: kernel, sizes and maps, start and cancel; a table, a plot of I(n), and files. The simulation is paused
// while it runs, so that neither disturbs the other.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/base/look.hpp"
#include "app/gui/base/race.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {
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
      bench.maps.empty() ? phrase("all {}", all.size()) : phrase("{} of {}", bench.maps.size(), all.size());
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
    command = stated(error.what());
    fine = false;
  }
  fine ? command_text(theme().text2, command) : coloured_text(theme().fault, command);
  if (fine && button("Copy", "Copies this command line, which runs the same benchmark")) {
    ImGui::SetClipboardText(command.c_str());
  }
  return fine;
}

void progress(const BenchStatus& status) {
  const float share =
      static_cast<float>(status.finished) / static_cast<float>(std::max<std::size_t>(status.planned, 1));
  const std::string groups = phrase("{} of {} sizes", status.finished, status.planned);
  ImGui::PushStyleColor(ImGuiCol_PlotHistogram, theme().selected);
  ImGui::ProgressBar(share, {-1, 0}, groups.c_str());
  ImGui::PopStyleColor();
  if (!status.progress.empty()) ImGui::TextWrapped("%s", status.progress.c_str());
  if (status.cancelled) ImGui::TextDisabled("cancelled; finished results are below");
  if (!status.error.empty()) coloured_text(theme().fault, stated(status.error));
}

/// The times of the baseline and of the map in the round that shows their ratio, and the ratio.
void comparison(const BenchRow& row, const BenchRow& baseline, std::size_t together) {
  const std::size_t rounds = std::min(row.samples_ms.size(), baseline.samples_ms.size());
  const PairedFigures figures =
      paired_figures(std::span(baseline.samples_ms).first(rounds), std::span(row.samples_ms).first(rounds), together);
  ImGui::TextUnformatted(three_digits(figures.other).c_str());
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", three_digits(figures.baseline).c_str());
  ImGui::TableNextColumn();
  const Improvement& all = figures.improvement;
  if (&row == &baseline) {
    ImGui::TextDisabled("baseline");
  } else if (all.decided() && !all.differs()) {
    ImGui::TextDisabled("no difference");
  } else if (!all.decided()) {
    ImGui::TextDisabled("%s", ratio_text(figures.ratio()).c_str());
  } else if (row.above_bound) {
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme().fault), "%s", ratio_text(figures.ratio()).c_str());
  } else {
    ImGui::TextUnformatted(ratio_text(figures.ratio()).c_str());
  }
  const Interval& i = all.interval;
  if (i.confidence <= 0) return;
  std::string text = phrase(
      "{} to {}; all maps together {:.0f} %, from {}. Times and I are those of a round in "
      "the middle.",
      ratio_text(i.low), ratio_text(i.high), 100 * i.confidence, counted(rounds, "round"));
  if (!all.decided()) text += tr(" Too few rounds to tell a difference.");
  if (row.above_bound) {
    text += phrase(" More than the {} that its blocks explain, also when timed again.", ratio_text(*row.bound));
  }
  tip(text);
}

void row(const BenchRow& row, const BenchRow* baseline, std::size_t together) {
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
    comparison(row, *baseline, together);
  } else {
    ImGui::TextUnformatted(three_digits(row.stats.median).c_str());
    ImGui::TableSetColumnIndex(3);
  }
  ImGui::TableNextColumn();
  if (row.check.passed) {
    ImGui::TextUnformatted("ok");
  } else {
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme().fault), "WRONG");
  }
  tip(phrase("largest relative error {}, compared with {}", power_text(row.check.max_rel_err), row.check.reference));
}

void results(const BenchStatus& status, std::size_t& shown_group, float scale) {
  const PlotSpec plot = improvement_plot(status.groups);
  draw_plot(plot, scale);
  const std::size_t shown = std::min(shown_group, status.groups.size() - 1);
  std::vector<std::string> sizes;
  for (const BenchGroup& g : status.groups) sizes.push_back("n = " + grouped(g.common.n));
  auto at = static_cast<u32>(shown);
  if (choose("size", at, sizes)) shown_group = at;
  const std::vector<BenchRow>& rows = status.groups[shown].rows;
  const auto bb = std::find_if(rows.begin(), rows.end(), [](const BenchRow& r) { return r.spec.map == "bb"; });
  const BenchRow* baseline = bb == rows.end() || bb->skipped || bb->samples_ms.empty() ? nullptr : &*bb;
  const auto timed =
      std::count_if(rows.begin(), rows.end(), [](auto& r) { return !r.skipped && !r.samples_ms.empty(); });
  const auto together = static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, timed - 1));
  // Small letters and cells: with them all five columns fit the panel at its usual width.
  const InFace small(Face::rail);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {1.5f * scale, scale});
  const bool begun = ImGui::BeginTable("bench", 5, ImGuiTableFlags_SizingFixedFit);
  ImGui::PopStyleVar();
  if (!begun) return;
  for (const char* name : {"map", "ms", "bb ms", "I", "check"}) ImGui::TableSetupColumn(name);
  ImGui::TableHeadersRow();
  for (const BenchRow& r : rows) row(r, baseline, together);
  ImGui::EndTable();
  if (const auto& load = status.groups[shown].load; load && load->matters())
    ImGui::TextDisabled("%s", load->text().c_str());
}

}  // namespace

void benchmark(BenchPanel& bench, float scale) {
  BenchChoice& choice = bench.choice;
  const bool running = bench.status != nullptr && bench.status->running;
  std::optional<Disabled> disabled(running);
  choose_kernel(choice);
  text_field("n", choice.sizes, "Sizes: 1024,4096 or 1024:8192:1024 or 2^10:2^13");
  choose_maps(choice);
  u64 samples = choice.samples;
  if (whole("samples", samples, "Samples per map, 1 to 1000"))
    choice.samples = static_cast<u32>(std::clamp<u64>(samples, 1, 1000));
  const bool fine = command_line(choice);
  disabled.reset();
  if (fine) ImGui::SameLine();
  if (button(running ? "Cancel###go" : "Start###go",
             running ? "Stops after the current sample and keeps the results"
                     : "Runs on a separate thread and pauses the simulation",
             {fine || running, "The choice above has a fault, which stands in red."})) {
    (running ? bench.cancel : bench.start) = true;
  }
  if (bench.status == nullptr) return;
  progress(*bench.status);
  if (bench.status->groups.empty()) return;
  results(*bench.status, bench.shown_group, scale);
  text_field("file", bench.path,
             "The extension chooses the format: .csv, .json or .svg; a name that is taken gets a number");
  if (ImGui::Button("Export")) bench.save = free_path(bench.path);
}

// The race page: three workloads side by side, a row a map, each workload on its own scale from 0.

namespace {

void race_head(RaceState& race, bool running, float width, float scale) {
  if (ImGui::Button("Back to the scene###scene")) race.shown = false;
  ImGui::SameLine(0, 8 * scale);
  race.asks_why |= button("Why?###why", kAboutWhy);
  ImGui::SameLine(0, 16 * scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = at.y + ImGui::GetFrameHeight() / 2, left = ImGui::GetWindowPos().x + 24 * scale;
  const char* label = running ? "Cancel###go" : race.status != nullptr ? "Race again###go" : "Race###go";
  const std::string text(label, std::strchr(label, '#'));
  const float word = width_in(Face::strong, text.c_str()) + 46 * scale;
  float controls = button_width("CSV") + word + 24 * scale;  // of the buttons at the right, with their gaps
  for (const u64 n : race_sizes(race.domain)) controls += button_width(grouped(n).c_str()) + 4 * scale;
  if (!running && !race.maps.empty()) controls += button_width("All maps") + 12 * scale;
  const float title = width_in(Face::figure, "Race") + 16 * scale;
  const float room = left + width - controls - at.x - title;
  if (room > 0) write_middle(draw, Face::figure, {at.x, y}, theme().text, "Race");
  if (room > 110 * scale) {
    const std::string about = race.maps.empty() ? "three workloads, the same bodies, all maps in turns"
                                                : phrase("{} and bb in turns, three workloads", race.maps.back());
    const float unit = width_in(Face::body, tr("bodies")) + 24 * scale;  // before their numbers
    write_middle(draw, Face::body, {at.x + title, y}, theme().text2, fitting(Face::body, about, room - unit));
    write_middle(draw, Face::body, {left + width - controls - 8 * scale, y}, theme().text2, "bodies", Align::right);
  }
  ImGui::SetCursorScreenPos({left + width - controls, at.y});
  {
    const Disabled disabled(running);
    for (const u64 n : race_sizes(race.domain)) {
      if (chosen_button(grouped(n).c_str(), race.n == n, theme().selected) && !running) race.n = n;
      ImGui::SameLine(0, 4 * scale);
    }
  }
  ImGui::SameLine(0, 12 * scale);
  const bool has_figures = race.status != nullptr && !race.status->groups.empty();
  constexpr const char* kAboutCsv =
      "Writes every figure of the race, and of what was timed beside it, to triangulum-race.csv, or the next number";
  if (button("CSV###csv", kAboutCsv, {has_figures, "Nothing has been raced yet."}))
    race.save = free_path("triangulum-race.csv");
  ImGui::SameLine(0, 12 * scale);
  if (!running && !race.maps.empty()) {
    if (button("All maps", "Races every map")) race.maps.clear(), race.start = true;
    ImGui::SameLine(0, 12 * scale);
  }
  if (bold_button("###go", icon::kRace, text.c_str(), {word, ImGui::GetFrameHeight()}, 10, 34, scale,
                  running ? "Stops after the current sample"
                          : "Times every map on a thread of its own, and pauses the simulation")) {
    (running ? race.cancel : race.start) = true;
  }
}

/// Beside a figure of this machine, that of another device: its ratio over bb alone.
void write_shipped(ImDrawList& draw, const RaceRow& row, ImVec2 right) {
  const bool has = row.map != "bb" && row.reason.empty() && row.improvement;
  const std::string text = !has                         ? (row.map == "bb" ? "baseline" : "")
                           : row.improvement->differs() ? times_text(row.improvement->ratio)
                                                        : "no difference";
  write_middle(draw, Face::rail, right, theme().text3, text, Align::right);
}

/// opacity: of its bar, less than 1 for another device's.
void race_row(ImDrawList& draw, const RaceRow& row, double longest, const Rect& r, float opacity, float scale) {
  const float y = r.y + r.h / 2, figures = 150 * scale, bar = std::max(8 * scale, r.w - figures);
  if (!row.reason.empty()) {
    write_middle(draw, Face::caption, {r.x, y}, theme().disabled, row.reason);
    return;
  }
  if (!(row.ms > 0)) return;
  const auto x_of = [&](double ms) { return r.x + bar * static_cast<float>(std::min(1.0, ms / longest)); };
  const float half = std::min(8 * scale, r.h / 3), out = half + 2 * scale;
  draw.AddRectFilled({r.x, y - half}, {x_of(row.ms), y + half}, faded(map_ink(row.map).colour, opacity), 2);
  if (row.ms > longest) {
    const float end = r.x + bar;
    draw.AddLine({end - 9 * scale, y + half}, {end - 5 * scale, y - half}, theme().panel, 2 * scale);
  }
  if (row.interval.low < longest) {  // the line goes on to the end of the scale where its mark has no place there
    draw.AddLine({x_of(row.interval.low), y}, {x_of(row.interval.high), y}, theme().text, scale);
  }
  for (const double ms : {row.interval.low, row.interval.high}) {
    if (ms <= longest) draw.AddLine({x_of(ms), y - out}, {x_of(ms), y + out}, theme().text, scale);
  }
  const float time = r.x + bar + 76 * scale, gain = r.x + bar + figures;
  write_middle(draw, Face::body, {time, y}, theme().text, time_text(row.ms), Align::right);
  if (row.map == "bb") return write_middle(draw, Face::caption, {gain, y}, theme().text2, "baseline", Align::right);
  if (!row.improvement || !row.improvement->decided()) return;
  if (!row.improvement->differs()) {
    return write_middle(draw, Face::rail, {gain, y}, theme().text3, "no difference", Align::right);
  }
  if (row.above) {
    const std::string doubtful = fmt::format("{} > {}", ratio_text(row.improvement->ratio), times_text(*row.above));
    return write_middle(draw, Face::rail, {gain, y}, theme().fault, doubtful, Align::right);
  }
  write_middle(draw, Face::strong, {gain, y}, theme().text, times_text(row.improvement->ratio), Align::right);
}

constexpr const char* kRacing = "A race is on";
constexpr float kShippedWidth = 84, kShippedRoom = 320;  // and of the workload that has room for it

/// Where the scale of the times ends: one slow map does not flatten the others; its bar is cut.
double scale_end(const RaceColumn& column) {
  constexpr double kOutlier = 3;
  std::vector<double> times;
  for (const RaceRow& row : column.rows) {
    if (row.ms > 0) times.push_back(row.ms);
  }
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : std::min(times.back(), kOutlier * times[times.size() / 2]);
}

/// other: the same workload on another device, which stands in until this one is timed, and beside it then; or null.
/// bodies: of that, as "65,536 bodies"; empty: as many as here.
void race_column(ImDrawList& draw, const RaceColumn& column, const RaceColumn* other, const std::string& device,
                 const std::string& bodies, const Rect& r, float row_height, float scale) {
  const bool stands_in = column.rows.empty() && other != nullptr && !other->rows.empty();
  const RaceColumn& shown = stands_in ? *other : column;
  const bool beside = other != nullptr && !stands_in && !other->rows.empty() && r.w > kShippedRoom * scale;
  const float width = r.w - 16 * scale - (beside ? kShippedWidth * scale : 0);
  const bool unknown = other != nullptr && other->rows.empty();
  const bool alone = unknown && !column.rows.empty();  // no report has it beside
  const std::string note = alone ? tr("; in no shipped report") : "",
                    source = phrase("{}, shipped report", bodies.empty() ? device : device + ", " + bodies);
  const std::string about = stands_in ? source : tr(shown.about) + note;
  const float title = width_in(Face::strong, shown.title.c_str()) + 16 * scale;
  const bool fits_head = title + width_in(Face::caption, about.c_str()) <= r.w - 8 * scale;
  // Words that would be cut off are left out, unless the figures mean nothing without them: then they go below.
  const bool short_head = title + width_in(Face::caption, tr(shown.about).c_str()) <= r.w - 8 * scale;
  write_head(draw, {r.x, r.y}, shown.title,
             fits_head                  ? about
             : stands_in || !short_head ? ""
                                        : shown.about,
             r.w - 8 * scale, scale);
  std::string headline = stands_in && shown.differs ? phrase("up to {}", times_text(shown.best)) : shown.headline;
  if (column.rows.empty() && unknown) {
    if (headline.empty()) headline = "not timed yet";
    write(draw, Face::caption, {r.x, r.y + 58 * scale}, theme().text2, in_lines(tr(other->about), r.w - 24 * scale));
  }
  const bool fits = width_in(Face::figure, headline.c_str()) < r.w - 12 * scale;
  write(draw, fits ? Face::figure : Face::title, {r.x, r.y + (fits ? 20 : 28) * scale},
        shown.differs && !stands_in ? theme().text : theme().text3, headline);
  const double longest = scale_end(shown);
  if (longest > 0) {
    const std::string axis = phrase("time a launch, 0 to {}", time_text(longest));
    const bool has_source = stands_in && !fits_head;
    const std::string whole = has_source ? source : axis + (alone && !fits_head ? note : tr("; shorter is better"));
    const bool all = width_in(Face::caption, whole.c_str()) <= width;
    write(draw, Face::caption, {r.x, r.y + 58 * scale}, theme().text2,
          fitting(Face::caption,
                  all          ? whole
                  : has_source ? device
                               : axis,
                  width));
  }
  if (beside) {
    const ImVec2 end{r.x + r.w - 16 * scale, r.y + 58 * scale};
    const float up = bodies.empty() ? 0 : 12 * scale;
    write(draw, Face::rail, {end.x, end.y - up}, theme().text3, device, Align::right);
    write(draw, Face::rail, end, theme().text3, bodies, Align::right);
  }
  float y = r.y + 80 * scale;
  for (const RaceRow& row : shown.rows) {
    race_row(draw, row, longest, {r.x, y, width, row_height}, stands_in ? 0.35f : 1, scale);
    const auto same = [&](const RaceRow& of) { return of.map == row.map; };
    if (beside) {
      const auto found = std::find_if(other->rows.begin(), other->rows.end(), same);
      if (found != other->rows.end()) {
        write_shipped(draw, *found, {r.x + r.w - 16 * scale, y + row_height / 2});
      }
    }
    y += row_height;
  }
}

/// "5.89 x tetra", and the button that times it.
void extra_card(ImDrawList& draw, RaceState& race, RaceExtra extra, bool racing, const Rect& r, float scale) {
  constexpr std::array kTitles{"", "Triples", "Gasket"}, kAbout{"", "points, empty kernel", "a side, one write a cell"};
  constexpr std::array kButtons{"", "Race the triples", "Race the gasket"};
  const auto k = static_cast<std::size_t>(extra);
  const BenchStatus* status = race.extras[k].get();
  const auto figure = race_figure(status);
  write(draw, Face::strong, {r.x, r.y}, theme().text, kTitles[k]);
  const float y = r.y + 22 * scale;
  if (figure) {
    const std::string gain = times_text(figure->over_bb.ratio);
    write(draw, Face::figure, {r.x, y}, theme().text, gain);
    const float x = r.x + width_in(Face::figure, gain.c_str()) + 8 * scale;
    write(draw, Face::body, {x, y + 14 * scale}, map_ink(figure->map).colour,
          fitting(Face::body, figure->map, r.x + r.w - x));
    write(draw, Face::caption, {r.x, y + 38 * scale}, theme().text2,
          fitting(Face::caption, phrase("over bb, {} {}", grouped(figure->n), kAbout[k]), r.w));
  } else {
    const std::string text = status == nullptr        ? "not timed yet"
                             : !status->error.empty() ? status->error
                             : status->running        ? status->progress
                                                      : "no difference";
    write(draw, Face::caption, {r.x, y + 10 * scale}, theme().text2, fitting(Face::caption, text, r.w));
  }
  ImGui::SetCursorScreenPos({r.x, y + 58 * scale});
  if (button(kButtons[k], "", {!racing, kRacing})) race.extra = extra;
}

/// Forces over n, triples and gasket.
void extras(ImDrawList& draw, RaceState& race, const Rect& r, float scale) {
  const bool racing = race_pending(race);
  const float chart = std::floor(r.w * 0.5f), card = (r.w - chart) / 2 - 16 * scale;
  const BenchStatus* over_n = race.extras[0].get();
  ImGui::SetCursorScreenPos({r.x, r.y});
  if (over_n != nullptr && !over_n->groups.empty()) {
    PlotSpec plot = race_plot(over_n);
    plot.title = over_n->running ? over_n->progress : "Forces: ms a launch over bodies";
    plot.height = r.h / scale, plot.width = chart;
    draw_plot(plot, scale);
  } else {
    write(draw, Face::strong, {r.x, r.y}, theme().text, "Forces over the number of bodies");
    const std::string text = over_n == nullptr        ? "bb and the best map at five sizes up to that of the race"
                             : !over_n->error.empty() ? over_n->error
                                                      : over_n->progress;
    write(draw, Face::caption, {r.x, r.y + 32 * scale}, theme().text2, fitting(Face::caption, text, chart));
    ImGui::SetCursorScreenPos({r.x, r.y + 80 * scale});
    if (button("Time forces over n", "", {!racing, kRacing})) race.extra = RaceExtra::over_n;
  }
  const float x = r.x + chart + 24 * scale;
  extra_card(draw, race, RaceExtra::triples, racing, {x, r.y, card, r.h}, scale);
  extra_card(draw, race, RaceExtra::gasket, racing, {x + card + 24 * scale, r.y, card, r.h}, scale);
}

/// The device, and what other programs took of the processor meanwhile.
void race_foot(ImDrawList& draw, const SessionModel& model, const ShippedRace* shipped, const BenchStatus* status,
               ImVec2 at, float room) {
  std::string device = fmt::format("{}, {}", model.backend.device, model.backend.detail);
  if (shipped != nullptr) {
    device += phrase("; {}: shipped report, {} bodies", shipped->device, grouped(shipped->n));
  }
  const auto load = race_load(status);
  std::string words = load ? load->text() : "";
  if (load && load->matters()) words += tr(": intervals are wider than on a machine at rest");
  // Where there is no room for both, what the figures suffer from goes first.
  const float after = width_in(Face::caption, (device + "   ").c_str()), said = width_in(Face::caption, words.c_str());
  const bool both = after + said <= room, matters = load && load->matters();
  if (both || !matters) write(draw, Face::caption, at, theme().text2, fitting(Face::caption, device, room));
  if (both || matters) {
    write(draw, Face::caption, {at.x + (both ? after : 0), at.y}, matters ? theme().fault : theme().text2,
          fitting(Face::caption, words, room));
  }
}

/// The sentence below the columns.
std::string race_text(const RaceState& race, const std::vector<RaceColumn>& columns, const ShippedRace& shipped,
                      std::size_t maps) {
  const BenchStatus* status = race.status.get();
  if (status == nullptr) {
    return phrase(
        "Nothing is timed here yet: these are figures of an {} with {} bodies, from the report that comes with the "
        "program. Choose a number of bodies and press Race: {} maps, 15 rounds, each result checked.",
        shipped.device, grouped(shipped.n), maps);
  }
  if (!status->error.empty()) return status->error;
  return status->running ? race_progress(columns, *status) : race_sentence(columns, race.timed);
}

}  // namespace

void race(const SessionModel& model, RaceState& race, const Rect& place, float scale) {
  const BenchStatus* status = race.status.get();
  const bool running = status != nullptr && status->running;
  const float width = place.w - 48 * scale, left = place.x + 24 * scale;
  race_head(race, running, width, scale);
  const std::vector<RaceColumn> columns = race_columns(race.domain, status);
  const ShippedRace& shipped = shipped_race(race.domain);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto all_maps = maps_of(race.domain);
  std::vector<u32> maps;
  for (u32 k = 0; k < all_maps.size(); ++k) {
    const bool takes_part = race.maps.empty() || std::count(race.maps.begin(), race.maps.end(), all_maps[k].name) > 0;
    if (takes_part) maps.push_back(k);
  }
  const bool has_extras = place.h >= 620 * scale && place.w >= 700 * scale;
  const float extras_height = has_extras ? std::clamp(0.2f * place.h, 120 * scale, 200 * scale) : 0, head = 80 * scale;
  const std::string text = race_text(race, columns, shipped, maps.size());
  const auto tall_as = [&](Face which) { return wrapped_height(which, text, width); };
  const float top = place.y + 64 * scale;
  const float words = std::max(70 * scale, tall_as(Face::body) + 24 * scale);  // and the gaps around them
  const float foot = words + 34 * scale + extras_height;
  const float tall = place.h - 64 * scale - foot;
  float longest = 0;
  for (const u32 map : maps) longest = std::max(longest, width_in(Face::body, all_maps[map].name));
  const float names = std::clamp(longest + 56 * scale, 150 * scale, 220 * scale);
  const float row_height = std::min(46 * scale, (tall - head - 16 * scale) / static_cast<float>(maps.size()));
  draw.AddRectFilled({left, top}, {left + width, top + tall}, theme().panel, 4 * scale);
  draw.AddRect({left, top}, {left + width, top + tall}, theme().line, 4 * scale);
  float y = top + 12 * scale + head;
  for (const u32 map : maps) {
    const float size = std::min(24 * scale, row_height - 4 * scale), middle = y + row_height / 2;
    map_thumb(draw, race.domain, map, {left + 12 * scale, middle - size / 2}, size, false);
    write_middle(draw, Face::body, {left + 40 * scale, middle}, theme().text,
                 fitting(Face::body, all_maps[map].name, names - 52 * scale));
    y += row_height;
  }
  const float each = (width - names) / 3;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const float x = left + names + each * static_cast<float>(k);
    if (k > 0)
      draw.AddLine({x - 12 * scale, top + 12 * scale}, {x - 12 * scale, top + tall - 12 * scale}, theme().line);
    // Beside a GPU's own figures those of another say nothing; and a duel has two rows.
    const bool compares = race.maps.empty() && (columns[k].rows.empty() || model.backend.name == "cpu");
    race_column(draw, columns[k], compares ? &shipped.columns[k] : nullptr, shipped.device,
                shipped.n == race.n ? "" : counted(shipped.n, "body", "bodies"), {x, top + 12 * scale, each, tall},
                row_height, scale);
  }
  ImGui::LogText("%s | ", text.c_str());
  const Face which = width > 900 * scale && tall_as(Face::title) < 54 * scale ? Face::title : Face::body;
  {
    const InFace in(which);
    draw.AddText({left, top + tall + 16 * scale},
                 status != nullptr && !status->error.empty() ? theme().fault : theme().text,
                 in_lines(text, width).c_str());
  }
  if (has_extras) extras(draw, race, {left, top + tall + words, width, extras_height - 4 * scale}, scale);
  const bool beside =
      status != nullptr && race.maps.empty() && model.backend.name == "cpu" && each > kShippedRoom * scale;
  race_foot(draw, model, beside ? &shipped : nullptr, status, {left, place.y + place.h - 26 * scale}, width);
}

}  // namespace tri::app::gui
