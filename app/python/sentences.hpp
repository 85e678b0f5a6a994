#pragma once
/// Sentences of the engine for users of Python.

#include <string>
#include <string_view>

#include "sim/base/error.hpp"

namespace tri::python {

/// A sentence that names options of the command line as one that names keywords: "use --precision fp64, or leave
/// --block out" is "use precision='fp64', or leave block out". Whole commands (`triangulum bench --tune`) stay.
std::string in_keywords(std::string_view sentence);

/// A sentence of the engine for calls that compute in the dtype of their arrays and take no steps.
std::string of_arrays(std::string sentence);

/// Returns work(), whose sentences are then those of such calls.
template <class F>
auto with_arrays(F&& work) {
  try {
    return work();
  } catch (const ConfigError& e) {
    throw ConfigError(of_arrays(e.what()));
  } catch (const MemoryError& e) {
    throw MemoryError(of_arrays(e.what()));
  } catch (const NumericalError& e) {
    throw NumericalError(of_arrays(e.what()));
  }
}

}  // namespace tri::python
