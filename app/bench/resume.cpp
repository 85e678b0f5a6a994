#include "app/bench/resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "app/support/json_file.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

/// Meta keys that must be equal in both runs.
constexpr const char* kSettings[] = {"version",    "backend",   "device", "driver",    "threads", "samples",
                                     "baseline",   "warmup_ms", "timing", "rec",       "energy",  "precision",
                                     "accumulate", "placement", "seed",   "tolerance", "ranks"};

/// Result keys that identify a group of a plan.
constexpr const char* kKeyAxes[] = {"kernel",     "n",      "requested_block", "features", "form",       "layout",
                                    "dimensions", "timing", "placement",       "fractal",  "arithmetic", "law"};

constexpr const char* kResumeHint = "Name a result file of bench --resume, or one that is not there yet.";

[[noreturn]] void fail_foreign(const std::string& path, const std::string& what) {
  throw FileError(fmt::format("{}: {}. {}", path, what, kResumeHint));
}

/// A report of this plan with one skipped row a group: its settings and axes have the spelling of all reports.
Json probe(const BenchMeta& meta, const BenchPlan& plan) {
  std::vector<BenchGroup> groups;
  for (const PlannedGroup& planned : planned_groups(plan)) {
    BenchRow row;
    row.spec = planned.common;
    row.skipped = "";
    groups.push_back({planned.common, planned.baseline_added, {row}, {}});
  }
  return Json::parse(report_json(meta, plan, groups));
}

std::string key_of(const Json& result) {
  Json key = Json::array();
  for (const char* axis : kKeyAxes) key.push_back(result.at(axis));
  return key.dump();
}

void check_settings(const std::string& path, const Json& theirs, const Json& ours) {
  for (const char* name : kSettings) {
    const Json &there = theirs.at(name), &here = ours.at(name);
    if (there == here) continue;
    throw ConfigError(
        fmt::format("--resume {}: it was made with {} = {}, and this run has {}. Give the same settings, "
                    "or name another file.",
                    path, name, there.dump(), here.dump()));
  }
}

double number_or(const Json& value, double otherwise) { return value.is_null() ? otherwise : value.get<double>(); }

std::optional<double> optional_number(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional<double>(value.get<double>());
}

MeterReading reading_from(const Json& j) {
  MeterReading r;
  r.seconds = j.at("seconds").get<double>();
  r.energy_j = optional_number(j.at("energy_j")), r.power_w = optional_number(j.at("power_w"));
  r.clock_mhz = optional_number(j.at("clock_mhz")), r.clock_low_mhz = optional_number(j.at("clock_low_mhz"));
  r.memory_clock_mhz = optional_number(j.at("memory_clock_mhz"));
  r.temperature_c = optional_number(j.at("temperature_c"));
  r.throttling = j.at("throttling").get<std::vector<std::string>>();
  return r;
}

BenchRow row_from(const Json& j, const BenchSpec& common) {
  BenchRow row;
  row.spec = spec_of(common, j.at("map").get<std::string>());
  row.backend = j.at("backend").get<std::string>();
  row.block = j.at("block").is_null() ? 0 : j.at("block").get<u32>();
  row.ranks = j.at("ranks").get<u32>();
  row.samples_ms = j.at("samples_ms").get<std::vector<double>>();
  if (!j.at("skipped").is_null()) {
    row.skipped = j.at("skipped").get<std::string>();
    return row;
  }
  row.blocks_launched = j.at("blocks_launched").get<u64>(), row.blocks_useful = j.at("blocks_useful").get<u64>();
  row.work_items = j.at("work_items").get<u64>();
  row.bytes = j.at("bytes").is_null() ? 0 : j.at("bytes").get<u64>();
  const Json& check = j.at("check");
  row.check.passed = check.at("passed").get<bool>();
  row.check.max_rel_err = number_or(check.at("max_rel_err"), std::numeric_limits<double>::infinity());
  row.check.reference = check.at("reference").get<std::string>();
  if (const Json& energy = j.at("energy_run"); !energy.is_null()) {
    row.energy = EnergyRun{reading_from(energy), energy.at("times").get<u64>()};
  }
  return row;
}

bool timed_in_all(const BenchRow& row, const BenchPlan& plan) {
  const bool positive = std::all_of(row.samples_ms.begin(), row.samples_ms.end(), [](double ms) { return ms > 0; });
  const std::size_t least = plan.budget_s > 0 ? std::min(plan.samples, kLeastRounds) : plan.samples;
  return row.skipped || (row.samples_ms.size() >= least && row.samples_ms.size() <= plan.samples && positive);
}

/// The rows in the order of the plan, or nothing when the group is incomplete.
std::optional<std::vector<BenchRow>> complete(const PlannedGroup& planned, std::vector<BenchRow>& rows,
                                              const BenchPlan& plan) {
  std::vector<BenchRow> ordered;
  for (const std::string& map : planned.maps) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const BenchRow& r) { return r.spec.map == map; });
    if (row == rows.end() || !timed_in_all(*row, plan)) return std::nullopt;
    ordered.push_back(std::move(*row));
  }
  return ordered;
}

/// The groups in the file by slot, complete or not.
BenchSlots groups_in(const std::string& path, const Json& results, const std::vector<PlannedGroup>& planned,
                     const std::map<std::string, std::size_t>& slot_of) {
  BenchSlots slots(planned.size());
  for (const Json& result : results) {
    const auto at = slot_of.find(key_of(result));
    const std::string map = result.at("map").get<std::string>();
    const bool asked =
        at != slot_of.end() && std::count(planned[at->second].maps.begin(), planned[at->second].maps.end(), map) > 0;
    if (!asked) {
      throw ConfigError(
          fmt::format("--resume {}: it holds {} on map {} at n = {}, which this command line does not ask "
                      "for and which would be lost. Ask for it too, or name another file.",
                      path, result.at("kernel").get<std::string>(), map, result.at("n").dump()));
    }
    auto& slot = slots[at->second];
    const PlannedGroup& plan = planned[at->second];
    if (!slot) slot = BenchGroup{plan.common, plan.baseline_added, {}, {}};
    slot->rows.push_back(row_from(result, plan.common));
    const Json& telemetry = result.at("telemetry");
    if (!telemetry.is_null()) slot->telemetry = reading_from(telemetry);
  }
  return slots;
}

}  // namespace

std::optional<std::string> text_if_there(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  return json_file_text(path);
}

BenchSlots resumed_slots(const std::string& path, const std::string& text, const BenchMeta& meta,
                         const BenchPlan& plan) {
  const Json file = json_document(path, text, kResumeHint);
  const Json ours = probe(meta, plan);
  if (!file.is_object() || file.value("schema", Json()) != ours["schema"] || !file.contains("meta") ||
      !file.contains("results")) {
    fail_foreign(path, "this is no result file of bench with schema 1");
  }
  try {
    check_settings(path, file.at("meta"), ours["meta"]);
    std::map<std::string, std::size_t> slot_of;
    for (std::size_t i = 0; i < ours["results"].size(); ++i) slot_of.emplace(key_of(ours["results"][i]), i);
    const std::vector<PlannedGroup> planned = planned_groups(plan);
    BenchSlots slots = groups_in(path, file.at("results"), planned, slot_of);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i]) continue;
      auto rows = complete(planned[i], slots[i]->rows, plan);
      if (rows) {
        slots[i]->rows = std::move(*rows);
        add_statistics(*slots[i], plan.baseline);
      } else {
        slots[i].reset();
      }
    }
    return slots;
  } catch (const Json::exception& error) {
    fail_foreign(path, fmt::format("its meta or results are not those of this version ({})", error.what()));
  }
}

}  // namespace tri::app
