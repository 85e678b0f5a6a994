#pragma once
/// The list of integrator names.

#include <string_view>
#include <vector>

namespace tri {

/// The names that integrator_from() accepts, in the order of the enumerators.
std::vector<std::string_view> integrator_names();

}  // namespace tri
