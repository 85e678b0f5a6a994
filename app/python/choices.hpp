#pragma once
/// Choices that Python makes by name, as the engine knows them.

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "sim/backend/backend.hpp"

namespace tri::python {

using Name = std::optional<std::string>;

/// None is the best one that there is, on a GPU the one of this number; in a process that was forked after the GPU was
/// used, cpu. Throws ConfigError for an unknown name, BackendError for one that is not there.
std::unique_ptr<Backend> open_backend(const Name& name, int device = 0);

/// The way of computing, by name.
struct Choices {
  Name map, precision, accumulate, backend;
};

/// A map is of the domains that the field has laws of; a name of both (bb) serves both. Throws ConfigError.
EngineOverrides overrides_of(const ForceField& field, const Choices& choices);

/// Of the values that an array holds.
template <class Real>
inline constexpr Precision kPrecisionOf = sizeof(Real) == 4 ? Precision::fp32 : Precision::fp64;

}  // namespace tri::python
