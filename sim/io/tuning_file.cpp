#include "sim/io/tuning_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "sim/io/files/atomic_file.hpp"
#include "sim/io/files/text_input.hpp"
#include "sim/io/files/user_file.hpp"

namespace tri::io {
namespace {

constexpr std::string_view kDevice = "device ";
constexpr const char* kHint = "; remove the line, or recreate the file with triangulum bench --tune";

TuningRow row_from(const std::string& text, const LineReader& lines) {
  std::istringstream words(text);
  std::string work, precision, rest;
  TuningRow row;
  const bool complete = static_cast<bool>(words >> work >> precision >> row.n >> row.choice) && !(words >> rest);
  const auto known = tuned_work_from(work);
  if (!complete || !known || (precision != "fp32" && precision != "fp64")) {
    lines.fail(fmt::format("'{}' is not: work, fp32 or fp64, n, choice{}", text, kHint));
  }
  row.work = *known;
  row.precision = precision == "fp32" ? Precision::fp32 : Precision::fp64;
  return row;
}

/// Rows of one work and precision must have increasing n, or some would never apply.
void check_order(const Tuning& tuning, const TuningRow& row, const LineReader& lines) {
  for (const TuningRow& r : tuning.rows) {
    if (r.work == row.work && r.precision == row.precision && r.n >= row.n) {
      lines.fail(fmt::format("n = {} comes after n = {}{}", row.n, r.n, kHint));
    }
  }
}

}  // namespace

std::string tuning_path() { return user_file("tuning.txt"); }

std::vector<Tuning> read_tunings(const std::string& path) {
  std::error_code ignored;
  std::vector<Tuning> tunings;
  if (path.empty() || !std::filesystem::exists(path, ignored)) return tunings;
  LineReader lines(path, Accepts::files);
  std::string_view line;
  while (lines.next(line)) {
    const std::string text(trimmed(line.substr(0, line.find('#'))));
    if (text.empty()) continue;
    if (text.starts_with(kDevice)) {
      tunings.push_back({std::string(trimmed(std::string_view(text).substr(kDevice.size()))), {}});
      continue;
    }
    if (tunings.empty()) lines.fail(fmt::format("'{}' comes before any line 'device NAME'{}", text, kHint));
    const TuningRow row = row_from(text, lines);
    check_order(tunings.back(), row, lines);
    tunings.back().rows.push_back(row);
  }
  return tunings;
}

void write_tuning(const std::string& path, const Tuning& tuning) {
  std::vector<Tuning> all = read_tunings(path);
  const auto same = std::find_if(all.begin(), all.end(), [&](const Tuning& t) { return t.device == tuning.device; });
  if (same == all.end()) {
    all.push_back(tuning);
  } else {
    *same = tuning;
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    throw FileError(
        fmt::format("cannot create the folder {}: {}. Name another file with -o.", folder.string(), error.message()));
  }
  OutputFile file(path, Accepts::files);
  file.write("# From n bodies on, the choice that was fastest. Made by triangulum bench --tune.\n");
  for (const Tuning& t : all) {
    file.write(fmt::format("device {}\n", t.device));
    for (const TuningRow& row : t.rows) {
      file.write(fmt::format("{} {} {} {}\n", to_string(row.work), to_string(row.precision), row.n, row.choice));
    }
  }
  file.commit();
}

}  // namespace tri::io
