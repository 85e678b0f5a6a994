#pragma once
/// Synthetic `bench --format json` documents for the tests of figures.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tri::app::test {

using Json = nlohmann::ordered_json;

/// A timed row that passed its check: `ms` with quartiles at 0.9 and 1.1 of it, an improvement with 0.05 around it.
inline Json timed_row(const std::string& kernel, const std::string& map, int n, double ms, double improvement) {
  const int side = (n + 15) / 16;
  Json row = {{"kernel", kernel}, {"map", map}, {"backend", "cpu"}, {"n", n}, {"block", 16}, {"features", nullptr}};
  row["samples"] = 5;
  row["median_ms"] = ms;
  row["iqr_ms"] = 0.2 * ms;
  row["improvement"] = improvement;
  row["bound"] = map == "bb" ? 1.0 : 2.0 * side / (side + 1);
  row["work_items"] = n * (n + 1LL) / 2;
  row["items_per_s"] = static_cast<double>(n) * (n + 1) / 2 / (ms * 1e-3);
  row["bytes_per_s"] = nullptr;
  row["check"] = {{"passed", true}, {"max_rel_err", 0.0}, {"reference", "made up"}};
  row["skipped"] = nullptr;
  row["improvement_low"] = improvement - 0.05;
  row["improvement_high"] = improvement + 0.05;
  row["confidence"] = 0.9375;
  row["precision"] = "fp32";
  row["seed"] = 42;
  row["samples_ms"] = {0.8 * ms, 0.9 * ms, ms, 1.1 * ms, 1.2 * ms};
  return row;
}

inline Json skipped_row(const std::string& kernel, const std::string& map, int n, const std::string& reason) {
  Json row = timed_row(kernel, map, n, 1, 1);
  for (const char* key : {"median_ms", "iqr_ms", "improvement", "bound", "items_per_s", "check", "block"}) {
    row[key] = nullptr;
  }
  row["samples"] = 0, row["samples_ms"] = Json::array(), row["skipped"] = reason;
  return row;
}

inline Json document(std::vector<Json> rows, const std::string& device = "a device") {
  Json j = {{"schema", 1}};
  j["meta"] = {{"version", "0.1.0+abc"},
               {"argv", {"/usr/bin/triangulum", "bench", "--n", "2^10:2^12"}},
               {"utc", "2026-01-31T12:34:56Z"},
               {"host", "h"},
               {"device", device},
               {"driver", "1.2"},
               {"baseline", "bb"}};
  j["results"] = Json::array();
  for (Json& row : rows) j["results"].push_back(std::move(row));
  return j;
}

/// bb and lambda at n = 1024, 2048, 4096: T(bb) = n^2 / 2^20 ms, T(lambda) half of it.
inline Json simple_document(const std::string& kernel = "dummy") {
  std::vector<Json> rows;
  for (const int n : {1024, 2048, 4096}) {
    const double ms = static_cast<double>(n) * n / (1 << 20);
    rows.push_back(timed_row(kernel, "bb", n, ms, 1));
    rows.push_back(timed_row(kernel, "lambda", n, ms / 2, 2));
  }
  return document(std::move(rows));
}

}  // namespace tri::app::test
