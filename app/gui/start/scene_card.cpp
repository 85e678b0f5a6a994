#include "app/gui/start/scene_card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "app/support/scene_spec.hpp"
#include "sim/base/error.hpp"
#include "sim/base/state_hash.hpp"
#include "sim/scene/scene.hpp"
#include "tri_version.hpp"

namespace tri::app::gui::start {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 4u << 20;  // of a file that gets a picture

/// How the picture of a scene is taken; the others, and files, from their start.
struct Shot {
  const char *scene, *keys, *skip, *camera;
};
constexpr Shot kShots[] = {{"argon-crystal", "", "0", "30,20,1.05"},
                           {"argon-droplet", "", "0", "30,20,1.2"},
                           {"cold-collapse", "n=2048", "330", "30,20"},
                           {"falling-pile", "", "120", "30,15,1.15"},
                           {"figure-8", "", "600", "30,60,1.05"},
                           {"galaxy", "n=4096", "0", "30,55"},
                           {"gas", "n=2048", "200", "30,20,1.15"},
                           {"kepler", "", "1024", "30,50,1.05"},
                           {"lagrange", "", "700", "30,50,1.2"},
                           {"merger", "n=2048", "600", "35,30,1.1"},
                           {"plummer", "", "0", "30,20,1.8"},
                           {"pythagorean", "", "5000", "30,60,1.1"},
                           {"salt", "", "0", "30,20,1.05"},
                           {"solar-system", "", "20000", "30,40,1.5"},
                           {"sphere-box", "", "300", "30,20,1.15"},
                           {"uniform-ball", "n=2048", "0", "30,20,1.1"},
                           {"uniform-box", "n=2048", "0", "30,20,1.1"}};
constexpr Shot kUsual{"", "", "0", "30,30"};

const Shot& shot_of(const std::string& name) {
  const auto* at = std::find_if(std::begin(kShots), std::end(kShots), [&](const Shot& s) { return name == s.scene; });
  return at == std::end(kShots) ? kUsual : *at;
}

/// n of "n=4096, seed=42, ..." times the parts that have so many; without n, the bodies that the scene is made of.
u64 bodies_of(const SceneInfo& scene) {
  const std::string_view keys = scene.keys;
  if (!keys.starts_with("n=")) return make_scene(scene.name).bodies.size();
  constexpr u64 kFew = 256;  // quickly made
  const u64 n = std::stoull(std::string(keys.substr(2)));
  return n * make_scene(fmt::format("{}:n={}", scene.name, kFew)).bodies.size() / kFew;
}

}  // namespace

const std::vector<SceneCard>& scene_cards() {
  static const std::vector<SceneCard> kCards = [] {
    std::vector<SceneCard> cards;
    for (const SceneInfo& s : list_scenes()) cards.push_back({s.name, s.name, s.title, bodies_of(s)});
    return cards;
  }();
  return kCards;
}

SceneCard file_card(const std::string& path) {
  const fs::path file(path);
  return {path, file.filename().string(), file.parent_path().string(), 0};
}

std::vector<std::string> picture_arguments(const std::string& spec, const std::string& output) {
  const std::string name = scene_name(spec);
  const bool built_in =
      std::any_of(list_scenes().begin(), list_scenes().end(), [&](const SceneInfo& s) { return name == s.name; });
  std::error_code fault;
  if (!built_in && (spec.ends_with(".png") || fs::file_size(spec, fault) > kMostBytes || fault)) return {};
  const Shot& shot = built_in ? shot_of(name) : kUsual;
  const std::string scene = *shot.keys == '\0' ? spec : fmt::format("{}:{}", spec, shot.keys);
  return {
      "render", scene,       "--output", output,      "--size",  fmt::format("{}x{}", kPictureWidth, kPictureHeight),
      "--skip", shot.skip,   "--camera", shot.camera, "--quiet", "--backend",
      "cpu",    "--threads", "1"};
}

std::string picture_name(const std::string& spec) {
  std::string key(kVersionFull);
  for (const std::string& argument : picture_arguments(spec, "")) key += '\n' + argument;
  std::error_code fault;
  if (const auto bytes = fs::file_size(spec, fault); !fault) {
    key += fmt::format("\n{} {}", bytes, fs::last_write_time(spec, fault).time_since_epoch().count());
  }
  return hash_text(fnv1a(kFnvOffset, key.data(), key.size())) + ".png";
}

}  // namespace tri::app::gui::start
