// The command plot and pictures: of maps, of laws, and as files of every kind.

#include <dlfcn.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "app/plot/canvas.hpp"
#include "app/plot/picture.hpp"
#include "app/plot/plot.hpp"
#include "app/support/run_config.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/machine.hpp"
#include "sim/files/file.hpp"
#include "sim/maps/gasket_base.hpp"

namespace tri::app {
namespace {

constexpr double kDotsAnInch = 300;

using Draw = decltype(&tri_draw_picture);

struct PictureModule {
  Draw draw = nullptr;
  std::string why_not;
};

const PictureModule& picture_module() {
  static const PictureModule loaded = [] {
    PictureModule module;
    void* handle = open_module("libtriangulum-picture.so", "install librsvg2-dev", false, module.why_not);
    if (handle != nullptr) module.draw = reinterpret_cast<Draw>(dlsym(handle, "tri_draw_picture"));
    return module;
  }();
  return loaded;
}

int append_piece(void* to, const unsigned char* data, std::size_t size) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
  return 1;
}

std::string drawn(const std::string& svg, const std::string& file, bool pdf) {
  const PictureModule& module = picture_module();
  if (module.draw == nullptr) {
    throw ConfigError(fmt::format("{}: figures as PNG and PDF are not available: {}. Or name a .svg or .html file.",
                                  file, module.why_not));
  }
  std::string picture;
  std::array<char, 256> problem{};
  const bool done = module.draw(svg.data(), svg.size(), pdf ? 1 : 0, kDotsAnInch, append_piece, &picture,
                                problem.data(), problem.size()) != 0;
  if (!done) throw ConfigError(fmt::format("{}: {}. Name a .svg file.", file, problem.data()));
  return picture;
}

}  // namespace

Availability pictures_available() {
  const PictureModule& module = picture_module();
  return {module.draw != nullptr, module.why_not};
}

std::string png_of(const std::string& svg, const std::string& file) { return drawn(svg, file, false); }
std::string pdf_of(const std::string& svg, const std::string& file) { return drawn(svg, file, true); }

namespace {

using mapfile::AnyTile;
using mapfile::MetAt;

constexpr double kPage = 480, kPictureMargin = 12, kPictureLine = 10, kLegend = 64;
constexpr std::string_view kWrong = "#d62728", kMissed = "#f2f2f2", kInk = "#222222";

/// The positions that meet a tile: how many, and the first.
struct Meeting {
  u32 count = 0;
  u64 omega = 0;
};
using Tiles = std::map<std::tuple<i64, i64, i64>, Meeting>;  // layer, row, col

/// From blue to yellow along omega; light enough for dark numbers.
std::string colour_of(double t) {
  const auto mix = [t](double a, double b) { return static_cast<int>(std::lround(a + (b - a) * t)); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(126, 253), mix(171, 224), mix(222, 122));
}

bool belongs(Domain domain, const AnyTile& t, i64 side) {
  if (domain == Domain::gasket) return in_gasket(static_cast<u32>(t.col), static_cast<u32>(t.row));
  return t.col <= t.row && (domain == Domain::triangle || t.row <= t.layer) && t.row < side;
}

class Picture {
 public:
  Picture(const mapfile::ProvableMap& map, const mapfile::Proof& proof) : proof_(proof) {
    if (!proof.no_launch.empty()) return;
    for_each_answer(map, proof.side, [&](const MetAt& met, bool idle, bool fault) {
      if (idle || fault) return true;
      Meeting& m = tiles_[{met.tile.layer, met.tile.row, met.tile.col}];
      if (m.count++ == 0) m.omega = met.omega;
      return true;
    });
  }

  std::string document() {
    const i64 side = proof_.side, layers = proof_.domain == Domain::tetrahedron ? side : 1;
    const i64 across = static_cast<i64>(std::ceil(std::sqrt(static_cast<double>(layers))));
    const i64 down = (layers + across - 1) / across;
    const double gap = layers > 1 ? 6 : 0;
    cell_ = (kPage - gap * static_cast<double>(across - 1)) / static_cast<double>(across * side);
    const double pitch = cell_ * static_cast<double>(side) + gap;
    const double top = kPictureMargin + 2 * kPictureLine;
    for (i64 layer = 0; layer < layers; ++layer) {
      const i64 column = layer % across, line = layer / across;
      draw_layer(layer,
                 {kPictureMargin + pitch * static_cast<double>(column), top + pitch * static_cast<double>(line)});
    }
    const double bottom = top + pitch * static_cast<double>(down);
    const std::string title = fmt::format("{}, m = {}", proof_.name, proof_.side);
    canvas_.text({kPictureMargin, kPictureMargin + 7}, title, {9, Anchor::start, true, kInk});
    legend(bottom + kPictureLine);
    return canvas_.document(kPage + 2 * kPictureMargin, bottom + kLegend, title, words());
  }

 private:
  void draw_layer(i64 layer, Place origin) {
    for (i64 row = 0; row < proof_.side; ++row) {
      for (i64 col = 0; col < proof_.side; ++col) {
        const AnyTile tile{row, col, proof_.domain == Domain::tetrahedron ? layer : 0};
        if (!belongs(proof_.domain, tile, proof_.side)) continue;
        const PlotBox box{origin.x + cell_ * static_cast<double>(col), origin.y + cell_ * static_cast<double>(row),
                          cell_ * 0.94, cell_ * 0.94};
        draw_tile(tile, box);
      }
    }
  }

  void draw_tile(const AnyTile& tile, const PlotBox& box) {
    const auto found = tiles_.find({tile.layer, tile.row, tile.col});
    canvas_.open(
        found == tiles_.end()
            ? text_of(proof_.domain, tile) + " is missed"
            : fmt::format("{}: omega {}{}", text_of(proof_.domain, tile), found->second.omega,
                          found->second.count > 1 ? fmt::format(", and {} more", found->second.count - 1) : ""));
    if (found == tiles_.end()) {
      canvas_.rectangle(box, kMissed);
      canvas_.line({box.left, box.top}, {box.right(), box.bottom()}, {kWrong, 0.6, ""});
      canvas_.line({box.left, box.bottom()}, {box.right(), box.top}, {kWrong, 0.6, ""});
    } else {
      const double last = static_cast<double>(std::max<u64>(1, proof_.launched - 1));
      const std::string own = colour_of(static_cast<double>(found->second.omega) / last);
      const bool wrong = found->second.count > 1;
      canvas_.rectangle(box, wrong ? kWrong : std::string_view(own));
      const std::string number = fmt::format("{}", found->second.omega);
      const Font font{std::min(8.0, 0.42 * cell_), Anchor::middle, false, wrong ? "#ffffff" : kInk};
      if (font.size >= 3 && text_width(number, font) < box.width) {
        canvas_.text({box.left + box.width / 2, box.top + box.height / 2 + 0.35 * font.size}, number, font);
      }
    }
    canvas_.close();
  }

  std::string words() const {
    return proof_.passed() ? fmt::format("each of the {} tiles once, none outside; {} positions, {} idle",
                                         grouped(proof_.expected), grouped(proof_.launched), grouped(proof_.idle()))
                           : proof_.fault_text();
  }

  void legend(double y) {
    std::string text = folded(words(), 110, 0);
    for (std::size_t begin = 0; begin < text.size(); y += kPictureLine) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      canvas_.text({kPictureMargin, y}, text.substr(begin, end - begin),
                   {7, Anchor::start, false, proof_.passed() ? kInk : kWrong});
      begin = end + 1;
    }
  }

  const mapfile::Proof& proof_;
  Tiles tiles_;
  Canvas canvas_;
  double cell_ = 1;
};

}  // namespace

std::string picture_refusal(const mapfile::ProvableMap& map, u64 side) {
  const u32 most = map.info().domain == Domain::tetrahedron ? kMaxPictureLayers : kMaxPictureSide;
  if (side <= most) return {};
  return fmt::format("a picture has at most {} tiles a side, and here are {}.", most, side);
}

std::string map_picture(const mapfile::ProvableMap& map, const mapfile::Proof& proof) {
  return Picture(map, proof).document();
}

namespace {

constexpr double kLawWidth = 510, kLawHeight = 240, kLawTop = 40, kLawBottom = 30, kLawLeft = 46, kLawGap = 58,
                 kLawRight = 8;
constexpr Font kLawTitle{9, Anchor::start, true}, kLawSmall{7, Anchor::start, false, "#555555"};
constexpr Stroke kLawAxis{"#333333", 0.6, ""}, kLawZero{"#333333", 0.8, ""}, kLawGridLine{"#e4e4e4", 0.6, ""};

/// The range of a curve by its interior extrema, or, of a monotonic one, by most of its values: a wall at short
/// distances would hide everything else.
Range shown_range(const std::vector<double>& values) {
  std::vector<double> sizes;
  double extremum = 0;
  Range all;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) continue;
    all.add(values[k]);
    sizes.push_back(std::abs(values[k]));
    if (k == 0 || k + 1 == values.size()) continue;
    const double before = values[k] - values[k - 1], after = values[k + 1] - values[k];
    if (before * after < 0) extremum = std::max(extremum, std::abs(values[k]));
  }
  if (sizes.empty()) return widened(Scale::linear, {0, 0, false}, 0.1);
  std::sort(sizes.begin(), sizes.end());
  const double most = extremum > 0 ? 1.5 * extremum : 1.2 * sizes[sizes.size() * 4 / 5];
  Range shown;
  shown.add(0), shown.add(std::max(all.low, -most)), shown.add(std::min(all.high, most));
  return widened(Scale::linear, shown, 0.05);
}

void draw_curve(Canvas& canvas, const std::vector<double>& r, const std::string& x_name,
                const std::vector<double>& values, const char* name, std::string_view colour, const PlotBox& box) {
  Range distances;
  for (const double distance : r) distances.add(distance);
  const Axis x = make_axis(Scale::linear, distances, 7), y = make_axis(Scale::linear, shown_range(values), 7);
  const auto at = [&](double distance, double v) {
    return Place{box.left + x.at(distance) * box.width, box.bottom() - y.at(v) * box.height};
  };
  for (const Tick& tick : y.ticks) {
    const double height = at(x.low, tick.value).y;
    canvas.line({box.left, height}, {box.right(), height}, kLawGridLine);
    canvas.text({box.left - 3, height + 2.4}, tick.label, {7, Anchor::end}, true);
  }
  for (const Tick& tick : x.ticks) {
    const double place = at(tick.value, y.low).x;
    canvas.line({place, box.bottom()}, {place, box.bottom() + 2.5}, kLawAxis);
    canvas.text({place, box.bottom() + 10}, tick.label, {7, Anchor::middle}, true);
  }
  if (y.low < 0 && y.high > 0) canvas.line(at(x.low, 0), at(x.high, 0), kLawZero);
  canvas.line({box.left, box.bottom()}, {box.right(), box.bottom()}, kLawAxis);
  canvas.text({box.left, box.top - 5}, name, {7.5, Anchor::start, true, colour});
  canvas.text({box.right(), box.bottom() + 21}, x_name, {7, Anchor::end});
  canvas.open_clipped(box);
  std::vector<Place> line;
  for (std::size_t k = 0; k <= r.size(); ++k) {
    if (k < r.size() && std::isfinite(values[k])) {
      // What is far beyond the panel is cut off anyhow, and viewers have limits.
      const double span = y.high - y.low;
      line.push_back(at(r[k], std::clamp(values[k], y.low - span, y.high + span)));
    } else if (!line.empty()) {
      canvas.polyline(line, {colour, 1.4, ""});
      line.clear();
    }
  }
  canvas.close();
}

}  // namespace

std::string law_svg(const LawWords& words, const expression::LawCurves& c) {
  Canvas canvas;
  canvas.text({4, 12}, words.title, kLawTitle);
  canvas.text({4, 23}, words.subtitle, kLawSmall);
  const double width = (kLawWidth - kLawLeft - kLawGap - kLawRight) / 2, height = kLawHeight - kLawTop - kLawBottom;
  draw_curve(canvas, c.r, words.x_name, c.energy, "energy", "#0072b2", {kLawLeft, kLawTop + 4, width, height - 4});
  draw_curve(canvas, c.r, words.x_name, c.force, "force, repulsive above 0", "#d55e00",
             {kLawLeft + width + kLawGap, kLawTop + 4, width, height - 4});
  return canvas.document(kLawWidth, kLawHeight, words.title, words.subtitle);
}

// `plot`: bench results as a file.

namespace {

std::string figure_in(const std::string& file, const PlotData& data, const PlotOptions& options) {
  const std::string svg = plot_svg(data, options);
  if (file.ends_with(".html")) {
    const bool report = is_report(data) && (options.kind == PlotKind::report || options.kind == PlotKind::automatic);
    return report ? report_html(data, options) : html_page("Results of a bench", svg, "");
  }
  if (file.ends_with(".png")) return png_of(svg, "-o " + file);
  return file.ends_with(".pdf") ? pdf_of(svg, "-o " + file) : svg;
}

}  // namespace

int run_plot(const RunConfig& config, Console& console) {
  const std::string& path = config.plot.output;
  const PlotData data = read_plot_data(config.plot.inputs);
  check_files_read(config);
  const std::string figure = figure_in(path, data, config.plot);
  io::OutputFile file(path);
  file.write(figure);
  file.commit();
  console.note(fmt::format("wrote {}", path));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app
