#pragma once
/// Automata on the cells of a fractal and of the triangle, on the host.
///
/// Loops over the cells of a fractal: host threads walk a map's launch grid, and a placement enumerates the cells of a
/// tile. Arrays as in sim/fractal/automaton.hpp; every cell is visited once.

#include <memory>

#include "sim/cpu/tile_loop.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/fractal/cells.hpp"

namespace tri::cpu {

struct FractalWalk {
  FractalWalk(const Fractal& fractal, const FractalGrid& grid, const CellWork& work);

  FractalShape shape;
  bool gasket;  ///< Fractal::is_gasket()
  FractalGrid grid;
  GasketMapId map;
  GasketPlacement placement;
  u32 threads;             ///< >= 1
  std::vector<u32> table;  ///< tile_cells() for lut, else empty
};

LaunchCounts count_launch(const FractalWalk& walk);

/// Writes 1 to every cell of the embedded array.
void write_cells(const FractalWalk& walk, u8* cells);
/// The sum of all cells of the embedded array.
u64 sum_cells(const FractalWalk& walk, const u8* cells);
/// One step in embedded storage; `now` must be 0 outside the cells; writes only the cells of `next`.
void step_embedded(const FractalWalk& walk, const LifeRule& rule, const u8* now, u8* next);
/// One step in compact storage; `tile` is compact_tile() for the walk's shape and inner levels.
void step_compact(const FractalWalk& walk, const CompactTile& tile, const LifeRule& rule, const u8* now, u8* next);

/// A sweep over the spins in compact storage, in place: colour by colour, each once.
void sweep_spins(const FractalWalk& walk, const CompactTile& tile, const SpinRule& rule, u64 sweep, u8* spins);
SpinSums sum_spins(const FractalWalk& walk, const CompactTile& tile, SpinNeighbours neighbours, const u8* spins);

/// One step of life on the triangle with its diagonal; states as spread_triangle() makes them. Writes the cells of the
/// triangle alone.
void step_triangle(const Walk<TriangleMapId>& walk, const LifeRule& rule, const u8* now, u8* next);

/// Copies a state from compact to embedded storage, leaving other elements unchanged, or back.
void spread_cells(const FractalShape& shape, u32 levels, const u8* compact, u8* embedded);
void gather_cells(const FractalShape& shape, u32 levels, const u8* embedded, u8* compact);

// Automata on host threads.

/// The default tile side: the largest of at most 64 cells.
u32 default_fractal_block(const FractalShape& shape, u64 n);

/// Throws ConfigError and MemoryError. threads: the backend's count, used where the spec gives none.
std::unique_ptr<Automaton> make_automaton(const AutomatonSpec& spec, u32 threads);

}  // namespace tri::cpu
