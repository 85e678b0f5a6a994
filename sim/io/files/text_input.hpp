#pragma once
/// Shared by the text formats: reading lines in bounded memory, parsing numbers, and error messages for bad fields.

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sim/io/files/atomic_file.hpp"
#include "sim/model/bodies.hpp"

namespace tri::io {

/// Reads a text file line by line through one buffer. Line ends are \n or \r\n; a leading byte order mark is skipped. A
/// line longer than the buffer is an error (most likely the file has another format).
class LineReader {
 public:
  explicit LineReader(const std::string& path, Accepts accepts = Accepts::anything);

  /// The next line without its line end; valid until the next call. False at the end of the file.
  bool next(std::string_view& line);
  /// Estimated number of lines of the file, from the lines read so far; 0 if its size is unknown.
  double expected_lines() const noexcept;
  const std::string& path() const noexcept { return file_.path(); }
  /// What was read ahead of next(): at the start, up to the first megabyte of the file.
  std::string_view buffered() const noexcept { return {buffer_.data() + begin_, end_ - begin_}; }

  /// Throws FileError "FILE, line L: what".
  [[noreturn]] void fail(const std::string& what) const;
  /// Throws FileError "FILE, line L, column C (name): what"; column from 1, the name may be empty.
  [[noreturn]] void fail(std::size_t column, std::string_view name, const std::string& what) const;
  /// Throws FileError: the line has `got` columns instead of `expected`, and the file may be cut off if it ends here.
  [[noreturn]] void fail_column_count(std::size_t got, const std::string& expected) const;

 private:
  bool refill();

  InputFile file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< the bytes not yet returned
  u64 line_number_ = 0;              ///< of the last line, from 1
  u64 bytes_read_ = 0;
  bool file_ended_ = false;
  bool line_ended_ = true;  ///< whether the last line had its line end
};

/// Call it after every row: after the first 1000 it reserves memory for the estimated number of rows, so that the
/// arrays need not grow. Bounded by the file's size; unused pages are never touched.
inline void reserve_rows(Bodies& bodies, const LineReader& lines) {
  constexpr std::size_t kFirstRows = 1000;
  if (bodies.size() != kFirstRows) return;
  const auto rows = static_cast<std::size_t>(1.02 * lines.expected_lines());
  for (auto* a : {&bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz, &bodies.m, &bodies.r}) {
    a->reserve(rows);
  }
}

/// Whether the whole field is a number, which may be infinite or NaN. Accepts what from_chars accepts and a leading
/// '+'; underflow gives 0 or a subnormal, overflow infinity.
bool parse_number(std::string_view field, double& value);

/// The field as a finite number; throws FileError with line and column otherwise.
double finite_number(std::string_view field, const LineReader& lines, std::size_t column, std::string_view name);

/// The field in quotes for a message: at most 24 bytes, unprintable ones as \xNN.
std::string in_quotes(std::string_view field);

/// Without leading and trailing blanks.
std::string_view trimmed(std::string_view text);

std::string lower_case(std::string_view text);

/// Appends the number with 17 significant digits, which round-trip every double.
inline void append_number(std::string& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 17).ptr;
  text.append(digits, end);
}

/// Whether a number is a valid group of a body.
inline bool is_group(double value) { return value >= 0 && value <= 65535 && value == std::floor(value); }

/// Refuses more bodies or points than a 32-bit index can hold.
template <class Fail>
void check_count(u64 n, const Fail& fail) {
  if (n > std::numeric_limits<u32>::max()) fail("has more than 4294967295 rows; split the file");
}

}  // namespace tri::io
