#pragma once
/// A law as a plot: its energy and force over the distance.

#include <string>
#include <vector>

namespace tri::app {

/// Samples at ascending distances; values that are not finite are left out.
struct LawCurves {
  std::string title, subtitle;
  std::string x_name;  ///< of the distance
  std::vector<double> r, energy, force;
};

/// An SVG document, 180 mm wide. The scale of each curve shows its wells and barriers; what passes it is cut off.
std::string law_svg(const LawCurves& curves);

}  // namespace tri::app
