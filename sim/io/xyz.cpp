/// xyz: the number of bodies on a line, a comment, then one line per body. Plain XYZ has a label and x y z; extended
/// XYZ names its columns in the comment, Properties=species:S:1:pos:R:3:velo:R:3:masses:R:1, and may give Time=, units=
/// (the name of a system), and a cell: Lattice="..." with edges along the axes, Origin= and pbc=. The last of several
/// frames is read.
///
/// Species that are elements stay, and give the masses where the file has none. ASE (ase.io.extxyz) keeps momenta
/// instead of velocities, in sqrt(eV u); they are divided by the masses, and count before a column of velocities,
/// which ASE passes on as it was. In systems with Angstrom and u momenta are written, too, so that ASE has these atoms
/// with their velocities; numbers in other units of the size of atoms are written in angstrom-ps-amu.

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
#include "sim/io/xyz_comment.hpp"

namespace tri::io {

namespace {

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
    species_ = {};
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
    if (column.role == XyzRole::label) return take_label(field);
    if (column.role == XyzRole::unused) return;
    const double value = finite_number(field, lines_, at + 1, "");
    if (column.role == XyzRole::number) {
      if (!(value >= 0 && value <= kElements && value == std::floor(value))) {
        lines_.fail(at + 1, "", fmt::format("{} is not an atomic number", in_quotes(field)));
      }
      const auto element = static_cast<u32>(value);
      if (species_.element == 0) species_ = {element, weight_of(element), true};
    } else if (column.role == XyzRole::momentum) {
      momentum_[static_cast<std::size_t>(column.quantity) - static_cast<std::size_t>(Quantity::vx)] = value;
    } else {
      const std::string problem = store_value(b_, b_.size() - 1, column.quantity, value);
      if (!problem.empty()) lines_.fail(at + 1, "", problem);
    }
  }

  void take_label(std::string_view label) {
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
    if (species_.element == 0) {
      if (unknown_.empty()) unknown_ = label_;
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
  std::string text = fmt::format(
      "Properties=species:S:1:pos:R:3:velo:R:3:masses:R:1:radius:R:1{}{}{} Time=", b.group.empty() ? "" : ":group:I:1",
      b.q.empty() ? "" : ":charge:R:1", as.momentum != 0 ? ":momenta:R:3" : "");
  append_number(text, state.time * as.time);
  if (!as.units.empty()) text += " units=" + as.units;
  const Box& box = state.box;
  if (box.boundary != Boundary::periodic) return text;
  std::array<double, 9> edges{};
  std::array<double, 3> low{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    low[axis] = box.low[axis] * as.length;
    edges[4 * axis] = box.high[axis] * as.length - low[axis];
  }
  return text + fmt::format(" Lattice=\"{:.17g}\" Origin=\"{:.17g}\" pbc=\"T T T\"", fmt::join(edges, " "),
                            fmt::join(low, " "));
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
    if (!b.group.empty()) text += fmt::format(" {}", b.group[i]);
    if (!b.q.empty()) add({b.q[i]}, 1);
    const double momentum = b.m[i] * as.mass * as.velocity * as.momentum;
    if (as.momentum != 0) add({b.vx[i], b.vy[i], b.vz[i]}, momentum);
    text += '\n';
    file.write(text);
  }
}

}  // namespace tri::io
