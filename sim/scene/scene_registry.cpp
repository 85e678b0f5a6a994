/// The table of the scenes, and the choice between a scene and a file.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <vector>

#include "sim/error.hpp"
#include "sim/io/format.hpp"
#include "sim/scene/scene.hpp"
#include "sim/scene/scene_table.hpp"
#include "sim/suggest.hpp"

namespace tri {

namespace {

struct Entry {
  SceneInfo info;
  Scene (*make)(scene::SceneKeys& keys);
};

// A test holds the texts of keys against what the generators ask for.
constexpr std::array<Entry, 10> kScenes{{
    {{"plummer", "star cluster in equilibrium (Plummer's sphere, virial units)",
      "n=4096, seed=42, G=1, eps=0.02, dt=1/256/sqrt(G)"},
     scene::plummer},
    {{"uniform-ball", "bodies spread evenly over a ball; virial=0 falls together from rest",
      "n=4096, seed=42, virial=1, G=1, eps=0.02, dt=1/256/sqrt(G)"},
     scene::uniform_ball},
    {{"uniform-box", "bodies spread evenly over a cube; virial=0 falls together from rest",
      "n=4096, seed=42, virial=1, G=1, eps=0.02, dt=1/256/sqrt(G)"},
     scene::uniform_box},
    {{"kepler", "two bodies on an ellipse, from apocentre; ratio is m2/m1", "e=0.5, ratio=1, G=1, eps=0, dt=T/1024"},
     scene::kepler},
    {{"figure-8", "three equal bodies on one curve", "G=1, eps=0, dt=T/1024"}, scene::figure_8},
    {{"lagrange", "three equal bodies on a turning equilateral triangle", "G=1, eps=0, dt=T/1024"}, scene::lagrange},
    {{"sphere-box", "gas of elastic spheres of different radius and mass in a box",
      "n=512, seed=42, fill=0.2 n/(n+16), speed=1, walls=reflecting, k=by speed, c=0, dt=contact time/50"},
     scene::sphere_box},
    {{"gas", "gas of equal hard spheres, by impulses",
      "n=4096, seed=42, fill=0.2 n/(n+16), speed=1, walls=periodic, e=1, dt=0.1 r/fastest"},
     scene::gas},
    {{"falling-pile", "spheres fall into a box, pile up and come to rest (response=springs or impulses)",
      "n=1000, seed=42, g=1, response=springs, e=0.5, k=by height, dt=by contacts"},
     scene::falling_pile},
    {{"argon-droplet", "argon drop, Lennard-Jones pairs and Axilrod-Teller triples (nu=0: pairs only)",
      "n=256, seed=42, temperature=0.9, spacing=1.09, nu=0.072, dt=0.002"},
     scene::argon_droplet},
}};

constexpr auto kInfos = [] {
  std::array<SceneInfo, kScenes.size()> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kScenes[i].info;
  return infos;
}();

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const SceneInfo& info : kInfos) names.emplace_back(info.name);
  return names;
}

std::string name_of(const std::string& spec) { return spec.substr(0, spec.find(':')); }

const Entry* find_scene(const std::string& name) {
  const auto found = std::find_if(kScenes.begin(), kScenes.end(), [&](const Entry& e) { return name == e.info.name; });
  return found == kScenes.end() ? nullptr : &*found;
}

std::string known_extensions() {
  std::string text;
  for (const FormatInfo& format : list_formats()) {
    for (const char c : fmt::format("{}{}", text.empty() ? "" : " ", format.extensions)) {
      text += c == ' ' ? ", " : std::string(1, c);
    }
  }
  return text;
}

}  // namespace

namespace scene {

void take_gravity_keys(Scene& scene, SceneKeys& keys, double softening) {
  scene.field.pair = PairLaw::gravity;
  scene.field.gravity.G = keys.real("G", 1.0, kPositive);
  scene.field.gravity.softening = keys.real("eps", softening, kNotNegative);
}

}  // namespace scene

std::span<const SceneInfo> list_scenes() { return kInfos; }

Scene make_scene(const std::string& spec) {
  const std::string name = name_of(spec);
  const Entry* entry = find_scene(name);
  if (entry == nullptr) throw ConfigError(unknown_name("scene", name, scene_names()));
  scene::SceneKeys keys(name, name.size() < spec.size() ? std::string_view(spec).substr(name.size() + 1) : "");
  Scene scene = entry->make(keys);
  scene.name = entry->info.name;
  scene.title = entry->info.title;
  return scene;
}

Scene scene_from_file(const std::string& path) {
  Scene scene;
  scene.name = path;
  scene.bodies = read_bodies(path, &scene.notes);
  scene.title = fmt::format("{} bodies of {}", scene.bodies.size(), path);
  scene.units = "those of the file, with G = 1";
  scene.field.pair = PairLaw::gravity;
  scene.dt = kFileSceneDt;
  return scene;
}

Scene open_scene(const std::string& text) {
  const std::string name = name_of(text);
  if (find_scene(name) != nullptr) return make_scene(text);
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return scene_from_file(text);

  const std::string names = fmt::format("{}", fmt::join(scene_names(), ", "));
  const std::string both = fmt::format("'{}' is neither a file nor a scene.{} Scenes: {}. Files end in {}.", text,
                                       did_you_mean(name, scene_names()), names, known_extensions());
  if (name.find_first_of("/.") != std::string::npos) throw FileError(both);
  throw ConfigError(both);
}

}  // namespace tri
