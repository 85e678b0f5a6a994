// Draws the icon of the program on standard output, as SVG: the tiles of a triangle of side 4, coloured in the order of
// the map `lambda`.

#include <cstdio>

#include "sim/maps/map_check.hpp"
#include "sim/maps/triangle_lambda.hpp"

namespace {

constexpr tri::u32 kSide = 4;
constexpr int kCell = 26, kTile = 22;                                             // pixels of 128
constexpr int kColours[3][3] = {{255, 176, 60}, {236, 92, 132}, {84, 124, 255}};  // sRGB: first tile, middle, last

void draw_tile(tri::Tile2 tile, tri::u32 omega, tri::u32 count) {
  const int twice = 2 * int(omega), last = int(count) - 1, half = twice < last ? 0 : 1;
  int rgb[3];
  for (int c = 0; c < 3; ++c) {
    rgb[c] = kColours[half][c] + (kColours[half + 1][c] - kColours[half][c]) * (twice - half * last) / last;
  }
  constexpr int margin = (128 - int(kSide) * kCell + kCell - kTile) / 2;
  std::printf("  <rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"#%02x%02x%02x\"/>\n",
              margin + kCell * int(tile.col), margin + kCell * int(tile.row), kTile, kTile, unsigned(rgb[0]),
              unsigned(rgb[1]), unsigned(rgb[2]));
}

}  // namespace

int main() {
  const tri::TriangleLambda map(kSide, tri::Diagonal::with);
  std::printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"128\" height=\"128\" viewBox=\"0 0 128 128\">\n");
  std::printf("  <rect width=\"128\" height=\"128\" rx=\"20\" fill=\"#12161f\"/>\n");
  tri::u32 omega = 0;
  tri::for_each_position(map, [&](tri::Position position) {
    tri::tile_visits(map, position, [&](tri::Tile2 tile) { draw_tile(tile, omega++, tri::u32(map.tile_count())); });
  });
  return std::printf("</svg>\n") > 0 && std::fflush(stdout) == 0 ? 0 : 1;
}
