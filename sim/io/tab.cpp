/// tab: one body per line, m x y z vx vy vz, separated by blanks. '#' starts a comment; empty lines are skipped.

#include <fmt/core.h>

#include <array>

#include "sim/io/columns.hpp"
#include "sim/io/files/text_input.hpp"
#include "sim/io/format_table.hpp"

namespace tri::io {

namespace {

constexpr std::array<std::string_view, 7> kColumns{"m", "x", "y", "z", "vx", "vy", "vz"};

/// The fields of a line; `count` may exceed the seven that are kept.
struct Fields {
  std::array<std::string_view, kColumns.size()> text;
  std::size_t count = 0;
};

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r'; }

/// A hand-written loop: find_first_of() would cost more than parsing the numbers.
Fields split(std::string_view line) {
  Fields fields;
  const char *at = line.data(), *const end = at + line.size();
  for (;;) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return fields;
    const char* const begin = at;
    while (at != end && !is_blank(*at)) ++at;
    if (fields.count < fields.text.size()) {
      fields.text[fields.count] = std::string_view(begin, static_cast<std::size_t>(at - begin));
    }
    ++fields.count;
  }
}

void add_row(Bodies& bodies, const Fields& fields, const LineReader& lines) {
  std::array<double, kColumns.size()> v{};
  for (std::size_t c = 0; c < v.size(); ++c) v[c] = finite_number(fields.text[c], lines, c + 1, kColumns[c]);
  if (v[0] < 0) {
    lines.fail(1, "m", fmt::format("the mass {} is negative; a mass is 0 or more", in_quotes(fields.text[0])));
  }
  bodies.add(v[1], v[2], v[3], v[4], v[5], v[6], v[0]);
}

}  // namespace

Bodies read_tab(const std::string& path, ReadReport& reading) {
  LineReader lines(path);
  return read_tab_lines(lines, reading);
}

Bodies read_tab_lines(LineReader& lines, ReadReport& reading) {
  Bodies bodies;
  std::string_view line;
  while (lines.next(line)) {
    const std::size_t mark = line.find('#');
    const Fields fields = split(line.substr(0, mark));
    if (mark != std::string_view::npos) take_units_comment(lines.path(), line.substr(mark), reading);
    if (fields.count == 0) continue;
    if (fields.count != kColumns.size()) {
      if (line.find(',') != std::string_view::npos) {
        lines.fail("has commas; a tab file is separated by blanks, m x y z vx vy vz (name a file with commas .csv)");
      }
      lines.fail_column_count(fields.count, "7; a tab file holds m x y z vx vy vz on each line");
    }
    add_row(bodies, fields, lines);
    reserve_rows(bodies, lines);
    check_count(bodies.size(), [&](const char* what) { lines.fail(what); });
  }
  if (bodies.size() == 0) {
    throw FileError(fmt::format("'{}' holds no bodies; each line must be m x y z vx vy vz.", lines.path()));
  }
  return bodies;
}

void write_tab(OutputFile& file, const Bodies& b, const StateInfo& state) {
  file.write(units_comment(state.units));
  file.write("# m x y z vx vy vz\n");
  std::string line;
  for (std::size_t i = 0; i < b.size(); ++i) {
    file.progress(i, b.size());
    line.clear();
    for (const double v : {b.m[i], b.x[i], b.y[i], b.z[i], b.vx[i], b.vy[i], b.vz[i]}) {
      append_number(line, v);
      line += ' ';
    }
    line.back() = '\n';
    file.write(line);
  }
}

}  // namespace tri::io
