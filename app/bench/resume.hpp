#pragma once
/// Going on from the result file of a run that did not come to its end.
///
/// A group is the unit, for its ratios are made inside one run: it is taken over when each of its maps was timed in all
/// rounds, or skipped with its reason. Any other runs wholly again.

#include <optional>
#include <string>

#include "app/bench/bench_runner.hpp"
#include "app/bench/report.hpp"

namespace tri::app {

/// The text of the file, or nothing where there is none yet. Throws FileError when it cannot be read.
std::optional<std::string> text_if_there(const std::string& path);

/// The groups of the plan that stand complete in `text`, the content of the result file `path` (schema 1), in their
/// slots. Throws FileError (path, place, cure) when it is no such file; ConfigError when it was made with other
/// settings than this run has (version, backend, device, samples and the rest of its meta) or holds what the plan does
/// not ask for, which would be lost when the file is written again.
BenchSlots resumed_slots(const std::string& path, const std::string& text, const BenchMeta& meta,
                         const BenchPlan& plan);

}  // namespace tri::app
