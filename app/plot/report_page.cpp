// Reports of devices: what a page shows, before its layout.

#include "app/plot/report_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/plot/plot_figure.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"

namespace tri::app {
namespace {

/// Settings that separate the panels of a kernel, the first apart.
constexpr std::string_view kPanelAxes[] = {"n",          "features",        "form",      "layout",     "dimensions",
                                           "timing",     "placement",       "precision", "accumulate", "fractal",
                                           "arithmetic", "requested_block", "law"};

void check_wanted(const char* what, const std::vector<std::string>& wanted, const std::vector<std::string>& known) {
  for (const std::string& name : wanted) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw ConfigError(unknown_name(fmt::format("{} in these reports", what), name, known));
    }
  }
}

void add_new(std::vector<std::string>& list, const std::string& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

std::vector<const PlotResult*> chosen(const PlotData& data, const PlotOptions& options) {
  std::vector<std::string> kernels, maps;
  for (const PlotResult& r : data.results) add_new(kernels, std::string(r.setting("kernel"))), add_new(maps, r.map);
  check_wanted("kernel", options.kernels, kernels);
  check_wanted("map", options.maps, maps);
  const auto wanted = [](const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<const PlotResult*> rows;
  for (const PlotResult& r : data.results) {
    if (wanted(options.kernels, r.setting("kernel")) && wanted(options.maps, r.map)) rows.push_back(&r);
  }
  return rows;
}

/// What a result shares with the others of its panel.
std::vector<std::string_view> signature(const PlotResult& r) {
  std::vector<std::string_view> values;
  for (const std::string_view axis : kPanelAxes) values.push_back(r.setting(axis));
  return values;
}

/// "gravity, n = 4,096 / 65,536": the kernel, its sizes, and the settings that tell the panel from those of `all`.
std::string panel_title(const std::string& kernel, const std::vector<const PlotResult*>& rows,
                        const std::vector<const PlotResult*>& all) {
  std::vector<std::string> sizes;
  for (const PlotResult* r : rows) {
    if (const auto n = r->setting("n"); !n.empty()) add_new(sizes, setting_text("n", n).substr(4));
  }
  std::string title = fmt::format("{}, n = {}", kernel, fmt::join(sizes, " / "));
  for (const std::string_view axis : kPanelAxes) {
    const std::string_view value = rows.front()->setting(axis);
    const bool own = axis == "features" || axis == "dimensions";
    const bool varies =
        std::any_of(all.begin(), all.end(), [&](const PlotResult* r) { return r->setting(axis) != value; });
    if (axis != "n" && !value.empty() && (own || varies)) title += ", " + setting_text(axis, value);
  }
  return title;
}

ReportPanel panel_of(const std::string& kernel, const std::vector<const PlotResult*>& rows,
                     const std::vector<const PlotResult*>& all, std::size_t reports) {
  ReportPanel panel{kernel, panel_title(kernel, rows, all), {}, {}};
  for (const PlotResult* r : rows) add_new(panel.maps, r->map);
  panel.results.assign(panel.maps.size(), std::vector<const PlotResult*>(reports, nullptr));
  for (const PlotResult* r : rows) {
    const auto at = std::find(panel.maps.begin(), panel.maps.end(), r->map) - panel.maps.begin();
    panel.results[static_cast<std::size_t>(at)][r->source] = r;
  }
  return panel;
}

}  // namespace

bool is_report(const PlotData& data) {
  return !data.sources.empty() &&
         std::none_of(data.sources.begin(), data.sources.end(), [](const PlotSource& s) { return s.floors.empty(); });
}

std::vector<ReportPanel> report_panels(const PlotData& data, const PlotOptions& options) {
  const std::vector<const PlotResult*> rows = chosen(data, options);
  if (rows.empty()) throw ConfigError("nothing to draw: there is no result of these kernels and maps.");
  std::vector<std::string> kernels;
  for (const PlotResult* r : rows) add_new(kernels, std::string(r->setting("kernel")));
  std::vector<ReportPanel> panels;
  for (const std::string& kernel : kernels) {
    std::vector<const PlotResult*> own;
    std::vector<std::vector<std::string_view>> parts;
    std::map<std::size_t, std::vector<std::string_view>> of_report;
    bool apart = false;
    for (const PlotResult* r : rows) {
      if (r->setting("kernel") != kernel) continue;
      own.push_back(r);
      const auto part = signature(*r);
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
      const auto [at, fresh] = of_report.try_emplace(r->source, part);
      apart = apart || (!fresh && at->second != part);
    }
    if (!apart) {
      panels.push_back(panel_of(kernel, own, own, data.sources.size()));
      continue;
    }
    for (const auto& part : parts) {
      std::vector<const PlotResult*> some;
      std::copy_if(own.begin(), own.end(), std::back_inserter(some),
                   [&](const PlotResult* r) { return signature(*r) == part; });
      panels.push_back(panel_of(kernel, some, own, data.sources.size()));
    }
  }
  return panels;
}

std::string report_name(const PlotSource& source) {
  return fmt::format("{} on {}", source.version, source.device.empty() ? source.file : source.device);
}

std::string check_words(const PlotResult& result) {
  if (result.skipped) return "";
  if (result.failed) return "FAILED";
  return result.max_rel_err == 0 ? "exact" : fmt::format("{:.0e}", result.max_rel_err);
}

std::string share_words(const PlotResult& result) {
  if (!result.floor || result.skipped) return "";
  const double percent = 100 * result.floor->share;
  return fmt::format("{:.{}f} %", percent, percent < 9.95 ? 1 : 0);
}

std::string clock_words(const PlotSource& source) {
  if (!source.clock_mhz) return "";
  const auto whole = [](double mhz) { return grouped(static_cast<u64>(std::llround(std::min(mhz, 1e9)))); };
  std::string text = whole(*source.clock_mhz) + " MHz";
  if (source.clock_low_mhz) text += fmt::format(" (low {})", whole(*source.clock_low_mhz));
  return text;
}

std::vector<std::string> throttling_words(const PlotData& data) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < data.sources.size(); ++i) {
    std::vector<std::string> reasons;
    for (const PlotResult& r : data.results) {
      if (r.source != i) continue;
      for (const std::string& reason : r.throttling) add_new(reasons, reason);
    }
    if (reasons.empty()) continue;
    words.push_back(fmt::format("{} was throttled: {}.", report_name(data.sources[i]), fmt::join(reasons, ", ")));
  }
  return words;
}

}  // namespace tri::app
