#pragma once
/// The names by which scenes' files and `render` ask for a look. render/ has the looks themselves, in this order.

#include <initializer_list>
#include <string_view>

namespace tri {

inline const std::initializer_list<std::string_view> kBodyShapeNames = {"spheres", "glow", "points"};
inline const std::initializer_list<std::string_view> kColourNames = {"speed", "acceleration", "mass",    "radius",
                                                                     "index", "group",        "contacts"};
inline const std::initializer_list<std::string_view> kColourMapNames = {"viridis", "inferno", "cividis"};

}  // namespace tri
