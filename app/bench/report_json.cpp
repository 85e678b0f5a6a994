// A bench for a program: schema 1. Keys are never taken away from a schema; new ones stand after the old.

#include <nlohmann/json.hpp>

#include "app/bench/report.hpp"
#include "app/host_info.hpp"
#include "tri_version.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(bool there, const Json& value) { return there ? value : Json(nullptr); }

Json row_json(const BenchGroup& group, const BenchRow& r) {
  const bool timed = !r.skipped;
  const bool pairs_or_triples = group.kernel == BenchKernel::gravity || group.kernel == BenchKernel::triplet;
  const bool compared = timed && r.improvement.has_value();
  Json j;
  j["kernel"] = to_string(group.kernel);
  j["map"] = r.spec.map;
  j["backend"] = r.backend;
  j["n"] = group.n;
  j["block"] = or_null(r.block > 0, r.block);
  j["features"] = or_null(group.kernel == BenchKernel::edm, group.features);
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
  j["directed_per_s"] = or_null(timed && group.kernel == BenchKernel::gravity, timed ? 2 * r.items_per_s() : 0);
  const bool interval = compared && r.improvement->interval.confidence > 0;
  j["improvement_low"] = or_null(interval, compared ? r.improvement->interval.low : 0);
  j["improvement_high"] = or_null(interval, compared ? r.improvement->interval.high : 0);
  j["confidence"] = or_null(interval, compared ? r.improvement->interval.confidence : 0);
  j["differs"] = or_null(compared && r.improvement->decided(), compared && r.improvement->differs());
  j["precision"] = to_string(r.spec.precision);
  j["accumulate"] = or_null(pairs_or_triples, to_string(r.spec.accumulate));
  j["seed"] = r.spec.seed;
  j["samples_ms"] = r.samples_ms;
  return j;
}

}  // namespace

BenchMeta bench_meta(const RunConfig& config, const BackendInfo& backend) {
  BenchMeta meta;
  meta.version = kVersionFull;
  meta.argv = config.argv;
  meta.utc = utc_now();
  meta.host = host_name();
  meta.backend = backend;
  meta.threads = config.common.threads != 0 ? config.common.threads : usable_threads();
  if (backend.name == "cpu") meta.clock_mhz = processor_mhz();
  return meta;
}

std::string report_json(const BenchMeta& meta, const BenchPlan& plan, const std::vector<BenchGroup>& groups) {
  Json j;
  j["schema"] = 1;
  j["meta"] = {{"version", meta.version},
               {"argv", meta.argv},
               {"utc", meta.utc},
               {"host", meta.host},
               {"device", meta.backend.device},
               {"driver", or_null(!meta.driver.empty(), meta.driver)},
               {"clocks", meta.clock_mhz > 0 ? Json{{"mhz", meta.clock_mhz}} : Json(nullptr)},
               {"backend", meta.backend.name},
               {"detail", meta.backend.detail},
               {"threads", meta.threads},
               {"baseline", plan.baseline},
               {"warmup_ms", plan.warmup_ms}};
  j["results"] = Json::array();
  for (const BenchGroup& group : groups) {
    for (const BenchRow& row : group.rows) j["results"].push_back(row_json(group, row));
  }
  return j.dump(2) + "\n";
}

}  // namespace tri::app
