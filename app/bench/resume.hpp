#pragma once
/// Resuming from the result file of a run that was interrupted.
///
/// The unit is the group, since its ratios need one run: it is kept when each of its maps was timed in all rounds or
/// skipped with a reason. All others run again.

#include <optional>
#include <string>

#include "app/bench/bench_runner.hpp"
#include "app/bench/report.hpp"

namespace tri::app {

/// The text of the file; nothing when it does not exist. Throws FileError when it cannot be read.
std::optional<std::string> text_if_there(const std::string& path);

/// The groups of the plan that are complete in `text`, the content of the result file `path` (schema 1), in their
/// slots. Throws FileError (path, place, cure) when it is no such file; ConfigError when its settings differ from this
/// run's (version, backend, device, samples and the rest of its meta) or when it holds results outside the plan, which
/// would be lost when the file is written again.
BenchSlots resumed_slots(const std::string& path, const std::string& text, const BenchMeta& meta,
                         const BenchPlan& plan);

}  // namespace tri::app
