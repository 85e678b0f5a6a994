#include "app/plot/plot_canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tri::app {
namespace {

constexpr std::string_view kFonts = "Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', 'DejaVu Sans', sans-serif";
constexpr double kPowerSize = 0.72, kPowerRise = 0.38;  // of the font's size
constexpr double kMillimetre = 72 / 25.4;               // in points

/// Rounded to hundredths of a point, without "-0" and trailing zeros.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  if (text == "-0") text.erase(0, 1);
  return text;
}

std::string points_text(const std::vector<Place>& points) {
  std::string text;
  for (const Place& p : points) text += fmt::format("{}{},{}", text.empty() ? "" : " ", number(p.x), number(p.y));
  return text;
}

std::string stroke_text(const Stroke& stroke) {
  std::string text = fmt::format("stroke=\"{}\" stroke-width=\"{}\"", stroke.colour, number(stroke.width));
  if (!stroke.dash.empty()) text += fmt::format(" stroke-dasharray=\"{}\"", stroke.dash);
  return text;
}

/// Approximate width in units of the font size; good enough to reserve space.
double character_width(unsigned char c) {
  constexpr std::string_view kThin = "ijlI.,:;'|!", kSlim = "frt()[]{}/\\-\" ", kWide = "mwMW@%";
  if (c >= 0x80 && c < 0xC0) return 0;  // UTF-8 continuation byte
  if (kThin.find(static_cast<char>(c)) != std::string_view::npos) return 0.32;
  if (kSlim.find(static_cast<char>(c)) != std::string_view::npos) return 0.40;
  if (kWide.find(static_cast<char>(c)) != std::string_view::npos) return 0.95;
  if (c >= 'A' && c <= 'Z') return 0.72;
  return 0.62;
}

/// Corners of a regular polygon; the first is at angle `turn` (in turns, 0 = right, 0.25 = down).
std::vector<Place> polygon(Place centre, double radius, int corners, double turn) {
  std::vector<Place> points;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * std::numbers::pi * (turn + static_cast<double>(i) / corners);
    points.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
  }
  return points;
}

/// Radii are scaled so that all shapes have similar areas.
std::vector<Place> outline(Marker shape, Place at, double r) {
  switch (shape) {
    case Marker::square:
      return polygon(at, 1.22 * r, 4, 0.125);
    case Marker::triangle:
      return polygon({at.x, at.y + 0.2 * r}, 1.4 * r, 3, 0.75);
    case Marker::triangle_down:
      return polygon({at.x, at.y - 0.2 * r}, 1.4 * r, 3, 0.25);
    case Marker::diamond:
      return polygon(at, 1.35 * r, 4, 0);
    case Marker::pentagon:
      return polygon(at, 1.18 * r, 5, 0.75);
    case Marker::hexagon:
      return polygon(at, 1.12 * r, 6, 0);
    default:
      return {};
  }
}

bool is_power_character(char c) { return c == '-' || (c >= '0' && c <= '9'); }

}  // namespace

double text_width(std::string_view text, const Font& font) {
  double sum = 0;
  for (const char c : text) sum += c == '^' ? 0 : character_width(static_cast<unsigned char>(c));
  return sum * font.size * (font.bold ? 1.1 : 1);
}

std::vector<std::string> wrapped(const std::string& text, const Font& font, double width) {
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t blank = std::min(text.find(' ', begin), text.size());
    std::string word = text.substr(begin, blank - begin);
    const std::string joined = lines.back().empty() ? word : lines.back() + " " + word;
    if (text_width(joined, font) <= width) {
      lines.back() = joined;
    } else {
      if (!lines.back().empty()) lines.emplace_back();
      while (text_width(word, font) > width) {
        std::size_t cut = word.size() - 1;
        while (cut > 1 && (text_width(word.substr(0, cut), font) > width || (word[cut] & 0xC0) == 0x80)) --cut;
        lines.back() = word.substr(0, cut);
        lines.emplace_back();
        word.erase(0, cut);
      }
      lines.back() = word;
    }
    begin = blank + 1;
  }
  return lines;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return out;
}

void Canvas::line(Place from, Place to, const Stroke& stroke) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", number(from.x), number(from.y),
                       number(to.x), number(to.y), stroke_text(stroke));
}

void Canvas::polyline(const std::vector<Place>& points, const Stroke& stroke) {
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" {} stroke-linejoin=\"round\"/>\n", points_text(points),
                       stroke_text(stroke));
}

void Canvas::area(const std::vector<Place>& outline, std::string_view colour, double opacity) {
  body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{}\"/>\n", points_text(outline), colour,
                       number(opacity));
}

void Canvas::rectangle(const PlotBox& box, std::string_view fill) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", number(box.left),
                       number(box.top), number(box.width), number(box.height), fill);
}

void Canvas::marker(Marker shape, Place at, double radius, std::string_view colour, bool hollow) {
  const Stroke arm{colour, 0.45 * radius, ""};
  if (shape == Marker::plus || shape == Marker::cross) {
    const double r = 1.1 * radius, d = shape == Marker::plus ? 0 : r * std::numbers::sqrt2 / 2;
    const double straight = shape == Marker::plus ? r : d;
    line({at.x - straight, at.y - d}, {at.x + straight, at.y + d}, arm);
    line({at.x - d, at.y + straight}, {at.x + d, at.y - straight}, arm);
    return;
  }
  // A thin outline separates overlapping markers: white for filled ones, coloured for hollow ones.
  const std::string style =
      hollow ? fmt::format("fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"{}\"", colour, number(0.35 * radius))
             : fmt::format("fill=\"{}\" stroke=\"#ffffff\" stroke-width=\"0.3\"", colour);
  if (shape == Marker::circle) {
    body_ +=
        fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", number(at.x), number(at.y), number(radius), style);
  } else {
    body_ += fmt::format("<polygon points=\"{}\" {}/>\n", points_text(outline(shape, at, radius)), style);
  }
}

void Canvas::text(Place at, std::string_view words, const Font& font, bool powers) {
  static constexpr const char* kAnchors[] = {"start", "middle", "end"};
  std::string inner;
  const std::size_t power = powers ? words.find('^') : std::string_view::npos;
  if (power == std::string_view::npos) {
    inner = escaped(words);
  } else {
    std::size_t end = power + 1;
    while (end < words.size() && is_power_character(words[end])) ++end;
    const std::string rise = number(kPowerRise * font.size);
    inner = fmt::format("{}<tspan dy=\"-{}\" font-size=\"{}\">{}</tspan>", escaped(words.substr(0, power)), rise,
                        number(kPowerSize * font.size), escaped(words.substr(power + 1, end - power - 1)));
    if (end < words.size()) inner += fmt::format("<tspan dy=\"{}\">{}</tspan>", rise, escaped(words.substr(end)));
  }
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n",
                       number(at.x), number(at.y), number(font.size), kAnchors[static_cast<int>(font.anchor)],
                       font.colour, font.bold ? " font-weight=\"bold\"" : "", inner);
}

void Canvas::open(std::string_view name) {
  body_ += "<g>\n";
  if (!name.empty()) body_ += fmt::format("<title>{}</title>\n", escaped(name));
}

void Canvas::open_clipped(const PlotBox& box) {
  body_ += fmt::format(
      "<clipPath id=\"panel{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/></clipPath>\n"
      "<g clip-path=\"url(#panel{0})\">\n",
      clips_++, number(box.left), number(box.top), number(box.width), number(box.height));
}

void Canvas::close() { body_ += "</g>\n"; }

std::string Canvas::document(double width, double height, std::string_view title, std::string_view description) const {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{}mm\" height=\"{}mm\" "
      "viewBox=\"0 0 {} {}\" font-family=\"{}\" role=\"img\">\n"
      "<title>{}</title>\n<desc>{}</desc>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}</svg>\n",
      number(width / kMillimetre), number(height / kMillimetre), number(width), number(height), kFonts, escaped(title),
      escaped(description), body_);
}

}  // namespace tri::app
