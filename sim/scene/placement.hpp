#pragma once
/// Where the parts of a scene go, and what its whole obeys: the keys of [[part]], [orbit] and [physics].

#include <span>
#include <string_view>

#include "sim/scene/random.hpp"
#include "sim/scene/scene.hpp"
#include "sim/scene/scene_keys.hpp"

namespace tri::scene {

/// position-x .. velocity-z, tilt, turn, group.
std::span<const std::string_view> placement_keys();

/// Turns the bodies by `tilt` about x, then by `turn` about z (degrees), places and velocities alike, then moves them.
/// All are of one group, that of the key or `number`.
void place_part(Bodies& bodies, const std::string& name, const std::vector<Setting>& settings, u32 number);

/// Puts two parts, as if each were a point in its centre of mass, on the way in to their pericentre: keys pericentre,
/// separation (now) and eccentricity (1: they come from rest at infinity). The orbit is in the plane z = 0 about the
/// origin.
void place_on_orbit(Bodies& one, Bodies& other, double G, const std::string& name,
                    const std::vector<Setting>& settings);

/// Laws and their parameters, walls and the uniform field, over what the generators chose.
void apply_physics(ForceField& field, const std::string& name, const std::vector<Setting>& settings);

}  // namespace tri::scene
