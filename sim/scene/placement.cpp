#include "sim/scene/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>

#include "sim/laws/law_table.hpp"
#include "sim/laws/typed_text.hpp"

namespace tri::scene {

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

u32 place_part(Bodies& b, const std::string& name, const std::vector<Setting>& settings, u32 number) {
  SceneKeys keys(name, settings);
  const Vec position = read_vector(keys, "position", {}), velocity = read_vector(keys, "velocity", {});
  const double tilt = keys.real("tilt", 0), turn = keys.real("turn", 0);
  const u32 group = keys.count("group", number, 0, kMaxGroups);
  keys.done();
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
  const auto given = std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == key; });
  if (given == settings.end() || !is_law_text(given->value)) return set(keys.name(key, own, names));
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
  f.box.boundary = kBoundaryNames.from(keys.name("walls", to_string(f.box.boundary), kBoundaryNames.list()));
  f.box.low = read_vector(keys, "low", f.box.low);
  f.box.high = read_vector(keys, "high", f.box.high);
  f.field = read_vector(keys, "field", f.field);
  keys.done();
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

}  // namespace tri::scene
