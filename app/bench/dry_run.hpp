#pragma once
/// What a bench would run, without a backend.

#include <string>

#include "app/bench/bench_plan.hpp"

namespace tri::app {

/// Every group with its maps and, where they follow from the spec alone, the bytes of its data; each combination that
/// is certain to be skipped, with the reason; and the total. What only the backend knows (its choice of a block, what
/// it lacks, what fits into its memory) shows when the bench runs.
std::string dry_run_text(const BenchPlan& plan, u32 width);

/// Why this combination would be skipped on any backend, as one sentence; empty when that is not certain.
std::string certain_refusal(const BenchSpec& spec);

}  // namespace tri::app
