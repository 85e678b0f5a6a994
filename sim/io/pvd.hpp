#pragma once
/// pvd: ParaView's list of files with the time of each.

#include <string>
#include <vector>

namespace tri::io {

struct PvdEntry {
  double time = 0;
  std::string file;  ///< counted from the list's own folder
};

/// Throws FileError with file, line and cure.
std::vector<PvdEntry> read_pvd_entries(const std::string& path);

/// Written beside and renamed, like every file.
void write_pvd_entries(const std::string& path, const std::vector<PvdEntry>& entries);

}  // namespace tri::io
