#include "app/support/scene_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "sim/base/error.hpp"
#include "sim/laws/law_table.hpp"

namespace tri::app {
namespace {

const SceneInfo* find(const std::string& spec) {
  const std::string name = scene_name(spec);
  const auto scenes = list_scenes();
  const auto at = std::find_if(scenes.begin(), scenes.end(), [&](const SceneInfo& s) { return name == s.name; });
  return at == scenes.end() ? nullptr : &*at;
}

/// The key of a scene that means the same as an option.
std::string key_of(const GivenParameter& given) { return given.option.substr(2); }

}  // namespace

std::string scene_name(const std::string& spec) { return split_spec(spec).first; }

bool is_scene(const std::string& spec) { return takes_keys(spec); }

bool scene_takes(const std::string& spec, std::string_view key) {
  const SceneInfo* scene = find(spec);
  if (scene == nullptr) return false;
  // "n=4096, seed=42, ...": the list that `list scenes` shows, which a test compares with the generators.
  return fmt::format(", {}", scene->keys).find(fmt::format(", {}=", key)) != std::string::npos;
}

std::optional<u64> scene_count(const std::string& spec, std::string_view key) {
  const SceneInfo* scene = find(spec);
  if (scene == nullptr) return std::nullopt;
  const std::string given = "," + split_spec(spec).second, lead = fmt::format("{}=", key);
  // The last one given counts; the list of defaults has a space after each comma.
  const std::string defaults = fmt::format(", {}", scene->keys);
  const std::size_t own = given.rfind("," + lead), usual = defaults.find(", " + lead);
  const std::string& text = own != std::string::npos ? given : defaults;
  const std::size_t at = own != std::string::npos ? own + 1 + lead.size() : usual + 2 + lead.size();
  if (own == std::string::npos && usual == std::string::npos) return std::nullopt;
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  const bool whole = end == text.data() + text.size() || *end == ',';
  return error == std::errc() && whole ? std::optional(value) : std::nullopt;
}

SceneToView scene_to_view(const std::string& spec) {
  if (takes_keys(spec) || !holds_run(spec)) return {open_scene(spec, {"", "", true}), {}};
  Snapshot snapshot = read_snapshot(spec);
  Scene& scene = snapshot.scene;
  scene.name = spec;
  scene.notes.push_back(
      fmt::format("'{}' is a run at step {}, t = {:.6g}: it continues from there, with its laws, time step, scheme, "
                  "precision and map.",
                  spec, snapshot.step, snapshot.time));
  return {std::move(scene), ResumePoint{{snapshot.step, snapshot.time, snapshot.next_step},
                                        snapshot.initial,
                                        snapshot.engine,
                                        std::move(snapshot.run)}};
}

EngineConfig as_computed(EngineConfig now, const EngineConfig& before) {
  now.precision = before.precision, now.accumulate = before.accumulate;
  now.arithmetic = before.arithmetic, now.tolerance = before.tolerance;
  now.pair_map = before.pair_map, now.triple_map = before.triple_map;
  now.broad_phase = before.broad_phase;
  return now;
}

std::string with_options(std::string spec, const RunConfig& config) {
  const RunOptions& run = config.run;
  const auto add = [&spec](const std::string& key) { spec += (split_spec(spec).second.empty() ? ":" : ",") + key; };
  if (config.common.seed) add(fmt::format("seed={}", *config.common.seed));
  for (const GivenParameter& p : run.parameters) {
    if (has_key(spec, key_of(p))) add(fmt::format("{}={}", key_of(p), value_text(p)));
  }
  if (!run.units.empty()) add("units=" + run.units);
  return spec;
}

std::vector<GivenParameter> parameters_beside(const std::string& spec, const RunOptions& run) {
  std::vector<GivenParameter> rest = run.parameters;
  std::erase_if(rest, [&](const GivenParameter& p) { return has_key(spec, key_of(p)); });
  return rest;
}

std::string with_key(const std::string& spec, std::string_view key, std::string_view value) {
  const auto [name, keys] = split_spec(spec);
  std::string out = name + ":";
  std::istringstream rest(keys);
  for (std::string pair; std::getline(rest, pair, ',');) {
    if (!pair.empty() && pair.substr(0, pair.find('=')) != key) out += pair + ",";
  }
  return out + fmt::format("{}={}", key, value);
}

}  // namespace tri::app
