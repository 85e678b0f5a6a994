#pragma once
/// Whether bodies, box and laws of a scene can be meant together.

#include <string>

#include "sim/scene/scene.hpp"

namespace tri::scene {

/// Moves bodies into a periodic box by whole sides, in float64: an engine in float32 would round them outside first.
void enter_box(Bodies& bodies, const Box& box);

/// "18 of 20 bodies are outside the reflecting walls from ... to ..., the first of them body 0 (from 0) at ..."; empty
/// if none is, or the box is open.
std::string outside_walls(const Bodies& bodies, const Box& box);

struct MissingColumn {
  std::string sentence;   ///< "the law of pairs reads the radii (ri, rj), and every one is 0"; empty: none is missing
  const char* file = "";  ///< the column of a file: r
  const char* keyword = "";  ///< of Python: radii
};
/// What the law of pairs reads and no body has. Jobs refuse such bodies, scenes note them. (Masses are never missing.)
MissingColumn missing_column(const Bodies& bodies, const ForceField& field);

/// Throws ConfigError for a body outside reflecting walls: a mirror would fold it in, a spring would fling it away.
/// Notes in the scene what is unusual: bodies outside a periodic box, a uniform field across periodic walls, radii and
/// charges that the law does not use, columns that it misses, springs too soft for the speeds.
void check_meaning(Scene& scene);
/// Throws ConfigError for bodies without mass under a law that cannot move them.
void check_masses(const Scene& scene);

}  // namespace tri::scene
