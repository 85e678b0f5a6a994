#pragma once
/// What the formats share: their table, columns, elements, headers, the tuning file.
///
/// Shared by formats with named columns: column names to body quantities, and storing their values.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/files/file.hpp"
#include "sim/files/hdf5.hpp"
#include "sim/files/text.hpp"
#include "sim/io/format.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/model/units.hpp"

namespace tri {
struct ReadReport;
}

namespace tri::io {

/// A column of bodies by its place in body_columns(). The first have names here; any other is one of the optional ones.
enum class Quantity : u8 { x, y, z, vx, vy, vz, mass, radius };

/// The column of the name of a single one, case-insensitive: "x", "Mass", "m", "r", ...; nullopt for an unknown name.
std::optional<Quantity> quantity_of(std::string_view name);
/// The first quantity of the name of three columns: x of "position", vx of "velocity", ...
std::optional<Quantity> vector_of(std::string_view name);
/// Its row of the table.
const ColumnInfo& info_of(Quantity quantity);

/// The quantity `columns` after q within a vector: x, 1 -> y.
constexpr Quantity after(Quantity q, u64 columns) { return static_cast<Quantity>(static_cast<u64>(q) + columns); }

/// Calls visit(ColumnInfo, values) for the optional columns that the bodies have and formats without atoms store.
template <class Visit>
void for_each_optional(const Bodies& bodies, const Visit& visit) {
  for_each_column(bodies, [&](const ColumnInfo& c, const auto& values) {
    if (c.has(ColumnInfo::kOptional) && !c.long_name.empty() && !values.empty()) visit(c, values);
  });
}

/// The system of this name, or unknown_units. Throws FileError for another name than before, if one is a system.
void apply_units(const std::string& path, std::string_view name, ReadReport& reading);
/// The same of a comment like "# units: si" or "units si". Also finds a loose_unit.
void apply_units_comment(const std::string& path, std::string_view comment, ReadReport& reading);
/// The unit behind one of these marks, "x [kpc]", "m_kg", "{name: x, unit: kpc}", "x in kpc"; empty: none.
std::string unit_in(std::string_view text, std::string_view marks);
/// "# units: si\n" for a state in a named system, else empty.
std::string units_comment(const std::string& units);

/// What is wrong with a finite value that the quantity does not take; `text` is how the file has it.
std::string problem_of(Quantity quantity, std::string_view text);

/// Validates and stores a value; returns "" or what is wrong with it: "-1 is negative; ...". The array of an optional
/// quantity is empty until it has a value.
std::string store_value(Bodies& bodies, std::size_t body, Quantity quantity, double value);

/// Memory for so many bodies.
inline void reserve(Bodies& b, u64 bodies) {
  for_each_column(b, [rows = static_cast<std::size_t>(bodies)](const ColumnInfo& c, auto& values) {
    if (!c.has(ColumnInfo::kOptional)) values.reserve(rows);
  });
}

/// Call it after every row: after the first 1000 it reserves memory for the estimated number of rows, so that the
/// arrays need not grow. Bounded by the file's size; unused pages are never touched.
inline void reserve_rows(Bodies& bodies, const LineReader& lines) {
  constexpr std::size_t kFirstRows = 1000;
  if (bodies.size() != kFirstRows) return;
  reserve(bodies, static_cast<u64>(1.02 * lines.expected_lines()));
}

// Numbers in the bytes of a file.

/// Whether numbers of this byte order are swapped here.
constexpr bool is_swapped(bool big_endian) { return big_endian != (std::endian::native == std::endian::big); }

template <class Item>
Item item_at(const char* at, bool swapped) {
  std::array<char, sizeof(Item)> raw;
  std::copy_n(at, raw.size(), raw.begin());
  if (swapped) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<Item>(raw);
}

template <class Item>
void put_item(char* at, Item item, bool swapped) {
  auto raw = std::bit_cast<std::array<char, sizeof(Item)>>(item);
  if (swapped) std::reverse(raw.begin(), raw.end());
  std::copy(raw.begin(), raw.end(), at);
}

// The chemical elements: symbols, and the standard atomic weights of IUPAC 2013 in u (Meija et al., Pure Appl. Chem.
// 88, 265, 2016; the conventional weight where that is an interval). Elements without stable isotopes have none.

inline constexpr u32 kElements = 118;

/// The atomic number of a symbol, as "Ar"; 0: no element has it.
u32 element_of(std::string_view symbol);

/// What a label of an atom says, as of PDB, CIF and other programs: "Ar", "AR", "Ar1", "Fe2+", "C_a", and "D" and "T",
/// hydrogen of mass 2 and 3. An element of 0: it names none.
struct Species {
  u32 element = 0;
  double weight = 0;  ///< in u; 0: it has none
  bool exact = true;  ///< the label is the symbol
};
Species species_of(std::string_view label);

/// The symbol of an atomic number; "X" for 0. At most kElements.
std::string_view symbol_of(u32 element);
/// Of the atomic number, in u; 0: it has none.
double weight_of(u32 element);

// The interface of a format to the registry. A new format is one source file, its declarations here and one row in
// format.cpp.

class LineReader;

/// What a format stores besides mass, position and velocity.
struct Stores {
  bool columns = false;  ///< all others with a long name
  bool time = false;
  bool units = false;   ///< the name of a system
  bool atoms = false;   ///< species and a periodic cell
  bool doubles = true;  ///< false: float32
};

struct Format {
  FormatInfo info;
  Stores stores;
  Bodies (*read_bodies)(const std::string& path, ReadReport& reading);
  void (*write_bodies)(OutputFile& file, const Bodies& bodies,
                       const StateInfo& state) = nullptr;  ///< nullptr: read only
  PointSet (*read_points)(const std::string& path, const PointColumns& columns, Notes& notes) = nullptr;  ///< or bodies
};

Bodies read_tab(const std::string& path, ReadReport& reading);
Bodies read_tab_lines(LineReader& lines, ReadReport& reading);
void write_tab(OutputFile& file, const Bodies& bodies, const StateInfo& state);

Bodies read_csv(const std::string& path, ReadReport& reading);
/// As columns_to_choose(); throws FileError for a file that cannot be read.
std::vector<std::string> unknown_columns(const std::string& path);
Bodies read_csv_lines(LineReader& lines, ReadReport& reading);
void write_csv(OutputFile& file, const Bodies& bodies, const StateInfo& state);
PointSet read_csv_points(const std::string& path, const PointColumns& columns, Notes& notes);

/// Standard input, as csv or tab.
Bodies read_stream(const std::string& path, ReadReport& reading);

Bodies read_npy(const std::string& path, ReadReport& reading);
void write_npy_bodies(OutputFile& file, const Bodies& bodies, const StateInfo& state);
PointSet read_npy_points(const std::string& path, const PointColumns& columns, Notes& notes);

Bodies read_hdf5(const std::string& path, ReadReport& reading);
void write_hdf5(OutputFile& file, const Bodies& bodies, const StateInfo& state);

/// Reads every dialect; writes the standard one (XDR: big-endian) and little-endian with 32-bit or 64-bit ids.
Bodies read_tipsy(const std::string& path, ReadReport& reading);
void write_tipsy_standard(OutputFile& file, const Bodies& bodies, const StateInfo& state);
void write_tipsy_native(OutputFile& file, const Bodies& bodies, const StateInfo& state);
void write_tipsy_wide_ids(OutputFile& file, const Bodies& bodies, const StateInfo& state);

Bodies read_xyz(const std::string& path, ReadReport& reading);
/// What is to be said of the units of a state in xyz, whose readers take numbers for Angstrom and u; empty: nothing.
std::string xyz_units_note(const StateInfo& state, bool atoms);
void write_xyz(OutputFile& file, const Bodies& bodies, const StateInfo& state);

Bodies read_ply(const std::string& path, ReadReport& reading);
void write_ply(OutputFile& file, const Bodies& bodies, const StateInfo& state);

Bodies read_vtp(const std::string& path, ReadReport& reading);
void write_vtp(OutputFile& file, const Bodies& bodies, const StateInfo& state);
/// Reads the listed file with the largest time.
Bodies read_pvd(const std::string& path, ReadReport& reading);

/// Maximum number of features of a point.
inline constexpr std::size_t kMaxFeatures = 16;

/// Whether a feature is refused, and what is wrong with it.
inline bool is_beyond(double value, const PointColumns& columns) {
  return columns.fp32 && std::fabs(value) > static_cast<double>(std::numeric_limits<float>::max());
}
inline constexpr const char* kBeyond = "is beyond float32, whose largest number is 3.4e38; use --precision fp64";

// Parses, validates and writes the header of a NumPy file (versions 1.0, 2.0 and 3.0).

struct NpyHeader {
  bool swapped = false;        ///< items have the other byte order than this machine
  bool fortran_order = false;  ///< column-major; only for files, not for pipes
  char kind = 'f';             ///< 'f' real, 'i' signed, 'u' unsigned
  u32 item_bytes = 8;          ///< f: 4, 8; i, u: 1, 2, 4, 8
  std::vector<u64> shape;      ///< 1 or 2 dimensions, none of them 0
  u64 rows() const { return shape[0]; }
  u64 columns() const { return shape.size() == 2 ? shape[1] : 1; }
};

/// Reads the header and leaves the file at the first item. Checks the shape against the size of a regular file, so that
/// the caller may allocate it. Throws FileError; for types that are not numbers the message has the line of Python that
/// converts them.
NpyHeader read_npy_header(InputFile& file);

/// Writes the header of a C-order array, little-endian: `type` is NumPy's ("<f4", "<f8", "<i8", "|u1"), the data
/// follows.
void write_npy_header(OutputFile& file, const char* type, std::span<const u64> shape);

// pvd: ParaView's list of files with their times.

struct PvdEntry {
  double time = 0;
  std::string file;  ///< relative to the folder of the list
};

/// Counts the files as read. Throws FileError with file, line and hint, also for two files at one time.
std::vector<PvdEntry> read_pvd_entries(const std::string& path);

/// Writes atomically, like every format.
void write_pvd_entries(const std::string& path, const std::vector<PvdEntry>& entries);

// Bodies in an HDF5 file in the GADGET layout (Springel 2005; GADGET-2 user guide, section 6.2): a group Header with
// attributes, and a group PartTypeK for each particle type with the datasets Coordinates, Velocities, Masses and
// ParticleIDs.
//
// Written bodies are of type 1 (collisionless), in order, with ids from 1, and with datasets Radius, Group, Species
// (atomic numbers) and Charge if they have radii, groups, species and charges, and CoordinatesRest if their positions
// carry a rest (Bodies::rest). When reading several types without Group, the group of a body is its type.

/// Writes the groups Header and PartType1; reals in `precision`, which must represent them exactly. Units of fixed size
/// become UnitLength_in_cm, UnitMass_in_g and UnitVelocity_in_cm_per_s of the header, and UnitSystem names them.
///
/// BoxSize is the side of a box that is a cube from 0 with walls. For any other it is that of a periodic box in which
/// readers such as yt, which need one, find every body once, with as much room around: the power of two from 4 max |x|
/// on. The header also has Boundary, and BoxLow and BoxHigh, the corners of a periodic box or of a cell.
void write_gadget(Hdf5Output& out, const Bodies& bodies, Precision precision, const StateInfo& state);

/// Reads the bodies of all PartType groups by increasing type, in file order. Masses come from Masses or from MassTable
/// in the header. Adds a note for datasets that are not used, and for ParticleIDs that do not count the bodies.
Bodies read_gadget(const Hdf5Input& in, Notes* notes);

/// Reads what GADGET, AREPO, GIZMO and SWIFT say of the state beside its bodies: time, units and a periodic box, each
/// by the names of these programs. Throws FileError for a state in an expanding universe, whose lengths are comoving,
/// and for units that are incomplete.
void read_gadget_header(const Hdf5Input& in, const Bodies& bodies, ReadReport& reading);

/// Whether this program wrote the file.
bool is_own_gadget(const Hdf5Input& in);

/// The BoxSize of bodies without walls.
double made_up_box_side(const Bodies& bodies);

// The tuning file: lines "work precision n choice" under a line "device NAME"; '#' starts a comment.
//
//     device NVIDIA H200
//     gravity fp32 1024 128
//     gravity fp32 16384 384
//
// One file per user holds all devices of the machine; writing the tuning of one device keeps the others.

/// tuning.txt in the user's configuration folder (file.hpp); empty if there is none.
std::string tuning_path();

/// All devices in the file; empty if it does not exist. Throws FileError with file, line and hint.
std::vector<Tuning> read_tunings(const std::string& path);

/// Replaces the tuning of its device, or appends it. Creates missing folders and writes atomically. Throws FileError.
void write_tuning(const std::string& path, const Tuning& tuning);

}  // namespace tri::io
