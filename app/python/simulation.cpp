/// The class Simulation: as Python holds it, with its backend, and marks of the thread and the process that may use it.

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "app/python/parts.hpp"
#include "sim/backend/backend.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/files/file.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/checks.hpp"
#include "sim/model/integrator.hpp"
#include "sim/scene/scene.hpp"
#include "sim/simulation.hpp"

namespace tri::python {

namespace {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();

}  // namespace

class SceneRun {
 public:
  /// A scene, a file, or a snapshot, which takes no settings: dt, integrator and eta, as `triangulum run` takes them,
  /// and the words of its laws as pair and triple.
  SceneRun(std::string spec, const Settings& settings, const Choices& choices)
      : spec_(std::move(spec)), backend_(open_backend(choices.backend)), info_(backend_->info()) {
    if (takes_keys(spec_) || !holds_run(spec_)) {
      Settings all = settings;
      if (choices.precision && takes_keys(spec_)) all.emplace_back("precision", *choices.precision);
      begin(listed([&] { return scene_with(spec_, std::move(all)); }), choices);
      return;
    }
    if (!settings.empty()) {
      throw ConfigError(fmt::format("'{}' is a snapshot of a run, which goes on with its own {}; leave it out.", spec_,
                                    settings[0].first));
    }
    go_on(read_snapshot(spec_), choices);
  }

  /// As scene_of_bodies().
  SceneRun(Bodies bodies, const Settings& settings, const Choices& choices)
      : spec_("arrays"), backend_(open_backend(choices.backend)), info_(backend_->info()) {
    begin(scene_of_bodies(std::move(bodies), settings), choices);
  }

  SceneRun(const SceneRun&) = delete;
  SceneRun& operator=(const SceneRun&) = delete;
  /// After a fork, the device's memory is left to the process that took it.
  ~SceneRun() {
    if (process_ == getpid() || info_.name != "cuda") return;
    // Freeing what another process took would call into a driver that does not survive a fork.
    static_cast<void>(simulation_.release());
    static_cast<void>(backend_.release());
  }

  /// Returns work(simulation, watch) of the one thread that may use it now.
  template <class F>
  auto with(const char* task, F&& work) {
    const Use use(*this);
    return run_released(task, [&](SignalWatch& watch) {
      const LateWrites watched(*this);
      adopt_late_writes();
      return work(*simulation_, watch);
    });
  }
  /// Returns get(simulation) at once.
  template <class F>
  auto look(F&& get) {
    const Use use(*this);
    return get(*simulation_);
  }

  const std::vector<std::string>& notes() const { return notes_; }
  /// Sentences about motion that the precision has lost, and about springs that are too soft, once each.
  std::vector<std::string> warnings() { return std::exchange(warnings_, {}); }
  /// As OverlapWatch::largest(), with the present state; nothing without contact springs.
  std::optional<OverlapWatch::Largest> overlap() {
    return with("overlaps", [&](Simulation& s, SignalWatch&) -> std::optional<OverlapWatch::Largest> {
      if (!OverlapWatch::wants(s.scene().field)) return std::nullopt;
      watch_overlaps(s);
      return overlaps_.largest();
    });
  }

  const BackendInfo& backend() const { return info_; }

  u64 advance(u64 steps) {
    return with("steps", [&](Simulation& s, SignalWatch& watch) {
      require_all();
      return advance_watched(s, steps, kNoEnd, watch);
    });
  }

  u64 run_until(double until) {
    return with("steps", [&](Simulation& s, SignalWatch& watch) {
      require_all();
      const bool automatic = s.automatic();
      if (automatic) s.require_time_ahead(until, until < s.time());
      const u64 steps = automatic ? std::numeric_limits<u64>::max() : s.steps_until(until);
      return advance_watched(s, steps, automatic ? until : kNoEnd, watch);
    });
  }

  /// Returns what the format of the path leaves out.
  std::vector<std::string> save(const std::string& path) {
    return with("saving", [&](Simulation& s, SignalWatch&) {
      require_all();
      require_no_input(path);
      RunRecord record;
      record.scene = spec_, record.backend = info_.name;
      record.last_step = s.step_count();
      s.save(path, record);
      return lost_in(path, s.bodies(), s.scene());
    });
  }

  std::string text() {
    return look([this](Simulation& s) {
      return fmt::format("<triangulum.Simulation '{}': {} bodies, step {}, t = {:.9g}, {} on {}>", spec_, s.size(),
                         s.step_count(), s.time(), to_string(s.engine().config().precision), info_.name);
    });
  }

  /// The state itself until return_borrowed(); no step can be taken meanwhile.
  StateArrays borrow() {
    return with("arrays", [&](Simulation& s, SignalWatch&) {
      require_all();
      const StateArrays arrays = s.borrow();
      lent_ = true;
      return arrays;
    });
  }

  /// What the arrays of a block hold, for as long as they and their views live: their simulation, and one of arrays_.
  static nanobind::capsule new_owner(nanobind::handle self) {
    ++nanobind::cast<SceneRun&>(self).arrays_;
    return nanobind::capsule(self.inc_ref().ptr(), [](void* held) noexcept {
      const auto simulation = nanobind::steal(static_cast<PyObject*>(held));
      --nanobind::cast<SceneRun&>(simulation).arrays_;
    });
  }

  /// kept: somebody may have views of the arrays, and write them later.
  void return_borrowed(bool discard, bool kept) {
    with("arrays", [&](Simulation& s, SignalWatch&) {
      if (!lent_.exchange(false)) return;
      views_left_ = views_left_ || kept;
      if (s.return_borrowed(discard)) tell_of_written(s);
    });
  }

 private:
  /// Of simulations with views left: keeps a copy of the state to see between calls whether it was written.
  class LateWrites {
   public:
    explicit LateWrites(SceneRun& run) : run_(run) {}
    ~LateWrites() {
      run_.views_left_ &= run_.arrays_ > 0;
      if (!run_.views_left_ || run_.lent_) return;
      try {
        run_.simulation_->borrow();
      } catch (const std::exception&) {  // no memory for a copy
        run_.views_left_ = false;
      }
    }
    LateWrites(const LateWrites&) = delete;
    LateWrites& operator=(const LateWrites&) = delete;

   private:
    SceneRun& run_;
  };

  /// What a view wrote after its block acts as if it was written in one. Throws what return_borrowed() throws.
  void adopt_late_writes() {
    if (!views_left_ || lent_ || !simulation_->return_borrowed(false)) return;
    warn("a view of arrays() was written after its block; the simulation goes on from there, as from a block.");
    tell_of_written(*simulation_);
  }

  class Use {
   public:
    explicit Use(SceneRun& run) : busy_(run.busy_) {
      if (run.process_ != getpid() && run.info_.name == "cuda") {
        throw std::runtime_error(
            "this simulation is on a GPU, which a forked process cannot use; make it in the process that runs it "
            "(multiprocessing's method 'spawn'), or on backend='cpu'.");
      }
      if (busy_.exchange(true)) {
        throw std::runtime_error("this simulation is at work in another thread; wait for it, or give each its own.");
      }
    }
    ~Use() { busy_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::atomic<bool>& busy_;
  };

  void begin(Scene scene, const Choices& choices) {
    EngineConfig config;
    config.precision = usual_precision(scene, info_.triples_in_fp64);
    const EngineOverrides asked = overrides_of(scene.field, choices);
    apply_overrides(asked, config);
    for (const std::string& note : scene.notes) warn(note);  // nobody looks for what a command prints
    const bool lost = !resolution_loss(scene.bodies, scene.field, scene.dt, config.precision).empty();
    tell(precision_note(scene, info_.triples_in_fp64, config.precision, choices.precision.has_value()), lost);
    simulation_ = std::make_unique<Simulation>(std::move(scene), *backend_, config);
    check_effect(asked, simulation_->scene().field, simulation_->engine().config(), info_.name);
  }

  void go_on(Snapshot from, const Choices& choices) {
    EngineConfig config = from.engine;
    if (from.run.backend != info_.name) {  // which has its own best choices
      const EngineConfig none;
      config.pair_block = none.pair_block, config.triple_block = none.triple_block;
      config.broad_phase = none.broad_phase, config.threads = none.threads, config.slice_ms = none.slice_ms;
    }
    const EngineOverrides asked = overrides_of(from.scene.field, choices);
    if (asked.pairs.value_or(config.pairs) != config.pairs) config.pair_block = 0;  // of the other search
    apply_overrides(asked, config);
    for (const std::string& note : from.scene.notes) warn(note);
    tell(precision_note(from.scene, false, config.precision, true), true);
    simulation_ = std::make_unique<Simulation>(std::move(from), *backend_, config);
    check_effect(asked, simulation_->scene().field, simulation_->engine().config(), info_.name);
  }

  /// Returns read(), whose inputs save() does not replace, but for the file of the scene itself.
  template <class F>
  Scene listed(F&& read) {
    const io::ListedReads reads(inputs_);
    Scene scene = read();
    std::error_code failed;
    const std::string own = std::filesystem::absolute(spec_, failed).string();
    std::erase_if(inputs_, [&](const std::string& i) { return own == i || own.starts_with(i + ":"); });
    return scene;
  }

  void require_no_input(const std::string& path) const {
    std::error_code absent;
    for (const std::string& input : inputs_) {
      if (!std::filesystem::equivalent(path, input, absent)) continue;
      throw ConfigError(
          fmt::format("path is '{}', an input of this simulation, which would be lost; name another file.", path));
    }
  }

  void require_all() const {
    if (lent_)
      throw std::runtime_error("the arrays of this simulation are in use; leave the block `with sim.arrays()`.");
  }

  /// What a scene of such bodies would refuse or note, and a step will act on.
  void tell_of_written(Simulation& s) {
    overlaps_ = {}, motion_ = {}, watches_motion_ = true;
    Scene scene = s.scene();
    scene.bodies = s.bodies();
    tell(precision_note(scene, false, s.engine().config().precision, true), true);
    if (const std::string soft = soft_spring_warning(scene.bodies, scene.field); !soft.empty()) warn(soft);
    tell_of_columns(scene);
  }

  void tell_of_columns(const Scene& scene) {
    const ForceField& field = scene.field;
    const bool walls = field.box.boundary == Boundary::reflecting;
    if (!walls && field.pair != PairLaw::contact) return;
    const Bodies& bodies = scene.bodies;
    std::string said = walls ? scene::outside_walls(bodies, field.box) : "";
    if (!said.empty()) said += "; they are folded in or flung back.";
    if (const std::string missing = scene::missing_column(bodies, field).sentence; said.empty() && !missing.empty()) {
      said = missing + ": each counts as 0.";
    }
    if (said.empty() || std::find(notes_.begin(), notes_.end(), in_keywords(said)) != notes_.end()) return;
    warn(said);
  }

  /// lost: nothing was done about it.
  void tell(const std::string& loss, bool lost) {
    if (loss.empty()) return;
    watches_motion_ = false;
    lost ? warn(loss) : notes_.push_back(in_keywords(loss));
  }

  /// A note, and a warning.
  void warn(const std::string& text) {
    notes_.push_back(in_keywords(text));
    warnings_.push_back(notes_.back());
  }

  /// Looks for bodies that the precision has lost, during at most 5 % of the time, and where motion_ is due.
  void watch_motion(Simulation& s) {
    constexpr double kShare = 0.05;
    const u64 step = s.step_count(), first = s.first_step();
    if (!watches_motion_ || step == first) return;
    if (motion_.steps_to_look(step, first, s.size()) > 0 && kShare * worked_s_ < looked_s_) return;
    const Stopwatch watch;
    const double dt = s.automatic() ? s.step_lengths().last : s.scene().dt;
    tell(motion_.look(s.step_count(), s.bodies(), s.scene().field, dt, s.engine().config().precision), true);
    looked_s_ += watch.ms() / 1e3;
  }

  bool watches_overlaps(const Simulation& s) const {
    constexpr double kFree = 0.05, kShare = 0.05;  // seconds, and a part of the time
    return OverlapWatch::wants(s.scene().field) && overlaps_s_ < std::max(kFree, kShare * worked_s_);
  }

  void watch_overlaps(Simulation& s) {
    const Stopwatch watch;
    const std::string said = overlaps_.look(s.bodies(), s.scene().field, s.time());
    if (!said.empty()) warn(said);
    overlaps_s_ += watch.ms() / 1e3;
  }

  /// As Simulation::advance(), with a look at signals and overlaps between calls of the engine.
  u64 advance_watched(Simulation& s, u64 steps, double until, SignalWatch& watch) {
    const Stopwatch clock;
    const double before = worked_s_;
    u64 done = 0;
    while (done < steps) {
      watch.look();
      u64 now = std::min(steps - done, s.automatic() ? 1 : s.engine().steps_at_once());
      if (watches_overlaps(s) && overlaps_.steps_to_look(s.time(), s.scene().dt) == 0) watch_overlaps(s);
      if (watches_overlaps(s)) now = std::min(now, overlaps_.steps_to_look(s.time(), s.scene().dt));
      if (watches_motion_) now = std::min(now, motion_.steps_to_look(s.step_count(), s.first_step(), s.size()));
      now = s.advance(std::max<u64>(1, now), until);
      if (now == 0) break;
      done += now;
      worked_s_ = before + clock.ms() / 1e3;
      watch_motion(s);
    }
    if (watches_overlaps(s)) watch_overlaps(s);
    return done;
  }

  std::string spec_;
  std::unique_ptr<Backend> backend_;
  BackendInfo info_;
  std::unique_ptr<Simulation> simulation_;
  std::vector<std::string> inputs_;  ///< absolute paths
  std::vector<std::string> notes_;
  std::vector<std::string> warnings_;
  OverlapWatch overlaps_;
  double overlaps_s_ = 0;  ///< seconds of work on them
  MotionWatch motion_;
  bool watches_motion_ = true;  ///< until there was something to say
  double worked_s_ = 0, looked_s_ = 0;
  std::atomic<bool> busy_ = false, lent_ = false;
  std::atomic<int> arrays_ = 0;  ///< blocks of which an array, or a view of one, lives
  bool views_left_ = false;
  pid_t process_ = getpid();
};

// Simulation: a scene in motion, for Python. The class that users see (triangulum/_bodies.py) checks its arguments and
// is made of this one.

namespace {

namespace nb = nanobind;

/// Of motion that the precision has lost, and of springs that are too soft. Throws where the user made warnings errors.
/// level: 1 is the frame that called, 2 its caller, over a method of the package.
void warn(SceneRun& run, int level = 2) {
  for (const std::string& text : run.warnings()) {
    const nb::object words = text_of(text);  // names of files need not be UTF-8
    if (PyErr_WarnFormat(PyExc_RuntimeWarning, level, "%U", words.ptr()) != 0) throw nb::python_error();
  }
}

/// [n, columns] of a copy of the bodies; None of a column that they do not have.
template <std::size_t N>
nb::object columns_of(SceneRun& run, const std::array<std::vector<double> Bodies::*, N>& columns) {
  const Bodies bodies = run.with("reading bodies", [](Simulation& s, SignalWatch&) { return s.bodies(); });
  warn(run, 1);
  const std::size_t n = bodies.size();
  if ((bodies.*columns[0]).empty()) return nb::none();
  std::vector<double> values(N * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < N; ++k) values[N * i + k] = (bodies.*columns[k])[i];
  }
  return N == 1 ? numpy_array(std::move(values), {n}) : numpy_array(std::move(values), {n, N});
}

DiagnosticsRow row_of(SceneRun& run) {
  const DiagnosticsRow row = run.with("diagnostics", [](Simulation& s, SignalWatch&) {
    const DiagnosticsRow now = s.diagnostics();
    check_finite(now, s.scene().field);
    return now;
  });
  warn(run, 1);
  return row;
}

nb::dict dict_of(const DiagnosticsRow& row) {
  const auto vector = [](const std::array<double, 3>& v) { return nb::make_tuple(v[0], v[1], v[2]); };
  nb::dict to;
  to["step"] = row.step, to["time"] = row.time;
  to["kinetic"] = row.values.kinetic, to["potential"] = row.values.potential;
  to["energy"] = row.values.energy(), to["energy_error"] = row.energy_error;
  to["virial"] = row.values.virial, to["virial_ratio"] = row.values.virial_ratio();
  to["momentum"] = vector(row.values.momentum), to["angular_momentum"] = vector(row.values.angular_momentum);
  to["centre"] = vector(row.values.centre), to["mass"] = row.values.mass;
  return to;
}

/// The laws with the keys of a scene's file, as scene_of_bodies() takes them.
nb::dict laws_of(const ForceField& field) {
  nb::dict to;
  to["pair"] = pair_law_words(field), to["triple"] = triple_law_words(field);
  if (field.pair == PairLaw::gravity) to["G"] = field.gravity.G, to["eps"] = field.gravity.softening;
  for (const LawInfo& law : all_laws()) {
    if (!law.acts(field)) continue;
    for (const LawParameter& p : law.parameters) {
      if (p.scene == nullptr || !p.matters(field)) continue;
      if (p.real != nullptr) {
        to[p.scene] = p.value(field);
      } else if (std::string(p.yes) == "true") {
        to[p.scene] = p.is_set(field);
      } else {
        to[p.scene] = p.is_set(field) ? p.yes : p.no;
      }
    }
  }
  const auto vector = [](const std::array<double, 3>& v) { return nb::make_tuple(v[0], v[1], v[2]); };
  to["walls"] = to_string(field.box.boundary);
  if (field.box.boundary != Boundary::open) to["low"] = vector(field.box.low), to["high"] = vector(field.box.high);
  if (field.field != std::array<double, 3>{0, 0, 0}) to["field"] = vector(field.field);
  return to;
}

/// One array of the state, [n] or [n, 3], which keeps its simulation alive: of NumPy on the host; of a device with its
/// address, shape, steps in bytes and type, for CUDA's array interface.
template <class Real>
nb::object lent_array(nb::handle owner, const StateArrays& state, void* values, std::size_t n, bool columns) {
  const std::size_t shape[] = {n, 3};
  const i64 steps[] = {state.body, state.axis};
  const std::size_t dimensions = columns ? 2 : 1;
  if (state.device == StateArrays::kHost) {
    return nb::cast(nb::ndarray<nb::numpy, Real>(values, dimensions, shape, owner, steps));
  }
  constexpr i64 kBytes = sizeof(Real);
  const nb::object array = nb::cast(nb::ndarray<nb::array_api, Real>(
      values, dimensions, shape, owner, steps, nb::dtype<Real>(), nb::device::cuda::value, state.device));
  const auto address = reinterpret_cast<std::uintptr_t>(values);
  const char* const type = sizeof(Real) == 4 ? "<f4" : "<f8";
  if (!columns) return nb::make_tuple(array, address, nb::make_tuple(n), nb::make_tuple(kBytes * steps[0]), type);
  return nb::make_tuple(array, address, nb::make_tuple(n, 3), nb::make_tuple(kBytes * steps[0], kBytes * steps[1]),
                        type);
}

/// positions, velocities, masses, radii
nb::tuple borrow(nb::handle self) {
  SceneRun& run = nb::cast<SceneRun&>(self);
  const auto [n, precision] =
      run.look([](Simulation& s) { return std::pair(s.size(), s.engine().config().precision); });
  const StateArrays state = run.borrow();
  const nb::capsule owner = SceneRun::new_owner(self);
  const auto array = [&, n = n, precision = precision](void* values, bool columns) {
    return precision == Precision::fp32 ? lent_array<float>(owner, state, values, n, columns)
                                        : lent_array<double>(owner, state, values, n, columns);
  };
  return nb::make_tuple(array(state.position, true), array(state.velocity, true), array(state.mass, false),
                        array(state.radius, false));
}

/// The same of an object that Python does not know of yet.
void warn_made(SceneRun& run) {
  try {
    warn(run);
  } catch (...) {
    run.~SceneRun();
    throw;
  }
}

constexpr const char* kDoc = "A scene in motion: the compiled part of triangulum.Simulation.";

/// What get(simulation) returns at once.
template <class Get>
void property(nb::class_<SceneRun>& type, const char* name, const Get& get, const char* doc) {
  type.def_prop_ro(
      name, [get](SceneRun& run) { return run.look(get); }, doc);
}

void add_state(nb::class_<SceneRun>& type) {
  type.def_prop_ro(
      "diagnostics", [](SceneRun& run) { return dict_of(row_of(run)); },
      "Energies, momenta, virial and the relative energy error since step 0, or since arrays() changed the state;\n"
      "virial_ratio is -2 K / virial. Costs an evaluation of all pairs.");
  const auto column = [&]<std::size_t N>(const char* name, std::array<std::vector<double> Bodies::*, N> columns,
                                         const char* doc) {
    const auto values = [columns](SceneRun& run) { return columns_of<N>(run, columns); };
    const bool all = columns[0] != &Bodies::q;  // which not all bodies have
    const std::string type_of =
        fmt::format("def {}(self) -> numpy.typing.NDArray[numpy.float64]{}", name, all ? "" : " | None");
    type.def_prop_ro(name, values, nb::sig(type_of.c_str()), doc);
  };
  column("positions", std::array{&Bodies::x, &Bodies::y, &Bodies::z}, "(n, 3), a copy");
  column("velocities", std::array{&Bodies::vx, &Bodies::vy, &Bodies::vz}, "(n, 3), a copy");
  column("masses", std::array{&Bodies::m}, "(n,), a copy");
  column("radii", std::array{&Bodies::r}, "(n,), a copy; 0 for points");
  column("charges", std::array{&Bodies::q}, "(n,), a copy; None for bodies without.");
  property(
      type, "time", [](Simulation& s) { return s.time(); }, "The time of the present step.");
  property(
      type, "steps", [](Simulation& s) { return s.step_count(); }, "Steps taken since step 0.");
  type.def_prop_ro(
      "overlap_max",
      [](SceneRun& run) {
        const auto overlap = run.overlap();
        warn(run, 1);
        return overlap ? nb::object(nb::float_(overlap->of_radius)) : nb::none();
      },
      nb::sig("def overlap_max(self) -> float | None"),
      "The deepest overlap of two spheres that was seen, over the radius of the smaller one (at a wall: over that of\n"
      "the sphere), up to now; None without contact by springs. Steps are looked at as often as the speeds ask for,\n"
      "in at most a twentieth of the time.");
  type.def_prop_ro(
      "notes",
      [](SceneRun& run) {
        nb::list notes;
        for (const std::string& note : run.notes()) notes.append(text_of(in_keywords(note)));
        return notes;
      },
      nb::sig("def notes(self) -> list[str]"), "What a reader of files assumed or skipped, a sentence each.");
}

/// What is computed, and how.
void add_parameters(nb::class_<SceneRun>& type) {
  type.def_prop_ro(
      "laws", [](SceneRun& run) { return laws_of(run.look([](Simulation& s) { return s.scene().field; })); },
      nb::sig("def laws(self) -> dict[str, object]"),
      "The laws that act and their parameters, as Simulation(laws=) and scene files name them.");
  property(
      type, "dt", [](Simulation& s) { return s.scene().dt; },
      "The time step; with eta > 0 that of a run without a force.");
  property(
      type, "eta", [](Simulation& s) { return s.scene().eta; },
      "The accuracy of steps of automatic length; 0: steps of dt.");
  property(
      type, "integrator", [](Simulation& s) { return to_string(s.scene().integrator); },
      "'kdk', 'symplectic-euler', 'yoshida4' or 'hermite'.");
  property(
      type, "units", [](Simulation& s) { return s.scene().units; }, "The system of units, or words.");
  const auto map_of = [](Simulation& s) {
    const EngineConfig& c = s.engine().config();
    const bool triples = s.scene().field.triple != TripleLaw::none && s.scene().field.pair == PairLaw::none;
    return std::string(triples ? info(c.triple_map).name : info(c.pair_map).name);
  };
  property(type, "map", map_of, "The map of pairs; of triples where there is no law of pairs.");
  property(
      type, "precision", [](Simulation& s) { return to_string(s.engine().config().precision); },
      "'fp32' or 'fp64': of the state and of the terms of sums.");
  property(
      type, "accumulate", [](Simulation& s) { return to_string(s.engine().config().accumulate); },
      "'fast' or 'ordered'.");
  property(
      type, "pairs", [](Simulation& s) { return to_string(s.engine().config().pairs); },
      "'all', or 'tree': far pairs of gravity by series.");
  type.def_prop_ro(
      "tolerance",
      [](SceneRun& run) {
        const EngineConfig c = run.look([](Simulation& s) { return s.engine().config(); });
        const bool asked = c.arithmetic == Arithmetic::tensor && c.tolerance != Tolerance::automatic;
        return c.pairs == PairSearch::tree || asked ? nb::object(nb::float_(tree_tolerance(c))) : nb::none();
      },
      nb::sig("def tolerance(self) -> float | None"),
      "The rms error that accelerations may have, relative to their rms; None of plain sums over all pairs.");
  type.def_prop_ro(
      "backend", [](SceneRun& run) { return run.backend().name; }, "'cpu' or 'cuda'.");
  type.def_prop_ro(
      "device", [](SceneRun& run) { return run.backend().device; }, "The processor or card, by name.");
  type.def("__len__", [](SceneRun& run) { return run.look([](Simulation& s) { return s.size(); }); });
}

void add_making(nb::class_<SceneRun>& type) {
  type.def(
      "__init__",
      [](SceneRun* self, const std::filesystem::path& scene, const Settings& settings, const Name& map,
         const Name& precision, const Name& accumulate, const Name& backend, const Name& pairs, const Name& tolerance) {
        run_released("starting", [&](SignalWatch&) {
          new (self) SceneRun(scene.string(), settings, {map, precision, accumulate, backend, pairs, tolerance});
          return 0;
        });
        warn_made(*self);
      },
      nb::arg("scene"), nb::arg("settings"), nb::arg("map").none(), nb::arg("precision").none(),
      nb::arg("accumulate").none(), nb::arg("backend").none(), nb::arg("pairs").none(), nb::arg("tolerance").none());
  type.def(
      "__init__",
      [](SceneRun* self, const GivenArray& positions, const GivenArray& velocities, const GivenArray& masses,
         const GivenArray& radii, const GivenArray* charges, const Settings& settings, const Name& map,
         const Name& precision, const Name& accumulate, const Name& backend, const Name& pairs, const Name& tolerance) {
        Bodies bodies = bodies_of<double>({positions, &velocities, &masses, 0, &radii, 0, charges, 0});
        run_released("starting", [&](SignalWatch&) {
          new (self) SceneRun(std::move(bodies), settings, {map, precision, accumulate, backend, pairs, tolerance});
          return 0;
        });
        warn_made(*self);
      },
      nb::arg("positions"), nb::arg("velocities"), nb::arg("masses"), nb::arg("radii"), nb::arg("charges").none(),
      nb::arg("settings"), nb::arg("map").none(), nb::arg("precision").none(), nb::arg("accumulate").none(),
      nb::arg("backend").none(), nb::arg("pairs").none(), nb::arg("tolerance").none());
}

void add_arrays(nb::class_<SceneRun>& type) {
  type.def(
      "_borrow", [](nb::handle self) { return borrow(self); }, "The state itself, until return_borrowed().");
  type.def(
      "_return_borrowed",
      [](SceneRun& run, bool discard, bool kept) {
        run.return_borrowed(discard, kept);
        warn(run, 3);
      },
      nb::arg("discard"), nb::arg("kept"),
      "Goes on with what was written, or without it; kept: views may be left, and be written later.");
}

}  // namespace

void add_simulation(nb::module_& module) {
  module.def(
      "holds_run", [](const std::filesystem::path& path) { return holds_run(path.string()); }, nb::arg("path"),
      "Whether a file is a snapshot of a run.");
  nb::class_<SceneRun> type(module, "Simulation", kDoc);
  add_making(type);
  type.def("__repr__", [](SceneRun& run) { return text_of(run.text()); });
  type.def(
      "__reduce__",
      [](const SceneRun&) -> nb::object {
        throw nb::type_error("a Simulation cannot be pickled; save() it to a .h5 file and open that.");
      },
      nb::sig("def __reduce__(self) -> tuple"));
  type.def(
      "step",
      [](SceneRun& run, i64 n) {
        if (n < 0) throw ConfigError(fmt::format("n is {}; give 0 steps or more.", n));
        run.advance(static_cast<u64>(n));
        warn(run);
      },
      nb::arg("n") = 1);
  type.def(
      "run",
      [](SceneRun& run, double until) {
        const u64 steps = run.run_until(until);
        warn(run);
        return steps;
      },
      nb::kw_only(), nb::arg("until"));
  type.def(
      "energy", [](SceneRun& run) { return row_of(run).values.energy(); },
      "Kinetic and potential energy of the present state. Costs an evaluation of all pairs.");
  type.def(
      "hash",
      [](SceneRun& run) {
        const u64 hash = run.with("hash", [](Simulation& s, SignalWatch&) { return s.state_hash(); });
        warn(run, 1);
        return hash_text(hash);
      },
      "The hash of the bits of positions and velocities, as `triangulum run` prints it.");
  type.def(
      "save",
      [](SceneRun& run, const std::filesystem::path& path) {
        for (const std::string& lost : run.save(path.string())) {
          if (PyErr_WarnEx(PyExc_RuntimeWarning, lost.c_str(), 2) != 0) throw nb::python_error();
        }
        warn(run);
      },
      nb::arg("path"));
  add_arrays(type);
  add_state(type);
  add_parameters(type);
}

}  // namespace tri::python
