/// xyz: the number of bodies on a line, a comment, then one line per body. Plain XYZ has a label and x y z; extended
/// XYZ names its columns in the comment, Properties=species:S:1:pos:R:3:velo:R:3:masses:R:1, and may give Time=, units=
/// (the name of a system), and a cell: Lattice="..." with edges along the axes, Origin= and pbc=. The last of several
/// frames is read.
///
/// Species that are elements stay, and give the masses where the file has none. ASE (ase.io.extxyz) writes momenta
/// instead of velocities; they are divided by the masses. In angstrom-ps-amu momenta are written, too, in ASE's unit of
/// time, Angstrom sqrt(u/eV) = 0.01018 ps, so that ASE has these atoms with their velocities.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "sim/io/columns.hpp"
#include "sim/io/elements.hpp"
#include "sim/io/files/text_input.hpp"
#include "sim/io/format_table.hpp"

namespace tri::io {

namespace {

/// The quantity of each column of the file, or nullopt for one that is not read.
using Layout = std::vector<std::optional<Quantity>>;

struct Frame {
  Layout layout;
  std::optional<std::size_t> species;  ///< its column
  bool masses = false;                 ///< has a column of them
  bool momenta = false;                ///< the velocity columns hold mass times velocity
  std::optional<double> time;
  const UnitSystem* units = nullptr;
  std::optional<Box> box;
  std::vector<std::string> unread;
};

constexpr std::string_view kAseUnits = "angstrom-ps-amu";
/// ASE's unit of time in ps: Angstrom sqrt(u / eV), with the electronvolt of CODATA 2018.
const double kAseTime = 1e-10 * std::sqrt(1.66053906660e-27 / 1.602176634e-19) / 1e-12;

/// The value of KEY= in the comment, quoted or up to a blank; keys are case-insensitive.
std::string value_of(std::string_view comment, std::string_view key) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  for (std::size_t at = 0; at + key.size() < comment.size(); ++at) {
    const bool begins = at == 0 || comment[at - 1] == ' ' || comment[at - 1] == '\t';
    if (!begins || comment[at + key.size()] != '=') continue;
    if (!std::equal(key.begin(), key.end(), comment.begin() + static_cast<std::ptrdiff_t>(at),
                    [&](char a, char b) { return same(b, a); })) {
      continue;
    }
    std::string_view rest = comment.substr(at + key.size() + 1);
    if (!rest.empty() && rest.front() == '"') {
      rest.remove_prefix(1);
      return std::string(rest.substr(0, rest.find('"')));
    }
    return std::string(rest.substr(0, rest.find_first_of(" \t")));
  }
  return "";
}

/// The numbers of a quoted value; none if one of them is no number.
std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t at = text.find_first_not_of(' '); at != std::string::npos; at = text.find_first_not_of(' ', at)) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    double value = 0;
    if (!parse_number(std::string_view(text).substr(at, end - at), value) || !std::isfinite(value)) return {};
    numbers.push_back(value);
    at = end;
  }
  return numbers;
}

/// The cell, if its edges are along the axes.
std::optional<Box> box_of(std::string_view comment) {
  const std::vector<double> edges = numbers_of(value_of(comment, "lattice"));
  std::vector<double> origin = numbers_of(value_of(comment, "origin"));
  if (origin.size() != 3) origin = {0, 0, 0};
  if (edges.size() != 9) return std::nullopt;
  Box box;
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (row != axis && edges[3 * row + axis] != 0) return std::nullopt;
    }
    box.low[row] = origin[row], box.high[row] = origin[row] + edges[4 * row];
    if (!(box.high[row] > box.low[row])) return std::nullopt;
  }
  const std::string periodic = value_of(comment, "pbc");
  // A cell without pbc is periodic, as in ASE.
  if (periodic.empty() || periodic == "T T T") box.boundary = Boundary::periodic;
  return box;
}

Frame frame_of(std::string_view comment, const LineReader& lines) {
  Frame frame;
  frame.units = find_unit_system(value_of(comment, "units"));
  frame.box = box_of(comment);
  double time = 0;
  if (parse_number(value_of(comment, "time"), time) && std::isfinite(time)) frame.time = time;
  const std::string properties = value_of(comment, "properties");
  if (properties.empty()) {
    frame.layout = {std::nullopt, Quantity::x, Quantity::y, Quantity::z};
    return frame;
  }
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= properties.size();) {
    const std::size_t end = std::min(properties.find(':', at), properties.size());
    words.push_back(properties.substr(at, end - at));
    at = end + 1;
  }
  const auto has = [&](Quantity q) {
    for (std::size_t w = 0; w + 1 < words.size(); w += 3) {
      if (words[w + 1] != "S" && quantity_of(words[w]) == q) return true;
    }
    return false;
  };
  frame.masses = has(Quantity::mass);
  const bool labels = std::find(words.begin(), words.end(), "species") != words.end();
  const bool momenta = !has(Quantity::vx) && (frame.masses || labels);
  const bool both = frame.units != nullptr && frame.units->name == kAseUnits;  // as write_xyz() does
  constexpr double kMaxColumns = 64;
  bool has_positions = false;
  for (std::size_t w = 0; w < words.size(); w += 3) {
    double columns = 0;
    if (w + 2 >= words.size() || !parse_number(words[w + 2], columns) || !(columns >= 1 && columns <= kMaxColumns) ||
        columns != std::floor(columns)) {
      lines.fail("has Properties that are not NAME:TYPE:COLUMNS:...; see the extended XYZ format");
    }
    if (words[w] == "species" && words[w + 1] == "S" && columns == 1) frame.species = frame.layout.size();
    const bool as_momenta = momenta && words[w] == "momenta" && columns == 3;
    frame.momenta = frame.momenta || as_momenta;
    const auto quantity = words[w + 1] == "S" ? std::nullopt : quantity_of(as_momenta ? "velocities" : words[w]);
    const bool vector = quantity == Quantity::x || quantity == Quantity::vx;
    const bool fits = quantity && columns == (vector ? 3 : 1);
    has_positions = has_positions || (fits && quantity == Quantity::x);
    if (!fits && words[w + 1] != "S" && !(both && words[w] == "momenta")) frame.unread.push_back(words[w]);
    for (u64 c = 0; c < static_cast<u64>(columns); ++c) {
      frame.layout.push_back(fits ? std::optional(after(*quantity, c)) : std::nullopt);
    }
  }
  if (!has_positions) lines.fail("has Properties without pos:R:3, the positions of the bodies");
  return frame;
}

/// Takes the species of the last body, and its mass from it.
void take_species(std::string_view label, const Frame& frame, Bodies& b, const LineReader& lines) {
  const u32 element = element_of(label);
  if (element == 0) return;
  b.species.resize(b.size(), 0);
  b.species.back() = static_cast<u8>(element);
  if (frame.masses) return;
  b.m.back() = weight_of(element);
  if (b.m.back() == 0) {
    lines.fail(fmt::format("has the species {}, which has no standard atomic weight; add masses:R:1", label));
  }
}

void read_row(std::string_view line, const Frame& frame, Bodies& b, const LineReader& lines) {
  b.add(0, 0, 0, 0, 0, 0, 1);
  const bool more_allowed = frame.layout.size() == 4 && !frame.layout[0];  // plain files often have charges or forces
  std::size_t column = 0;
  const std::size_t body = b.size() - 1;
  for (std::size_t at = 0;; ++column) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    if (frame.species == column) take_species(line.substr(at, end - at), frame, b, lines);
    if (column < frame.layout.size() && frame.layout[column]) {
      const double value = finite_number(line.substr(at, end - at), lines, column + 1, "");
      const std::string problem = store_value(b, body, *frame.layout[column], value);
      if (!problem.empty()) lines.fail(column + 1, "", problem);
    }
    at = end;
  }
  if (column < frame.layout.size() || (column > frame.layout.size() && !more_allowed)) {
    lines.fail_column_count(column, fmt::format("{}, as the frame's comment line says", frame.layout.size()));
  }
  if (!frame.momenta) return;
  if (!frame.masses && (b.species.empty() || b.species.back() == 0)) {
    lines.fail("has momenta, but neither a mass nor a species that is an element; add masses:R:1 or velo:R:3");
  }
  for (std::vector<double>* v : {&b.vx, &b.vy, &b.vz}) {
    double& value = (*v)[body];
    if (value != 0) value /= b.m[body];
    if (!std::isfinite(value)) {
      lines.fail(
          fmt::format("has momenta for a mass of {}, which give no velocity; write velo:R:3 instead", b.m[body]));
    }
  }
}

/// The count on the first line of a frame.
u64 count_of(std::string_view line, const LineReader& lines) {
  const std::string_view text = trimmed(line);
  u64 count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count == 0) {
    lines.fail(
        fmt::format("{} is not a positive number of bodies; an xyz file starts with their count", in_quotes(text)));
  }
  check_count(count, [&](const char* what) { lines.fail(what); });
  return count;
}

}  // namespace

Bodies read_xyz(const std::string& path, ReadReport& reading) {
  LineReader lines(path);
  Bodies b;
  Frame frame;
  u64 frames = 0;
  bool plain = false;
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty()) continue;
    const u64 count = count_of(line, lines);
    if (!lines.next(line)) lines.fail("is the last; a comment and the bodies must follow it");
    frame = frame_of(line, lines);
    b = Bodies{};
    for (u64 i = 0; i < count; ++i) {
      if (!lines.next(line)) {
        lines.fail(fmt::format("is the last, but the frame announces {} bodies and has {}: the file may be cut off",
                               count, i));
      }
      read_row(line, frame, b, lines);
      reserve_rows(b, lines);
    }
    plain = frame.layout.size() == 4;
    ++frames;
  }
  if (b.size() == 0) throw FileError(fmt::format("'{}' holds no bodies; an xyz file starts with their count.", path));
  reading.time = frame.time, reading.units = frame.units, reading.box = frame.box;
  if (frames > 1) reading.notes.push_back(fmt::format("'{}' has {} frames; the last is read.", path, frames));
  if (plain) reading.notes.push_back(fmt::format("'{}' is plain xyz: masses are set to 1, velocities to 0.", path));
  for (const std::string& name : frame.unread) {
    reading.notes.push_back(fmt::format("'{}': the column {} is not used.", path, name));
  }
  return b;
}

namespace {

/// The line of a frame that says what its columns are.
std::string comment_of(const Bodies& b, const StateInfo& state, bool momenta) {
  std::string text = fmt::format(
      "Properties=species:S:1:pos:R:3:velo:R:3:masses:R:1:radius:R:1{}{}{} Time=", b.group.empty() ? "" : ":group:I:1",
      b.q.empty() ? "" : ":charge:R:1", momenta ? ":momenta:R:3" : "");
  append_number(text, state.time);
  if (find_unit_system(state.units) != nullptr) text += " units=" + state.units;
  const Box& box = state.box;
  if (box.boundary != Boundary::periodic) return text;
  std::array<double, 9> edges{};
  for (std::size_t axis = 0; axis < 3; ++axis) edges[4 * axis] = box.high[axis] - box.low[axis];
  return text + fmt::format(" Lattice=\"{:.17g}\" Origin=\"{:.17g}\" pbc=\"T T T\"", fmt::join(edges, " "),
                            fmt::join(box.low, " "));
}

}  // namespace

void write_xyz(OutputFile& file, const Bodies& b, const StateInfo& state) {
  const bool momenta = state.units == kAseUnits;
  file.write(fmt::format("{}\n{}\n", b.size(), comment_of(b, state, momenta)));
  std::string text;
  const auto add = [&text](std::initializer_list<double> values) {
    for (const double v : values) {
      text += ' ';
      append_number(text, v);
    }
  };
  for (std::size_t i = 0; i < b.size(); ++i) {
    file.progress(i, b.size());
    text = symbol_of(b.species.empty() ? 0 : b.species[i]);
    add({b.x[i], b.y[i], b.z[i], b.vx[i], b.vy[i], b.vz[i], b.m[i], b.r[i]});
    if (!b.group.empty()) text += fmt::format(" {}", b.group[i]);
    if (!b.q.empty()) add({b.q[i]});
    const double to_ase = b.m[i] * kAseTime;
    if (momenta) add({b.vx[i] * to_ase, b.vy[i] * to_ase, b.vz[i] * to_ase});
    text += '\n';
    file.write(text);
  }
}

}  // namespace tri::io
