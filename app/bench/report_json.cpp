// A bench for a program: schema 1, and the same for a spreadsheet. Keys are never removed from a schema, nor columns;
// new ones come last.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/bench/report.hpp"
#include "app/support/axes.hpp"
#include "app/support/host_info.hpp"
#include "app/support/json_text.hpp"
#include "sim/base/threads.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/maps/map_registry.hpp"
#include "tri_version.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(bool there, const Json& value) { return there ? value : Json(nullptr); }

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

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

/// Axes added later; each is null for a kernel, or a map, that does not read it.
void add_axes(Json& j, const BenchGroup& group, const BenchSpec& s) {
  const BenchKernelInfo& k = info(s.kernel);
  j["form"] = or_null(!k.forms.empty(), to_string(s.form));
  j["layout"] = or_null(k.has(BenchAxis::layout), to_string(s.layout));
  j["dimensions"] = or_null(k.has(BenchAxis::dimensions), s.dimensions);
  j["placement"] = or_null(k.has(BenchAxis::fractal), to_string(s.placement));
  j["rec"] = or_null(s.map == "rec", to_string(s.rec));
  j["timing"] = to_string(s.timing);
  j["requested_block"] = or_null(group.common.block != 0, group.common.block);
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
  Json j;
  j["kernel"] = kernel.name;
  j["map"] = r.spec.map;
  j["backend"] = r.backend;
  j["n"] = group.common.n;
  j["block"] = or_null(r.block > 0, r.block);
  j["features"] = or_null(kernel.has(BenchAxis::features), group.common.features);
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
  j["precision"] = to_string(r.spec.precision);
  j["accumulate"] = or_null(kernel.has(BenchAxis::accumulate), to_string(r.spec.accumulate));
  j["arithmetic"] = or_null(kernel.has(BenchAxis::arithmetic), std::string(kBenchArithmetics.text(r.spec.arithmetic)));
  j["tolerance"] = or_null(kernel.has(BenchAxis::arithmetic), to_string(r.spec.tolerance));
  j["seed"] = r.spec.seed;
  j["samples_ms"] = r.samples_ms;
  add_axes(j, group, r.spec);
  add_meters(j, group, r);
  j["fractal"] = or_null(kernel.has(BenchAxis::fractal), r.spec.fractal);
  j["mean_ms"] = or_null(timed, r.stats.mean);
  j["ranks"] = r.ranks;
  j["law"] = or_null(!r.spec.law.empty(), r.spec.law);
  const std::optional<u64> proved = proved_side(group, r);
  j["map_proved"] = or_null(proved.has_value(), proved.value_or(0));
  j["floor"] = floor_json(r, floors);
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

/// Keys of a row, those of its check behind that word, and those of its telemetry.
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
  std::string text = fmt::format("{}\n", kColumns);
  for (const BenchGroup& group : groups) {
    for (const BenchRow& row : group.rows) {
      const Json own = row_json(group, row, {});
      Json all = own;
      for (const auto& [key, value] : own["check"].items()) all["check_" + key] = value;
      for (const auto& [key, value] : own["telemetry"].items()) all[key] = value;
      all["block"] = row.block;
      if (row.skipped) all["samples"] = 0;
      // One sample has no interval; both its ends are the sample.
      if (own["improvement_low"].is_null()) all["improvement_low"] = all["improvement_high"] = own["improvement"];
      std::vector<std::string> cells;
      for (const std::string& column : name_list("", kColumns)) cells.push_back(cell(all[column]));
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
  if (plan.floors) meta.floors = backend.floors(plan.threads);
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
               {"timing", to_string(plan.timing)},
               {"rec", to_string(plan.rec)},
               {"placement", to_string(plan.placement)},
               {"precision", to_string(plan.precision)},
               {"accumulate", to_string(plan.accumulate)},
               {"tolerance", to_string(plan.tolerance)},
               {"seed", plan.seed},
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
