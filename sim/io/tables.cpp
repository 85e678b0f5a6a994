/// Tables as text: csv, tab, streams.
///
/// csv: named columns separated by commas, or by semicolons where the first line has no comma. Bodies need x, y, z and
/// may have m (or mass), r (or radius), vx, vy, vz, group and q (or charge), in any order and case. A number of the row
/// (id, index, or the nameless first column of pandas) is left out with a note; any other column is an error, so that
/// no data is dropped silently. Points take every column, and their header line is optional. Lines that start with '#'
/// and empty lines are skipped; fields may be in double quotes.

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "sim/base/user_values.hpp"
#include "sim/files/text.hpp"
#include "sim/io/formats.hpp"

namespace tri::io {

namespace {

/// "x,y,z and optionally m, r, vx,vy,vz, group and q"
const std::string& expected() {
  static const std::string text = [] {
    std::string names = "m, r, vx,vy,vz";
    std::string_view last;
    for (const ColumnInfo& c : body_columns()) {
      if (!c.has(ColumnInfo::kOptional) || c.long_name.empty()) continue;
      if (!last.empty()) names += fmt::format(", {}", last);
      last = c.name;
    }
    return fmt::format("x,y,z and optionally {} and {}", names, last);
  }();
  return text;
}

/// Of a file whose first line this is.
char separator_of(std::string_view line) {
  bool in_quotes = false, semicolons = false;
  for (const char c : line) {
    in_quotes ^= c == '"';
    if (c == ',' && !in_quotes) return ',';
    semicolons |= c == ';' && !in_quotes;
  }
  return semicolons ? ';' : ',';
}

/// Splits at separators outside quotes; strips blanks and quotes from the fields.
void split(std::string_view line, char separator, std::vector<std::string_view>& fields) {
  fields.clear();
  std::size_t at = 0;
  bool in_quotes = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') in_quotes = !in_quotes;
    if (i < line.size() && (line[i] != separator || in_quotes)) continue;
    std::string_view field = trimmed(line.substr(at, i - at));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
      field = trimmed(field.substr(1, field.size() - 2));
    }
    fields.push_back(field);
    at = i + 1;
  }
}

/// The next line that is neither empty nor a comment, split. A comment may name the units. separator: 0 before the
/// first one, which decides about all.
bool next_row(LineReader& lines, std::vector<std::string_view>& fields, char& separator,
              ReadReport* reading = nullptr) {
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view text = trimmed(line);
    if (reading != nullptr && text.starts_with('#')) apply_units_comment(lines.path(), text, *reading);
    if (text.empty() || text.front() == '#') continue;
    if (separator == 0) separator = separator_of(line);
    split(line, separator, fields);
    return true;
  }
  return false;
}

/// The column of each quantity, if the file has it.
using Layout = std::vector<std::optional<std::size_t>>;

std::size_t place_of(Quantity q) { return static_cast<std::size_t>(q); }

/// What identifies rows: names that people use, and those of pandas, which writes one without a name and reads that
/// back as "Unnamed: 0".
bool is_index(std::size_t column, const std::string& name) {
  return name == "id" || name == "index" || name.starts_with("unnamed:") || (column == 0 && name.empty());
}

std::string index_note(const LineReader& lines, std::size_t column, std::string_view name) {
  return fmt::format("'{}': column {} ({}) identifies the rows; it is not read: they count from 0.", lines.path(),
                     column + 1, name.empty() ? "without a name" : in_quotes(name));
}

/// The columns of a file: those of quantities, and that of the names of bodies.
struct Columns {
  Layout layout = Layout(body_columns().size());
  std::optional<std::size_t> names;
  /// Those that nobody knows, and what to say of them; the first text among them names the bodies.
  std::vector<std::pair<std::size_t, std::string>> unknown;
};

bool is_name(std::string_view key) { return key == "name" || key == "names" || key == "label"; }

/// The columns that the user chose, "x" by "pos_x"; the others are left out.
std::vector<bool> choose_columns(const std::vector<std::string_view>& header, const LineReader& lines,
                                 const ReadReport& reading, Columns& columns) {
  std::vector<bool> chosen(header.size());
  for (const auto& [key, name] : reading.columns) {
    const std::optional<Quantity> q = quantity_of(key);
    if (!q && !is_name(key)) {
      throw ConfigError(fmt::format("'{}': {} is no column of bodies; they are {}, and name.", lines.path(),
                                    in_quotes(key), expected()));
    }
    const auto at = std::find(header.begin(), header.end(), name);
    if (at == header.end()) {
      const std::vector<std::string> names(header.begin(), header.end());
      throw ConfigError(fmt::format("'{}': {}={}: {}", lines.path(), key, name, unknown_name("column", name, names)));
    }
    const auto c = static_cast<std::size_t>(at - header.begin());
    std::optional<std::size_t>& place = q ? columns.layout[place_of(*q)] : columns.names;
    if (place) throw ConfigError(fmt::format("'{}': {} has two columns; choose one.", lines.path(), in_quotes(key)));
    place = c, chosen[c] = true;
  }
  return chosen;
}

Columns columns_of(const std::vector<std::string_view>& header, const LineReader& lines, ReadReport& reading) {
  const char *const path = reading.in_scene ? "path = \"FILE.csv:" : "FILE.csv:", *const quote =
                                                                                      reading.in_scene ? "\"" : "";
  Columns columns;
  Layout& layout = columns.layout;
  double number = 0;
  if (std::all_of(header.begin(), header.end(), [&](auto field) { return parse_number(field, number); })) {
    lines.fail(fmt::format("has numbers instead of column names; start the file with {}", expected()));
  }
  if (header.size() == 1 && header[0].find_first_of(" \t") != std::string_view::npos) {
    lines.fail("has no commas; separate columns by commas, and use a decimal point in numbers");
  }
  const std::vector<bool> chosen = choose_columns(header, lines, reading, columns);
  for (std::size_t c = 0; c < header.size(); ++c) {
    const std::string lower = lower_case(header[c]);
    if (chosen[c]) continue;
    if (is_index(c, lower)) {
      reading.notes.push_back(index_note(lines, c, header[c]));
      continue;
    }
    const std::optional<Quantity> q = quantity_of(lower);
    if (header[c].empty()) lines.fail(c + 1, "", "the column has no name; name it, or remove it");
    const std::string left_out =
        fmt::format("'{}': column {} ({}) is not read.", lines.path(), c + 1, in_quotes(header[c]));
    if (q && !reading.columns.empty() && layout[place_of(*q)]) {
      reading.notes.push_back(left_out);
      continue;
    }
    if (!q && !reading.columns.empty()) {
      columns.unknown.emplace_back(c, left_out);
      continue;
    }
    if (!q) {
      try {
        lines.fail(c + 1, "",
                   fmt::format("no column of bodies is named {}; the names are {} ({}x=NAME{} chooses others)",
                               in_quotes(header[c]), expected(), path, quote));
      } catch (const FileError& error) {
        columns.unknown.emplace_back(c, error.what());
      }
      continue;
    }
    auto& column = layout[place_of(*q)];
    if (column)
      lines.fail(c + 1, info_of(*q).name, fmt::format("column {} has that name already; remove one", *column + 1));
    column = c;
  }
  for (const Quantity q : {Quantity::x, Quantity::y, Quantity::z}) {
    if (layout[place_of(q)]) continue;
    lines.fail(fmt::format("no column is named {}; bodies need {} ({}{}=NAME{} chooses another)", info_of(q).name,
                           expected(), path, info_of(q).name, quote));
  }
  const auto first = layout.begin() + static_cast<int>(Quantity::vx);
  const auto velocities = std::count_if(first, first + 3, [](const auto& p) { return p.has_value(); });
  if (velocities != 0 && velocities != 3) {
    lines.fail("has some of vx, vy, vz but not all three; add the missing ones (0 where at rest)");
  }
  if (!layout[place_of(Quantity::mass)]) reading.without_masses = "no column m";
  return columns;
}

/// By the first row: a column that nobody knows is one of names where it holds text, else an error; beside chosen ones
/// it is left out.
void settle_unknown(const std::vector<std::string_view>& header, const std::vector<std::string_view>& row,
                    const LineReader& lines, Columns& columns, ReadReport& reading) {
  double number = 0;
  for (const auto& [c, problem] : columns.unknown) {
    if (!columns.names && c < row.size() && !row[c].empty() && !parse_number(row[c], number)) {
      columns.names = c;
      reading.notes.push_back(fmt::format("'{}': column {} ({}) holds the names of the bodies, which the window shows.",
                                          lines.path(), c + 1, in_quotes(header[c])));
      continue;
    }
    if (reading.columns.empty()) throw FileError(problem);
    reading.notes.push_back(problem);
  }
}

void add_row(Bodies& bodies, const std::vector<std::string_view>& fields, const Layout& layout,
             const LineReader& lines) {
  bodies.add(0, 0, 0, 0, 0, 0, 1);
  for (std::size_t place = 0; place < layout.size(); ++place) {
    if (!layout[place]) continue;
    const std::size_t c = *layout[place];
    const auto q = static_cast<Quantity>(place);
    const double value = finite_number(fields[c], lines, c + 1, info_of(q).name);
    const std::string problem = store_value(bodies, bodies.size() - 1, q, value);
    if (!problem.empty()) lines.fail(c + 1, info_of(q).name, problem_of(q, in_quotes(fields[c])));
  }
}

[[noreturn]] void fail_empty(const std::string& path, const char* what) {
  throw FileError(fmt::format("'{}' holds no {}; write at least one row of numbers.", path, what));
}

}  // namespace

Bodies read_csv(const std::string& path, ReadReport& reading) {
  LineReader lines(path);
  return read_csv_lines(lines, reading);
}

Bodies read_csv_lines(LineReader& lines, ReadReport& reading) {
  std::vector<std::string_view> fields;
  char separator = 0;
  if (!next_row(lines, fields, separator, &reading)) fail_empty(lines.path(), "bodies");
  Columns columns = columns_of(fields, lines, reading);
  std::vector<std::string> names(fields.begin(), fields.end());
  const std::vector<std::string_view> header(names.begin(), names.end());
  for (const std::optional<std::size_t>& c : columns.layout) {
    if (c && reading.loose_unit.empty()) reading.loose_unit = unit_in(header[*c], "[(_");
  }
  Bodies bodies;
  while (next_row(lines, fields, separator, &reading)) {
    if (fields.size() != header.size()) {
      lines.fail_column_count(fields.size(), fmt::format("{}, as in the header line", header.size()));
    }
    if (bodies.size() == 0) settle_unknown(header, fields, lines, columns, reading);
    add_row(bodies, fields, columns.layout, lines);
    if (columns.names) reading.names.emplace_back(fields[*columns.names]);
    reserve_rows(bodies, lines);
    check_count(bodies.size(), [&](const char* what) { lines.fail(what); });
  }
  if (bodies.size() == 0) fail_empty(lines.path(), "bodies");
  return bodies;
}

std::vector<std::string> unknown_columns(const std::string& path) {
  LineReader lines(path);
  std::vector<std::string_view> fields;
  char separator = 0;
  if (!next_row(lines, fields, separator)) return {};
  std::vector<std::string> names(fields.begin(), fields.end());
  const std::vector<std::string_view> header(names.begin(), names.end());
  double number = 0;
  if (names.size() < 2 || std::any_of(fields.begin(), fields.end(), [&](auto f) { return parse_number(f, number); })) {
    return {};
  }
  ReadReport reading;
  try {
    Columns columns = columns_of(header, lines, reading);
    if (next_row(lines, fields, separator)) settle_unknown(header, fields, lines, columns, reading);
    return {};
  } catch (const Error&) {
    return names;
  }
}

void write_csv(OutputFile& file, const Bodies& b, const StateInfo& state) {
  std::string head = units_comment(state.units) + "x,y,z,m,r,vx,vy,vz";
  for_each_optional(b, [&](const ColumnInfo& c, const auto&) { head += fmt::format(",{}", c.name); });
  file.write(head + "\n");
  std::string line;
  for (std::size_t i = 0; i < b.size(); ++i) {
    file.progress(i, b.size());
    line.clear();
    for (const double v : {b.x[i], b.y[i], b.z[i], b.m[i], b.r[i], b.vx[i], b.vy[i], b.vz[i]}) {
      append_number(line, v);
      line += ',';
    }
    for_each_optional(b, [&](const ColumnInfo&, const auto& values) {
      append_number(line, static_cast<double>(values[i]));
      line += ',';
    });
    line.back() = '\n';
    file.write(line);
  }
}

namespace {

/// The columns with these names.
std::vector<std::size_t> columns_named(const std::vector<std::string>& wanted, const std::vector<std::string>& names,
                                       const LineReader& lines) {
  std::vector<std::size_t> chosen;
  for (const std::string& name : wanted) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      throw FileError(fmt::format("'{}': --columns: {}", lines.path(), unknown_name("column", name, names)));
    }
    chosen.push_back(static_cast<std::size_t>(at - names.begin()));
  }
  return chosen;
}

/// Refuses a name that two columns have: which of them is meant?
void check_names(const std::vector<std::string>& names, const LineReader& lines) {
  for (std::size_t c = 0; c < names.size(); ++c) {
    const auto earlier = std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(c), names[c]);
    const auto first = static_cast<std::size_t>(earlier - names.begin());
    if (first == c || names[c].empty()) continue;
    lines.fail(c + 1, names[c], fmt::format("column {} has that name already; rename or remove one", first + 1));
  }
}

/// x, y and z if these are the columns of bodies; else all, but not numbers of the rows.
std::vector<std::size_t> columns_of_points(const std::vector<std::string>& names, const LineReader& lines,
                                           Notes& notes) {
  std::vector<std::size_t> all, position;
  bool bodies = true;
  Layout seen(body_columns().size() + 1), twice(seen.size());
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::string lower = lower_case(names[c]);
    const std::optional<Quantity> quantity = quantity_of(lower);
    const std::size_t q = quantity ? place_of(*quantity) : body_columns().size();
    if (!is_index(c, lower) || names.size() == 1) all.push_back(c);
    if (q <= place_of(Quantity::z)) position.push_back(c);
    if (seen[q] && !twice[q]) twice[q] = c;
    if (!seen[q]) seen[q] = c;
    bodies = bodies && (quantity || is_index(c, lower));
  }
  for (std::size_t q = 0; q < body_columns().size() && bodies; ++q) {
    if (!twice[q]) continue;
    lines.fail(*twice[q] + 1, names[*twice[q]],
               fmt::format("column {} is {}, too; rename or remove one", *seen[q] + 1, body_columns()[q].name));
  }
  for (std::size_t c = 0; c < names.size() && names.size() > 1; ++c) {
    if (is_index(c, lower_case(names[c]))) notes.push_back(index_note(lines, c, names[c]));
  }
  if (!bodies || position.size() != 3 || all.size() == 3) return all;
  notes.push_back(
      fmt::format("'{}' holds bodies; the points are their x, y, z (--columns chooses others).", lines.path()));
  return position;
}

}  // namespace

PointSet read_csv_points(const std::string& path, const PointColumns& wanted, Notes& notes) {
  LineReader lines(path);
  std::vector<std::string_view> fields;
  char separator = 0;
  if (!next_row(lines, fields, separator)) fail_empty(lines.path(), "points");
  const std::size_t columns = fields.size();
  // A first line without any number is a header line.
  double number = 0;
  const bool named = std::none_of(fields.begin(), fields.end(), [&](auto f) { return parse_number(f, number); });
  std::vector<std::string> names(columns);
  std::size_t counted = 0;
  while (counted < columns && fields[counted] == std::to_string(counted)) ++counted;
  if (columns > 1 && counted == columns) {
    notes.push_back(fmt::format("'{}': the first line, 0 to {}, is read as a row; remove it if it numbers the columns.",
                                path, columns - 1));
  }
  if (named) std::copy(fields.begin(), fields.end(), names.begin());
  check_names(names, lines);
  std::vector<std::size_t> features(columns);
  std::iota(features.begin(), features.end(), std::size_t{0});
  if (!wanted.names.empty()) {
    if (!named) lines.fail("has numbers instead of column names, which --columns needs");
    features = columns_named(wanted.names, names, lines);
  } else if (named) {
    features = columns_of_points(names, lines, notes);
  }
  if (features.size() > kMaxFeatures) {
    lines.fail(fmt::format("has {} columns; a point has at most {} features", features.size(), kMaxFeatures));
  }

  PointSet points;
  points.features = static_cast<u32>(features.size());
  u64 rows = 0;
  for (bool more = named ? next_row(lines, fields, separator) : true; more; more = next_row(lines, fields, separator)) {
    if (fields.size() != columns) {
      lines.fail_column_count(fields.size(), fmt::format("{}, as in the first line", columns));
    }
    for (const std::size_t c : features) {
      const double value = finite_number(fields[c], lines, c + 1, names[c]);
      if (is_beyond(value, wanted)) lines.fail(c + 1, names[c], fmt::format("{} {}", in_quotes(fields[c]), kBeyond));
      points.values.push_back(value);
    }
    check_count(++rows, [&](const char* what) { lines.fail(what); });
  }
  if (rows == 0) fail_empty(lines.path(), "points");
  points.n = static_cast<u32>(rows);
  return points;
}

// tab: one body per line, m x y z vx vy vz, separated by blanks. '#' starts a comment; empty lines are skipped. A
// comment that names the seven columns in another order is believed.

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

/// The place in kColumns of each column of a file.
using TabOrder = std::array<std::size_t, kColumns.size()>;
constexpr TabOrder kUsualOrder{0, 1, 2, 3, 4, 5, 6};

/// The place in kColumns of a component of position or velocity as other programs write it: pos_x, x_pos, velX, v_y,
/// x1, v3. A tab file has no other way to say which column is which.
std::optional<std::size_t> component_column(std::string_view name) {
  std::string letters;
  for (const char c : lower_case(name)) {
    if (c != '_' && c != '-' && c != '.') letters += c;
  }
  constexpr std::string_view kAxes = "xyz", kNumbers = "123";
  constexpr std::array<std::string_view, 8> kKinds{"pos", "position", "coord", "coordinate",
                                                   "v",   "vel",      "velo",  "velocity"};
  const auto is_kind = [&](std::string_view word) {
    return std::find(kKinds.begin(), kKinds.end(), word) != kKinds.end();
  };
  const auto place = [](std::size_t axis, std::string_view kind) { return axis + (kind.starts_with('v') ? 4 : 1); };
  if (letters.size() < 2) return std::nullopt;
  const std::string_view all = letters, front = all.substr(0, all.size() - 1), rear = all.substr(1);
  const std::size_t first = kAxes.find(all.front()), last = kAxes.find(all.back()), count = kNumbers.find(all.back());
  if (last != kAxes.npos && is_kind(front)) return place(last, front);
  if (first != kAxes.npos && is_kind(rear)) return place(first, rear);
  if (count != kNumbers.npos && (front == "x" || is_kind(front))) return place(count, front);
  return std::nullopt;
}

/// The place in kColumns of a quantity of this name; nullopt: it has none.
std::optional<std::size_t> tab_column(std::string_view name) {
  const std::optional<Quantity> quantity = quantity_of(name);
  if (!quantity) return component_column(name);
  const auto at = std::find(kColumns.begin(), kColumns.end(), info_of(*quantity).name);
  return at == kColumns.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - kColumns.begin()));
}

/// The same of a name with a unit behind it: "x/kpc", "vx_km/s".
std::optional<std::size_t> tab_column_with_unit(std::string_view name) {
  for (;;) {
    if (const auto column = tab_column(name)) return column;
    const std::size_t end = name.find_last_of("/_");
    if (end == name.npos) return std::nullopt;
    name = name.substr(0, end);
  }
}

/// The words of a comment without what is in brackets, as units: "x" of "x[kpc]" and of "x (in kpc)", "m" of "7:m". Of
/// an index, if they are asked for, the digit: "pos1" of "pos[1]".
std::vector<std::string> names_in(std::string_view comment, bool indices = false) {
  std::vector<std::string> names(1);
  std::size_t depth = 0;
  for (std::size_t i = 0; i < comment.size(); ++i) {
    const char c = comment[i];
    const std::string_view index = comment.substr(i, 3);
    if (indices && index.size() == 3 && (c == '[' || c == '(') && (index[2] == ']' || index[2] == ')') &&
        index[1] >= '0' && index[1] <= '9' && !names.back().empty()) {
      names.back() += index[1], i += 2;
      continue;
    }
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && depth > 0) --depth;
    const bool between = std::string_view("# \t\r,;:|=()[]").find(c) != std::string_view::npos;
    if (between && !names.back().empty()) names.emplace_back();
    if (!between && depth == 0) names.back() += c;
  }
  std::erase_if(names, [](const std::string& name) {
    return name.empty() || std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  });
  return names;
}

/// The order of the columns that a comment names; nullopt: it names none. Throws where it lists others, or some of
/// them in another order: which number is which is then a guess.
std::optional<TabOrder> order_named_by(std::string_view comment, const LineReader& lines) {
  constexpr std::size_t kSentence = 4;  // "x y z in units of kpc" has three
  std::vector<std::string> names = names_in(comment);
  const auto is_known = [](const std::string& name) { return tab_column(name).has_value(); };
  const bool few = std::count_if(names.begin(), names.end(), is_known) < static_cast<std::ptrdiff_t>(kSentence);
  const bool decorated = few && names.size() == kColumns.size();
  if (decorated) names = names_in(comment, true);
  std::vector<std::size_t> columns;
  std::size_t known = 0, at_home = 0;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::optional<std::size_t> column = decorated ? tab_column_with_unit(names[c]) : tab_column(names[c]);
    if (!column) continue;
    ++known, at_home += *column == c ? 1 : 0;
    if (columns.empty() || columns.back() != *column) columns.push_back(*column);  // "mass m"
  }
  TabOrder order{};
  if (columns.size() == order.size()) {
    std::copy(columns.begin(), columns.end(), order.begin());
    if (std::is_permutation(order.begin(), order.end(), kUsualOrder.begin())) return order;
  }
  if (known < kSentence) return std::nullopt;
  const bool list = names.size() == known || names.size() == order.size();
  const bool usual = list ? names.size() == order.size() && at_home == known && columns[0] == 0
                          : std::is_sorted(columns.begin(), columns.end());
  if (usual) return std::nullopt;
  lines.fail(
      fmt::format("names the columns {}; a tab file has m x y z vx vy vz, in any order that a comment names "
                  "(others are read from .csv)",
                  fmt::join(names, " ")));
}

void add_row(Bodies& bodies, const Fields& fields, const TabOrder& order, const LineReader& lines) {
  std::array<double, kColumns.size()> v{};
  for (std::size_t c = 0; c < v.size(); ++c) {
    v[order[c]] = finite_number(fields.text[c], lines, c + 1, kColumns[order[c]]);
    if (order[c] != 0 || v[0] >= 0) continue;
    lines.fail(c + 1, "m", fmt::format("the mass {} is negative; a mass is 0 or more", in_quotes(fields.text[c])));
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
  std::optional<TabOrder> named;
  std::string_view line;
  while (lines.next(line)) {
    const std::size_t mark = line.find('#');
    const Fields fields = split(line.substr(0, mark));
    if (mark != std::string_view::npos) apply_units_comment(lines.path(), line.substr(mark), reading);
    if (fields.count == 0) {
      const auto order = mark == std::string_view::npos ? std::nullopt : order_named_by(line.substr(mark), lines);
      if (order && *order != named.value_or(bodies.size() == 0 ? *order : kUsualOrder)) {
        lines.fail("names the columns in another order than what is before it");
      }
      if (order) named = order;
      continue;
    }
    if (fields.count != kColumns.size()) {
      if (line.find(',') != std::string_view::npos) {
        lines.fail("has commas; a tab file is separated by blanks, m x y z vx vy vz (name a file with commas .csv)");
      }
      lines.fail_column_count(fields.count, "7; a tab file holds m x y z vx vy vz on each line");
    }
    add_row(bodies, fields, named.value_or(kUsualOrder), lines);
    reserve_rows(bodies, lines);
    check_count(bodies.size(), [&](const char* what) { lines.fail(what); });
  }
  if (named.value_or(kUsualOrder) != kUsualOrder) {
    reading.notes.push_back(
        fmt::format("'{}': the columns are read in the order that its comment names.", lines.path()));
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

// `-`, standard input: text in one of the two formats that need no seeking and have no size in advance. A comma or
// semicolon in the first line with text makes it csv.

namespace {

bool is_csv(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view words = trimmed(line);
    if (!words.empty() && words.front() != '#') return words.find_first_of(",;") != std::string_view::npos;
  }
  return false;
}

}  // namespace

Bodies read_stream(const std::string& path, ReadReport& reading) {
  LineReader lines(path);
  if (is_csv(lines.buffered())) return read_csv_lines(lines, reading);
  if (!reading.columns.empty()) throw ConfigError("standard input is a table without names, so no columns are chosen.");
  return read_tab_lines(lines, reading);
}

}  // namespace tri::io
