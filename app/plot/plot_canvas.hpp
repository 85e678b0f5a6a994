#pragma once
/// Shapes and text as elements of an SVG 1.1 document: text in the viewer's sans-serif font, no scripts, no style
/// sheets, no external resources. Units are points (1/72 inch), y points down.

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app {

struct Place {
  double x = 0, y = 0;
};

struct PlotBox {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

/// Colours are in SVG syntax.
struct Stroke {
  std::string_view colour;
  double width = 0.6;
  std::string_view dash;  ///< lengths as "4 2"; empty = solid
};

enum class Anchor : u8 { start, middle, end };

struct Font {
  double size = 7;
  Anchor anchor = Anchor::start;
  bool bold = false;
  std::string_view colour = "#222222";
};

/// Markers of equal visual weight. The first seven have an area and can be hollow.
enum class Marker : u8 { circle, square, triangle, diamond, triangle_down, pentagon, hexagon, plus, cross };

/// Approximate maximum width of a text in points, in common sans-serif fonts (which differ by a sixth), for layout. "^"
/// before a power has no width (see Canvas::text).
double text_width(std::string_view text, const Font& font);

/// Wraps at blanks to lines of this width; breaks words that are longer than a line. One empty line for an empty text.
std::vector<std::string> wrapped(const std::string& text, const Font& font, double width);

/// Escapes < > & "; characters that XML does not allow become spaces.
std::string escaped(std::string_view text);

class Canvas {
 public:
  void line(Place from, Place to, const Stroke& stroke);
  void polyline(const std::vector<Place>& points, const Stroke& stroke);
  void area(const std::vector<Place>& outline, std::string_view colour, double opacity);
  void rectangle(const PlotBox& box, std::string_view fill);
  void marker(Marker shape, Place at, double radius, std::string_view colour, bool hollow);
  /// Baseline at `at`. With `powers`, sign and digits after the first "^" become a superscript.
  void text(Place at, std::string_view words, const Font& font, bool powers = false);

  /// Starts a group that ends at close(); a non-empty `name` becomes its tooltip.
  void open(std::string_view name);
  /// Starts a group clipped to the box.
  void open_clipped(const PlotBox& box);
  void close();

  /// The document with a white background; `title` and `description` are for accessibility.
  std::string document(double width, double height, std::string_view title, std::string_view description) const;

 private:
  std::string body_;
  u32 clips_ = 0;
};

}  // namespace tri::app
