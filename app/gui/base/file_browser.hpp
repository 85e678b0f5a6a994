#pragma once
/// Choosing a file in the window: folders, files of the readers' and writers' kinds, recent ones, a typed path. What it
/// holds and what a choice means; panel/files.cpp draws it.

#include <optional>
#include <string>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app::gui {

/// A line of a folder's list.
struct FileRow {
  std::string name;
  bool folder = false;
  u64 bytes = 0;  ///< of a file
};

class FileBrowser {
 public:
  enum class Purpose : u8 { open, save };

  /// Lists the folder of `path`, and types the path's name when it is to be saved; the working folder where that is
  /// none.
  void show(Purpose purpose, const std::string& path);
  void hide() { shown_ = false; }
  bool shown() const noexcept { return shown_; }
  Purpose purpose() const noexcept { return purpose_; }

  const std::string& folder() const noexcept { return folder_; }  ///< absolute
  /// Folders first, by name; hidden ones are left out, and files of other kinds unless all are asked for.
  const std::vector<FileRow>& rows() const noexcept { return rows_; }
  const std::string& fault() const noexcept { return fault_; }  ///< why the last thing did not work; empty = it did
  bool all_kinds() const noexcept { return all_kinds_; }
  void set_all_kinds(bool all);
  void up();       ///< to the folder above
  void refresh();  ///< lists anew

  /// What a click or Enter on a text means: a folder is gone into, a file is chosen. A text is a path, absolute, from
  /// the folder shown, or with ~ for the user's own. To save over a file that is there takes a second time with the
  /// same text. Returns the path when one is chosen; the browser is then hidden.
  std::optional<std::string> choose(const std::string& text);

  std::string typed;  ///< the field for a path

 private:
  void go(const std::string& folder);

  bool shown_ = false, all_kinds_ = false;
  Purpose purpose_ = Purpose::open;
  std::string folder_, fault_, warned_;
  std::vector<FileRow> rows_;
};

/// The last files that were opened or saved, the newest first, at most ten; kept one a line in a file of the user's.
class RecentFiles {
 public:
  static constexpr std::size_t kMax = 10;
  /// path: of the file; empty = nothing is read or kept. What cannot be read counts as none.
  explicit RecentFiles(std::string path = {});
  const std::vector<std::string>& paths() const noexcept { return paths_; }
  /// Comes to the front; relative paths are made absolute. A file that cannot be written is no fault: it is only a
  /// help.
  void add(const std::string& path);

 private:
  std::string path_;
  std::vector<std::string> paths_;
};

/// "1.2 MB"
std::string bytes_text(u64 bytes);

}  // namespace tri::app::gui
