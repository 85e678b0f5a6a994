#pragma once
/// Choices that Python makes by name, as the engine knows them.

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "sim/backend/backend.hpp"

namespace tri::python {

/// None is the best one that there is. Throws ConfigError for an unknown name, BackendError for one that is not there.
inline std::unique_ptr<Backend> open_backend(const std::optional<std::string>& name, int device = 0) {
  if (name && *name != "auto" && *name != "cpu" && *name != "cuda") {
    throw ConfigError(fmt::format("backend is '{}'; give 'cpu', 'cuda' or None.", *name));
  }
  return make_backend(name.value_or("auto"), device);
}

/// Of the values that an array holds.
template <class Real>
inline constexpr Precision kPrecisionOf = sizeof(Real) == 4 ? Precision::fp32 : Precision::fp64;

}  // namespace tri::python
