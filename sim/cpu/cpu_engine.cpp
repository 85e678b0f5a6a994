// The engine of the cpu backend: its setup, state, saved states, published instances.
//
// What an engine needs before its state: a complete configuration and enough memory.

#include "sim/cpu/cpu_engine.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
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

namespace tri::cpu {

EngineConfig complete(const EngineConfig& config, const ForceField& field, u32 n, u32 backend_threads) {
  EngineConfig c = config;
  if (config.arithmetic == Arithmetic::tensor) refuse_tensor("cpu");
  c.arithmetic = Arithmetic::float32;
  if (c.threads == 0) c.threads = backend_threads;
  if (c.threads > kMaxThreads) {
    throw ConfigError(
        fmt::format("--threads {} is more than {}; use --threads {} or less.", c.threads, kMaxThreads, kMaxThreads));
  }
  if (c.pair_block == 0) c.pair_block = default_pair_block(n);
  if (c.triple_block == 0) c.triple_block = default_triple_block(n);
  c.broad_phase = choose_broad_phase(config.broad_phase, field.pair, n >= kGridFrom);
  if (field.pair != PairLaw::none) triangle_grid(c.pair_map, n, c.pair_block);
  if (field.triple != TripleLaw::none) tetra_grid(c.triple_map, n, c.triple_block);
  return c;
}

u64 engine_bytes(u64 n, const ForceField& field, Precision precision, Accumulate accumulate, u32 threads) {
  const u64 real = precision == Precision::fp32 ? 4 : 8;
  const u64 sum = accumulate == Accumulate::fast ? sizeof(double) : sizeof(Wide);
  // State (with charges) and accelerations, and the state before a step; per-thread sums and their total; a float64
  // copy for diagnostics.
  u64 each = 18 * real + 3 * sum * threads + 3 * 8 + 17 * 8;
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

// States that an engine keeps in host memory, to be brought back; and its own, for others to read and write.

namespace {

/// All that the next step depends on, and the accelerations that are published with it.
template <class Real>
struct HostState final : SavedState {
  AlignedVector<Real> values, ax, ay, az;
  std::vector<double> rest;
  u64 bytes() const override { return (values.size() + 3 * ax.size()) * sizeof(Real) + rest.size() * sizeof(double); }
};

}  // namespace

template <class Real>
std::unique_ptr<SavedState> CpuEngine<Real>::save_state(std::unique_ptr<SavedState> reuse) const {
  if (!reuse) reuse = std::make_unique<HostState<Real>>();
  auto* to = dynamic_cast<HostState<Real>*>(reuse.get());
  TRI_EXPECTS(to != nullptr);
  to->values = state_.values;
  to->ax = ax_, to->ay = ay_, to->az = az_;
  to->rest = jerk_ ? jerk_->rest() : rest_;
  return reuse;
}

template <class Real>
void CpuEngine<Real>::restore_state(const SavedState& kept) {
  const auto* from = dynamic_cast<const HostState<Real>*>(&kept);
  TRI_EXPECTS(from != nullptr && from->values.size() == state_.values.size());
  jerk_.reset();
  std::copy(from->values.begin(), from->values.end(), state_.values.begin());
  ax_ = from->ax, ay_ = from->ay, az_ = from->az;
  rest_ = from->rest;
  accelerations_valid_ = false;
}

template <class Real>
StateArrays CpuEngine<Real>::borrow() {
  if (ranks_ != nullptr) return Engine::borrow();
  lent_ = save_state(std::move(lent_));
  const auto stride = static_cast<std::ptrdiff_t>(state_.stride);
  return {state_.x.data(), state_.vx.data(), state_.m.data(), state_.r.data(), 1, stride};
}

template <class Real>
bool CpuEngine<Real>::return_borrowed(bool discard) {
  TRI_EXPECTS(lent_ != nullptr);
  const std::unique_ptr<SavedState> before = std::move(lent_);
  if (discard) return restore_state(*before), false;
  const AlignedVector<Real>& kept = dynamic_cast<const HostState<Real>&>(*before).values;
  if (std::memcmp(kept.data(), state_.values.data(), kept.size() * sizeof(Real)) == 0) return false;
  try {
    apply_edits();
  } catch (...) {
    restore_state(*before);
    throw;
  }
  return true;
}

/// Makes anew what follows from the state.
template <class Real>
void CpuEngine<Real>::apply_edits() {
  const Bodies bodies = state_.read();
  check(bodies);
  check_float_values(bodies, config_.precision);
  if (const std::string why = massless_refusal(bodies, field_); !why.empty()) throw ConfigError(why);
  jerk_.reset(), rest_.clear();
  const ForceField field = bare_ ? *bare_ : field_;
  set_field(field);  // radii may have changed, and with them what a grid and a box permit
}

// Publishing of drawable instances.

template <class Real>
std::vector<u32> CpuEngine<Real>::contact_counts() const {
  if (field_.pair != PairLaw::contact) return std::vector<u32>(state_.n, 0);
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
    if (sink.scalar == InstanceScalar::group) return state_.group.empty() ? 0.0f : static_cast<float>(state_.group[i]);
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
    : state_(bodies),
      field_(field),
      config_(config),
      asked_broad_phase_(config.broad_phase),
      backend_threads_(backend_threads),
      ranks_(ranks),
      pairs_(ranks),
      triples_(ranks),
      pair_energies_(ranks),
      triple_energies_(ranks),
      ax_(padded<Real>(state_.n)),
      ay_(padded<Real>(state_.n)),
      az_(padded<Real>(state_.n)),
      rest_(std::is_same_v<Real, double> ? bodies.rest : std::vector<double>()) {
  state_.wrap(field_.box);
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
  if (config.precision != config_.precision) {
    throw ConfigError("an engine keeps its precision; make a new one to go from " + to_string(config_.precision) +
                      " to " + to_string(config.precision) + ".");
  }
  config_ = settled(config, field_);
  asked_broad_phase_ = config.broad_phase;
  keep_rest();
  accelerations_valid_ = false;
}

template <class Real>
void CpuEngine<Real>::set_field(const ForceField& field) {
  check(field, static_cast<double>(*std::max_element(state_.r.begin(), state_.r.end())));
  check_float_range(state_.read(), field, config_.precision);
  EngineConfig config = config_;
  config.broad_phase = asked_broad_phase_;
  config_ = settled(config, field);
  field_ = field;
  bare_.reset();
  keep_rest();
  state_.wrap(field_.box);
  accelerations_valid_ = false;
}

template <class Real>
Walk<TriangleMapId> CpuEngine<Real>::pair_walk() const {
  const TileGrid grid = triangle_grid(config_.pair_map, state_.n, config_.pair_block);
  return {config_.pair_map, grid, worthwhile_threads(pair_count(state_.n), config_.threads)};
}

template <class Real>
ContactSearch CpuEngine<Real>::contact_search() const {
  return {field_.box, pair_walk(), config_.broad_phase};
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
    pairs_.add_listed(field_, state_.view(), state_.n, near, pair_walk().threads, accumulate);
  } else {
    pairs_.add_pairs(field_, state_.view(), pair_walk(), accumulate);
    pairs_met_ = pair_count(state_.n);
  }
}

template <class Real>
void CpuEngine<Real>::sum_laws() {
  // Integer sums cannot identify the body; floating-point sums can, and are computed only when there is an error.
  const auto evaluate = [this](ForceSums& sums, const auto& sum) {
    try {
      sum(config_.accumulate);
    } catch (const ForceSums::NotFinite&) {
      sum(Accumulate::fast);
      if (first_not_finite(sums, state_.n) == state_.n) sums.x[0] = std::numeric_limits<double>::quiet_NaN();
    }
  };
  if (has_pair_sums(field_)) evaluate(pairs_, [this](Accumulate a) { sum_pairs(a); });
  timing_.triples = 0;
  if (field_.triple == TripleLaw::none) return;
  const Stopwatch watch;
  evaluate(triples_, [this](Accumulate a) { triples_.add_triples(field_, state_.view(), triple_walk(), a); });
  timing_.triples = watch.ms();
}

template <class Real>
std::array<Real, 3> CpuEngine<Real>::wall_force(u32 i) const {
  if (field_.pair != PairLaw::contact) return {};
  const laws::WallSprings<Real> walls(field_.box, field_.contact);
  const Real position[3] = {state_.x[i], state_.y[i], state_.z[i]};
  const Real velocity[3] = {state_.vx[i], state_.vy[i], state_.vz[i]};
  const auto term = walls(position, velocity, state_.r[i]);
  return {term.fx, term.fy, term.fz};
}

template <class Real>
bool CpuEngine<Real>::keep_apart() {
  if (bare_) return false;
  std::optional<ForceField> softened = apart(state_.read(), field_, config_.precision);
  if (softened) bare_ = std::exchange(field_, std::move(*softened));
  return softened.has_value();
}

template <class Real>
void CpuEngine<Real>::come_together() {
  if (!bare_ || only_massless_coincide(state_.read(), config_.precision)) return;
  field_ = std::move(*bare_);
  bare_.reset();
}

template <class Real>
void CpuEngine<Real>::update_accelerations(u64 step) {
  const Stopwatch watch;
  come_together();
  sum_laws();
  const bool pairs = has_pair_sums(field_), triples = field_.triple != TripleLaw::none;
  const bool accelerations = pairs && sums_are_accelerations(field_);
  for (u32 i = 0; i < state_.n; ++i) {
    const std::array<Real, 3> wall = wall_force(i);
    double a[3] = {field_.field[0], field_.field[1], field_.field[2]};
    double force[3] = {static_cast<double>(wall[0]), static_cast<double>(wall[1]), static_cast<double>(wall[2])};
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
      throw NumericalError(
          force_fault(read(), config_.precision, "an acceleration", i, fmt::format(" in step {}", step)), step);
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
  if (depends_on_velocity(field_)) accelerations_valid_ = false;
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
  if (field_.box.boundary == Boundary::periodic) return state_.wrap(field_.box);
  if (field_.box.boundary != Boundary::reflecting || field_.pair == PairLaw::contact) return;
  const auto low = [this](std::size_t axis) { return static_cast<Real>(field_.box.low[axis]); };
  const auto high = [this](std::size_t axis) { return static_cast<Real>(field_.box.high[axis]); };
  for (u32 i = 0; i < state_.n; ++i) {
    laws::mirror(state_.x[i], state_.vx[i], low(0), high(0));
    laws::mirror(state_.y[i], state_.vy[i], low(1), high(1));
    laws::mirror(state_.z[i], state_.vz[i], low(2), high(2));
  }
}

template <class Real>
void CpuEngine<Real>::resolve_impulses(double dt) {
  const laws::ImpulseRule<Real> rule(field_, dt);
  laws::resolve_in_order(state_, overlapping_pairs(state_.view(), contact_search()), rule);
  accelerations_valid_ = false;  // positions may have changed
}

template <class Real>
double CpuEngine<Real>::wall_energy(const Bodies& b) const {
  if (field_.pair != PairLaw::contact) return 0;
  const laws::WallSprings<double> walls(field_.box, field_.contact);
  double energy = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double position[3] = {b.x[i], b.y[i], b.z[i]};
    const double velocity[3] = {b.vx[i], b.vy[i], b.vz[i]};
    energy += walls(position, velocity, b.r[i]).potential;
  }
  return energy;
}

template <class Real>
double CpuEngine<Real>::potential_energies(const Bodies& bodies, double& virial, double& triple_potential) {
  const BodyStore<double> wide(bodies);
  TileEnergy pair, triple;
  if (has_pair_sums(field_)) {
    pair = config_.broad_phase == BroadPhase::grid
               ? contact_energy(field_, wide.view(), contact_search())
               : pair_energy(field_, wide.view(), wide.n, config_.threads, pair_energies_);
  }
  if (field_.triple != TripleLaw::none) {
    triple = triple_energy(field_, wide.view(), wide.n, config_.threads, triple_energies_);
  }
  virial = pair.virial + triple.virial;
  triple_potential = triple.potential;
  return pair.potential + triple.potential + wall_energy(bodies);
}

template <class Real>
Diagnostics CpuEngine<Real>::diagnose() {
  const Bodies bodies = read();
  come_together();
  Diagnostics d = one_body_diagnostics(bodies, field_);
  double potential = potential_energies(bodies, d.virial, d.triple_potential);
  if (!std::isfinite(potential) && keep_apart()) {
    potential = potential_energies(bodies, d.virial, d.triple_potential);
  }
  d.potential += potential;
  return d;
}

template <class Real>
ForceResult CpuEngine<Real>::forces() {
  ForceResult result;
  const Stopwatch watch;
  come_together();
  sum_laws();
  const u32 n = state_.n;
  const bool pairs = has_pair_sums(field_), triples = field_.triple != TripleLaw::none;
  result.fx.resize(n), result.fy.resize(n), result.fz.resize(n);
  for (u32 i = 0; i < n; ++i) {
    const std::array<Real, 3> wall = wall_force(i);
    const double weight = sums_are_accelerations(field_) ? static_cast<double>(state_.m[i]) : 1.0;
    const auto total = [&](double pair, double triple, Real w) {
      return static_cast<double>(w) + weight * pair + triple;
    };
    result.fx[i] = total(pairs ? pairs_.x[i] : 0, triples ? triples_.x[i] : 0, wall[0]);
    result.fy[i] = total(pairs ? pairs_.y[i] : 0, triples ? triples_.y[i] : 0, wall[1]);
    result.fz[i] = total(pairs ? pairs_.z[i] : 0, triples ? triples_.z[i] : 0, wall[2]);
    if (!std::isfinite(result.fx[i]) || !std::isfinite(result.fy[i]) || !std::isfinite(result.fz[i])) {
      if (keep_apart()) return forces();
      throw NumericalError(force_fault(read(), config_.precision, "a force", i, ""));
    }
  }
  result.ms = timing_.force = watch.ms();
  double triple_potential = 0;
  result.potential = potential_energies(read(), result.virial, triple_potential);
  result.work_items = (pairs ? pairs_met_ : 0) + (triples ? triple_count(n) : 0);
  return result;
}

template <class Real>
u64 CpuEngine<Real>::state_hash() const {
  u64 hash = kFnvOffset;
  for (const auto* a : {&state_.x, &state_.y, &state_.z, &state_.vx, &state_.vy, &state_.vz}) {
    hash = fnv1a(hash, std::span<const Real>(a->data(), state_.n));
  }
  return hash;
}

template class CpuEngine<float>;
template class CpuEngine<double>;

}  // namespace tri::cpu
