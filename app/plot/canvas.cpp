#include "app/plot/canvas.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

/// Rounding must not drop a tick at an end: 0.1 * 3 > 0.3.
constexpr double kSlack = 1e-9;
/// Beyond these, labels are powers instead of digits.
constexpr double kMaxPlain = 1e7, kMaxPlainDecade = 99999, kMinPlainDecade = 0.00099;
constexpr double kMaxPlainBinary = 65536, kMinPlainBinary = 1.0 / 16;

/// 1, 2 or 5 times a power of ten, kept in parts so that ticks are exact.
struct Step {
  int mantissa = 1, exponent = 0;
  double size() const { return mantissa * std::pow(10.0, exponent); }
};
/// The smallest step >= minimum.
Step step_of_at_least(double minimum) {
  const int exponent = static_cast<int>(std::floor(std::log10(minimum) + kSlack));
  for (const int mantissa : {1, 2, 5}) {
    const Step step{mantissa, exponent};
    if (step.size() >= minimum * (1 - kSlack)) return step;
  }
  return {1, exponent + 1};
}

/// "2×10^-5"; "10^3" without a leading 1.
std::string as_power(double value) {
  int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + kSlack));
  const double mantissa = value / std::pow(10.0, exponent);
  if (std::abs(mantissa - 1) < kSlack) return fmt::format("10^{}", exponent);
  return fmt::format("{:.3g}×10^{}", mantissa, exponent);
}

std::vector<Tick> linear_ticks(Range range, u32 max_ticks) {
  // Start with too small a step and take the first one that fits: the number of ticks depends on where they fall.
  Step step = step_of_at_least((range.high - range.low) / (max_ticks + 1));
  std::vector<Tick> ticks;
  for (;; step = step_of_at_least(step.size() * 1.5)) {
    const double size = step.size();
    const double first = std::ceil(range.low / size - kSlack), last = std::floor(range.high / size + kSlack);
    // Where a longer step leaves one label, every second tick has one here.
    const double longer = step_of_at_least(size * 1.5).size();
    const bool every = last - first + 1 <= max_ticks;
    if (!every && std::floor(range.high / longer + kSlack) > std::ceil(range.low / longer - kSlack)) continue;
    const double shown = first <= 0 && last >= 0 && last - first > 2 ? 0 : std::fmod(std::abs(first), 2);
    const double largest = std::max(std::abs(range.low), std::abs(range.high));
    const bool powers = largest >= kMaxPlain || size < 1e-5;
    for (double k = first; k <= last; ++k) {
      // Divide integers instead of multiplying by an inexact 0.1: 0.3 is 3 / 10.
      const double value = step.exponent < 0 ? k * step.mantissa / std::pow(10.0, -step.exponent) : k * size;
      const bool labelled = every || std::fmod(std::abs(k), 2) == shown;
      const std::string label = !labelled ? ""
                                : k == 0  ? "0"
                                : powers  ? as_power(value)
                                          : plain_number(value, std::max(0, -step.exponent));
      ticks.push_back({value, label});
    }
    return ticks;
  }
}

/// The multiples of every stride-th decade within the range.
std::vector<double> decades(Range range, std::span<const int> multiples, int stride) {
  std::vector<double> values;
  const int first = static_cast<int>(std::floor(std::log10(range.low))) - 1;
  const int last = static_cast<int>(std::ceil(std::log10(range.high))) + 1;
  for (int e = first; e <= last; ++e) {
    if (e % stride != 0) continue;
    for (const int m : multiples) {
      const double value = e < 0 ? m / std::pow(10.0, -e) : m * std::pow(10.0, e);
      if (value >= range.low * (1 - kSlack) && value <= range.high * (1 + kSlack)) values.push_back(value);
    }
  }
  return values;
}

void label_decades(std::vector<Tick>& ticks) {
  const bool plain = std::all_of(ticks.begin(), ticks.end(), [](const Tick& t) {
    return t.value >= kMinPlainDecade && t.value <= kMaxPlainDecade;
  });
  for (Tick& t : ticks) {
    const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(t.value) - kSlack)));
    t.label = plain ? plain_number(t.value, digits) : as_power(t.value);
  }
}

std::vector<Tick> log10_ticks(Range range, u32 max_labels) {
  static constexpr int kOne[] = {1}, kFew[] = {1, 2, 5}, kAll[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<double> labelled = decades(range, kFew, 1);
  bool dense = true;
  for (int stride = 1; labelled.size() > max_labels; ++stride) {
    labelled = decades(range, kOne, stride), dense = stride == 1;
  }
  if (labelled.size() < 2) return {};
  std::vector<Tick> ticks;
  for (const double v : labelled) ticks.push_back({v, ""});
  label_decades(ticks);
  if (!dense) return ticks;
  for (const double v : decades(range, kAll, 1)) {
    if (std::find(labelled.begin(), labelled.end(), v) == labelled.end()) ticks.push_back({v, ""});
  }
  std::sort(ticks.begin(), ticks.end(), [](const Tick& a, const Tick& b) { return a.value < b.value; });
  return ticks;
}

std::vector<Tick> log2_ticks(Range range, u32 max_labels) {
  const int first = static_cast<int>(std::ceil(std::log2(range.low) - kSlack));
  const int last = static_cast<int>(std::floor(std::log2(range.high) + kSlack));
  if (last - first < 1) return {};
  const int stride = (last - first) / static_cast<int>(max_labels) + 1;
  const bool plain = std::exp2(last) <= kMaxPlainBinary && std::exp2(first) >= kMinPlainBinary;
  std::vector<Tick> ticks;
  for (int e = first; e <= last; ++e) {
    const double value = std::exp2(e);
    // Counted from the last, so that the largest size is labelled.
    const bool labelled = (last - e) % stride == 0;
    ticks.push_back({value, !labelled ? "" : plain ? plain_number(value, std::max(0, -e)) : fmt::format("2^{}", e)});
  }
  return ticks;
}

}  // namespace

void Range::add(double value) {
  if (!std::isfinite(value)) return;
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

double on_scale(Scale scale, double value) {
  return scale == Scale::linear ? value : scale == Scale::log2 ? std::log2(value) : std::log10(value);
}

double from_scale(Scale scale, double value) {
  return scale == Scale::linear ? value : scale == Scale::log2 ? std::exp2(value) : std::pow(10.0, value);
}

double Axis::at(double value) const {
  const double begin = on_scale(scale, low), end = on_scale(scale, high);
  return (on_scale(scale, value) - begin) / (end - begin);
}

Range widened(Scale scale, Range range, double fraction) {
  TRI_EXPECTS(!range.empty && (scale == Scale::linear || range.low > 0));
  double begin = on_scale(scale, range.low), end = on_scale(scale, range.high);
  if (!(end - begin > 1e-12 * std::abs(end))) {
    const double half = scale != Scale::linear ? on_scale(scale, 1.5) : end == 0 ? 1 : std::abs(end) / 2;
    begin -= half, end += half;
  }
  const double margin = fraction * (end - begin);
  return {from_scale(scale, begin - margin), from_scale(scale, end + margin), false};
}

Axis make_axis(Scale scale, Range range, u32 max_labels) {
  TRI_EXPECTS(!range.empty && range.low < range.high && max_labels >= 2 && (scale == Scale::linear || range.low > 0));
  Axis axis{scale, range.low, range.high, {}};
  if (scale == Scale::log2) axis.ticks = log2_ticks(range, max_labels);
  if (scale == Scale::log10) axis.ticks = log10_ticks(range, max_labels);
  if (axis.ticks.empty()) axis.ticks = linear_ticks(range, max_labels);
  return axis;
}

Scale natural_scale(std::span<const double> values) {
  if (values.size() < 2) return Scale::linear;
  int unused = 0;
  const auto power = [&unused](double v) { return std::frexp(v, &unused) == 0.5; };
  if (std::all_of(values.begin(), values.end(), power) && values.back() >= 4 * values.front()) return Scale::log2;
  const double step = values[1] - values[0];
  bool equal = values.size() >= 3;
  for (std::size_t i = 2; i < values.size(); ++i) {
    equal = equal && std::abs(values[i] - values[i - 1] - step) <= kSlack * values[i];
  }
  return !equal && values.back() >= 20 * values.front() ? Scale::log10 : Scale::linear;
}

std::string plain_number(double value, int digits) {
  if (digits == 0 && std::abs(value) >= 1000 && std::abs(value) < 9e15) {
    return fmt::format("{}{}", value < 0 ? "-" : "", grouped(static_cast<u64>(std::llround(std::abs(value)))));
  }
  return fmt::format("{:.{}f}", value, digits);
}

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

namespace {

/// The colour-blind safe palette of Okabe and Ito without yellow, which is too light on paper: black, blue, vermilion,
/// green, orange, purple, sky. Neighbours differ in lightness, for printing in greyscale.
constexpr std::string_view kColours[] = {"#000000", "#0072b2", "#d55e00", "#009e73", "#e69f00", "#b3508f", "#56b4e9"};
constexpr Marker kMarkers[] = {Marker::circle,        Marker::square,   Marker::triangle, Marker::diamond,
                               Marker::triangle_down, Marker::pentagon, Marker::plus};
/// By cycle through the colours, then by colour.
constexpr std::string_view kDashes[3][7] = {
    {"", "", "6 1.5", "", "4 1.5 1 1.5", "7 2 2 2", "3 1.2"},
    {"1.2 1.2", "4 1.5", "2 1", "6 2 1 2", "1 1", "3 1 1 1", "8 2"},
    {"5 1 1 1 1 1", "1 2", "8 1", "2 2", "5 3", "1 1 3 1", "2 1 2 3"},
};

struct Known {
  std::string_view map;
  std::size_t style;
};
/// Maps of one domain get different colours as far as possible; the most compared ones come first.
constexpr Known kKnown[] = {
    {"bb", 0},
    {"lambda", 1},
    {"fold", 2},
    {"lambda-stream", 3},
    {"rb", 4},
    {"rec", 5},
    {"h", 6},
    {"utm", 7},
    {"lambda-x", 8},
    {"lambda-r", 9},
    {"utm-block", 10},
    {"lambda-lut", 11},
    {"lambda-n", 12},
    {"circulant", 13},
    {"lambda-grouped", 17},
    {"lambda-longest", 18},
    {"tetra", 1},
    {"tetra-lut", 2},
    {"tetra-stream", 3},
    {"tetra-r", 4},
    {"tetra-h", 5},
    {"gasket", 1},
    {"gasket-digits", 2},
    {"plain", 14},
    {"fill", 15},
    {"lambda-alone", 16},
};

SeriesStyle style(std::size_t index) {
  const std::size_t cycle = index / 7 % 3, within = index % 7;
  // The second cycle has hollow markers shifted by three, the third the hollow markers of the first.
  Marker marker = kMarkers[(within + (cycle == 1 ? 3 : 0)) % 7];
  if (marker == Marker::plus && cycle == 1) marker = Marker::cross;
  return {kColours[within], kDashes[cycle][within], marker, cycle != 0};
}

}  // namespace

std::vector<SeriesStyle> series_styles(const std::vector<std::string>& maps) {
  std::vector<std::size_t> chosen(maps.size(), kStyles);
  std::vector<bool> taken(kStyles, false);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto at =
        std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) { return k.map == maps[i]; });
    // Maps of two domains in one figure may have the same style.
    if (at == std::end(kKnown) || taken[at->style]) continue;
    chosen[i] = at->style;
    taken[at->style] = true;
  }
  std::size_t next = 0;
  for (std::size_t& index : chosen) {
    if (index != kStyles) continue;
    const auto free = std::find(taken.begin(), taken.end(), false);
    index = free == taken.end() ? next++ % kStyles : static_cast<std::size_t>(free - taken.begin());
    taken[index] = true;
  }
  std::vector<SeriesStyle> styles;
  for (const std::size_t index : chosen) styles.push_back(style(index));
  return styles;
}

}  // namespace tri::app
