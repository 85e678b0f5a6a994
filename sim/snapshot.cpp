// Snapshots: one description of every parameter writes, reads and hashes them.

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/files/file.hpp"
#include "sim/io/format.hpp"
#include "sim/io/formats.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/simulation.hpp"

namespace tri {

namespace {

constexpr const char* kGroup = "/Triangulum";
constexpr u64 kLayout = 5;        ///< raised when a later version writes what this one cannot read
constexpr u64 kTensorLayout = 4;  ///< written for sums on tensor cores: without the tree
constexpr u64 kAutoLayout = 3;    ///< written for sums in float32: without what belongs to tensor cores
constexpr u64 kFixedLayout = 2;   ///< written for fixed steps, too: without what belongs to automatic ones
constexpr u64 kFirstLayout = 1;   ///< still read: without molecular units and view

// What is added to one of these is added to describe() too: these stop the compiler until it is.
static_assert(sizeof(Box) == 56 && sizeof(EngineConfig) == 32 && sizeof(Diagnostics) == 112);
static_assert(sizeof(MolecularUnits) == 24 && sizeof(ViewHints) == 3 * sizeof(std::string));

/// Text of a value of an enum, and back.
template <class Enum>
struct Named {
  std::string (*text)(std::conditional_t<std::is_enum_v<Enum>, Enum, const Enum&>);
  Enum (*value)(const std::string&);
};

/// One field of an EngineConfig.
template <class Archive, class T>
void describe_field(Archive& a, const char* name, T& field) {
  using Value = std::remove_const_t<T>;
  if constexpr (std::is_enum_v<Value>) {
    a(name, field, Named<Value>{[](Value v) { return engine_text(v); }, engine_value<Value>});
  } else {
    a(name, field);
  }
}

template <expression::Over kOver>
constexpr Named<expression::TypedLaw> kTypedLaw{
    [](const expression::TypedLaw& law) { return law ? law.text() : std::string(); },
    [](const std::string& text) { return expression::typed_law(text, kOver); }};

/// The parameters of the laws. The first four laws are in every file, whether they act or not; later ones only where
/// they act, so that files from before them keep their hash.
template <class Archive, class Field>
void describe_laws(Archive& a, Field& field) {
  for (const LawInfo& law : all_laws()) {
    if (law.pair > PairLaw::contact && !law.acts(field)) continue;
    if (law.triple > TripleLaw::axilrod_teller && !law.acts(field)) continue;
    std::string prefix = std::string(law.name) + "_";
    std::replace(prefix.begin(), prefix.end(), '-', '_');
    for (const LawParameter& p : law.parameters) {
      const std::string name = prefix + p.key;
      if (p.real != nullptr) {
        a(name.c_str(), p.value(field));
      } else {
        a(name.c_str(), p.is_set(field));
      }
    }
  }
}

/// Typed laws as their texts, with the values that they have now.
template <class Archive, class Field>
void describe_typed_laws(Archive& a, Field& field) {
  if (field.pair == PairLaw::typed) a("typed_pair_law", field.typed_pair, kTypedLaw<expression::Over::pairs>);
  if (field.triple == TripleLaw::typed) a("typed_triple_law", field.typed_triple, kTypedLaw<expression::Over::triples>);
}

/// Every parameter of a run, once, in order: the archive writes it, reads it or hashes it.
template <class Archive, class Record>
void describe(Archive& a, Record& s, u64 layout) {
  auto& f = s.scene.field;
  a("scene", s.scene.name), a("title", s.scene.title), a("units", s.scene.units);
  a("seed", s.scene.seed), a("dt", s.scene.dt), a("step", s.step);
  a("integrator", s.scene.integrator, Named<Integrator>{to_string, integrator_from});

  a("pair_law", f.pair, Named<PairLaw>{to_string, pair_law_from});
  a("triple_law", f.triple, Named<TripleLaw>{to_string, triple_law_from});
  describe_laws(a, f);
  describe_typed_laws(a, f);
  a("box_low", f.box.low), a("box_high", f.box.high);
  a("boundary", f.box.boundary,
    Named<Boundary>{to_string, [](const std::string& name) { return from_name<Boundary>(name); }});
  a("uniform_field", f.field);

  describe_engine(
      [&](EngineField names, auto& field) {
        if (layout >= names.since) describe_field(a, names.attribute, field);
      },
      s.engine);

  auto& d = s.initial.values;
  a("initial_kinetic", d.kinetic), a("initial_potential", d.potential), a("initial_virial", d.virial);
  a("initial_momentum", d.momentum), a("initial_angular_momentum", d.angular_momentum), a("initial_centre", d.centre);
  a("initial_mass", d.mass), a("initial_triple_potential", d.triple_potential);

  a("run_scene", s.run.scene), a("run_backend", s.run.backend), a("run_last_step", s.run.last_step);
  a("run_diag_every", s.run.diag_every), a("run_rows", s.run.rows), a("run_energy_error_max", s.run.energy_error_max);
  if (layout < 2) return;

  auto& m = s.scene.molecular;
  a("molecular_kelvin", m.kelvin), a("molecular_nanometre", m.nanometre), a("molecular_picosecond", m.picosecond);
  auto& v = s.scene.view;
  a("view_shape", v.shape), a("view_colour", v.colour), a("view_colours", v.colours);
  if (layout < 3) return;

  a("eta", s.scene.eta), a("time", s.time), a("next_step", s.next_step), a("run_last_time", s.run.last_time);
}

class Writer {
 public:
  explicit Writer(io::Hdf5Output& out) : out_(out) {}
  void operator()(const char* name, const std::string& v) { out_.attribute(kGroup, name, v); }
  void operator()(const char* name, double v) { out_.attribute(kGroup, name, v); }
  void operator()(const char* name, u64 v) { out_.attribute(kGroup, name, v); }
  void operator()(const char* name, u32 v) { out_.attribute(kGroup, name, u64{v}); }
  void operator()(const char* name, bool v) { out_.attribute(kGroup, name, u64{v}); }
  void operator()(const char* name, const std::array<double, 3>& v) {
    out_.attribute(kGroup, name, std::span<const double>(v));
  }
  template <class Enum>
  void operator()(const char* name, Enum v, Named<Enum> names) {
    out_.attribute(kGroup, name, names.text(v));
  }

 private:
  io::Hdf5Output& out_;
};

class SnapshotReader {
 public:
  explicit SnapshotReader(const io::Hdf5Input& in) : in_(in) {}
  void operator()(const char* name, std::string& v) { v = in_.text(kGroup, name); }
  void operator()(const char* name, double& v) { v = numbers<1>(name)[0]; }
  void operator()(const char* name, u64& v) { v = in_.integer(kGroup, name); }
  void operator()(const char* name, u32& v) {
    const u64 wide = in_.integer(kGroup, name);
    v = static_cast<u32>(wide);
    if (v != wide) in_.fail(kGroup, fmt::format("has {} = {}, which passes 32 bits", name, wide));
  }
  void operator()(const char* name, bool& v) { v = in_.integer(kGroup, name) != 0; }
  void operator()(const char* name, std::array<double, 3>& v) { v = numbers<3>(name); }
  template <class Enum>
  void operator()(const char* name, Enum& v, Named<Enum> names) {
    try {
      v = names.value(in_.text(kGroup, name));
    } catch (const ConfigError& error) {
      in_.fail(kGroup, fmt::format("has an attribute {} of another version ({})", name, error.what()));
    }
  }

 private:
  template <std::size_t N>
  std::array<double, N> numbers(const char* name) const {
    const std::vector<double> values = in_.numbers(kGroup, name);
    if (values.size() != N) in_.fail(kGroup, fmt::format("has {} numbers in {} instead of {}", values.size(), name, N));
    std::array<double, N> out{};
    std::copy_n(values.begin(), N, out.begin());
    return out;
  }
  const io::Hdf5Input& in_;
};

class Hasher {
 public:
  template <class T>
  void operator()(const char* /*name*/, const T& v) {
    if constexpr (std::is_arithmetic_v<T>) {
      hash = fnv1a(hash, &v, sizeof v);
    } else {
      hash = fnv1a(hash, std::span<const typename T::value_type>(v));
    }
  }
  template <class Enum>
  void operator()(const char* name, Enum v, Named<Enum> names) {
    (*this)(name, names.text(v));
  }
  u64 hash = kFnvOffset;
};

u64 content_hash(const Snapshot& s, u64 layout) {
  Hasher hasher;
  describe(hasher, s, layout);
  for_each_column(s.scene.bodies, [&](const ColumnInfo&, const auto& values) {
    if (!values.empty()) hasher("", values);
  });
  return hasher.hash;
}

}  // namespace

bool is_snapshot_name(const std::string& path) { return format_name(path) == "hdf5"; }

std::vector<std::string> lost_in(const std::string& path, const Bodies& bodies, const Scene& scene) {
  Bodies one;  // with the columns of all
  one.add(0, 0, 0, 0, 0, 0, 0);
  for_each_column(one, bodies, [](const ColumnInfo& c, auto& to, const auto& from) {
    if (c.has(ColumnInfo::kOptional) && !from.empty()) to.assign(c.width, 0);
  });
  Notes lost = make_storable(path, one, state_of(scene, 0));
  // Other units in the file keep what the numbers mean.
  std::erase_if(lost, [](const std::string& note) { return note.find("does not store") == std::string::npos; });
  return lost;
}

bool holds_run(const std::string& path) {
  std::error_code ignored;
  return is_snapshot_name(path) && std::filesystem::is_regular_file(path, ignored) && io::Hdf5Input(path).has(kGroup);
}

void write_snapshot(const std::string& path, const Snapshot& s) {
  io::OutputFile file(path);
  io::Hdf5Output out(file);
  const double time = s.scene.eta > 0 ? s.time : static_cast<double>(s.step) * s.scene.dt;
  io::write_gadget(out, s.scene.bodies, s.engine.precision, state_of(s.scene, time));
  out.group(kGroup);
  const bool plain = s.engine.arithmetic != Arithmetic::tensor;
  const bool tree = s.engine.pairs == PairSearch::tree;
  const u64 layout = tree ? kLayout : !plain ? kTensorLayout : s.scene.eta > 0 ? kAutoLayout : kFixedLayout;
  out.attribute(kGroup, "layout", layout);
  Writer writer(out);
  describe(writer, s, layout);
  out.attribute(kGroup, "hash", content_hash(s, layout));
  out.close();
  file.commit();
}

Snapshot read_snapshot(const std::string& path) {
  const io::Hdf5Input in(path);
  if (!in.has(kGroup)) {
    throw FileError(
        fmt::format("'{}' holds bodies, but no run to go on with; begin one with: triangulum run {}.", path, path));
  }
  const u64 layout = in.integer(kGroup, "layout");
  if (layout < kFirstLayout || layout > kLayout) {
    in.fail(kGroup, fmt::format("has layout {}, and this version knows {} to {}; take the version that wrote it",
                                layout, kFirstLayout, kLayout));
  }
  Snapshot s;
  SnapshotReader reader(in);
  describe(reader, s, layout);
  if (layout <= kFixedLayout) s.time = static_cast<double>(s.step) * s.scene.dt;
  if (layout <= kAutoLayout) s.engine.arithmetic = Arithmetic::float32;
  if (layout <= kTensorLayout) s.engine.pairs = PairSearch::all;
  s.scene.cell = in.has_attribute("/Header", "BoxHigh");
  s.scene.bodies = io::read_gadget(in, nullptr);
  if (in.integer(kGroup, "hash") != content_hash(s, layout)) {
    throw FileError(
        fmt::format("'{}' is not as it was written (its hash differs): it was damaged or edited. Take an "
                    "earlier snapshot, or begin a new run with its bodies: triangulum run {}.",
                    path, path));
  }
  return s;
}

std::string diagnostics_csv(const DiagnosticsRow& row, StepKind kind) {
  const Diagnostics& d = row.values;
  const auto& p = d.momentum;
  const auto& l = d.angular_momentum;
  const auto& c = d.centre;
  const std::array<double, 14> reals{row.time, d.kinetic, d.potential, d.energy(),       p[0], p[1], p[2],
                                     l[0],     l[1],      l[2],        d.virial_ratio(), c[0], c[1], c[2]};
  std::string line = fmt::format("{}", row.step);
  for (const double value : reals) fmt::format_to(std::back_inserter(line), ",{:.17g}", value);
  if (kind == StepKind::automatic) fmt::format_to(std::back_inserter(line), ",{:.17g}", row.dt);
  line += '\n';
  return line;
}

namespace {

/// How much of a log stays when its run is taken up at `step`.
struct Kept {
  std::string lines;
  u64 rows = 0, removed = 0;
  u64 last = 0;  ///< step of the last row that stays
};

/// Whether the row is of this step, and not of its state: other times or energies. They have 17 digits in the file.
bool is_of_another(const std::string& row, u64 step, const DiagnosticsRow& known) {
  if (step != known.step) return false;
  const std::string own = diagnostics_csv(known);
  const auto begin = [](const std::string& text) {  // step, time, kinetic, potential
    std::size_t end = 0;
    for (int column = 0; column < 4 && end != text.npos; ++column) end = text.find(',', end + 1);
    return text.substr(0, end);
  };
  return begin(row) != begin(own);
}

/// The numbers of a row; none if a text is among them.
std::vector<double> numbers_of(const std::string& row) {
  std::vector<double> numbers;
  for (const char *at = row.data(), *const last = at + row.size(); at <= last; ++at) {
    double value = 0;
    const auto [end, error] = std::from_chars(at, last, value);
    if (error == std::errc::invalid_argument || (end != last && *end != ',')) return {};
    numbers.push_back(value);
    at = end;
  }
  return numbers;
}

/// The same where the run has other times or, in the state in which it goes on, another kinetic energy, which another
/// backend may sum in another order.
bool is_of_another(const std::vector<double>& row, u64 at, u64 step, const LoggedRun& run) {
  constexpr double kRounding = 1e-9, kSums = 1e-4;
  const auto differs = [](double a, double b, double part) {
    return std::abs(a - b) > part * std::max(std::abs(a), std::abs(b));
  };
  if (run.dt > 0 && differs(row[1], static_cast<double>(at) * run.dt, kRounding)) return true;
  return at == step && (differs(row[1], run.time, kRounding) || differs(row[2], run.kinetic, kSums));
}

Kept kept_of(const std::string& path, const std::string& names, u64 step, const LoggedRun* run) {
  const auto refuse = [&](u64 line, const char* what) {
    throw FileError(fmt::format("'{}', line {}: {}; it is not the diagnostics of this run, so name another file.", path,
                                line, what));
  };
  Kept kept;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  u64 number = 0, last = 0;
  while (std::getline(file, line)) {
    ++number;
    const bool whole = !file.eof();  // ended by its line end, not by that of the file
    if (number == 1) {
      if (line + '\n' != names) refuse(number, "has not the names of the columns");
      if (whole) kept.lines = names;
      continue;
    }
    if (!whole) break;
    u64 at = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), at);
    if (error != std::errc() || end == line.data() + line.size() || *end != ',') refuse(number, "is no row of a step");
    if (number > 2 && at <= last) refuse(number, "has no later step than the line before");
    const std::vector<double> numbers = numbers_of(line);
    if (static_cast<std::ptrdiff_t>(numbers.size()) != 1 + std::count(names.begin(), names.end(), ',')) {
      refuse(number, "has not a number for each column");
    }
    const bool other =
        run != nullptr && (is_of_another(line, at, run->initial) || is_of_another(numbers, at, step, *run));
    if (other) refuse(number, "has another time or energy");
    last = at;
    if (at > step) {
      ++kept.removed;
    } else {
      kept.lines += line + '\n', ++kept.rows, kept.last = at;
    }
  }
  return kept;
}

}  // namespace

/// Throws FileError for a file into which another log goes.
void DiagnosticsLog::require_free() const {
  std::error_code ignored;
  const std::optional<int> stream = io::stream_of(path_);
  if (!stream && !std::filesystem::is_regular_file(path_, ignored)) return;  // a pipe may have several writers
  const int fd = stream ? *stream : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  struct stat info {};
  const bool taken =
      ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!stream && fd >= 0) ::close(fd);
  if (taken) throw FileError(fmt::format("'{}' is being written by another run; name another file.", path_));
}

std::string DiagnosticsLog::names() const {
  return fmt::format("{}{}\n", kDiagnosticsColumns, kind_ == StepKind::automatic ? kStepColumn : "");
}

DiagnosticsLog::DiagnosticsLog(const std::string& path, StepKind kind) : path_(path), kind_(kind), file_(path) {
  require_free();
  append(names(), false);
}

DiagnosticsLog::DiagnosticsLog(const std::string& path, u64 step, StepKind kind, const LoggedRun* run)
    : path_(path), kind_(kind), file_(path) {
  require_free();
  const Kept kept = file_.temporary().empty() ? Kept() : kept_of(path, names(), step, run);
  kept_ = kept.rows, removed_ = kept.removed, last_ = kept.last;
  append(kept.lines.empty() ? names() : kept.lines, true);
}

void DiagnosticsLog::write(const DiagnosticsRow& row) {
  append(diagnostics_csv(row, kind_), std::exchange(begun_, true) || std::isfinite(row.values.energy()));
}

void DiagnosticsLog::append(const std::string& lines, bool shown) {
  try {
    file_.write(lines);
    if (shown && !file_.temporary().empty()) require_free(), file_.commit();
    if (file_.temporary().empty()) file_.sync();
  } catch (const FileError&) {
    if (!io::stream_of(path_)) file_.shorten(whole_);
    throw;
  }
  whole_ += lines.size();
}

}  // namespace tri
