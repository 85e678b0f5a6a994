#pragma once
/// `list failures`: published index formulas and the first index at which each is wrong
/// (app/verify/index_failures.hpp).

#include <nlohmann/json.hpp>
#include <string>

#include "sim/base/platform.hpp"

namespace tri::app {

/// One row a formula, in their order. Searches, which takes a few seconds.
nlohmann::ordered_json failures_json();
/// The same as a table of that width (0: unlimited), then the command of each row in a line of its own, unfolded, so
/// that it can be copied.
std::string failures_text(u32 width);

}  // namespace tri::app
