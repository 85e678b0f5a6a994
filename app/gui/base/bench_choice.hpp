#pragma once
/// From the benchmark panel to a bench, and from its results to a plot. Pure.

#include <string>
#include <vector>

#include "app/bench/bench_job.hpp"
#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/plot.hpp"

namespace tri::app::gui {

/// Throws ConfigError for sizes or samples out of range.
RunConfig bench_config(const BenchChoice& choice);

/// Whether a request of the panel is pending or running.
bool bench_pending(const BenchPanel& panel);

/// I(n) of a finished bench: one line a map, at most the eight fastest at the largest n, without the baseline.
PlotSpec improvement_plot(const std::vector<BenchGroup>& groups);

}  // namespace tri::app::gui
