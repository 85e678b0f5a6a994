#pragma once
/// What the scenes of spheres share: free places, masses by volume, and the walls as a key.

#include "sim/laws/physics_params.hpp"
#include "sim/scene/random.hpp"
#include "sim/scene/scene_keys.hpp"

namespace tri::scene {

/// Puts the spheres, whose radii are given, into the cube [0, 1)^3 so that none overlaps another: places are drawn one
/// after another until each is free (random sequential addition, the largest first), with a grid of cells, so that a
/// sphere looks at its neighbours only. With periodic walls spheres may reach through a wall and keep clear of the
/// images there, else all are wholly inside. Throws ConfigError in the name of the scene where there is no room.
void place_spheres(const char* scene, Bodies& bodies, Boundary walls, Random& random);

/// Masses as the cubes of the radii, with this sum.
void set_masses_by_volume(Bodies& bodies, double sum);

/// Key walls: open, reflecting or periodic.
Boundary take_walls(SceneKeys& keys, Boundary fallback);

}  // namespace tri::scene
