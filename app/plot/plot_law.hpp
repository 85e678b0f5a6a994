#pragma once
/// A law as a plot: its energy and force over the distance.

#include <string>

#include "sim/expression/law_curves.hpp"

namespace tri::app {

struct LawWords {
  std::string title, subtitle;
  std::string x_name;  ///< of the distance
};

/// An SVG document, 180 mm wide. The scale of each curve shows its wells and barriers; what passes it is cut off.
/// Values that are not finite are left out.
std::string law_svg(const LawWords& words, const expression::LawCurves& curves);

}  // namespace tri::app
