#pragma once
/// What plots are drawn with: axes, a canvas that writes SVG, colours and dashes.
///
/// Axes of a plot: ticks with labels for a data range, on a linear or a logarithmic scale. Independent of drawing. Pure
/// functions, thread-safe.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app {

enum class Scale : u8 { linear, log2, log10 };

/// low <= high. Empty until a finite value is added.
struct Range {
  double low = 0, high = 0;
  bool empty = true;

  void add(double value);
};

struct Tick {
  double value = 0;
  std::string label;  ///< empty on a minor tick; "^" before a power: "2^20", "5×10^-4" (UTF-8)
};

struct Axis {
  Scale scale = Scale::linear;
  double low = 0, high = 1;
  std::vector<Tick> ticks;  ///< ascending, all within [low, high]

  /// Maps low to 0 and high to 1, also outside of the range. Expects value > 0 on a logarithmic scale.
  double at(double value) const;
};

/// A value on the scale of an axis, and back.
double on_scale(Scale scale, double value);
double from_scale(Scale scale, double value);

/// The range extended at both ends by a fraction of its length on the scale. A single value becomes a range around it.
/// Expects a non-empty range, of values > 0 on a logarithmic scale.
Range widened(Scale scale, Range range, double fraction);

/// An axis over `range` (low < high; > 0 on a logarithmic scale). Ticks at 1, 2 or 5 times a power of ten, on log2 at
/// powers of two, as dense as max_labels >= 2 allows; at least two for max_labels >= 5. A logarithmic axis too short
/// for two such ticks gets linear ones.
Axis make_axis(Scale scale, Range range, u32 max_labels);

/// A scale for a list of sizes: log2 for powers of two, linear for equal steps, log10 if the largest is at least 20
/// times the smallest, else linear. Expects distinct ascending values > 0.
Scale natural_scale(std::span<const double> values);

/// "0.25", "12,500": the format of axis labels, with `digits` decimals.
std::string plain_number(double value, int digits);

// Shapes and text as elements of an SVG 1.1 document: text in the viewer's sans-serif font, no scripts, no style
// sheets, no external resources. Units are points (1/72 inch), y points down.

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

// The style of each map in all figures: colour, dash and marker, each of which distinguishes it, for greyscale print
// and colour vision deficiency.

struct SeriesStyle {
  std::string_view colour;
  std::string_view dash;  ///< empty = solid
  Marker marker = Marker::circle;
  bool hollow = false;
};

/// One style per map, all different for up to kStyles maps. Known maps have a fixed style; other names get free ones.
std::vector<SeriesStyle> series_styles(const std::vector<std::string>& maps);
inline constexpr std::size_t kStyles = 21;

}  // namespace tri::app
