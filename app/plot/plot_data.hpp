#pragma once
/// The results of one or more benches as a figure needs them: read from the documents of `bench --format json`
/// (schema 1), whatever axes they were run over.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app {

/// A median with what lies around it: quartiles of a time, the interval of an improvement.
struct Spread {
  double low = 0, mid = 0, high = 0;
};

/// One row of "results": a map in a group.
struct PlotResult {
  std::string map;
  /// Every setting but the map as (name, text), "kernel" and "n" among them: the row's own words and whole numbers,
  /// and those of the document that hold for all its rows (device, baseline, file ...). One that does not apply is not
  /// there. Within a group all rows have the settings of the group: the block is that of most of its rows (maps of
  /// thread space have their own), and what only some rows tell (how rec is launched) holds for all.
  std::vector<std::pair<std::string, std::string>> settings;
  std::optional<std::string> skipped;  ///< the reason; then there are no figures
  bool failed = false;                 ///< its check did; then the figures mean nothing
  u64 samples = 0;
  Spread time_ms;                     ///< quartiles around the median, all > 0
  std::optional<Spread> improvement;  ///< over the baseline, > 0; low = mid = high where the document has no interval
  double confidence = 0;              ///< what that interval covers; 0 = there is none
  std::optional<double> bound;        ///< of the improvement, by launched blocks; none for the baseline itself
  bool own_block = false;             ///< its block is not the group's, and so its bound is not
  double items_per_s = 0;
  std::optional<double> bytes_per_s;

  /// "" when it does not apply.
  std::string_view setting(std::string_view name) const;
};

/// The document's own words, for title and caption. Empty where it says nothing.
struct PlotSource {
  std::string file;     ///< as given, for errors and to tell documents apart
  std::string command;  ///< argv with the program's name alone, quoted where a shell needs it
  std::string version, device, driver, utc, baseline;
};

struct PlotData {
  std::vector<PlotSource> sources;
  std::vector<PlotResult> results;  ///< in the order of the documents
};

/// Adds the results of one document. `file` names it in errors. Throws FileError for what is no JSON, another schema,
/// or lacks what a result must have.
void add_document(PlotData& data, const std::string& file, std::string_view json);

/// The documents of files, in order; throws FileError.
PlotData read_plot_data(std::span<const std::string> files);

}  // namespace tri::app
