#include "app/gui/session_start.hpp"

#include <fmt/format.h>

#include "app/gui/base/view_defaults.hpp"
#include "app/gui/script/demo.hpp"
#include "app/gui/views/bottom_panes.hpp"
#include "app/session/session_text.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/scene_spec.hpp"
#include "render/picture.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/model/map_choice.hpp"

namespace tri::app::gui {
namespace {

/// `view gasket:r=12`: the automaton is a view; the bodies above it are those of the default scene.
bool shows_automaton(const RunConfig& config) { return config.view.demo.empty() && names_automaton(config.run.scene); }

EngineConfig first_config(const RunConfig& config, const std::string& scene) {
  if (shows_automaton(config)) {
    CommonOptions common = config.common;
    common.maps.clear(), common.blocks.clear();
    return engine_config(common, {true, true}, Precision::fp32);
  }
  const CommonOptions& common = config.common;
  const bool run = !takes_keys(scene) && !is_picture(scene) && holds_run(scene);
  // Which domains there are matters only to options that name a map or a block of one.
  const bool named = !common.maps.empty() || !common.blocks.empty();
  if (!named && !run) return engine_config(common, {true, true}, Precision::fp32);
  const SceneToView seen = scene_to_view(scene);
  const EngineConfig asked = engine_config(common, domains_of(seen.scene.field), Precision::fp32);
  if (!seen.run) return asked;
  // A run goes on as it was computed, but for what was asked for by name.
  EngineConfig now = as_computed(asked, seen.run->engine);
  if (common.precision) now.precision = asked.precision;
  if (common.accumulate) now.accumulate = asked.accumulate;
  if (common.broad_phase) now.broad_phase = asked.broad_phase;
  if (!common.maps.empty()) now.pair_map = asked.pair_map, now.triple_map = asked.triple_map;
  return now;
}

}  // namespace

std::string scene_text(const RunConfig& config) {
  if (shows_automaton(config)) return kDefaultScene;
  std::string text = config.run.scene.empty() ? kDefaultScene : config.run.scene;
  if (!config.view.demo.empty()) text = Demo(config.view.demo, config.run.scene).first_scene();
  if (!config.common.seed) return text;
  if (!is_scene(text)) {
    throw ConfigError(fmt::format("--seed makes the bodies of a named scene; those of {} are in the file.", text));
  }
  return fmt::format("{}{}seed={}", text, split_spec(text).second.empty() ? ":" : ",", *config.common.seed);
}

void begin_views(const RunConfig& config, GuiState& state) {
  if (!shows_automaton(config)) return;
  FractalChoice& choice = state.fractal;
  choice.scene = config.run.scene;
  if (config.common.seed) {
    choice.scene +=
        fmt::format("{}seed={}", choice.scene.find(':') == std::string::npos ? ":" : ",", *config.common.seed);
  }
  choice.work.placement = automaton_from(choice.scene).work.placement;
  if (config.common.maps.size() > 1 || config.common.blocks.size() > 1) {
    throw ConfigError("an automaton takes one --map and one --block.");
  }
  if (!config.common.maps.empty()) choice.work.map = gasket_map_from(config.common.maps.front());
  if (!config.common.blocks.empty()) choice.work.block = config.common.blocks.front();
  show_lower_view("fractal", state);
}

Session open_session(const RunConfig& config, Console& console) {
  const auto backends = [&config, &console](BackendNeed need) { return open_backend(config.common, need, &console); };
  std::string text = scene_text(config);
  if (!is_picture(text)) return Session(backends, text, first_config(config, text));
  Requests requests = picture_requests(text);
  text = std::get<ask::Open>(requests.front()).scene;
  requests.erase(requests.begin());
  return Session(backends, text, first_config(config, text), requests);
}

bool is_picture(const std::string& path) { return path.ends_with(".png"); }

Requests picture_requests(const std::string& path) {
  const render::PictureTexts texts = render::read_png_texts(path);
  const auto text = texts.find(kSessionKey);
  if (text == texts.end()) {
    throw FileError(fmt::format("{}: this picture carries no scene; screenshots of Triangulum do.", path));
  }
  return session_requests(text->second);
}

}  // namespace tri::app::gui
