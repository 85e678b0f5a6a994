#pragma once
/// Shapes and words as the elements of an SVG 1.1 document: vector text in the reader's own sans-serif font, no
/// scripts, no style sheets, nothing loaded from elsewhere. Units are points (1/72 inch), y points down.

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app {

struct Place {
  double x = 0, y = 0;
};

struct Box {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

/// The colour as SVG writes it.
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

/// Filled or hollow, of one visual weight. The first seven close a surface.
enum class Marker : u8 { circle, square, triangle, diamond, triangle_down, pentagon, hexagon, plus, cross };

/// About how wide a text is at most, in points, in any usual sans-serif font (they differ by a sixth): what layout
/// reserves. "^" before a power takes no room (see Canvas::text).
double text_width(std::string_view text, const Font& font);

/// "&lt;" for "<" and so on; characters that XML cannot hold become spaces.
std::string escaped(std::string_view text);

class Canvas {
 public:
  void line(Place from, Place to, const Stroke& stroke);
  void polyline(const std::vector<Place>& points, const Stroke& stroke);
  void area(const std::vector<Place>& outline, std::string_view colour, double opacity);
  void rectangle(const Box& box, std::string_view fill);
  void marker(Marker shape, Place at, double radius, std::string_view colour, bool hollow);
  /// Baseline at `at`. With `powers`, what follows the first "^" (sign and digits) stands as an exponent.
  void text(Place at, std::string_view words, const Font& font, bool powers = false);

  /// Elements until close() belong together; `name` is what a reader shows when pointed at, if not empty.
  void open(std::string_view name);
  /// The same, cut off at the box.
  void open_clipped(const Box& box);
  void close();

  /// The document: white ground, `title` and `description` for readers that show none of the drawing.
  std::string document(double width, double height, std::string_view title, std::string_view description) const;

 private:
  std::string body_;
  u32 clips_ = 0;
};

}  // namespace tri::app
