// What a run tells at its end, as text and as JSON: maps, times, energies, orbits.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/commands/run.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/json.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/numbers.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/text/map_file.hpp"

namespace tri::app {

namespace {

std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

/// Five decimals, or six digits of what they would not show.
std::string length_text(double value) {
  const double size = std::abs(value);
  return size == 0 || (size >= 0.1 && size < 1e6) ? fmt::format("{:.5f}", value) : fmt::format("{:.6g}", value);
}

}  // namespace

std::vector<Orbit> osculating_orbits(const Bodies& b, double G) {
  using Vec = std::array<double, 3>;
  const auto dot = [](const Vec& p, const Vec& q) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; };
  std::vector<Orbit> orbits;
  for (std::size_t i = 1; i < b.size(); ++i) {
    const Vec r{b.x[i] - b.x[0], b.y[i] - b.y[0], b.z[i] - b.z[0]};
    const Vec v{b.vx[i] - b.vx[0], b.vy[i] - b.vy[0], b.vz[i] - b.vz[0]};
    const double mu = G * (b.m[0] + b.m[i]);
    const double distance = std::sqrt(dot(r, r)), speed2 = dot(v, v), radial = dot(r, v);
    Orbit orbit;
    orbit.body = static_cast<u32>(i);
    orbit.fault = !(distance > 0) ? "at body 0" : !(mu > 0) ? "no mass" : "";
    if (*orbit.fault == '\0') {
      const double inverse = 2 / distance - speed2 / mu;
      // Below the rounding of its two parts it is that of a parabola.
      const bool parabola = std::abs(inverse) <= 4 * std::numeric_limits<double>::epsilon() * (2 / distance);
      // v x (r x v) = r v^2 - v (r.v)
      Vec e;
      for (int k = 0; k < 3; ++k) e[k] = (r[k] * speed2 - v[k] * radial) / mu - r[k] / distance;
      orbit.eccentricity = finite(std::sqrt(dot(e, e)));
      if (!parabola) orbit.semi_major_axis = finite(1 / inverse);
      const double a = orbit.semi_major_axis.value_or(0);
      if (a > 0) orbit.period = finite(2 * std::acos(-1.0) * a * std::sqrt(a / mu));
    }
    orbits.push_back(orbit);
  }
  return orbits;
}

std::string orbits_table(const std::vector<Orbit>& orbits, std::size_t most, const UnitSystem* units) {
  const auto head = [&](const char* name, const char* quantity) {
    const std::string unit = unit_behind(units, quantity);
    return unit.empty() ? std::string(name) : fmt::format("{},{}", name, unit);
  };
  const ClockUnit clock = clock_unit(units);
  TextTable table({{"body", true},
                   {head("semi-major axis", "length"), true},
                   {"eccentricity", true},
                   {clock.behind.empty() ? "period" : fmt::format("period,{}", clock.behind), true}});
  for (std::size_t i = 0; i < orbits.size() && i < most; ++i) {
    const Orbit& o = orbits[i];
    const std::string body = fmt::format("{}", o.body);
    if (*o.fault != '\0') {
      table.add({body, "-", "-", o.fault});
      continue;
    }
    const double e = o.eccentricity.value_or(0);
    table.add({body, o.semi_major_axis ? length_text(*o.semi_major_axis) : "parabola",
               !o.eccentricity ? "-"
               : e < 1e6       ? fmt::format("{:.5f}", e)
                               : fmt::format("{:.6g}", e),
               o.period ? fmt::format("{:.6g}", clock.size * *o.period) : "unbound"});
  }
  std::string text = "osculating orbits about body 0\n" + table.text();
  if (orbits.size() > most) text += fmt::format("and {} more\n", orbits.size() - most);
  return text;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxOrbits = 20;

/// Whether contacts were searched through the cells of a grid.
bool by_grid(const RunSummary& s) {
  return s.scene.field.pair == PairLaw::contact && s.engine.broad_phase == BroadPhase::grid;
}

/// Pairs and triples of one force evaluation; 0 with a grid, which skips most pairs: its speed is not one over all
/// pairs.
double interactions(const RunSummary& s) {
  const double n = static_cast<double>(s.n);
  const Domains domains = domains_of(s.scene.field);
  return (domains.pairs && !by_grid(s) ? n * (n - 1) / 2 : 0) + (domains.triples ? n * (n - 1) * (n - 2) / 6 : 0);
}

/// Whether triples were matrix products on tensor cores, which a map of pairs drives.
bool as_products(const RunSummary& s) {
  return s.scene.field.triple != TripleLaw::none && s.engine.arithmetic == Arithmetic::tensor;
}

/// ", proved for m = 32" behind a typed map.
std::string proof_of(const MapInfo& map, const RunSummary& s, u32 block) {
  const std::string text = mapfile::proved_text(map, tiles_per_side(map, s.n, block));
  return text.empty() ? text : ", " + text;
}

/// m of a typed map, else null.
Json proved_side(const MapInfo& map, const RunSummary& s, u32 block) {
  return map.typed == nullptr ? Json(nullptr) : Json(tiles_per_side(map, s.n, block));
}

std::string maps_text(const RunSummary& s) {
  const Domains domains = domains_of(s.scene.field);
  std::string text;
  if (by_grid(s)) {
    text = fmt::format("{}, in the cells of a uniform grid", info(s.engine.pair_map).name);
  } else if (domains.pairs) {
    const MapInfo& map = info(s.engine.pair_map);
    text = fmt::format("{}, block {}{}", map.name, s.engine.pair_block, proof_of(map, s, s.engine.pair_block));
  }
  if (as_products(s)) {
    text += fmt::format("{}triples as products of pairs, {}, block {}", text.empty() ? "" : "; ",
                        info(s.engine.pair_map).name, s.engine.triple_block);
  } else if (domains.triples) {
    const MapInfo& map = info(s.engine.triple_map);
    text += fmt::format("{}{}, block {}{}", text.empty() ? "" : "; triples ", map.name, s.engine.triple_block,
                        proof_of(map, s, s.engine.triple_block));
  }
  return text.empty() ? "none: no law goes over pairs or triples" : text;
}

/// K = 3/2 (n - 1) kT: scenes start without drift, which takes three degrees of freedom.
double temperature(const RunSummary& s, const DiagnosticsRow& row) {
  return s.n < 2 ? 0 : row.values.kinetic / (1.5 * (static_cast<double>(s.n) - 1));
}

/// What the numbers of a summary are in.
nlohmann::ordered_json json_units(const Scene& scene) {
  nlohmann::ordered_json j;
  const UnitSystem* u = find_unit_system(scene.units);
  j["system"] = u == nullptr ? nlohmann::ordered_json(nullptr) : u->name;
  j["text"] = units_text(scene);
  if (u == nullptr) return j;
  j["length"] = u->length, j["mass"] = u->mass, j["time"] = u->time;
  j["velocity"] = u->velocity, j["energy"] = u->energy;
  return j;
}

/// The part of the potential energy that comes from triples.
double triple_share(const DiagnosticsRow& row) {
  return row.values.potential == 0 ? 0 : row.values.triple_potential / row.values.potential;
}

std::string steps_text(const RunSummary& s) {
  const bool timed = s.time_wanted > 0;
  std::string cut;
  if (s.ending != RunEnding::whole && !timed) cut = fmt::format(" of {}", grouped(s.steps_wanted));
  if (s.ending == RunEnding::interrupted) cut += ", interrupted";
  if (s.ending == RunEnding::walltime) cut += ", ended by --walltime";
  if (s.steps_before > 0) cut += fmt::format(", {} of them before the restart", grouped(s.steps_before));
  const UnitSystem* const units = find_unit_system(s.scene.units);
  const std::string unit = unit_behind(units, "time");
  std::string dt = fmt::format("dt = {:.9g}{}", s.scene.dt, unit);
  if (s.scene.eta > 0) {
    dt = fmt::format("dt auto (eta = {:.3g}), {:.3g} to {:.3g}{}", s.scene.eta, s.lengths.shortest, s.lengths.longest,
                     unit);
  }
  const std::string end = timed && s.ending != RunEnding::whole ? fmt::format(" of {:.9g}{}", s.time_wanted, unit) : "";
  return fmt::format("{}{}, {} with {}, to t = {:.9g}{}{}", grouped(s.steps), cut, to_string(s.scene.integrator), dt,
                     s.time, time_behind(units, s.time), end);
}

Json orbits_json(const std::vector<Orbit>& orbits) {
  const auto number = [](const std::optional<double>& v) { return v ? Json(*v) : Json(); };
  Json rows = Json::array();
  for (const Orbit& o : orbits) {
    rows.push_back({{"body", o.body},
                    {"semi_major_axis", number(o.semi_major_axis)},
                    {"eccentricity", number(o.eccentricity)},
                    {"period", number(o.period)},
                    {"bound", o.period.has_value()}});
  }
  return rows;
}

/// With the precision, the sums and what tensor cores compute.
std::string arithmetic_text(const RunSummary& s) {
  std::string text = fmt::format("{}, {} sums", to_string(s.engine.precision), to_string(s.engine.accumulate));
  if (s.engine.pairs == PairSearch::tree) {
    return text + fmt::format(" by a tree, rms error {:g} at most", tree_tolerance(s.engine));
  }
  if (s.engine.arithmetic != Arithmetic::tensor) return text;
  text += " on tensor cores";
  return as_products(s) ? text : text + ", tolerance " + to_string(s.engine.tolerance);
}

}  // namespace

double momentum_drift(const DiagnosticsRow& first, const DiagnosticsRow& last) {
  double drift2 = 0;
  for (int k = 0; k < 3; ++k) {
    const double d = last.values.momentum[k] - first.values.momentum[k];
    drift2 += d * d;
  }
  const double kinetic = std::max(first.values.kinetic, last.values.kinetic);
  const double scale = std::sqrt(2 * kinetic * first.values.mass);
  return scale > 0 ? std::sqrt(drift2) / scale : std::sqrt(drift2);
}

std::string laws_text(const ForceField& f) {
  std::string text;
  for (const LawInfo& law : all_laws()) {
    if (!law.acts(f)) continue;
    std::string flags, numbers;
    for (const LawParameter& p : law.parameters) {
      if (p.summary == nullptr || !p.matters(f)) continue;
      if (p.flag != nullptr) {
        if (p.is_set(f)) flags += fmt::format(" {}", p.summary);
      } else if (const double value = p.value(f); value != 0 || !p.zero_is_none) {
        numbers += ", " + fmt::format(fmt::runtime(p.summary), value);
      }
    }
    const std::string name = law.pair != PairLaw::none ? pair_law_words(f) : triple_law_words(f);
    text += fmt::format("{}{}{}{}", text.empty() ? "" : law.typed ? ", and of triples " : "; ", name, flags, numbers);
  }
  return text.empty() ? "none" : text;
}

std::string summary_text(const RunSummary& s) {
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("{:<16}{}\n", name, value);
  };
  // A file's title holds its name already.
  const bool named = s.scene.title.find(s.scene.name) == std::string::npos;
  line("scene", named ? fmt::format("{}: {}", s.scene.name, s.scene.title) : s.scene.title);
  line("units", units_text(s.scene));
  line("bodies", grouped(s.n));
  line("law", laws_text(s.scene.field));
  line("map", maps_text(s));
  line("arithmetic", arithmetic_text(s));
  const bool fewer = s.backend.name == "cpu" && s.engine.threads > 0 &&
                     s.backend.detail.find(fmt::format(", {} thread", s.engine.threads)) == std::string::npos;
  line("backend", fmt::format("{}: {}{}", s.backend.name, s.backend.detail,
                              fewer ? fmt::format(", {} in use", s.engine.threads) : ""));
  const UnitSystem* units = find_unit_system(s.scene.units);
  const std::string of_energy = unit_behind(units, "energy");
  line("steps", steps_text(s));
  if (s.steps > s.steps_before) {
    std::string speed = fmt::format("{} steps/s", with_prefix(s.steps_per_s()));
    if (const double each = interactions(s); each > 0) {
      speed += fmt::format(", {} pairs and triples/s", with_prefix(s.steps_per_s() * each));
    }
    line("speed", speed);
  }
  line("energy", fmt::format("{:.9g} at first, {:.9g} at last{}{}", s.first.values.energy(), s.last.values.energy(),
                             of_energy.empty() ? "" : ", in", of_energy));
  if (domains_of(s.scene.field).triples) {
    line("three-body", fmt::format("{:.6g} at last, {:.3f} % of the potential energy", s.last.values.triple_potential,
                                   100 * triple_share(s.last)));
  }
  if (const MolecularUnits& unit = s.scene.molecular; unit.kelvin > 0) {
    const double each = unit.kelvin / static_cast<double>(s.n);
    line("temperature", fmt::format("{:.2f} K at first, {:.2f} K at last", unit.kelvin * temperature(s, s.first),
                                    unit.kelvin * temperature(s, s.last)));
    line("an atom",
         fmt::format("{:.2f} K of energy, {:.2f} K of it three-body, after {:.4g} ps", each * s.last.values.energy(),
                     each * s.last.values.triple_potential, s.time * unit.picosecond));
  }
  if (conserves_energy(s.scene.field)) {
    std::string error = fmt::format("{:.3g} at last", std::abs(s.last.energy_error));
    if (s.rows > 2) error += fmt::format(", {:.3g} the largest of {} rows", s.energy_error_max, grouped(s.rows));
    line("energy error", error);
  } else {
    line("energy lost", fmt::format("{:.3g} % of the first, by damping", -100 * s.last.energy_error));
  }
  line("momentum drift", fmt::format("{:.3g}", momentum_drift(s.first, s.last)));
  line("virial ratio",
       fmt::format("{:.4f} at first, {:.4f} at last", s.first.values.virial_ratio(), s.last.values.virial_ratio()));
  if (s.overlap && s.overlap->of_radius > 0) {
    const u64 states = s.steps - s.steps_before + 1;
    line("overlap", fmt::format("{:.3g} of the smaller radius, the largest seen in {} of {} states, at t = {:.6g}{}",
                                s.overlap->of_radius, grouped(s.overlap->looks), grouped(states), s.overlap->time,
                                unit_behind(units, "time")));
  }
  if (s.has_orbits) text += orbits_table(s.orbits, kMaxOrbits, units);
  return text + fmt::format("state hash {}\n", hash_text(s.hash));
}

std::string summary_json(const RunSummary& s) {
  const Domains domains = domains_of(s.scene.field);
  Json j;
  j["scene"] = s.scene.name;
  j["title"] = s.scene.title;
  j["units"] = json_units(s.scene);
  j["notes"] = s.scene.notes;
  j["n"] = s.n;
  j["law"] = laws_text(s.scene.field);
  j["backend"] = s.backend.name;
  j["device"] = s.backend.device;
  j["ranks"] = s.backend.ranks;
  if (s.backend.ranks > 1) j["rank_ms"] = s.rank_ms;
  j["map"] = domains.pairs ? Json(info(s.engine.pair_map).name) : nullptr;
  j["map_proved"] = proved_side(info(s.engine.pair_map), s, s.engine.pair_block);
  j["block"] = domains.pairs ? Json(s.engine.pair_block) : nullptr;
  j["triple_map"] = domains.triples && !as_products(s) ? Json(info(s.engine.triple_map).name) : nullptr;
  j["triple_map_proved"] = proved_side(info(s.engine.triple_map), s, s.engine.triple_block);
  j["triple_block"] = domains.triples ? Json(s.engine.triple_block) : nullptr;
  j["precision"] = to_string(s.engine.precision);
  j["accumulate"] = to_string(s.engine.accumulate);
  j["arithmetic"] = s.engine.arithmetic == Arithmetic::tensor ? "tensor" : to_string(s.engine.precision);
  const bool tree = s.engine.pairs == PairSearch::tree;
  j["pairs"] = domains.pairs ? Json(tree ? "tree" : "all") : nullptr;
  j["tolerance"] = tree                                        ? Json(tree_tolerance(s.engine))
                   : s.engine.arithmetic == Arithmetic::tensor ? Json(to_string(s.engine.tolerance))
                                                               : nullptr;
  j["error"] = s.tree_error ? Json(s.tree_error->rms) : nullptr;
  j["error_bodies"] = s.tree_error ? Json(s.tree_error->bodies) : nullptr;
  j["threads"] = s.engine.threads;
  j["integrator"] = to_string(s.scene.integrator);
  j["dt"] = s.scene.eta > 0 ? s.lengths.last : s.scene.dt;
  if (s.scene.eta > 0) {
    j["dt_auto"] = {{"eta", s.scene.eta}, {"shortest", s.lengths.shortest}, {"longest", s.lengths.longest}};
  }
  j["steps"] = s.steps;
  j["time"] = s.time;
  j["steps_before"] = s.steps_before;
  j["steps_wanted"] = s.time_wanted > 0 ? Json() : Json(s.steps_wanted);
  j["interrupted"] = s.ending == RunEnding::interrupted;
  j["walltime_over"] = s.ending == RunEnding::walltime;
  j["seconds"] = s.seconds;
  j["steps_per_s"] = s.steps_per_s();
  j["energy"] = {{"first", s.first.values.energy()}, {"last", s.last.values.energy()}};
  j["triple_energy"] = domains.triples ? Json(s.last.values.triple_potential) : nullptr;
  if (const MolecularUnits& unit = s.scene.molecular; unit.kelvin > 0) {
    j["temperature_K"] = {{"first", unit.kelvin * temperature(s, s.first)},
                          {"last", unit.kelvin * temperature(s, s.last)}};
    j["time_ps"] = s.time * unit.picosecond;
  }
  j["energy_error"] = s.last.energy_error;
  j["energy_error_max"] = s.energy_error_max;
  j["momentum_drift"] = momentum_drift(s.first, s.last);
  j["virial_ratio_first"] = s.first.values.virial_ratio(), j["virial_ratio"] = s.last.values.virial_ratio();
  j["overlap_max"] = s.overlap ? Json(s.overlap->of_radius) : nullptr;
  j["overlap_max_time"] = s.overlap && s.overlap->of_radius > 0 ? Json(s.overlap->time) : nullptr;
  j["overlap_states"] = s.overlap ? Json(s.overlap->looks) : nullptr;
  if (s.has_orbits) j["orbits"] = orbits_json(s.orbits);
  j["state_hash"] = hash_text(s.hash);
  return json_text(j);
}

}  // namespace tri::app
