#include "sim/diagnostics_log.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace tri {

std::string diagnostics_csv(const DiagnosticsRow& row) {
  const Diagnostics& d = row.values;
  const auto& p = d.momentum;
  const auto& l = d.angular_momentum;
  const auto& c = d.centre;
  const std::array<double, 14> reals{row.time, d.kinetic, d.potential, d.energy(),       p[0], p[1], p[2],
                                     l[0],     l[1],      l[2],        d.virial_ratio(), c[0], c[1], c[2]};
  std::string line = fmt::format("{}", row.step);
  for (const double value : reals) fmt::format_to(std::back_inserter(line), ",{:.17g}", value);
  line += '\n';
  return line;
}

DiagnosticsLog::DiagnosticsLog(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "we")) {
  if (file_ == nullptr) {
    throw FileError(
        fmt::format("cannot create '{}': {}; check the folder and its permissions.", path, std::strerror(errno)));
  }
  append(std::string(kDiagnosticsColumns) + '\n');
}

void DiagnosticsLog::write(const DiagnosticsRow& row) { append(diagnostics_csv(row)); }

void DiagnosticsLog::append(const std::string& line) {
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size();
  if (written && std::fflush(file_.get()) == 0) return;
  throw FileError(
      fmt::format("cannot write '{}': {}; free some space, or log to another place.", path_, std::strerror(errno)));
}

}  // namespace tri
