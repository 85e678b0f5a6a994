#pragma once
/// The list of times for the .vtp files of a run, so that ParaView opens them as one series with its real times.

#include <string>
#include <vector>

namespace tri::app {

/// "out/state_{step}.vtp" -> "out/state.pvd"; "series.pvd" if nothing else is left. Empty for another format.
std::string series_name(const std::string& pattern);

class VtkSeries {
 public:
  /// For snapshots with this pattern; does nothing if they are not .vtp.
  explicit VtkSeries(const std::string& pattern) : path_(series_name(pattern)) {}

  bool wanted() const noexcept { return !path_.empty(); }
  /// Adds a written file to the list and saves the list. The first call keeps earlier entries from a previous part of
  /// the run. Throws FileError.
  void add(const std::string& file, double time);

 private:
  std::string path_;
  bool begun_ = false;
  std::vector<std::pair<double, std::string>> files_;
};

}  // namespace tri::app
