#pragma once
/// Whether bodies, box and laws of a scene can be meant together.

#include "sim/scene/scene.hpp"

namespace tri::scene {

/// Throws ConfigError for a body outside reflecting walls: a mirror would fold it in, a spring would fling it away.
/// Notes in the scene what is unusual: bodies outside a periodic box, a uniform field across periodic walls, radii that
/// the law does not use.
void check_meaning(Scene& scene);

}  // namespace tri::scene
