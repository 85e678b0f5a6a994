/// xyz and extended xyz.
///
/// The comment line of a frame of extended XYZ: KEY=VALUE in any order, where a value with blanks stands in quotes,
/// braces or brackets. Properties= names the columns, Lattice=, Origin= and pbc= the cell, units= a system of units.

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/files/text.hpp"
#include "sim/io/format.hpp"
#include "sim/io/formats.hpp"

namespace tri::io {

namespace {

/// What a column of a frame holds.
enum class XyzRole : u8 { unused, quantity, momentum, label, number };

struct XyzColumn {
  XyzRole role = XyzRole::unused;
  Quantity quantity = Quantity::x;  ///< of a quantity; vx, vy, vz of a momentum
};

struct XyzFrame {
  std::vector<XyzColumn> columns;
  bool plain = false;  ///< no Properties: a label and x y z, and whatever follows
  std::optional<double> time;
  ReadReport said;                  ///< units, box and strange_cell
  std::vector<std::string> unread;  ///< names of columns

  bool has(XyzRole role) const {
    return std::any_of(columns.begin(), columns.end(), [role](const XyzColumn& c) { return c.role == role; });
  }
  bool has(Quantity quantity) const {
    const auto is = [quantity](const XyzColumn& c) { return c.role == XyzRole::quantity && c.quantity == quantity; };
    return std::any_of(columns.begin(), columns.end(), is);
  }
};

// Names of columns are those of ASE, QUIP, OVITO and of our own: species:S:1, Z:I:1 (atomic numbers), pos:R:3,
// velo:R:3, momenta:R:3, masses:R:1, radius:R:1, charge:R:1, group:I:1. Names of one letter mean many things there (m
// is a magnetic moment), so none but q is taken.

constexpr std::string_view kXyzBlanks = " \t\r", kXyzOpen = "\"'{[(", kXyzClose = "\"'}])";

/// KEY and VALUE, the key in lower case, the value without its quotes or outermost brackets.
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Past what closes the quote or bracket at `at`; 0: there is none, or nothing closes it.
std::size_t past_close(std::string_view text, std::size_t at) {
  const std::size_t kind = at < text.size() ? kXyzOpen.find(text[at]) : std::string_view::npos;
  if (kind == std::string_view::npos) return 0;
  std::size_t depth = 1;
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == kXyzClose[kind]) {
      if (--depth == 0) return i + 1;
    } else if (text[i] == kXyzOpen[kind]) {
      ++depth;
    }
  }
  return 0;
}

/// Throws for a value that does not end: it would hide the keys after it.
Pairs pairs_of(std::string_view text, const LineReader& lines) {
  Pairs pairs;
  for (std::size_t at = text.find_first_not_of(kXyzBlanks); at < text.size();
       at = text.find_first_not_of(kXyzBlanks, at)) {
    if (text[at] == '"' || text[at] == '\'') {
      at = std::max(past_close(text, at), at + 1);
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \t\r=", at), text.size());
    std::string key = lower_case(text.substr(at, end - at));
    const std::size_t mark = std::min(text.find_first_not_of(kXyzBlanks, end), text.size());
    if (mark == text.size() || text[mark] != '=') {
      at = std::max(end, at + 1);
      continue;
    }
    const std::size_t begin = std::min(text.find_first_not_of(kXyzBlanks, mark + 1), text.size());
    const std::size_t past = past_close(text, begin);
    at = past != 0 ? past : std::min(text.find_first_of(kXyzBlanks, begin), text.size());
    const std::string_view value = text.substr(begin, at - begin);
    if (past == 0 && value.find_first_of(kXyzOpen) == 0)
      lines.fail(fmt::format("has {} = {}, where a quote or bracket is not closed", in_quotes(key), in_quotes(value)));
    pairs.emplace_back(std::move(key), past != 0 ? value.substr(1, value.size() - 2) : value);
  }
  return pairs;
}

/// The value of a key, nullptr if there is none.
const std::string* find(const Pairs& pairs, std::string_view key) {
  const auto at = std::find_if(pairs.begin(), pairs.end(), [key](const auto& pair) { return pair.first == key; });
  return at == pairs.end() ? nullptr : &at->second;
}

/// The words between blanks, commas and brackets.
std::vector<std::string> words_of(const std::string& text) {
  constexpr std::string_view kBetween = " \t\r,[]{}()\"'";
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(kBetween); at != std::string::npos;
       at = text.find_first_not_of(kBetween, at)) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// `count` finite numbers of a value; fails with the line otherwise.
std::vector<double> numbers_of(const std::string& text, std::string_view key, std::size_t count,
                               const LineReader& lines) {
  std::vector<double> numbers;
  for (const std::string& word : words_of(text)) {
    double value = 0;
    if (!parse_number(word, value) || !std::isfinite(value)) break;
    numbers.push_back(value);
  }
  const bool diagonal = key == "Lattice" && numbers.size() == 3 && words_of(text).size() == 3;
  if (diagonal) return {numbers[0], 0, 0, 0, numbers[1], 0, 0, 0, numbers[2]};
  if (numbers.size() == count && words_of(text).size() == count) return numbers;
  lines.fail(fmt::format("has a {} that is not {} numbers, {}", key, count, in_quotes(text)));
}

/// Along which axes the cell repeats.
std::array<bool, 3> periodic_of(const std::string* value, bool lattice, const LineReader& lines) {
  if (value == nullptr) return {lattice, lattice, lattice};  // as ASE has it
  std::array<bool, 3> periodic{};
  std::vector<std::string> words = words_of(*value);
  if (words.size() == 1) words.resize(3, words[0]);
  for (std::size_t axis = 0; axis < words.size() && words.size() == 3; ++axis) {
    const std::string word = lower_case(words[axis]);
    periodic[axis] = word == "t" || word == "true" || word == "1" || word == ".true.";
    if (!periodic[axis] && word != "f" && word != "false" && word != "0" && word != ".false.") words.clear();
  }
  if (words.size() != 3) {
    lines.fail(fmt::format("has pbc = {}, which is not T or F for each of x, y and z", in_quotes(*value)));
  }
  return periodic;
}

/// The box whose edges are these vectors, if each lies along an axis of its own.
std::optional<Box> box_of_edges(const std::vector<double>& edges, const std::vector<double>& origin) {
  Box box;
  std::array<bool, 3> taken{};
  for (std::size_t row = 0; row < 3; ++row) {
    const double* edge = &edges[3 * row];
    const double length = std::hypot(edge[0], edge[1], edge[2]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (std::abs(edge[axis]) <= 1e-12 * length) continue;  // the rounding of a rotation
      if (taken[axis] || std::abs(std::abs(edge[axis]) - length) > 1e-12 * length) return std::nullopt;
      taken[axis] = true;
      box.low[axis] = origin[axis] + std::min(0.0, edge[axis]);
      box.high[axis] = origin[axis] + std::max(0.0, edge[axis]);
      if (!(box.high[axis] > box.low[axis])) return std::nullopt;
    }
  }
  if (!(taken[0] && taken[1] && taken[2])) return std::nullopt;
  return box;
}

void apply_cell(const Pairs& pairs, ReadReport& said, const LineReader& lines) {
  const std::string *lattice = find(pairs, "lattice"), *from = find(pairs, "origin");
  std::vector<double> edges(9, 0.0), origin(3, 0.0);
  if (lattice != nullptr) edges = numbers_of(*lattice, "Lattice", 9, lines);
  if (from != nullptr) origin = numbers_of(*from, "Origin", 3, lines);
  const bool none = std::all_of(edges.begin(), edges.end(), [](double v) { return v == 0; });
  const std::array<bool, 3> periodic = periodic_of(find(pairs, "pbc"), !none, lines);
  if (!none) said.box = box_of_edges(edges, origin);
  const auto axes = std::count(periodic.begin(), periodic.end(), true);
  if (axes == 0) {
    if (!none && !said.box) {
      said.notes.push_back(
          fmt::format("'{}': its cell (Lattice) is slanted or flat, and not periodic; it is not kept.", lines.path()));
    }
    return;
  }
  if (none) {
    said.strange_cell = "is periodic (pbc), but has no cell (Lattice)";
  } else if (!said.box) {
    said.strange_cell = "has a periodic cell that is slanted or flat (Lattice)";
  } else if (axes < 3) {
    std::string names;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (periodic[axis]) names += fmt::format("{}{}", names.empty() ? "" : " and ", "xyz"[axis]);
    }
    said.strange_cell = fmt::format("has a cell that is periodic along {} only (pbc)", names);
  } else {
    said.box->boundary = Boundary::periodic;
  }
  if (!said.strange_cell.empty()) said.box.reset();
}

/// The role of a column NAME:TYPE:COLUMNS.
XyzColumn column_of(const std::string& name, const std::string& type, double columns) {
  const std::string lower = lower_case(name);
  const bool text = type == "S";
  if (text || type == "L") {
    constexpr std::array<std::string_view, 4> kLabels{"species", "element", "symbol", "symbols"};
    const bool label = text && columns == 1 && std::find(kLabels.begin(), kLabels.end(), lower) != kLabels.end();
    return {label ? XyzRole::label : XyzRole::unused};
  }
  if (columns == 3) {
    if (lower == "momenta") return {XyzRole::momentum, Quantity::vx};
    const auto vector = vector_of(name);
    return vector ? XyzColumn{XyzRole::quantity, *vector} : XyzColumn{};
  }
  if (columns != 1) return {};
  if (name == "Z" || lower == "numbers") return {XyzRole::number};
  const auto quantity = quantity_of(name);
  const bool known = quantity && *quantity >= Quantity::mass && lower != "m" && lower != "r";
  return known ? XyzColumn{XyzRole::quantity, *quantity} : XyzColumn{};
}

void parse_properties(const std::string& text, XyzFrame& frame, const LineReader& lines) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  constexpr double kMaxColumns = 64;
  for (std::size_t w = 0; w < words.size(); w += 3) {
    double columns = 0;
    if (w + 2 >= words.size() || !parse_number(words[w + 2], columns) || !(columns >= 1 && columns <= kMaxColumns) ||
        columns != std::floor(columns)) {
      lines.fail("has Properties that are not NAME:TYPE:COLUMNS:...; see the extended XYZ format");
    }
    const XyzColumn first = column_of(words[w], words[w + 1], columns);
    const bool twice = first.role == XyzRole::quantity ? frame.has(first.quantity)
                                                       : first.role != XyzRole::unused && frame.has(first.role);
    if (twice) lines.fail(fmt::format("has Properties with {} and another column of the same; remove one", words[w]));
    if (first.role == XyzRole::unused) frame.unread.push_back(words[w]);
    for (u64 c = 0; c < static_cast<u64>(columns); ++c) {
      frame.columns.push_back({first.role, after(first.quantity, first.role == XyzRole::unused ? 0 : c)});
    }
  }
  if (!frame.has(Quantity::x)) lines.fail("has Properties without pos:R:3, the positions of the bodies");
}

/// Refuses a key that acts and is there twice.
void check_keys(const Pairs& pairs, const LineReader& lines) {
  for (const std::string_view key : {"units", "time", "lattice", "origin", "pbc", "properties"}) {
    const auto is_key = [key](const auto& pair) { return pair.first == key; };
    if (std::count_if(pairs.begin(), pairs.end(), is_key) > 1) lines.fail(fmt::format("has {} twice; remove one", key));
  }
}

/// Whether a comment has this word, of letters alone and in lower case.
bool has_word(const std::string& comment, std::string_view word) {
  const auto is_letter = [&](std::size_t at) {
    return at < comment.size() && comment[at] >= 'a' && comment[at] <= 'z';
  };
  for (std::size_t at = comment.find(word); at != std::string::npos; at = comment.find(word, at + 1)) {
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  }
  return false;
}

/// Notes what other programs than ASE say of cell, units and time.
void note_unread(std::string_view comment, const Pairs& pairs, XyzFrame& frame, const LineReader& lines) {
  ReadReport& said = frame.said;
  const std::string lower = lower_case(comment);
  const auto mentions = [&](std::string_view word) { return has_word(lower, word); };
  const std::array<std::string_view, 4> cells{"cell", "pbc", "lattice", "box"};
  if (find(pairs, "lattice") == nullptr && find(pairs, "pbc") == nullptr &&
      std::any_of(cells.begin(), cells.end(), mentions)) {
    said.notes.push_back(
        fmt::format("'{}': the comment tells of a cell, but not as Lattice=\"9 numbers\", so the bodies are in open "
                    "space.",
                    lines.path()));
  }
  for (const auto& [key, value] : pairs) {
    if (key != "unit" && !key.ends_with("_units") && !key.ends_with("_unit")) continue;
    const UnitSystem *units = said.units, *own = key.starts_with("length") ? find_unit_system(value + "_kg_s") : units;
    const bool agree =
        units != nullptr &&
        (value == units->length || (own != nullptr && std::abs(own->metre - units->metre) <= 1e-3 * units->metre));
    if (!agree) apply_units(lines.path(), fmt::format("{}={}", key, value), said);
  }
  const std::size_t at = lower.find("positions{");  // of i-PI
  if (at != std::string::npos && said.units == nullptr && said.unknown_units.empty()) {
    said.unknown_units = lower.substr(at, lower.find('}', at) + 1 - at);
  }
  if (const std::string* time = find(pairs, "time"); time != nullptr && !frame.time) {
    said.notes.push_back(
        fmt::format("'{}': the time {} is no number and is not used.", lines.path(), in_quotes(*time)));
  }
}

/// Fails with the line for Properties, a Lattice or a pbc that are none, and for two columns of one quantity.
XyzFrame xyz_frame_of(std::string_view comment, const LineReader& lines) {
  XyzFrame frame;
  const Pairs pairs = pairs_of(comment, lines);
  check_keys(pairs, lines);
  if (const std::string* units = find(pairs, "units")) apply_units(lines.path(), *units, frame.said);
  apply_cell(pairs, frame.said, lines);
  double time = 0;
  const std::string* at = find(pairs, "time");
  if (at != nullptr && parse_number(*at, time) && std::isfinite(time)) frame.time = time;
  note_unread(comment, pairs, frame, lines);
  const std::string* properties = find(pairs, "properties");
  if (properties != nullptr && !properties->empty()) {
    parse_properties(*properties, frame, lines);
    return frame;
  }
  frame.plain = true;
  frame.columns = {{XyzRole::label}};
  for (const Quantity q : {Quantity::x, Quantity::y, Quantity::z}) frame.columns.push_back({XyzRole::quantity, q});
  return frame;
}

/// Lengths in Angstrom and masses in u, as ASE has them; its momenta are in sqrt(eV u).
bool is_ase(const UnitSystem& units) {
  const UnitSystem& ase = unit_system_from("angstrom-ev-amu");
  return units.metre == ase.metre && units.kilogram == ase.kilogram;
}

/// ASE's unit of velocity, Angstrom over 10.18 fs, in units of this system.
double ase_velocity(const UnitSystem& units) {
  const UnitSystem& ase = unit_system_from("angstrom-ev-amu");
  return (ase.metre / ase.second) / (units.metre / units.second);
}

// xyz: the number of bodies on a line, a comment, then one line per body. Plain XYZ has a label and x y z; extended
// XYZ names its columns in the comment, Properties=species:S:1:pos:R:3:velo:R:3:masses:R:1, and may give Time=, units=
// (the name of a system), and a cell: Lattice="..." with edges along the axes, Origin= and pbc=. The last of several
// frames is read.
//
// Species that are elements stay, and give the masses where the file has none. ASE (ase.io.extxyz) keeps momenta
// instead of velocities, in sqrt(eV u); they are divided by the masses, and count before a column of velocities,
// which ASE passes on as it was. In systems with Angstrom and u momenta are written, too, so that ASE has these atoms
// with their velocities; numbers in other units of the size of atoms are written in angstrom-ps-amu.

/// Reads the rows of a frame.
class RowReader {
 public:
  RowReader(const XyzFrame& frame, const UnitSystem* asked, LineReader& lines) : frame_(frame), lines_(lines) {
    masses_ = frame.has(Quantity::mass);
    const bool weighs = masses_ || frame.has(XyzRole::label) || frame.has(XyzRole::number);
    momenta_ = frame.has(XyzRole::momentum) && weighs;
    units_ = frame.said.units != nullptr ? frame.said.units : asked;
  }

  void read(std::string_view line) {
    b_.add(0, 0, 0, 0, 0, 0, 1);
    momentum_ = {};
    species_ = {}, number_.reset();
    std::size_t column = 0;
    for (std::size_t at = 0;; ++column) {
      at = line.find_first_not_of(" \t\r", at);
      if (at == std::string_view::npos) break;
      const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
      if (column < frame_.columns.size()) store(frame_.columns[column], line.substr(at, end - at), column);
      at = end;
    }
    const std::size_t columns = frame_.columns.size();
    // Plain files often have charges or forces.
    if (column < columns || (column > columns && !frame_.plain)) {
      lines_.fail_column_count(column, fmt::format("{}, as the frame's comment line says", columns));
    }
    more_ = more_ || column > columns;
    set_mass();
    if (momenta_) set_velocity();
    reserve_rows(b_, lines_);
  }

  /// The bodies, with what is to be said of them.
  Bodies finish(const std::string& path, ReadReport& reading) {
    if (!masses_ && !unknown_.empty() && elements_ > 0) {
      throw FileError(
          fmt::format("'{}' has the species {}, which is no element, beside others that are; add masses:R:1.", path,
                      in_quotes(unknown_)));
    }
    if (stale_ > 0) {
      b_.vx = std::move(v_[0]), b_.vy = std::move(v_[1]), b_.vz = std::move(v_[2]);
      reading.notes.push_back(
          fmt::format("'{}': the velocities are the momenta over the masses; the column of velocities has others in {} "
                      "rows and is not used.",
                      path, stale_));
    }
    if (momenta_ && units_ == nullptr && elements_ > 0 && reading.unknown_units.empty())
      reading.units = find_unit_system("angstrom-ev-amu");
    if (!masses_ && elements_ == 0) {
      reading.without_masses = unknown_.empty() ? "no masses and no species"
                                                : fmt::format("no masses, and {} is no element", in_quotes(unknown_));
    }
    if (!taken_as_.empty()) reading.notes.push_back(fmt::format("'{}': {}.", path, taken_as_));
    if (!momenta_ && frame_.has(XyzRole::momentum)) {
      reading.notes.push_back(fmt::format("'{}': the column momenta is not used.", path));
    }
    if (more_) reading.notes.push_back(fmt::format("'{}': the columns after z are not used.", path));
    return std::move(b_);
  }

 private:
  void store(const XyzColumn& column, std::string_view field, std::size_t at) {
    if (column.role == XyzRole::label) return set_label(field);
    if (column.role == XyzRole::unused) return;
    const double value = finite_number(field, lines_, at + 1, "");
    if (column.role == XyzRole::number) {
      if (!(value >= 0 && value <= kElements && value == std::floor(value))) {
        lines_.fail(at + 1, "", fmt::format("{} is not an atomic number", in_quotes(field)));
      }
      number_ = static_cast<u32>(value);
    } else if (column.role == XyzRole::momentum) {
      momentum_[static_cast<std::size_t>(column.quantity) - static_cast<std::size_t>(Quantity::vx)] = value;
    } else {
      const std::string problem = store_value(b_, b_.size() - 1, column.quantity, value);
      if (!problem.empty()) lines_.fail(at + 1, "", problem);
    }
  }

  void set_label(std::string_view label) {
    if (label != label_) {
      label_ = label;
      labelled_ = species_of(label);
      const bool said = labelled_.exact || labelled_.element == 0 || taken_as_.find(label_) != std::string::npos;
      if (!said && taken_as_.size() < 200) {
        taken_as_ += fmt::format(
            "{}{} is read as {}{}", taken_as_.empty() ? "" : ", ", label, symbol_of(labelled_.element),
            labelled_.weight == weight_of(labelled_.element) ? "" : fmt::format(" of mass {:.6g}", labelled_.weight));
      }
    }
    if (labelled_.element != 0) species_ = labelled_;
  }

  /// The species of the last body, and its mass from it.
  void set_mass() {
    if (number_ && species_.element == 0) species_ = {*number_, weight_of(*number_), true};
    if (number_ && species_.element != *number_) {
      lines_.fail(fmt::format("has the species {} and the atomic number {}; correct one", in_quotes(label_), *number_));
    }
    if (species_.element == 0) {
      if (unknown_.empty()) unknown_ = label_.empty() && number_ ? "0" : label_;
      return;
    }
    ++elements_;
    b_.species.resize(b_.size(), 0);
    b_.species.back() = static_cast<u8>(species_.element);
    if (masses_) return;
    b_.m.back() = species_.weight;
    if (species_.weight == 0) {
      lines_.fail(fmt::format("has the species {}, which has no standard atomic weight; add masses:R:1",
                              symbol_of(species_.element)));
    }
  }

  /// The velocity of the last body from its momentum.
  void set_velocity() {
    const std::size_t body = b_.size() - 1;
    const double m = b_.m[body];
    const bool both = frame_.has(Quantity::vx), moves = momentum_ != std::array<double, 3>{};
    if (!masses_ && species_.element == 0) {
      lines_.fail("has momenta, but neither a mass nor a species that is an element; add masses:R:1 or velo:R:3");
    }
    if (moves && units_ != nullptr && units_->is_physical() && !is_ase(*units_)) {
      lines_.fail(
          fmt::format("has momenta, which are in sqrt(eV u) beside Angstrom and u, but the units are {}; write "
                      "velo:R:3 alone, or positions in Angstrom with units=angstrom-ps-amu",
                      units_->name));
    }
    const double scale = units_ != nullptr && units_->is_physical() ? ase_velocity(*units_) : 1;
    const std::array<std::vector<double>*, 3> velocity{&b_.vx, &b_.vy, &b_.vz};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double value = momentum_[axis];
      if (value != 0) value = value / m * scale;
      if (!std::isfinite(value)) {
        lines_.fail(fmt::format("has momenta for a mass of {}, which give no velocity; write velo:R:3 instead", m));
      }
      double& own = (*velocity[axis])[body];
      if (!both) own = value;
      if (both && m == 0) value = own;
      // ASE writes eight decimals of both.
      const double rounding = 1e-6 * std::max(std::abs(own), std::abs(value)) + 2e-8 * (1 + scale / m);
      if (both && std::abs(own - value) > rounding) ++stale_;
      if (both) v_[axis].push_back(value);
    }
  }

  const XyzFrame& frame_;
  LineReader& lines_;
  const UnitSystem* units_;
  bool masses_, momenta_, more_ = false;
  Bodies b_;
  std::array<double, 3> momentum_{};      ///< of the last body
  std::array<std::vector<double>, 3> v_;  ///< from momenta, beside velocities
  u64 stale_ = 0, elements_ = 0;
  std::string label_, unknown_, taken_as_;
  Species species_, labelled_;  ///< of the last body, and of label_
  std::optional<u32> number_;   ///< the last body's atomic number, if there is one
};

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
  XyzFrame frame;
  ReadReport said;
  u64 frames = 0;
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty()) continue;
    const u64 count = count_of(line, lines);
    if (!lines.next(line)) lines.fail("is the last; a comment and the bodies must follow it");
    frame = xyz_frame_of(line, lines);
    RowReader rows(frame, reading.asked, lines);
    for (u64 i = 0; i < count; ++i) {
      if (!lines.next(line)) {
        lines.fail(fmt::format("is the last, but the frame announces {} bodies and has {}: the file may be cut off",
                               count, i));
      }
      rows.read(line);
    }
    said = std::move(frame.said);
    b = rows.finish(path, said);
    ++frames;
  }
  if (b.size() == 0) throw FileError(fmt::format("'{}' holds no bodies; an xyz file starts with their count.", path));
  said.asked = reading.asked, said.time = frame.time;
  if (frames > 1) said.notes.push_back(fmt::format("'{}' has {} frames; the last is read.", path, frames));
  if (frame.plain) {
    const bool elements = said.without_masses.empty();
    said.notes.push_back(fmt::format("'{}' is plain xyz: masses are {}, velocities 0.", path,
                                     elements ? "those of the elements" : "set to 1"));
    said.without_masses.clear();
  }
  for (const std::string& name : frame.unread) {
    said.notes.push_back(fmt::format("'{}': the column {} is not used.", path, name));
  }
  said.notes.insert(said.notes.begin(), reading.notes.begin(), reading.notes.end());
  reading = std::move(said);
  return b;
}

namespace {

/// What numbers are multiplied with on their way into a file, and the units that they are then in.
struct XyzScale {
  std::string units;
  double length = 1, mass = 1, velocity = 1, time = 1;
  double momentum = 0;  ///< of velocity times mass, in units of ASE; 0: there are none
};

XyzScale scale_of_units(const std::string& name) {
  const UnitSystem* units = find_unit_system(name);
  if (units == nullptr) return {};
  if (is_ase(*units)) return {units->name, 1, 1, 1, 1, 1 / ase_velocity(*units)};
  constexpr double kMaxMetre = 1e-8, kMaxKilogram = 1e-22;  // of atoms
  if (!units->is_physical() || units->metre > kMaxMetre || units->kilogram > kMaxKilogram) return {units->name};
  const UnitSystem& to = unit_system_from("angstrom-ps-amu");
  const auto over = [](double a, double b) {  // 10 where that is meant
    const double quotient = a / b, whole = std::round(quotient);
    return std::abs(quotient - whole) < 1e-12 * whole ? whole : quotient;
  };
  const double length = over(units->metre, to.metre), time = over(units->second, to.second);
  return {to.name, length, over(units->kilogram, to.kilogram), length / time, time, 1 / ase_velocity(to)};
}

/// The line of a frame that says what its columns are.
std::string comment_of(const Bodies& b, const StateInfo& state, const XyzScale& as) {
  std::string text = "Properties=species:S:1:pos:R:3:velo:R:3:masses:R:1:radius:R:1";
  for_each_optional(b, [&](const ColumnInfo& c, const auto&) {
    text += fmt::format(":{}:{}:1", c.long_name, c.highest != 0 ? "I" : "R");
  });
  text += as.momentum != 0 ? ":momenta:R:3 Time=" : " Time=";
  append_number(text, state.time * as.time);
  if (!as.units.empty()) text += " units=" + as.units;
  const Box& box = state.box;
  const bool periodic = box.boundary == Boundary::periodic;
  if (!periodic && !state.cell) return text;
  std::array<double, 9> edges{};
  std::array<double, 3> low{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    low[axis] = box.low[axis] * as.length;
    edges[4 * axis] = box.high[axis] * as.length - low[axis];
  }
  return text + fmt::format(" Lattice=\"{:.17g}\" Origin=\"{:.17g}\" pbc=\"{}\"", fmt::join(edges, " "),
                            fmt::join(low, " "), periodic ? "T T T" : "F F F");
}

}  // namespace

std::string xyz_units_note(const StateInfo& state, bool atoms) {
  const XyzScale as = scale_of_units(state.units);
  if (as.units.empty()) return "";
  if (as.units != state.units) return fmt::format("numbers in {} are written in {}", state.units, as.units);
  if (!atoms || as.momentum != 0) return "";
  return fmt::format("the numbers are in {}, and other programs take those of atoms in xyz for Angstrom and u",
                     as.units);
}

void write_xyz(OutputFile& file, const Bodies& b, const StateInfo& state) {
  const XyzScale as = scale_of_units(state.units);
  file.write(fmt::format("{}\n{}\n", b.size(), comment_of(b, state, as)));
  std::string text;
  const auto add = [&text](std::initializer_list<double> values, double factor) {
    for (const double v : values) {
      text += ' ';
      append_number(text, v * factor);
    }
  };
  for (std::size_t i = 0; i < b.size(); ++i) {
    file.progress(i, b.size());
    text = symbol_of(b.species.empty() ? 0 : b.species[i]);
    add({b.x[i], b.y[i], b.z[i]}, as.length), add({b.vx[i], b.vy[i], b.vz[i]}, as.velocity);
    add({b.m[i]}, as.mass), add({b.r[i]}, as.length);
    for_each_optional(b, [&](const ColumnInfo&, const auto& values) { add({static_cast<double>(values[i])}, 1); });
    const double momentum = b.m[i] * as.mass * as.velocity * as.momentum;
    if (as.momentum != 0) add({b.vx[i], b.vy[i], b.vz[i]}, momentum);
    text += '\n';
    file.write(text);
  }
}

}  // namespace tri::io
