#pragma once
/// Texts: lines, numbers, errors with their place, XML tags.
///
/// Shared by the text formats: reading lines in bounded memory, parsing numbers, and error messages for bad fields.

#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/files/file.hpp"

namespace tri::io {

/// What is wrong with a text, as a part of a sentence: who knows the file says the rest.
struct BadText : std::runtime_error {
  using std::runtime_error::runtime_error;
};

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

/// Whether the whole field is a number, which may be infinite or NaN. Accepts what from_chars accepts and a leading
/// '+'; overflow gives infinity, and what would be 0, but is not, NaN.
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

/// Refuses more bodies or points than a 32-bit index can hold.
template <class Fail>
void check_count(u64 n, const Fail& fail) {
  if (n > std::numeric_limits<u32>::max()) fail("has more than 4294967295 rows; split the file");
}

// What texts in TOML and JSON are checked for before a library parses them: parsers and tables recurse, so that a file
// of 100,000 brackets or dots ends the stack; an object with many members takes quadratic time; and the TOML library
// ends the program, when it was built with assertions, at some texts that are not UTF-8 and at tables without a name,
// and does what C++ leaves undefined when it looks for a space at a letter beyond ASCII.

/// Levels of brackets and braces, and dots of one key. Files of this program need five.
inline constexpr std::size_t kMaxNesting = 32;
/// Members of one object of JSON. A result of a bench has fifty.
inline constexpr std::size_t kMaxMembers = 1024;

/// Where a text breaks a limit.
struct TextFault {
  u64 line = 0;      ///< from 1; 0 = none
  std::string what;  ///< "more than 32 levels of brackets"
};

/// The first place beyond a limit; nullopt if there is none, or none before the first error of syntax. For TOML also a
/// byte that is not UTF-8 (RFC 3629), a table whose name does not begin as a key, a letter beyond ASCII that is in
/// neither string nor comment, where TOML 1.0 has none, and a number that no float64 holds, which would be read as 0.
std::optional<TextFault> toml_fault(std::string_view text);
std::optional<TextFault> json_fault(std::string_view text);

// A minimal XML tokenizer for VTK files: tags with attributes, and the text between them.

struct XmlTag {
  std::string_view name;
  bool opens = false, closes = false;  ///< <a> opens, </a> closes, <a/> both
  std::vector<std::pair<std::string_view, std::string>> attributes;
  std::size_t end = 0;  ///< offset after its '>'

  /// The value of an attribute; empty if there is none.
  std::string attribute(std::string_view key) const;
};

/// Iterates over the tags of a text that outlives it. Comments, <? ?> and <! > are skipped.
class XmlTags {
 public:
  explicit XmlTags(std::string_view text) : text_(text) {}

  /// The next tag; false at the end. Throws BadText for malformed XML.
  bool next(XmlTag& tag);
  /// Continues from this offset.
  void seek(std::size_t at) { at_ = at; }
  u64 line_of(std::size_t at) const;

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// The text with < > & " ' replaced by their entities.
std::string xml_escaped(std::string_view text);

}  // namespace tri::io
