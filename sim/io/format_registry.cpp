/// The table of formats, and selection of a format by the extension of a path.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <vector>

#include "sim/base/contracts.hpp"
#include "sim/base/suggest.hpp"
#include "sim/io/columns.hpp"
#include "sim/io/files/missing_file.hpp"
#include "sim/io/files/text_input.hpp"
#include "sim/io/format.hpp"
#include "sim/io/format_table.hpp"

namespace tri {

namespace {

using io::Format;
using io::Stores;

constexpr Stores kText{}, kAll{.radius = true, .group = true, .charge = true, .time = true};
constexpr Stores kTab{.units = true}, kCsv{.radius = true, .group = true, .charge = true, .units = true};
constexpr Stores kAtoms{.radius = true, .group = true, .charge = true, .time = true, .units = true, .atoms = true};
constexpr Stores kPly{.radius = true, .group = true, .charge = true, .time = true, .units = true};
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
  Bodies bodies = format_to_read(path).read_bodies(path, reading);
  if (reading.asked != nullptr && reading.units != nullptr && !same_units(*reading.asked, *reading.units)) {
    throw ConfigError(fmt::format("units = {}, but '{}' says that its numbers are in {}; leave the units out.",
                                  reading.asked->name, path, reading.units->name));
  }
  if (reading.asked != nullptr) reading.units = reading.asked;
  if (reading.units == nullptr && !reading.unknown_units.empty()) {
    reading.notes.push_back(fmt::format(
        "'{}' names the units {}, which are no system of Triangulum and set no G.{} See docs/scenes.md, \"Units\".",
        path, io::in_quotes(reading.unknown_units), did_you_mean(reading.unknown_units, unit_system_names())));
  }
  if (!reading.without_masses.empty()) {
    reading.notes.push_back(fmt::format("'{}' has {}: every mass is 1.", path, reading.without_masses));
  }
  return bodies;
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
  if (!format.stores.radius && has_radii(b)) {
    throw FileError(fmt::format("cannot write '{}': the bodies have radii, which {} does not store; use {}.", path,
                                format.info.name,
                                extensions([](const Format& f) { return f.stores.radius && f.info.writes; })));
  }
}

void write_bodies(const std::string& path, const Bodies& b, const StateInfo& state) {
  for (const auto* a : {&b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.m, &b.r}) TRI_EXPECTS(a->size() == b.size());
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
  if (!format.stores.radius && has_radii(b)) dropped("radii"), std::fill(b.r.begin(), b.r.end(), 0.0);
  if (!format.stores.group && !b.group.empty()) dropped("groups"), b.group.clear();
  if (!format.stores.atoms && !b.species.empty()) dropped("species"), b.species.clear();
  if (!format.stores.charge && !b.q.empty()) dropped("charges"), b.q.clear();
  if (!format.stores.time && state.time != 0) dropped("the time of the state");
  if (!format.stores.units && find_unit_system(state.units) != nullptr) dropped("the units");
  if (!format.stores.atoms && state.box.boundary == Boundary::periodic) dropped("the periodic box");
  if (format.info.name == std::string_view("xyz")) {
    if (const std::string note = io::xyz_units_note(state, !b.species.empty()); !note.empty()) {
      notes.push_back(fmt::format("'{}': {}.", path, note));
    }
  }
  if (format.stores.doubles) return notes;
  u64 rounded = 0;
  for (auto* a : {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.m}) {
    for (double& v : *a) {
      const double narrow = static_cast<double>(static_cast<float>(v));
      if (!std::isfinite(narrow)) {
        throw FileError(
            fmt::format("cannot write '{}': {:.6g} is out of the range of float32, which {} stores; use "
                        ".hdf5.",
                        path, v, format.info.name));
      }
      if (narrow != v) v = narrow, ++rounded;
    }
  }
  if (rounded > 0) {
    notes.push_back(fmt::format("'{}': {} stores float32; {} values were rounded.", path, format.info.name, rounded));
  }
  return notes;
}

namespace {

/// Quantities of bodies as features: x, y, z unless others are chosen.
PointSet points_of_bodies(const std::string& path, Bodies& bodies, const PointColumns& wanted) {
  static constexpr std::array<std::string_view, 8> kQuantities{"x", "y", "z", "vx", "vy", "vz", "m", "r"};
  std::vector<const std::vector<double>*> features;
  for (const std::string& name : wanted.names.empty() ? std::vector<std::string>{"x", "y", "z"} : wanted.names) {
    if (std::find(kQuantities.begin(), kQuantities.end(), name) == kQuantities.end()) {
      throw FileError(fmt::format("'{}': --columns: {}", path, unknown_name("column", name, kQuantities)));
    }
    features.push_back(&io::array_of(bodies, io::quantity_of(name).value_or(io::Quantity::x)));
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
    Bodies bodies = format.read_bodies(path, reading);
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
