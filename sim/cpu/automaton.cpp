#include "sim/cpu/automaton.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/kernels.hpp"
#include "sim/cpu/tile_loop.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cpu {
namespace {

u64 place_of(const FractalShape& shape, const FractalCell& cell, u32 n) {
  return cell.x + u64{n} * (cell.y + (shape.dimensions() == 3 ? u64{n} * cell.z : 0));
}

FractalTiles family_map(const FractalWalk& walk) {
  return {walk.map, walk.shape, walk.grid.tile_levels(), walk.threads * 4};
}

void for_each_tile_of(const FractalWalk& walk, FunctionRef<void(u32, const FractalCell&)> work) {
  if (walk.gasket) {
    const auto flat = [&](u32 thread, CellTile tile) { work(thread, {tile.x, tile.y, 0}); };
    for_each_tile(walk.map, walk.grid.tile_levels(), walk.threads, flat);
  } else {
    for_each_tile(family_map(walk), walk.threads, [&](u32 thread, FractalCell tile) { work(thread, tile); });
  }
}

/// visit(cell) for the cells of a tile, as the placement enumerates them. Placements without single cells use subbox.
template <class Shape, class Visit>
void cells_of_tile(const FractalWalk& walk, const Shape& shape, const Visit& visit) {
  const u32 block = walk.grid.block, inner = walk.grid.inner;
  if (walk.placement == GasketPlacement::lut) {
    for (const u32 cell : walk.table) visit(unpacked_cell(cell));
  } else if (walk.placement == GasketPlacement::unroll) {
    const u64 count = fractal_cells(walk.shape, inner);
    for (u64 w = 0; w < count; ++w) visit(shape.cell(w, inner));
  } else {
    const u32 layers = shape.dimensions() == 3 ? block : 1;
    for (u32 z = 0; z < layers; ++z) {
      for (u32 y = 0; y < block; ++y) {
        for (u32 x = 0; x < block; ++x) {
          if (shape.holds({x, y, z}, inner)) visit(FractalCell{x, y, z});
        }
      }
    }
  }
}

/// work(thread, cell, index in the embedded array) for every cell.
template <class Work>
void for_each_cell(const FractalWalk& walk, const Work& work) {
  const u32 n = walk.grid.side, block = walk.grid.block;
  for_each_tile_of(walk, [&](u32 thread, const FractalCell& tile) {
    const FractalCell corner{tile.x * block, tile.y * block, tile.z * block};
    const auto visit = [&](const FractalCell& in) {
      const FractalCell cell{corner.x + in.x, corner.y + in.y, corner.z + in.z};
      work(thread, cell, place_of(walk.shape, cell, n));
    };
    if (walk.gasket) {
      cells_of_tile(walk, GasketShape{}, visit);
    } else {
      cells_of_tile(walk, walk.shape, visit);
    }
  });
}

/// The neighbours of the cell.
u32 sum_about(const u8* now, const FractalCell& cell, u64 at, u32 n, bool solid) {
  u32 sum = 0;
  for (u32 z = solid ? 0 : 1; z < (solid ? 3 : 2); ++z) {
    if (cell.z + z - 1 >= n) continue;  // wraps below 0
    for (u32 y = 0; y < 3; ++y) {
      if (cell.y + y - 1 >= n) continue;
      const u8* row = now + (at + (z - u64{1}) * n * n + (y - u64{1}) * n);
      if (cell.x > 0) sum += row[-1];
      sum += row[0];
      if (cell.x + 1 < n) sum += row[1];
    }
  }
  return sum;
}

u32 sum_about(const u8* at, const CompactTile& tile) {
  u32 sum = 0;
  const i64 row = tile.pitch, plane = tile.dimensions == 3 ? row * row : 0;
  for (i64 z = -plane; z <= plane; z += plane) {
    for (i64 y = -row; y <= row; y += row) {
      const u8* middle = at + z + y;
      sum += u32{middle[-1]} + middle[0] + middle[1];
    }
    if (plane == 0) break;
  }
  return sum;
}

/// The index in storage of the corner of each tile in the neighbourhood; none where there is no tile.
void find_corners(const FractalWalk& walk, const CompactTile& tile, const FractalCell& centre, u64* corners) {
  const u32 levels = walk.grid.tile_levels(), side = walk.grid.side / walk.grid.block;
  const u64 row = packed_width(walk.shape.replicas(), walk.grid.levels);
  for (u32 s = 0; s < tile.sides(); ++s) {
    const FractalCell at = neighbour_tile(centre, s, tile.dimensions);
    const bool there = at.x < side && at.y < side && at.z < side && walk.shape.holds(at, levels);
    const PackedCell packed = there ? walk.shape.pack(at, levels, walk.grid.inner) : PackedCell{};
    corners[s] = there ? packed.x + packed.y * row : ~u64{0};
  }
}

/// The sum over the neighbours of a spin, whose box holds boxed_spin().
u32 spins_about(const u8* at, const CompactTile& tile, SpinNeighbours neighbours) {
  if (neighbours == SpinNeighbours::all) return sum_about(at, tile) - *at;
  const i64 row = tile.pitch, plane = row * row;
  const u32 flat = u32{at[-1]} + at[1] + at[-row] + at[row];
  return tile.dimensions == 3 ? flat + at[-plane] + at[plane] : flat;
}

/// work(thread, cell of compact storage, its slot in the box of its tile), once the box holds load(cell) for each of
/// its cells, and 0 where there is none.
template <class Load, class Work>
void for_each_boxed_cell(const FractalWalk& walk, const CompactTile& tile, const Load& load, const Work& work) {
  const u64 row = packed_width(walk.shape.replicas(), walk.grid.levels);
  std::vector<std::vector<u8>> boxes(walk.threads, std::vector<u8>(tile.slots));
  for_each_tile_of(walk, [&](u32 thread, const FractalCell& centre) {
    u64 corners[27];
    find_corners(walk, tile, centre, corners);
    std::vector<u8>& box = boxes[thread];
    for (const BoxCell& cell : tile.cells) {
      const u64 from = corners[cell.side];
      box[cell.slot] = from == ~u64{0} ? u8{0} : load(from + cell.x + cell.y * row);
    }
    for (u32 c = 0; c < tile.own; ++c) {
      const BoxCell& cell = tile.cells[c];
      work(thread, corners[tile.centre()] + cell.x + cell.y * row, box.data() + cell.slot);
    }
  });
}

template <class Copy>
void copy_cells(const FractalShape& shape, u32 levels, const Copy& copy) {
  const u32 n = static_cast<u32>(power_of(shape.scale(), levels));
  const u64 width = packed_width(shape.replicas(), levels), cells = fractal_cells(shape, levels);
  for (u64 c = 0; c < cells; ++c) {
    const PackedCell packed{static_cast<u32>(c % width), static_cast<u32>(c / width)};
    copy(c, place_of(shape, shape.cell(packed, levels), n));
  }
}

}  // namespace

FractalWalk::FractalWalk(const Fractal& fractal, const FractalGrid& grid_in, const CellWork& work)
    : shape(fractal.shape),
      gasket(fractal.is_gasket()),
      grid(grid_in),
      map(work.map),
      placement(work.placement),
      threads(std::max(1u, work.threads)) {
  check_map(fractal, grid, map);
  if (placement == GasketPlacement::lut) table = tile_cells(shape, grid.inner);
}

LaunchCounts count_launch(const FractalWalk& walk) {
  if (walk.gasket) return count_launch(walk.map, walk.grid.tile_levels(), walk.threads);
  return count_launch(family_map(walk));
}

void write_cells(const FractalWalk& walk, u8* cells) {
  for_each_cell(walk, [&](u32, const FractalCell&, u64 at) { cells[at] = 1; });
}

u64 sum_cells(const FractalWalk& walk, const u8* cells) {
  std::vector<u64> sums(walk.threads * 8);  // a cache line per thread
  for_each_cell(walk, [&](u32 thread, const FractalCell&, u64 at) { sums[thread * 8] += cells[at]; });
  return std::accumulate(sums.begin(), sums.end(), u64{0});
}

void step_embedded(const FractalWalk& walk, const LifeRule& rule, const u8* now, u8* next) {
  const u32 n = walk.grid.side;
  const bool solid = walk.shape.dimensions() == 3;
  for_each_cell(walk, [&](u32, const FractalCell& cell, u64 at) {
    next[at] = rule.next(now[at], sum_about(now, cell, at, n, solid) - now[at]);
  });
}

void step_compact(const FractalWalk& walk, const CompactTile& tile, const LifeRule& rule, const u8* now, u8* next) {
  for_each_boxed_cell(
      walk, tile, [&](u64 cell) { return now[cell]; },
      [&](u32, u64 cell, const u8* at) { next[cell] = rule.next(*at, sum_about(at, tile) - *at); });
}

void sweep_spins(const FractalWalk& walk, const CompactTile& tile, const SpinRule& rule, u64 sweep, u8* spins) {
  const u64 colours = walk.shape.replicas();  // rows of storage are multiples of it, so the column is the cell's digit
  for (u64 colour = 0; colour < colours; ++colour) {
    // Cells of the colour that is asked are nobody's neighbours, and others may be writing them.
    const auto load = [&](u64 cell) { return cell % colours == colour ? u8{0} : boxed_spin(spins[cell]); };
    for_each_boxed_cell(walk, tile, load, [&](u32, u64 cell, const u8* at) {
      if (cell % colours != colour) return;
      spins[cell] = rule.next(spins[cell], spins_about(at, tile, rule.neighbours), cell, sweep);
    });
  }
}

SpinSums sum_spins(const FractalWalk& walk, const CompactTile& tile, SpinNeighbours neighbours, const u8* spins) {
  struct alignas(64) OfThread {
    SpinSums sums;
  };
  std::vector<OfThread> threads(walk.threads);
  const auto load = [&](u64 cell) { return boxed_spin(spins[cell]); };
  for_each_boxed_cell(walk, tile, load, [&](u32 thread, u64 cell, const u8* at) {
    SpinSums& sums = threads[thread].sums;
    sums.magnetisation += spins[cell] != 0 ? 1 : -1;
    sums.alignment += SpinRule::alignment(spins[cell], spins_about(at, tile, neighbours));
  });
  SpinSums all;
  for (const auto& [sums] : threads) all.magnetisation += sums.magnetisation, all.alignment += sums.alignment;
  return all;
}

void step_triangle(const Walk<TriangleMapId>& walk, const LifeRule& rule, const u8* now, u8* next) {
  const u64 stride = u64{walk.grid.n} + 2;
  for_each_tile(walk.map, walk.grid, walk.threads, [&](u32, Tile2 tile) {
    const PairTile t = pair_tile(walk.grid, tile);
    for (u64 i = t.row0; i < t.row1; ++i) {
      const u8 *above = now + i * stride, *here = above + stride, *below = here + stride;
      u8* const to = next + (i + 1) * stride;
      const u64 end = t.diagonal ? i + 1 : t.col1;
      for (u64 c = t.col0 + u64{1}; c <= end; ++c) {
        const u32 living = u32{above[c - 1]} + above[c] + above[c + 1] + here[c - 1] + here[c + 1] + below[c - 1] +
                           below[c] + below[c + 1];
        to[c] = rule.next(here[c], living);
      }
    }
  });
}

void spread_cells(const FractalShape& shape, u32 levels, const u8* compact, u8* embedded) {
  LoopProgress progress(fractal_cells(shape, levels));
  copy_cells(shape, levels, [&](u64 c, u64 place) { progress.at(c), embedded[place] = compact[c]; });
}

void gather_cells(const FractalShape& shape, u32 levels, const u8* embedded, u8* compact) {
  copy_cells(shape, levels, [&](u64 c, u64 place) { compact[c] = embedded[place]; });
}

// An automaton on the host: two state arrays; each step reads one and writes the other.

namespace {

u32 checked_threads(u32 asked, u32 backend_threads) {
  const u32 threads = asked != 0 ? asked : backend_threads;
  if (threads <= kMaxThreads) return threads;
  throw ConfigError(fmt::format("--threads {} is more than {}; use fewer.", threads, kMaxThreads));
}

/// In three dimensions the halo of a tile limits it to 32.
u32 most_block(const FractalShape& shape) { return shape.dimensions() == 3 ? 32 : 64; }

class CpuAutomaton final : public Automaton {
 public:
  CpuAutomaton(const AutomatonSpec& spec, u32 threads) : spec_(spec), backend_threads_(threads) {
    spec_.work = completed(spec.work);
    check_automaton(spec_);
    const bool compact = spec_.storage == CellStorage::compact;
    require_memory(
        2 * spec_.bytes() + (compact ? 0 : static_cast<double>(spec_.cells())),
        fmt::format("two {} states of {} at r = {}", to_string(spec_.storage), spec_.fractal.name, spec_.levels),
        compact ? "Use fewer levels" : "Use fewer levels, or storage=compact");
    const u64 size = static_cast<u64>(spec_.bytes());
    for (auto& state : states_) assign_watched(state, size);
    if (compact) {
      states_[0] = initial_cells(spec_);
    } else {
      spread_cells(spec_.fractal.shape, spec_.levels, initial_cells(spec_).data(), states_[0].data());
    }
    prepare();
  }

  const AutomatonSpec& spec() const override { return spec_; }

  void configure(const CellWork& work) override {
    AutomatonSpec changed = spec_;
    changed.work = completed(work);
    check_automaton(changed);
    spec_ = changed;
    prepare();
  }

  void set_rule(const LifeRule& rule) override { spec_.rule = rule; }

  void step(u64 steps) override {
    if (steps == 0) return;
    const Stopwatch watch;
    for (u64 s = 0; s < steps; ++s) {
      const u8* now = states_[now_].data();
      u8* next = states_[1 - now_].data();
      if (spec_.temperature) {
        states_[1 - now_] = states_[now_];  // so that a sweep that is ended was not taken
        sweep_spins(*walk_, tile_, spec_.spins(), sweep_, next);
        ++sweep_;
      } else if (spec_.storage == CellStorage::compact) {
        step_compact(*walk_, tile_, spec_.rule, now, next);
      } else {
        step_embedded(*walk_, spec_.rule, now, next);
      }
      now_ = 1 - now_;
    }
    step_ms_ = watch.ms() / static_cast<double>(steps);
  }

  std::vector<u8> read() const override {
    if (spec_.storage == CellStorage::compact) return states_[now_];
    std::vector<u8> cells(spec_.cells());
    gather_cells(spec_.fractal.shape, spec_.levels, states_[now_].data(), cells.data());
    return cells;
  }

  double step_ms() const override { return step_ms_; }

  SpinSums spin_sums() const override {
    TRI_EXPECTS(spec_.temperature.has_value());
    return sum_spins(*walk_, tile_, spec_.neighbours, states_[now_].data());
  }

 private:
  CellWork completed(CellWork work) const {
    const FractalShape& shape = spec_.fractal.shape;
    // check_automaton() has already rejected too many levels.
    if (work.block == 0) {
      work.block =
          spec_.levels > 31 ? 1 : largest_block(shape, power_of(shape.scale(), spec_.levels), most_block(shape));
    }
    work.threads = checked_threads(work.threads, backend_threads_);
    return work;
  }

  void prepare() {
    walk_ = std::make_unique<FractalWalk>(spec_.fractal, check_automaton(spec_), spec_.work);
    tile_ = compact_tile(spec_.fractal.shape, walk_->grid.inner);
  }

  AutomatonSpec spec_;
  u32 backend_threads_;
  std::unique_ptr<FractalWalk> walk_;
  CompactTile tile_;
  std::array<std::vector<u8>, 2> states_;
  u32 now_ = 0;
  u64 sweep_ = 0;  ///< of spins
  double step_ms_ = 0;
};

/// On the triangle.
class CpuTriangleLife final : public Automaton {
 public:
  CpuTriangleLife(const AutomatonSpec& spec, u32 threads) : spec_(spec), backend_threads_(threads) {
    check_triangle_automaton(spec);
    require_memory(2.5 * spec.embedded_bytes(), fmt::format("two states of {} cells a side", spec.triangle),
                   "Use a smaller n");
    configure(spec.work);
    now_ = spread_triangle(initial_cells(spec), spec.triangle);
    assign_watched(next_, now_.size());
  }

  const AutomatonSpec& spec() const override { return spec_; }

  void configure(const CellWork& asked) override {
    CellWork work = asked;
    work.threads = checked_threads(work.threads, backend_threads_);
    if (work.block == 0) work.block = default_pair_block(spec_.triangle);
    TileGrid grid = triangle_grid(work.triangle_map, spec_.triangle, work.block);
    grid.diagonal = Diagonal::with;
    walk_ = {work.triangle_map, grid, worthwhile_threads(spec_.cells(), work.threads)};
    spec_.work = work, spec_.work.block = grid.block;
  }

  void set_rule(const LifeRule& rule) override {
    AutomatonSpec changed = spec_;
    changed.rule = rule;
    check_triangle_automaton(changed);
    spec_.rule = rule;
  }

  void step(u64 steps) override {
    if (steps == 0) return;
    const Stopwatch watch;
    for (u64 s = 0; s < steps; ++s) {
      step_triangle(walk_, spec_.rule, now_.data(), next_.data());
      now_.swap(next_);
    }
    step_ms_ = watch.ms() / static_cast<double>(steps);
  }

  std::vector<u8> read() const override { return gather_triangle(now_, spec_.triangle); }
  double step_ms() const override { return step_ms_; }
  SpinSums spin_sums() const override { TRI_UNREACHABLE("the cells of a triangle are no spins"); }

 private:
  AutomatonSpec spec_;
  u32 backend_threads_;
  Walk<TriangleMapId> walk_;
  std::vector<u8> now_, next_;  ///< as spread_triangle() has them
  double step_ms_ = 0;
};

}  // namespace

u32 default_fractal_block(const FractalShape& shape, u64 n) { return largest_block(shape, n, most_block(shape)); }

std::unique_ptr<Automaton> make_automaton(const AutomatonSpec& spec, u32 threads) {
  if (spec.triangle != 0) return std::make_unique<CpuTriangleLife>(spec, threads);
  return std::make_unique<CpuAutomaton>(spec, threads);
}

}  // namespace tri::cpu
