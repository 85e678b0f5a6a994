#pragma once
/// File formats behind one registry: the extension of a path chooses the format.
///
///     tab   m x y z vx vy vz on each line, split by blanks; '#' begins a comment. Carries no radius and no group.
///     csv   named columns x,y,z and optionally m, r, vx,vy,vz and group, in any order (missing: m = 1, r = 0, v = 0)
///     npy   NumPy array; bodies are [N, 3] (x y z) or [N, 7] (m x y z vx vy vz); written as [N, 7] float64
///     hdf5  groups of the GADGET layout (sim/io/gadget.hpp); sim/snapshot.hpp adds what a restart needs
///     tipsy records of float32 (sim/io/tipsy.cpp); values that float32 does not hold are refused
///     xyz   count, comment with Properties=... and Time=..., a line a body (extended XYZ; the plain form is read too)
///     ply   Stanford's, binary or text; the element vertex holds the bodies
///     vtp   VTK's PolyData in XML; pvd  a list of such files with their times
///
/// Readers stream: the memory is that of the bodies (at most three times while they grow), never what a header
/// announces. Every failure is a FileError whose one sentence holds the file, the line and column where there is one,
/// and the cure. Any thread may call; one thread a path for writing.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/model/bodies.hpp"

namespace tri {

struct FormatInfo {
  const char* name;         ///< "tab", "csv", ...
  const char* extensions;   ///< ".tab"; several are split by a blank. Compared without regard to case
  bool reads, writes;       ///< bodies
  const char* description;  ///< one line
};

std::span<const FormatInfo> list_formats();

/// Whether the path ends in an extension of list_formats().
bool has_known_extension(const std::string& path);

/// The name of the path's format; empty when its extension is none of list_formats().
std::string format_name(const std::string& path);

/// What a reader had to assume about a file, or found in it and left unread: a sentence each, for people.
using Notes = std::vector<std::string>;

/// What a reader has to tell beside the bodies.
struct Reading {
  Notes notes;
  std::optional<double> time;  ///< of the state, where the file says it
};

/// Reads bodies, all values finite, masses and radii >= 0, at least one body. Appends to `notes` where it is given.
Bodies read_bodies(const std::string& path, Notes* notes = nullptr);
Bodies read_bodies(const std::string& path, Reading& reading);

/// Writes bodies so that read_bodies() gives every carried value back bit for bit. A format that cannot carry a radius
/// refuses bodies that have one; groups and the time it leaves out. The file is written beside (PATH.tmp-PID), synced
/// and renamed: after any failure, or a kill, an earlier file of that name is whole.
void write_bodies(const std::string& path, const Bodies& bodies, double time = 0);

/// Throws what write_bodies() would for a format that cannot carry these bodies, before there is anything to lose.
void check_carried(const std::string& path, const Bodies& bodies);

/// Makes of the bodies what the format of this path carries, and says what it takes away: radii, groups, digits beyond
/// float32, the time. Nothing to say: write_bodies() keeps all.
Notes make_carriable(const std::string& path, Bodies& bodies, double time);

/// Reads points of 1 to 16 features: from csv (every column a feature, the line of names is optional) or npy
/// ([N] or [N, features]).
PointSet read_points(const std::string& path);

/// Writes a C-order NumPy array (version 1.0, little-endian) of 1 or 2 dimensions, beside and renamed like bodies.
/// The product of `shape` is values.size(). The path is taken as it is, whatever its extension.
void write_npy(const std::string& path, std::span<const float> values, std::span<const u64> shape);
void write_npy(const std::string& path, std::span<const double> values, std::span<const u64> shape);
void write_npy(const std::string& path, std::span<const u8> values, std::span<const u64> shape);

/// The same of 1 to 3 dimensions, in pieces, for what need not lie in memory as it stands in the file. `fill(first,
/// count, to)` gives the values [first, first + count) of the array, in order.
using NpyPiece = std::function<void(u64 first, u64 count, double* to)>;
void write_npy(const std::string& path, std::span<const u64> shape, const NpyPiece& fill);

}  // namespace tri
