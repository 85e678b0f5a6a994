#pragma once
/// Names of body shapes, colours and colour maps in scene files and for `render`. The enums of render/ have this order.

#include <initializer_list>
#include <string_view>

namespace tri {

inline const std::initializer_list<std::string_view> kBodyShapeNames = {"spheres", "glow", "points"};
inline const std::initializer_list<std::string_view> kColourNames = {"speed", "acceleration", "mass",    "radius",
                                                                     "index", "group",        "contacts"};
inline const std::initializer_list<std::string_view> kColourMapNames = {"viridis",    "inferno",     "cividis",
                                                                        "black-body", "orange-blue", "plain"};

}  // namespace tri
