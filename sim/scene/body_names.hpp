#pragma once
/// Names of bodies, as a scene's file gives them.

#include <string>
#include <vector>

namespace tri {

/// In the order of the bodies; empty for a scene without names, and for a file of bodies. Throws as make_scene().
std::vector<std::string> body_names(const std::string& spec);

}  // namespace tri
