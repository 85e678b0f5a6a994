#pragma once
/// Shared by the scenes of spheres: placement without overlap, masses by volume, and the key walls.

#include "sim/laws/physics_params.hpp"
#include "sim/scene/random.hpp"
#include "sim/scene/scene_keys.hpp"

namespace tri::scene {

/// Places spheres of given radii in the cube [0, 1)^3 without overlap by random sequential addition, the largest first;
/// a grid of cells limits the overlap tests to neighbours. With periodic walls, spheres may cross a wall and do not
/// overlap periodic images; otherwise they are entirely inside. Throws ConfigError with the scene if they do not fit.
void place_spheres(const char* scene, Bodies& bodies, Boundary walls, Random& random);

/// Masses proportional to the cubes of the radii, with this sum.
void set_masses_by_volume(Bodies& bodies, double sum);

/// Key walls: open, reflecting or periodic.
Boundary read_walls(SceneKeys& keys, Boundary fallback);

}  // namespace tri::scene
