#include "sim/io/files/missing_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "sim/base/suggest.hpp"

namespace tri::io {

std::string no_such_file(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr std::size_t kMostNames = 10000;
  const fs::path file = path, folder = file.parent_path();
  std::vector<std::string> names;
  std::error_code ignored;
  fs::directory_iterator at(folder.empty() ? "." : folder, ignored);
  for (const fs::directory_iterator end; at != end && names.size() < kMostNames; at.increment(ignored)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  const std::string best = closest_name(file.filename().string(), names);
  const std::string hint = best.empty() ? "" : fmt::format(" Did you mean '{}'?", (folder / best).string());
  return fmt::format("there is no file '{}'.{}", path, hint);
}

}  // namespace tri::io
