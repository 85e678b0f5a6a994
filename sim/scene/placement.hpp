#pragma once
/// The keys of [[part]], [orbit] and [physics]: placement of the parts of a scene, and its laws.

#include <span>
#include <string_view>

#include "sim/scene/random.hpp"
#include "sim/scene/scene.hpp"
#include "sim/scene/scene_keys.hpp"

namespace tri::scene {

/// position-x .. velocity-z, tilt, turn, group.
std::span<const std::string_view> placement_keys();

/// Bodies in a generator's units of mass and length, of which a scene has `mass` and `length` each, in its own: lengths
/// times `length`, velocities times sqrt(mass / length), so that orbits under the same G keep their shape.
void scale_bodies(Bodies& bodies, double mass, double length);

/// Rotates positions and velocities by `tilt` about x, then by `turn` about z (degrees), then translates. All bodies
/// get one group, from the key or `number`, which is returned.
u32 place_part(Bodies& bodies, const std::string& name, const std::vector<Setting>& settings, u32 number);

/// Puts two parts, treated as point masses, on an incoming orbit: keys pericentre, separation (initial) and
/// eccentricity (1: at rest at infinity). The orbit is in the plane z = 0 about the origin.
void place_on_orbit(Bodies& one, Bodies& other, double G, const std::string& name,
                    const std::vector<Setting>& settings);

/// Overrides the generators' choice of laws, their parameters, walls and the uniform field.
void apply_physics(ForceField& field, const std::string& name, const std::vector<Setting>& settings);

/// Throws for a setting of apply_physics() that does not act in the field: a parameter of another law, corners of no
/// walls. only_given: among those without a place.
void refuse_idle(const ForceField& field, const std::string& name, const std::vector<Setting>& settings,
                 bool only_given);
/// The same for keys of a generator, which made bodies for the field `made`.
void refuse_idle_keys(const ForceField& made, const ForceField& field, const std::string& name,
                      const std::vector<Setting>& settings, bool only_given);

}  // namespace tri::scene
