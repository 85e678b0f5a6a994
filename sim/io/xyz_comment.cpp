/// Names of columns are those of ASE, QUIP, OVITO and of our own: species:S:1, Z:I:1 (atomic numbers), pos:R:3,
/// velo:R:3, momenta:R:3, masses:R:1, radius:R:1, charge:R:1, group:I:1. Names of one letter mean many things there (m
/// is a magnetic moment), so none but q is taken.

#include "sim/io/xyz_comment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/io/files/text_input.hpp"

namespace tri::io {

namespace {

constexpr std::string_view kXyzBlanks = " \t\r";

/// KEY and VALUE, the key in lower case, the value without its quotes or outermost brackets.
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// The end of the value that begins at `at`: past its closing quote or bracket, or at the next blank.
std::size_t value_end(std::string_view text, std::size_t at) {
  constexpr std::string_view kOpen = "\"'{[(", kClose = "\"'}])";
  const std::size_t kind = at < text.size() ? kOpen.find(text[at]) : std::string_view::npos;
  if (kind == std::string_view::npos) return std::min(text.find_first_of(kXyzBlanks, at), text.size());
  std::size_t depth = 1;
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == kClose[kind]) {
      if (--depth == 0) return i + 1;
    } else if (text[i] == kOpen[kind]) {
      ++depth;
    }
  }
  return text.size();
}

Pairs pairs_of(std::string_view text) {
  Pairs pairs;
  for (std::size_t at = text.find_first_not_of(kXyzBlanks); at < text.size();
       at = text.find_first_not_of(kXyzBlanks, at)) {
    if (text[at] == '"' || text[at] == '\'') {
      at = value_end(text, at);
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
    at = value_end(text, begin);
    std::string_view value = text.substr(begin, at - begin);
    const bool wrapped = value.size() > 1 && std::string_view("\"'{[(").find(value.front()) != std::string_view::npos;
    pairs.emplace_back(std::move(key), wrapped ? value.substr(1, value.size() - 2) : value);
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

void take_cell(const Pairs& pairs, ReadReport& said, const LineReader& lines) {
  const std::string *lattice = find(pairs, "lattice"), *from = find(pairs, "origin");
  std::vector<double> edges(9, 0.0), origin(3, 0.0);
  if (lattice != nullptr) edges = numbers_of(*lattice, "Lattice", 9, lines);
  if (from != nullptr) origin = numbers_of(*from, "Origin", 3, lines);
  const bool none = std::all_of(edges.begin(), edges.end(), [](double v) { return v == 0; });
  const std::array<bool, 3> periodic = periodic_of(find(pairs, "pbc"), !none, lines);
  if (!none) said.box = box_of_edges(edges, origin);
  const auto axes = std::count(periodic.begin(), periodic.end(), true);
  if (axes == 0) return;
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

void take_properties(const std::string& text, XyzFrame& frame, const LineReader& lines) {
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
  if (said.units == nullptr && said.unknown_units.empty()) {
    for (const auto& [key, value] : pairs) {
      if (key.ends_with("_units") || key.ends_with("_unit")) said.unknown_units = fmt::format("{}={}", key, value);
    }
    const std::size_t at = lower.find("positions{");  // of i-PI
    if (at != std::string::npos) said.unknown_units = lower.substr(at, lower.find('}', at) + 1 - at);
  }
  if (const std::string* time = find(pairs, "time"); time != nullptr && !frame.time) {
    said.notes.push_back(
        fmt::format("'{}': the time {} is no number and is not used.", lines.path(), in_quotes(*time)));
  }
}

}  // namespace

bool XyzFrame::has(XyzRole role) const {
  return std::any_of(columns.begin(), columns.end(), [role](const XyzColumn& c) { return c.role == role; });
}

bool XyzFrame::has(Quantity quantity) const {
  return std::any_of(columns.begin(), columns.end(),
                     [quantity](const XyzColumn& c) { return c.role == XyzRole::quantity && c.quantity == quantity; });
}

XyzFrame xyz_frame_of(std::string_view comment, const LineReader& lines) {
  XyzFrame frame;
  const Pairs pairs = pairs_of(comment);
  check_keys(pairs, lines);
  if (const std::string* units = find(pairs, "units")) take_units(lines.path(), *units, frame.said);
  take_cell(pairs, frame.said, lines);
  double time = 0;
  const std::string* at = find(pairs, "time");
  if (at != nullptr && parse_number(*at, time) && std::isfinite(time)) frame.time = time;
  note_unread(comment, pairs, frame, lines);
  const std::string* properties = find(pairs, "properties");
  if (properties != nullptr && !properties->empty()) {
    take_properties(*properties, frame, lines);
    return frame;
  }
  frame.plain = true;
  frame.columns = {{XyzRole::label}};
  for (const Quantity q : {Quantity::x, Quantity::y, Quantity::z}) frame.columns.push_back({XyzRole::quantity, q});
  return frame;
}

bool is_ase(const UnitSystem& units) {
  const UnitSystem& ase = unit_system_from("angstrom-ev-amu");
  return units.metre == ase.metre && units.kilogram == ase.kilogram;
}

double ase_velocity(const UnitSystem& units) {
  const UnitSystem& ase = unit_system_from("angstrom-ev-amu");
  return (ase.metre / ase.second) / (units.metre / units.second);
}

}  // namespace tri::io
