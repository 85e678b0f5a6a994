#pragma once
/// pvd: ParaView's list of files with their times.

#include <string>
#include <vector>

namespace tri::io {

struct PvdEntry {
  double time = 0;
  std::string file;  ///< relative to the folder of the list
};

/// Throws FileError with file, line and hint.
std::vector<PvdEntry> read_pvd_entries(const std::string& path);

/// Writes atomically, like every format.
void write_pvd_entries(const std::string& path, const std::vector<PvdEntry>& entries);

}  // namespace tri::io
