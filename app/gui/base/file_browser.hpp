#pragma once
/// The file browser: folders, files of known formats, recent files, a typed path. State and logic; panel/files.cpp
/// draws it.

#include <optional>
#include <string>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app::gui {

/// An entry of a folder.
struct FileRow {
  std::string name;
  bool folder = false;
  u64 bytes = 0;  ///< of a file
};

class FileBrowser {
 public:
  enum class Purpose : u8 { open, save };

  /// Lists the folder of `path`, or the working folder where there is none. To save, the name of `path` is the typed
  /// text.
  void show(Purpose purpose, const std::string& path);
  void hide() { shown_ = false; }
  bool shown() const noexcept { return shown_; }
  Purpose purpose() const noexcept { return purpose_; }

  const std::string& folder() const noexcept { return folder_; }  ///< absolute
  /// Folders first, by name, without hidden entries and, unless all_kinds(), without files of unknown formats.
  const std::vector<FileRow>& rows() const noexcept { return rows_; }
  const std::string& fault() const noexcept { return fault_; }  ///< why the last action failed; empty = it did not
  bool all_kinds() const noexcept { return all_kinds_; }
  void set_all_kinds(bool all);
  void up();       ///< to the parent folder
  void refresh();  ///< lists the folder again

  /// Enters a folder or chooses a file. text: a path, absolute, relative to the folder shown, or with ~ for the home
  /// folder. Saving over an existing file takes a second call with the same text. Returns the path when a file is
  /// chosen; the browser is then hidden.
  std::optional<std::string> choose(const std::string& text);

  std::string typed;        ///< text of the path field
  bool takes_keys = false;  ///< the path field is to take the keyboard, with its text selected

 private:
  void go(const std::string& folder);

  bool shown_ = false, all_kinds_ = false;
  Purpose purpose_ = Purpose::open;
  std::string folder_, fault_, warned_;
  std::vector<FileRow> rows_;
};

/// The last files opened or saved, the newest first, at most ten; stored one per line in a file of the user.
class RecentFiles {
 public:
  static constexpr std::size_t kMax = 10;
  /// path: of that file; empty = nothing is read or stored. An unreadable file counts as empty.
  explicit RecentFiles(std::string path = {});
  const std::vector<std::string>& paths() const noexcept { return paths_; }
  /// Moves the path to the front; relative paths become absolute. A failure to write the file is ignored: the list is
  /// only a convenience.
  void add(const std::string& path);

 private:
  std::string path_;
  std::vector<std::string> paths_;
};

/// "1.2 MB"
std::string bytes_text(u64 bytes);

}  // namespace tri::app::gui
