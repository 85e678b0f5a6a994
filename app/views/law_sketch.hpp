#pragma once
/// What an editor shows of a typed law: whether its text makes one, and its energy and force over the distance.

#include <string>
#include <string_view>
#include <vector>

#include "sim/expression/law_curves.hpp"

namespace tri::app {

/// Of pairs: bodies of mass 1, radius 1/2 and charge 1 at the distance r. Of triples: equilateral triangles of side r.
struct LawSketch {
  expression::TypedLaw law;  ///< empty: the text makes none
  std::string error;         ///< why, in one sentence with line and column
  std::string line;          ///< the line of the text that the error is in; empty: of no line
  u32 column = 0;            ///< and where in it, in bytes from its start
};

/// Never throws for a text, whatever is wrong with it. Takes a millisecond or so.
LawSketch sketch_law(std::string_view text, expression::Over over);

/// Distances that show what is particular to the law: around its lowest energy if it has a well, up to its cut-off if
/// it has one, else around 1.
struct LawRange {
  double from = 0, to = 0;
};
LawRange usual_range(const expression::TypedLaw& law);

/// Energy and force as law_curves() has them. Values that are not finite, or more than four times as far from 0 as the
/// median, are NaN, so that a repulsive core does not flatten the well.
expression::LawCurves sketch_curves(const expression::TypedLaw& law, const LawRange& range, u32 points = 240);

}  // namespace tri::app
