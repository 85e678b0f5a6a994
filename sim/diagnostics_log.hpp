#pragma once
/// The diagnostics of a run as a CSV file, one row a call, on disk as soon as the call returns.

#include <cstdio>
#include <memory>
#include <string>

#include "sim/simulation.hpp"

namespace tri {

/// The columns, in order, as the first line of the file has them.
inline constexpr const char* kDiagnosticsColumns =
    "step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,virial_ratio,cx,cy,cz";

/// The row in the order of kDiagnosticsColumns, reals with 17 significant digits, with the line's end.
std::string diagnostics_csv(const DiagnosticsRow& row);

class DiagnosticsLog {
 public:
  /// Begins the file anew with the line of names. Throws FileError.
  explicit DiagnosticsLog(const std::string& path);
  /// Appends one row and flushes it. Throws FileError when the disk is full.
  void write(const DiagnosticsRow& row);

 private:
  struct Close {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };
  void append(const std::string& line);

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace tri
