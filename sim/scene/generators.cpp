#include "sim/scene/generators.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"
#include "sim/base/user_values.hpp"
#include "sim/files/file.hpp"
#include "sim/io/format.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"

namespace tri::scene {

namespace {

/// The columns of Bodies, here and in an engine.
constexpr u64 kBytesPerBody = 2 * 8 * sizeof(double);

}  // namespace

std::vector<Setting> settings_from(std::string_view scene, std::string_view text) {
  std::vector<Setting> settings;
  if (text.empty()) return settings;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view part = text.substr(at, comma - at);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos && !settings.empty() && settings.back().key == "units") {
      settings.back().value += fmt::format(",{}", part);  // "kpc, 1e10 Msun, km/s"
      at = comma + 1;
      continue;
    }
    if (equals == std::string_view::npos || equals == 0) {
      throw ConfigError(
          fmt::format("scene {}: '{}' is not key=value; write {}:key=value,key=value.", scene, part, scene));
    }
    const std::string key(part.substr(0, equals));
    if (find_setting(settings, key) != nullptr)
      throw ConfigError(fmt::format("scene {}: key {} is given twice; keep one.", scene, key));
    settings.push_back({key, std::string(part.substr(equals + 1)), ""});
    at = comma + 1;
  }
  return settings;
}

std::vector<std::string> key_names(std::string_view keys) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < keys.size();) {
    const std::size_t end = std::min(keys.find(", ", at), keys.size());
    names.emplace_back(keys.substr(at, std::min(keys.find('=', at), end) - at));
    at = end + 2;
  }
  return names;
}

void fail_setting(const std::string& scene, const Setting& setting, const std::string& what) {
  if (!setting.place.empty()) throw FileError(fmt::format("{}: {}", setting.place, what));
  throw ConfigError(fmt::format("scene {}: {}", scene, what));
}

const Setting* find_setting(const std::vector<Setting>& settings, std::string_view key) {
  const auto at = std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == key; });
  return at == settings.end() ? nullptr : &*at;
}

const Setting* SceneKeys::find(std::string_view key) {
  known_.emplace_back(key);
  return find_setting(given_, key);
}

void SceneKeys::refuse(const Setting& s, const std::string& must_be) const {
  fail_setting(scene_, s, fmt::format("{} = '{}', but it must be {}.", s.key, s.value, must_be));
}

double SceneKeys::real(std::string_view key, double fallback, const Range& range) {
  const Setting* given = find(key);
  if (given == nullptr) return fallback;
  double value = 0;
  const char* const last = given->value.data() + given->value.size();
  const auto [end, error] = std::from_chars(given->value.data(), last, value);
  if (error == std::errc::result_out_of_range) refuse(*given, "within the range of float64");
  if (error != std::errc() || end != last || !range.holds(value)) refuse(*given, range.text());
  return value;
}

u32 SceneKeys::count(std::string_view key, u32 fallback, u32 low, u32 high) {
  const Setting* given = find(key);
  if (given == nullptr) return fallback;
  const std::optional<u64> value = whole_number_of(given->value);
  if (!value || *value < low || *value > high) refuse(*given, fmt::format("an integer from {} to {}", low, high));
  if (key == "n") {
    const auto bytes = [](u64 n) { return kBytesPerBody * n; };
    require_memory(static_cast<double>(bytes(*value)), fmt::format("scene {} with n = {}", scene_, *value),
                   size_hint("Use n = ", largest_that_fits(bytes, available_memory()), " or less"));
  }
  return static_cast<u32>(*value);
}

u64 SceneKeys::seed() {
  const Setting* given = find("seed");
  if (given == nullptr) return 42;
  const std::optional<u64> value = whole_number_of(given->value);
  if (!value) refuse(*given, "an integer from 0 to 18446744073709551615");
  return *value;
}

std::string SceneKeys::name(std::string_view key, std::string_view fallback,
                            const std::vector<std::string_view>& names) {
  const Setting* given = find(key);
  if (given == nullptr) return std::string(fallback);
  if (std::find(names.begin(), names.end(), given->value) != names.end()) return given->value;
  refuse(*given, fmt::format("{}", fmt::join(names, " or ")));
}

std::string SceneKeys::text(std::string_view key, const char* what) {
  const Setting* given = find(key);
  if (given == nullptr) throw ConfigError(fmt::format("scene {}: it needs {} = {}.", scene_, key, what));
  if (given->value.empty()) refuse(*given, what);
  return given->value;
}

void SceneKeys::refuse_idle(std::string_view key, const char* why) {
  if (const Setting* given = find(key)) fail_setting(scene_, *given, fmt::format("{} {}", key, why));
}

void SceneKeys::done() const {
  for (const Setting& s : given_) {
    if (std::find(known_.begin(), known_.end(), s.key) != known_.end()) continue;
    if (s.place.empty()) throw ConfigError(unknown_name("key of scene " + scene_, s.key, known_));
    throw FileError(fmt::format("{}: {}", s.place, unknown_name("key", s.key, known_)));
  }
}

namespace {

/// Subtracts the mass-weighted mean of three arrays from them.
void subtract_mean(const std::vector<double>& m, std::vector<double>& x, std::vector<double>& y,
                   std::vector<double>& z) {
  double mass = 0, sx = 0, sy = 0, sz = 0;
  for (std::size_t i = 0; i < m.size(); ++i) {
    mass += m[i];
    sx += m[i] * x[i], sy += m[i] * y[i], sz += m[i] * z[i];
  }
  if (!(mass > 0)) return;
  for (std::size_t i = 0; i < m.size(); ++i) x[i] -= sx / mass, y[i] -= sy / mass, z[i] -= sz / mass;
}

}  // namespace

double Random::normal() {
  const double u = 1.0 - uniform();  // never 0
  const double radius = std::sqrt(-2.0 * std::log(u));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

Vec Random::direction() {
  const double z = uniform(-1.0, 1.0);
  const double angle = uniform(0.0, 2.0 * std::numbers::pi);
  const double rho = std::sqrt(1.0 - z * z);
  return {rho * std::cos(angle), rho * std::sin(angle), z};
}

std::vector<u32> shuffled_layers(u32 n, Random& random) {
  std::vector<u32> layers(n);
  for (u32 i = 0; i < n; ++i) layers[i] = i;
  for (u32 i = n; i > 1; --i) std::swap(layers[i - 1], layers[random.below(i)]);
  return layers;
}

u64 Random::below(u64 bound) {
  if (++drawn_ % kReportEvery == 0) report();
  return ((stream_.next() >> 32) * bound) >> 32;
}

void Random::report() { report_progress(ProgressKind::computing, "the bodies of the scene", 0, 0); }

void append(Bodies& to, const Bodies& from) {
  const std::size_t n = to.size(), all = n + from.size();
  for_each_column(to, from, [n, all](const ColumnInfo& c, auto& a, const auto& b) {
    if (c.width != 1 || (a.empty() && b.empty())) return;
    a.resize(n), a.insert(a.end(), b.begin(), b.end()), a.resize(all);
  });
}

void centre_positions(Bodies& b) { subtract_mean(b.m, b.x, b.y, b.z); }

void remove_drift(Bodies& b) { subtract_mean(b.m, b.vx, b.vy, b.vz); }

void scale_to_kinetic(Bodies& b, double kinetic) {
  double now = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    now += 0.5 * b.m[i] * (b.vx[i] * b.vx[i] + b.vy[i] * b.vy[i] + b.vz[i] * b.vz[i]);
  }
  if (!(now > 0)) return;
  const double factor = std::sqrt(kinetic / now);
  for (std::size_t i = 0; i < b.size(); ++i) b.vx[i] *= factor, b.vy[i] *= factor, b.vz[i] *= factor;
}

void set_thermal_velocities(Bodies& b, double kinetic, Random& random) {
  if (b.size() < 2) return;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double sigma = 1.0 / std::sqrt(b.m[i]);
    b.vx[i] = sigma * random.normal();
    b.vy[i] = sigma * random.normal();
    b.vz[i] = sigma * random.normal();
  }
  remove_drift(b);
  scale_to_kinetic(b, kinetic);
}

namespace {

constexpr std::array<std::string_view, 9> kPlacementKeys{
    "position-x", "position-y", "position-z", "velocity-x", "velocity-y", "velocity-z", "tilt", "turn", "group"};
constexpr u32 kMaxGroups = 65535;

/// Rotates in the (a, b) plane: (a, b) -> (a cos - b sin, a sin + b cos).
void rotate(std::vector<double>& a, std::vector<double>& b, double degrees) {
  if (degrees == 0) return;
  const double angle = degrees * std::numbers::pi / 180.0, c = std::cos(angle), s = std::sin(angle);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    a[i] = c * x - s * y, b[i] = s * x + c * y;
  }
}

void shift(std::vector<double>& values, double by) {
  if (by == 0) return;
  for (double& v : values) v += by;
}

double mass_of(const Bodies& b) {
  double mass = 0;
  for (const double m : b.m) mass += m;
  return mass;
}

Vec read_vector(SceneKeys& keys, const std::string& key, const std::array<double, 3>& fallback) {
  return {keys.real(key + "-x", fallback[0]), keys.real(key + "-y", fallback[1]), keys.real(key + "-z", fallback[2])};
}

}  // namespace

std::span<const std::string_view> placement_keys() { return kPlacementKeys; }

void scale_bodies(Bodies& b, double mass, double length) {
  const auto multiply = [](std::initializer_list<std::vector<double>*> columns, double by) {
    for (std::vector<double>* column : columns) {
      for (double& v : *column) v *= by;
    }
  };
  if (mass == 1 && length == 1) return;
  multiply({&b.x, &b.y, &b.z, &b.r}, length);
  multiply({&b.vx, &b.vy, &b.vz}, std::sqrt(mass / length));
  multiply({&b.m}, mass);
}

u32 place_part(Bodies& b, const std::string& name, const std::vector<Setting>& settings, u32 number, bool cell) {
  SceneKeys keys(name, settings);
  const Vec position = read_vector(keys, "position", {}), velocity = read_vector(keys, "velocity", {});
  const double tilt = keys.real("tilt", 0), turn = keys.real("turn", 0);
  const u32 group = keys.count("group", number, 0, kMaxGroups);
  keys.done();
  constexpr const char* kStays =
      "turns the bodies of a periodic cell and not the cell; leave it out, or set walls under [physics].";
  if (cell && tilt != 0) keys.refuse_idle("tilt", kStays);
  if (cell && turn != 0) keys.refuse_idle("turn", kStays);
  rotate(b.y, b.z, tilt), rotate(b.vy, b.vz, tilt);
  rotate(b.x, b.y, turn), rotate(b.vx, b.vy, turn);
  shift(b.x, position[0]), shift(b.y, position[1]), shift(b.z, position[2]);
  shift(b.vx, velocity[0]), shift(b.vy, velocity[1]), shift(b.vz, velocity[2]);
  b.set_group(0, static_cast<std::uint16_t>(group));
  return group;
}

void place_on_orbit(Bodies& one, Bodies& other, double G, const std::string& name,
                    const std::vector<Setting>& settings) {
  SceneKeys keys(name, settings);
  const double p = keys.real("pericentre", 1.0, kPositive);
  const double e = keys.real("eccentricity", 1.0, kNotNegative);
  const double farthest = e < 1 ? p * (1 + e) / (1 - e) : std::numeric_limits<double>::infinity();
  const double r = keys.real("separation", std::min(10 * p, farthest), {p, farthest, true, true});
  keys.done();
  const double m1 = mass_of(one), m2 = mass_of(other), mass = m1 + m2;
  const double across = std::sqrt(G * mass * p * (1 + e)) / r;  // angular momentum over distance
  const double square = G * mass * (2 / r - (1 - e) / p);       // of the speed, from the energy
  const double inward = std::sqrt(std::max(0.0, square - across * across));
  for (Bodies* b : {&one, &other}) {
    const double fraction = b == &one ? -m2 / mass : m1 / mass;
    centre_positions(*b);
    remove_drift(*b);
    shift(b->x, fraction * r);
    shift(b->vx, -fraction * inward), shift(b->vy, fraction * across);
  }
}

namespace {

/// Sets the law that the key names or types. What is wrong in a file's text is told with its place.
template <class Set>
void set_law(SceneKeys& keys, const std::vector<Setting>& settings, std::string_view key, const std::string& own,
             const std::vector<std::string_view>& names, const Set& set) {
  const Setting* given = find_setting(settings, key);
  if (given == nullptr || !is_law_text(given->value)) return set(keys.name(key, own, names));
  try {
    set(keys.text(key, "the name of a law, or an energy"));
  } catch (const ConfigError& error) {
    if (given->place.empty()) throw;
    throw FileError(fmt::format("{}: {}", given->place, error.what()));
  }
}

}  // namespace

void apply_physics(ForceField& f, const std::string& name, const std::vector<Setting>& settings) {
  SceneKeys keys(name, settings);
  set_law(keys, settings, "pair", to_string(f.pair), pair_law_names(), [&f](const auto& w) { set_pair_law(f, w); });
  set_law(keys, settings, "triple", to_string(f.triple), triple_law_names(),
          [&f](const auto& w) { set_triple_law(f, w); });
  for (const LawInfo& law : all_laws()) {
    for (const LawParameter& p : law.parameters) {
      if (p.scene == nullptr) continue;
      if (p.real != nullptr) {
        p.value(f) = keys.real(p.scene, p.value(f), p.range);
      } else {
        p.is_set(f) = keys.name(p.scene, p.is_set(f) ? p.yes : p.no, {p.no, p.yes}) == p.yes;
      }
    }
  }
  f.box.boundary = from_name<Boundary>(keys.name("walls", to_string(f.box.boundary), kNamesOf<Boundary>.list()));
  f.box.low = read_vector(keys, "low", f.box.low);
  f.box.high = read_vector(keys, "high", f.box.high);
  f.field = read_vector(keys, "field", f.field);
  keys.done();
}

std::string usual_box(const ForceField& made, const ForceField& f, const std::vector<Setting>& settings) {
  if (made.box.boundary != Boundary::open || f.box.boundary == Boundary::open) return "";
  const auto is_corner = [](const Setting& s) { return s.key.starts_with("low") || s.key.starts_with("high"); };
  if (std::any_of(settings.begin(), settings.end(), is_corner)) return "";
  const auto& [low, high, walls] = f.box;
  return fmt::format(
      "walls = {} without corners: the box is from ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g}); set low and high.",
      to_string(walls), low[0], low[1], low[2], high[0], high[1], high[2]);
}

void refuse_idle(const ForceField& f, const std::string& name, const std::vector<Setting>& settings, bool only_given) {
  for (const Setting& s : settings) {
    if (only_given && !s.place.empty()) continue;
    const std::string corner = s.key.substr(0, s.key.find('-'));
    if (f.box.boundary == Boundary::open && (corner == "low" || corner == "high")) {
      fail_setting(name, s,
                   fmt::format("{} is a corner of walls, and walls are \"open\"; write walls = \"reflecting\" or "
                               "\"periodic\", or leave it out.",
                               corner));
    }
    for (const LawInfo& law : all_laws()) {
      for (const LawParameter& p : law.parameters) {
        if (p.scene == nullptr || s.key != p.scene) continue;
        if (const std::string why = idle_key(law, p, s.key, f); !why.empty()) fail_setting(name, s, why);
      }
    }
  }
}

void refuse_idle_keys(const ForceField& made, const ForceField& f, const std::string& name,
                      const std::vector<Setting>& settings, bool only_given) {
  for (const Setting& s : settings) {
    if (only_given && !s.place.empty()) continue;
    for (const LawInfo& law : all_laws()) {
      for (const LawParameter& p : law.parameters) {
        if (p.generator == nullptr || s.key != p.generator || !law.acts(made)) continue;
        if (law.acts(f) && !p.matters(made)) continue;  // it acts through another parameter, as e through a dashpot
        if (const std::string why = idle_key(law, p, s.key, f); !why.empty()) fail_setting(name, s, why);
      }
    }
  }
}

void refuse_twice(const ForceField& made, const std::string& name, const std::vector<Setting>& settings,
                  const std::vector<Setting>& physics, const std::vector<GivenParameter>& options) {
  const auto check = [&](const Setting& s, const LawParameter& q) {
    const Setting* const other = q.scene == nullptr || s.key == q.scene ? nullptr : find_setting(physics, q.scene);
    const bool typed = s.place.empty();  // else an option is in place of what the text says
    const bool option = typed && q.option != nullptr && std::any_of(options.begin(), options.end(), [&](const auto& o) {
                          return o.option == q.option;
                        });
    if (!option && (other == nullptr || (!typed && other->place.empty()))) return;
    fail_setting(name, s, fmt::format("{} and {} set the same here; keep one of the two.", s.key, q.scene));
  };
  for (const Setting& s : settings) {
    for (const LawInfo& law : all_laws()) {
      for (const LawParameter& p : law.parameters) {
        if (p.generator == nullptr || s.key != p.generator || !law.acts(made)) continue;
        check(s, p);
        if (p.matters(made)) continue;
        for (const LawParameter& q : law.parameters) {  // it acts through another one, as e through a dashpot
          if (q.matters(made) && q.scene == std::string_view("damping")) check(s, q);
        }
      }
    }
  }
}

void refuse_both(const std::string& name, const std::vector<Setting>& settings, const std::vector<Setting>& physics) {
  for (const Setting& s : settings) {
    if (find_setting(physics, s.key) == nullptr) continue;
    fail_setting(name, s, fmt::format("{} is set in [physics], too; keep one of the two.", s.key));
  }
}

std::string other_parameter(const ForceField& a, const ForceField& b) {
  const bool corners = a.box.low == b.box.low && a.box.high == b.box.high, contact = a.pair == PairLaw::contact;
  const bool box = (corners || a.box.boundary == Boundary::open) && a.box.boundary == b.box.boundary;
  std::string other = contact && !(box && a.field == b.field) ? "box" : "";
  for (const LawInfo& law : all_laws()) {
    if (!law.acts(a) || law.pair == PairLaw::gravity) continue;
    for (const LawParameter& p : law.parameters) {
      const bool same = p.real != nullptr ? p.value(a) == p.value(b) : p.is_set(a) == p.is_set(b);
      if (!same && p.matters(a)) other = p.key;
    }
  }
  if (other.empty()) return "";
  return contact ? "another box, field or contact" : "another " + other;
}

// Gravity: bodies listed in the scene's file or read from another file. Units are the user's.

Scene listed_bodies(SceneKeys& keys) {
  Scene scene;
  read_gravity_keys(scene, keys, 0.0);
  read_step(scene, keys, kFileSceneDt, 1);
  keys.done();
  if (keys.listed == nullptr) {
    throw FileError(
        "generator = \"bodies\" needs a list of bodies; add bodies = [[m, x, y, z, vx, vy, vz]] next to it.");
  }
  scene.units = "those of the file";
  scene.bodies = *keys.listed;
  return scene;
}

Scene bodies_of_file(SceneKeys& keys) {
  Scene scene;
  const std::string path = keys.text("path", "\"FILE\", a file of bodies, relative to the folder of the scene");
  read_gravity_keys(scene, keys, 0.0);
  read_step(scene, keys, kFileSceneDt, 1);
  keys.done();
  ReadReport reading;
  reading.asked = keys.units, reading.in_scene = true;
  const std::string file = (std::filesystem::path(keys.folder) / path).string();
  const auto fail_units = [&] {
    throw FileError(fmt::format("'{0}' says that its numbers are in {1}; write units = \"{1}\" in the scene.", path,
                                reading.units->name));
  };
  try {
    std::optional<Bodies> bodies = read_named_file(file, reading);
    if (!bodies) throw FileError(io::no_such_file(file));
    scene.bodies = std::move(*bodies);
  } catch (const ConfigError& error) {
    if (reading.units != nullptr) fail_units();
    throw FileError(error.what());
  }
  if (reading.units != nullptr && keys.units == nullptr) fail_units();
  scene.notes = reading.notes, scene.names = std::move(reading.names);
  scene.field.box = box_of(file, reading), scene.cell = reading.box.has_value();
  for (std::size_t axis = 0; axis < 3 && reading.box; ++axis) {
    scene.field.box.low[axis] *= keys.length, scene.field.box.high[axis] *= keys.length;
  }
  scene.units = "those of the file";
  return scene;
}

}  // namespace tri::scene
