#pragma once
/// The diagnostics of a run as a CSV file, one row a call, on disk as soon as the call returns.

#include <cstdio>
#include <memory>
#include <string>

#include "sim/simulation.hpp"

namespace tri {

/// The columns, in order, as the first line of the file has them.
inline constexpr const char* kDiagnosticsColumns =
    "step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,virial_ratio,cx,cy,cz";

/// Whether the steps of a run have one length, or each its own, which its log then has as a last column.
enum class StepKind : u8 { fixed, automatic };

/// The last column of a run with automatic steps: the length of the step that led to the row, 0 for the first.
inline constexpr const char* kStepColumn = ",dt";

/// The row in the order of kDiagnosticsColumns, reals with 17 significant digits, with the line's end.
std::string diagnostics_csv(const DiagnosticsRow& row, StepKind kind = StepKind::fixed);

/// A file has one log at a time: opening a second one, also in another process, throws FileError.
class DiagnosticsLog {
 public:
  /// Begins the file, standard output for `-`, anew with the line of names. Throws FileError.
  explicit DiagnosticsLog(const std::string& path, StepKind kind = StepKind::fixed);

  /// Goes on with the file of a run that is taken up again at `step`: rows of later steps, which the run comes to
  /// again, and a last line that was cut off, go. Begins anew where there is no file, or nothing in it. Throws
  /// FileError for a file that is no such log, and leaves it as it was.
  DiagnosticsLog(const std::string& path, u64 step, StepKind kind = StepKind::fixed);
  /// Whether there was a row of this step when the log was opened as the last one.
  bool ended_at(u64 step) const noexcept { return kept_ > 0 && last_ == step; }
  bool is_new() const noexcept { return kept_ == 0; }     ///< without any row
  u64 rows_removed() const noexcept { return removed_; }  ///< by going on

  /// Appends one row and flushes it. Throws FileError when the disk is full.
  void write(const DiagnosticsRow& row);

 private:
  struct Close {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };
  void open();
  void shorten(u64 bytes);
  void append(const std::string& line);

  std::string names() const;

  std::string path_;
  StepKind kind_;
  bool regular_ = false;
  u64 kept_ = 0, removed_ = 0, last_ = 0;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace tri
