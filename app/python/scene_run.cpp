#include "app/python/scene_run.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "app/python/sentences.hpp"
#include "sim/base/clock.hpp"
#include "sim/model/auto_step.hpp"
#include "sim/scene/scene_checks.hpp"

namespace tri::python {
namespace {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();

/// Of a file of bodies, which takes no keys.
void set_run(Scene& scene, const Settings& settings) {
  bool automatic = false, fixed = false;
  std::optional<double> eta;
  for (const auto& [key, value] : settings) {
    if (key == "integrator") scene.integrator = integrator_from(value);
    if (key == "dt" && value == "auto") automatic = true;
    if (key == "dt" && value != "auto") scene.dt = std::stod(value), fixed = true;
    if (key == "eta") eta = std::stod(value);
  }
  if (fixed && eta)
    throw ConfigError("eta is the accuracy of automatic steps, and dt is a number; give one of the two.");
  if (automatic || eta) scene.eta = eta.value_or(usual_eta(scene.integrator));
}

/// A keyword of a law's parameter, with its value.
GivenParameter parameter_given(const LawParameter& p, const std::string& value) {
  if (p.flag != nullptr) {
    if (value == p.yes || value == p.no) return {p.option, value == p.yes ? 1.0 : 0.0};
    throw ConfigError(fmt::format("{} takes {} or {}; got '{}'.", p.option, p.no, p.yes, value));
  }
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size()) return {p.option, number};
  throw ConfigError(fmt::format("{} takes a finite number; got '{}'.", p.option, value));
}

Scene scene_with(std::string spec, Settings settings) {
  SceneLaws laws;
  std::erase_if(settings, [&](const auto& s) {
    const LawParameter* p = parameter_of("--" + s.first);
    if (p == nullptr || has_key(spec, s.first)) return false;  // which the scene has a better use for
    laws.parameters.push_back(parameter_given(*p, s.second));
    return true;
  });
  for (const auto& [key, value] : settings) {
    if (key == "pair") laws.pair = value;
    if (key == "triple") laws.triple = value;
  }
  std::erase_if(settings, [](const auto& s) { return s.first == "pair" || s.first == "triple"; });
  if (!takes_keys(spec)) {
    Scene scene = open_scene(spec, laws);
    set_run(scene, settings);
    return scene;
  }
  for (const auto& [key, value] : settings) {
    spec += fmt::format("{}{}={}", split_spec(spec).second.empty() ? ":" : ",", key, value);
  }
  return open_scene(spec, laws);
}

}  // namespace

SceneRun::Use::Use(SceneRun& run) : busy_(run.busy_) {
  if (run.process_ != getpid() && run.info_.name == "cuda") {
    throw std::runtime_error(
        "this simulation is on a GPU, which a forked process cannot use; make it in the process that runs it "
        "(multiprocessing's method 'spawn'), or on backend='cpu'.");
  }
  if (busy_.exchange(true)) {
    throw std::runtime_error("this simulation is at work in another thread; wait for it, or give each its own.");
  }
}

SceneRun::SceneRun(std::string spec, const Settings& settings, const Choices& choices)
    : spec_(std::move(spec)), backend_(open_backend(choices.backend)), info_(backend_->info()) {
  if (takes_keys(spec_) || !holds_run(spec_)) {
    begin(scene_with(spec_, settings), choices);
    return;
  }
  if (!settings.empty()) {
    throw ConfigError(fmt::format("'{}' is a snapshot of a run, which goes on with its own {}; leave it out.", spec_,
                                  settings[0].first));
  }
  go_on(read_snapshot(spec_), choices);
}

SceneRun::SceneRun(Bodies bodies, const Settings& settings, const Choices& choices)
    : spec_("arrays"), backend_(open_backend(choices.backend)), info_(backend_->info()) {
  begin(scene_of_bodies(std::move(bodies), settings), choices);
}

SceneRun::~SceneRun() {
  if (process_ == getpid() || info_.name != "cuda") return;
  // Freeing what another process took would call into a driver that does not survive a fork.
  static_cast<void>(simulation_.release());
  static_cast<void>(backend_.release());
}

void SceneRun::begin(Scene scene, const Choices& choices) {
  EngineConfig config;
  config.precision = usual_precision(scene, info_.triples_in_fp64);
  apply_overrides(overrides_of(scene.field, choices), config);
  notes_ = scene.notes;
  // Which check_meaning() has put among the notes.
  if (std::string soft = soft_spring_warning(scene.bodies, scene.field); !soft.empty()) {
    warnings_.push_back(in_keywords(soft));
  }
  const bool lost = config.precision == Precision::fp32;
  tell(precision_note(scene, info_.triples_in_fp64, config.precision, choices.precision.has_value()), lost);
  simulation_ = std::make_unique<Simulation>(std::move(scene), *backend_, config);
}

void SceneRun::go_on(Snapshot from, const Choices& choices) {
  EngineConfig config = from.engine;
  if (from.run.backend != info_.name) {  // which has its own best choices
    const EngineConfig none;
    config.pair_block = none.pair_block, config.triple_block = none.triple_block;
    config.broad_phase = none.broad_phase, config.threads = none.threads, config.slice_ms = none.slice_ms;
  }
  apply_overrides(overrides_of(from.scene.field, choices), config);
  notes_ = from.scene.notes;
  tell(precision_note(from.scene, false, config.precision, true), true);
  simulation_ = std::make_unique<Simulation>(std::move(from), *backend_, config);
}

/// lost: nothing was done about it.
void SceneRun::tell(const std::string& loss, bool lost) {
  if (loss.empty()) return;
  watches_motion_ = false;
  lost ? warn(loss) : notes_.push_back(in_keywords(loss));
}

/// A note, and a warning.
void SceneRun::warn(const std::string& text) {
  notes_.push_back(in_keywords(text));
  warnings_.push_back(notes_.back());
}

bool SceneRun::watches_overlaps(const Simulation& s) const {
  constexpr double kFree = 0.05, kShare = 0.05;  // seconds, and a part of the time
  return OverlapWatch::wants(s.scene().field) && overlaps_s_ < std::max(kFree, kShare * worked_s_);
}

void SceneRun::watch_overlaps(Simulation& s) {
  const Stopwatch watch;
  const std::string said = overlaps_.look(s.bodies(), s.scene().field, s.time());
  if (!said.empty()) warn(said);
  overlaps_s_ += watch.ms() / 1e3;
}

std::optional<OverlapWatch::Largest> SceneRun::overlap() {
  return with("overlaps", [&](Simulation& s, SignalWatch&) -> std::optional<OverlapWatch::Largest> {
    if (!OverlapWatch::wants(s.scene().field)) return std::nullopt;
    watch_overlaps(s);
    return overlaps_.largest();
  });
}

/// As Simulation::advance(), with a look at signals and overlaps between calls of the engine.
u64 SceneRun::advance_watched(Simulation& s, u64 steps, double until, SignalWatch& watch) {
  const Stopwatch clock;
  const double before = worked_s_;
  u64 done = 0;
  while (done < steps) {
    watch.look();
    u64 now = std::min(steps - done, s.automatic() ? 1 : s.engine().steps_at_once());
    if (watches_overlaps(s)) {
      if (s.time() >= overlaps_.next_time()) watch_overlaps(s);
      const double next = (overlaps_.next_time() - s.time()) / s.scene().dt;
      now = std::min(now, next > 1 ? static_cast<u64>(std::min(next, 0x1p53)) : u64{1});
    }
    now = s.advance(now, until);
    if (now == 0) break;
    done += now;
    worked_s_ = before + clock.ms() / 1e3;
  }
  if (watches_overlaps(s)) watch_overlaps(s);
  watch_motion(s);
  return done;
}

/// Looks for bodies that the precision has lost, at most 5 % of the time.
void SceneRun::watch_motion(Simulation& s) {
  constexpr double kShare = 0.05;
  if (!watches_motion_ || s.step_count() == s.first_step() || kShare * worked_s_ < looked_s_) return;
  const Stopwatch watch;
  const double dt = s.automatic() ? s.step_lengths().last : s.scene().dt;
  tell(motion_.look(s.step_count(), s.bodies(), s.scene().field, dt, s.engine().config().precision), true);
  looked_s_ += watch.ms() / 1e3;
}

void SceneRun::require_all() const {
  if (lent_) throw std::runtime_error("the arrays of this simulation are in use; leave the block `with sim.arrays()`.");
}

u64 SceneRun::advance(u64 steps) {
  return with("steps", [&](Simulation& s, SignalWatch& watch) {
    require_all();
    return advance_watched(s, steps, kNoEnd, watch);
  });
}

u64 SceneRun::run_until(double until) {
  return with("steps", [&](Simulation& s, SignalWatch& watch) {
    require_all();
    const bool automatic = s.automatic();
    if (automatic) s.require_time_ahead(until, until < s.time());
    const u64 steps = automatic ? std::numeric_limits<u64>::max() : s.steps_until(until);
    return advance_watched(s, steps, automatic ? until : kNoEnd, watch);
  });
}

std::vector<std::string> SceneRun::save(const std::string& path) {
  return with("saving", [&](Simulation& s, SignalWatch&) {
    require_all();
    RunRecord record;
    record.scene = spec_, record.backend = info_.name;
    record.last_step = s.step_count();
    s.save(path, record);
    return lost_in(path, s.bodies(), s.scene());
  });
}

std::string SceneRun::text() {
  return look([this](Simulation& s) {
    return fmt::format("<triangulum.Simulation '{}': {} bodies, step {}, t = {:.9g}, {} on {}>", spec_, s.size(),
                       s.step_count(), s.time(), to_string(s.engine().config().precision), info_.name);
  });
}

StateArrays SceneRun::lend() {
  return with("arrays", [&](Simulation& s, SignalWatch&) {
    require_all();
    const StateArrays arrays = s.lend();
    lent_ = true;
    return arrays;
  });
}

void SceneRun::take_back(bool discard) {
  with("arrays", [&](Simulation& s, SignalWatch&) {
    if (!lent_.exchange(false)) return;
    if (!s.take_back(discard)) return;
    overlaps_ = {}, motion_ = {}, watches_motion_ = true;
    Scene scene = s.scene();
    scene.bodies = s.bodies();
    tell(precision_note(scene, false, s.engine().config().precision, true), true);
    if (const std::string soft = soft_spring_warning(scene.bodies, scene.field); !soft.empty()) warn(soft);
    tell_of_written(s);
  });
}

/// What a scene of such bodies would refuse or note, and a step will act on.
void SceneRun::tell_of_written(Simulation& s) {
  const ForceField& field = s.scene().field;
  const bool walls = field.box.boundary == Boundary::reflecting;
  if (!walls && field.pair != PairLaw::contact) return;
  const Bodies bodies = s.bodies();
  std::string said = walls ? scene::outside_walls(bodies, field.box) : "";
  if (!said.empty()) said += "; they are folded in or flung back.";
  if (const std::string missing = scene::missing_column(bodies, field).sentence; said.empty() && !missing.empty()) {
    said = missing + ": each counts as 0.";
  }
  if (said.empty() || std::find(notes_.begin(), notes_.end(), in_keywords(said)) != notes_.end()) return;
  warn(said);
}

}  // namespace tri::python
