#pragma once
/// What the text formats share: lines of a file in pieces of bounded memory, numbers, and the sentences for fields
/// that are none.

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sim/io/files/atomic_file.hpp"
#include "sim/model/bodies.hpp"

namespace tri::io {

/// The lines of a text file, one after another, at the cost of one buffer however long the file is. Line ends are \n
/// or \r\n; a byte order mark at the front is skipped. A line longer than the buffer is an error (a file of another
/// kind, most likely).
class LineReader {
 public:
  explicit LineReader(const std::string& path);

  /// The next line without its end; valid until the next call. False at the end of the file.
  bool next(std::string_view& line);
  u64 line_number() const noexcept { return line_number_; }  ///< of the last line, from 1
  /// Lines of the whole file, if the rest is like what was read; 0 where its size is not known.
  double expected_lines() const noexcept;
  const std::string& path() const noexcept { return file_.path(); }

  /// Throws FileError "FILE, line L: what".
  [[noreturn]] void fail(const std::string& what) const;
  /// Throws FileError "FILE, line L, column C (name): what"; column from 1, the name may be empty.
  [[noreturn]] void fail(std::size_t column, std::string_view name, const std::string& what) const;
  /// Says that the line has `got` columns instead of `expected`, and that the file is cut off when it ends here.
  [[noreturn]] void fail_column_count(std::size_t got, const std::string& expected) const;

 private:
  bool refill();

  InputFile file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< the bytes not yet handed out
  u64 line_number_ = 0;
  u64 bytes_read_ = 0;
  bool file_ended_ = false;
  bool line_ended_ = true;  ///< whether the last line had its line end
};

/// To be called with every row: takes the memory of the whole file at once when the first rows have shown how long they
/// are, so that the arrays need not grow. The file's size justifies it, and what is not filled is not touched.
inline void reserve_rows(Bodies& bodies, const LineReader& lines) {
  constexpr std::size_t kFirstRows = 1000;
  if (bodies.size() != kFirstRows) return;
  const auto rows = static_cast<std::size_t>(1.02 * lines.expected_lines());
  for (auto* a : {&bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz, &bodies.m, &bodies.r}) {
    a->reserve(rows);
  }
}

/// Whether the whole field is a number; `value` may be infinite or NaN then. Accepts what from_chars does, a leading
/// '+', and reals below the smallest double (they become 0 or subnormal); a real that is too large is infinity.
bool parse_number(std::string_view field, double& value);

/// The field as a finite number, else a FileError with the place.
double finite_number(std::string_view field, const LineReader& lines, std::size_t column, std::string_view name);

/// The field's text for a message: at most 24 bytes, unprintable ones as \xNN.
std::string quoted(std::string_view field);

/// Without the blanks around it.
std::string_view trimmed(std::string_view text);

/// Appends the real with 17 significant digits, which give every double back exactly.
inline void append_number(std::string& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 17).ptr;
  text.append(digits, end);
}

/// Whether a number that was read is a group of bodies.
inline bool is_group(double value) { return value >= 0 && value <= 65535 && value == std::floor(value); }

/// Refuses more bodies or points than 32-bit indices reach.
template <class Fail>
void check_count(u64 n, const Fail& fail) {
  if (n > std::numeric_limits<u32>::max()) fail("has more than 4294967295 rows; split the file");
}

}  // namespace tri::io
