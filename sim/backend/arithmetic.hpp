#pragma once
/// Where sums on tensor cores apply: a function of law and configuration, which engines refuse by.

#include <string>

#include "sim/laws/physics_params.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

/// One sentence that says why gravity on tensor cores cannot be used and what to use instead; empty when it can, on a
/// backend that has it.
std::string tensor_refusal(const ForceField& field, const EngineConfig& config);

/// Throws ConfigError that says that this backend has no tensor cores.
[[noreturn]] void refuse_tensor(const char* backend);

}  // namespace tri
