#pragma once
/// Bench results for plotting, read from documents of `bench --format json` (schema 1) with any axes.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app {

/// A median with its spread: quartiles of a time, the confidence interval of an improvement.
struct Spread {
  double low = 0, mid = 0, high = 0;
};

/// The least time of a run that follows from what the device does at most.
struct PlotFloor {
  std::string by;    ///< arithmetic, memory or launches
  double ms = 0;     ///< > 0
  double share = 0;  ///< of the median time, > 0
};

/// One row of "results": a map in a group.
struct PlotResult {
  std::string map;
  /// Every setting but the map as (name, text), including "kernel" and "n": the strings and integers of the row, and
  /// those of the document that apply to all rows (device, baseline, file ...). Settings that do not apply are missing.
  /// All rows of a group have the same settings: the block is that of most rows (thread-space maps have another one),
  /// and settings that only some rows have (how rec is launched) are copied to all.
  std::vector<std::pair<std::string, std::string>> settings;
  std::optional<std::string> skipped;  ///< the reason; then there are no values
  bool failed = false;                 ///< its check failed; then the values are meaningless
  u64 samples = 0;
  Spread time_ms;                     ///< quartiles around the median, all > 0
  std::optional<Spread> improvement;  ///< over the baseline, > 0; low = mid = high without an interval
  double confidence = 0;              ///< of that interval; 0 = none
  std::optional<double> bound;        ///< of the improvement, by launched blocks; none for the baseline
  bool own_block = false;             ///< its block, and so its bound, differs from the group's
  double items_per_s = 0;
  std::optional<double> bytes_per_s;
  double max_rel_err = 0;  ///< of its check
  std::optional<PlotFloor> floor;
  std::vector<std::string> throttling;  ///< why the device held itself back during the samples
  std::size_t source = 0;               ///< of the data's sources

  /// "" if it does not apply.
  std::string_view setting(std::string_view name) const;
};

/// Metadata of a document, for title and caption. Empty if missing.
struct PlotSource {
  /// A rate that the device reaches when it does nothing else.
  struct Rate {
    std::string name;  ///< arithmetic, memory or launches
    double per_s = 0;  ///< > 0
    std::string how;
  };
  std::string file;     ///< as given, for errors and to distinguish documents
  std::string command;  ///< argv, with the program name without folders, quoted for a shell
  std::string version, device, driver, utc, baseline, detail, host;
  std::optional<double> clock_mhz, clock_low_mhz;
  std::vector<Rate> floors;  ///< empty unless they were measured
};

struct PlotData {
  std::vector<PlotSource> sources;
  std::vector<PlotResult> results;  ///< in the order of the documents
};

/// Adds the results of one document; `file` names it in errors. Throws FileError for invalid JSON, another schema, or
/// missing fields.
void add_document(PlotData& data, const std::string& file, std::string_view json);

/// The documents of files, in order; throws FileError.
PlotData read_plot_data(std::span<const std::string> files);

}  // namespace tri::app
