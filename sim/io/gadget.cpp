#include "sim/io/gadget.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/memory.hpp"
#include "sim/io/elements.hpp"
#include "sim/io/files/text_input.hpp"
#include "sim/io/format_table.hpp"

namespace tri::io {

namespace {

constexpr std::size_t kParticleTypes = 10;  // GADGET has 6, its descendants a few more
constexpr std::size_t kWrittenTypes = 6;    // entries of the tables in the header
constexpr std::size_t kOurType = 1;
constexpr u64 kChunkRows = u64{1} << 15;

using Columns = std::array<std::vector<double>*, 3>;

std::string group_of(std::size_t type) { return fmt::format("/PartType{}", type); }

/// Reads a dataset into elements [at, at + rows) of one or three columns; checks that values are finite and, unless
/// allowed, not negative.
void read_columns(const Hdf5Input& in, const std::string& name, u64 rows, std::size_t at,
                  std::span<std::vector<double>* const> to, bool negative_allowed) {
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
        (*to[c])[at + first + i] = value;
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
  const std::vector<double> all = totals ? in.numbers("/Header", "NumPart_Total") : counts;
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
    std::vector<double>* const to[] = {&masses};
    read_columns(in, group_of(type) + name, rows, at, to, false);
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
  std::vector<double>* const to[] = {&values};
  read_columns(in, name, rows, 0, to, false);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > highest || values[i] != std::floor(values[i])) {
      in.fail(name,
              fmt::format("has {} in row {} (from 0); {} are integers from 0 to {}", values[i], i, what, highest));
    }
    all[at + i] = static_cast<Number>(values[i]);
  }
}

/// Groups from the dataset Group if there is one; else, in a file of several types, the type. Species likewise.
void read_groups(const Hdf5Input& in, std::size_t type, u64 rows, std::size_t at, Bodies& b) {
  if (const std::string name = group_of(type) + "/Group"; in.has(name)) {
    b.group.resize(b.size(), 0);
    read_whole(in, name, rows, at, 65535, "groups", b.group);
  } else if (rows < b.size()) {
    b.set_group(at, static_cast<std::uint16_t>(type));
  }
  if (const std::string name = group_of(type) + "/Species"; in.has(name)) {
    b.species.resize(b.size(), 0);
    read_whole(in, name, rows, at, kElements, "species", b.species);
  }
}

void read_charges(const Hdf5Input& in, const std::string& name, u64 rows, std::size_t at, Bodies& b) {
  if (!in.has(name)) return;
  b.q.resize(b.size(), 0.0);
  std::vector<double>* const to[] = {&b.q};
  read_columns(in, name, rows, at, to, true);
}

/// Bodies have no ids but their places; says so if those of the file are others.
void note_ids(const Hdf5Input& in, const std::string& name, u64 rows, std::size_t at, Notes* notes) {
  if (notes == nullptr || !in.has(name)) return;
  std::vector<double> ids(static_cast<std::size_t>(rows));
  std::vector<double>* const to[] = {&ids};
  read_columns(in, name, rows, 0, to, true);
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
  read_columns(in, name, rows, at, Columns{&x, &y, &z}, true);
  b.rest.resize(3 * b.size(), 0.0);
  for (std::size_t i = at; i < at + rows; ++i) b.rest[3 * i] = x[i], b.rest[3 * i + 1] = y[i], b.rest[3 * i + 2] = z[i];
}

void note_unread(const Hdf5Input& in, std::size_t type, Notes* notes) {
  constexpr std::array<std::string_view, 10> kRead{"Coordinates", "Velocities", "Masses",  "Mass",   "ParticleIDs",
                                                   "Radius",      "Group",      "Species", "Charge", "CoordinatesRest"};
  std::vector<std::string> others;
  for (std::string& name : in.members(group_of(type))) {
    if (std::find(kRead.begin(), kRead.end(), name) == kRead.end()) others.push_back(std::move(name));
  }
  if (others.empty() || notes == nullptr) return;
  notes->push_back(
      fmt::format("'{}': {}: the datasets {} are not used.", in.path(), group_of(type), fmt::join(others, ", ")));
}

/// BoxSize: see gadget.hpp.
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
  const auto scalars = [&](const char* name, const std::vector<double>& values) {
    out.dataset(group + name, type, {n, 1, 1}, [&](u64 first, u64 count, double* to) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), count, to);
    });
  };
  const bool radii = std::any_of(b.r.begin(), b.r.end(), [](double r) { return r != 0; });
  out.expect(n * (8u + (radii ? 1 : 0) + (b.group.empty() ? 0 : 1) + (b.species.empty() ? 0 : 1) +
                  (b.q.empty() ? 0 : 1) + (b.rest.empty() ? 0 : 3)));
  vectors("/Coordinates", b.x, b.y, b.z);
  vectors("/Velocities", b.vx, b.vy, b.vz);
  scalars("/Masses", b.m);
  if (radii) scalars("/Radius", b.r);
  if (!b.q.empty()) scalars("/Charge", b.q);
  const auto whole = [&](const char* name, const auto& values) {
    if (values.empty()) return;
    out.dataset(group + name, Hdf5Type::whole32, {n, 1, 1}, [&](u64 first, u64 count, double* to) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), count, to);
    });
  };
  whole("/Group", b.group), whole("/Species", b.species);
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
    read_columns(in, group + "/Coordinates", rows[type], at, Columns{&b.x, &b.y, &b.z}, true);
    read_columns(in, group + "/Velocities", rows[type], at, Columns{&b.vx, &b.vy, &b.vz}, true);
    read_masses(in, type, rows[type], at, b.m, notes);
    std::vector<double>* const radius[] = {&b.r};
    if (in.has(group + "/Radius")) read_columns(in, group + "/Radius", rows[type], at, radius, false);
    read_groups(in, type, rows[type], at, b);
    read_charges(in, group + "/Charge", rows[type], at, b);
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
  if (state.box.boundary == Boundary::periodic) {
    out.attribute("/Header", "BoxLow", std::span<const double>(state.box.low));
    out.attribute("/Header", "BoxHigh", std::span<const double>(state.box.high));
  }
  out.close();
}

}  // namespace tri::io
