#pragma once
/// What a bench would run, told without a backend.

#include <string>

#include "app/bench/bench_plan.hpp"

namespace tri::app {

/// Every group with its maps and, where they follow from the spec alone, the bytes of its data; each combination that
/// is certain to be skipped, with the reason; and the size of the whole. What only the backend knows (its own choice of
/// a block, what it lacks, what fits into its memory) shows when it runs.
std::string dry_run_text(const BenchPlan& plan, u32 width);

/// Why this combination would be skipped wherever it ran, as one sentence; empty when that is not certain.
std::string certain_refusal(const BenchSpec& spec);

/// Bytes of one map's data where they follow from the spec; 0 where they are small or the backend's matter.
u64 data_bytes(const BenchSpec& spec);

/// Unordered pairs, triples or cells of one run.
u64 item_count(const BenchSpec& spec);

}  // namespace tri::app
