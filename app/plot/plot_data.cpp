#include "app/plot/plot_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/support/json_file.hpp"
#include "app/support/sample_stats.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCreateHint = "Create one with: triangulum bench --format json -o FILE.";

/// Different settings in the rows of a group. A bench has thirty.
constexpr std::size_t kMaxSettings = 256;

/// Integers and strings of a row that are results, not settings.
constexpr std::string_view kFigures[] = {"map",           "samples",         "skipped",   "differs",
                                         "blocks_useful", "blocks_launched", "work_items"};

[[noreturn]] void fail(const std::string& file, const std::string& what) {
  throw FileError(fmt::format("'{}' {}. {}", file, what, kCreateHint));
}

std::string string_of(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

/// nullopt if the key is missing, null, or not a finite number > 0.
std::optional<double> positive(const Json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number()) return std::nullopt;
  const double value = at->get<double>();
  return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

/// The arguments quoted for a shell; the program name without folders.
std::string command_line(const Json& argv) {
  std::string line;
  for (const Json& argument : argv) {
    if (!argument.is_string()) continue;
    std::string text = argument.get<std::string>();
    if (line.empty()) text = text.substr(text.find_last_of('/') + 1);
    if (text.empty() || text.find_first_of(" \t\n\"'\\$&|;<>()*?[]{}~#`!") != std::string::npos) {
      std::string quoted = "'";
      for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      text = quoted + "'";
    }
    line += (line.empty() ? "" : " ") + text;
  }
  return line;
}

PlotSource source_of(const std::string& file, const Json& document) {
  PlotSource source;
  source.file = file;
  const auto meta = document.find("meta");
  if (meta == document.end() || !meta->is_object()) return source;
  source.version = string_of(*meta, "version"), source.device = string_of(*meta, "device"),
  source.driver = string_of(*meta, "driver");
  source.utc = string_of(*meta, "utc"), source.baseline = string_of(*meta, "baseline");
  source.detail = string_of(*meta, "detail"), source.host = string_of(*meta, "host");
  if (const auto clocks = meta->find("clocks"); clocks != meta->end() && clocks->is_object()) {
    source.clock_mhz = positive(*clocks, "mhz"), source.clock_low_mhz = positive(*clocks, "low_mhz");
  }
  if (const auto floors = meta->find("floors"); floors != meta->end() && floors->is_object()) {
    for (const auto& [name, rate] : floors->items()) {
      const auto per_s = positive(rate, "per_s");
      if (per_s) source.floors.push_back({name, *per_s, string_of(rate, "how")});
    }
  }
  if (const auto argv = meta->find("argv"); argv != meta->end() && argv->is_array()) {
    source.command = command_line(*argv);
  }
  return source;
}

void read_figures(PlotResult& r, const Json& row, const std::string& baseline) {
  if (const auto samples = positive(row, "samples")) r.samples = static_cast<u64>(*samples);
  const auto median = positive(row, "median_ms");
  if (r.skipped) return;
  if (!median) {
    r.skipped = "it has no time greater than 0.";
    return;
  }
  const double half = positive(row, "iqr_ms").value_or(0) / 2;
  r.time_ms = {std::max(*median - half, *median * 1e-3), *median, *median + half};
  // Actual quartiles if the samples are present: times have a skewed distribution.
  if (const auto all = row.find("samples_ms"); all != row.end() && all->is_array()) {
    std::vector<double> samples;
    for (const Json& s : *all) {
      if (s.is_number() && s.get<double>() > 0) samples.push_back(s.get<double>());
    }
    std::sort(samples.begin(), samples.end());
    if (!samples.empty()) {
      r.time_ms.low = std::min(*median, sorted_quantile(samples, 0.25));
      r.time_ms.high = std::max(*median, sorted_quantile(samples, 0.75));
    }
  }
  const auto check = row.find("check");
  const auto passed = check->find("passed");
  r.failed = passed == check->end() || *passed != true;
  if (const auto ratio = positive(row, "improvement")) {
    r.improvement = {positive(row, "improvement_low").value_or(*ratio), *ratio,
                     positive(row, "improvement_high").value_or(*ratio)};
    r.confidence = positive(row, "confidence").value_or(0);
  }
  if (r.map != baseline) r.bound = positive(row, "bound");
  r.items_per_s = positive(row, "items_per_s").value_or(0);
  r.bytes_per_s = positive(row, "bytes_per_s");
  r.max_rel_err = positive(*check, "max_rel_err").value_or(0);
  if (const auto floor = row.find("floor"); floor != row.end() && floor->is_object()) {
    const auto ms = positive(*floor, "ms"), share = positive(*floor, "share");
    if (ms && share) r.floor = PlotFloor{string_of(*floor, "by"), *ms, *share};
  }
  const auto telemetry = row.find("telemetry");
  if (telemetry == row.end() || !telemetry->is_object() || !telemetry->contains("throttling")) return;
  for (const Json& reason : (*telemetry)["throttling"]) {
    if (reason.is_string()) r.throttling.push_back(reason.get<std::string>());
  }
}

PlotResult result_of(const Json& row, const PlotSource& source, std::size_t number) {
  const auto lacks = [&](const char* key) {
    fail(source.file, fmt::format("has a result (number {}) without \"{}\"", number, key));
  };
  if (!row.is_object()) fail(source.file, fmt::format("has a result (number {}) that is no object", number));
  PlotResult r;
  r.map = string_of(row, "map");
  if (r.map.empty()) lacks("map");
  if (string_of(row, "kernel").empty()) lacks("kernel");
  if (!positive(row, "n") || !row["n"].is_number_integer()) lacks("n");
  for (const auto& [key, least] : {std::pair{"block", 1.0}, std::pair{"features", 1.0}, std::pair{"samples", 0.0}}) {
    const auto at = row.find(key);
    if (at == row.end() || !at->is_number()) continue;
    const double count = at->get<double>();
    if (at->is_number_integer() && count >= least && count < 0x1p63) continue;
    fail(source.file,
         fmt::format("has a result (number {}) with \"{}\": {}, which is no count", number, key, at->dump()));
  }
  // dummy and gasket do not use floating point, so precision does not apply.
  const bool exact = string_of(row, "kernel") == "dummy" || string_of(row, "kernel") == "gasket";
  for (const auto& [key, value] : row.items()) {
    const bool figure = std::find(std::begin(kFigures), std::end(kFigures), key) != std::end(kFigures);
    if (figure || (exact && key == "precision")) continue;
    if (value.is_string()) r.settings.emplace_back(key, value.get<std::string>());
    if (value.is_number_integer()) r.settings.emplace_back(key, value.dump());
    if (value.is_boolean()) r.settings.emplace_back(key, value.get<bool>() ? "yes" : "no");
  }
  const std::pair<const char*, std::string> common[] = {{"device", source.device},   {"baseline", source.baseline},
                                                        {"version", source.version}, {"driver", source.driver},
                                                        {"file", source.file},       {"utc", source.utc}};
  for (const auto& [name, text] : common) {
    if (!text.empty() && r.setting(name).empty()) r.settings.emplace_back(name, text);
  }
  if (const std::string reason = string_of(row, "skipped"); !reason.empty()) r.skipped = reason;
  // Never draw a time without a check.
  if (!r.skipped && (!row.contains("check") || !row["check"].is_object())) lacks("check");
  read_figures(r, row, source.baseline);
  return r;
}

/// The most common value of a setting, the first on a tie.
std::string most_common(std::span<const PlotResult> rows, const std::string& name) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  std::map<std::string, std::size_t> place;
  for (const PlotResult& r : rows) {
    const std::string text(r.setting(name));
    if (text.empty() || (r.skipped && name == "block")) continue;
    const auto [at, added] = place.emplace(text, counts.size());
    if (added) counts.emplace_back(text, 0);
    ++counts[at->second].second;
  }
  const auto best =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == counts.end() ? "" : best->first;
}

/// Gives all rows of a group the settings of the group (see PlotResult).
void unify_settings(const std::string& file, std::span<PlotResult> rows) {
  std::vector<std::string> names;
  for (const PlotResult& r : rows) {
    for (const auto& [name, text] : r.settings) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      names.push_back(name);
      if (names.size() > kMaxSettings) fail(file, fmt::format("has results with more than {} settings", kMaxSettings));
    }
  }
  for (const std::string& name : names) {
    const std::string text = most_common(rows, name);
    for (PlotResult& r : rows) {
      const auto at =
          std::find_if(r.settings.begin(), r.settings.end(), [&](const auto& s) { return s.first == name; });
      if (at == r.settings.end()) {
        if (!text.empty()) r.settings.emplace_back(name, text);
      } else if (name == "block" && at->second != text && !text.empty()) {
        at->second = text;
        r.own_block = true;
      }
    }
  }
}

/// Groups are contiguous: a group ends where a map repeats or where kernel, size or features change.
void unify_groups(const std::string& file, std::span<PlotResult> rows) {
  const auto changes = [](const PlotResult& a, const PlotResult& b) {
    return a.setting("kernel") != b.setting("kernel") || a.setting("n") != b.setting("n") ||
           a.setting("features") != b.setting("features");
  };
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    std::set<std::string_view> maps{rows[begin].map};
    while (end < rows.size() && !changes(rows[begin], rows[end]) && maps.insert(rows[end].map).second) ++end;
    unify_settings(file, rows.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace

std::string_view PlotResult::setting(std::string_view name) const {
  const auto at = std::find_if(settings.begin(), settings.end(), [&](const auto& s) { return s.first == name; });
  return at == settings.end() ? std::string_view() : std::string_view(at->second);
}

void add_document(PlotData& data, const std::string& file, std::string_view json) {
  const Json document = json_document(file, json, kCreateHint);
  if (!document.is_object() || !document.contains("schema")) fail(file, "is not the result of a bench");
  if (document["schema"] != 1) {
    fail(file, fmt::format("has schema {}, but this version reads schema 1", document["schema"].dump()));
  }
  const auto results = document.find("results");
  if (results == document.end() || !results->is_array()) fail(file, "has no \"results\"");
  const PlotSource source = source_of(file, document);
  const std::size_t begin = data.results.size();
  for (const Json& row : *results) {
    data.results.push_back(result_of(row, source, data.results.size() - begin + 1));
    data.results.back().source = data.sources.size();
  }
  unify_groups(file, std::span(data.results).subspan(begin));
  data.sources.push_back(source);
}

PlotData read_plot_data(std::span<const std::string> files) {
  PlotData data;
  for (const std::string& file : files) add_document(data, file, json_file_text(file));
  return data;
}

}  // namespace tri::app
