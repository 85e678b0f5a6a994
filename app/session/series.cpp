#include "app/session/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "sim/base/error.hpp"
#include "sim/io/format.hpp"
#include "sim/io/pvd.hpp"

namespace tri::app {
namespace {

namespace fs = std::filesystem;

/// A file name around its number.
struct NumberedName {
  std::string before, after;
};

std::optional<NumberedName> numbered_name(const std::string& text) {
  const std::string name = fs::path(text).filename().string();
  for (const std::string& sign : {std::string("{step}"), std::string("*")}) {
    const std::size_t at = name.find(sign);
    if (at != std::string::npos) return NumberedName{name.substr(0, at), name.substr(at + sign.size())};
  }
  return std::nullopt;
}

std::optional<u64> number_between(const std::string& name, const NumberedName& form) {
  if (name.size() <= form.before.size() + form.after.size()) return std::nullopt;
  if (!name.starts_with(form.before) || !name.ends_with(form.after)) return std::nullopt;
  const char* const begin = name.data() + form.before.size();
  const char* const end = name.data() + name.size() - form.after.size();
  u64 number = 0;
  const auto [stop, problem] = std::from_chars(begin, end, number);
  return problem == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// The last digits in a name.
std::optional<u64> last_number(const std::string& name) {
  const std::size_t end = name.find_last_of("0123456789");
  if (end == std::string::npos) return std::nullopt;
  const std::size_t before = name.find_last_not_of("0123456789", end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  u64 number = 0;
  const auto problem = std::from_chars(name.data() + begin, name.data() + end + 1, number).ec;
  return problem == std::errc() ? std::optional(number) : std::nullopt;
}

std::vector<Series::Entry> entries_of_list(const std::string& path) {
  std::vector<Series::Entry> entries;
  for (const io::PvdEntry& e : io::read_pvd_entries(path)) {
    entries.push_back({(fs::path(path).parent_path() / e.file).string(), 0, e.time});
  }
  if (entries.empty()) throw FileError(fmt::format("'{}' lists no files, and so no bodies.", path));
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  // The numbers of the files where they rise with time, else their places.
  bool rise = true;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto number = last_number(fs::path(entries[k].path).stem().string());
    rise = rise && number && (k == 0 || *number > entries[k - 1].step);
    if (rise) entries[k].step = *number;
  }
  for (std::size_t k = 0; k < entries.size() && !rise; ++k) entries[k].step = k;
  return entries;
}

std::vector<Series::Entry> entries_of_folder(const std::string& text) {
  const NumberedName form = numbered_name(text).value();
  const fs::path folder = fs::path(text).parent_path();
  std::vector<Series::Entry> entries;
  std::error_code problem;
  for (const auto& file : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, problem)) {
    const std::string name = file.path().filename().string();
    if (const auto number = number_between(name, form)) {
      entries.push_back({(folder / name).string(), *number, static_cast<double>(*number)});
    }
  }
  if (entries.empty()) throw FileError(fmt::format("there is no file '{}' with a number in place of the sign.", text));
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  const auto twice =
      std::adjacent_find(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.step == b.step; });
  if (twice != entries.end()) {
    throw FileError(fmt::format("'{}' and '{}' have the same number.", twice->path, std::next(twice)->path));
  }
  return entries;
}

}  // namespace

bool Series::is_named_by(const std::string& text) {
  if (format_name(text) == "pvd") return true;
  std::error_code ignored;
  return has_known_extension(text) && numbered_name(text) && !fs::exists(text, ignored);
}

Series::Series(const std::string& text)
    : entries_(format_name(text) == "pvd" ? entries_of_list(text) : entries_of_folder(text)) {}

std::string Series::note() const {
  return fmt::format("a recorded run of {} states, step {} to {}.", entries_.size(), entries_.front().step,
                     entries_.back().step);
}

double Series::usual_pace() const {
  constexpr double kStatesASecond = 10;
  const double gaps = static_cast<double>(entries_.size()) - 1;
  return gaps > 0 ? kStatesASecond * (entries_.back().time - entries_.front().time) / gaps : 0;
}

std::size_t Series::at(u64 step) const {
  const auto after =
      std::upper_bound(entries_.begin(), entries_.end(), step, [](u64 s, const Entry& e) { return s < e.step; });
  return after == entries_.begin() ? 0 : static_cast<std::size_t>(after - entries_.begin()) - 1;
}

std::size_t Series::at_time(double time, std::size_t from) const {
  while (from + 1 < entries_.size() && entries_[from + 1].time <= time) ++from;
  return from;
}

}  // namespace tri::app
