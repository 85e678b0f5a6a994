#include "sim/backend/body_engine.hpp"

#include <cmath>
#include <span>
#include <type_traits>

#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/model/compute.hpp"
#include "sim/model/diagnostics.hpp"

namespace tri {

bool LawInUse::keep_apart(const Bodies& bodies, Precision precision) {
  if (given_) return false;
  std::optional<ForceField> softened = apart(bodies, field_, precision);
  if (softened) given_ = std::exchange(field_, std::move(*softened));
  return softened.has_value();
}

// Steps from jerks.

void JerkScheme::choose(Integrator integrator) {
  if (integrator != integrator_) valid_ = false;
  integrator_ = integrator;
}

void JerkScheme::evaluate() {
  if (!valid_) begin_rates_ = evaluate_present();
  valid_ = true;
}

double JerkScheme::first_length(double eta) {
  evaluate();
  return integrator_ == Integrator::kdk ? kdk_length(eta, begin_rates_.fall)
                                        : shortest_hermite_length(eta, begin_rates_.fall, begin_rates_.fly);
}

StepScheme::Attempt JerkScheme::attempt(double h, double eta, bool again) {
  evaluate();
  h_ = h;
  const bool kdk = integrator_ == Integrator::kdk;
  const Tried tried = kdk ? try_kdk(h) : try_hermite(h, again);
  end_rates_ = tried.end;
  const auto length = [&](const Rates& rates, double aarseth2) {
    return kdk ? kdk_length(eta, rates.fall) : hermite_length(eta, aarseth2, rates.fall, rates.fly);
  };
  return {length(begin_rates_, tried.begin2), length(end_rates_, tried.end2)};
}

void JerkScheme::accept() {
  if (integrator_ == Integrator::kdk) {
    accept_kdk(h_);
    begin_rates_ = end_rates_;
    return;
  }
  accept_hermite(h_);
  valid_ = false;
  evaluate();
}

template <class Real>
BodyEngine<Real>::BodyEngine(const Bodies& bodies, const ForceField& field)
    : law_(field), rest_(std::is_same_v<Real, double> ? bodies.rest : std::vector<double>()) {}

template <class Real>
bool BodyEngine<Real>::keep_apart() {
  if (law_.is_apart() || !sums_are_accelerations(law_.field())) return false;
  LawInUse law = law_;
  if (!law.keep_apart(read(), config().precision)) return false;
  use_law(law.field());
  law_ = std::move(law);
  return true;
}

template <class Real>
void BodyEngine<Real>::come_together() {
  if (!law_.is_apart()) return;
  LawInUse law = law_;
  if (!law.come_together([this] { return read(); }, config().precision)) return;
  use_law(law.field());
  law_ = std::move(law);
}

template <class Real>
void BodyEngine<Real>::end_jerks() {
  if (jerk_) rest_ = jerk_->rest();
  jerk_.reset();
}

template <class Real>
void BodyEngine<Real>::check_precision(const EngineConfig& asked) const {
  if (asked.precision == config().precision) return;
  throw ConfigError("an engine keeps its precision; make a new one to go from " + to_string(config().precision) +
                    " to " + to_string(asked.precision) + ".");
}

// States that are saved, and the engine's own, for others to read and write.

template <class Real>
std::unique_ptr<SavedState> BodyEngine<Real>::save_state(std::unique_ptr<SavedState> reuse) const {
  use_device();
  TRI_EXPECTS(is_whole());
  if (!reuse) reuse = new_state();
  auto* const to = dynamic_cast<SavedBodies*>(reuse.get());
  TRI_EXPECTS(to != nullptr);
  to->rest = rest();
  copy_state(*to);
  return reuse;
}

template <class Real>
void BodyEngine<Real>::restore_state(const SavedState& saved) {
  use_device();
  const auto* const from = dynamic_cast<const SavedBodies*>(&saved);
  TRI_EXPECTS(from != nullptr);
  jerk_.reset();
  rest_ = from->rest;
  set_state(*from);
  accelerations_valid_ = false;
}

template <class Real>
StateArrays BodyEngine<Real>::borrow() {
  const std::optional<StateArrays> arrays = state_arrays();
  if (!arrays) return Engine::borrow();
  borrowed_ = save_state(std::move(before_));
  return *arrays;
}

template <class Real>
bool BodyEngine<Real>::return_borrowed(bool discard) {
  TRI_EXPECTS(borrowed_ != nullptr);
  use_device();
  end_borrowing();
  before_ = std::move(borrowed_);  // which keeps its memory for the next copy
  if (discard) return restore_state(*before_), false;
  if (!differs_from(dynamic_cast<const SavedBodies&>(*before_))) return false;
  try {
    apply_edits();
  } catch (...) {
    restore_state(*before_);
    throw;
  }
  return true;
}

template <class Real>
void BodyEngine<Real>::apply_edits() {
  const Bodies bodies = read();
  check(bodies);
  check_float_values(bodies, config().precision);
  if (const std::string why = massless_refusal(bodies, law_.field()); !why.empty()) throw ConfigError(why);
  jerk_.reset(), rest_.clear();
  adopt_edits(bodies, ForceField(law_.given()));
}

template <class Real>
u64 BodyEngine<Real>::state_hash() const {
  const Bodies b = read();
  u64 hash = kFnvOffset;
  for (const auto* column : {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz}) {
    const std::vector<Real> native(column->begin(), column->end());
    hash = fnv1a(hash, std::span<const Real>(native));
  }
  return hash;
}

// Steps: the stages of an integrator, those of the Hermite scheme, and those of automatic length.

template <class Real>
template <class Step>
void BodyEngine<Real>::run_or_restore(const Step& step) {
  if (!watched()) return step();
  before_ = save_state(std::move(before_));
  try {
    step();
  } catch (const InterruptedError&) {
    restore_state(*before_);
    throw;
  }
}

template <class Real>
void BodyEngine<Real>::advance(Integrator integrator, double dt, u64 steps) {
  use_device();
  run_or_restore([&] {
    if (integrator == Integrator::hermite) {
      JerkScheme& jerks = jerk_steps(integrator, 0);
      for (u64 step = 1; step <= steps; ++step) run_jerk_step(jerks, step, [&] { advance_step(jerks, dt); });
      return;
    }
    end_jerks();
    if (dt != 0) rest_.clear();  // steps of no length move nothing
    run_stages(integrator, dt, steps);
  });
}

template <class Real>
StepTaken BodyEngine<Real>::advance_auto(Integrator integrator, const AutoStep& step) {
  TRI_EXPECTS(step.eta > 0);
  use_device();
  StepTaken taken;
  run_or_restore([&] {
    JerkScheme& jerks = jerk_steps(integrator, step.eta);
    run_jerk_step(jerks, 1, [&] { taken = advance_step(jerks, step); });
  });
  return taken;
}

template <class Real>
template <class Take>
void BodyEngine<Real>::run_jerk_step(JerkScheme& steps, u64 step, const Take& take) {
  const Stopwatch watch;
  const double before = steps.force_ms();
  accelerations_valid_ = false;
  try {
    take();
    finish_jerk_step(steps, step);
  } catch (const NumericalError& error) {
    throw NumericalError(error.what(), step);
  }
  account_jerk_step(steps, watch.ms(), before);
}

template <class Real>
JerkScheme& BodyEngine<Real>::jerk_steps(Integrator integrator, double eta) {
  const std::string refusal = scheme_refusal(law_.field(), integrator, eta, config().precision);
  if (!refusal.empty()) throw ConfigError(refusal);
  if (config().pairs == PairSearch::tree && integrator == Integrator::hermite) {
    throw ConfigError(
        "hermite sums its jerks over all pairs, and not by a tree. Leave --pairs and --tolerance out, or use "
        "--integrator kdk or yoshida4.");
  }
  if (!jerk_) jerk_ = make_jerks();
  jerk_->choose(integrator);
  return *jerk_;
}

template <class Real>
JerkResult BodyEngine<Real>::jerks() {
  use_device();
  JerkScheme& steps = jerk_steps(Integrator::hermite, 0);
  steps.evaluate();
  return steps.result();
}

// Forces.

template <class Real>
void BodyEngine<Real>::throw_force_fault(const char* what, u32 body, const std::string& when, u64 step) {
  throw NumericalError(force_fault(read(), law_.given(), config().precision, what, body, when), step);
}

template <class Real>
double BodyEngine<Real>::wall_energy(const Bodies& b) const {
  const laws::WallSprings<double> walls = spring_walls<double>(law_.field());
  double energy = 0;
  for (std::size_t i = 0; i < b.size() && walls.active; ++i) {
    energy += walls({b.x[i], b.y[i], b.z[i]}, {b.vx[i], b.vy[i], b.vz[i]}, b.r[i]).potential;
  }
  return energy;
}

template <class Real>
ForceResult BodyEngine<Real>::forces(bool energies) {
  use_device();
  make_whole();
  come_together();
  const Forces sums = sum_forces();
  const Bodies b = read();
  const std::size_t n = b.size();
  const laws::WallSprings<Real> walls = spring_walls<Real>(law_.field());
  const auto real = [](double v) { return static_cast<Real>(v); };
  const auto at = [](const std::vector<double>& column, std::size_t i) { return column.empty() ? 0.0 : column[i]; };
  ForceResult result;
  result.fx.resize(n), result.fy.resize(n), result.fz.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto wall =
        walls({real(b.x[i]), real(b.y[i]), real(b.z[i])}, {real(b.vx[i]), real(b.vy[i]), real(b.vz[i])}, real(b.r[i]));
    const double weight = sums_are_accelerations(law_.field()) ? b.m[i] : 1.0;
    const auto total = [&](const std::vector<double>& pairs, const std::vector<double>& triples, Real w) {
      return static_cast<double>(w) + weight * at(pairs, i) + at(triples, i);
    };
    result.fx[i] = total(sums.pairs.x, sums.triples.x, wall.fx);
    result.fy[i] = total(sums.pairs.y, sums.triples.y, wall.fy);
    result.fz[i] = total(sums.pairs.z, sums.triples.z, wall.fz);
    if (std::isfinite(result.fx[i]) && std::isfinite(result.fy[i]) && std::isfinite(result.fz[i])) continue;
    if (keep_apart()) return forces(energies);
    throw_force_fault("a force", static_cast<u32>(i), "", 0);
  }
  result.ms = sums.ms;
  if (energies) add_energies(result);
  if (!std::isfinite(result.potential))
    throw NumericalError(sum_fault("potential energy", result.potential, law_.given()));
  if (has_pair_sums(law_.field())) result.work_items = pairs_met();
  if (law_.field().triple != TripleLaw::none) result.work_items += triple_count(n);
  return result;
}

template class BodyEngine<float>;
template class BodyEngine<double>;

}  // namespace tri
