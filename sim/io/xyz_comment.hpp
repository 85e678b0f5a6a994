#pragma once
/// The comment line of a frame of extended XYZ: KEY=VALUE in any order, where a value with blanks stands in quotes,
/// braces or brackets. Properties= names the columns, Lattice=, Origin= and pbc= the cell, units= a system of units.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/io/columns.hpp"
#include "sim/io/format.hpp"

namespace tri::io {

class LineReader;

/// What a column of a frame holds.
enum class XyzRole : u8 { unused, quantity, momentum, label, number };

struct XyzColumn {
  XyzRole role = XyzRole::unused;
  Quantity quantity = Quantity::x;  ///< of a quantity; vx, vy, vz of a momentum
};

struct XyzFrame {
  std::vector<XyzColumn> columns;
  bool plain = false;  ///< no Properties: a label and x y z, and whatever follows
  std::optional<double> time;
  ReadReport said;                  ///< units, box and strange_cell
  std::vector<std::string> unread;  ///< names of columns

  bool has(XyzRole role) const;
  bool has(Quantity quantity) const;
};

/// Fails with the line for Properties, a Lattice or a pbc that are none, and for two columns of one quantity.
XyzFrame xyz_frame_of(std::string_view comment, const LineReader& lines);

/// Lengths in Angstrom and masses in u, as ASE has them; its momenta are in sqrt(eV u).
bool is_ase(const UnitSystem& units);
/// ASE's unit of velocity, Angstrom over 10.18 fs, in units of this system.
double ase_velocity(const UnitSystem& units);

}  // namespace tri::io
