#pragma once
/// Where sums on tensor cores apply: a function of law and configuration, which engines refuse by.

#include <string>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

/// One sentence that says why neither gravity nor triples can be computed on tensor cores and what to use instead;
/// empty when they can, on a backend that has them.
std::string tensor_refusal(const ForceField& field, const EngineConfig& config);

/// Whether the bodies lie on a line, to a ten-thousandth of its length. Sums of gravity on tensor cores go along it,
/// and so through large sums of one sign, which makes them twice as inaccurate as plain ones: `automatic` is not for
/// those.
bool on_a_line(const Bodies& bodies);

/// Throws ConfigError that says that this backend has no tensor cores.
[[noreturn]] void refuse_tensor(const char* backend);

}  // namespace tri
