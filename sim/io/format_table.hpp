#pragma once
/// The interface of a format to the registry. A new format is one source file, its declarations here and one row in
/// format_registry.cpp.

#include <cmath>
#include <limits>

#include "sim/io/files/atomic_file.hpp"
#include "sim/io/format.hpp"

namespace tri::io {

class LineReader;

/// What a format stores besides mass, position and velocity.
struct Stores {
  bool radius = false, group = false, charge = false, time = false;
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

}  // namespace tri::io
