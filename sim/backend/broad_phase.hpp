#pragma once
/// The uniform grid of the broad phase: spheres that overlap lie in the same cell or in cells next to each other.
///
/// The grid is folded. A cell coordinate is counted from an origin without end in both directions, then taken modulo
/// the number of cells of its axis:
///
///     cell      ... 6  7 | 0  1  2  3  4  5  6  7 | 0  1 ...        8 cells
///     position           origin                   origin + 8 sides
///
/// Far parts of space share cells, which adds candidates and loses none; no pair is met twice as long as every axis has
/// three cells. So an open domain needs no bounds, a body that is flung away costs nothing, and a periodic box is the
/// case where the fold is the wall. Source of the idea: Teschner et al. 2003 (spatial hashing), with a modulo for the
/// hash so that neighbours stay neighbours.

#include <vector>

#include "sim/base/platform.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

/// Plain data, for host and device.
template <class Real>
struct CellGrid {
  Real origin[3] = {0, 0, 0};
  Real inverse_side[3] = {1, 1, 1};
  u32 cells[3] = {3, 3, 3};

  /// Beyond so many cells from the origin all positions count as one. Up to there the two roundings of a cell
  /// coordinate in float32 stay below 2^-7, which kGridMargin covers twice.
  static constexpr int kFarthest = 1 << 16;

  /// Does not fall when x grows. A position that is not a number has a coordinate too.
  TRI_HD u32 coordinate(Real x, u32 axis) const {
    const Real t = (x - origin[axis]) * inverse_side[axis];
    // Written so that NaN goes to the low end.
    const Real bounded = t > Real(-kFarthest) ? (t < Real(kFarthest) ? t : Real(kFarthest)) : Real(-kFarthest);
    int whole = static_cast<int>(bounded);
    if (static_cast<Real>(whole) > bounded) --whole;
    const int count = static_cast<int>(cells[axis]);
    const int folded = whole % count;
    return static_cast<u32>(folded < 0 ? folded + count : folded);
  }
  /// Number of the cell, x fastest.
  TRI_HD u32 cell_of(Real x, Real y, Real z) const {
    return (coordinate(z, 2) * cells[1] + coordinate(y, 1)) * cells[0] + coordinate(x, 0);
  }
  TRI_HD u32 count() const { return cells[0] * cells[1] * cells[2]; }
};

/// The side of a cell is at least so much longer, as a part of it, than the largest diameter.
inline constexpr double kGridMargin = 1.0 / 16;

/// A grid and whether it serves.
template <class Real>
struct GridChoice {
  CellGrid<Real> grid;
  bool usable = false;  ///< false: a periodic box that is not three cells wide on some axis
};

/// Where spheres are and how large: [n] each.
template <class Real>
struct Spheres {
  const Real* x;
  const Real* y;
  const Real* z;
  const Real* r;
  std::size_t n;
};

/// For these spheres and any later positions of them (radii do not change), cells of about `occupancy` bodies on the
/// average where radii allow it; never more than some n / occupancy cells in all. Extents are those of all but the
/// outermost hundredth on each side of each axis, judged by an evenly spaced sample. At least one sphere, finite.
/// Under periodic walls positions lie in the box.
template <class Real>
GridChoice<Real> make_cell_grid(const Spheres<Real>& spheres, const Box& box, double occupancy);

/// The same for a whole state, in whatever precision its cells will be counted.
template <class Real>
GridChoice<Real> make_cell_grid(const Bodies& bodies, const Box& box, double occupancy);

/// The same for n spheres, of which these are an evenly spaced sample, and `radius` is the largest.
template <class Real>
GridChoice<Real> make_cell_grid(const Spheres<Real>& sample, double radius, u64 n, const Box& box, double occupancy);

/// Periodic from 0 to one to three sides; none: open. Along an axis without a side all spheres are at 0, and any side
/// will do that lets a grid have its three cells.
Box box_of_sides(const std::vector<double>& sides, double largest_radius);

/// What a backend does for this law when `asked`: all pairs or a grid. grid_pays: what it takes when left to it. Throws
/// ConfigError for a grid under a law that is not contact.
BroadPhase choose_broad_phase(BroadPhase asked, PairLaw law, bool grid_pays);

/// Throws ConfigError: a grid was asked for by name and make_cell_grid() has none for this box.
[[noreturn]] void refuse_grid();

}  // namespace tri
