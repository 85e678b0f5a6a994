#pragma once
/// The list of times beside the .vtp files of a run, so that ParaView opens them as one film with its real times.

#include <string>
#include <vector>

namespace tri::app {

/// "out/state_{step}.vtp" -> "out/state.pvd"; "series.pvd" where nothing else is left. Empty for another format.
std::string series_name(const std::string& pattern);

class VtkSeries {
 public:
  /// Of snapshots by this pattern; does nothing where they are not .vtp.
  explicit VtkSeries(const std::string& pattern) : path_(series_name(pattern)) {}

  bool wanted() const noexcept { return !path_.empty(); }
  /// Puts a file that was written into the list and writes the list. At its first call it takes over what an earlier
  /// part of the run has listed before this time. Throws FileError.
  void add(const std::string& file, double time);

 private:
  std::string path_;
  bool begun_ = false;
  std::vector<std::pair<double, std::string>> files_;
};

}  // namespace tri::app
