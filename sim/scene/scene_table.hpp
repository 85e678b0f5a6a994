#pragma once
/// The generators of the registry. A new one is a function here and one row in scene_registry.cpp, whose key text lists
/// the keys that the function reads; a scene that uses it is a file in assets/scenes.

#include "sim/scene/scene.hpp"
#include "sim/scene/scene_keys.hpp"

namespace tri::scene {

/// Maximum n of a scene: 32-bit indices, with headroom for arithmetic on them.
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
Scene salt(SceneKeys& keys);

/// Sets the pair law to gravity and reads the keys of every gravity generator, whose bodies have its own units of mass
/// and length and the scene's G: mass and length (> 0), these units in those of the scene, to which build_scene()
/// scales; G (> 0; default: that of the scene's system of units, or 1); eps (>= 0, default `softening` * length).
void read_gravity_keys(Scene& scene, SceneKeys& keys, double softening);
/// Then their key dt (> 0, default `dt` * sqrt(length^3 / (mass * G))). Bodies with velocities of their own have G = 1.
void read_step(Scene& scene, SceneKeys& keys, double dt, double G);

/// Makes hermite with automatic steps of this accuracy the usual way to compute the scene.
void resolve_encounters(Scene& scene, double eta);

}  // namespace tri::scene
