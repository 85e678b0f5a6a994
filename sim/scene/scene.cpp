#include "sim/scene/scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "scenes_toml.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/base/user_values.hpp"
#include "sim/files/file.hpp"
#include "sim/io/format.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/laws/wall.hpp"
#include "sim/model/checks.hpp"
#include "sim/model/diagnostics.hpp"
#include "sim/scene/generators.hpp"

namespace tri::scene {
namespace {

using Point = std::array<double, 3>;

std::string place_text(const Point& r) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", r[0], r[1], r[2]); }

bool is_outside(const Box& box, const Point& r) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (r[axis] < box.low[axis] || r[axis] > box.high[axis]) return true;
  }
  return false;
}

void check_walls(Scene& scene) {
  const std::string outside = outside_walls(scene.bodies, scene.field.box);
  if (outside.empty()) return;
  if (scene.field.box.boundary == Boundary::reflecting) {
    throw ConfigError(outside + ". Set low and high so that the box holds all bodies, or use walls = \"open\".");
  }
  scene.notes.push_back(outside + ": each enters it by whole sides. Set low and high if that is not meant.");
  enter_box(scene.bodies, scene.field);
}

void check_field(Scene& scene) {
  const Point& a = scene.field.field;
  if (scene.field.box.boundary != Boundary::periodic || a == Point{0, 0, 0}) return;
  scene.notes.push_back(
      fmt::format("the uniform field {} acts across periodic walls, so bodies fall for ever and their energy has no "
                  "zero; use reflecting walls if they are to stop.",
                  place_text(a)));
}

}  // namespace

std::vector<std::string> idle_columns(const Bodies& b, const ForceField& field) {
  std::vector<std::string> notes;
  const std::string law = to_string(field.pair);
  const auto spheres = std::count_if(b.r.begin(), b.r.end(), [](double radius) { return radius > 0; });
  if ((pair_uses(field) & laws::kRadius) == 0 && spheres > 0) {
    notes.push_back(
        fmt::format("{} of {} bodies have a radius, but the law of pairs is {}, which does not use it: they pass "
                    "through each other. For spheres take the law contact (in a scene pair = \"contact\").",
                    spheres, b.size(), law));
  }
  if ((pair_uses(field) & laws::kCharge) == 0 && std::any_of(b.q.begin(), b.q.end(), [](double c) { return c != 0; })) {
    notes.push_back(fmt::format("the bodies have charges, but the law of pairs is {}, which does not use them.", law));
  }
  if (field.pair != PairLaw::contact) return notes;
  if (const auto two = first_coincident(b); two && b.r[two->first] + b.r[two->second] > 0) {
    notes.push_back(
        fmt::format("bodies {} and {} are at one place: their contact has no direction, and pushes neither.",
                    two->first, two->second));
  }
  return notes;
}

std::string idle_dashpots(const Bodies& b, const ForceField& field) {
  const bool damped = field.contact.damping > 0 || field.contact.shear > 0;
  if (field.pair != PairLaw::contact || field.contact.impulse || !damped) return "";
  for (const std::vector<double>* axis : {&b.vx, &b.vy, &b.vz}) {
    if (std::any_of(axis->begin(), axis->end(), [](double v) { return v != 0; })) return "";
  }
  return "damping and shear act on velocities, and no body has one: these are the forces of springs alone.";
}

MissingColumn missing_column(const Bodies& bodies, const ForceField& field) {
  const u32 uses = pair_uses(field);
  std::string law = "the law of pairs";
  if (field.pair != PairLaw::typed) law += fmt::format(" {}", to_string(field.pair));
  if ((uses & laws::kCharge) != 0 && bodies.q.empty()) {
    return {law + " reads the charges (qi, qj), and no body has one", "q", "charges"};
  }
  if ((uses & laws::kRadius) != 0 && largest_radius(bodies) == 0) {
    return {law + " reads the radii (ri, rj), and every one is 0", "r", "radii"};
  }
  return {};
}

std::string outside_walls(const Bodies& b, const Box& box) {
  if (box.boundary == Boundary::open) return {};
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!is_outside(box, {b.x[i], b.y[i], b.z[i]})) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return {};
  return fmt::format("{} of {} bodies are outside the {} from {} to {}, the first of them body {} (from 0) at {}",
                     count, b.size(), box.boundary == Boundary::reflecting ? "reflecting walls" : "periodic box",
                     place_text(box.low), place_text(box.high), first,
                     place_text({b.x[first], b.y[first], b.z[first]}));
}

void enter_box(Bodies& bodies, const ForceField& field) {
  const Box& box = field.box;
  check_images(bodies, box, field.pair == PairLaw::contact, Precision::fp64);
  if (box.boundary != Boundary::periodic) return;
  const std::array<std::vector<double>*, 3> axes{&bodies.x, &bodies.y, &bodies.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (double& v : *axes[axis]) laws::wrap(v, box.low[axis], box.high[axis]);
  }
}

void check_meaning(Scene& scene) {
  if (const std::string soft = soft_spring_warning(scene.bodies, scene.field); !soft.empty()) {
    scene.notes.push_back(soft);
  }
  check_walls(scene);
  check_field(scene);
  for (std::string& note : idle_columns(scene.bodies, scene.field)) scene.notes.push_back(std::move(note));
  const MissingColumn missing = missing_column(scene.bodies, scene.field);
  if (!missing.sentence.empty()) scene.notes.push_back(missing.sentence + ": each counts as 0.");
}

void check_masses(const Scene& scene) {
  if (const std::string why = massless_refusal(scene.bodies, scene.field); !why.empty()) throw ConfigError(why);
}

}  // namespace tri::scene

// The table of generators, the scenes of assets/scenes, and the choice between a scene and a file.

namespace tri {

namespace {

// A test compares the key texts with the keys that the generators read.
constexpr std::array<scene::Generator, 16> kGenerators{{
    {{"plummer", "star cluster in equilibrium (Plummer's sphere)",
      "n=4096, seed=42, mass=1, length=1, G=1, eps=0.02, dt=1/256/sqrt(G)"},
     scene::plummer},
    {{"uniform-ball", "bodies spread evenly over a ball; virial=0 falls together from rest",
      "n=4096, seed=42, virial=1, mass=1, length=1, G=1, eps=0.02, dt=1/256/sqrt(G)"},
     scene::uniform_ball},
    {{"uniform-box", "bodies spread evenly over a cube; virial=0 falls together from rest",
      "n=4096, seed=42, virial=1, mass=1, length=1, G=1, eps=0.02, dt=1/256/sqrt(G)"},
     scene::uniform_box},
    {{"kepler", "two bodies on an ellipse, from apocentre; ratio is m2/m1",
      "e=0.5, ratio=1, mass=1, length=1, G=1, eps=0, dt=T/1024"},
     scene::kepler},
    {{"figure-8", "three equal bodies on one curve", "mass=1, length=1, G=1, eps=0, dt=T/1024"}, scene::figure_8},
    {{"lagrange", "three equal bodies on a turning equilateral triangle", "mass=1, length=1, G=1, eps=0, dt=T/1024"},
     scene::lagrange},
    {{"sphere-box", "gas of elastic spheres of different radius and mass in a box",
      "n=512, seed=42, fill=0.2 n/(n+16), mass=1, length=1, speed=1, walls=reflecting, k=by speed, c=0, dt=contact "
      "time/50"},
     scene::sphere_box},
    {{"gas", "gas of equal hard spheres, by impulses",
      "n=4096, seed=42, fill=0.2 n/(n+16), mass=1, length=1, speed=1, walls=periodic, e=1, dt=0.1 r/fastest"},
     scene::gas},
    {{"falling-pile", "spheres fall into a box, pile up and come to rest (response=springs or impulses)",
      "n=1000, seed=42, mass=1, length=1, g=1, response=springs, e=0.5, k=by height, dt=by contacts"},
     scene::falling_pile},
    {{"argon-droplet", "argon drop, Lennard-Jones pairs and Axilrod-Teller triples (nu=0: pairs only)",
      "n=256, seed=42, temperature=0.9, spacing=1.09, nu=0.072, dt=0.002"},
     scene::argon_droplet},
    {{"galaxy", "disk galaxy in equilibrium: exponential disk, bulge and halo (groups 0, 1, 2)",
      "n=16384, seed=42, bulge=0.2, halo=9, bulge-length=0.2, halo-length=8, thickness=0.1, Q=1.5, disk-share=0.4, "
      "bulge-share=0.1, mass=1, length=1, G=1, eps=0.05, dt=1/32/sqrt(G)"},
     scene::galaxy},
    {{"cosmic-web", "expanding ball of a perturbed lattice, whose filaments and clusters grow",
      "n=32768, seed=42, contrast=0.3, mass=1, length=1, G=1, eps=0.005, dt=1/256/sqrt(G)"},
     scene::cosmic_web},
    {{"bodies", "the bodies that the scene's file lists: bodies = [[m, x, y, z, vx, vy, vz], ...]",
      "mass=1, length=1, G=1, eps=0, dt=0.01"},
     scene::listed_bodies},
    {{"file", "bodies of a file of any format (triangulum list formats)",
      "path=, mass=1, length=1, G=1, eps=0, dt=0.01"},
     scene::bodies_of_file},
    {{"argon-crystal", "cube of argon's crystal, in kelvin, nanometres and picoseconds; pairs and triples",
      "n=500, seed=42, temperature=40 K, box=0.5316 nm a cell, nu=0.072, dt=0.004 ps"},
     scene::argon_crystal},
    {{"salt", "cube of rock salt: ions with alternating charges, without a law of its own",
      "n=512, seed=42, temperature=0.01, spacing=1, charge=1, ratio=35.45/22.99, jitter=0, dt=0.01"},
     scene::salt},
}};

constexpr auto kGeneratorInfos = [] {
  std::array<SceneInfo, kGenerators.size()> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kGenerators[i].info;
  return infos;
}();

const scene::Generator* find_generator(std::string_view name) {
  const auto found =
      std::find_if(kGenerators.begin(), kGenerators.end(), [&](const auto& g) { return name == g.info.name; });
  return found == kGenerators.end() ? nullptr : &*found;
}

const scene::Generator& generator_of(const scene::PartText& part) {
  if (const scene::Generator* generator = find_generator(part.generator)) return *generator;
  std::vector<std::string_view> names;
  for (const SceneInfo& info : kGeneratorInfos) names.emplace_back(info.name);
  throw FileError(fmt::format("{}: {}", part.place, unknown_name("generator", part.generator, names)));
}

/// The scenes of assets/scenes, which the build joins into one text, each after a line with its name.
struct BuiltIn {
  std::vector<std::string> names, titles, keys;
  std::vector<scene::SceneText> texts;
  std::vector<SceneInfo> infos;

  BuiltIn() {
    constexpr std::string_view kMark = "#@ scene ";
    std::string_view rest = embedded::scenes_toml;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(kMark, 1), rest.size());
      const std::string_view text = rest.substr(0, end);
      const std::size_t line = text.find('\n');
      names.emplace_back(text.substr(kMark.size(), line - kMark.size()));
      texts.push_back(scene::parse_scene(text.substr(line + 1), names.back()));
      titles.push_back(texts.back().title);
      keys.push_back(scene::keys_of(texts.back(), generator_of));
      rest.remove_prefix(end);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      infos.push_back({names[i].c_str(), titles[i].c_str(), keys[i].c_str()});
    }
  }

  const scene::SceneText* find(std::string_view name) const {
    const auto at = std::find(names.begin(), names.end(), name);
    return at == names.end() ? nullptr : &texts[static_cast<std::size_t>(at - names.begin())];
  }
};

const BuiltIn& built_in() {
  static const BuiltIn scenes;
  return scenes;
}

}  // namespace

namespace scene {

void read_gravity_keys(Scene& scene, SceneKeys& keys, double softening) {
  keys.mass = keys.real("mass", 1.0, kPositive);
  keys.length = keys.real("length", 1.0, kPositive);
  scene.field.pair = PairLaw::gravity;
  scene.field.gravity.G = keys.real("G", keys.units == nullptr ? 1.0 : keys.units->G, kPositive);
  scene.field.gravity.softening = keys.real("eps", softening * keys.length, kNotNegative);
}

void read_step(Scene& scene, SceneKeys& keys, double dt, double G) {
  keys.time = keys.length * std::sqrt(keys.length / (keys.mass * G));
  scene.dt = keys.real("dt", dt * keys.time, kPositive);
}

void resolve_encounters(Scene& scene, double eta) {
  scene.integrator = Integrator::hermite;
  scene.eta = eta;
}

}  // namespace scene

namespace {

/// Whether the scene's own precision, or what it is made of, decides.
std::optional<Precision> needed_precision(const Scene& scene, bool triples_in_fp64) {
  const bool jerks = scene.integrator == Integrator::hermite || scene.eta > 0;
  const bool triples = triples_in_fp64 && scene.field.triple != TripleLaw::none;
  return scene.precision || !(jerks || triples) ? scene.precision : Precision::fp64;
}

}  // namespace

Precision usual_precision(const Scene& scene, bool triples_in_fp64) {
  if (const auto needed = needed_precision(scene, triples_in_fp64)) return *needed;
  const bool held = resolution_loss(scene.bodies, scene.field, scene.dt, Precision::fp32).empty();
  return held ? Precision::fp32 : Precision::fp64;
}

std::string precision_note(const Scene& scene, bool triples_in_fp64, Precision precision, bool asked) {
  const auto loss = [&](Precision of) { return resolution_loss(scene.bodies, scene.field, scene.dt, of); };
  if (std::string text = loss(precision); !text.empty()) {
    return text + (precision == Precision::fp32
                       ? ": this motion is lost. Use --precision fp64."
                       : ": this motion is lost. Move the origin nearer to the bodies, or take larger steps.");
  }
  if (asked || precision == Precision::fp32 || needed_precision(scene, triples_in_fp64)) return "";
  return loss(Precision::fp32) + ": float32 would lose this, so the run is in float64.";
}

std::span<const SceneInfo> list_scenes() { return built_in().infos; }
std::span<const SceneInfo> list_generators() { return kGeneratorInfos; }

std::pair<std::string, std::string> split_spec(const std::string& spec) {
  constexpr std::string_view kFile = ".toml:";
  std::size_t colon = spec.find(kFile);
  colon = colon != std::string::npos ? colon + kFile.size() - 1 : spec.ends_with(".toml") ? colon : spec.find(':');
  if (colon == std::string::npos) return {spec, ""};
  return {spec.substr(0, colon), spec.substr(colon + 1)};
}

std::vector<std::string> body_names(const std::string& spec) {
  const std::string name = split_spec(spec).first;
  const auto all_of = [](const scene::SceneText& text) {
    std::vector<std::string> names;
    for (const scene::PartText& part : text.parts) {
      if (part.names.empty()) break;  // the bodies after those without a name have other numbers
      names.insert(names.end(), part.names.begin(), part.names.end());
    }
    return names;
  };
  if (name.ends_with(".toml")) return all_of(scene::read_scene_text(name));
  const scene::SceneText* text = built_in().find(name);
  return text == nullptr ? std::vector<std::string>() : all_of(*text);
}

bool takes_keys(const std::string& spec) {
  const std::string name = split_spec(spec).first;
  return name.ends_with(".toml") || built_in().find(name) != nullptr;
}

std::string keys_of_scene(const std::string& spec) {
  if (!takes_keys(spec)) return "";
  const std::string name = split_spec(spec).first;
  return scene::keys_of(name.ends_with(".toml") ? scene::read_scene_text(name) : *built_in().find(name), generator_of);
}

bool has_key(const std::string& spec, std::string_view key) {
  const std::vector<std::string> keys = scene::key_names(keys_of_scene(spec));
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

Scene make_scene(const std::string& spec, const SceneLaws& laws) {
  const auto [name, keys] = split_spec(spec);
  const std::vector<scene::Setting> given = scene::settings_from(name, keys);
  if (name.ends_with(".toml")) return scene::build_scene(scene::read_scene_text(name), given, name, generator_of, laws);
  const scene::SceneText* text = built_in().find(name);
  if (text == nullptr) throw ConfigError(unknown_name("scene", name, built_in().names));
  return scene::build_scene(*text, given, name, generator_of, laws);
}

Scene scene_of_bodies(Bodies bodies, const std::vector<std::pair<std::string, std::string>>& settings, bool moves) {
  const auto look = [] { report_progress(ProgressKind::computing, "the bodies of the scene", 0, 0); };
  look();
  check(bodies);
  look();
  constexpr std::string_view kOfScene[] = {"G", "eps", "dt", "integrator", "eta", "precision", "units"};
  scene::SceneText text;
  text.title = fmt::format("{} bodies of arrays", bodies.size());
  text.moves = moves;
  text.parts.emplace_back().generator = "bodies";
  text.parts.back().listed = std::move(bodies);
  std::vector<scene::Setting> given;
  for (const auto& [key, value] : settings) {
    const auto same = [&name = key](const auto& other) { return other.first == name; };
    if (std::count_if(settings.begin(), settings.end(), same) > 1) {
      throw ConfigError(fmt::format("scene of arrays: key {} is given twice; keep one.", key));
    }
    const bool of_scene = std::find(std::begin(kOfScene), std::end(kOfScene), key) != std::end(kOfScene);
    (of_scene ? given : text.physics).push_back({key, value, ""});
  }
  Scene scene = scene::build_scene(text, given, "of arrays", generator_of);
  look();
  scene.name = "arrays";
  if (find_unit_system(scene.units) == nullptr) scene.units = "those of the arrays";
  return scene;
}

void check_in_cell(const std::string& path, const ForceField& field, double largest_radius) {
  try {
    check(field, largest_radius);
  } catch (const ConfigError& error) {
    if (field.box.boundary != Boundary::periodic) throw;
    throw FileError(
        fmt::format("'{}' is in a periodic cell, and the law does not fit it: {} The option --law, or law= in "
                    "Python, takes another (\"ENERGY; cutoff = R\"); a file without its cell is in open space.",
                    path, error.what()));
  }
}

Scene scene_from_file(const std::string& path, const FileKeys& keys, const SceneLaws& laws) {
  Scene scene;
  scene.name = path;
  ReadReport reading;
  reading.asked = keys.units, reading.columns = keys.columns;
  scene.bodies = read_bodies(path, reading);
  scene.notes = reading.notes, scene.names = std::move(reading.names);
  if (reading.time.value_or(0) != 0) {
    scene.notes.push_back(
        fmt::format("'{}' is a state at t = {:.9g}; here its time begins at 0.", path, *reading.time));
  }
  const UnitSystem* const units = reading.units;
  scene.field.box = box_of(path, reading), scene.cell = reading.box.has_value();
  scene.title = fmt::format("{} {} of {}", scene.bodies.size(), scene.bodies.size() == 1 ? "body" : "bodies", path);
  scene.units = units != nullptr ? units->name : "those of the file, with G = 1";
  scene.field.pair = PairLaw::gravity;
  if (units != nullptr) scene.field.gravity.G = units->G;
  scene.dt = kFileSceneDt;
  if (laws.none_in_cells && scene.field.box.boundary == Boundary::periodic) {
    scene.field.pair = PairLaw::none;
    scene.notes.push_back(
        fmt::format("'{}' is in a periodic cell, which gravity does not fit, so no law acts unless you "
                    "choose one that ends (\"ENERGY; cutoff = R\").",
                    path));
  }
  if (!laws.pair.empty()) set_pair_law(scene.field, laws.pair);
  if (!laws.triple.empty()) set_triple_law(scene.field, laws.triple);
  set_parameters(scene.field, laws.parameters);
  check_in_cell(path, scene.field, largest_radius(scene.bodies));
  scene::check_meaning(scene);
  scene::check_masses(scene);
  return scene;
}

StateInfo state_of(const Scene& scene, double time) {
  const Box& box = scene.field.box;
  return {time, scene.units, box, scene.cell && box.boundary == Boundary::open, !scene.names.empty()};
}

std::string units_text(const Scene& scene) {
  const UnitSystem* system = find_unit_system(scene.units);
  if (system == nullptr) return scene.units;
  std::string text = fmt::format("{}: {}", system->name, system->text());
  if (const MolecularUnits& m = scene.molecular; m.kelvin > 0 && !system->is_physical()) {
    text += fmt::format(" (sigma {} nm, epsilon {} K, time {} ps)", m.nanometre, m.kelvin, m.picosecond);
  }
  return text;
}

namespace {

/// The path of a file, and what follows it after a colon.
std::pair<std::string, std::string> file_and_keys(const std::string& text) {
  const auto is_file = [](const std::string& path) {
    std::error_code ignored;
    return path == "-" || std::filesystem::exists(path, ignored);
  };
  for (std::size_t at = text.size(); at != std::string::npos && at > 0; at = text.rfind(':', at - 1)) {
    if (is_file(text.substr(0, at))) return {text.substr(0, at), at < text.size() ? text.substr(at + 1) : ""};
  }
  return {};
}

FileKeys keys_of_file(const std::string& path, const std::string& text) {
  FileKeys keys;
  for (std::size_t at = 0; at < text.size();) {
    // Up to a comma that another key follows: units are "kpc, 1e10 Msun, km/s", too.
    std::size_t end = std::min(text.find(',', at), text.size());
    while (end < text.size() && text.find('=', end) > text.find(',', end + 1))
      end = std::min(text.find(',', end + 1), text.size());
    if (text.find('=', end) == std::string::npos) end = text.size();
    const std::size_t sign = std::min(text.find('=', at), end), from = std::min(sign + 1, end);
    const std::string key = text.substr(at, sign - at), value = text.substr(from, end - from);
    if (key.empty() || value.empty()) {
      throw ConfigError(
          fmt::format("'{}:{}': after the path of a file come units=SYSTEM and columns, x=NAME.", path, text));
    }
    if (key == "units") {
      if (keys.units != nullptr) throw ConfigError(fmt::format("'{}': units are given twice; keep one.", path));
      keys.units = &unit_system_from(value);
    } else {
      keys.columns.emplace_back(key, value);
    }
    at = end + 1;
  }
  return keys;
}

}  // namespace

std::optional<Bodies> read_named_file(const std::string& path_and_keys, ReadReport& reading) {
  const auto [path, text] = file_and_keys(path_and_keys);
  if (path.empty()) return std::nullopt;
  FileKeys keys = keys_of_file(path, text);
  if (keys.units != nullptr && reading.asked != nullptr && !same_units(*keys.units, *reading.asked)) {
    throw ConfigError(fmt::format("'{}': the units are given twice, {} and {}; keep one.", path_and_keys,
                                  keys.units->name, reading.asked->name));
  }
  if (keys.units != nullptr) reading.asked = keys.units;
  reading.columns = std::move(keys.columns);
  return read_bodies(path, reading);
}

std::string with_units(const std::string& spec, const std::string& units) {
  const bool first = takes_keys(spec) ? split_spec(spec).second.empty() : file_and_keys(spec).second.empty();
  return fmt::format("{}{}units={}", spec, first ? ":" : ",", units);
}

Scene open_scene(const std::string& text, const SceneLaws& laws) {
  if (takes_keys(text)) return make_scene(text, laws);
  const std::string name = split_spec(text).first;
  if (const auto [path, keys] = file_and_keys(text); !path.empty()) {
    return scene_from_file(path, keys_of_file(path, keys), laws);
  }
  // One line each: the lists of scenes and formats are long.
  if (name.find_first_of("/.") != std::string::npos) {
    throw FileError(io::no_such_file(text));
  }
  throw ConfigError(fmt::format("'{}' is neither a file nor a scene.{} See triangulum list scenes.", text,
                                did_you_mean(name, built_in().names)));
}

}  // namespace tri
