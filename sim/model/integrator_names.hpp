#pragma once
/// The names of the integrators, for lists of them.

#include <string_view>
#include <vector>

namespace tri {

/// Those that integrator_from() takes, in the order of the enumerators.
std::vector<std::string_view> integrator_names();

}  // namespace tri
