#include "app/support/vtk_series.hpp"

#include <filesystem>

#include "sim/io/format.hpp"
#include "sim/io/pvd.hpp"

namespace tri::app {

namespace fs = std::filesystem;

std::string series_name(const std::string& pattern) {
  if (format_name(pattern) != "vtp") return "";
  fs::path path(pattern);
  std::string stem = path.stem().string();
  constexpr std::string_view kStep = "{step}";
  for (std::size_t at = 0; (at = stem.find(kStep)) != std::string::npos;) {
    const bool joined = at > 0 && (stem[at - 1] == '_' || stem[at - 1] == '-' || stem[at - 1] == '.');
    stem.erase(at - (joined ? 1 : 0), kStep.size() + (joined ? 1 : 0));
  }
  // With {step} in a folder's name each state has its own folder: the list goes next to the first of those folders.
  fs::path folder = path.parent_path();
  while (folder.string().find(kStep) != std::string::npos) folder = folder.parent_path();
  return (folder / ((stem.empty() ? "series" : stem) + ".pvd")).string();
}

void VtkSeries::add(const std::string& file, double time) {
  if (!wanted()) return;
  std::error_code ignored;
  if (!begun_ && time > 0 && fs::exists(path_, ignored)) {
    for (const io::PvdEntry& e : io::read_pvd_entries(path_)) {
      if (e.time < time) files_.emplace_back(e.time, e.file);
    }
  }
  begun_ = true;
  const fs::path folder = fs::path(path_).parent_path();
  const fs::path name = folder.empty() ? fs::path(file) : fs::path(file).lexically_relative(folder);
  files_.emplace_back(time, name.string());
  std::vector<io::PvdEntry> entries;
  for (const auto& [at, listed] : files_) entries.push_back({at, listed});
  io::write_pvd_entries(path_, entries);
}

}  // namespace tri::app
