/// Formats by extension, columns by name, elements, the tuning file.

#include "sim/io/format.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"
#include "sim/files/file.hpp"
#include "sim/files/text.hpp"
#include "sim/io/formats.hpp"

namespace tri {

namespace {

using io::Format;
using io::Stores;

constexpr Stores kText{}, kAll{.columns = true, .time = true};
constexpr Stores kTab{.units = true}, kCsv{.columns = true, .units = true};
constexpr Stores kAtoms{.columns = true, .time = true, .units = true, .atoms = true};
constexpr Stores kPly{.columns = true, .time = true, .units = true};
constexpr Stores kFloat32{.time = true, .doubles = false};

constexpr std::array<Format, 11> kFormats{{
    {{"tab", ".tab", true, true, "text, one body a line: m x y z vx vy vz"}, kTab, io::read_tab, io::write_tab},
    {{"csv", ".csv", true, true, "text, named columns x,y,z[,m,r,vx,vy,vz,group,q]; points: any columns"},
     kCsv,
     io::read_csv,
     io::write_csv,
     io::read_csv_points},
    {{"npy", ".npy", true, true, "NumPy array, bodies [N,3] x y z or [N,7] m x y z vx vy vz; points [N,features]"},
     kText,
     io::read_npy,
     io::write_npy_bodies,
     io::read_npy_points},
    {{"hdf5", ".hdf5 .h5", true, true, "HDF5 in the GADGET layout; snapshots of run in it restart exactly"},
     kAtoms,
     io::read_hdf5,
     io::write_hdf5},
    {{"tipsy", ".tipsy .std", true, true, "tipsy, float32; every dialect is read, the standard (big-endian) written"},
     kFloat32,
     io::read_tipsy,
     io::write_tipsy_standard},
    {{"tipsy-le", ".tipsy-le .bin", true, true, "the same; little-endian with 32-bit ids written"},
     kFloat32,
     io::read_tipsy,
     io::write_tipsy_native},
    {{"tipsy-64", ".tipsy-64", true, true, "the same; little-endian with 64-bit ids written"},
     kFloat32,
     io::read_tipsy,
     io::write_tipsy_wide_ids},
    {{"xyz", ".xyz .extxyz", true, true, "text, count, comment, a line a body; extended XYZ written, plain read too"},
     kAtoms,
     io::read_xyz,
     io::write_xyz},
    {{"ply", ".ply", true, true, "Stanford's polygon file; binary written, text and either byte order read"},
     kPly,
     io::read_ply,
     io::write_ply},
    {{"vtp", ".vtp", true, true, "VTK PolyData in XML, for ParaView; a series of run gets a .pvd with its times"},
     kAll,
     io::read_vtp,
     io::write_vtp},
    {{"pvd", ".pvd", true, false, "list of .vtp files with their times; its last state is read"}, kAll, io::read_pvd},
}};

/// `-`. It is no row of the table, because no extension names it.
constexpr Format kStream{
    {"csv", "", true, true, "standard input and output"}, kCsv, io::read_stream, io::write_csv, io::read_csv_points};

constexpr auto kInfos = [] {
  std::array<FormatInfo, kFormats.size()> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kFormats[i].info;
  return infos;
}();

/// ".CSV" -> ".csv"; empty if the file name has no extension.
std::string extension_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t first = slash == std::string::npos ? 0 : slash + 1;
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos || dot < first) return "";
  return io::lower_case(path.substr(dot));
}

bool has_extension(const FormatInfo& info, const std::string& extension) {
  const std::string all = fmt::format(" {} ", info.extensions);
  return !extension.empty() && all.find(fmt::format(" {} ", extension)) != std::string::npos;
}

const Format* find_format(const std::string& path) {
  if (path == "-") return &kStream;
  const std::string extension = extension_of(path);
  const auto found =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& f) { return has_extension(f.info, extension); });
  return found == kFormats.end() ? nullptr : &*found;
}

/// The first extensions of the formats that satisfy a predicate: ".tab, .csv or .npy".
template <class Predicate>
std::string extensions(Predicate predicate) {
  std::vector<std::string> names;
  for (const Format& f : kFormats) {
    const std::string_view all = f.info.extensions;
    if (predicate(f)) names.emplace_back(all.substr(0, all.find(' ')));
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

const Format& format_for(const std::string& path) {
  if (const Format* format = find_format(path)) return *format;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw FileError(fmt::format("'{}' is a folder; name a file in it.", path));
  }
  const std::string extension = extension_of(path);
  const std::string why =
      extension.empty() ? "its name has no extension" : fmt::format("no format is named {}", extension);
  throw FileError(
      fmt::format("'{}': {}; use a name that ends in {}.", path, why, extensions([](auto&) { return true; })));
}

/// format_for() of a file that must be there: a name that is misspelt names no format either.
const Format& format_to_read(const std::string& path) {
  std::error_code ignored;
  const bool missing = find_format(path) == nullptr && !std::filesystem::exists(path, ignored);
  if (missing) throw FileError(io::no_such_file(path));
  return format_for(path);
}

const Format& format_to_write(const std::string& path) {
  const Format& format = format_for(path);
  if (format.info.writes) return format;
  throw FileError(fmt::format("cannot write '{}': run writes {} next to its snapshots; use {}.", path, format.info.name,
                              extensions([](const Format& f) { return f.info.writes; })));
}

bool has_radii(const Bodies& b) {
  return std::any_of(b.r.begin(), b.r.end(), [](double r) { return r != 0; });
}

}  // namespace

std::span<const FormatInfo> list_formats() { return kInfos; }

bool has_known_extension(const std::string& path) { return find_format(path) != nullptr; }

std::string format_name(const std::string& path) {
  const Format* format = find_format(path);
  return format == nullptr ? "" : format->info.name;
}

Bodies read_bodies(const std::string& path, Notes* notes) {
  ReadReport reading;
  Bodies bodies = read_bodies(path, reading);
  if (notes != nullptr) notes->insert(notes->end(), reading.notes.begin(), reading.notes.end());
  return bodies;
}

Bodies read_bodies(const std::string& path, ReadReport& reading) {
  if (!reading.columns.empty() && format_name(path) != "csv" && path != "-") {
    throw ConfigError(fmt::format("'{}': columns are chosen for csv files, whose columns have names.", path));
  }
  Bodies bodies = format_to_read(path).read_bodies(path, reading);
  if (reading.asked != nullptr && reading.units != nullptr && !same_units(*reading.asked, *reading.units)) {
    throw ConfigError(fmt::format("units = {}, but '{}' says that its numbers are in {}; leave the units out.",
                                  reading.asked->name, path, reading.units->name));
  }
  if (reading.asked != nullptr) reading.units = reading.asked;
  if (reading.units == nullptr && !reading.unknown_units.empty()) {
    reading.notes.push_back(fmt::format(
        "'{}' names the units {}, which are no system of Triangulum and set no G{} See docs/scenes.md, \"Units\".",
        path, io::in_quotes(reading.unknown_units), behind_unknown_units(reading.unknown_units)));
  }
  if (reading.units == nullptr && reading.unknown_units.empty() && !reading.loose_unit.empty()) {
    reading.notes.push_back(
        fmt::format("'{}' has the unit {} beside columns, which is not read: G is 1 unless you name the units of all "
                    "(FILE:units=NAME).",
                    path, io::in_quotes(reading.loose_unit)));
  }
  if (!reading.without_masses.empty()) {
    reading.notes.push_back(fmt::format("'{}' has {}: every mass is 1.", path, reading.without_masses));
  }
  return bodies;
}

std::vector<std::string> columns_to_choose(const std::string& path) {
  try {
    return format_name(path) == "csv" ? io::unknown_columns(path) : std::vector<std::string>();
  } catch (const Error&) {
    return {};
  }
}

Box box_of(const std::string& path, const ReadReport& reading) {
  if (reading.strange_cell.empty()) return reading.box.value_or(Box{});
  throw FileError(
      fmt::format("'{}' {}; only cells with edges along x, y and z and periodic along all three are "
                  "computed. Make it one, or write pbc=\"F F F\" for bodies in open space.",
                  path, reading.strange_cell));
}

void check_storable(const std::string& path, const Bodies& b) {
  const Format& format = format_to_write(path);
  if (!format.stores.columns && has_radii(b)) {
    throw FileError(fmt::format("cannot write '{}': the bodies have radii, which {} does not store; use {}.", path,
                                format.info.name,
                                extensions([](const Format& f) { return f.stores.columns && f.info.writes; })));
  }
}

void write_bodies(const std::string& path, const Bodies& b, const StateInfo& state) {
  for_each_column(b, [&](const ColumnInfo& c, const auto& a) {
    TRI_EXPECTS(c.has(ColumnInfo::kOptional) || a.size() == b.size());
  });
  check_storable(path, b);
  io::OutputFile file(path);
  format_to_write(path).write_bodies(file, b, state);
  file.commit();
}

Notes make_storable(const std::string& path, Bodies& b, const StateInfo& state) {
  const Format& format = format_to_write(path);
  Notes notes;
  const auto dropped = [&](const char* what) {
    notes.push_back(fmt::format("'{}': {} does not store {}; dropped.", path, format.info.name, what));
  };
  if (!format.stores.columns && has_radii(b)) dropped("radii"), std::fill(b.r.begin(), b.r.end(), 0.0);
  for_each_column(b, [&](const ColumnInfo& c, auto& values) {
    const bool stored = c.long_name.empty() ? format.stores.atoms : format.stores.columns;
    if (c.has(ColumnInfo::kOptional) && c.plural != nullptr && !stored && !values.empty())
      dropped(c.plural), values.clear();
  });
  if (state.names) dropped("the names of the bodies");
  if (!format.stores.time && state.time != 0) dropped("the time of the state");
  if (!format.stores.units && find_unit_system(state.units) != nullptr) dropped("the units");
  if (!format.stores.atoms && state.box.boundary == Boundary::periodic) dropped("the periodic box");
  if (!format.stores.atoms && state.box.boundary == Boundary::open && state.cell) dropped("the cell");
  if (format.info.name == std::string_view("xyz")) {
    if (const std::string note = io::xyz_units_note(state, !b.species.empty()); !note.empty()) {
      notes.push_back(fmt::format("'{}': {}.", path, note));
    }
  }
  if (format.stores.doubles) return notes;
  u64 rounded = 0, to_zero = 0;
  for (auto* a : {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.m}) {
    for (double& v : *a) {
      const double narrow = static_cast<double>(static_cast<float>(v));
      to_zero += narrow == 0 && v != 0 ? 1 : 0;
      if (!std::isfinite(narrow) || (a == &b.m && narrow == 0 && v != 0)) {
        throw FileError(
            fmt::format("cannot write '{}': {:.6g} is out of the range of float32, which {} stores; use "
                        ".hdf5.",
                        path, v, format.info.name));
      }
      if (narrow != v) v = narrow, ++rounded;
    }
  }
  if (rounded > 0) {
    notes.push_back(fmt::format("'{}': {} stores float32; {} values were rounded{}.", path, format.info.name, rounded,
                                to_zero > 0 ? fmt::format(", {} of them to 0", to_zero) : ""));
  }
  return notes;
}

namespace {

/// Quantities of bodies as features: x, y, z unless others are chosen.
PointSet points_of_bodies(const std::string& path, const Bodies& bodies, const PointColumns& wanted) {
  static constexpr std::array<std::string_view, 8> kQuantities{"x", "y", "z", "vx", "vy", "vz", "m", "r"};
  std::vector<const std::vector<double>*> features;
  const std::array<const std::vector<double>*, 8> columns{&bodies.x,  &bodies.y,  &bodies.z, &bodies.vx,
                                                          &bodies.vy, &bodies.vz, &bodies.m, &bodies.r};
  for (const std::string& name : wanted.names.empty() ? std::vector<std::string>{"x", "y", "z"} : wanted.names) {
    const auto at = std::find(kQuantities.begin(), kQuantities.end(), name);
    if (at == kQuantities.end()) {
      throw FileError(fmt::format("'{}': --columns: {}", path, unknown_name("column", name, kQuantities)));
    }
    features.push_back(columns[static_cast<std::size_t>(at - kQuantities.begin())]);
  }
  PointSet points;
  points.n = static_cast<u32>(bodies.size()), points.features = static_cast<u32>(features.size());
  points.values.reserve(bodies.size() * features.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (const auto* feature : features) {
      const double value = (*feature)[i];
      if (io::is_beyond(value, wanted)) {
        throw FileError(fmt::format("'{}', body {} (from 0): {:g} {}.", path, i, value, io::kBeyond));
      }
      points.values.push_back(value);
    }
  }
  return points;
}

}  // namespace

PointSet read_points(const std::string& path, const PointColumns& columns, Notes* notes) {
  const Format& format = format_to_read(path);
  ReadReport reading;
  PointSet points;
  if (format.read_points != nullptr) {
    points = format.read_points(path, columns, reading.notes);
  } else {
    const Bodies bodies = format.read_bodies(path, reading);
    points = points_of_bodies(path, bodies, columns);
    if (!reading.strange_cell.empty() || box_of(path, reading).boundary == Boundary::periodic) {
      reading.notes.push_back(
          fmt::format("'{}' has a periodic cell; its points are taken as they stand, without images.", path));
    }
  }
  if (notes != nullptr) notes->insert(notes->end(), reading.notes.begin(), reading.notes.end());
  return points;
}

}  // namespace tri

namespace tri::io {

namespace {

/// Whether a list of words separated by blanks has this one.
bool has_word(std::string_view words, std::string_view word) {
  return fmt::format(" {} ", words).find(fmt::format(" {} ", word)) != std::string::npos;
}

}  // namespace

const ColumnInfo& info_of(Quantity quantity) { return body_columns()[static_cast<std::size_t>(quantity)]; }

std::optional<Quantity> quantity_of(std::string_view name) {
  const std::string lower = lower_case(name);
  const std::span<const ColumnInfo> columns = body_columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnInfo& c = columns[i];
    const bool named = lower == lower_case(c.name) || lower == c.long_name || has_word(c.aliases, lower);
    if (!c.long_name.empty() && !lower.empty() && named) return static_cast<Quantity>(i);
  }
  return std::nullopt;
}

std::optional<Quantity> vector_of(std::string_view name) {
  const std::string lower = lower_case(name);
  if (lower.empty()) return std::nullopt;
  if (has_word("position positions pos points", lower)) return Quantity::x;
  return has_word("velocity velocities velo vel", lower) ? std::optional(Quantity::vx) : std::nullopt;
}

void apply_units(const std::string& path, std::string_view name, ReadReport& reading) {
  if (name.empty()) return;
  const UnitSystem *system = find_unit_system(name), *before = reading.units;
  const bool agree = system != nullptr && before != nullptr ? same_units(*system, *before) : system == before;
  if (!agree && (before != nullptr || !reading.unknown_units.empty())) {
    throw FileError(fmt::format("'{}' names two systems of units, {} and {}; remove one of them.", path,
                                before != nullptr ? before->name : in_quotes(reading.unknown_units),
                                system != nullptr ? system->name : in_quotes(name)));
  }
  if (before == nullptr) reading.units = system;
  if (system == nullptr) reading.unknown_units = name;
}

namespace {

/// Whether what is behind a colon may be the unit of what is before it: "unit: kpc" of YAML, as astropy writes, and
/// "length: kpc, mass = Msun", but not "mass: 3 Msun".
bool names_a_unit(std::string_view before, std::string_view behind) {
  const std::string lower = lower_case(before);
  if (lower.ends_with("unit")) return true;
  const std::string_view value = trimmed(behind);
  const auto is_key = [&](std::string_view key) { return lower.ends_with(key); };
  constexpr std::array<std::string_view, 8> kKeys{"length", "lengths",  "distance",   "mass",
                                                  "masses", "velocity", "velocities", "positions"};
  const bool counts = !value.empty() && std::isdigit(static_cast<unsigned char>(value[0])) != 0;
  return !counts && std::any_of(kKeys.begin(), kKeys.end(), is_key);
}

}  // namespace

std::string unit_in(std::string_view text, std::string_view marks) {
  for (std::size_t at = text.find_first_of(marks); at != text.npos; at = text.find_first_of(marks, at + 1)) {
    const std::string_view before = trimmed(text.substr(0, at));
    if ((text[at] == ':' || text[at] == '=') && !names_a_unit(before, text.substr(at + 1))) continue;
    const bool in = before == "in" || before.ends_with(" in") || before.ends_with("units of");
    if (text[at] == ' ' && !in) continue;
    const std::size_t end = std::min(text.find_first_of(text[at] == ' ' ? " ,;.)" : "]),}", at + 1), text.size());
    const std::string_view unit = trimmed(text.substr(at + 1, end - at - 1));
    if (unit.empty()) continue;
    if (find_unit_system(unit) != nullptr || seems_to_name_units(fmt::format("?, {}", unit))) return std::string(unit);
  }
  return {};
}

void apply_units_comment(const std::string& path, std::string_view comment, ReadReport& reading) {
  constexpr std::string_view kKey = "units", kHead = "[units]";
  comment = trimmed(comment.substr(std::min(comment.find_first_not_of("# \t"), comment.size())));
  if (lower_case(comment.substr(0, kHead.size())) == kHead)
    return apply_units(path, trimmed(comment.substr(kHead.size())), reading);
  if (reading.loose_unit.empty()) reading.loose_unit = unit_in(comment, "[:= ");
  if (reading.loose_unit.empty() && lower_case(comment).ends_with(" units")) {  // "all in SI units"
    const std::string_view before = trimmed(comment.substr(0, comment.size() - kKey.size()));
    const std::string_view word = before.substr(before.find_last_of(" \t") + 1);
    if (const UnitSystem* system = find_unit_system(word); system != nullptr && system->is_physical()) {
      reading.loose_unit = word;
    }
  }
  if (lower_case(comment.substr(0, kKey.size())) != kKey) return;
  comment = trimmed(comment.substr(kKey.size()));
  const bool marked = !comment.empty() && (comment.front() == ':' || comment.front() == '=');
  if (marked) comment = trimmed(comment.substr(1));
  if (marked || seems_to_name_units(comment)) apply_units(path, comment, reading);  // else "units of ..."
}

std::string units_comment(const std::string& units) {
  return find_unit_system(units) == nullptr ? "" : fmt::format("# units: {}\n", units);
}

std::string problem_of(Quantity quantity, std::string_view text) {
  const ColumnInfo& c = info_of(quantity);
  if (c.highest == 0) return fmt::format("{} is negative; a {} is 0 or more", text, c.long_name);
  return fmt::format("{} is not a {}; {} are integers from 0 to {}", text, c.name, c.plural, c.highest);
}

std::string store_value(Bodies& b, std::size_t body, Quantity quantity, double value) {
  if (!std::isfinite(value)) return fmt::format("{} is not finite; remove or repair the body", value);
  const ColumnInfo& c = info_of(quantity);
  const bool whole = c.highest == 0 || (value >= 0 && value <= c.highest && value == std::floor(value));
  if (!whole || (value < 0 && c.has(ColumnInfo::kFromZero))) return problem_of(quantity, fmt::format("{}", value));
  u8 at = 0;
  for_each_column(b, [&]<class T>(const ColumnInfo&, std::vector<T>& values) {
    if (at++ != static_cast<u8>(quantity)) return;
    if (values.size() < b.size()) values.resize(b.size());
    values[body] = static_cast<T>(value);
  });
  return "";
}

namespace {

struct Element {
  std::string_view symbol;
  double weight;
};

/// By atomic number.
constexpr std::array<Element, kElements + 1> kTable{
    {{"X", 0},          {"H", 1.008},        {"He", 4.002602}, {"Li", 6.94},
     {"Be", 9.0121831}, {"B", 10.81},        {"C", 12.011},    {"N", 14.007},
     {"O", 15.999},     {"F", 18.998403163}, {"Ne", 20.1797},  {"Na", 22.98976928},
     {"Mg", 24.305},    {"Al", 26.9815385},  {"Si", 28.085},   {"P", 30.973761998},
     {"S", 32.06},      {"Cl", 35.45},       {"Ar", 39.948},   {"K", 39.0983},
     {"Ca", 40.078},    {"Sc", 44.955908},   {"Ti", 47.867},   {"V", 50.9415},
     {"Cr", 51.9961},   {"Mn", 54.938044},   {"Fe", 55.845},   {"Co", 58.933194},
     {"Ni", 58.6934},   {"Cu", 63.546},      {"Zn", 65.38},    {"Ga", 69.723},
     {"Ge", 72.63},     {"As", 74.921595},   {"Se", 78.971},   {"Br", 79.904},
     {"Kr", 83.798},    {"Rb", 85.4678},     {"Sr", 87.62},    {"Y", 88.90584},
     {"Zr", 91.224},    {"Nb", 92.90637},    {"Mo", 95.95},    {"Tc", 0},
     {"Ru", 101.07},    {"Rh", 102.9055},    {"Pd", 106.42},   {"Ag", 107.8682},
     {"Cd", 112.414},   {"In", 114.818},     {"Sn", 118.71},   {"Sb", 121.76},
     {"Te", 127.6},     {"I", 126.90447},    {"Xe", 131.293},  {"Cs", 132.90545196},
     {"Ba", 137.327},   {"La", 138.90547},   {"Ce", 140.116},  {"Pr", 140.90766},
     {"Nd", 144.242},   {"Pm", 0},           {"Sm", 150.36},   {"Eu", 151.964},
     {"Gd", 157.25},    {"Tb", 158.92535},   {"Dy", 162.5},    {"Ho", 164.93033},
     {"Er", 167.259},   {"Tm", 168.93422},   {"Yb", 173.054},  {"Lu", 174.9668},
     {"Hf", 178.49},    {"Ta", 180.94788},   {"W", 183.84},    {"Re", 186.207},
     {"Os", 190.23},    {"Ir", 192.217},     {"Pt", 195.084},  {"Au", 196.966569},
     {"Hg", 200.592},   {"Tl", 204.38},      {"Pb", 207.2},    {"Bi", 208.9804},
     {"Po", 0},         {"At", 0},           {"Rn", 0},        {"Fr", 0},
     {"Ra", 0},         {"Ac", 0},           {"Th", 232.0377}, {"Pa", 231.03588},
     {"U", 238.02891},  {"Np", 0},           {"Pu", 0},        {"Am", 0},
     {"Cm", 0},         {"Bk", 0},           {"Cf", 0},        {"Es", 0},
     {"Fm", 0},         {"Md", 0},           {"No", 0},        {"Lr", 0},
     {"Rf", 0},         {"Db", 0},           {"Sg", 0},        {"Bh", 0},
     {"Hs", 0},         {"Mt", 0},           {"Ds", 0},        {"Rg", 0},
     {"Cn", 0},         {"Nh", 0},           {"Fl", 0},        {"Mc", 0},
     {"Lv", 0},         {"Ts", 0},           {"Og", 0}}};

}  // namespace

u32 element_of(std::string_view symbol) {
  const auto at = std::find_if(kTable.begin() + 1, kTable.end(), [&](const Element& e) { return e.symbol == symbol; });
  return at == kTable.end() ? 0 : static_cast<u32>(at - kTable.begin());
}

Species species_of(std::string_view label) {
  // Masses of the isotopes: AME2020 (Wang et al., Chinese Phys. C 45, 030003, 2021).
  if (label == "D") return {1, 2.01410177784, false};
  if (label == "T") return {1, 3.01604928132, false};
  if (const u32 element = element_of(label); element != 0) return {element, weight_of(element), true};
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto end = std::find_if_not(label.begin(), label.end(), is_letter);
  std::string symbol(label.begin(), end);
  for (std::size_t i = 0; i < symbol.size(); ++i) {
    const auto c = static_cast<unsigned char>(symbol[i]);
    symbol[i] = static_cast<char>(i == 0 ? std::toupper(c) : std::tolower(c));
  }
  if (symbol == "D" || symbol == "T") return species_of(symbol);
  const u32 element = element_of(symbol);
  return {element, weight_of(element), false};
}

std::string_view symbol_of(u32 element) {
  TRI_EXPECTS(element <= kElements);
  return kTable[element].symbol;
}

double weight_of(u32 element) {
  TRI_EXPECTS(element <= kElements);
  return kTable[element].weight;
}

namespace {

constexpr std::string_view kDevice = "device ";
constexpr const char* kHint = "; remove the line, or recreate the file with triangulum bench --tune";

TuningRow row_from(const std::string& text, const LineReader& lines) {
  std::istringstream words(text);
  std::string work, precision, rest;
  TuningRow row;
  const bool complete = static_cast<bool>(words >> work >> precision >> row.n >> row.choice) && !(words >> rest);
  const auto known = kNamesOf<TunedWork>.find(work);
  if (!complete || !known || (precision != "fp32" && precision != "fp64")) {
    lines.fail(fmt::format("'{}' is not: work, fp32 or fp64, n, choice{}", text, kHint));
  }
  row.work = *known;
  row.precision = precision == "fp32" ? Precision::fp32 : Precision::fp64;
  return row;
}

/// Rows of one work and precision must have increasing n, or some would never apply.
void check_order(const Tuning& tuning, const TuningRow& row, const LineReader& lines) {
  for (const TuningRow& r : tuning.rows) {
    if (r.work == row.work && r.precision == row.precision && r.n >= row.n) {
      lines.fail(fmt::format("n = {} comes after n = {}{}", row.n, r.n, kHint));
    }
  }
}

}  // namespace

std::string tuning_path() { return user_file("tuning.txt"); }

std::vector<Tuning> read_tunings(const std::string& path) {
  std::error_code ignored;
  std::vector<Tuning> tunings;
  if (path.empty() || !std::filesystem::exists(path, ignored)) return tunings;
  LineReader lines(path, Accepts::files);
  std::string_view line;
  while (lines.next(line)) {
    const std::string text(trimmed(line.substr(0, line.find('#'))));
    if (text.empty()) continue;
    if (text.starts_with(kDevice)) {
      tunings.push_back({std::string(trimmed(std::string_view(text).substr(kDevice.size()))), {}});
      continue;
    }
    if (tunings.empty()) lines.fail(fmt::format("'{}' comes before any line 'device NAME'{}", text, kHint));
    const TuningRow row = row_from(text, lines);
    check_order(tunings.back(), row, lines);
    tunings.back().rows.push_back(row);
  }
  return tunings;
}

void write_tuning(const std::string& path, const Tuning& tuning) {
  std::vector<Tuning> all = read_tunings(path);
  const auto same = std::find_if(all.begin(), all.end(), [&](const Tuning& t) { return t.device == tuning.device; });
  if (same == all.end()) {
    all.push_back(tuning);
  } else {
    *same = tuning;
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    throw FileError(
        fmt::format("cannot create the folder {}: {}. Name another file with -o.", folder.string(), error.message()));
  }
  OutputFile file(path, Accepts::files);
  file.write("# From n bodies on, the choice that was fastest. Made by triangulum bench --tune.\n");
  for (const Tuning& t : all) {
    file.write(fmt::format("device {}\n", t.device));
    for (const TuningRow& row : t.rows) {
      file.write(fmt::format("{} {} {} {}\n", to_string(row.work), to_string(row.precision), row.n, row.choice));
    }
  }
  file.commit();
}

}  // namespace tri::io
