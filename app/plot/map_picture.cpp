#include "app/plot/map_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "app/plot/plot_canvas.hpp"
#include "app/support/text_table.hpp"
#include "sim/maps/gasket_base.hpp"

namespace tri::app {
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

}  // namespace tri::app
