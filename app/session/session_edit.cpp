// Bodies that are added, changed and deleted by hand: at the present step, so that undo and steps back know them.

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/session.hpp"
#include "sim/base/error.hpp"
#include "sim/io/format.hpp"
#include "sim/scene/scene_checks.hpp"

namespace tri::app {
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
    throw ConfigError(fmt::format("the mass is {:.6g}, but it must be more than 0.", b.mass));
  }
  if (b.radius < 0) throw ConfigError(fmt::format("the radius is {:.6g}, but it must not be below 0.", b.radius));
  if (field.pair == PairLaw::contact && b.radius == 0 && !radius_stays) {
    throw ConfigError("the radius is 0, but spheres that touch must have one: choose a radius above 0.");
  }
  Bodies one;
  one.add(b.place[0], b.place[1], b.place[2], 0, 0, 0, 1);
  if (const bool moved = before == nullptr || before->place != b.place;
      moved && !scene::outside_walls(one, field.box).empty()) {
    const auto &p = b.place, &low = field.box.low, &high = field.box.high;
    throw ConfigError(
        fmt::format("({:.6g}, {:.6g}, {:.6g}) is outside the walls from ({:.6g}, {:.6g}, {:.6g}) to "
                    "({:.6g}, {:.6g}, {:.6g}).",
                    p[0], p[1], p[2], low[0], low[1], low[2], high[0], high[1], high[2]));
  }
}

std::string count_of(std::size_t bodies) { return fmt::format("{} {}", bodies, bodies == 1 ? "body" : "bodies"); }

void check_indices(const std::vector<u32>& bodies, std::size_t n) {
  if (bodies.empty()) throw ConfigError("no body is selected.");
  for (const u32 i : bodies) {
    if (i >= n) throw ConfigError(fmt::format("there is no body {}: the last is {}.", i, n - 1));
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
  edit(before, std::move(bodies), std::move(ids));
  note(added.size() == 1 ? fmt::format("body {} was added.", model_.n - 1)
                         : fmt::format("{} were added.", count_of(added.size())),
       false);
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
  edit(before, std::move(b), model_.population->ids);
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
  edit(before, only(before, stay), std::move(ids));
  note(fmt::format("{} deleted; Ctrl+Z brings {} back.", count_of(before.size() - stay.size()),
                   before.size() - stay.size() == 1 ? "it" : "them"),
       false);
}

void Session::export_bodies(const std::string& path, const std::vector<u32>& bodies) {
  const Bodies now = engine().read();
  check_indices(bodies, now.size());
  write_bodies(path, only(now, bodies), StateInfo{model_.time, model_.scene.units, model_.scene.field.box});
  const std::vector<std::string> lost = lost_in(path, now, model_.scene);
  note(fmt::format("wrote {} with {}{}", path, count_of(bodies.size()),
                   lost.empty() ? "" : fmt::format(". {}", fmt::join(lost, " "))),
       false);
}

/// An engine is made beside the present one and then takes its place; when that fails, nothing has changed.
void Session::edit(const Bodies& before, Bodies bodies, std::vector<u32> ids) {
  if (model_.broken) throw ConfigError("the state holds a value that is not finite. Step back first.");
  check(bodies);
  const PopulationPtr was = model_.population;
  Scene scene = model_.scene;
  scene.bodies = std::move(bodies);
  EngineConfig asked = model_.asked;
  auto engine = make_fitting_engine(*backend_, scene, asked);
  auto state = timeline_ ? engine->keep() : nullptr;
  const bool left = timeline_ && timeline_->replays(model_.steps);
  if (left) timeline_->prepare_branch(*simulation_, model_.asked);
  BeforeEdit change{simulation_->mark(), model_.asked,
                    std::make_shared<Population>(Population{before, was->ids, was->edits}),
                    timeline_ ? timeline_->run() : 0, left};
  const bool maps_stay = asked.pair_map == model_.asked.pair_map && asked.triple_map == model_.asked.triple_map;
  if (!maps_stay) note("the map does not fit so many bodies; the default one is in use.", false);
  simulation_->take_bodies(std::move(engine));
  settle(asked, std::make_shared<Population>(Population{std::move(scene.bodies), std::move(ids), was->edits + 1}),
         std::move(state));
  remember(std::move(change));
}

/// The simulation has an engine with other bodies: so have timeline and model.
void Session::settle(const EngineConfig& asked, const PopulationPtr& population, std::unique_ptr<KeptState> state) {
  if (state) {
    const bool left = timeline_->replays(simulation_->step_count());
    timeline_->edit(left ? ++runs_ : timeline_->run(), *simulation_, asked, population, std::move(state));
    if (left) model_.timeline.other_rows = take_rows_after(simulation_->step_count());
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
  model_.inspected.reset();
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
void Session::bring_back(const BeforeEdit& before) {
  const Simulation::Mark& mark = before.mark;
  const bool kept = swap_to(before.run) && timeline_->first() <= mark.steps && mark.steps <= timeline_->last();
  if (kept && before.left) {
    model_.broken = false;
    return go_to(mark.steps, false);
  }
  Scene scene = model_.scene;
  scene.field = mark.parameters.field, scene.bodies = before.population->bodies;
  EngineConfig asked = before.asked;
  auto engine = make_fitting_engine(*backend_, scene, asked);
  auto state = kept ? engine->keep() : nullptr;
  end_seek();
  simulation_->return_to(mark, std::move(engine), nullptr);
  model_.broken = false, model_.steps_asked = 0;
  due_ = 0;
  take_rows_after(mark.steps);
  settle(asked, before.population, std::move(state));
  if (!kept) begin_timeline();
}

}  // namespace tri::app
