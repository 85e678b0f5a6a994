// Compiled with -O2 in every build: a generation of a large triangle has millions of cells.

#include <algorithm>

#include <fmt/format.h>

#include "app/session/automata.hpp"
#include "app/support/language.hpp"
#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/fractal/automaton.hpp"

namespace tri::app {
LifeRule triangle_rule_from(const std::string& text) {
  const LifeRule rule = life_rule_from(text);
  if ((rule.birth | rule.survive) >> 9 != 0) {
    throw ConfigError(phrase("rule {}: a cell of the triangle has 8 neighbours; use counts from 0 to 8.", text));
  }
  return rule;
}

TriangleAutomaton::TriangleAutomaton(u32 side, const LifeRule& rule, u64 seed, double density)
    : side_(side), rule_(rule) {
  TRI_EXPECTS(side >= kMinSide && side <= kMaxSide);
  const std::size_t stride = side_ + 2, all = stride * stride;
  now_ = spread_triangle(first_triangle_cells(side, density, seed), side);
  next_.assign(all, kDead), visits_.assign(all, 0);
  shown_.assign(std::size_t{side_} * side_, kOutside);
  std::fill(visits_.begin(), visits_.end(), u8{1});
  show();
}

void TriangleAutomaton::set(u32 row, u32 col, bool alive) {
  TRI_EXPECTS(row < side_ && col <= row);
  now_[(row + 1) * std::size_t{side_ + 2} + col + 1] = alive ? kAlive : kDead;
  show();
}

/// Updates the cells of a tile that lie in the triangle; (row, col) is its first cell.
void TriangleAutomaton::tile(u32 row, u32 col, u32 cells) {
  const std::size_t stride = side_ + 2;
  const u32 end = std::min(side_, row + cells);
  for (u32 i = row; i < end; ++i) {
    const u8* const above = &now_[i * stride];
    const u8 *const here = above + stride, *const below = here + stride;
    u8* const to = &next_[(i + 1) * stride];
    u8* const visits = &visits_[(i + 1) * stride];
    const u32 last = std::min(i + 1, col + cells);
    for (u32 c = col + 1; c <= last; ++c) {
      const u32 living = static_cast<u32>(above[c - 1]) + above[c] + above[c + 1] + here[c - 1] + here[c + 1] +
                         below[c - 1] + below[c] + below[c + 1];
      const u32 bits = here[c] == kAlive ? rule_.survive : rule_.birth;
      to[c] = static_cast<u8>(bits >> living & 1u);
      visits[c] = static_cast<u8>(visits[c] + (visits[c] < 2 ? 1 : 0));
    }
  }
}

void TriangleAutomaton::step(const MapTrace& tiles) {
  TRI_EXPECTS(tiles.domain == tri::Domain::triangle && tiles.side >= 1 && tiles.side <= side_);
  const u32 cells = (side_ + tiles.side - 1) / tiles.side;
  std::fill(next_.begin(), next_.end(), kDead);
  std::fill(visits_.begin(), visits_.end(), u8{0});
  for (const TraceTile& t : tiles.tiles) {
    if (t.x <= t.y && t.y < tiles.side) tile(t.y * cells, t.x * cells, cells);
  }
  now_.swap(next_);
  ++generation_;
  show();
}

void TriangleAutomaton::show() {
  const std::size_t stride = side_ + 2;
  alive_ = wrong_ = 0;
  for (u32 i = 0; i < side_; ++i) {
    u8* const cells = &now_[(i + 1) * stride + 1];
    const u8* const visits = &visits_[(i + 1) * stride + 1];
    u8* const to = &shown_[std::size_t{i} * side_];
    for (u32 j = 0; j <= i; ++j) {
      const bool visited_once = visits[j] == 1;
      cells[j] = visited_once ? cells[j] : kDead;
      to[j] = visited_once ? cells[j] : kWrong;
      alive_ += cells[j], wrong_ += visited_once ? 0 : 1;
    }
  }
}

}  // namespace tri::app
