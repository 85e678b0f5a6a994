#include "app/plot/plot_figure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"

namespace tri::app {
namespace {

using Rows = std::vector<const PlotResult*>;

/// Settings that separate results whenever they differ. Other settings do so only if results would otherwise coincide:
/// a block chosen by the backend varies with n and is no axis, a block varied by the user is one.
constexpr std::string_view kAxes[] = {"kernel",    "n",          "features",   "device",     "backend", "baseline",
                                      "form",      "layout",     "dimensions", "timing",     "rec",     "placement",
                                      "precision", "accumulate", "fractal",    "arithmetic", "law"};
/// The last resort, in this order, after all other settings.
constexpr std::string_view kLastAxes[] = {"seed", "version", "driver", "file", "utc"};

void check_names(const char* what, const std::vector<std::string>& wanted, const std::vector<std::string>& known) {
  for (const std::string& name : wanted) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw ConfigError(unknown_name(fmt::format("{} in these results", what), name, known));
    }
  }
}

template <class List, class Value>
void add_once(List& list, const Value& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.emplace_back(value);
}

Rows wanted_rows(const PlotData& data, const PlotOptions& options) {
  std::vector<std::string> kernels, maps;
  for (const PlotResult& r : data.results) {
    add_once(kernels, std::string(r.setting("kernel")));
    add_once(maps, r.map);
  }
  check_names("kernel", options.kernels, kernels);
  check_names("map", options.maps, maps);
  const auto wanted = [](const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  Rows rows;
  for (const PlotResult& r : data.results) {
    if (wanted(options.kernels, r.setting("kernel")) && wanted(options.maps, r.map)) rows.push_back(&r);
  }
  return rows;
}

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
  PlotPoint p{x, r.failed, r.time_ms, r.improvement.value_or(Spread{kNone, kNone, kNone}), {kNone, kNone, kNone}};
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
    case PlotKind::automatic:
    case PlotKind::both:
    case PlotKind::report:  // drawn elsewhere
      break;
  }
  return compared ? std::vector{Quantity::time, Quantity::improvement} : std::vector{Quantity::time};
}

}  // namespace

PlotFigure plot_figure(const PlotData& data, const PlotOptions& options) {
  const Rows asked = wanted_rows(data, options);
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
  if (!without.empty()) {
    figure.captions.push_back(fmt::format("Left out, because they have no {}: {}.", x, fmt::join(without, ", ")));
  }
  return figure;
}

}  // namespace tri::app
