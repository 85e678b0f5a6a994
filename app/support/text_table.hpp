#pragma once
/// Plain-text columns for a terminal, and human-readable numbers. ASCII only.

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app {

class TextTable {
 public:
  struct Column {
    std::string title;
    bool right = false;  ///< right-aligned, for numbers
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as columns.
  void add(std::vector<std::string> cells);
  /// One cell in the first column and a text that spans all others without widening them.
  void add_spanning(std::string first, std::string rest);

  /// Title line and rows, columns two blanks apart, no trailing blanks. `wrap` > 0 folds the last column (or a spanning
  /// text) at blanks to fit lines into that many characters, if the column has at least 20.
  std::string text(u32 wrap = 0) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool spanning = false;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

/// 4 significant digits and a prefix: "16.78 M", "2.592 T", "980"; for counts and rates.
std::string with_prefix(double value);
/// Thousands separated by commas: "16,777,216".
std::string grouped(u64 value);

/// "2^31" and "10^-4" as people write them.
std::string with_powers(std::string_view text);

/// A number for people, of at most so many digits: "0.0125", "1,378", "\u2212120,000", "2 \u00d7 10\u207b\u2075" below
/// 0.0001 and from ten million on.
std::string number_text(double value, int digits);

/// So many significant digits, as 1e-05; "no value" for NaN, "infinite" and "-infinite".
std::string real_text(double value, int digits);

/// A ratio without its sign: "1.48", "0.0056", "128": hundredths, below 0.1 two digits. Text rises with the value, so a
/// ratio is never written outside its interval.
std::string ratio_text(double ratio);

/// "1 body", "1,378 bodies"; many: for other nouns than those with an s.
std::string counted(u64 count, std::string_view one, std::string_view many = {});
/// Milliseconds in a suitable unit: "312 ns", "12.3 us", "4.56 ms", "1.23 s".
std::string duration_text(double ms);
/// Folds text at blanks; lines after the first start with `indent` blanks.
std::string folded(std::string_view text, u32 width, u32 indent);

}  // namespace tri::app
