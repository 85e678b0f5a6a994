#pragma once
/// The engine of the cpu backend, its contacts, and its steps with jerks.
///
/// The list of overlapping pairs, by all pairs or through a uniform grid: the same list.

#include <memory>
#include <optional>

#include "sim/backend/engine.hpp"
#include "sim/cpu/body_store.hpp"
#include "sim/cpu/force_sums.hpp"
#include "sim/cpu/kernels.hpp"
#include "sim/model/integrator.hpp"

namespace tri::cpu {

/// How to search for overlaps.
struct ContactSearch {
  Box box;  ///< only periodic walls matter
  Walk<TriangleMapId> walk;
  BroadPhase broad_phase = BroadPhase::all_pairs;  ///< all_pairs or grid
};

/// All pairs (i, j), i > j, that overlap or touch (laws/overlap.hpp), sorted. Falls back to all pairs where a grid is
/// impossible (a periodic box less than three cells wide). `tested`, if given, receives the number of pairs tested.
template <class Real>
std::vector<IndexPair> overlapping_pairs(const BodyView<Real>& bodies, const ContactSearch& search,
                                         u64* tested = nullptr);

/// How many of them each body has, [n]. No pair is kept beyond its tile.
template <class Real>
std::vector<u32> overlap_counts(const BodyView<Real>& bodies, const ContactSearch& search, u64* tested = nullptr);

/// The same for radii widened by four parts in a million: every pair for which the contact law yields a force, however
/// its sums round, and few others.
template <class Real>
std::vector<IndexPair> candidate_pairs(const BodyView<Real>& bodies, const ContactSearch& search,
                                       u64* tested = nullptr);

/// Potential and virial of the contacts, in float64, found through a grid and added in the order of the list: the
/// result depends on neither map nor threads.
TileEnergy contact_energy(const ForceField& field, const BodyView<double>& bodies, const ContactSearch& search);

// Steps that are computed from accelerations and jerks, in float64: those of the Hermite scheme, and automatic ones of
// kdk (integrator.hpp). Positions carry the rest of each rounding on to the next step: in a close encounter the
// distance of two bodies is the small difference of large numbers, whose last bits hold most of the energy.

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

// The engine of the cpu backend, in float32 and float64.

/// `config` with every 0 replaced by the backend's choice for n bodies. Throws ConfigError with the map's reason when a
/// law of the field needs a map that is not exact at this n, and for a grid under a law that does not support it.
EngineConfig complete(const EngineConfig& config, const ForceField& field, u32 n, u32 backend_threads);

template <class Real>
class CpuEngine final : public Engine {
 public:
  /// bodies and field have passed check(). backend_threads replaces threads = 0 in every configuration. ranks, if any,
  /// share the sums of pairs and triples; each has an engine of the same bodies and is told to do the same.
  CpuEngine(const Bodies& bodies, const ForceField& field, const EngineConfig& config, u32 backend_threads,
            Communicator* ranks = nullptr);

  std::size_t size() const override { return state_.n; }
  const EngineConfig& config() const override { return config_; }
  void configure(const EngineConfig& config) override;
  void set_field(const ForceField& field) override;
  void advance(Integrator integrator, double dt, u64 steps) override;
  StepTaken advance_auto(Integrator integrator, const AutoStep& step) override;
  Diagnostics diagnose() override;
  ForceResult forces() override;
  JerkResult jerks() override;
  Bodies read() const override;
  std::unique_ptr<SavedState> save_state(std::unique_ptr<SavedState> reuse) const override;
  void restore_state(const SavedState& kept) override;
  StateArrays borrow() override;
  bool return_borrowed(bool discard) override;
  void publish(InstanceSink& sink) override;
  u64 state_hash() const override;
  Timing timing() const override;
  RankShares shares(Domain domain) const override;

 private:
  /// Those that share the sums of a domain.
  const Ranks& ranks_of(Domain domain) const;
  Walk<TriangleMapId> pair_walk() const;
  ContactSearch contact_search() const;
  /// complete(), falling back to all pairs where the backend chose a grid and the box cannot have one.
  EngineConfig settled(const EngineConfig& config, const ForceField& field) const;
  Walk<TetraMapId> triple_walk() const;
  /// [n] contacts of each body; 0 under other laws.
  std::vector<u32> contact_counts() const;

  /// Evaluates pairs_ and triples_ for the current state. NotFinite is replaced by sums that contain the NaN.
  void sum_laws();
  void sum_pairs(Accumulate accumulate);
  /// The force of spring walls on body i, in Real; 0 without such walls.
  std::array<Real, 3> wall_force(u32 i) const;
  void update_accelerations(u64 step);
  void kick(double time);
  void drift(double time);
  void resolve_impulses(double dt);
  void run_stages(std::span<const Stage> list, double dt, u64 step);
  /// Calls take(), whose steps a progress sink may end; the state is then the one before them.
  template <class Take>
  void run_or_restore(const Take& take);
  /// Steps from jerks. Throws ConfigError where this scheme does not fit.
  JerkSteps& jerk_steps(Integrator integrator, double eta);
  /// Ends jerk_, but not what the positions carry.
  void keep_rest();
  /// Calls take() and accounts for it.
  template <class Take>
  void run_jerk_step(JerkSteps& steps, u64 step, const Take& take);
  void apply_edits();
  /// After sums that are not finite: computes with apart() from now on, if that helps; whether it does.
  bool keep_apart();
  /// Back to the law as given, unless bodies without mass are still at one place.
  void come_together();
  double wall_energy(const Bodies& bodies) const;
  double potential_energies(const Bodies& bodies, double& virial, double& triple_potential);

  BodyStore<Real> state_;
  ForceField field_;
  std::optional<ForceField> bare_;  ///< the law as given, while field_ is apart()
  EngineConfig config_;
  BroadPhase asked_broad_phase_;  ///< as requested, before the choice for field and n
  u32 backend_threads_;
  Communicator* ranks_;
  ForceSums pairs_, triples_;
  Ranks pair_energies_, triple_energies_;
  u64 pairs_met_ = 0;                 ///< pairs tested in the last evaluation
  AlignedVector<Real> ax_, ay_, az_;  ///< of the last evaluation, including the uniform field
  bool accelerations_valid_ = false;  ///< whether they match the positions (and velocities, if the law uses them)
  std::unique_ptr<SavedState> lent_;  ///< the state as it was at borrow()
  std::vector<double> rest_;          ///< as given, until jerk_ carries it on
  std::unique_ptr<JerkSteps> jerk_;   ///< from the first step that needs it; other steps end it
  Timing timing_;
};

/// Memory that an engine of n bodies needs, in bytes.
u64 engine_bytes(u64 n, const ForceField& field, Precision precision, Accumulate accumulate, u32 threads);

}  // namespace tri::cpu
