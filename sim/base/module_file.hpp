#pragma once
/// Modules: shared libraries of this program that it loads when something asks for them, so that it starts without the
/// libraries that they link.

#include <string>

namespace tri {

/// Loads `name`, which lies beside the program in a build folder, and in lib/triangulum/modules once installed. `cure`
/// is what makes a build have it ("install libopenmpi-dev"). `global`: other libraries see its symbols. Returns null,
/// and the reason as a phrase, where it is missing or cannot be loaded.
void* open_module(const char* name, const char* cure, bool global, std::string& why_not);

}  // namespace tri
