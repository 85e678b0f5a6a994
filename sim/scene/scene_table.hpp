#pragma once
/// The generators behind the registry. A new one is a function here and one row in scene_registry.cpp, whose text of
/// keys names what the function asks for; a scene of it is a file in assets/scenes.

#include "sim/scene/scene.hpp"
#include "sim/scene/scene_keys.hpp"

namespace tri::scene {

/// Most bodies of a scene that takes n: 32-bit indices, with room for arithmetic on them.
inline constexpr u32 kMaxBodies = 1u << 30;

Scene uniform_ball(SceneKeys& keys);
Scene uniform_box(SceneKeys& keys);
Scene plummer(SceneKeys& keys);
Scene kepler(SceneKeys& keys);
Scene figure_8(SceneKeys& keys);
Scene lagrange(SceneKeys& keys);
Scene sphere_box(SceneKeys& keys);
Scene gas(SceneKeys& keys);
Scene falling_pile(SceneKeys& keys);
Scene argon_droplet(SceneKeys& keys);
Scene galaxy(SceneKeys& keys);
Scene listed_bodies(SceneKeys& keys);
Scene bodies_of_file(SceneKeys& keys);
Scene argon_crystal(SceneKeys& keys);

/// Asks for G (> 0) and eps (>= 0) and puts gravity into the scene.
void take_gravity_keys(Scene& scene, SceneKeys& keys, double softening);

}  // namespace tri::scene
