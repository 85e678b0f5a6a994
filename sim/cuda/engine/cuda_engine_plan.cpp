#include "sim/cuda/engine/cuda_engine_plan.hpp"

#include <cmath>

#include "sim/base/contracts.hpp"

namespace tri::cuda {
namespace {

/// Collects moves into segments; forces or impulses between two moves start a new one.
template <class Real>
class Planner {
 public:
  using Kind = typename KickDrifts<Real>::Kind;

  Planner(const ForceField& field, bool accelerations_valid)
      : impulses_(field.pair == PairLaw::contact && field.contact.impulse),
        walls_(impulses_ && field.box.boundary != Boundary::open && laws::most_sweeps(field) == 1),
        stale_after_kick_(depends_on_velocity(field)),
        accelerations_valid_(accelerations_valid) {}

  void step(std::span<const Stage> stages, double dt) {
    ++plan_.steps;
    for (const Stage& stage : stages) {
      if (stage.kind == Stage::Kind::drift) {
        move(Kind::drift, stage.fraction * dt);
        accelerations_valid_ = false;
        continue;
      }
      if (!accelerations_valid_) evaluate();
      move(Kind::kick, stage.fraction * dt);
      accelerations_valid_ = !stale_after_kick_;
    }
    if (impulses_) {
      now_.impulses = true;
      now_.step_size = dt;
      flush();
      if (walls_) move(Kind::walls, std::fabs(dt));
    }
    TRI_ENSURES(now_.moves.end == KickDrifts<Real>::kNoEnd);
    begin();
    now_.moves.end = now_.moves.count;
  }

  StepPlan<Real> finish() {
    flush();
    plan_.accelerations_valid_after = accelerations_valid_;
    return std::move(plan_);
  }

 private:
  void begin() {
    if (!open_) now_.step = plan_.steps;
    open_ = true;
  }
  void move(Kind kind, double time) {
    begin();
    KickDrifts<Real>& moves = now_.moves;
    TRI_ENSURES(moves.count < KickDrifts<Real>::kMax);
    moves.kind[moves.count] = kind;
    moves.time[moves.count] = static_cast<Real>(time);
    ++moves.count;
  }
  void evaluate() {
    flush();
    begin();
    now_.combine = true;
    ++plan_.evaluations;
  }
  void flush() {
    if (open_) plan_.segments.push_back(now_);
    now_ = {};
    open_ = false;
  }

  bool impulses_, walls_, stale_after_kick_, accelerations_valid_;
  StepPlan<Real> plan_;
  Segment<Real> now_;
  bool open_ = false;
};

}  // namespace

template <class Real>
StepPlan<Real> plan_steps(Integrator integrator, double dt, const ForceField& field, u32 steps,
                          bool accelerations_valid) {
  Planner<Real> planner(field, accelerations_valid);
  for (u32 s = 0; s < steps; ++s) planner.step(stages(integrator), dt);
  return planner.finish();
}

template <class Real>
laws::WallSprings<Real> spring_walls(const ForceField& field) {
  Box box = field.box;
  if (field.pair != PairLaw::contact) box.boundary = Boundary::open;
  return laws::WallSprings<Real>(box, field.contact);
}

template <class Real>
BodyField<Real> body_field(const ForceField& field) {
  BodyField<Real> out{{field.field[0], field.field[1], field.field[2]},
                      has_pair_sums(field),
                      sums_are_accelerations(field),
                      field.triple != TripleLaw::none,
                      field.box.boundary == Boundary::reflecting && field.pair != PairLaw::contact,
                      field.box.boundary != Boundary::open && field.pair == PairLaw::contact,
                      spring_walls<Real>(field),
                      {},
                      {},
                      laws::ImpulseRule<Real>(field, 0)};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    out.low[axis] = static_cast<Real>(field.box.low[axis]);
    out.high[axis] = static_cast<Real>(field.box.high[axis]);
  }
  return out;
}

template StepPlan<float> plan_steps(Integrator, double, const ForceField&, u32, bool);
template StepPlan<double> plan_steps(Integrator, double, const ForceField&, u32, bool);
template laws::WallSprings<float> spring_walls(const ForceField&);
template laws::WallSprings<double> spring_walls(const ForceField&);
template BodyField<float> body_field(const ForceField&);
template BodyField<double> body_field(const ForceField&);

}  // namespace tri::cuda
