// Compiled with -O2: a generation of a large triangle is millions of cells.

#include "app/triangle_automaton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/contracts.hpp"
#include "sim/error.hpp"

namespace tri::app {
namespace {

/// splitmix64 (Steele, Lea and Flood 2014): the k-th number of a seed without those before it.
u64 hashed(u64 seed, u64 k) {
  u64 z = seed + (k + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

}  // namespace

LifeRule parse_rule(const std::string& text) {
  LifeRule rule{0, 0};
  const std::size_t slash = text.find('/');
  const auto read = [&](std::size_t from, std::size_t to, char letter, u32& bits) {
    if (from >= to || text[from] != letter) return false;
    for (std::size_t k = from + 1; k < to; ++k) {
      if (text[k] < '0' || text[k] > '8') return false;
      bits |= 1u << static_cast<u32>(text[k] - '0');
    }
    return true;
  };
  if (slash == std::string::npos || !read(0, slash, 'B', rule.born) || !read(slash + 1, text.size(), 'S', rule.stays)) {
    throw ConfigError(fmt::format(
        "'{}' is no rule. Write as B3/S23 with how many neighbours, 0 to 8, a cell is born and stays.", text));
  }
  return rule;
}

std::string to_string(const LifeRule& rule) {
  std::string born = "B", stays = "/S";
  for (u32 k = 0; k <= 8; ++k) {
    if ((rule.born >> k & 1u) != 0) born += static_cast<char>('0' + k);
    if ((rule.stays >> k & 1u) != 0) stays += static_cast<char>('0' + k);
  }
  return born + stays;
}

TriangleAutomaton::TriangleAutomaton(u32 side, const LifeRule& rule, u64 seed) : side_(side), rule_(rule) {
  TRI_EXPECTS(side >= kLeastSide && side <= kMostSide);
  const std::size_t stride = side_ + 2, all = stride * stride;
  now_.assign(all, kDead), next_.assign(all, kDead), turns_.assign(all, 0);
  shown_.assign(std::size_t{side_} * side_, kOutside);
  u64 k = 0;
  for (u32 i = 0; i < side_; ++i) {
    for (u32 j = 0; j <= i; ++j) now_[(i + 1) * stride + j + 1] = hashed(seed, k++) % 10 < 3 ? kAlive : kDead;
  }
  std::fill(turns_.begin(), turns_.end(), u8{1});
  show();
}

void TriangleAutomaton::set(u32 row, u32 col, bool alive) {
  TRI_EXPECTS(row < side_ && col <= row);
  now_[(row + 1) * std::size_t{side_ + 2} + col + 1] = alive ? kAlive : kDead;
  show();
}

/// The cells of a tile that lie in the triangle; row and col: of its first cell.
void TriangleAutomaton::tile(u32 row, u32 col, u32 cells) {
  const std::size_t stride = side_ + 2;
  const u32 end = std::min(side_, row + cells);
  for (u32 i = row; i < end; ++i) {
    const u8* const above = &now_[i * stride];
    const u8 *const here = above + stride, *const below = here + stride;
    u8* const to = &next_[(i + 1) * stride];
    u8* const turns = &turns_[(i + 1) * stride];
    const u32 last = std::min(i + 1, col + cells);
    for (u32 c = col + 1; c <= last; ++c) {
      const u32 living = static_cast<u32>(above[c - 1]) + above[c] + above[c + 1] + here[c - 1] + here[c + 1] +
                         below[c - 1] + below[c] + below[c + 1];
      const u32 bits = here[c] == kAlive ? rule_.stays : rule_.born;
      to[c] = static_cast<u8>(bits >> living & 1u);
      turns[c] = static_cast<u8>(turns[c] + (turns[c] < 2 ? 1 : 0));
    }
  }
}

void TriangleAutomaton::step(const DomainPicture& tiles) {
  TRI_EXPECTS(tiles.domain == tri::Domain::triangle && tiles.side >= 1 && tiles.side <= side_);
  const u32 cells = (side_ + tiles.side - 1) / tiles.side;
  std::fill(next_.begin(), next_.end(), kDead);
  std::fill(turns_.begin(), turns_.end(), u8{0});
  for (const DomainTile& t : tiles.tiles) {
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
    const u8* const turns = &turns_[(i + 1) * stride + 1];
    u8* const to = &shown_[std::size_t{i} * side_];
    for (u32 j = 0; j <= i; ++j) {
      const bool right = turns[j] == 1;
      cells[j] = right ? cells[j] : kDead;
      to[j] = right ? cells[j] : kWrong;
      alive_ += cells[j], wrong_ += right ? 0 : 1;
    }
  }
}

}  // namespace tri::app
