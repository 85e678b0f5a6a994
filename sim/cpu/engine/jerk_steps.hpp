#pragma once
/// Steps that are computed from accelerations and jerks, in float64: those of the Hermite scheme, and automatic ones of
/// kdk (model/auto_step.hpp). Positions carry the rest of each rounding on to the next step: in a close encounter the
/// distance of two bodies is the small difference of large numbers, whose last bits hold most of the energy.

#include <optional>

#include "sim/cpu/kernels/body_store.hpp"
#include "sim/cpu/sums/jerk_sums.hpp"
#include "sim/model/auto_step.hpp"

namespace tri::cpu {

class JerkSteps final : public StepScheme {
 public:
  struct Motion {
    std::array<std::vector<double>, 3> a, j;  ///< [n] each; a includes the uniform field
    double fall = 0, fly = 0;
  };

  /// Moves the bodies of `state`, which must outlive this object. rest: as Bodies::rest.
  JerkSteps(BodyStore<double>& state, const std::vector<double>& rest, Communicator* ranks);

  /// How to compute from now on. Earlier accelerations hold no longer.
  void use(const ForceField& field, const Walk<TriangleMapId>& walk, Accumulate accumulate);
  /// What the next step is of: kdk or hermite.
  void choose(Integrator integrator);

  /// Of the present state. Throws NumericalError with the first bad body.
  const Motion& present();
  const std::vector<double>& rest() const { return rest_; }
  /// Time of all evaluations so far.
  double force_ms() const { return force_ms_; }
  /// Who computes what.
  const Ranks& ranks() const { return sums_.ranks(); }

  double first_length(double eta) override;
  Attempt attempt(double h, double eta, bool again) override;
  void accept() override;

 private:
  void evaluate(const BodyStore<double>& bodies, Motion& to);
  void sum(const BodyStore<double>& bodies, Motion& to);
  void interpolate(double h);
  double hermite_length(const Motion& motion, double eta, double after) const;
  Attempt attempt_kdk(double h, double eta);
  Attempt attempt_hermite(double h, double eta, bool again);
  void accept_hermite();

  BodyStore<double>& state_;
  BodyStore<double> trial_;   ///< the end of the attempt
  std::vector<double> rest_;  ///< [3 n], or empty for none
  ForceField field_;
  std::optional<ForceField> bare_;  ///< the law as given, while field_ is apart()
  Walk<TriangleMapId> walk_;
  Accumulate accumulate_ = Accumulate::fast;
  Integrator integrator_ = Integrator::hermite;
  JerkSums sums_;
  Motion begin_, end_;
  std::array<std::vector<double>, 3> snap_, crackle_;  ///< at the begin of the attempt
  double h_ = 0;                                       ///< of the attempt
  double force_ms_ = 0;
  bool valid_ = false;  ///< begin_ is of the present state
};

/// Memory that it takes, in bytes, with the sums of so many threads.
u64 jerk_steps_bytes(u64 n, Accumulate accumulate, u32 threads);

}  // namespace tri::cpu
