#include "app/gui/base/file_browser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "sim/base/error.hpp"
#include "sim/io/files/atomic_file.hpp"
#include "sim/io/format.hpp"

namespace tri::app::gui {
namespace {

namespace fs = std::filesystem;

/// Whether the extension is one that can be opened (saved): bodies, scenes, and pictures that carry one.
bool of_a_kind(const std::string& name, FileBrowser::Purpose purpose) {
  if (has_known_extension(name)) return true;
  if (purpose == FileBrowser::Purpose::save) return false;
  const std::string ending = fs::path(name).extension().string();
  return ending == ".png" || ending == ".toml";
}

std::string absolute(const std::string& path) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored);
  return ignored ? path : whole.lexically_normal().string();
}

}  // namespace

void FileBrowser::show(Purpose purpose, const std::string& path) {
  purpose_ = purpose, shown_ = takes_keys = true;
  fault_.clear(), warned_.clear();
  const fs::path whole = absolute(path.empty() ? "." : path);
  std::error_code ignored;
  const bool folder = fs::is_directory(whole, ignored);
  typed = purpose == Purpose::save && !folder ? whole.filename().string() : "";
  const fs::path around = folder ? whole : whole.parent_path();
  go(fs::is_directory(around, ignored) ? around.string() : absolute("."));
}

void FileBrowser::go(const std::string& folder) {
  fs::path path = fs::path(folder).lexically_normal();
  if (!path.has_filename() && path.has_parent_path()) path = path.parent_path();  // no slash at the end
  std::error_code problem;
  std::vector<FileRow> rows;
  fs::directory_iterator at(path, problem);
  for (; !problem && at != fs::directory_iterator(); at.increment(problem)) {
    const std::string name = at->path().filename().string();
    std::error_code unseen;
    const bool is_folder = at->is_directory(unseen);
    if (unseen || name.starts_with('.')) continue;
    if (!is_folder && !(at->is_regular_file(unseen) && (all_kinds_ || of_a_kind(name, purpose_)))) continue;
    const auto bytes = is_folder ? 0 : at->file_size(unseen);
    rows.push_back({name, is_folder, unseen ? 0 : bytes});
  }
  if (problem) {
    fault_ = fmt::format("{}: the folder cannot be read: {}.", path.string(), problem.message());
    return;
  }
  std::sort(rows.begin(), rows.end(),
            [](const FileRow& a, const FileRow& b) { return a.folder != b.folder ? a.folder : a.name < b.name; });
  folder_ = path.string(), rows_ = std::move(rows);
  fault_.clear();
}

void FileBrowser::refresh() { go(folder_); }

void FileBrowser::set_all_kinds(bool all) {
  all_kinds_ = all;
  refresh();
}

void FileBrowser::up() {
  const fs::path path(folder_);
  if (path.has_parent_path()) go(path.parent_path().string());
}

std::optional<std::string> FileBrowser::choose(const std::string& text) {
  if (text.empty()) return std::nullopt;
  fs::path path = text;
  const char* home = std::getenv("HOME");
  if (home != nullptr && (text == "~" || text.starts_with("~/"))) path = std::string(home) + text.substr(1);
  if (path.is_relative()) path = fs::path(folder_) / path;
  path = path.lexically_normal();
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    go(path.string());
    return std::nullopt;
  }
  const bool there = fs::exists(path, ignored);
  fault_.clear();
  if (purpose_ == Purpose::open && !there) {
    fault_ = fmt::format("{}: no such file.", path.string());
  } else if (purpose_ == Purpose::save && !has_known_extension(path.string())) {
    fault_ = "The extension names the format:";
    for (const FormatInfo& f : list_formats()) {
      if (f.writes) fault_ += fmt::format(" {}", f.extensions);
    }
  } else if (purpose_ == Purpose::save && there && warned_ != path.string()) {
    warned_ = path.string();
    fault_ = fmt::format("{} exists already. Save again to replace it.", path.filename().string());
  } else {
    shown_ = false;
    return path.string();
  }
  return std::nullopt;
}

RecentFiles::RecentFiles(std::string path) : path_(std::move(path)) {
  std::error_code none;
  if (path_.empty() || !std::filesystem::is_regular_file(path_, none)) return;
  std::ifstream in(path_);
  for (std::string line; paths_.size() < kMax && std::getline(in, line);) {
    if (!line.empty() && std::find(paths_.begin(), paths_.end(), line) == paths_.end()) paths_.push_back(line);
  }
}

void RecentFiles::add(const std::string& path) {
  const std::string whole = absolute(path);
  if (whole.find('\n') != std::string::npos || (!paths_.empty() && paths_.front() == whole)) return;
  std::erase(paths_, whole);
  paths_.insert(paths_.begin(), whole);
  if (paths_.size() > kMax) paths_.resize(kMax);
  if (path_.empty()) return;
  std::string text;
  for (const std::string& p : paths_) text += p + "\n";
  try {
    std::error_code ignored;
    fs::create_directories(fs::path(path_).parent_path(), ignored);
    io::OutputFile file(path_, io::Accepts::files);
    file.write(text);
    file.commit();
  } catch (const FileError&) {
    path_.clear();  // no further attempts in this session
  }
}

std::string bytes_text(u64 bytes) {
  constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, kUnits[unit]);
}

}  // namespace tri::app::gui
