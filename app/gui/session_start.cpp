#include "app/gui/session_start.hpp"

#include <fmt/format.h>

#include "app/gui/base/view_defaults.hpp"
#include "app/gui/frame/frame_meter.hpp"
#include "app/gui/script/demo.hpp"
#include "app/gui/views/bottom_panes.hpp"
#include "app/session/session_text.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/scene_spec.hpp"
#include "render/image.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/laws/typed_text.hpp"
#include "sim/model/map_choice.hpp"

namespace tri::app::gui {
namespace {

/// `view gasket:r=12`: the automaton runs in a bottom pane below the bodies of the default scene.
bool shows_automaton(const RunConfig& config) { return config.view.demo.empty() && names_automaton(config.run.scene); }

/// The options given of laws and units.
std::vector<std::string> of_laws(const RunConfig& config) {
  std::vector<std::string> options;
  for (const char* option : {"--units", "--law", "--triple-law"}) {
    if (config.given.count(option)) options.emplace_back(option);
  }
  for (const GivenParameter& p : config.run.parameters) options.push_back(p.option);
  return options;
}

/// Options of a run that is computed.
void check_recorded(const RunConfig& config, const std::string& series) {
  constexpr const char* kOfRun[] = {"--dt", "--eta", "--integrator"};
  constexpr const char* kOfEngine[] = {"--map",       "--block",       "--accumulate", "--arithmetic",
                                       "--tolerance", "--broad-phase", "--slice-ms"};
  const auto refuse = [&](const std::string& option) {
    if (config.given.count(option) == 0) return;
    throw ConfigError(
        fmt::format("{} is of a run that is computed, and {} is recorded; leave it out.", option, series));
  };
  for (const std::string& option : of_laws(config)) refuse(option);
  for (const char* option : kOfRun) refuse(option);
  if (config.command != Command::render) return;  // the window can go on from a state
  for (const char* option : kOfEngine) refuse(option);
}

/// The file that says what a recorded run is of.
std::string first_file(const std::string& scene) {
  return Series::is_named_by(scene) ? Series(scene).entries().front().path : scene;
}

EngineOverrides overrides_of(const RunConfig& config, const std::string& scene) {
  CommonOptions common = config.common;
  const bool jerks = config.run.integrator == Integrator::hermite || config.run.dt_auto || config.run.eta;
  if (jerks && !common.precision) common.precision = Precision::fp64;
  // Maps and blocks of an automaton are not those of the bodies; and which domains a scene has matters to no other
  // option.
  if (shows_automaton(config) || (common.maps.empty() && common.blocks.empty())) return common;
  return engine_overrides(common, domains_of(scene_to_view(first_file(scene)).scene.field));
}

}  // namespace

bool plays_first_scene(const RunConfig& config) {
  return config.run.scene.empty() && config.view.demo.empty() && !is_measured(config.view);
}

std::string scene_text(const RunConfig& config) {
  if (shows_automaton(config)) {
    for (const std::string& option : of_laws(config)) {
      throw ConfigError(fmt::format("{} does not apply to an automaton; leave it out.", option));
    }
    return kDefaultScene;
  }
  std::string text = plays_first_scene(config) ? kFirstScene : config.run.scene;
  if (text.empty()) text = kDefaultScene;
  if (!config.view.demo.empty()) text = Demo(config.view.demo, config.run.scene).first_scene();
  for (const std::string& option : of_laws(config)) {
    if (!is_picture(text) || option == "--law" || option == "--triple-law") continue;  // another law may act there
    throw ConfigError(fmt::format("{} is of a scene or a file of bodies; that of {} is in the picture.", option, text));
  }
  if (Series::is_named_by(text)) check_recorded(config, text);
  if (is_scene(text)) return with_options(text, config);
  if (config.common.seed) {
    throw ConfigError(fmt::format("--seed makes the bodies of a named scene; those of {} are in the file.", text));
  }
  return config.run.units.empty() ? text : with_units(text, config.run.units);
}

void open_panes(const RunConfig& config, PaneChoices& panes) {
  if (!shows_automaton(config)) return;
  FractalChoice& choice = panes.fractal;
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
  show_pane("fractal", panes);
}

Session open_session(const RunConfig& config, Console& console) {
  ask::Open first{scene_text(config)};
  Requests then;
  if (is_picture(first.scene)) {
    then = picture_requests(first.scene);
    first = std::get<ask::Open>(then.front());
    then.erase(then.begin());
  }
  const EngineOverrides given = overrides_of(config, first.scene);
  const RunOptions& run = config.run;
  std::vector<GivenParameter> parameters = run.parameters;
  std::erase_if(parameters, [&](const GivenParameter& p) {
    return p.option == "--G" && has_key(first.scene, "G");  // by which its bodies move
  });
  if (!run.law.empty() || !run.triple_law.empty() || !parameters.empty()) {
    ForceField field = scene_to_view(first_file(first.scene)).scene.field;
    if (!run.law.empty()) set_pair_law(field, run.law);
    if (!run.triple_law.empty()) set_triple_law(field, run.triple_law);
    set_parameters(field, parameters);
    then.push_back(ask::Field{field});
  }
  return Session(open_backend(config.common, &console), first, given, then);
}

bool is_picture(const std::string& path) { return path.ends_with(".png"); }

Requests picture_requests(const std::string& path) {
  const render::ImageTexts texts = render::read_png_texts(path);
  const auto text = texts.find(kSessionKey);
  if (text == texts.end()) {
    throw FileError(fmt::format("{}: this picture carries no scene; screenshots of Triangulum do.", path));
  }
  return session_requests(text->second);
}

}  // namespace tri::app::gui
