// Compiled with -O2 in every build: a generation of a large triangle has millions of cells.

#include "app/session/automata.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "app/support/language.hpp"
#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/fractal/automaton.hpp"

namespace tri::app {

struct FractalPicture::Query {
  u32 col, row, cols, rows, step;
  std::vector<u64> on, cells;  ///< [cols * rows]

  /// Texels [first, last) that the coordinates [at, at + size) touch, clipped to the window.
  static std::pair<u64, u64> texels(u64 at, u64 size, u64 from, u64 count, u64 step) {
    const u64 end = from + count * step;
    if (at + size <= from || at >= end) return {0, 0};
    const u64 first = at > from ? (at - from) / step : 0;
    return {first, (std::min(at + size, end) - 1 - from) / step + 1};
  }
};

FractalPicture::FractalPicture(const FractalShape& shape, u32 levels)
    : shape_(shape), levels_(levels), side_(static_cast<u32>(power_of(shape.scale(), levels))) {
  for (u32 v = 0; v <= levels; ++v) {
    const u32 k = shape.replicas();
    const u64 width = packed_width(k, levels) / power_of(k, (v + 1) / 2);
    widths_.push_back(static_cast<u32>(width));
    sums_.emplace_back(width * (packed_height(k, levels) / power_of(k, v / 2)));
    sizes_.push_back(power_of(shape.scale(), v));
    cell_counts_.push_back(power_of(k, v));
  }
}

void FractalPicture::update(std::span<const u8> cells) {
  TRI_EXPECTS(cells.size() == sums_[0].size());
  std::copy(cells.begin(), cells.end(), sums_[0].begin());
  const u32 k = shape_.replicas();
  for (u32 v = 1; v <= levels_; ++v) {
    const std::vector<u32>& fine = sums_[v - 1];
    std::vector<u32>& coarse = sums_[v];
    const u64 width = widths_[v], fine_width = widths_[v - 1];
    const bool along_row = (v & 1) != 0;
    for (u64 i = 0; i < coarse.size(); ++i) {
      const u64 x = i % width, y = i / width;
      const u64 first = along_row ? y * fine_width + x * k : y * k * fine_width + x;
      u32 sum = 0;
      for (u32 b = 0; b < k; ++b) sum += fine[first + b * (along_row ? 1 : fine_width)];
      coarse[i] = sum;
    }
  }
}

void FractalPicture::descend(Query& r, u32 level, PackedCell at, const FractalCell& corner) const {
  const auto [left, right] = Query::texels(corner.x, sizes_[level], r.col, r.cols, r.step);
  const auto [top, bottom] = Query::texels(corner.y, sizes_[level], r.row, r.rows, r.step);
  if (left == right || top == bottom) return;
  if (right - left == 1 && bottom - top == 1) {
    // Cells outside of the window do not count, even if they fall into a texel at its edge.
    const bool inside = corner.x >= r.col && corner.y >= r.row &&
                        corner.x + sizes_[level] <= r.col + u64{r.cols} * r.step &&
                        corner.y + sizes_[level] <= r.row + u64{r.rows} * r.step;
    if (inside) {
      r.on[top * r.cols + left] += sums_[level][at.x + u64{at.y} * widths_[level]];
      r.cells[top * r.cols + left] += cell_counts_[level];
      return;
    }
  }
  if (level == 0) return;  // a cell lies in one texel
  const u32 k = shape_.replicas(), width = static_cast<u32>(sizes_[level - 1]);
  for (u32 b = 0; b < k; ++b) {
    const FractalCell tau = shape_.tau(b);
    const PackedCell child = (level & 1) != 0 ? PackedCell{at.x * k + b, at.y} : PackedCell{at.x, at.y * k + b};
    descend(r, level - 1, child, {corner.x + tau.x * width, corner.y + tau.y * width, corner.z + tau.z * width});
  }
}

void FractalPicture::read(u32 col, u32 row, u32 cols, u32 rows, u32 step, std::span<float> out) const {
  const std::size_t texels = std::size_t{cols} * rows;
  TRI_EXPECTS(out.size() == texels && step > 0);
  Query query{col, row, cols, rows, step, std::vector<u64>(texels), std::vector<u64>(texels)};
  if (texels > 0) descend(query, levels_, {}, {});
  for (std::size_t t = 0; t < texels; ++t) {
    out[t] = query.cells[t] == 0
                 ? std::numeric_limits<float>::quiet_NaN()
                 : static_cast<float>(static_cast<double>(query.on[t]) / static_cast<double>(query.cells[t]));
  }
}

namespace {

bool same(const CellWork& a, const CellWork& b) {
  return a.map == b.map && a.placement == b.placement && a.block == b.block && a.threads == b.threads;
}

}  // namespace

void FractalWorld::open(const FractalChoice& choice) {
  AutomatonSpec spec = automaton_from(choice.scene);
  if (spec.triangle != 0) {
    throw ConfigError(fmt::format("{} is in the pane Automaton; this one shows fractals.", kTriangleLife));
  }
  spec.work = choice.work;
  if (!backend_) backend_ = make_backend_(), backend_name_ = backend_->info().name;
  auto automaton = backend_->make_automaton(spec);
  picture_ = std::make_unique<FractalPicture>(spec.fractal.shape, spec.levels);
  automaton_ = std::move(automaton);
  due_ = 0;
  ++changes_;
}

void FractalWorld::apply(FractalChoice& choice) {
  const bool other = choice.scene != scene_ || choice.restarts != restarts_;
  const bool work = !same(choice.work, work_);
  if (!other && !work) return;
  scene_ = choice.scene, restarts_ = choice.restarts, work_ = choice.work;
  try {
    if (other) {
      open(choice);
      choice.steps = 0;
    } else if (automaton_) {
      automaton_->configure(choice.work);
    }
    choice.error.clear();
  } catch (const Error& error) {
    choice.error = stated(error.what());
  }
}

void FractalWorld::advance(FractalChoice& choice, double seconds, double budget) {
  if (!automaton_) return;
  run_steps(choice, due_, seconds, budget, [&] {
    automaton_->step(1);
    ++choice.steps, ++changes_;
  });
}

const FractalPicture& FractalWorld::picture() {
  if (pictured_ != changes_) picture_->update(automaton_->read()), pictured_ = changes_;
  return *picture_;
}

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
