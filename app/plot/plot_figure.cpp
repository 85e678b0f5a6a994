// Results of benches as the data of a figure: read, made comparable, arranged in panels.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/plot/plot.hpp"
#include "app/support/json.hpp"
#include "app/support/measurement.hpp"
#include "app/support/option_values.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCreateHint = "Create one with: triangulum bench --format json -o FILE.";

/// Different settings in the rows of a group. A bench has thirty.
constexpr std::size_t kMaxSettings = 256;

/// Integers and strings of a row that are results, not settings.
constexpr std::string_view kFigures[] = {"map",         "samples",       "skipped",         "differs",   "together",
                                         "above_bound", "blocks_useful", "blocks_launched", "work_items"};

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
    std::vector<std::string> words;
    for (const Json& word : *argv) {
      if (word.is_string()) words.push_back(word.get<std::string>());
    }
    source.command = command_line(words);
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
    r.together = positive(row, "together").value_or(1) > 1;
  }
  if (r.map != baseline) r.bound = positive(row, "bound");
  r.items_per_s = positive(row, "items_per_s").value_or(0);
  r.bytes_per_s = positive(row, "bytes_per_s");
  r.max_rel_err = positive(*check, "max_rel_err").value_or(0);
  const auto launched = positive(row, "blocks_launched"), useful = positive(row, "blocks_useful");
  if (launched && useful && *useful <= *launched) r.idle = 1 - *useful / *launched;
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

std::vector<const PlotResult*> wanted_rows(const PlotData& data, const PlotOptions& options, const char* source) {
  std::vector<std::string> kernels, maps;
  for (const PlotResult& r : data.results) {
    add_once(kernels, std::string(r.setting("kernel")));
    add_once(maps, r.map);
  }
  const auto among = [](const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto check = [&](const char* what, const std::vector<std::string>& wanted,
                         const std::vector<std::string>& known) {
    for (const std::string& name : wanted) {
      if (among(known, name)) continue;
      throw ConfigError(unknown_name(fmt::format("{} in these {}", what, source), name, known));
    }
  };
  check("kernel", options.kernels, kernels);
  check("map", options.maps, maps);
  std::vector<const PlotResult*> rows;
  for (const PlotResult& r : data.results) {
    const bool kernel = options.kernels.empty() || among(options.kernels, r.setting("kernel"));
    if (kernel && (options.maps.empty() || among(options.maps, r.map))) rows.push_back(&r);
  }
  return rows;
}

namespace {

using Rows = std::vector<const PlotResult*>;

/// Settings that separate results whenever they differ. Other settings do so only if results would otherwise coincide:
/// a block chosen by the backend varies with n and is no axis, a block varied by the user is one.
constexpr std::string_view kAxes[] = {"kernel",    "n",          "features",   "device",     "backend", "baseline",
                                      "form",      "layout",     "dimensions", "timing",     "rec",     "placement",
                                      "precision", "accumulate", "fractal",    "arithmetic", "pairs",   "law"};
/// The last resort, in this order, after all other settings.
constexpr std::string_view kLastAxes[] = {"seed", "version", "driver", "file", "utc"};

Rows timed(const Rows& rows) {
  Rows some;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(some), [](const PlotResult* r) { return !r->skipped; });
  return some;
}

/// Whether two rows that agree in the settings `equal` (and the map, if same_map) differ in a setting.
bool varies(const Rows& rows, std::string_view name, const std::vector<std::string_view>& equal, bool same_map) {
  std::map<std::vector<std::string_view>, std::string_view> first;
  for (const PlotResult* r : rows) {
    std::vector<std::string_view> key;
    if (same_map) key.emplace_back(r->map);
    for (const std::string_view e : equal) key.push_back(r->setting(e));
    const auto [at, fresh] = first.try_emplace(std::move(key), r->setting(name));
    if (!fresh && at->second != r->setting(name)) return true;
  }
  return false;
}

std::string_view choose_x(const Rows& rows, PlotX wanted) {
  static constexpr std::string_view kNames[] = {"n", "block", "features"};
  if (wanted != PlotX::automatic) return kNames[static_cast<int>(wanted) - 1];
  for (const std::string_view name : kNames) {
    const bool all =
        std::none_of(rows.begin(), rows.end(), [&](const PlotResult* r) { return r->setting(name).empty(); });
    if (all && varies(rows, name, {"kernel"}, true)) return name;
  }
  return "n";
}

/// The settings that separate facets, kernel first.
std::vector<std::string_view> facet_axes(const Rows& rows, std::string_view x) {
  std::vector<std::string_view> axes, more;
  for (const std::string_view name : kAxes) {
    if (name == x) continue;
    if (name == "kernel" ? varies(rows, name, {}, false) : varies(rows, name, {"kernel"}, false)) axes.push_back(name);
  }
  more.emplace_back("block");
  const auto among = [](const auto& list, std::string_view name) {
    return std::find(std::begin(list), std::end(list), name) != std::end(list);
  };
  for (const PlotResult* r : rows) {
    for (const auto& [name, text] : r->settings) {
      if (!among(kAxes, name) && !among(kLastAxes, name)) add_once(more, std::string_view(name));
    }
  }
  more.insert(more.end(), std::begin(kLastAxes), std::end(kLastAxes));
  for (;;) {
    std::vector<std::string_view> key_axes = axes;
    key_axes.emplace_back("kernel"), key_axes.push_back(x);
    std::map<std::vector<std::string_view>, const PlotResult*> taken;
    std::string_view apart;
    for (const PlotResult* r : rows) {
      std::vector<std::string_view> key{r->map};
      for (const std::string_view name : key_axes) key.push_back(r->setting(name));
      const auto [at, fresh] = taken.try_emplace(std::move(key), r);
      if (fresh) continue;
      const PlotResult* const other = at->second;
      const auto differs = [&](std::string_view name) { return r->setting(name) != other->setting(name); };
      const auto found = std::find_if(more.begin(), more.end(), differs);
      if (found == more.end()) {
        throw ConfigError(fmt::format(
            "'{}' has two results of {} on map {} at {} = {} that differ in no setting, so they cannot be in "
            "one figure. Remove one of them.",
            r->setting("file"), r->setting("kernel"), r->map, x, r->setting(x)));
      }
      apart = *found;
      break;
    }
    if (apart.empty()) return axes;
    axes.push_back(apart);
  }
}

double number(std::string_view text) { return std::strtod(std::string(text).c_str(), nullptr); }

PlotPoint point_of(const PlotResult& r, double x, bool bytes) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  constexpr Spread kNoSpread{kNone, kNone, kNone};
  PlotPoint p{x, r.failed, r.time_ms, r.improvement.value_or(kNoSpread), kNoSpread, kNoSpread, kNoSpread};
  if (r.idle) p.idle = {*r.idle, *r.idle, *r.idle};
  const double rate = bytes ? *r.bytes_per_s : r.items_per_s;
  if (rate > 0) p.rate = {rate * r.time_ms.mid / r.time_ms.high, rate, rate * r.time_ms.mid / r.time_ms.low};
  return p;
}

/// The bound for the block of the group; else, if there is none, that of maps with another block.
std::optional<double> bound_at(const Rows& rows, std::string_view x_name, double x) {
  std::optional<double> bound, own;
  for (const PlotResult* r : rows) {
    if (!r->bound || number(r->setting(x_name)) != x) continue;
    std::optional<double>& target = r->own_block ? own : bound;
    target = std::max(target.value_or(0), *r->bound);
  }
  return bound ? bound : own;
}

PlotFacet facet_of(const Rows& rows, std::string_view x_name, const std::vector<std::string>& maps) {
  PlotFacet facet;
  facet.kernel = rows.front()->setting("kernel");
  facet.bytes = std::all_of(rows.begin(), rows.end(), [](const PlotResult* r) { return r->bytes_per_s.has_value(); });
  for (const PlotResult* r : rows) add_once(facet.x, number(r->setting(x_name)));
  std::sort(facet.x.begin(), facet.x.end());
  for (std::size_t m = 0; m < maps.size(); ++m) {
    PlotSeries series{m, std::vector<std::optional<PlotPoint>>(facet.x.size())};
    bool any = false;
    for (const PlotResult* r : rows) {
      if (r->map != maps[m]) continue;
      const double x = number(r->setting(x_name));
      const auto at = std::lower_bound(facet.x.begin(), facet.x.end(), x) - facet.x.begin();
      series.points[static_cast<std::size_t>(at)] = point_of(*r, x, facet.bytes);
      any = true;
    }
    if (any) facet.series.push_back(std::move(series));
  }
  for (const double x : facet.x) facet.bound.push_back(bound_at(rows, x_name, x));
  return facet;
}

/// Theory of a facet: bound / k, where k is what a block of the map costs with its work, in launched blocks of the
/// baseline: the median of bound / improvement. A caption has k and n0, from where on bound / k is above 1.
void add_theory(PlotFigure& figure, PlotFacet& facet) {
  std::vector<std::string> costs;
  for (PlotSeries& series : facet.series) {
    if (figure.panels.back() != Quantity::theory || figure.maps[series.map] == figure.baseline) continue;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < facet.x.size(); ++i) {
      const auto& p = series.points[i];
      if (p && !p->failed && facet.bound[i] && p->improvement.mid > 0)
        ratios.push_back(*facet.bound[i] / p->improvement.mid);
    }
    if (ratios.empty()) continue;
    std::sort(ratios.begin(), ratios.end());
    const double k = sorted_quantile(ratios, 0.5);
    std::string from = "none", measured = "none";
    bool ahead = true, faster = true;
    for (std::size_t i = facet.x.size(); i-- > 0;) {
      const double theory = facet.bound[i].value_or(k) / k;
      auto& p = series.points[i];
      ahead = ahead && theory > 1, faster = faster && !(p && p->improvement.mid <= 1);
      if (p && facet.bound[i]) p->theory = {theory, theory, theory};
      if (ahead) from = plain_number(facet.x[i], 0);
      if (faster) measured = plain_number(facet.x[i], 0);
    }
    costs.push_back(fmt::format("{} {:.3g}, n0 = {} (measured {})", figure.maps[series.map], k, from, measured));
  }
  if (costs.empty()) return;
  figure.captions.push_back(fmt::format("{}{}cost of a block in blocks of {}: {}.", facet.title,
                                        facet.title.empty() ? "" : ": ", figure.baseline, fmt::join(costs, "; ")));
}

void add_facets(PlotFigure& figure, const Rows& rows, std::string_view x) {
  const auto axes = facet_axes(rows, x);
  std::vector<std::pair<std::vector<std::string_view>, Rows>> parts;
  for (const PlotResult* r : rows) {
    std::vector<std::string_view> key;
    for (const std::string_view name : axes) key.push_back(r->setting(name));
    auto at = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == key; });
    if (at == parts.end()) at = parts.insert(at, {key, {}});
    at->second.push_back(r);
  }
  for (const auto& [key, members] : parts) {
    PlotFacet facet = facet_of(members, x, figure.maps);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (key[i].empty()) continue;
      facet.title += (facet.title.empty() ? "" : ", ") + setting_text(axes[i], key[i]);
    }
    // No axis shows x then.
    if (facet.single() && varies(rows, x, {}, false)) {
      facet.title += (facet.title.empty() ? "" : ", ") + setting_text(x, members.front()->setting(x));
    }
    figure.facets.push_back(std::move(facet));
  }
}

std::vector<Quantity> panels_of(const Rows& rows, PlotKind kind) {
  const bool compared = std::any_of(rows.begin(), rows.end(), [](const PlotResult* r) { return bool(r->improvement); });
  const bool rated = std::any_of(rows.begin(), rows.end(), [](const PlotResult* r) { return r->items_per_s > 0; });
  switch (kind) {
    case PlotKind::time:
      return {Quantity::time};
    case PlotKind::rate:
      if (!rated) throw ConfigError("--kind rate: no result has items_per_s. Use --kind time.");
      return {Quantity::rate};
    case PlotKind::improvement:
      if (!compared) {
        throw ConfigError("--kind improvement: no result has one, because no baseline was timed. Use --kind time.");
      }
      return {Quantity::improvement};
    case PlotKind::idle:
      if (std::none_of(rows.begin(), rows.end(), [](const PlotResult* r) { return bool(r->idle); })) {
        throw ConfigError("--kind idle: no result counts its blocks. Use --kind time.");
      }
      return {Quantity::idle};
    case PlotKind::theory:
      if (std::none_of(rows.begin(), rows.end(), [](const PlotResult* r) { return r->improvement && r->bound; })) {
        throw ConfigError("--kind theory: no result has a bound and an improvement over a baseline. Use --kind time.");
      }
      return {Quantity::improvement, Quantity::theory};
    case PlotKind::automatic:
    case PlotKind::both:
    case PlotKind::report:  // drawn elsewhere
      break;
  }
  return compared ? std::vector{Quantity::time, Quantity::improvement} : std::vector{Quantity::time};
}

}  // namespace

PlotFigure plot_figure(const PlotData& data, const PlotOptions& options) {
  if (options.kind == PlotKind::idle && (options.log == PlotLog::y || options.log == PlotLog::xy)) {
    throw ConfigError("--kind idle has zeros, which a logarithmic axis cannot show; use --log x or leave it out.");
  }
  const Rows asked = wanted_rows(data, options, "results");
  Rows rows = timed(asked);
  if (rows.empty()) {
    throw ConfigError(asked.empty() ? "nothing to draw: there is no result of these kernels and maps."
                                    : fmt::format("nothing to draw: every result was skipped; the first because: {}",
                                                  *asked.front()->skipped));
  }
  const std::string_view x = choose_x(rows, options.x);
  std::vector<std::string> without;
  for (const PlotResult* r : rows) {
    if (r->setting(x).empty()) add_once(without, std::string(r->setting("kernel")));
  }
  std::erase_if(rows, [&](const PlotResult* r) { return r->setting(x).empty(); });
  if (rows.empty()) throw ConfigError(fmt::format("--x {}: no result has it.", x));

  PlotFigure figure;
  figure.panels = panels_of(rows, options.kind);
  figure.baseline = rows.front()->setting("baseline");
  for (const PlotResult* r : rows) {
    if (r->setting("baseline") != figure.baseline) figure.baseline.clear();
    figure.any_failed = figure.any_failed || r->failed;
  }
  for (const PlotResult* r : rows) {
    if (r->map == r->setting("baseline")) add_once(figure.maps, r->map);
  }
  for (const PlotResult* r : rows) add_once(figure.maps, r->map);
  figure.x_label = x == "n" ? "n (elements a side)" : x == "block" ? "block side" : std::string(x);
  add_facets(figure, rows, x);
  add_words(figure, data, asked, rows);
  for (PlotFacet& facet : figure.facets) add_theory(figure, facet);
  if (!without.empty()) {
    figure.captions.push_back(fmt::format("Left out, because they have no {}: {}.", x, fmt::join(without, ", ")));
  }
  return figure;
}

// Title, subtitle and captions of a figure.

namespace {

using Rows = std::vector<const PlotResult*>;

constexpr std::size_t kMaxSkippedLines = 6;
/// Settings in the title, in this order, if all results have the same.
constexpr std::string_view kTitleSettings[] = {"n",          "block",   "features",   "form",      "layout",
                                               "dimensions", "timing",  "rec",        "placement", "precision",
                                               "accumulate", "fractal", "arithmetic", "pairs",     "law"};

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
  bool together = false;
  for (const PlotResult* r : rows) {
    together |= r->together;
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
        text += fmt::format("; band or bar: the interval that covers it{} at {} %",
                            together ? ", with those of all maps beside it," : "",
                            below == above ? below : fmt::format("{} to {}", below, above));
      }
      text += ".";
    } else if (q == Quantity::idle) {
      text += "Idle: of the blocks that a map launches (in thread space threads), those without a tile.";
    } else if (q == Quantity::theory) {
      text +=
          "Theory: the bound over what a block costs, the median of bound over improvement; n0: ahead from there on.";
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
  if (name == "pairs") return text == "tree" ? "by a tree" : "all pairs";
  if (name == "accumulate") return fmt::format("{} sums", text);
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
