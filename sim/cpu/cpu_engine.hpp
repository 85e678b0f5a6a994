#pragma once
/// The cpu backend and its engine, its contacts, and its steps with jerks.
///
/// The list of overlapping pairs, by all pairs or through a uniform grid: the same list.

#include <memory>
#include <optional>

#include "sim/backend/backend.hpp"
#include "sim/backend/body_engine.hpp"
#include "sim/backend/ranks.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/body_store.hpp"
#include "sim/cpu/force_sums.hpp"
#include "sim/cpu/kernels.hpp"
#include "sim/cpu/tree.hpp"
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

class JerkSteps final : public JerkScheme {
 public:
  struct Motion {
    std::array<std::vector<double>, 3> a, j;  ///< [n] each; a includes the uniform field
  };

  /// Sums by a tree, of kdk alone: its jerks are 0.
  struct ByTree {
    TreeWalk walk;
    ForceSums& sums;  ///< must outlive the steps
  };

  /// Moves the bodies of `state`, which must outlive this object. rest: as Bodies::rest.
  JerkSteps(BodyStore<double>& state, const ForceField& field, const Walk<TriangleMapId>& walk, Accumulate accumulate,
            const std::vector<double>& rest, Communicator* ranks, const std::optional<ByTree>& tree);

  /// Of the present state, once it was evaluated.
  const Motion& motion() const { return begin_; }
  JerkResult result() override;
  std::vector<double> rest() const override { return rest_; }
  double force_ms() override { return force_ms_; }
  /// Who computes what.
  const Ranks& ranks() const { return tree_ ? tree_->sums.ranks() : sums_.ranks(); }

 private:
  Rates evaluate_present() override { return evaluate(state_, begin_); }
  Tried try_kdk(double h) override;
  Tried try_hermite(double h, bool again) override;
  void accept_kdk(double h) override;
  void accept_hermite(double h) override;
  Rates evaluate(const BodyStore<double>& bodies, Motion& to);
  void sum(const BodyStore<double>& bodies, Motion& to);
  void sum_by_tree(const BodyStore<double>& bodies, Accumulate accumulate);
  void interpolate(double h);
  /// The smallest laws::aarseth_step2() at this end of the attempt, `after` its begin.
  double aarseth2(const Motion& motion, double after) const;

  BodyStore<double>& state_;
  BodyStore<double> trial_;   ///< the end of the attempt
  std::vector<double> rest_;  ///< [3 n], or empty for none
  Walk<TriangleMapId> walk_;
  Accumulate accumulate_;
  std::optional<ByTree> tree_;
  JerkSums sums_;
  Motion begin_, end_;
  std::array<std::vector<double>, 3> snap_, crackle_;  ///< at the begin of the attempt
  double force_ms_ = 0;
};

/// Memory that it takes, in bytes, with the sums of so many threads.
u64 jerk_steps_bytes(u64 n, Accumulate accumulate, u32 threads);

// The engine of the cpu backend, in float32 and float64.

/// choose_pairs() of the engines, with the sizes of this backend.
PairSearch choose_pairs(const EngineConfig& config, const ForceField& field, u64 n);

/// `config` with every 0 replaced by the backend's choice for n bodies. Throws ConfigError with the map's reason when a
/// law of the field needs a map that is not exact at this n, and for a grid under a law that does not support it.
EngineConfig complete(const EngineConfig& config, const ForceField& field, u32 n, u32 backend_threads);

template <class Real>
class CpuEngine final : public BodyEngine<Real> {
  using Base = BodyEngine<Real>;
  using typename Base::Forces;
  using typename Base::Timing;

 public:
  /// bodies and field have passed check(). backend_threads replaces threads = 0 in every configuration. ranks, if any,
  /// share the sums of pairs and triples; each has an engine of the same bodies and is told to do the same.
  CpuEngine(const Bodies& bodies, const ForceField& field, const EngineConfig& config, u32 backend_threads,
            Communicator* ranks = nullptr);

  std::size_t size() const override { return state_.n; }
  const EngineConfig& config() const override { return config_; }
  MapLimits map_limits(Domain domain) const override {
    MapLimits limits = Engine::map_limits(domain);
    limits.tiles_only = domain == Domain::triangle && config_.pairs == PairSearch::tree;
    return limits;
  }
  void configure(const EngineConfig& config) override;
  void set_field(const ForceField& field) override;
  Diagnostics diagnose() override;
  Bodies read() const override;
  void publish(InstanceSink& sink) override;
  Timing timing() const override;
  RankShares shares(Domain domain) const override { return ranks_of(domain).shares(); }

 private:
  using Base::accelerations_valid_, Base::jerk_, Base::law_, Base::rest_, Base::timing_;
  using Base::keep_apart, Base::come_together, Base::wall_energy;

  std::unique_ptr<SavedBodies> new_state() const override;
  void copy_state(SavedBodies& to) const override;
  void set_state(const SavedBodies& from) override;
  bool differs_from(const SavedBodies& saved) override;
  std::optional<StateArrays> state_arrays() override;
  void adopt_edits(const Bodies&, const ForceField& given) override { set_field(given); }
  bool watched() const override { return progress_is_wanted(); }
  void run_stages(Integrator integrator, double dt, u64 steps) override;
  std::unique_ptr<JerkScheme> make_jerks() override;
  void finish_jerk_step(JerkScheme& steps, u64 step) override;
  void account_jerk_step(JerkScheme& steps, double ms, double force_ms_before) override;
  Forces sum_forces() override;
  u64 pairs_met() override { return pairs_met_; }
  void add_energies(ForceResult& result) override;

  /// Those that share the sums of a domain.
  const Ranks& ranks_of(Domain domain) const;
  Walk<TriangleMapId> pair_walk() const;
  TreeWalk tree_walk() const;
  ContactSearch contact_search() const;
  /// complete(), falling back to all pairs where the backend chose a grid and the box cannot have one.
  EngineConfig settled(const EngineConfig& config, const ForceField& field) const;
  Walk<TetraMapId> triple_walk() const;
  /// [n] contacts of each body; 0 under other laws.
  std::vector<u32> contact_counts() const;

  /// Evaluates pairs_ and triples_ for the current state. NotFinite is replaced by sums that contain the NaN.
  void sum_laws();
  void sum_pairs(Accumulate accumulate);
  void update_accelerations(u64 step);
  void kick(double time);
  void drift(double time);
  void resolve_impulses(double dt);
  void run_step(std::span<const Stage> list, double dt, u64 step);
  /// Throws NumericalError for a body that is nowhere.
  void check_finite(u64 step) const;
  double potential_energies(const Bodies& bodies, double& virial, double& triple_potential);

  BodyStore<Real> state_;
  EngineConfig config_;
  EngineConfig asked_;  ///< as requested, before the choices for field and n
  u32 backend_threads_;
  Communicator* ranks_;
  ForceSums pairs_, triples_;
  Ranks pair_energies_, triple_energies_;
  u64 pairs_met_ = 0;                 ///< pairs tested in the last evaluation
  AlignedVector<Real> ax_, ay_, az_;  ///< of the last evaluation, including the uniform field
};

/// Memory that an engine of n bodies needs, in bytes.
u64 engine_bytes(u64 n, const ForceField& field, Precision precision, Accumulate accumulate, u32 threads,
                 bool tree = false);

}  // namespace tri::cpu

namespace tri {

/// The backend that is always there: every map's launch grid walked by host threads, inner loops in SIMD.
/// threads = 0 takes as many as the process may use. An EngineConfig or BenchSpec with threads > 0 has the last word.
/// Engines share their sums with those of the other ranks, if there are any: `ranks` must outlive them. Throws
/// ConfigError when threads is beyond 1024.
std::unique_ptr<Backend> make_cpu_backend(u32 threads = 0, Communicator* ranks = nullptr);

}  // namespace tri
