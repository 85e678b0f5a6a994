// A session that is changed or that shows recorded files: series of snapshots, edits, undo.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/session.hpp"
#include "app/session/session_model.hpp"
#include "app/support/language.hpp"
#include "app/support/run_config.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/io/format.hpp"
#include "sim/io/formats.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {
namespace {

namespace fs = std::filesystem;

/// A file name around its number.
struct NumberedName {
  std::string before, after;
};

std::optional<NumberedName> numbered_name(const std::string& text) {
  const std::string name = fs::path(text).filename().string();
  for (const std::string& sign : {std::string("{step}"), std::string("*")}) {
    const std::size_t at = name.find(sign);
    if (at != std::string::npos) return NumberedName{name.substr(0, at), name.substr(at + sign.size())};
  }
  return std::nullopt;
}

std::optional<u64> number_between(const std::string& name, const NumberedName& form) {
  if (name.size() <= form.before.size() + form.after.size()) return std::nullopt;
  if (!name.starts_with(form.before) || !name.ends_with(form.after)) return std::nullopt;
  const char* const begin = name.data() + form.before.size();
  const char* const end = name.data() + name.size() - form.after.size();
  u64 number = 0;
  const auto [stop, problem] = std::from_chars(begin, end, number);
  return problem == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// The last digits in a name.
std::optional<u64> last_number(const std::string& name) {
  const std::size_t end = name.find_last_of("0123456789");
  if (end == std::string::npos) return std::nullopt;
  const std::size_t before = name.find_last_not_of("0123456789", end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  u64 number = 0;
  const auto problem = std::from_chars(name.data() + begin, name.data() + end + 1, number).ec;
  return problem == std::errc() ? std::optional(number) : std::nullopt;
}

std::vector<Series::Entry> entries_of_list(const std::string& path) {
  std::vector<Series::Entry> entries;
  for (const io::PvdEntry& e : io::read_pvd_entries(path)) {
    entries.push_back({(fs::path(path).parent_path() / e.file).string(), 0, e.time});
  }
  if (entries.empty()) throw FileError(phrase("'{}' lists no files, and so no bodies.", path));
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  // The numbers of the files where they rise with time, else their places.
  bool rise = true;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto number = last_number(fs::path(entries[k].path).stem().string());
    rise = rise && number && (k == 0 || *number > entries[k - 1].step);
    if (rise) entries[k].step = *number;
  }
  for (std::size_t k = 0; k < entries.size() && !rise; ++k) entries[k].step = k;
  return entries;
}

std::vector<Series::Entry> entries_of_folder(const std::string& text) {
  const NumberedName form = numbered_name(text).value();
  const fs::path folder = fs::path(text).parent_path();
  std::vector<Series::Entry> entries;
  std::error_code problem;
  for (const auto& file : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, problem)) {
    const std::string name = file.path().filename().string();
    if (const auto number = number_between(name, form)) {
      entries.push_back({(folder / name).string(), *number, static_cast<double>(*number)});
    }
  }
  if (entries.empty()) throw FileError(phrase("there is no file '{}' with a number in place of the sign.", text));
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  const auto twice =
      std::adjacent_find(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.step == b.step; });
  if (twice != entries.end()) {
    throw FileError(phrase("'{}' and '{}' have the same number.", twice->path, std::next(twice)->path));
  }
  return entries;
}

}  // namespace

bool Series::is_named_by(const std::string& text) {
  if (format_name(text) == "pvd") return true;
  std::error_code ignored;
  return has_known_extension(text) && numbered_name(text) && !fs::exists(text, ignored);
}

Series::Series(const std::string& text)
    : entries_(format_name(text) == "pvd" ? entries_of_list(text) : entries_of_folder(text)) {}

std::string Series::note() const {
  return phrase("a recorded run of {}, step {} to {}.", counted(entries_.size(), "state"),
                grouped(entries_.front().step), grouped(entries_.back().step));
}

double Series::usual_pace() const {
  constexpr double kStatesASecond = 10;
  const double gaps = static_cast<double>(entries_.size()) - 1;
  return gaps > 0 ? kStatesASecond * (entries_.back().time - entries_.front().time) / gaps : 0;
}

std::size_t Series::at(u64 step) const {
  const auto after =
      std::upper_bound(entries_.begin(), entries_.end(), step, [](u64 s, const Entry& e) { return s < e.step; });
  return after == entries_.begin() ? 0 : static_cast<std::size_t>(after - entries_.begin()) - 1;
}

std::size_t Series::at_time(double time, std::size_t from) const {
  while (from + 1 < entries_.size() && entries_[from + 1].time <= time) ++from;
  return from;
}

// A recorded run in a session: its states are read and shown, and none is computed, until the session goes on from one.

/// Reads a state. Touches neither session nor model.
struct Session::FrameJob {
  Backend& backend;
  EngineConfig config;
  Series::Entry entry;
  std::size_t index;
  DiagnosticsRow initial;

  std::unique_ptr<Simulation> simulation = nullptr;
  Bodies bodies = {};
  double time = 0;
  std::exception_ptr failure = nullptr;

  void run() noexcept {
    try {
      auto [scene, run] = scene_to_view(entry.path);
      auto engine = make_fitting_engine(backend, scene, config);
      bodies = std::move(scene.bodies);
      const Clock clock = run ? run->clock : Clock{entry.step, entry.time};
      simulation =
          std::make_unique<Simulation>(std::move(scene), clock, run ? run->initial : initial, std::move(engine));
      time = run ? clock.time : entry.time;
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

void Session::show_series() {
  const std::vector<Series::Entry>& entries = series_->entries();
  TimelineModel& shown = model_.timeline;
  shown = {};
  shown.kept = shown.recorded = true;
  for (const Series::Entry& e : entries) shown.keyframes.push_back({e.step, e.time});
  shown.first = entries.front().step, shown.last = entries.back().step, shown.last_time = entries.back().time;
  frame_ = 0;
  model_.steps = shown.first;
  if (simulation_->time() == 0) model_.time = entries.front().time;
  if (keeps_pace_) model_.pace = series_->usual_pace();
}

/// Time to the next state, recorded or to be computed.
double Session::next_step() const {
  if (!series_) return model_.scene.dt;
  const std::vector<Series::Entry>& entries = series_->entries();
  return entries[std::min(frame_ + 1, entries.size() - 1)].time - entries[frame_].time;
}

/// What a recorded run does at a request; false where it is that of any other.
bool Session::ask_series(const Request& request) {
  const auto last = series_->entries().size() - 1;
  const auto seek = [this](std::size_t to) {
    model_.timeline.seek = {model_.steps, series_->entries()[to].step};
    model_.running &= to != frame_;
  };
  const std::size_t now = model_.timeline.seek ? series_->at(model_.timeline.seek->to) : frame_;
  if (std::holds_alternative<ask::Reset>(request)) {
    seek(0);
  } else if (const auto* take = std::get_if<ask::Take>(&request)) {
    if (take->steps > last - now)
      note(phrase("the recorded run ends at step {}.", grouped(model_.timeline.last)), false);
    seek(now + static_cast<std::size_t>(std::min<u64>(take->steps, last - now)));
  } else if (const auto* until = std::get_if<ask::RunUntil>(&request)) {
    seek(series_->at_time(until->time, 0));
  } else if (const auto* back = std::get_if<ask::StepBack>(&request)) {
    if (back->steps > now) throw ConfigError(phrase("there are {} before this one.", counted(now, "state")));
    seek(now - static_cast<std::size_t>(back->steps));
  } else if (const auto* go = std::get_if<ask::GoTo>(&request)) {
    if (go->step < model_.timeline.first || go->step > model_.timeline.last) {
      throw ConfigError(phrase("step {} is not recorded: this run goes from step {} to {}.", go->step,
                               model_.timeline.first, model_.timeline.last));
    }
    seek(series_->at(go->step));
  } else if (std::holds_alternative<ask::Branch>(request)) {
    const u64 before = generation_, opened = opened_, n = model_.n;
    open(std::string(series_->entries()[frame_].path), {});
    model_.running = false;
    if (model_.n == n) generation_ = before, opened_ = opened;  // the same bodies: the picture stays
  } else if (std::holds_alternative<ask::Open>(request) || std::holds_alternative<ask::Run>(request) ||
             std::holds_alternative<ask::StepsPerFrame>(request) || std::holds_alternative<ask::PaceOfTime>(request)) {
    return false;
  } else {
    throw ConfigError(
        "this is a recorded run. Branch here goes on from the state that is shown; then it can be changed and saved.");
  }
  return true;
}

/// The state to be shown next; false where it is the one that is shown.
bool Session::plan_frame() {
  failure_ = nullptr;
  model_.steps_last_frame = 0;
  const std::vector<Series::Entry>& entries = series_->entries();
  std::size_t next = frame_;
  if (model_.timeline.seek) {
    next = series_->at(model_.timeline.seek->to);
  } else if (model_.running && model_.pace > 0) {
    next = series_->at_time(entries[frame_].time + due_, frame_);
  } else if (model_.running) {
    next = std::min<std::size_t>(frame_ + model_.steps_per_frame, entries.size() - 1);
  }
  if (next == frame_) {
    model_.timeline.seek.reset();
    if (frame_ + 1 == entries.size()) model_.running = false;
    return false;
  }
  const DiagnosticsRow initial = model_.diagnostics.empty() ? DiagnosticsRow{} : model_.diagnostics.front();
  frame_job_ = std::make_shared<FrameJob>(FrameJob{*backend_, model_.asked, entries[next], next, initial});
  return true;
}

void Session::show_next(bool on_thread) {
  TRI_EXPECTS(!busy());
  if (!plan_frame()) return;
  begun_at_ = clock_s();
  if (on_thread) return thread_.begin([job = frame_job_] { job->run(); });
  frame_job_->run();
  account_frame();
}

void Session::account_frame() {
  const std::shared_ptr<FrameJob> job = std::exchange(frame_job_, nullptr);
  model_.timeline.seek.reset();
  if (job->failure) {
    failure_ = job->failure;
    model_.running = false;
    recover(job->failure);
    return;
  }
  model_.steps_last_frame = job->index > frame_ ? job->index - frame_ : frame_ - job->index;
  due_ = std::max(0.0, due_ - std::abs(job->entry.time - series_->entries()[frame_].time));
  frame_ = job->index;
  simulation_ = std::move(job->simulation);
  first_ = first_population(std::move(job->bodies));
  model_.first_step = simulation_->first_step();
  model_.scene = simulation_->scene();
  model_.asked = job->config, model_.engine = engine().config();
  model_.steps = job->entry.step, model_.time = job->time;
  copy_ = {};
  if (model_.n == first_->bodies.size()) {
    model_.population = first_;  // the picture stays
  } else {
    ++opened_;
    show_bodies(first_);
  }
}

// Bodies that are added, changed and deleted by hand: at the present step, so that undo and steps back know them.

namespace {

bool is_finite(const std::array<double, 3>& v) {
  return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

/// Throws ConfigError for what no body can be; `before`: what it was, and may stay.
void check_values(const BodyValues& b, const BodyValues* before, const ForceField& field) {
  if (!is_finite(b.place) || !is_finite(b.velocity) || !std::isfinite(b.mass) || !std::isfinite(b.radius)) {
    throw ConfigError("a value of the body is not finite.");
  }
  const bool mass_stays = before != nullptr && before->mass == b.mass;
  const bool radius_stays = before != nullptr && before->radius == b.radius;
  if (!(b.mass > 0) && !mass_stays) {
    throw ConfigError(phrase("the mass is {:.6g}, but it must be more than 0.", b.mass));
  }
  if (b.radius < 0) throw ConfigError(phrase("the radius is {:.6g}, but it must not be below 0.", b.radius));
  if (field.pair == PairLaw::contact && b.radius == 0 && !radius_stays) {
    throw ConfigError("the radius is 0, but spheres that touch must have one: choose a radius above 0.");
  }
  Bodies one;
  one.add(b.place[0], b.place[1], b.place[2], 0, 0, 0, 1);
  if (const bool moved = before == nullptr || before->place != b.place;
      moved && !scene::outside_walls(one, field.box).empty()) {
    const auto &p = b.place, &low = field.box.low, &high = field.box.high;
    throw ConfigError(
        phrase("({:.6g}, {:.6g}, {:.6g}) is outside the walls from ({:.6g}, {:.6g}, {:.6g}) to "
               "({:.6g}, {:.6g}, {:.6g}).",
               p[0], p[1], p[2], low[0], low[1], low[2], high[0], high[1], high[2]));
  }
}

std::string count_of(std::size_t bodies) { return counted(bodies, "body", "bodies"); }

/// "velocity of 2,048 bodies changed by 0, 0, 0.8 km/s".
std::string what_changes(std::size_t bodies, const BodiesChange& to, const UnitSystem* units) {
  const std::string count = count_of(bodies);
  std::vector<std::string> all;
  if (to.speed != 1) all.push_back(phrase("velocity of {} times {:.6g}", count, to.speed));
  if (to.kick != std::array<double, 3>{}) {
    const ClockUnit unit = reading_unit(units, "velocity");
    all.push_back(phrase("velocity of {} changed by {:.6g}, {:.6g}, {:.6g}{}", count, unit.size * to.kick[0],
                         unit.size * to.kick[1], unit.size * to.kick[2], unit.behind));
  }
  if (to.mass) all.push_back(phrase("mass of {} now {:.6g}{}", count, *to.mass, unit_behind(units, "mass")));
  if (to.group) all.push_back(phrase("group of {} now {}", count, *to.group));
  return all.empty() ? phrase("{} changed", count) : fmt::format("{}", fmt::join(all, ", "));
}

void check_indices(const std::vector<u32>& bodies, std::size_t n) {
  if (bodies.empty()) throw ConfigError("no body is selected.");
  for (const u32 i : bodies) {
    if (i >= n) throw ConfigError(phrase("there is no body {}: the last is {}.", i, n - 1));
  }
}

}  // namespace

void Session::add_bodies(const std::vector<BodyValues>& added) {
  const Bodies before = engine().read();
  if (added.empty()) throw ConfigError("no body is given.");
  if (added.size() >= ~u32{0} - next_id_) throw ConfigError("too many bodies were added; open the scene again.");
  Bodies bodies = before;
  std::vector<u32> ids = model_.population->ids;
  for (const BodyValues& b : added) {
    check_values(b, nullptr, model_.scene.field);
    bodies.add(b.place[0], b.place[1], b.place[2], b.velocity[0], b.velocity[1], b.velocity[2], b.mass, b.radius);
    ids.push_back(next_id_++);
  }
  edit(before, std::move(bodies), std::move(ids), phrase("{} added", count_of(added.size())));
  for (std::size_t k = model_.n - added.size(); k < model_.n && !model_.names.empty(); ++k) {
    const u32 id = model_.population->ids[k];
    model_.names.emplace(id, phrase("body {}", id));
  }
  note(added.size() == 1 ? phrase("body {} was added.", grouped(model_.n - 1))
                         : phrase("{} were added.", count_of(added.size())),
       false);
}

/// Those of the scene; none where its file changed since it was opened.
void Session::name_bodies() {
  model_.names.clear();
  try {
    const std::vector<std::string>& of_file = model_.scene.names;
    const std::vector<std::string> names = of_file.empty() ? body_names(model_.spec) : of_file;
    for (std::size_t k = 0; k < names.size() && names.size() <= model_.n; ++k) {
      if (!names[k].empty()) model_.names.emplace(static_cast<u32>(k), names[k]);
    }
  } catch (const Error&) {
    model_.names.clear();
  }
}

void Session::rename(u32 body, const std::string& name) {
  check_indices({body}, model_.n);
  const u32 id = model_.population->ids[body];
  name.empty() ? void(model_.names.erase(id)) : void(model_.names[id] = name);
}

void Session::change_body(u32 body, const BodyChange& change) {
  const Bodies before = engine().read();
  check_indices({body}, before.size());
  const BodyValues was = values_of(before, body), to = change.of(was);
  if (to == was) return;
  check_values(to, &was, model_.scene.field);
  Bodies b = before;
  b.x[body] = to.place[0], b.y[body] = to.place[1], b.z[body] = to.place[2];
  b.vx[body] = to.velocity[0], b.vy[body] = to.velocity[1], b.vz[body] = to.velocity[2];
  b.m[body] = to.mass, b.r[body] = to.radius;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!b.rest.empty() && to.place[axis] != was.place[axis]) b.rest[3 * std::size_t{body} + axis] = 0;
  }
  edit(before, std::move(b), model_.population->ids, phrase("body {} changed", body));
}

void Session::change_bodies(const std::vector<u32>& bodies, const BodiesChange& change) {
  const Bodies before = engine().read();
  check_indices(bodies, before.size());
  constexpr u32 kMaxGroup = std::numeric_limits<std::uint16_t>::max();
  if (change.group && *change.group > kMaxGroup) {
    throw ConfigError(phrase("the group is {}, but the highest is {}.", *change.group, kMaxGroup));
  }
  Bodies b = before;
  if (change.group) b.group.resize(b.size(), 0);
  for (const u32 i : bodies) {
    const BodyValues was = values_of(before, i);
    BodyValues to = was;
    for (std::size_t a = 0; a < 3; ++a) to.velocity[a] = change.speed * to.velocity[a] + change.kick[a];
    to.mass = change.mass.value_or(was.mass);
    check_values(to, &was, model_.scene.field);
    b.vx[i] = to.velocity[0], b.vy[i] = to.velocity[1], b.vz[i] = to.velocity[2], b.m[i] = to.mass;
    if (change.group) b.group[i] = static_cast<std::uint16_t>(*change.group);
  }
  const std::string what = what_changes(bodies.size(), change, find_unit_system(model_.scene.units));
  edit(before, std::move(b), model_.population->ids, what);
  note(what + ".", false);
}

void Session::delete_bodies(const std::vector<u32>& deleted) {
  const Bodies before = engine().read();
  check_indices(deleted, before.size());
  std::vector<bool> goes(before.size());
  for (const u32 i : deleted) goes[i] = true;
  std::vector<u32> stay, ids;
  for (u32 i = 0; i < before.size(); ++i) {
    if (!goes[i]) stay.push_back(i), ids.push_back(model_.population->ids[i]);
  }
  if (stay.empty()) throw ConfigError("the last body cannot be deleted: a scene has one at least.");
  edit(before, only(before, stay), std::move(ids), phrase("{} deleted", count_of(before.size() - stay.size())));
  note(phrase("{} deleted; Ctrl+Z brings {} back.", count_of(before.size() - stay.size()),
              before.size() - stay.size() == 1 ? "it" : "them"),
       false);
}

void Session::export_bodies(const std::string& path, const std::vector<u32>& bodies) {
  const Bodies now = engine().read();
  check_indices(bodies, now.size());
  write_bodies(path, only(now, bodies), state_of(model_.scene, model_.time));
  const std::vector<std::string> lost = lost_in(path, now, model_.scene);
  note(phrase("wrote {} with {}{}", path, count_of(bodies.size()),
              lost.empty() ? "" : fmt::format(". {}", fmt::join(lost, " "))),
       false);
}

/// An engine is made beside the present one and then takes its place; when that fails, nothing has changed.
void Session::edit(const Bodies& before, Bodies bodies, std::vector<u32> ids, const std::string& what) {
  if (model_.broken) throw ConfigError("the state holds a value that is not finite. Step back first.");
  check(bodies);
  const PopulationPtr was = model_.population;
  Scene scene = model_.scene;
  scene.bodies = std::move(bodies);
  EngineConfig asked = model_.asked;
  auto engine = make_fitting_engine(*backend_, scene, asked);
  auto state = timeline_ ? engine->save_state() : nullptr;
  const bool left = timeline_ && timeline_->replays(model_.steps);
  if (left) timeline_->prepare_branch(*simulation_, model_.asked);
  BeforeEdit change = before_edit(before, left);
  const bool maps_stay = asked.pair_map == model_.asked.pair_map && asked.triple_map == model_.asked.triple_map;
  if (!maps_stay) note("the map does not fit so many bodies; the default one is in use.", false);
  simulation_->adopt_bodies(std::move(engine));
  settle(asked, std::make_shared<Population>(Population{std::move(scene.bodies), std::move(ids), was->edits + 1}),
         std::move(state));
  remember(std::move(change), what);
}

/// The simulation has an engine with other bodies: so have timeline and model.
void Session::settle(const EngineConfig& asked, const PopulationPtr& population, std::unique_ptr<SavedState> state) {
  if (state) {
    const bool left = timeline_->replays(simulation_->step_count());
    timeline_->edit(left ? ++runs_ : timeline_->run(), *simulation_, asked, population, std::move(state));
    if (left) model_.timeline.other_rows = split_rows_after(simulation_->step_count());
  }
  adopt(asked);
  show_clock();
  show_bodies(population);
  show_timeline();
  copy_ = {model_.backend.name == "cpu" ? Bodies{} : population->bodies, model_.steps, model_.time};
  if (model_.steps == model_.first_step) first_ = population;
  diagnosed_step_ = ~u64{0};
  watch_anew();
}

/// The model shows these bodies.
void Session::show_bodies(const PopulationPtr& population) {
  if (model_.population == population) return;
  model_.population = population;
  model_.n = population->bodies.size();
  model_.groups = group_count(population->bodies);
  model_.inspected.reset(), model_.survey.reset();
  step_seconds_.reset();
  ++generation_;
  update_maps();
}

/// Whether this run is kept: it becomes the present one.
bool Session::swap_to(u64 run) {
  if (!timeline_ || run == 0) return false;
  if (timeline_->run() == run) return true;
  if (!timeline_->other() || timeline_->other()->run != run) return false;
  timeline_->swap_branches();
  swap_rows();
  return true;
}

/// The run without the edit goes on from there; with later steps, the one with it becomes the other branch.
void Session::restore(const BeforeEdit& before) {
  const Simulation::Mark& mark = before.mark;
  const u64 run = timeline_ ? timeline_->run() : 0;
  if (!model_.broken) inverse_ = before_edit(engine().read(), false);
  // Where this leads to another run, the present one stays as the other branch.
  const auto was_left = [&] {
    auto* const now_there = inverse_ ? std::get_if<BeforeEdit>(&*inverse_) : nullptr;
    if (now_there != nullptr) now_there->left = timeline_ && timeline_->run() != run;
  };
  const bool kept = swap_to(before.run) && timeline_->first() <= mark.steps && mark.steps <= timeline_->last();
  if (kept && before.left) {
    model_.broken = false;
    go_to(mark.steps, false);
    restore_row(mark.steps == model_.steps ? before.row : std::nullopt);
    return was_left();
  }
  Scene scene = model_.scene;
  scene.field = mark.parameters.field, scene.bodies = before.population->bodies;
  EngineConfig asked = before.asked;
  auto engine = make_fitting_engine(*backend_, scene, asked);
  auto state = kept ? engine->save_state() : nullptr;
  end_seek();
  simulation_->return_to(mark, nullptr, nullptr, std::move(engine));
  model_.broken = false, model_.steps_asked = 0;
  due_ = 0;
  split_rows_after(mark.steps);
  settle(asked, before.population, std::move(state));
  restore_row(before.row);
  kept ? was_left() : begin_timeline();
}

}  // namespace tri::app
