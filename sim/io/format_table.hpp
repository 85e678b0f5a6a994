#pragma once
/// What a format gives the registry. A new format is one source file, its declarations here and one row in
/// format_registry.cpp.

#include "sim/io/atomic_file.hpp"
#include "sim/io/format.hpp"

namespace tri::io {

struct Format {
  FormatInfo info;
  bool carries_radius;
  Bodies (*read_bodies)(const std::string& path, Notes* notes);
  void (*write_bodies)(OutputFile& file, const Bodies& bodies);
  PointSet (*read_points)(const std::string& path);  ///< nullptr: the format holds bodies only
};

Bodies read_tab(const std::string& path, Notes* notes);
void write_tab(OutputFile& file, const Bodies& bodies);

Bodies read_csv(const std::string& path, Notes* notes);
void write_csv(OutputFile& file, const Bodies& bodies);
PointSet read_csv_points(const std::string& path);

Bodies read_npy(const std::string& path, Notes* notes);
void write_npy_bodies(OutputFile& file, const Bodies& bodies);
PointSet read_npy_points(const std::string& path);

Bodies read_hdf5(const std::string& path, Notes* notes);
void write_hdf5(OutputFile& file, const Bodies& bodies);

/// Every dialect is read. Written are the standard (XDR: big-endian), and little-endian with ids of 32 and 64 bits.
Bodies read_tipsy(const std::string& path, Notes* notes);
void write_tipsy_standard(OutputFile& file, const Bodies& bodies);
void write_tipsy_native(OutputFile& file, const Bodies& bodies);
void write_tipsy_wide_ids(OutputFile& file, const Bodies& bodies);

/// Largest number of features of a point.
inline constexpr std::size_t kMostFeatures = 16;

}  // namespace tri::io
