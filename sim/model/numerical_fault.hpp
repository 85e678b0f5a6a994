#pragma once
/// Messages for numbers that are not finite, the same on every backend.

#include <string>

#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

/// For a force or acceleration. Names the first body that coincides with another, if there is one (every third body's
/// triples with the two are bad as well), else `first_bad`. `what`: "an acceleration", "a force"; `when` is appended
/// and may be empty. bodies: the state in which the fault occurred, with exact values.
std::string force_fault(const Bodies& bodies, Precision precision, const char* what, u32 first_bad,
                        const std::string& when);

/// For a position or velocity at the end of a step (its number within the call).
std::string state_fault(u32 body, u64 step, Precision precision);

}  // namespace tri
