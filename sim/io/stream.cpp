/// `-`, standard input: text in one of the two formats that need no seeking and have no size in advance. A comma in the
/// first line with text makes it csv.

#include <algorithm>

#include "sim/io/files/text_input.hpp"
#include "sim/io/format_table.hpp"

namespace tri::io {

namespace {

bool is_csv(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view words = trimmed(line);
    if (!words.empty() && words.front() != '#') return words.find(',') != std::string_view::npos;
  }
  return false;
}

}  // namespace

Bodies read_stream(const std::string& path, ReadReport& reading) {
  LineReader lines(path);
  return is_csv(lines.buffered()) ? read_csv_lines(lines, reading) : read_tab_lines(lines, reading);
}

}  // namespace tri::io
