#include "app/bench/report.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/support/json.hpp"
#include "app/support/measurement.hpp"
#include "app/support/option_values.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/maps/map_registry.hpp"
#include "tri_version.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCompareHint = "Name a report of bench --format json.";

/// What two rows must share to be compared, besides their map. A key that an older report lacks is null.
const std::vector<std::string_view>& row_axes() {
  static const std::vector<std::string_view> keys = [] {
    std::vector<std::string_view> all = {"kernel", "n", "requested_block"};
    for (const std::string_view key : bench_axis_keys()) all.push_back(key);
    all.insert(all.end(), {"ranks", "law"});
    return all;
  }();
  return keys;
}
/// What is told when it differs. The device is told by itself.
constexpr const char* kRunSettings[] = {"version", "backend", "detail",    "driver",
                                        "threads", "samples", "warmup_ms", "seed"};

/// Coverage of each of two intervals, so that both hold 19 times in 20.
constexpr double kEachCovers = 0.975;

[[noreturn]] void fail_old(const std::string& file, const std::string& what) {
  throw FileError(fmt::format("--compare {}: {}. {}", file, what, kCompareHint));
}

const Json& part(const Json& object, std::string_view key) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto at = object.find(key);
  return at == object.end() ? kNothing : *at;
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The rows of a report by their keys, in order.
struct Report {
  Json meta;
  std::vector<Json> rows;
  std::vector<std::string> keys;
  std::map<std::string, std::size_t> place;
};

Report report_of(const std::string& file, std::string_view text) {
  const Json document = json_document(file, text, kCompareHint);
  if (part(document, "schema") != 1) fail_old(file, "this is no report of bench with schema 1");
  const Json& results = part(document, "results");
  if (!results.is_array()) fail_old(file, "it has no \"results\"");
  Report report;
  report.meta = part(document, "meta");
  for (const Json& row : results) {
    if (!part(row, "kernel").is_string() || !part(row, "map").is_string())
      fail_old(file, "a result has no kernel or map");
    std::string key = part(row, "map").dump();
    for (const std::string_view axis : row_axes()) key += " " + part(row, axis).dump();
    if (!report.place.emplace(key, report.rows.size()).second) continue;
    report.keys.push_back(key);
    report.rows.push_back(row);
  }
  return report;
}

/// The times of a row; empty, with the reason, where it has none that count.
std::vector<double> times_of(const Json& row, std::string& reason) {
  if (const std::string skipped = text_of(part(row, "skipped")); !skipped.empty()) {
    reason = "skipped: " + skipped;
    return {};
  }
  if (part(part(row, "check"), "passed") != true) {
    reason = "its check failed";
    return {};
  }
  std::vector<double> times;
  const Json& samples = part(row, "samples_ms");
  if (samples.is_array()) {
    for (const Json& sample : samples) {
      if (sample.is_number() && sample.get<double>() > 0) times.push_back(sample.get<double>());
    }
  }
  const Json& median = part(row, "median_ms");
  if (times.empty() && median.is_number() && median.get<double>() > 0) times.push_back(median.get<double>());
  if (times.empty()) reason = "it has no times";
  return times;
}

/// Axes that vary among the rows of each kernel, so that names need no others.
std::map<std::string, std::set<std::string>> varying_axes(const Report& before, const Report& now) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> values;
  for (const Report* report : {&before, &now}) {
    for (const Json& row : report->rows) {
      for (const std::string_view axis : row_axes()) {
        const Json& value = part(row, axis);
        if (!value.is_null()) values[text_of(part(row, "kernel"))][std::string(axis)].insert(value.dump());
      }
    }
  }
  std::map<std::string, std::set<std::string>> axes;
  for (const auto& [kernel, all] : values) {
    for (const auto& [axis, found] : all) {
      if (found.size() > 1) axes[kernel].insert(axis);
    }
  }
  return axes;
}

std::string name_of_row(const Json& row, const std::map<std::string, std::set<std::string>>& varying) {
  const std::string kernel = text_of(part(row, "kernel"));
  std::string name = fmt::format("{}, n = {}", kernel, text_of(part(row, "n")));
  const auto axes = varying.find(kernel);
  for (const std::string_view axis : row_axes()) {
    const std::string value = text_of(part(row, axis));
    if (axis == "n" || axes == varying.end() || !axes->second.count(std::string(axis)) || value.empty()) continue;
    const std::string_view word = axis == "requested_block" ? "block" : axis;
    name += part(row, axis).is_string() ? fmt::format(", {}", value) : fmt::format(", {} {}", word, value);
  }
  return name;
}

ComparedRow compared(const Json& before, const Json& now, double threshold) {
  ComparedRow row;
  std::string why_before, why_now;
  const std::vector<double> old_times = times_of(before, why_before), new_times = times_of(now, why_now);
  if (!old_times.empty()) row.before_ms = sample_stats(old_times).median;
  if (!new_times.empty()) row.now_ms = sample_stats(new_times).median;
  if (old_times.empty() && new_times.empty()) return row;  // neither was timed: nothing changed
  if (old_times.empty() || new_times.empty()) {
    row.verdict = Verdict::untimed;
    row.reason = old_times.empty() ? "before: " + why_before : "now: " + why_now;
    return row;
  }
  row.ratio = time_ratio(old_times, new_times);
  row.verdict = verdict_of(*row.ratio, threshold);
  return row;
}

void tell_differences(Comparison& c, const Json& before, const Json& now) {
  c.version = text_of(part(before, "version")), c.utc = text_of(part(before, "utc"));
  c.device = text_of(part(before, "device"));
  c.other_device = part(before, "device") != part(now, "device") || part(before, "backend") != part(now, "backend");
  const auto tell = [&](const char* name, const Json& there, const Json& here) {
    if (there == here) return;
    const auto shown = [](const Json& v) { return v.is_null() ? std::string("none") : text_of(v); };
    c.differences.push_back(fmt::format("{} {}, now {}", name, shown(there), shown(here)));
  };
  for (const char* name : kRunSettings) tell(name, part(before, name), part(now, name));
  tell("clock in MHz", part(part(before, "clocks"), "mhz"), part(part(now, "clocks"), "mhz"));
}

}  // namespace

TimeRatio time_ratio(std::span<const double> before, std::span<const double> now) {
  TRI_EXPECTS(!before.empty() && !now.empty());
  const Interval old = median_interval(before, kEachCovers), fresh = median_interval(now, kEachCovers);
  TimeRatio r;
  r.ratio = sample_stats(now).median / sample_stats(before).median;
  r.interval = {fresh.low / old.high, fresh.high / old.low, std::max(0.0, old.confidence + fresh.confidence - 1)};
  return r;
}

Verdict verdict_of(const TimeRatio& r, double threshold) {
  TRI_EXPECTS(threshold >= 1);
  if (!r.decided()) return Verdict::few;
  if (r.interval.low > 1 && r.ratio > threshold) return Verdict::slower;
  if (r.interval.high < 1 && r.ratio < 1 / threshold) return Verdict::faster;
  return Verdict::same;
}

bool Comparison::any(Verdict verdict) const {
  return std::any_of(rows.begin(), rows.end(), [&](const ComparedRow& row) { return row.verdict == verdict; });
}

std::string old_report_text(const std::string& file) {
  std::string text = json_file_text(file);
  report_of(file, text);
  return text;
}

Comparison compare_reports(const std::string& file, std::string_view before, std::string_view now, double threshold) {
  const Report old = report_of(file, before), fresh = report_of("the new report", now);
  Comparison c;
  c.file = file, c.threshold = threshold;
  tell_differences(c, old.meta, fresh.meta);
  const auto varying = varying_axes(old, fresh);
  std::size_t common = 0;
  const auto add = [&](ComparedRow row, const Json& source) {
    row.name = name_of_row(source, varying), row.map = text_of(part(source, "map"));
    c.rows.push_back(std::move(row));
  };
  const auto alone = [](const Json& source, Verdict verdict) {
    ComparedRow row;
    const std::vector<double> times = times_of(source, row.reason);
    row.verdict = verdict;
    if (!times.empty()) (verdict == Verdict::gone ? row.before_ms : row.now_ms) = sample_stats(times).median;
    return row;
  };
  for (std::size_t i = 0; i < fresh.rows.size(); ++i) {
    const auto at = old.place.find(fresh.keys[i]);
    const bool there = at != old.place.end();
    common += there ? 1 : 0;
    add(there ? compared(old.rows[at->second], fresh.rows[i], threshold) : alone(fresh.rows[i], Verdict::fresh),
        fresh.rows[i]);
  }
  for (std::size_t i = 0; i < old.rows.size(); ++i) {
    if (!fresh.place.count(old.keys[i])) add(alone(old.rows[i], Verdict::gone), old.rows[i]);
  }
  if (common > 0) return c;
  std::vector<std::string> argv;
  for (const Json& word : part(old.meta, "argv")) argv.push_back(text_of(word));
  throw ConfigError(
      fmt::format("--compare {}: it has no row in common with this bench; it was made on {} by: {}. Run the same "
                  "kernels, sizes and "
                  "options, on a device of the same kind.",
                  file, text_of(part(old.meta, "device")), fmt::join(argv, " ")));
}

// A comparison for a person, and for a program.

namespace {

std::string ratio_text(const ComparedRow& row) {
  if (!row.ratio) return "-";
  const TimeRatio& r = *row.ratio;
  if (r.interval.confidence == 0) return fmt::format("{:.3g}", r.ratio);
  return fmt::format("{:.3g} [{:.3g}, {:.3g}]", r.ratio, r.interval.low, r.interval.high);
}

/// "new: edm, n = 1024 on rec, fold": the rows of this verdict, those of one name together.
std::string alone_text(const Comparison& c, Verdict verdict, u32 width) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const ComparedRow& row : c.rows) {
    if (row.verdict != verdict) continue;
    if (names.empty() || names.back().first != row.name) names.emplace_back(row.name, "");
    names.back().second += (names.back().second.empty() ? "" : ", ") + row.map;
  }
  std::string text;
  for (const auto& [name, maps] : names) {
    text += folded(fmt::format("{}: {} on {}", to_string(verdict), name, maps), width, 2) + "\n";
  }
  return text;
}

std::string time_text(const std::optional<double>& ms) { return ms ? duration_text(*ms) : "-"; }

using Json = nlohmann::ordered_json;

Json json_of_row(const ComparedRow& row) {
  const auto or_null = [](bool there, const auto& value) { return there ? Json(value) : Json(nullptr); };
  const TimeRatio ratio = row.ratio.value_or(TimeRatio{});
  const bool interval = row.ratio && ratio.interval.confidence > 0;
  return {{"what", row.name},
          {"map", row.map},
          {"before_ms", or_null(row.before_ms.has_value(), row.before_ms.value_or(0))},
          {"now_ms", or_null(row.now_ms.has_value(), row.now_ms.value_or(0))},
          {"ratio", or_null(row.ratio.has_value(), ratio.ratio)},
          {"ratio_low", or_null(interval, ratio.interval.low)},
          {"ratio_high", or_null(interval, ratio.interval.high)},
          {"confidence", or_null(interval, ratio.interval.confidence)},
          {"verdict", to_string(row.verdict)},
          {"reason", or_null(!row.reason.empty(), row.reason)}};
}

}  // namespace

std::string comparison_text(const Comparison& c, u32 width) {
  const std::string made = fmt::format("triangulum {} of {} on {}", c.version, c.utc, c.device);
  std::string text = folded(fmt::format("compared with {}: {}", c.file, made), width, 2) + "\n";
  if (c.other_device) {
    text += folded("These are different devices: the ratios compare devices, not versions.", width, 2) + "\n";
  }
  if (!c.differences.empty()) {
    text += folded(fmt::format("other settings: {}", fmt::join(c.differences, "; ")), width, 2) + "\n";
  }
  TextTable table({{"kernel"}, {"map"}, {"before", true}, {"now", true}, {"now / before", true}, {"verdict"}});
  std::size_t same = 0, listed = 0;
  for (const ComparedRow& row : c.rows) {
    if (row.verdict == Verdict::same) {
      ++same;
      continue;
    }
    if (row.verdict == Verdict::gone || row.verdict == Verdict::fresh) continue;
    ++listed;
    std::string verdict = to_string(row.verdict);
    if (!row.reason.empty()) verdict += " (" + row.reason + ")";
    table.add({row.name, row.map, time_text(row.before_ms), time_text(row.now_ms), ratio_text(row), verdict});
  }
  if (listed > 0) text += "\n" + table.text(width);
  const std::string gone = alone_text(c, Verdict::gone, width), fresh = alone_text(c, Verdict::fresh, width);
  if (!gone.empty() || !fresh.empty()) text += "\n" + gone + fresh;
  double covers = 0;
  for (const ComparedRow& row : c.rows) {
    if (row.ratio && row.ratio->decided() && (covers == 0 || row.ratio->interval.confidence < covers)) {
      covers = row.ratio->interval.confidence;
    }
  }
  std::string sum =
      fmt::format("{} of {} rows did not change: by {:.4g} % at most", same, c.rows.size(), 100 * (c.threshold - 1));
  if (covers > 0) sum += fmt::format(", or not beyond their intervals, which cover {:.1f} %", 100 * covers);
  return text + (listed > 0 || !gone.empty() || !fresh.empty() ? "\n" : "") + folded(sum + ".", width, 2) + "\n";
}

std::string comparison_json(const Comparison& c) {
  const Json head = {{"file", c.file},
                     {"version", c.version},
                     {"utc", c.utc},
                     {"device", c.device},
                     {"other_device", c.other_device},
                     {"differences", c.differences},
                     {"threshold", c.threshold},
                     {"slower", c.any(Verdict::slower)}};
  std::string text = "{";
  for (const auto& [key, value] : head.items()) text += fmt::format("\n    \"{}\": {},", key, json_line(value));
  text += "\n    \"rows\": [";
  const char* separator = "\n      ";
  for (const ComparedRow& row : c.rows) text += separator + json_line(json_of_row(row)), separator = ",\n      ";
  return text + "\n    ]\n  }";
}

// A bench for a program: schema 1, and the same for a spreadsheet. Keys are never removed from a schema, nor columns;
// new ones come last.

namespace {

using Json = nlohmann::ordered_json;

Json or_null(bool there, const Json& value) { return there ? value : Json(nullptr); }

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

/// A number, or a name.
template <class T>
Json axis_value(const T& value) {
  if constexpr (NamedEnum<T>) {
    return to_string(value);
  } else {
    return value;
  }
}

Json reading_json(const MeterReading& r) {
  Json j;
  j["seconds"] = r.seconds;
  j["clock_mhz"] = or_null(r.clock_mhz);
  j["clock_low_mhz"] = or_null(r.clock_low_mhz);
  j["memory_clock_mhz"] = or_null(r.memory_clock_mhz);
  j["power_w"] = or_null(r.power_w);
  j["energy_j"] = or_null(r.energy_j);
  j["temperature_c"] = or_null(r.temperature_c);
  j["throttling"] = r.throttling;
  return j;
}

/// The value of each axis; null for a kernel, or a map, that does not read it.
Json axes_json(const BenchSpec& s) {
  Json axes;
  describe_axes([&](const BenchAxisInfo& axis, auto field, auto) {
    const bool read = axis.read_by == BenchAxis::rec         ? s.map == "rec"
                      : axis.read_by == BenchAxis::precision ? true
                                                             : info(s.kernel).has(axis.read_by);
    axes[axis.key] = or_null(read, axis_value(s.*field));
  });
  return axes;
}

void add_meters(Json& j, const BenchGroup& group, const BenchRow& r) {
  const bool timed = !r.skipped;
  j["bytes"] = or_null(timed && r.bytes > 0, r.bytes);
  j["telemetry"] = timed && group.telemetry ? reading_json(*group.telemetry) : Json(nullptr);
  j["energy_per_item_j"] = or_null(r.energy_per_item());
  j["energy_run"] = nullptr;
  if (r.energy) j["energy_run"] = reading_json(r.energy->reading), j["energy_run"]["times"] = r.energy->times;
}

Json floor_json(const BenchRow& row, const std::optional<Floors>& floors) {
  const auto floor = floor_of(row, floors);
  if (!floor) return nullptr;
  return {{"by", to_string(floor->kind)}, {"ms", floor->ms}, {"share", floor->ms / row.stats.median}};
}

Json floors_json(const std::optional<Floors>& floors) {
  if (!floors) return nullptr;
  const auto rate = [](const FloorRate& r) { return Json{{"per_s", r.per_s}, {"how", r.how}}; };
  return {{to_string(FloorKind::arithmetic), rate(floors->lanes)},
          {to_string(FloorKind::memory), rate(floors->bytes)},
          {to_string(FloorKind::launches), rate(floors->launches)}};
}

Json row_json(const BenchGroup& group, const BenchRow& r, const std::optional<Floors>& floors) {
  const BenchKernelInfo& kernel = info(group.common.kernel);
  const bool timed = !r.skipped;
  const bool compared = timed && r.improvement.has_value();
  const Json axes = axes_json(r.spec);
  Json j;
  const auto add_axes = [&](std::initializer_list<const char*> keys) {
    for (const char* key : keys) j[key] = axes[key];
  };
  j["kernel"] = kernel.name;
  j["map"] = r.spec.map;
  j["backend"] = r.backend;
  j["n"] = group.common.n;
  j["block"] = or_null(r.block > 0, r.block);
  add_axes({"features"});
  j["samples"] = r.samples_ms.size();
  j["median_ms"] = or_null(timed, r.stats.median);
  j["min_ms"] = or_null(timed, r.stats.min);
  j["max_ms"] = or_null(timed, r.stats.max);
  j["iqr_ms"] = or_null(timed, r.stats.iqr);
  j["improvement"] = compared ? Json(r.improvement->ratio) : Json(nullptr);
  j["bound"] = r.bound ? Json(*r.bound) : Json(nullptr);
  j["blocks_launched"] = or_null(timed, r.blocks_launched);
  j["blocks_useful"] = or_null(timed, r.blocks_useful);
  j["work_items"] = or_null(timed, r.work_items);
  j["items_per_s"] = or_null(timed, timed ? r.items_per_s() : 0);
  j["bytes_per_s"] = or_null(timed && r.bytes > 0, timed ? r.bytes_per_s() : 0);
  j["check"] =
      timed ? Json{{"passed", r.check.passed}, {"max_rel_err", r.check.max_rel_err}, {"reference", r.check.reference}}
            : Json(nullptr);
  j["skipped"] = r.skipped ? Json(*r.skipped) : Json(nullptr);
  j["directed_per_s"] = or_null(timed && kernel.directed_rate, timed ? 2 * r.items_per_s() : 0);
  const bool interval = compared && r.improvement->interval.confidence > 0;
  j["improvement_low"] = or_null(interval, compared ? r.improvement->interval.low : 0);
  j["improvement_high"] = or_null(interval, compared ? r.improvement->interval.high : 0);
  j["confidence"] = or_null(interval, compared ? r.improvement->interval.confidence : 0);
  j["differs"] = or_null(compared && r.improvement->decided(), compared && r.improvement->differs());
  add_axes({"precision", "accumulate", "arithmetic", "tolerance"});
  j["seed"] = r.spec.seed;
  j["samples_ms"] = r.samples_ms;
  add_axes({"form", "layout", "dimensions", "placement", "rec", "timing"});
  j["requested_block"] = or_null(group.common.block != 0, group.common.block);
  add_meters(j, group, r);
  add_axes({"fractal"});
  j["mean_ms"] = or_null(timed, r.stats.mean);
  j["ranks"] = r.ranks;
  j["law"] = or_null(!r.spec.law.empty(), r.spec.law);
  const std::optional<u64> proved = proved_side(group, r);
  j["map_proved"] = or_null(proved.has_value(), proved.value_or(0));
  j["floor"] = floor_json(r, floors);
  j.update(axes);  // those that have no place above come last
  j["together"] = or_null(interval, compared ? r.improvement->together : 1);
  j["above_bound"] = or_null(r.bound.has_value(), r.above_bound);
  j["near"] = or_null(r.tree.has_value(), r.tree ? r.tree->near : 0);
  j["series"] = or_null(r.tree.has_value(), r.tree ? r.tree->series : 0);
  j["error"] = or_null(r.tree.has_value(), r.check.max_rel_err);
  j["load"] = nullptr;
  if (timed && group.load) j["load"] = {{"others", group.load->others}, {"cores", group.load->cores}};
  return j;
}

/// Of the processor, or of the device over all groups: the median of their medians, and the lowest.
Json clocks_json(const BenchMeta& meta, const std::vector<BenchGroup>& groups) {
  if (meta.clock_mhz > 0) return Json{{"mhz", meta.clock_mhz}};
  std::vector<double> medians, lows;
  for (const BenchGroup& group : groups) {
    if (!group.telemetry || !group.telemetry->clock_mhz) continue;
    medians.push_back(*group.telemetry->clock_mhz);
    lows.push_back(group.telemetry->clock_low_mhz.value_or(medians.back()));
  }
  if (medians.empty()) return nullptr;
  return Json{{"mhz", sample_stats(medians).median}, {"low_mhz", *std::min_element(lows.begin(), lows.end())}};
}

/// Keys of a row, those of its check and load behind that word, and those of its telemetry.
constexpr std::string_view kColumns =
    "kernel,map,backend,n,block,features,samples,median_ms,min_ms,max_ms,iqr_ms,improvement,improvement_low,"
    "improvement_high,bound,blocks_launched,blocks_useful,work_items,items_per_s,bytes_per_s,check_passed,"
    "check_max_rel_err,check_reference,skipped,form,layout,dimensions,placement,rec,timing,precision,accumulate,"
    "clock_mhz,clock_low_mhz,memory_clock_mhz,power_w,temperature_c,throttling,energy_per_item_j,"
    "fractal,mean_ms,arithmetic,tolerance,ranks,law";

std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (!value.is_string() && !value.is_array()) return value.dump();
  std::string text = value.is_string() ? value.get<std::string>()
                                       : fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), "; "));
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::optional<u64> proved_side(const BenchGroup& group, const BenchRow& row) {
  for (const MapInfo& map : maps_of(info(group.common.kernel).domain)) {
    if (map.typed == nullptr || row.spec.map != map.name || row.skipped) continue;
    return tiles_per_side(map, group.common.n, row.block);
  }
  return std::nullopt;
}

std::string report_csv(const std::vector<BenchGroup>& groups) {
  std::vector<std::string> columns = name_list("", kColumns);
  for (const std::string_view axis : bench_axis_keys()) {
    if (std::find(columns.begin(), columns.end(), axis) == columns.end()) columns.emplace_back(axis);
  }
  columns.insert(columns.end(),
                 {"confidence", "together", "above_bound", "load_others", "load_cores", "near", "series", "error"});
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (const BenchGroup& group : groups) {
    for (const BenchRow& row : group.rows) {
      const Json own = row_json(group, row, {});
      Json all = own;
      for (const auto& [key, value] : own["check"].items()) all["check_" + key] = value;
      for (const auto& [key, value] : own["load"].items()) all["load_" + key] = value;
      for (const auto& [key, value] : own["telemetry"].items()) all[key] = value;
      all["block"] = row.block;
      if (row.skipped) all["samples"] = 0;
      // One sample has no interval; both its ends are the sample.
      if (own["improvement_low"].is_null()) all["improvement_low"] = all["improvement_high"] = own["improvement"];
      std::vector<std::string> cells;
      for (const std::string& column : columns) cells.push_back(cell(all[column]));
      text += fmt::format("{}\n", fmt::join(cells, ","));
    }
  }
  return text;
}

BenchMeta bench_meta(const RunConfig& config, const BackendInfo& backend) {
  BenchMeta meta;
  meta.version = kVersionFull;
  meta.argv = config.argv;
  meta.utc = utc_now();
  meta.host = host_name();
  meta.backend = backend;
  meta.driver = backend.driver;
  if (const std::string kernel_module = nvidia_driver(); !meta.driver.empty() && !kernel_module.empty()) {
    meta.driver = kernel_module + ", " + meta.driver;
  }
  meta.threads = config.common.threads.value_or(0);
  if (meta.threads == 0) meta.threads = usable_threads();
  if (backend.name == "cpu") meta.clock_mhz = processor_mhz();
  return meta;
}

void settle_on(Backend& backend, BenchPlan& plan, BenchMeta& meta) {
  choose_sizes(plan, meta.backend.name);
  if (plan.floors) meta.floors = backend.floors(plan.common.threads);
}

std::optional<KernelFloor> floor_of(const BenchRow& row, const std::optional<Floors>& floors) {
  if (!floors || row.skipped || row.ranks > 1) return std::nullopt;
  return kernel_floor(row.spec, row.backend, row.bytes, row.blocks_useful, *floors);
}

std::string report_json(const BenchMeta& meta, const BenchPlan& plan, const std::vector<BenchGroup>& groups,
                        const std::optional<Comparison>& comparison) {
  Json j;
  j["schema"] = 1;
  j["meta"] = {{"version", meta.version},
               {"argv", meta.argv},
               {"utc", meta.utc},
               {"host", meta.host},
               {"device", meta.backend.device},
               {"driver", or_null(!meta.driver.empty(), meta.driver)},
               {"clocks", clocks_json(meta, groups)},
               {"backend", meta.backend.name},
               {"detail", meta.backend.detail},
               {"threads", meta.threads},
               {"baseline", plan.baseline},
               {"warmup_ms", plan.warmup_ms},
               {"samples", plan.samples},
               {"timing", to_string(plan.common.timing)},
               {"rec", to_string(plan.common.rec)},
               {"placement", to_string(plan.common.placement)},
               {"precision", to_string(plan.common.precision)},
               {"accumulate", to_string(plan.common.accumulate)},
               {"tolerance", to_string(plan.common.tolerance)},
               {"seed", plan.common.seed},
               {"energy", plan.energy},
               {"preset", or_null(!plan.preset.empty(), plan.preset)},
               {"no_telemetry", or_null(!meta.no_meter.empty(), meta.no_meter)},
               {"ranks", meta.backend.ranks},
               {"floors", floors_json(meta.floors)}};
  // One line a result: a paper's experiments have thousands, each with its samples.
  std::string text = json_text(j);
  text.erase(text.rfind("\n}"));
  text += ",\n  \"results\": [";
  const char* separator = "\n    ";
  for (const BenchGroup& group : groups) {
    for (const BenchRow& row : group.rows)
      text += separator + json_line(row_json(group, row, meta.floors)), separator = ",\n    ";
  }
  text += "\n  ]";
  if (comparison) text += ",\n  \"comparison\": " + comparison_json(*comparison);
  return text + "\n}\n";
}

}  // namespace tri::app
