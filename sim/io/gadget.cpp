/// Files in the GADGET layout: header, bodies.
///
/// The header of a file in the GADGET layout, by the names of several programs: GADGET-2 to 4 and AREPO (Header,
/// Parameters, Config), GIZMO (Header, ..._In_CGS) and SWIFT (Header, Units, Cosmology, Parameters). Numbers are in
/// units of the header over HubbleParam (GADGET-2 user guide, section 6.1); those of SWIFT have no h.

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/machine.hpp"
#include "sim/files/text.hpp"
#include "sim/io/formats.hpp"

namespace tri::io {

namespace {

using Names = std::array<const char*, 3>;  ///< of length, mass and velocity or time

/// The number of an attribute; nullopt: it is not there. Throws for several, and for one that is not finite.
std::optional<double> number_in(const Hdf5Input& in, const char* group, const char* name) {
  if (!in.has(group) || !in.has_attribute(group, name)) return std::nullopt;
  const std::vector<double> values = in.numbers(group, name);
  if (values.size() == 1 && std::isfinite(values[0])) return values[0];
  in.fail(group, fmt::format("has {} = {}, which is not one finite number; correct it, or remove it", name,
                             fmt::join(values, ", ")));
}

/// The time of the state; nullopt: the header has none that is a number.
std::optional<double> time_in(const Hdf5Input& in) {
  if (!in.has_attribute("/Header", "Time")) return std::nullopt;
  const std::vector<double> values = in.numbers("/Header", "Time");
  return values.size() == 1 && std::isfinite(values[0]) ? std::optional(values[0]) : std::nullopt;
}

/// Of the group that has the attribute: GADGET-4 has in Parameters what GADGET-2 and AREPO have in Header. Throws where
/// both have it and differ.
std::optional<double> parameter_in(const Hdf5Input& in, const char* name) {
  const std::optional<double> value = number_in(in, "/Header", name), other = number_in(in, "/Parameters", name);
  if (value && other && std::abs(*value - *other) > 1e-6 * std::abs(*value)) {
    in.fail("/Parameters", fmt::format("has {} = {:.6g}, and Header has {:.6g}; correct one", name, *other, *value));
  }
  return value ? value : other;
}

/// An attribute that is a short text, or a number as text; empty for any other.
std::string text_in(const Hdf5Input& in, const char* group, const char* name) {
  if (!in.has(group) || !in.has_attribute(group, name)) return "";
  try {
    return in.text(group, name);
  } catch (const FileError&) {
  }
  try {
    return fmt::format("{}", in.numbers(group, name)[0]);
  } catch (const FileError&) {
    return "";
  }
}

/// What says that lengths are comoving; empty: nothing does.
std::string expansion_of(const Hdf5Input& in) {
  const double redshift = number_in(in, "/Header", "Redshift").value_or(0);
  if (redshift != 0) return fmt::format("Redshift = {:.6g}", redshift);
  if (parameter_in(in, "ComovingIntegrationOn").value_or(0) != 0) return "ComovingIntegrationOn = 1";
  if (number_in(in, "/Cosmology", "Cosmological run").value_or(0) != 0) return "Cosmological run = 1";
  const double scale = number_in(in, "/Header", "Scale-factor").value_or(1);
  if (scale != 1) return fmt::format("Scale-factor = {:.6g}", scale);
  // The time of a comoving run is the scale factor, which is 1 today.
  const bool today = in.has_attribute("/Header", "Redshift") && time_in(in) == 1.0;
  const double matter = parameter_in(in, "Omega0").value_or(0);
  if (today && matter > 0) return fmt::format("Redshift = 0 at Time = 1 with Omega0 = {:.6g}", matter);
  return "";
}

/// The units of the numbers, if a group has all three. Throws where they are other ones than before.
void read_units(const Hdf5Input& in, ReadReport& reading) {
  constexpr Names kGadget{"UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"};
  constexpr Names kGizmo{"UnitLength_In_CGS", "UnitMass_In_CGS", "UnitVelocity_In_CGS"};
  constexpr Names kSwift{"Unit length in cgs (U_L)", "Unit mass in cgs (U_M)", "Unit time in cgs (U_t)"};
  const double h = parameter_in(in, "HubbleParam").value_or(1);
  for (const char* group : {"/Header", "/Parameters", "/Units"}) {
    for (const Names& names : {kGadget, kGizmo, kSwift}) {
      std::array<std::optional<double>, 3> sizes;
      for (std::size_t k = 0; k < 3; ++k) sizes[k] = number_in(in, group, names[k]);
      if (!sizes[0] && !sizes[1] && !sizes[2]) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        if (sizes[k] && *sizes[k] > 0) continue;
        in.fail(group, fmt::format("has no {} above 0 beside its other units; add it, or remove those", names[k]));
      }
      const bool swift = names == kSwift;
      const double over = !swift && h > 0 ? h : 1, velocity = swift ? *sizes[0] / *sizes[2] : *sizes[2];
      const UnitSystem* units = unit_system_in_cgs(*sizes[0] / over, *sizes[1] / over, velocity);
      if (units == nullptr) in.fail(group, "has units that are out of range");
      apply_units(in.path(), units->name, reading);
    }
  }
}

/// The G that the program was told to take, where that is not the one of its units; 0: it says none.
double own_gravity(const Hdf5Input& in) {
  if (const std::string swift = text_in(in, "/Parameters", "PhysicalConstants:G"); !swift.empty()) {
    double value = 0;
    if (parse_number(trimmed(swift), value) && std::isfinite(value)) return value;
    in.fail("/Parameters", fmt::format("has PhysicalConstants:G = {}, which is no finite number; correct it, or remove "
                                       "it",
                                       in_quotes(swift)));
  }
  const double gizmo = number_in(in, "/Header", "Gravitational_Constant_In_Code_Inits").value_or(0);
  return parameter_in(in, "GravityConstantInternal").value_or(gizmo);
}

/// With G = 1 the units are only names. No system has another G than that of its units.
void apply_gravity(const Hdf5Input& in, ReadReport& reading) {
  const double own = own_gravity(in), of_units = reading.units != nullptr ? reading.units->G : 1;
  if (!(own > 0) || std::abs(own - of_units) <= 1e-2 * of_units) return;
  const std::string said = fmt::format("'{}' says that it was computed with G = {:.6g}", in.path(), own);
  if (own != 1 || reading.asked != nullptr) {
    reading.notes.push_back(fmt::format("{}; here it is {:.6g} unless you give another.", said, of_units));
    return;
  }
  reading.notes.push_back(
      fmt::format("{}, so that its units ({}), where G is {:.6g}, are not used.", said, reading.units->name, of_units));
  reading.units = nullptr;
}

/// Whether the program that wrote the file had a periodic box; nullopt: it does not say.
std::optional<bool> says_periodic(const Hdf5Input& in) {
  if (const std::string swift = text_in(in, "/Parameters", "InitialConditions:periodic"); !swift.empty()) {
    return swift != "0";
  }
  if (!in.has("/Config")) return std::nullopt;
  if (in.has_attribute("/Config", "PERIODIC")) return true;
  // Without these AREPO is periodic, and GADGET-4 is not.
  return in.has_attribute("/Config", "GRAVITY_NOT_PERIODIC") ? std::optional(false) : std::nullopt;
}

/// The periodic box from a corner to the one that an attribute has, which may be the side of a cube.
Box box_up_to(const Hdf5Input& in, const char* group, const char* name, const std::vector<double>& low) {
  const std::vector<double> high = in.numbers(group, name);
  Box box;
  box.boundary = Boundary::periodic;
  bool is_box = low.size() == 3 && (high.size() == 1 || high.size() == 3);
  for (std::size_t axis = 0; axis < 3 && is_box; ++axis) {
    box.low[axis] = low[axis], box.high[axis] = high[high.size() == 3 ? axis : 0];
    is_box = box.high[axis] > box.low[axis] && std::isfinite(box.high[axis] - box.low[axis]);
  }
  if (is_box) return box;
  in.fail(group, fmt::format("has {} = [{:.6g}], which is no periodic box; write one or three sides above 0", name,
                             fmt::join(high, ", ")));
}

/// The periodic box: as this program writes it, as snapshots of it have it, or by BoxSize.
void read_box(const Hdf5Input& in, const Bodies& bodies, ReadReport& reading) {
  const char* const group = in.has("/Triangulum") ? "/Triangulum" : "/Header";
  const std::string boundary = text_in(in, group, in.has("/Triangulum") ? "boundary" : "Boundary");
  if (!boundary.empty()) {
    const bool periodic = boundary == to_string(Boundary::periodic), corners = in.has_attribute("/Header", "BoxHigh");
    if (!periodic && !corners) return;
    reading.box = corners ? box_up_to(in, "/Header", "BoxHigh", in.numbers("/Header", "BoxLow"))
                          : box_up_to(in, group, "box_high", in.numbers(group, "box_low"));
    if (!periodic) reading.box->boundary = Boundary::open;
    return;
  }
  const std::optional<bool> periodic = says_periodic(in);
  if (periodic == false || !in.has_attribute("/Header", "BoxSize")) return;
  const std::vector<double> sides = in.numbers("/Header", "BoxSize");
  const auto is_all = [&](double side) { return sides == std::vector<double>(sides.size(), side); };
  if (is_all(0) || (!periodic && is_all(made_up_box_side(bodies)))) return;
  const auto is_stretched = [&in](const char* name) { return in.has("/Config") && in.has_attribute("/Config", name); };
  constexpr std::array<const char*, 6> kStretches{"LONG_X",      "LONG_Y",      "LONG_Z",
                                                  "LONG_X_BITS", "LONG_Y_BITS", "LONG_Z_BITS"};
  if (periodic == true && std::any_of(kStretches.begin(), kStretches.end(), is_stretched)) {
    reading.strange_cell = "has a periodic box that is stretched (LONG_X, LONG_Y or LONG_Z in Config)";
  } else if (periodic == true) {
    reading.box = box_up_to(in, "/Header", "BoxSize", {0, 0, 0});
  } else {
    reading.notes.push_back(
        fmt::format("'{}' has BoxSize = {:.6g} and does not say whether its box is periodic; its bodies are in open "
                    "space.",
                    in.path(), fmt::join(sides, ", ")));
  }
}

}  // namespace

void read_gadget_header(const Hdf5Input& in, const Bodies& bodies, ReadReport& reading) {
  if (const std::string expansion = expansion_of(in); !expansion.empty()) {
    in.fail("/Header", fmt::format("says that the bodies are in an expanding universe ({}), with comoving lengths and "
                                   "units over h; only physical ones are computed. Convert them first (pynbody: "
                                   "s.physical_units()), and write Redshift = 0 and HubbleParam = 1",
                                   expansion));
  }
  reading.time = time_in(in);
  if (!reading.time && in.has_attribute("/Header", "Time")) {
    reading.notes.push_back(fmt::format("'{}': the time {} in the header is not one finite number and is not used.",
                                        in.path(), fmt::join(in.numbers("/Header", "Time"), ", ")));
  }
  apply_units(in.path(), text_in(in, "/Header", "UnitSystem"), reading);
  read_units(in, reading);
  const double h = parameter_in(in, "HubbleParam").value_or(1);
  if (h > 0 && h != 1) {
    reading.notes.push_back(fmt::format("'{}' has HubbleParam = {:.6g}: its lengths and masses are in units over h{}.",
                                        in.path(), h,
                                        reading.units != nullptr ? fmt::format(" ({})", reading.units->name) : ""));
  }
  const bool said = reading.units != nullptr;
  if (!is_own_gadget(in)) apply_gravity(in, reading);
  if (!said && reading.asked == nullptr && !is_own_gadget(in) && in.has_attribute("/Header", "BoxSize")) {
    reading.notes.push_back(
        fmt::format("'{}' names no units (UnitLength_in_cm, ...), so G is 1 unless you give one.", in.path()));
  }
  read_box(in, bodies, reading);
}

namespace {

constexpr std::size_t kParticleTypes = 10;  // GADGET has 6, its descendants a few more
constexpr std::size_t kWrittenTypes = 6;    // entries of the tables in the header
constexpr std::size_t kOurType = 1;
constexpr u64 kChunkRows = u64{1} << 15;

std::string group_of(std::size_t type) { return fmt::format("/PartType{}", type); }

/// Reads a dataset into elements [at, at + rows) of one or three columns; checks that values are finite and, unless
/// allowed, not negative.
void read_columns(const Hdf5Input& in, const std::string& name, u64 rows, std::size_t at,
                  std::initializer_list<std::vector<double>*> to, bool negative_allowed) {
  const Hdf5Shape shape = in.shape(name);
  if (shape.rows != rows || shape.columns != to.size()) {
    in.fail(name,
            fmt::format("has the shape [{}, {}] instead of [{}, {}]", shape.rows, shape.columns, rows, to.size()));
  }
  for (u64 first = 0; first < rows; first += kChunkRows) {
    const u64 count = std::min(kChunkRows, rows - first);
    const std::span<const double> chunk = in.rows(name, first, count);
    if (chunk.size() != count * to.size()) in.fail(name, "changed while it was read");
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < to.size(); ++c) {
        const double value = chunk[i * to.size() + c];
        if (!std::isfinite(value) || (value < 0 && !negative_allowed)) {
          in.fail(name,
                  fmt::format("has {} in row {} (from 0); every value must be finite{}, so remove or repair the row",
                              value, first + i, negative_allowed ? "" : " and 0 or more"));
        }
        (*to.begin()[c])[at + first + i] = value;
      }
    }
  }
}

/// Rows of each type's group, 0 where there is none, checked against the counts in the header.
std::array<u64, kParticleTypes> count_rows(const Hdf5Input& in) {
  if (!in.has("/Header")) in.fail("/Header", "is missing; bodies in HDF5 are read in the GADGET layout");
  if (in.has_attribute("/Header", "NumFilesPerSnapshot") && in.integer("/Header", "NumFilesPerSnapshot") > 1) {
    in.fail("/Header", fmt::format("says that this is one of {} files of a snapshot; join them into one first",
                                   in.integer("/Header", "NumFilesPerSnapshot")));
  }
  const std::vector<double> counts = in.numbers("/Header", "NumPart_ThisFile");
  const bool totals = in.has_attribute("/Header", "NumPart_Total");
  std::vector<double> all = totals ? in.numbers("/Header", "NumPart_Total") : counts;
  if (totals && in.has_attribute("/Header", "NumPart_Total_HighWord")) {
    const std::vector<double> high = in.numbers("/Header", "NumPart_Total_HighWord");
    for (std::size_t type = 0; type < std::min(all.size(), high.size()); ++type) all[type] += 0x1p32 * high[type];
  }
  std::array<u64, kParticleTypes> rows{};
  u64 total = 0;
  for (std::size_t type = 0; type < kParticleTypes; ++type) {
    const std::string name = group_of(type) + "/Coordinates";
    rows[type] = in.has(name) ? in.shape(name).rows : 0;
    const double expected = type < counts.size() ? counts[type] : 0;
    if (static_cast<double>(rows[type]) != expected) {
      in.fail("/Header",
              fmt::format("counts {:.0f} particles of type {}, but {} has {}", expected, type, name, rows[type]));
    }
    if (type < all.size() && all[type] > expected) {
      in.fail("/Header", fmt::format("counts {:.0f} particles of type {} in the snapshot and {:.0f} in this file; join "
                                     "its files into one first",
                                     all[type], type, expected));
    }
    total += rows[type];
  }
  if (total == 0) in.fail("/Header", "counts no particles");
  check_count(total, [&](const char* what) { in.fail("/Header", what); });
  return rows;
}

void read_masses(const Hdf5Input& in, std::size_t type, u64 rows, std::size_t at, std::vector<double>& masses,
                 Notes* notes) {
  if (in.has(group_of(type) + "/Masses") && in.has(group_of(type) + "/Mass")) {
    in.fail(group_of(type), "has the datasets Masses and Mass, which are the same quantity; remove one");
  }
  const bool table = in.has_attribute("/Header", "MassTable");
  const std::vector<double> all = table ? in.numbers("/Header", "MassTable") : std::vector<double>{};
  for (const char* name : {"/Masses", "/Mass"}) {
    if (!in.has(group_of(type) + name)) continue;
    read_columns(in, group_of(type) + name, rows, at, {&masses}, false);
    const auto first = masses.begin() + static_cast<std::ptrdiff_t>(at);
    const bool same = type >= all.size() || !(all[type] > 0) ||
                      std::all_of(first, first + static_cast<std::ptrdiff_t>(rows),
                                  [&](double m) { return std::abs(m - all[type]) <= 1e-6 * all[type]; });
    if (!same && notes != nullptr) {
      notes->push_back(fmt::format("'{}': the masses are those of {}{}; MassTable in the header has another, {:.6g}.",
                                   in.path(), group_of(type), name, all[type]));
    }
    return;
  }
  if (type >= all.size() || !(all[type] > 0) || !std::isfinite(all[type])) {
    in.fail(group_of(type), "has no dataset Masses, and MassTable in the header has no mass for it; add either");
  }
  std::fill_n(masses.begin() + static_cast<std::ptrdiff_t>(at), rows, all[type]);
}

/// Whole numbers up to `highest` of a dataset into elements from `at` on.
template <class Number>
void read_whole(const Hdf5Input& in, const std::string& name, u64 rows, std::size_t at, u32 highest, const char* what,
                std::vector<Number>& all) {
  std::vector<double> values(static_cast<std::size_t>(rows));
  read_columns(in, name, rows, 0, {&values}, false);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > highest || values[i] != std::floor(values[i])) {
      in.fail(name,
              fmt::format("has {} in row {} (from 0); {} are integers from 0 to {}", values[i], i, what, highest));
    }
    all[at + i] = static_cast<Number>(values[i]);
  }
}

/// The columns with datasets of their own; groups, where a file of several types has none, are the types.
void read_datasets(const Hdf5Input& in, std::size_t type, u64 rows, std::size_t at, Bodies& b) {
  for_each_column(b, [&]<class T>(const ColumnInfo& c, std::vector<T>& values) {
    const std::string name = c.dataset == nullptr ? "" : fmt::format("{}/{}", group_of(type), c.dataset);
    if (name.empty() || !in.has(name)) return;
    values.resize(b.size());
    if constexpr (std::is_same_v<T, double>) {
      read_columns(in, name, rows, at, {&values}, !c.has(ColumnInfo::kFromZero));
    } else {
      read_whole(in, name, rows, at, c.highest, c.plural, values);
    }
  });
  if (rows < b.size() && !in.has(group_of(type) + "/Group")) b.set_group(at, static_cast<std::uint16_t>(type));
}

/// Bodies have no ids but their places; says so if those of the file are others.
void note_ids(const Hdf5Input& in, const std::string& name, u64 rows, std::size_t at, Notes* notes) {
  if (notes == nullptr || !in.has(name)) return;
  std::vector<double> ids(static_cast<std::size_t>(rows));
  read_columns(in, name, rows, 0, {&ids}, true);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == static_cast<double>(at + i + 1)) continue;
    return notes->push_back(
        fmt::format("'{}': {} is not kept: bodies have their places in the file as numbers, from 0.", in.path(), name));
  }
}

/// What positions lost to rounding, where the file has it.
void read_rest(const Hdf5Input& in, const std::string& name, u64 rows, std::size_t at, Bodies& b) {
  if (!in.has(name)) return;
  std::vector<double> x(b.size()), y(b.size()), z(b.size());
  read_columns(in, name, rows, at, {&x, &y, &z}, true);
  b.rest.resize(3 * b.size(), 0.0);
  for (std::size_t i = at; i < at + rows; ++i) b.rest[3 * i] = x[i], b.rest[3 * i + 1] = y[i], b.rest[3 * i + 2] = z[i];
}

void note_unread(const Hdf5Input& in, std::size_t type, Notes* notes) {
  std::vector<std::string_view> read{"Coordinates", "Velocities", "Masses", "Mass", "ParticleIDs", "CoordinatesRest"};
  for (const ColumnInfo& c : body_columns()) {
    if (c.dataset != nullptr) read.emplace_back(c.dataset);
  }
  std::vector<std::string> others;
  for (std::string& name : in.members(group_of(type))) {
    if (std::find(read.begin(), read.end(), name) == read.end()) others.push_back(std::move(name));
  }
  if (others.empty() || notes == nullptr) return;
  notes->push_back(
      fmt::format("'{}': {}: the datasets {} are not used.", in.path(), group_of(type), fmt::join(others, ", ")));
}

/// BoxSize: see formats.hpp.
double box_side(const Bodies& b, const Box& box) {
  const double side = box.high[0];
  const bool cube = box.low == std::array<double, 3>{0, 0, 0} && box.high == std::array<double, 3>{side, side, side};
  return box.boundary != Boundary::open && cube ? side : made_up_box_side(b);
}

void write_units(Hdf5Output& out, const UnitSystem& units) {
  out.attribute("/Header", "UnitSystem", std::string(units.name));
  if (!units.is_physical()) return;
  out.attribute("/Header", "UnitLength_in_cm", 100 * units.metre);
  out.attribute("/Header", "UnitMass_in_g", 1000 * units.kilogram);
  out.attribute("/Header", "UnitVelocity_in_cm_per_s", 100 * units.metre / units.second);
}

void write_gadget_header(Hdf5Output& out, const Bodies& b, bool doubles, const StateInfo& state) {
  std::array<u32, kWrittenTypes> counts{}, none{};
  counts[kOurType] = static_cast<u32>(b.size());
  const std::array<double, kWrittenTypes> no_masses{};
  out.group("/Header");
  out.attribute("/Header", "NumPart_ThisFile", std::span<const u32>(counts));
  out.attribute("/Header", "NumPart_Total", std::span<const u32>(counts));
  out.attribute("/Header", "NumPart_Total_HighWord", std::span<const u32>(none));
  out.attribute("/Header", "MassTable", std::span<const double>(no_masses));
  out.attribute("/Header", "Time", state.time);
  out.attribute("/Header", "Redshift", 0.0);
  out.attribute("/Header", "BoxSize", box_side(b, state.box));
  out.attribute("/Header", "Boundary", to_string(state.box.boundary));
  if (state.box.boundary == Boundary::periodic || state.cell) {
    out.attribute("/Header", "BoxLow", std::span<const double>(state.box.low));
    out.attribute("/Header", "BoxHigh", std::span<const double>(state.box.high));
  }
  out.attribute("/Header", "NumFilesPerSnapshot", i32{1});
  out.attribute("/Header", "Omega0", 0.0);
  out.attribute("/Header", "OmegaLambda", 0.0);
  out.attribute("/Header", "HubbleParam", 1.0);
  out.attribute("/Header", "Flag_DoublePrecision", i32{doubles ? 1 : 0});
  for (const char* flag : {"Flag_Sfr", "Flag_Cooling", "Flag_StellarAge", "Flag_Metals", "Flag_Feedback"}) {
    out.attribute("/Header", flag, i32{0});
  }
  if (const UnitSystem* units = find_unit_system(state.units)) write_units(out, *units);
}

}  // namespace

bool is_own_gadget(const Hdf5Input& in) { return in.has_attribute("/Header", "Boundary") || in.has("/Triangulum"); }

double made_up_box_side(const Bodies& b) {
  double farthest = 0;
  for (const auto* column : {&b.x, &b.y, &b.z}) {
    for (const double v : *column) farthest = std::max(farthest, std::abs(v));
  }
  int exponent = 0;
  std::frexp(farthest, &exponent);  // farthest < 2^exponent
  return farthest > 0 ? std::ldexp(1.0, std::min(exponent + 2, 1023)) : 1;
}

void write_gadget(Hdf5Output& out, const Bodies& b, Precision precision, const StateInfo& state) {
  const bool doubles = precision == Precision::fp64;
  const Hdf5Type type = doubles ? Hdf5Type::real64 : Hdf5Type::real32;
  const u64 n = b.size();
  write_gadget_header(out, b, doubles, state);
  const std::string group = group_of(kOurType);
  out.group(group);
  const auto vectors = [&](const char* name, const std::vector<double>& x, const std::vector<double>& y,
                           const std::vector<double>& z) {
    out.dataset(group + name, type, {n, 3, 2}, [&](u64 first, u64 count, double* to) {
      for (std::size_t i = first; i < first + count; ++i) *to++ = x[i], *to++ = y[i], *to++ = z[i];
    });
  };
  const auto scalars = [&](const std::string& name, Hdf5Type of, const auto& values) {
    out.dataset(group + "/" + name, of, {n, 1, 1}, [&](u64 first, u64 count, double* to) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), count, to);
    });
  };
  const bool radii = std::any_of(b.r.begin(), b.r.end(), [](double r) { return r != 0; });
  u64 values_of_all = 8 * n + (radii ? n : 0);
  for_each_column(
      b, [&](const ColumnInfo& c, const auto& v) { values_of_all += c.has(ColumnInfo::kOptional) ? v.size() : 0; });
  out.expect(values_of_all);
  vectors("/Coordinates", b.x, b.y, b.z);
  vectors("/Velocities", b.vx, b.vy, b.vz);
  scalars("Masses", type, b.m);
  for (const bool whole : {false, true}) {
    for_each_column(b, [&](const ColumnInfo& c, const auto& values) {
      const bool there = c.has(ColumnInfo::kOptional) ? !values.empty() : radii;
      if (c.dataset == nullptr || !there || (c.highest != 0) != whole) return;
      scalars(c.dataset, whole ? Hdf5Type::whole32 : type, values);
    });
  }
  if (!b.rest.empty()) {
    out.dataset(group + "/CoordinatesRest", Hdf5Type::real64, {n, 3, 2}, [&](u64 first, u64 count, double* to) {
      std::copy_n(b.rest.begin() + static_cast<std::ptrdiff_t>(3 * first), 3 * count, to);
    });
  }
  out.dataset(group + "/ParticleIDs", Hdf5Type::whole32, {n, 1, 1}, [](u64 first, u64 count, double* to) {
    for (u64 i = 0; i < count; ++i) to[i] = static_cast<double>(first + i + 1);
  });
}

Bodies read_gadget(const Hdf5Input& in, Notes* notes) {
  const std::array<u64, kParticleTypes> rows = count_rows(in);
  u64 total = 0;
  for (const u64 count : rows) total += count;
  Bodies b;
  require_memory(8.0 * sizeof(double) * static_cast<double>(total),
                 fmt::format("reading the {} bodies of '{}'", total, in.path()),
                 "Read part of them, or free some memory");
  b.resize(static_cast<std::size_t>(total));
  std::size_t at = 0;
  for (std::size_t type = 0; type < kParticleTypes; ++type) {
    if (rows[type] == 0) continue;
    const std::string group = group_of(type);
    if (!in.has(group + "/Velocities")) in.fail(group, "has no dataset Velocities; add one (0 where at rest)");
    read_columns(in, group + "/Coordinates", rows[type], at, {&b.x, &b.y, &b.z}, true);
    read_columns(in, group + "/Velocities", rows[type], at, {&b.vx, &b.vy, &b.vz}, true);
    read_masses(in, type, rows[type], at, b.m, notes);
    read_datasets(in, type, rows[type], at, b);
    read_rest(in, group + "/CoordinatesRest", rows[type], at, b);
    note_unread(in, type, notes);
    if (!is_own_gadget(in)) note_ids(in, group + "/ParticleIDs", rows[type], at, notes);
    at += static_cast<std::size_t>(rows[type]);
  }
  return b;
}

Bodies read_hdf5(const std::string& path, ReadReport& reading) {
  const Hdf5Input in(path);
  Bodies bodies = read_gadget(in, &reading.notes);
  read_gadget_header(in, bodies, reading);
  if (in.has("/Triangulum")) {
    reading.notes.push_back(
        fmt::format("'{}' is a snapshot of a run; only its bodies are read (--restart continues with its laws, step "
                    "and time).",
                    path));
  }
  return bodies;
}

void write_hdf5(OutputFile& file, const Bodies& bodies, const StateInfo& state) {
  Hdf5Output out(file);
  write_gadget(out, bodies, Precision::fp64, state);
  out.close();
}

}  // namespace tri::io
