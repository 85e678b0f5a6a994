#pragma once
/// What the engines of all backends do alike, whatever memory their bodies are in: saved states, arrays that others
/// borrow, steps from jerks, steps that a progress sink may end, forces, and the law while bodies without mass are at
/// one place. A backend copies and compares its state, moves bodies, and sums.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/backend/engine.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/laws/wall.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/checks.hpp"
#include "sim/model/integrator.hpp"

namespace tri {

/// The walls as springs: only under contact, inactive for any other law.
template <class Real>
laws::WallSprings<Real> spring_walls(const ForceField& field) {
  Box box = field.box;
  if (field.pair != PairLaw::contact) box.boundary = Boundary::open;
  return laws::WallSprings<Real>(box, field.contact);
}

/// A law as given, or its apart() (checks.hpp) while bodies without mass are at one place.
class LawInUse {
 public:
  LawInUse() = default;
  explicit LawInUse(const ForceField& given) : field_(given) {}

  const ForceField& field() const { return field_; }
  const ForceField& given() const { return given_ ? *given_ : field_; }
  bool is_apart() const { return given_.has_value(); }

  /// After sums of these bodies that are not finite: computes with apart() from now on, if that helps; whether it does.
  bool keep_apart(const Bodies& bodies, Precision precision);
  /// Back to the law as given, unless bodies without mass are still at one place; whether it changed. bodies() is
  /// called only where it matters.
  template <class Read>
  bool come_together(const Read& bodies, Precision precision) {
    if (!given_ || only_massless_coincide(bodies(), precision)) return false;
    field_ = std::move(*given_);
    given_.reset();
    return true;
  }

 private:
  ForceField field_;
  std::optional<ForceField> given_;  ///< while field_ is apart()
};

/// Steps that are computed from accelerations and jerks, in float64: those of the Hermite scheme, and automatic ones of
/// kdk (integrator.hpp).
class JerkScheme : public StepScheme {
 public:
  /// What the next step is of: kdk or hermite. A kdk step leaves no jerk of its end.
  void choose(Integrator integrator);
  /// Evaluates the present state, if that has not been done. Throws NumericalError with the first bad body.
  void evaluate();
  /// Of the present state.
  virtual JerkResult result() = 0;
  /// As Bodies::rest.
  virtual std::vector<double> rest() const = 0;
  /// Time of evaluations, in ms: of all so far on the host, of the last one on a device.
  virtual double force_ms() = 0;

  double first_length(double eta) final;
  Attempt attempt(double h, double eta, bool again) final;
  void accept() final;

 protected:
  /// The largest squared rates of a pair (gravity.hpp).
  struct Rates {
    double fall = 0, fly = 0;
  };
  /// What an attempt came to: rates at its end, and the smallest laws::aarseth_step2() at both ends (hermite).
  struct Tried {
    Rates end;
    double begin2 = 0, end2 = 0;
  };
  explicit JerkScheme(const ForceField& given) : law_(given) {}

  virtual Rates evaluate_present() = 0;
  /// kdk or hermite from the present state, of length h.
  virtual Tried try_kdk(double h) = 0;
  virtual Tried try_hermite(double h, bool again) = 0;
  /// The present state becomes that of the last attempt; of kdk with its accelerations.
  virtual void accept_kdk(double h) = 0;
  virtual void accept_hermite(double h) = 0;

  LawInUse law_;
  Rates begin_rates_;
  bool valid_ = false;  ///< the evaluation is that of the present state

 private:
  Rates end_rates_;
  Integrator integrator_ = Integrator::hermite;
  double h_ = 0;  ///< of the attempt
};

/// All that the next step depends on, and the accelerations that are published with it. A backend adds its memory.
struct SavedBodies : SavedState {
  std::vector<double> rest;  ///< as Bodies::rest
};

/// Real: float or double, the precision of the state.
template <class Real>
class BodyEngine : public Engine {
 public:
  std::unique_ptr<SavedState> save_state(std::unique_ptr<SavedState> reuse) const final;
  void restore_state(const SavedState& saved) final;
  StateArrays borrow() final;
  bool return_borrowed(bool discard) final;
  void advance(Integrator integrator, double dt, u64 steps) final;
  StepTaken advance_auto(Integrator integrator, const AutoStep& step) final;
  ForceResult forces(bool energies) final;
  JerkResult jerks() final;
  u64 state_hash() const final;

 protected:
  BodyEngine(const Bodies& bodies, const ForceField& field);

  /// What comes before work of this engine: its device becomes current.
  virtual void use_device() const {}

  // The state in memory of the backend. A state that is not whole is none of these calls' concern.
  virtual std::unique_ptr<SavedBodies> new_state() const = 0;
  virtual void copy_state(SavedBodies& to) const = 0;
  /// The accelerations are valid no more.
  virtual void set_state(const SavedBodies& from) = 0;
  /// Whether the bodies differ from those of the saved state.
  virtual bool differs_from(const SavedBodies& saved) = 0;
  /// What borrow() returns; nothing where several ranks hold the state.
  virtual std::optional<StateArrays> state_arrays() = 0;
  /// After all work of others on the state.
  virtual void end_borrowing() {}
  /// Makes anew what follows from the state, which others have written. given: the law.
  virtual void adopt_edits(const Bodies& bodies, const ForceField& given) = 0;

  // Steps.
  /// Whether a progress sink may end a step on its way.
  virtual bool watched() const = 0;
  /// Stages of any integrator but hermite.
  virtual void run_stages(Integrator integrator, double dt, u64 steps) = 0;
  /// float64 alone. With the law as given, and rest_.
  virtual std::unique_ptr<JerkScheme> make_jerks() = 0;
  /// After a step from jerks: publishes its accelerations. Throws NumericalError for a state that is not finite.
  virtual void finish_jerk_step(JerkScheme& steps, u64 step) = 0;
  /// Accounts for a step that took so long, and its evaluations before it (JerkScheme::force_ms()).
  virtual void account_jerk_step(JerkScheme& steps, double ms, double force_ms_before) = 0;

  // Sums over the present state.
  struct Sums {
    std::vector<double> x, y, z;  ///< [n], or empty for none
  };
  struct Forces {
    Sums pairs, triples;  ///< as the law defines
    double ms = 0;
  };
  virtual Forces sum_forces() = 0;
  /// Pairs that the last evaluation met.
  virtual u64 pairs_met() = 0;
  /// Sets potential and virial.
  virtual void add_energies(ForceResult& result) = 0;
  /// The law in use has changed to this one.
  virtual void use_law(const ForceField& /*field*/) {}
  /// Throws NumericalError for a sum that is not finite in the present state; `body` is the first.
  [[noreturn]] virtual void throw_force_fault(const char* what, u32 body, const std::string& when, u64 step);

  bool keep_apart();
  void come_together();
  std::vector<double> rest() const { return jerk_ ? jerk_->rest() : rest_; }
  /// Ends jerk_, but not what the positions carry.
  void end_jerks();
  /// Throws ConfigError for another precision than that of the state.
  void check_precision(const EngineConfig& config) const;
  /// Of the springs of walls.
  double wall_energy(const Bodies& bodies) const;

  LawInUse law_;
  std::unique_ptr<JerkScheme> jerk_;  ///< from the first step that needs it; other steps end it
  std::vector<double> rest_;          ///< as given, until jerk_ carries it on
  bool accelerations_valid_ = false;  ///< whether the accelerations match the state
  Timing timing_;

 private:
  void apply_edits();
  /// Calls step(), which a progress sink may end; the state is then the one before it.
  template <class Step>
  void run_or_restore(const Step& step);
  /// Steps from jerks. Throws ConfigError where this scheme does not fit.
  JerkScheme& jerk_steps(Integrator integrator, double eta);
  /// Calls take() and accounts for it.
  template <class Take>
  void run_jerk_step(JerkScheme& steps, u64 step, const Take& take);

  std::unique_ptr<SavedState> borrowed_;  ///< the state as it was at borrow()
  std::unique_ptr<SavedState> before_;    ///< of run_or_restore()
};

extern template class BodyEngine<float>;
extern template class BodyEngine<double>;

}  // namespace tri
