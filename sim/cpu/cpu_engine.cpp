// The engine of the cpu backend: its setup, state, saved states, published instances, and its steps.
//
// What an engine needs before its state: a complete configuration and enough memory.

#include "sim/cpu/cpu_engine.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "sim/backend/broad_phase.hpp"
#include "sim/backend/engine.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/tile_loop.hpp"
#include "sim/laws/contact_impulse.hpp"
#include "sim/laws/wall.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/model/checks.hpp"
#include "sim/model/diagnostics.hpp"
#include "sim/model/integrator.hpp"

namespace tri::cpu {

PairSearch choose_pairs(const EngineConfig& c, const ForceField& field, u64 n) {
  return tri::choose_pairs(c, field, n, tree_from(c.precision, tree_tolerance(c)));
}

EngineConfig complete(const EngineConfig& config, const ForceField& field, u32 n, u32 backend_threads) {
  EngineConfig c = config;
  if (config.arithmetic == Arithmetic::tensor) refuse_tensor("cpu");
  c.arithmetic = Arithmetic::float32;
  if (c.threads == 0) c.threads = backend_threads;
  if (c.threads > kMaxThreads) {
    throw ConfigError(
        fmt::format("--threads {} is more than {}; use --threads {} or less.", c.threads, kMaxThreads, kMaxThreads));
  }
  c.pairs = choose_pairs(config, field, n);
  if (c.pairs == PairSearch::tree) c.pair_block = tree::kLeaf * tree::kSquareLeaves;  // what the map visits
  if (c.pair_block == 0) c.pair_block = default_pair_block(n);
  if (c.triple_block == 0) c.triple_block = default_triple_block(n);
  c.broad_phase = choose_broad_phase(config.broad_phase, field.pair, n >= kGridFrom);
  if (c.pairs == PairSearch::tree) {
    if (const std::string text = tree_refusal(field, c); !text.empty()) throw ConfigError(text);
  }
  if (field.pair != PairLaw::none) triangle_grid(c.pair_map, n, c.pair_block);
  if (field.triple != TripleLaw::none) tetra_grid(c.triple_map, n, c.triple_block);
  return c;
}

u64 engine_bytes(u64 n, const ForceField& field, Precision precision, Accumulate accumulate, u32 threads, bool tree) {
  const u64 real = precision == Precision::fp32 ? 4 : 8;
  const u64 sum = accumulate == Accumulate::fast ? sizeof(double) : sizeof(Wide);
  // State (with charges) and accelerations, and the state before a step; per-thread sums and their total; a float64
  // copy for diagnostics.
  u64 each = 21 * real + 3 * sum * threads + 3 * 8 + 17 * 8;
  if (tree) each += kTreeBytes;
  // Sorted spheres, cells, and two lists with room for some contacts per sphere.
  if (field.pair == PairLaw::contact) each += 4 * 8 + 16 + 16 * 8;
  return n * each;
}

u64 jerk_steps_bytes(u64 n, Accumulate accumulate, u32 threads) {
  const u64 sum = accumulate == Accumulate::fast ? sizeof(double) : sizeof(Wide);
  // The state at the end of an attempt; accelerations and jerks at both ends, and as they are summed; snap and crackle;
  // the rest, here and in the engine; per-thread sums.
  const u64 each = 8 * 8 + 3 * 6 * 8 + 6 * 8 + 2 * 3 * 8 + 6 * sum * threads;
  return n * each;
}

// States in host memory.

namespace {

template <class Real>
struct HostState final : SavedBodies {
  AlignedVector<Real> values, ax, ay, az;
  u64 bytes() const override { return (values.size() + 3 * ax.size()) * sizeof(Real) + rest.size() * sizeof(double); }
};

}  // namespace

template <class Real>
std::unique_ptr<SavedBodies> CpuEngine<Real>::new_state() const {
  return std::make_unique<HostState<Real>>();
}

template <class Real>
void CpuEngine<Real>::copy_state(SavedBodies& saved) const {
  auto& to = dynamic_cast<HostState<Real>&>(saved);
  to.values = state_.values;
  to.ax = ax_, to.ay = ay_, to.az = az_;
}

template <class Real>
void CpuEngine<Real>::set_state(const SavedBodies& saved) {
  const auto& from = dynamic_cast<const HostState<Real>&>(saved);
  TRI_EXPECTS(from.values.size() == state_.values.size());
  std::copy(from.values.begin(), from.values.end(), state_.values.begin());
  ax_ = from.ax, ay_ = from.ay, az_ = from.az;
}

template <class Real>
bool CpuEngine<Real>::differs_from(const SavedBodies& saved) {
  const AlignedVector<Real>& kept = dynamic_cast<const HostState<Real>&>(saved).values;
  return std::memcmp(kept.data(), state_.values.data(), kept.size() * sizeof(Real)) != 0;
}

template <class Real>
std::optional<StateArrays> CpuEngine<Real>::state_arrays() {
  if (ranks_ != nullptr) return std::nullopt;
  const auto stride = static_cast<std::ptrdiff_t>(state_.stride);
  return StateArrays{state_.x.data(), state_.vx.data(), state_.m.data(), state_.r.data(), 1, stride};
}

// Publishing of drawable instances.

template <class Real>
std::vector<u32> CpuEngine<Real>::contact_counts() const {
  if (law_.field().pair != PairLaw::contact) return std::vector<u32>(state_.n, 0);
  return overlap_counts(state_.view(), contact_search());
}

template <class Real>
void CpuEngine<Real>::publish(InstanceSink& sink) {
  const Stopwatch watch;
  if (sink.place != InstanceSink::Place::host) {
    throw BackendError("the cpu backend publishes into host memory; give it a host sink, or use --backend cuda.");
  }
  TRI_EXPECTS(sink.instances.size() >= state_.n);
  const auto length = [](Real a, Real b, Real c) {
    return std::sqrt(static_cast<float>(a) * static_cast<float>(a) + static_cast<float>(b) * static_cast<float>(b) +
                     static_cast<float>(c) * static_cast<float>(c));
  };
  const std::vector<u32> contacts = sink.scalar == InstanceScalar::contacts ? contact_counts() : std::vector<u32>();
  const auto scalar = [&](u32 i) {
    if (sink.scalar == InstanceScalar::group)
      return state_.passive.group.empty() ? 0.0f : static_cast<float>(state_.passive.group[i]);
    return sink.scalar == InstanceScalar::contacts ? static_cast<float>(contacts[i]) : static_cast<float>(state_.m[i]);
  };
  for (u32 i = 0; i < state_.n; ++i) {
    sink.instances[i] = {static_cast<float>(state_.x[i]),
                         static_cast<float>(state_.y[i]),
                         static_cast<float>(state_.z[i]),
                         static_cast<float>(state_.r[i]),
                         length(state_.vx[i], state_.vy[i], state_.vz[i]),
                         length(ax_[i], ay_[i], az_[i]),
                         scalar(i),
                         i};
  }
  timing_.publish = watch.ms();
}

// A state, its accelerations, and the stages of an integrator applied to them.

namespace {

u64 pair_count(u64 n) { return n == 0 ? 0 : triangular(n - 1); }
u64 triple_count(u64 n) { return n < 2 ? 0 : tetrahedral(n - 2); }

/// Index of the first value that is not finite, or n.
u32 first_not_finite(const ForceSums& sums, u32 n) {
  for (u32 i = 0; i < n; ++i) {
    if (!std::isfinite(sums.x[i]) || !std::isfinite(sums.y[i]) || !std::isfinite(sums.z[i])) return i;
  }
  return n;
}

}  // namespace

template <class Real>
CpuEngine<Real>::CpuEngine(const Bodies& bodies, const ForceField& field, const EngineConfig& config,
                           u32 backend_threads, Communicator* ranks)
    : Base(bodies, field),
      state_(bodies),
      config_(config),
      asked_(config),
      backend_threads_(backend_threads),
      ranks_(ranks),
      pairs_(ranks),
      triples_(ranks),
      pair_energies_(ranks),
      triple_energies_(ranks),
      ax_(padded<Real>(state_.n)),
      ay_(padded<Real>(state_.n)),
      az_(padded<Real>(state_.n)) {
  state_.wrap(field.box);
  config_ = settled(config, field);
}

template <class Real>
EngineConfig CpuEngine<Real>::settled(const EngineConfig& config, const ForceField& field) const {
  EngineConfig c = complete(config, field, state_.n, backend_threads_);
  if (c.broad_phase != BroadPhase::grid) return c;
  const BodyView<Real> b = state_.view();
  if (make_cell_grid(Spheres<Real>{b.x, b.y, b.z, b.r, state_.n}, field.box, kCellOccupancy).usable) return c;
  if (config.broad_phase == BroadPhase::grid) refuse_grid();
  c.broad_phase = BroadPhase::all_pairs;
  return c;
}

template <class Real>
void CpuEngine<Real>::configure(const EngineConfig& config) {
  this->check_precision(config);
  config_ = settled(config, law_.field());
  asked_ = config;
  this->end_jerks();
  accelerations_valid_ = false;
}

template <class Real>
void CpuEngine<Real>::set_field(const ForceField& field) {
  check(field, static_cast<double>(*std::max_element(state_.r.begin(), state_.r.end())));
  check_float_range(state_.read(), field, config_.precision);
  config_ = settled(asked_, field);
  law_ = LawInUse(field);
  this->end_jerks();
  state_.wrap(field.box);
  accelerations_valid_ = false;
}

template <class Real>
Walk<TriangleMapId> CpuEngine<Real>::pair_walk() const {
  const TileGrid grid = triangle_grid(config_.pair_map, state_.n, config_.pair_block);
  return {config_.pair_map, grid, worthwhile_threads(pair_count(state_.n), config_.threads)};
}

template <class Real>
TreeWalk CpuEngine<Real>::tree_walk() const {
  return {config_.pair_map, config_.threads, tree_tolerance(config_)};
}

template <class Real>
ContactSearch CpuEngine<Real>::contact_search() const {
  return {law_.field().box, pair_walk(), config_.broad_phase};
}

template <class Real>
Walk<TetraMapId> CpuEngine<Real>::triple_walk() const {
  const TileGrid grid = tetra_grid(config_.triple_map, state_.n, config_.triple_block);
  return {config_.triple_map, grid, worthwhile_threads(triple_count(state_.n), config_.threads)};
}

template <class Real>
void CpuEngine<Real>::sum_pairs(Accumulate accumulate) {
  if (config_.broad_phase == BroadPhase::grid) {
    const auto near = candidate_pairs(state_.view(), contact_search(), &pairs_met_);
    pairs_.add_listed(law_.field(), state_.view(), state_.n, near, pair_walk().threads, accumulate);
  } else if (config_.pairs == PairSearch::tree) {
    pairs_met_ = add_tree(law_.field(), state_.view(), state_.n, tree_walk(), accumulate, pairs_).pairs;
  } else {
    pairs_.add_pairs(law_.field(), state_.view(), pair_walk(), accumulate);
    pairs_met_ = pair_count(state_.n);
  }
}

template <class Real>
void CpuEngine<Real>::sum_laws() {
  // Integer sums cannot identify the body; floating-point sums can, and are computed only when there is an error.
  const auto evaluate = [this](ForceSums& sums, const auto& sum) {
    try {
      sum(config_.accumulate);
    } catch (const NotFinite&) {
      sum(Accumulate::fast);
      if (first_not_finite(sums, state_.n) == state_.n) sums.x[0] = std::numeric_limits<double>::quiet_NaN();
    }
  };
  if (has_pair_sums(law_.field())) evaluate(pairs_, [this](Accumulate a) { sum_pairs(a); });
  timing_.triples = 0;
  if (law_.field().triple == TripleLaw::none) return;
  const Stopwatch watch;
  evaluate(triples_, [this](Accumulate a) { triples_.add_triples(law_.field(), state_.view(), triple_walk(), a); });
  timing_.triples = watch.ms();
}

template <class Real>
void CpuEngine<Real>::update_accelerations(u64 step) {
  const Stopwatch watch;
  come_together();
  sum_laws();
  const bool pairs = has_pair_sums(law_.field()), triples = law_.field().triple != TripleLaw::none;
  const bool accelerations = pairs && sums_are_accelerations(law_.field());
  const laws::WallSprings<Real> walls = spring_walls<Real>(law_.field());
  for (u32 i = 0; i < state_.n; ++i) {
    const auto wall =
        walls({state_.x[i], state_.y[i], state_.z[i]}, {state_.vx[i], state_.vy[i], state_.vz[i]}, state_.r[i]);
    double a[3] = {law_.field().field[0], law_.field().field[1], law_.field().field[2]};
    double force[3] = {static_cast<double>(wall.fx), static_cast<double>(wall.fy), static_cast<double>(wall.fz)};
    if (pairs) {
      double* const to = accelerations ? a : force;
      to[0] += pairs_.x[i], to[1] += pairs_.y[i], to[2] += pairs_.z[i];
    }
    if (triples) force[0] += triples_.x[i], force[1] += triples_.y[i], force[2] += triples_.z[i];
    // A massless body has accelerations but no force.
    const double m = static_cast<double>(state_.m[i]);
    const double per_mass = m > 0 ? 1.0 / m : 0.0;
    ax_[i] = static_cast<Real>(a[0] + per_mass * force[0]);
    ay_[i] = static_cast<Real>(a[1] + per_mass * force[1]);
    az_[i] = static_cast<Real>(a[2] + per_mass * force[2]);
    if (!std::isfinite(ax_[i]) || !std::isfinite(ay_[i]) || !std::isfinite(az_[i])) {
      if (keep_apart()) return update_accelerations(step);
      this->throw_force_fault("an acceleration", i, fmt::format(" in step {}", step), step);
    }
  }
  accelerations_valid_ = true;
  timing_.force = watch.ms();
  const double end = clock_s();
  timing_.force_when = {end - 1e-3 * timing_.force, end};
}

template <class Real>
void CpuEngine<Real>::kick(double time) {
  const Real t = static_cast<Real>(time);
  for (u32 i = 0; i < state_.n; ++i) {
    state_.vx[i] += t * ax_[i];
    state_.vy[i] += t * ay_[i];
    state_.vz[i] += t * az_[i];
  }
  if (depends_on_velocity(law_.field())) accelerations_valid_ = false;
}

template <class Real>
void CpuEngine<Real>::drift(double time) {
  const Real t = static_cast<Real>(time);
  for (u32 i = 0; i < state_.n; ++i) {
    state_.x[i] += t * state_.vx[i];
    state_.y[i] += t * state_.vy[i];
    state_.z[i] += t * state_.vz[i];
  }
  accelerations_valid_ = false;
  if (law_.field().box.boundary == Boundary::periodic) return state_.wrap(law_.field().box);
  if (law_.field().box.boundary != Boundary::reflecting || law_.field().pair == PairLaw::contact) return;
  const auto low = [this](std::size_t axis) { return static_cast<Real>(law_.field().box.low[axis]); };
  const auto high = [this](std::size_t axis) { return static_cast<Real>(law_.field().box.high[axis]); };
  for (u32 i = 0; i < state_.n; ++i) {
    laws::mirror(state_.x[i], state_.vx[i], low(0), high(0));
    laws::mirror(state_.y[i], state_.vy[i], low(1), high(1));
    laws::mirror(state_.z[i], state_.vz[i], low(2), high(2));
  }
}

template <class Real>
void CpuEngine<Real>::resolve_impulses(double dt) {
  const laws::ImpulseRule<Real> rule(law_.field(), dt);
  laws::resolve_in_order(state_, overlapping_pairs(state_.view(), contact_search()), rule);
  accelerations_valid_ = false;  // positions may have changed
}

template <class Real>
double CpuEngine<Real>::potential_energies(const Bodies& bodies, double& virial, double& triple_potential) {
  const BodyStore<double> wide(bodies);
  TileEnergy pair, triple;
  if (has_pair_sums(law_.field())) {
    if (config_.broad_phase == BroadPhase::grid) {
      pair = contact_energy(law_.field(), wide.view(), contact_search());
    } else if (config_.pairs == PairSearch::tree) {
      pair = tree_energy(law_.field(), wide.view(), wide.n, config_.threads);
    } else {
      pair = pair_energy(law_.field(), wide.view(), wide.n, config_.threads, pair_energies_);
    }
  }
  if (law_.field().triple != TripleLaw::none) {
    triple = triple_energy(law_.field(), wide.view(), wide.n, config_.threads, triple_energies_);
  }
  virial = pair.virial + triple.virial;
  triple_potential = triple.potential;
  return pair.potential + triple.potential + wall_energy(bodies);
}

template <class Real>
Diagnostics CpuEngine<Real>::diagnose() {
  const Bodies bodies = read();
  come_together();
  Diagnostics d = one_body_diagnostics(bodies, law_.field());
  double potential = potential_energies(bodies, d.virial, d.triple_potential);
  if (!std::isfinite(potential) && keep_apart()) {
    potential = potential_energies(bodies, d.virial, d.triple_potential);
  }
  d.potential += potential;
  return d;
}

template <class Real>
auto CpuEngine<Real>::sum_forces() -> Forces {
  const Stopwatch watch;
  sum_laws();
  Forces sums;
  if (has_pair_sums(law_.field())) sums.pairs = {pairs_.x, pairs_.y, pairs_.z};
  if (law_.field().triple != TripleLaw::none) sums.triples = {triples_.x, triples_.y, triples_.z};
  sums.ms = timing_.force = watch.ms();
  return sums;
}

template <class Real>
void CpuEngine<Real>::add_energies(ForceResult& result) {
  double triple_potential = 0;
  result.potential = potential_energies(read(), result.virial, triple_potential);
}

// Steps, one after another: with jerks, in stages, and what follows the forces.

namespace {

using Columns = std::array<std::span<double>, 3>;

Columns places(BodyStore<double>& b) { return {b.x, b.y, b.z}; }
Columns velocities(BodyStore<double>& b) { return {b.vx, b.vy, b.vz}; }

bool finite(const JerkSteps::Motion& motion, std::size_t i) {
  double zero = 0;
  for (std::size_t k = 0; k < 3; ++k) zero += motion.a[k][i] * 0 + motion.j[k][i] * 0;
  return zero == 0;
}

}  // namespace

JerkSteps::JerkSteps(BodyStore<double>& state, const ForceField& field, const Walk<TriangleMapId>& walk,
                     Accumulate accumulate, const std::vector<double>& rest, Communicator* ranks,
                     const std::optional<ByTree>& tree)
    : JerkScheme(field),
      state_(state),
      trial_(state),
      rest_(rest),
      walk_(walk),
      accumulate_(accumulate),
      tree_(tree),
      sums_(ranks) {}

JerkResult JerkSteps::result() {
  const auto& [a, j] = begin_;
  return {a[0], a[1], a[2], j[0], j[1], j[2], begin_rates_.fall, begin_rates_.fly};
}

JerkScheme::Rates JerkSteps::evaluate(const BodyStore<double>& bodies, Motion& to) {
  law_.come_together([&] { return bodies.read(); }, Precision::fp64);
  for (;;) {
    sum(bodies, to);
    u32 bad = 0;
    while (bad < bodies.n && finite(to, bad)) ++bad;
    if (bad == bodies.n) return {sums_.fall, sums_.fly};
    if (law_.keep_apart(bodies.read(), Precision::fp64)) continue;
    throw NumericalError(force_fault(bodies.read(), law_.given(), Precision::fp64, "an acceleration", bad, ""), 1);
  }
}

void JerkSteps::sum(const BodyStore<double>& bodies, Motion& to) {
  const Stopwatch watch;
  const auto evaluate = [&](Accumulate accumulate) {
    tree_ ? sum_by_tree(bodies, accumulate) : sums_.evaluate(law_.field(), bodies.view(), walk_, accumulate);
  };
  try {
    evaluate(accumulate_);
  } catch (const NotFinite&) {  // integer sums cannot say which body
    evaluate(Accumulate::fast);
    if (sums_.a[0].size() == bodies.n) sums_.a[0][0] += NAN;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    to.a[k].swap(sums_.a[k]), to.j[k].swap(sums_.j[k]);
    for (double& a : to.a[k]) a += law_.field().field[k];
  }
  force_ms_ += watch.ms();
}

void JerkSteps::sum_by_tree(const BodyStore<double>& bodies, Accumulate accumulate) {
  auto& [walk, sums] = *tree_;
  add_tree(law_.field(), bodies.view(), bodies.n, walk, accumulate, sums, &sums_.fall);
  sums_.a = {sums.x, sums.y, sums.z};
  for (auto& jerk : sums_.j) jerk.assign(bodies.n, 0.0);
}

JerkScheme::Tried JerkSteps::try_kdk(double h) {
  const Columns x = places(state_), v = velocities(state_), to = places(trial_);
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) to[k][i] = x[k][i] + h * (v[k][i] + h / 2 * begin_.a[k][i]);
  }
  return {evaluate(trial_, end_)};
}

JerkScheme::Tried JerkSteps::try_hermite(double h, bool again) {
  const Columns x = places(state_), v = velocities(state_), to_x = places(trial_), to_v = velocities(trial_);
  for (std::size_t k = 0; k < 3; ++k) {
    if (!again) snap_[k].assign(state_.n, 0.0), crackle_[k].assign(state_.n, 0.0);
    for (u32 i = 0; i < state_.n; ++i) {
      const laws::Derivatives d{begin_.a[k][i], begin_.j[k][i], snap_[k][i], crackle_[k][i]};
      const double rest = rest_.empty() ? 0 : rest_[3 * i + k];
      to_x[k][i] = x[k][i] + (rest + laws::position_change(v[k][i], d, h));
      to_v[k][i] = v[k][i] + laws::velocity_change(d, h);
    }
  }
  const Rates end = evaluate(trial_, end_);
  interpolate(h);
  return {end, aarseth2(begin_, 0), aarseth2(end_, h)};
}

void JerkSteps::interpolate(double h) {
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) {
      const laws::Derivatives d = laws::interpolated(begin_.a[k][i], begin_.j[k][i], end_.a[k][i], end_.j[k][i], h);
      snap_[k][i] = d.s, crackle_[k][i] = d.c;
    }
  }
}

double JerkSteps::aarseth2(const Motion& motion, double after) const {
  double least = std::numeric_limits<double>::infinity();
  for (u32 i = 0; i < state_.n; ++i) {
    double a[3], j[3], s[3], c[3];
    for (std::size_t k = 0; k < 3; ++k) {
      a[k] = motion.a[k][i], j[k] = motion.j[k][i], c[k] = crackle_[k][i];
      s[k] = snap_[k][i] + after * c[k];
    }
    least = std::min(least, laws::aarseth_step2(a, j, s, c));
  }
  return least;
}

void JerkSteps::accept_kdk(double h) {
  const Columns v = velocities(state_);
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) v[k][i] += h / 2 * (begin_.a[k][i] + end_.a[k][i]);
  }
  const Columns x = places(state_), end = places(trial_);
  for (std::size_t k = 0; k < 3; ++k) std::copy(end[k].begin(), end[k].end(), x[k].begin());
  rest_.clear();
  std::swap(begin_, end_);
}

void JerkSteps::accept_hermite(double h) {
  const Columns x = places(state_), v = velocities(state_);
  rest_.resize(std::size_t{3} * state_.n, 0.0);
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) {
      const double a0 = begin_.a[k][i], a1 = end_.a[k][i], v0 = v[k][i];
      const double v1 = v0 + laws::corrected_change(a0, begin_.j[k][i], a1, end_.j[k][i], h);
      const laws::Carried sum = laws::carried_sum(x[k][i], rest_[3 * i + k], laws::corrected_change(v0, a0, v1, a1, h));
      v[k][i] = v1, x[k][i] = sum.value, rest_[3 * i + k] = sum.rest;
    }
  }
}

// Steps of the engine: the stages of an integrator, and what follows steps from jerks.

template <class Real>
void CpuEngine<Real>::run_stages(Integrator integrator, double dt, u64 steps) {
  const std::span<const Stage> list = stages(integrator);
  for (u64 step = 1; step <= steps; ++step) run_step(list, dt, step);
}

template <class Real>
void CpuEngine<Real>::run_step(std::span<const Stage> list, double dt, u64 step) {
  const Stopwatch watch;
  double force_ms = 0;
  for (const Stage& stage : list) {
    if (stage.kind == Stage::Kind::drift) {
      drift(stage.fraction * dt);
      continue;
    }
    if (!accelerations_valid_) {
      update_accelerations(step);
      force_ms += timing_.force;
    }
    kick(stage.fraction * dt);
  }
  if (law_.field().pair == PairLaw::contact && law_.field().contact.impulse) resolve_impulses(dt);
  check_finite(step);
  timing_.integrate = watch.ms() - force_ms;
}

template <class Real>
void CpuEngine<Real>::check_finite(u64 step) const {
  const u32 bad = state_.first_not_finite();
  if (bad < state_.n) throw NumericalError(state_fault(bad, step, config_.precision), step);
}

template <class Real>
std::unique_ptr<JerkScheme> CpuEngine<Real>::make_jerks() {
  if constexpr (std::is_same_v<Real, double>) {
    const auto bytes = [&](u64 n) { return jerk_steps_bytes(n, config_.accumulate, config_.threads); };
    require_memory(static_cast<double>(bytes(state_.n)), fmt::format("steps with jerks of {} bodies", state_.n),
                   size_hint("Use ", largest_that_fits(bytes, available_memory()),
                             " bodies or fewer, or --threads 1, or steps of a given length by kdk"));
    using Tree = std::optional<JerkSteps::ByTree>;
    const Tree tree = config_.pairs == PairSearch::tree ? Tree(JerkSteps::ByTree{tree_walk(), pairs_}) : std::nullopt;
    return std::make_unique<JerkSteps>(state_, law_.given(), pair_walk(), config_.accumulate, rest_, ranks_, tree);
  }
  TRI_UNREACHABLE("jerks in float32");
}

template <class Real>
void CpuEngine<Real>::finish_jerk_step(JerkScheme& steps, u64 step) {
  check_finite(step);
  steps.evaluate();
  const JerkSteps::Motion& motion = static_cast<JerkSteps&>(steps).motion();
  AlignedVector<Real>* const published[] = {&ax_, &ay_, &az_};
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) (*published[k])[i] = static_cast<Real>(motion.a[k][i]);
  }
}

template <class Real>
void CpuEngine<Real>::account_jerk_step(JerkScheme& steps, double ms, double force_ms_before) {
  timing_.force = steps.force_ms() - force_ms_before;
  timing_.force_when = {};  // several evaluations
  timing_.integrate = ms - timing_.force;
}

template <class Real>
const Ranks& CpuEngine<Real>::ranks_of(Domain domain) const {
  if (domain == Domain::tetrahedron) return triples_.ranks();
  return jerk_ ? static_cast<const JerkSteps&>(*jerk_).ranks() : pairs_.ranks();
}

template <class Real>
auto CpuEngine<Real>::timing() const -> Timing {
  Timing timing = timing_;
  const auto add = [&](const std::vector<u64>& ns) {
    timing.rank_ms.resize(std::max(timing.rank_ms.size(), ns.size()), 0.0);
    for (std::size_t r = 0; r < ns.size(); ++r) timing.rank_ms[r] += 1e-6 * static_cast<double>(ns[r]);
  };
  if (has_pair_sums(law_.field())) add(ranks_of(Domain::triangle).ns());
  if (law_.field().triple != TripleLaw::none) add(ranks_of(Domain::tetrahedron).ns());
  const Domain main = law_.field().triple != TripleLaw::none ? Domain::tetrahedron : Domain::triangle;
  const RankShares measured = ranks_of(main).measured();
  for (u32 r = 0; r < timing.rank_ms.size(); ++r) timing.rank_parts.push_back(measured.part(r));
  return timing;
}

template <class Real>
Bodies CpuEngine<Real>::read() const {
  Bodies bodies = state_.read();
  bodies.rest = this->rest();
  return bodies;
}

template class CpuEngine<float>;
template class CpuEngine<double>;

}  // namespace tri::cpu
