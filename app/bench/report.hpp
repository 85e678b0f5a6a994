#pragma once
/// A bench's result as table, CSV and JSON.

#include <string>
#include <vector>

#include "app/bench/bench_runner.hpp"
#include "app/bench/compare.hpp"
#include "sim/backend/backend.hpp"

namespace tri::app {

/// Where and how the figures were measured.
struct BenchMeta {
  std::string version, utc, host;
  std::vector<std::string> argv;
  BackendInfo backend;
  std::string driver;                 ///< empty on a cpu
  double clock_mhz = 0;               ///< of the processor; 0 = not known
  u32 threads = 0;                    ///< host threads usable
  std::string no_meter;               ///< why there is no telemetry; empty where there is
  std::optional<Floors> floors = {};  ///< where the plan asks for them
};
BenchMeta bench_meta(const RunConfig& config, const BackendInfo& backend);

/// What follows for a plan from the backend that will run it: its sizes, and the floors, which are measured here.
void settle_on(Backend& backend, BenchPlan& plan, BenchMeta& meta);

/// The floor of a timed row; nothing for others, and for those that have none.
std::optional<KernelFloor> floor_of(const BenchRow& row, const std::optional<Floors>& floors);

/// A group as a table, up to 98 characters wide; where `width` is less, 80, without spread and launches. Shares of the
/// floors come below it.
std::string group_table(const BenchGroup& group, const BenchPlan& plan, u32 width,
                        const std::optional<Floors>& floors = {});
/// "clock 1,980 MHz (low 1,755), 512 W, 61 C; THROTTLED: power cap"; empty without readings.
std::string telemetry_text(const MeterReading& reading);
/// The lines above all tables.
std::string table_head(const BenchMeta& meta);

/// One line a result, after a line of column names; texts are quoted where necessary. Empty = no such figure.
std::string report_csv(const std::vector<BenchGroup>& groups);

/// "edm, n = 4,096, 4 features, condensed": the kernel, its size and its axes, without choices of the backend.
/// The side in tiles at which a typed map drove the kernel, because it is proved there; nothing for others.
std::optional<u64> proved_side(const BenchGroup& group, const BenchRow& row);

std::string group_name(const BenchSpec& common);

/// Schema 1: {"schema", "meta": {...}, "results": [...]}, and "comparison": {...} where there is one. Figures of
/// skipped rows are null.
std::string report_json(const BenchMeta& meta, const BenchPlan& plan, const std::vector<BenchGroup>& groups,
                        const std::optional<Comparison>& comparison = {});

}  // namespace tri::app
