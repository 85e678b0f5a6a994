#pragma once
/// File formats behind one registry: the extension of a path selects the format. The path `-` is standard input, read
/// as csv or tab, or standard output, written as csv.
///
///     tab   m x y z vx vy vz per line, separated by blanks; '#' starts a comment. Stores no radius and no group.
///     csv   named columns x,y,z and optionally m, r, vx,vy,vz, group and q, in any order (missing: m = 1, r = 0, v =
///     0);
///           mass, masses, radius and charge are read, too, and a column id or index is left out
///     npy   NumPy array; bodies are [N, 3] (x y z) or [N, 7] (m x y z vx vy vz); written as [N, 7] float64
///     hdf5  groups of the GADGET layout (sim/io/formats.hpp); sim/simulation.hpp adds the data for a restart
///     tipsy float32 records (sim/io/tipsy.cpp); values that float32 cannot represent are refused
///     xyz   count, comment with Properties=... and Time=..., one line per body (extended XYZ; plain XYZ is read too);
///           units of the size of atoms are written as angstrom-ps-amu, because readers take lengths for Angstrom
///     ply   Stanford polygon format, binary or text; the element vertex holds the bodies
///     vtp   VTK PolyData in XML; pvd  a list of such files with their times
///
/// Readers stream: memory is that of the bodies (up to three times while arrays grow), never what a header claims.
/// Every failure is a FileError, one sentence with file, line and column where there are any, and a hint. Thread-safe,
/// except that a path must be written by one thread at a time.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/units.hpp"

namespace tri {

struct FormatInfo {
  const char* name;         ///< "tab", "csv", ...
  const char* extensions;   ///< ".tab"; separated by blanks, case-insensitive
  bool reads, writes;       ///< bodies
  const char* description;  ///< one line
};

std::span<const FormatInfo> list_formats();

/// Whether the path ends in an extension of list_formats().
bool has_known_extension(const std::string& path);

/// The name of the path's format; empty for an unknown extension.
std::string format_name(const std::string& path);

/// Assumptions a reader made about a file, and data it skipped: one sentence each.
using Notes = std::vector<std::string>;

/// What is known of a state beside its bodies; a file takes what its format has room for.
struct StateInfo {
  double time = 0;
  std::string units;   ///< the name of a system (sim/model/units.hpp); any other text is not written
  Box box;             ///< none with open boundaries, but for a cell
  bool cell = false;   ///< the box is a cell of the file, whatever its boundaries
  bool names = false;  ///< the bodies have names, which no format stores
};

/// What a reader reports besides the bodies.
struct ReadReport {
  const UnitSystem* asked = nullptr;  ///< given to the reader: the units that the user names
  /// Given to the reader of csv: the column of a quantity ("x", "mass") or of names ("name"), by its name in the file.
  std::vector<std::pair<std::string, std::string>> columns = {};
  bool in_scene = false;                ///< given to the reader: the path is a key of a scene, in messages
  std::vector<std::string> names = {};  ///< of the bodies; empty: the file has none
  Notes notes;
  std::optional<double> time;         ///< of the state, if the file has it
  const UnitSystem* units = nullptr;  ///< of the numbers, if the file or the user names one
  std::string unknown_units;          ///< as the file names them; empty: it names none, or a system
  std::string loose_unit;             ///< "kpc" of a column "x [kpc]", which is not read; empty: none
  std::optional<Box> box;             ///< a cell with edges along the axes, if the file has one
  std::string strange_cell;           ///< "has ...": a periodic cell that no Box can be; empty: none
  std::string without_masses;         ///< "no column m": every mass is 1; empty: the file has masses
};

/// Reads at least one body; all values are finite, masses and radii >= 0. Appends to `notes` if given. A file that
/// names other units than `asked` is a ConfigError.
Bodies read_bodies(const std::string& path, Notes* notes = nullptr);
Bodies read_bodies(const std::string& path, ReadReport& reading);

/// The header of a csv file whose columns have to be chosen, because a reader does not know them; empty for a file that
/// is read as it stands, and for what is no csv file or cannot be read. Throws nothing.
std::vector<std::string> columns_to_choose(const std::string& path);

/// The box that the bodies of a file are in; one without walls if the file has none. Throws FileError for a periodic
/// cell that no Box can be: in open space, its bodies would be others.
Box box_of(const std::string& path, const ReadReport& reading);

/// Writes bodies so that read_bodies() restores every stored value bit for bit (xyz: in its units). A format without
/// radii refuses bodies that have some; groups, charges and time are dropped where a format has none. The file is
/// written as PATH.tmp-NUMBER, synced and renamed: an earlier file of that name survives any failure.
void write_bodies(const std::string& path, const Bodies& bodies, const StateInfo& state = {});
inline void write_bodies(const std::string& path, const Bodies& bodies, double time) {
  write_bodies(path, bodies, StateInfo{time, {}, {}});
}

/// Throws what write_bodies() would throw for a format that cannot store these bodies.
void check_storable(const std::string& path, const Bodies& bodies);

/// Reduces the bodies to what the format of this path can store and returns what was dropped: radii, groups, species,
/// charges, digits beyond float32, time, units, a periodic box, names. Empty if nothing was.
Notes make_storable(const std::string& path, Bodies& bodies, const StateInfo& state);
inline Notes make_storable(const std::string& path, Bodies& bodies, double time) {
  return make_storable(path, bodies, StateInfo{time, {}, {}});
}

/// What of a file becomes features of points.
struct PointColumns {
  std::vector<std::string> names;  ///< columns by name, in this order; empty: the default of read_points()
  bool fp32 = false;               ///< refuses numbers beyond the range of float32
};

/// Reads points of 1 to 16 features: from csv (each column a feature, the header line is optional), npy ([N] or [N,
/// features]), or a file of bodies, also a csv with the columns of bodies: then x, y, z. Appends to `notes`, if given,
/// what it left out.
PointSet read_points(const std::string& path, const PointColumns& columns = {}, Notes* notes = nullptr);

/// Writes a C-order NumPy array (version 1.0, little-endian) of 1 or 2 dimensions, atomically like bodies. The product
/// of `shape` is values.size(). The extension of the path does not matter.
void write_npy(const std::string& path, std::span<const float> values, std::span<const u64> shape);
void write_npy(const std::string& path, std::span<const double> values, std::span<const u64> shape);
void write_npy(const std::string& path, std::span<const u8> values, std::span<const u64> shape);

/// Writes an array of 1 to 3 dimensions in chunks: `fill(first, count, to)` produces the values [first, first + count)
/// in C order.
using NpyChunk = std::function<void(u64 first, u64 count, double* to)>;
void write_npy(const std::string& path, std::span<const u64> shape, const NpyChunk& fill);
/// The same for int64.
using NpyIntegers = std::function<void(u64 first, u64 count, i64* to)>;
void write_npy(const std::string& path, std::span<const u64> shape, const NpyIntegers& fill);

}  // namespace tri
