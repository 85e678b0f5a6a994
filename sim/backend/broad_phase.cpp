/// How many cells, how large and from where: once from the radii and the places of the bulk.

#include "sim/backend/broad_phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sim/base/error.hpp"

namespace tri {
namespace {

constexpr std::size_t kSample = 4096;
/// Cells of an axis of open space: the fold comes before CellGrid::kFarthest.
constexpr u32 kMaxOfAxis = 1u << 12;
/// Cells of a periodic axis: rounding a distance across the wall costs up to 2^-24 of the side, which stays far below
/// the margin of a cell.
constexpr u32 kMaxOfPeriodicAxis = 1u << 12;
/// Cells in all, within 32 bits.
constexpr u64 kMaxCells = u64{1} << 27;

struct Extent {
  double low = 0, length = 0;
};

/// From the first hundredth to the last of an evenly spaced sample.
template <class Real>
Extent extent_of(const Real* values, std::size_t n) {
  std::vector<Real> sample;
  const std::size_t step = std::max<std::size_t>(1, n / kSample);
  for (std::size_t i = 0; i < n; i += step) sample.push_back(values[i]);
  const auto outer = static_cast<std::ptrdiff_t>(sample.size() / 100);
  const auto low = sample.begin() + outer, high = sample.end() - 1 - outer;
  std::nth_element(sample.begin(), low, sample.end());
  const double first = static_cast<double>(*low);
  std::nth_element(sample.begin(), high, sample.end());
  return {first, static_cast<double>(*high) - first};
}

using Extents = std::array<Extent, 3>;

/// The side that gives cells of `occupancy` bodies in the volume of the extents, none of which counts as thinner than a
/// cell can be.
double wanted_side(const Extents& extents, double least, double n, double occupancy) {
  double volume = 1;
  for (const Extent& e : extents) volume *= std::max(e.length, least);
  const double side = std::cbrt(volume * occupancy / n);
  return std::isfinite(side) ? std::max(least, side) : least;  // the volume may be beyond float64
}

u64 product(const u32 (&cells)[3]) { return u64{cells[0]} * cells[1] * cells[2]; }

template <class Real>
CellGrid<Real> open_grid(const Extents& extents, double side, u64 most_cells) {
  CellGrid<Real> grid;
  u32(&cells)[3] = grid.cells;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.origin[axis] = static_cast<Real>(extents[axis].low);
    grid.inverse_side[axis] = static_cast<Real>(1 / side);
    cells[axis] = 4;
  }
  const auto need = [&](std::size_t axis) { return extents[axis].length / side / cells[axis]; };
  while (2 * product(cells) <= most_cells) {
    std::size_t longest = 3;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (cells[axis] < kMaxOfAxis && need(axis) > 1 && (longest == 3 || need(axis) > need(longest))) longest = axis;
    }
    if (longest == 3) break;
    cells[longest] *= 2;
  }
  return grid;
}

template <class Real>
GridChoice<Real> periodic_grid(const Box& box, double side, double least, u64 most_cells) {
  GridChoice<Real> choice;
  CellGrid<Real>& grid = choice.grid;
  double length[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // The box with the rounded walls, as positions and images have it (laws/nearest_image.hpp).
    grid.origin[axis] = static_cast<Real>(box.low[axis]);
    length[axis] = static_cast<double>(static_cast<Real>(box.high[axis]) - grid.origin[axis]);
    // Three cells where the radii allow them, however few the bodies.
    const double whole = std::max(std::floor(length[axis] / side), length[axis] >= 3 * least ? 3.0 : 0.0);
    if (!(whole >= 3)) return {};
    grid.cells[axis] = static_cast<u32>(std::min<double>(whole, kMaxOfPeriodicAxis));
  }
  // Larger cells than needed, where the bodies fill little of the box.
  while (product(grid.cells) > most_cells) {
    u32& most = *std::max_element(std::begin(grid.cells), std::end(grid.cells));
    if (most < 6) break;
    most /= 2;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.inverse_side[axis] = static_cast<Real>(grid.cells[axis] / length[axis]);
  }
  choice.usable = true;
  return choice;
}

/// For `bodies` spheres, of which s is all or a sample.
template <class Real, class Given>
GridChoice<Real> choose(const Spheres<Given>& s, double radius, u64 bodies, const Box& box, double occupancy) {
  TRI_EXPECTS(s.n > 0 && occupancy > 0);
  const Extents extents{extent_of(s.x, s.n), extent_of(s.y, s.n), extent_of(s.z, s.n)};
  const double longest = std::max({extents[0].length, extents[1].length, extents[2].length});
  // Points have no reach; their cells have some size all the same.
  const double least = std::max(2 * radius * (1 + kGridMargin), longest * 1e-3);
  const double n = static_cast<double>(bodies);
  const double side = wanted_side(extents, least, n, occupancy);
  const u64 most_cells = static_cast<u64>(std::clamp(4 * n / occupancy, 64.0, static_cast<double>(kMaxCells)));
  if (box.boundary == Boundary::periodic) return periodic_grid<Real>(box, side, least, most_cells);
  return {open_grid<Real>(extents, side > 0 ? side : 1.0, most_cells), true};
}

template <class Real, class Given>
GridChoice<Real> choose(const Spheres<Given>& s, const Box& box, double occupancy) {
  TRI_EXPECTS(s.n > 0);
  return choose<Real>(s, static_cast<double>(*std::max_element(s.r, s.r + s.n)), s.n, box, occupancy);
}

}  // namespace

template <class Real>
GridChoice<Real> make_cell_grid(const Spheres<Real>& spheres, const Box& box, double occupancy) {
  return choose<Real>(spheres, box, occupancy);
}

template <class Real>
GridChoice<Real> make_cell_grid(const Spheres<Real>& sample, double radius, u64 n, const Box& box, double occupancy) {
  return choose<Real>(sample, radius, n, box, occupancy);
}

Box box_of_sides(const std::vector<double>& sides, double largest_radius) {
  if (sides.empty()) return {};
  const double other = std::max(8 * largest_radius, 0.01 * *std::max_element(sides.begin(), sides.end()));
  Box box{{0, 0, 0}, {other, other, other}, Boundary::periodic};
  std::copy(sides.begin(), sides.end(), box.high.begin());
  return box;
}

template <class Real>
GridChoice<Real> make_cell_grid(const Bodies& b, const Box& box, double occupancy) {
  return choose<Real>(Spheres<double>{b.x.data(), b.y.data(), b.z.data(), b.r.data(), b.size()}, box, occupancy);
}

BroadPhase choose_broad_phase(BroadPhase asked, PairLaw law, bool grid_pays) {
  if (law != PairLaw::contact) {
    if (asked != BroadPhase::grid) return BroadPhase::all_pairs;
    throw ConfigError(
        fmt::format("--broad-phase grid finds contacts of spheres, and the pair law is {}. Use --broad-phase auto.",
                    to_string(law)));
  }
  if (asked != BroadPhase::automatic) return asked;
  return grid_pays ? BroadPhase::grid : BroadPhase::all_pairs;
}

void refuse_grid() {
  throw ConfigError(
      "--broad-phase grid: the periodic box is less than three cells wide, and a cell holds the largest sphere. Use "
      "--broad-phase auto.");
}

template GridChoice<float> make_cell_grid(const Spheres<float>&, const Box&, double);
template GridChoice<double> make_cell_grid(const Spheres<double>&, const Box&, double);
template GridChoice<float> make_cell_grid(const Spheres<float>&, double, u64, const Box&, double);
template GridChoice<double> make_cell_grid(const Spheres<double>&, double, u64, const Box&, double);
template GridChoice<float> make_cell_grid(const Bodies&, const Box&, double);
template GridChoice<double> make_cell_grid(const Bodies&, const Box&, double);

}  // namespace tri
