// Title, subtitle and captions of a figure.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/plot/plot_figure.hpp"
#include "app/support/text_table.hpp"

namespace tri::app {
namespace {

using Rows = std::vector<const PlotResult*>;

constexpr std::size_t kMaxSkippedLines = 6;
/// Settings in the title, in this order, if all results have the same.
constexpr std::string_view kTitleSettings[] = {"n",          "block",   "features",   "form",      "layout",
                                               "dimensions", "timing",  "rec",        "placement", "precision",
                                               "accumulate", "fractal", "arithmetic", "law"};

/// The value of a setting that all rows share; empty if they differ.
std::string common(const Rows& rows, std::string_view name) {
  const std::string_view first = rows.front()->setting(name);
  const bool same =
      std::all_of(rows.begin(), rows.end(), [&](const PlotResult* r) { return r->setting(name) == first; });
  return same ? std::string(first) : "";
}

void add_distinct(std::string& text, const std::string& part, const char* between) {
  if (part.empty() || (between + text + between).find(between + part + between) != std::string::npos) return;
  text += (text.empty() ? "" : between) + part;
}

std::string range_text(u64 low, u64 high) {
  return low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
}

std::string title_of(const Rows& rows) {
  std::string text;
  for (const PlotResult* r : rows) add_distinct(text, std::string(r->setting("kernel")), ", ");
  for (const std::string_view name : kTitleSettings) {
    const std::string value = common(rows, name);
    if (!value.empty()) text += ", " + setting_text(name, value);
  }
  return text;
}

std::string subtitle_of(const PlotData& data) {
  std::string devices, drivers, versions, dates;
  for (const PlotSource& s : data.sources) {
    add_distinct(devices, s.device, " / ");
    add_distinct(drivers, s.driver, " / ");
    add_distinct(versions, s.version, " / ");
    add_distinct(dates, s.utc.substr(0, 10), " / ");
  }
  std::string text = devices;
  if (!drivers.empty()) text += (drivers.find("driver") == std::string::npos ? ", driver " : ", ") + drivers;
  if (!versions.empty()) text += "; triangulum " + versions;
  if (!dates.empty()) text += "; " + dates;
  return text;
}

/// Explains medians and bands.
std::string spread_caption(const PlotFigure& figure, const Rows& rows) {
  u64 min_samples = ~u64{0}, max_samples = 0;
  double low = 1, high = 0;
  for (const PlotResult* r : rows) {
    if (r->samples > 0) {
      min_samples = std::min(min_samples, r->samples), max_samples = std::max(max_samples, r->samples);
    }
    if (r->improvement && r->confidence > 0) low = std::min(low, r->confidence), high = std::max(high, r->confidence);
  }
  std::string text;
  for (const Quantity q : figure.panels) {
    if (!text.empty()) text += " ";
    if (q == Quantity::improvement) {
      text += "Improvement: median of the ratios within a round";
      const std::string below = fmt::format("{:.1f}", 100 * low), above = fmt::format("{:.1f}", 100 * high);
      if (high > 0) {
        text += fmt::format("; band or bar: the interval that covers it at {} %",
                            below == above ? below : fmt::format("{} to {}", below, above));
      }
      text += ".";
    } else {
      text += q == Quantity::time ? "Time: median" : "Rate: at the median time";
      if (max_samples > 0) text += fmt::format(" of {} samples", range_text(min_samples, max_samples));
      text += "; band or bar: quartiles.";
    }
  }
  return text;
}

void add_skipped(PlotFigure& figure, const Rows& rows) {
  struct Skipped {
    std::string what, reason;
    std::size_t skipped = 0, all = 0;
  };
  std::vector<Skipped> list;
  const bool kernels = common(rows, "kernel").empty();
  for (const PlotResult* r : rows) {
    const std::string what = kernels ? fmt::format("{} on {}", r->setting("kernel"), r->map) : r->map;
    auto at = std::find_if(list.begin(), list.end(), [&](const Skipped& s) { return s.what == what; });
    if (at == list.end()) at = list.insert(at, {what, "", 0, 0});
    ++at->all;
    if (!r->skipped) continue;
    if (at->skipped++ == 0) at->reason = *r->skipped;
  }
  std::erase_if(list, [](const Skipped& s) { return s.skipped == 0; });
  for (std::size_t i = 0; i < std::min(list.size(), kMaxSkippedLines); ++i) {
    const Skipped& s = list[i];
    figure.captions.push_back(fmt::format("Not timed: {}, {} of {}: {}", s.what, s.skipped, s.all, s.reason));
  }
  if (list.size() <= kMaxSkippedLines) return;
  std::string rest;
  for (std::size_t i = kMaxSkippedLines; i < list.size(); ++i) add_distinct(rest, list[i].what, ", ");
  figure.captions.push_back("Not timed for reasons in the results: " + rest + ".");
}

}  // namespace

std::string setting_text(std::string_view name, std::string_view text) {
  if (name == "features") return fmt::format("{} feature{}", text, text == "1" ? "" : "s");
  if (name == "n") return fmt::format("n = {}", grouped(std::stoull(std::string(text))));
  if (name == "dimensions") return fmt::format("{}-D", text);
  if (name == "threads") return fmt::format("{} threads", text);
  if (name == "timing") return fmt::format("{} timing", text);
  if (name == "arithmetic") return text == "tensor" ? "tensor cores" : std::string(text);
  if (name == "accumulate") return fmt::format("{} sums", text);
  if (name == "block" || name == "seed" || name == "rec") return fmt::format("{} {}", name, text);
  if (name == "baseline") return fmt::format("over {}", text);
  if (name == "version") return fmt::format("triangulum {}", text);
  const bool plain = name == "kernel" || name == "device" || name == "backend" || name == "form" || name == "layout" ||
                     name == "placement" || name == "precision" || name == "file" || name == "utc" ||
                     name == "fractal" || name == "law";
  return plain ? std::string(text) : fmt::format("{} {}", name, text);
}

void add_words(PlotFigure& figure, const PlotData& data, const Rows& asked, const Rows& drawn) {
  figure.title = title_of(drawn);
  figure.subtitle = subtitle_of(data);
  for (const PlotSource& s : data.sources) {
    const std::string caption = "Made by: " + s.command;
    const bool again = std::find(figure.captions.begin(), figure.captions.end(), caption) != figure.captions.end();
    if (!s.command.empty() && !again) figure.captions.push_back(caption);
  }
  figure.captions.push_back(spread_caption(figure, drawn));
  if (figure.any_failed) figure.captions.emplace_back("A cross marks a failed check: the figure there means nothing.");
  add_skipped(figure, asked);
}

}  // namespace tri::app
