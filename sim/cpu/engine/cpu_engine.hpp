#pragma once
/// The engine of the cpu backend, in float32 and float64.

#include <memory>
#include <optional>

#include "sim/backend/engine.hpp"
#include "sim/cpu/engine/contacts.hpp"
#include "sim/cpu/engine/jerk_steps.hpp"
#include "sim/cpu/kernels/body_store.hpp"

namespace tri::cpu {

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
  std::unique_ptr<KeptState> keep(std::unique_ptr<KeptState> reuse) const override;
  void bring_back(const KeptState& kept) override;
  StateArrays lend() override;
  bool take_back(bool discard) override;
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
  void take_stages(std::span<const Stage> list, double dt, u64 step);
  /// Calls take(), whose steps a progress sink may end; the state is then the one before them.
  template <class Take>
  void take_whole(const Take& take);
  /// Steps from jerks. Throws ConfigError where this scheme does not fit.
  JerkSteps& jerk_steps(Integrator integrator, double eta);
  /// Ends jerk_, but not what the positions carry.
  void keep_rest();
  /// Calls take() and accounts for it.
  template <class Take>
  void take_jerk_step(JerkSteps& steps, u64 step, const Take& take);
  void take_written();
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
  std::unique_ptr<KeptState> lent_;   ///< the state as it was at lend()
  std::vector<double> rest_;          ///< as given, until jerk_ carries it on
  std::unique_ptr<JerkSteps> jerk_;   ///< from the first step that needs it; other steps end it
  Timing timing_;
};

/// Memory that an engine of n bodies needs, in bytes.
u64 engine_bytes(u64 n, const ForceField& field, Precision precision, Accumulate accumulate, u32 threads);

}  // namespace tri::cpu
