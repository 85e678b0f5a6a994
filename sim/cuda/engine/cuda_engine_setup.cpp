// What the engine of a device works with: the plan of a step, the work of a configuration, changes of both.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "sim/backend/engine.hpp"
#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/cuda/engine/cuda_engine.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/jit/runtime_kernel.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/model/checks.hpp"

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
template BodyField<float> body_field(const ForceField&);
template BodyField<double> body_field(const ForceField&);

// Construction of an engine, and what a change of field or configuration rebuilds.

namespace {

/// Configurations kept: all maps of a domain.
constexpr std::size_t kMaxKept = 16;
/// Bodies to which steps are short beside a change of configuration, and tables and copies of the bodies small.
constexpr u32 kMaxKeptBodies = 32768, kMaxKeptTriples = 8192;

/// Bodies from which the tree is faster. Ranks go by the rule, since each may have a tuning of its own.
u64 tree_bodies_of(const EngineConfig& c, int device, bool ranks) {
  if (c.tolerance == Tolerance::automatic) return 0;  // choose_pairs() takes all pairs, whatever a file says
  const double tolerance = tree_tolerance(c);
  return ranks ? tree_bodies_for(tolerance) : tuned_tree_bodies(c.precision, tolerance, device);
}

bool sums_over_all_pairs(const ForceField& field) { return has_pair_sums(field) && field.pair != PairLaw::contact; }

/// n, after checking that it fits.
u32 fitting(const Bodies& bodies, const ForceField& field, const EngineConfig& config, int device) {
  const u64 n = bodies.size();
  if (n > kMaxElements) {
    throw ConfigError(fmt::format("{} bodies are more than the cuda backend takes; give {} or fewer, or --backend cpu.",
                                  n, kMaxElements));
  }
  TRI_CUDA(cudaSetDevice(device));
  const auto bytes = [&](u64 count) { return engine_bytes(count, field, config); };
  require_device_memory_for(bytes, n, fmt::format("a simulation of {} bodies", n), "Use ",
                            " bodies or fewer, or --backend cpu");
  return static_cast<u32>(n);
}

template <class Real>
Vec4<Real> vec4(double a, double b, double c, double d) {
  return {static_cast<Real>(a), static_cast<Real>(b), static_cast<Real>(c), static_cast<Real>(d)};
}

}  // namespace

u64 engine_bytes(u64 n, const ForceField& field, const EngineConfig& config) {
  const bool fp32 = config.precision == Precision::fp32;
  // Position, velocity, sums and accelerations; charges; instances for a renderer.
  u64 bytes = n * (4 * (fp32 ? sizeof(Vec4<float>) : sizeof(Vec4<double>)) + (fp32 ? 4 : 8) + sizeof(Instance));
  const bool long_steps = sums_over_all_pairs(field) || field.triple != TripleLaw::none;
  if (long_steps) bytes += n * 3 * (fp32 ? sizeof(Vec4<float>) : sizeof(Vec4<double>));  // the state before a step
  if (sums_over_all_pairs(field)) {
    EngineConfig chosen = config;
    int device = 0;
    TRI_CUDA(cudaGetDevice(&device));
    chosen.pairs = choose_pairs(config, field, n, tree_bodies_of(config, device, false));
    bytes += pair_forces_bytes(chosen, n);
  }
  if (field.pair == PairLaw::contact) {
    bytes += fp32 ? contacts_bytes<float>(field, config, n) : contacts_bytes<double>(field, config, n);
  }
  if (field.triple != TripleLaw::none) {
    bytes += n * (fp32 ? sizeof(Vec4<float>) : sizeof(Vec4<double>)) + triple_forces_bytes(config, n);
  }
  return bytes;
}

template <class Real>
CudaEngine<Real>::CudaEngine(const Bodies& bodies, const ForceField& field, const EngineConfig& config, int device,
                             DeviceRanks* ranks)
    : Base(bodies, field),
      device_(device),
      ranks_(ranks),
      n_(fitting(bodies, field, config, device)),
      positions_(n_),
      velocities_(n_),
      sums_(n_),
      acceleration_(n_),
      fault_flag_(1),
      body_sums_(kBodySums + body_sum_scratch(n_)),
      passive_(passive_columns(bodies, sizeof(Real) == 4)),
      seen_(1),
      on_a_line_(on_a_line(bodies)),
      work_{config, config, tri::cuda::body_field<Real>(field), nullptr, nullptr, nullptr} {
  std::vector<Vec4<Real>> position(n_), velocity(n_);
  for (u32 i = 0; i < n_; ++i) {
    position[i] = vec4<Real>(bodies.x[i], bodies.y[i], bodies.z[i], bodies.m[i]);
    velocity[i] = vec4<Real>(bodies.vx[i], bodies.vy[i], bodies.vz[i], bodies.r[i]);
  }
  take(make_work(field, config, bodies));
  if (!bodies.q.empty()) {
    charges_ = DeviceBuffer<Real>(n_);
    charges_.upload(std::vector<Real>(bodies.q.begin(), bodies.q.end()), stream_);
  }
  positions_.upload(position, stream_);
  velocities_.upload(velocity, stream_);
  acceleration_.fill_bytes(0, stream_);
  sums_.fill_bytes(0, stream_);
  reset_fault_flag();
  wrap_positions();
}

template <class Real>
void CudaEngine<Real>::wrap_positions() {
  const BodyField<Real>& field = work_.body_field;
  if (!field.impulse.image.periodic) return;
  std::vector<Vec4<Real>> position = positions_.download(stream_);
  for (Vec4<Real>& p : position) {
    laws::wrap(p.x, field.low[0], field.high[0]);
    laws::wrap(p.y, field.low[1], field.high[1]);
    laws::wrap(p.z, field.low[2], field.high[2]);
  }
  positions_.upload(position, stream_);
  TRI_CUDA(cudaStreamSynchronize(stream_));
}

template <class Real>
auto CudaEngine<Real>::make_work(const ForceField& field, const EngineConfig& asked, const Bodies& bodies) const
    -> Work {
  if (ranks_ == nullptr) return make_own_work(field, asked, bodies);
  std::optional<Work> work;
  ranks_->all_or_none([&] { work = make_own_work(field, asked, bodies); });
  if (work->pairs) work->pairs->agree();
  if (work->contacts) work->contacts->agree();
  if (work->triples) work->triples->agree();
  return std::move(*work);
}

template <class Real>
auto CudaEngine<Real>::make_own_work(const ForceField& field, const EngineConfig& asked, const Bodies& bodies) const
    -> Work {
  EngineConfig config = asked;
  const bool gravity = field.pair == PairLaw::gravity && field.triple == TripleLaw::none;
  if (config.arithmetic == Arithmetic::automatic && gravity && on_a_line_) {
    config.arithmetic = Arithmetic::float32;
  }
  if (config.arithmetic == Arithmetic::tensor) {
    if (const std::string text = tensor_refusal(field, config); !text.empty()) throw ConfigError(text);
  }
  config.pairs = choose_pairs(asked, field, n_, tree_bodies_of(config, device_, ranks_ != nullptr));
  // All pairs instead of a tree with a larger error: tensor cores then have their loosest tolerance.
  if (asked.pairs == PairSearch::automatic && config.pairs == PairSearch::all) {
    config.tolerance = std::min(config.tolerance, Tolerance::loose);
  }
  if (config.pairs == PairSearch::tree) {
    if (const std::string text = tree_refusal(field, config); !text.empty()) throw ConfigError(text);
  }
  Work work{asked, config, tri::cuda::body_field<Real>(field), nullptr, nullptr, nullptr};
  if (work.config.threads == 0) work.config.threads = 1;
  work.config.broad_phase =
      choose_broad_phase(config.broad_phase, field.pair, false);  // Contacts makes the final choice
  if (sums_over_all_pairs(field)) {
    work.pairs = std::make_unique<PairForces<Real>>(field, config, n_, device_, ranks_);
    work.config.pair_block = work.pairs->block();
  }
  work.config.arithmetic = work.pairs && work.pairs->on_tensor_cores() ? Arithmetic::tensor : Arithmetic::float32;
  if (field.pair == PairLaw::contact) {
    work.contacts = std::make_unique<Contacts<Real>>(field, bodies, config, stream_, ranks_);
    work.config.pair_block = work.contacts->block();
    work.config.broad_phase = work.contacts->uses_grid() ? BroadPhase::grid : BroadPhase::all_pairs;
    if (work.contacts->is_shared() && work.body_field.pairs) {
      work.domains = std::make_unique<ContactDomains<Real>>(field, work.config, work.contacts->grid(), n_, *ranks_);
    }
  }
  if (field.triple != TripleLaw::none) {
    work.triples = std::make_unique<TripleForces<Real>>(field, config, n_, device_, ranks_);
    work.config.triple_block = work.triples->block();
    if (work.triples->on_tensor_cores()) work.config.arithmetic = Arithmetic::tensor;
  }
  return work;
}

template <class Real>
void CudaEngine<Real>::take(Work work) {
  TRI_EXPECTS(whole_);
  recorded_.clear();
  this->end_jerks();
  work_ = std::move(work);
  divided_ = false;
  if (work_.triples && triple_sums_.size() == 0) triple_sums_ = DeviceBuffer<Vec4<Real>>(n_);
  accelerations_valid_ = warm_ = false;
  last_batch_ = 0;
  timing_.rank_ms.clear();
}

template <class Real>
void CudaEngine<Real>::set_aside() {
  const bool small = work_.config.accumulate == Accumulate::fast && work_.config.arithmetic == Arithmetic::float32 &&
                     n_ <= (work_.triples ? kMaxKeptTriples : kMaxKeptBodies);
  if (!small || work_.contacts) return;  // contacts take their grid from the bodies as they are
  if (kept_.size() == kMaxKept) kept_.erase(kept_.begin());
  kept_.push_back({std::move(work_), std::move(recorded_), warm_});
}

template <class Real>
bool CudaEngine<Real>::reuse_setup(const EngineConfig& asked) {
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.work.asked == asked; });
  if (found == kept_.end()) return false;
  Kept kept = std::move(*found);
  kept_.erase(found);
  set_aside();
  take(std::move(kept.work));
  recorded_ = std::move(kept.recorded);
  warm_ = kept.warm;
  return true;
}

template <class Real>
MapLimits CudaEngine<Real>::map_limits(Domain domain) const {
  MapLimits limits = Engine::map_limits(domain);
  if (const Availability compiler = runtime_kernels_available(); !compiler) limits.no_typed = compiler.reason;
  if (domain == Domain::tetrahedron) return limits;
  use_device();
  limits.table_bytes = device_table_memory();
  limits.tiles_only = work_.pairs != nullptr;
  if (!work_.contacts) return limits;
  // Contacts have a kernel for thread-space maps, which the block side chooses.
  if (work_.asked.pair_block == 0) limits.block = tuned_overlap_tile(work_.config.precision, n_, device_);
  limits.tiles_only = work_.asked.pair_block != 0 && work_.contacts->uses_tiles();
  return limits;
}

template <class Real>
void CudaEngine<Real>::configure(const EngineConfig& config) {
  use_device();
  make_whole();
  this->check_precision(config);
  if (reuse_setup(config)) return;
  // Download bodies only for a grid; a viewer changes maps often.
  Work work = make_work(law_.field(), config, law_.field().pair == PairLaw::contact ? read() : Bodies{});
  set_aside();
  take(std::move(work));
}

template <class Real>
void CudaEngine<Real>::set_field(const ForceField& field) {
  use_device();
  make_whole();
  const Bodies bodies = read();
  check(field, largest_radius(bodies));
  check_device_range(bodies, field, kPrecisionOf<Real>);
  // Choices left to the backend are made again, since another law may prefer other tiles.
  Work work = make_work(field, work_.asked, bodies);
  kept_.clear();
  law_ = LawInUse(field);
  take(std::move(work));
  wrap_positions();
}

// Queries of an engine's state: diagnostics, forces, the bodies themselves, instances to draw, the hash.

template <class Real>
Bodies CudaEngine<Real>::read() const {
  use_device();
  TRI_EXPECTS(whole_);
  const std::vector<Vec4<Real>> position = positions_.download(stream_), velocity = velocities_.download(stream_);
  Bodies b = passive_;
  b.resize(n_);
  for (u32 i = 0; i < n_; ++i) {
    b.x[i] = position[i].x, b.y[i] = position[i].y, b.z[i] = position[i].z, b.m[i] = position[i].w;
    b.vx[i] = velocity[i].x, b.vy[i] = velocity[i].y, b.vz[i] = velocity[i].z, b.r[i] = velocity[i].w;
  }
  if (charges_.size() > 0) {
    const std::vector<Real> charges = charges_.download(stream_);
    b.q.assign(charges.begin(), charges.end());
  }
  b.rest = this->rest();
  return b;
}

template <class Real>
void CudaEngine<Real>::search_contacts() {
  if (work_.contacts->search(stream_, state())) recorded_.clear();
}

template <class Real>
PairEnergy CudaEngine<Real>::pair_energy() {
  if (work_.pairs) return work_.pairs->energy(stream_, state());
  if (!work_.contacts || !work_.body_field.pairs) return {};
  search_contacts();
  return work_.contacts->energy(stream_, state());
}

template <class Real>
PairEnergy CudaEngine<Real>::triple_energy() {
  return work_.triples ? work_.triples->energies(stream_, state()) : PairEnergy{};
}

template <class Real>
void CudaEngine<Real>::gather_times() {
  if (ranks_ == nullptr) return;
  const double own = (work_.pairs ? work_.pairs->own_ms() : 0) + (work_.triples ? work_.triples->own_ms() : 0) +
                     (work_.domains ? work_.domains->own_ms() : 0);
  timing_.rank_ms = ranks_->of_each(own);
  const auto none = [](double ms) { return ms == 0; };
  if (std::all_of(timing_.rank_ms.begin(), timing_.rank_ms.end(), none)) timing_.rank_ms.clear();
  const double part =
      divided_ ? static_cast<double>(work_.domains->own_bodies(stream_, array_)) / n_ : 1.0 / ranks_->size();
  timing_.rank_parts = ranks_->of_each(part);
  timing_.rank_parts.resize(timing_.rank_ms.size());
}

template <class Real>
RankShares CudaEngine<Real>::shares(Domain) const {
  return {ranks_ == nullptr ? 1 : ranks_->size()};
}

template <class Real>
Diagnostics CudaEngine<Real>::diagnose() {
  use_device();
  make_whole();
  come_together();
  gather_times();
  const std::array<double, 3>& uniform = law_.field().field;
  const OneBodyField alone{{uniform[0], uniform[1], uniform[2]}, spring_walls<double>(law_.field())};
  enqueue_body_sums(stream_, arrays(), alone, body_sums_.data() + kBodySums, body_sums_.data());
  double sums[kBodySums];
  body_sums_.download(std::span<double>(sums), stream_);
  Diagnostics d;
  d.kinetic = sums[kKinetic];
  d.potential = sums[kPotential];
  d.mass = sums[kMass];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    d.momentum[axis] = sums[kMomentum + axis];
    d.angular_momentum[axis] = sums[kAngular + axis];
    // The centre of massless bodies is the origin, not 0/0.
    d.centre[axis] = d.mass > 0 ? sums[kCentre + axis] / d.mass : 0.0;
  }
  PairEnergy energy = pair_energy();
  if (!std::isfinite(energy.potential) && keep_apart()) energy = pair_energy();
  const PairEnergy triples = triple_energy();
  d.triple_potential = triples.potential;
  d.potential += energy.potential + triples.potential;
  d.virial = energy.virial + triples.virial;
  return d;
}

template <class Real>
auto CudaEngine<Real>::sum_forces() -> Forces {
  const bool summed = work_.body_field.pairs;
  if (work_.contacts && summed) search_contacts();
  if (work_.pairs) work_.pairs->keep_sorted(stream_, state(), 1);
  force_timer_.start(stream_);
  enqueue_sums(stream_, nullptr, 0, cudaEventRecordDefault);
  force_timer_.stop(stream_);
  Forces sums;
  sums.ms = timing_.force = force_timer_.elapsed_ms();
  timing_.triples = work_.triples ? triple_timer_.elapsed_ms() : 0;
  const auto columns = [this](const DeviceBuffer<Vec4<Real>>& from, auto& to) {
    for (const Vec4<Real>& v : from.download(stream_)) to.x.push_back(v.x), to.y.push_back(v.y), to.z.push_back(v.z);
  };
  if (summed) columns(sums_, sums.pairs);
  if (work_.triples) columns(triple_sums_, sums.triples);
  return sums;
}

template <class Real>
u64 CudaEngine<Real>::pairs_met() {
  if (work_.pairs && work_.pairs->by_tree()) return work_.pairs->met().met;
  return work_.contacts ? work_.contacts->looked_at(stream_) : triangular(u64{n_} - 1);
}

template <class Real>
void CudaEngine<Real>::add_energies(ForceResult& result) {
  const PairEnergy pairs = pair_energy(), triples = triple_energy();
  result.potential = wall_energy(read()) + pairs.potential + triples.potential;
  result.virial = pairs.virial + triples.virial;
}

template <class Real>
const float* CudaEngine<Real>::scalar(InstanceScalar scalar) {
  if (scalar == InstanceScalar::mass) return nullptr;
  DeviceBuffer<float>& values = scalar == InstanceScalar::group ? groups_ : contact_counts_;
  const bool first = values.size() == 0;
  if (first) {
    require_device_memory(n_ * sizeof(float), "the colours of the bodies", "Use fewer bodies");
    values = DeviceBuffer<float>(n_);
  }
  if (scalar == InstanceScalar::group) {
    if (!first) return values.data();
    std::vector<float> numbers(passive_.group.begin(), passive_.group.end());
    numbers.resize(n_, 0);
    values.upload(numbers, stream_);
    TRI_CUDA(cudaStreamSynchronize(stream_));
  } else {
    values.fill_bytes(0, stream_);
    // No other rank takes part in a picture.
    if (work_.contacts && ranks_ != nullptr && !work_.all_contacts) {
      work_.all_contacts = std::make_unique<Contacts<Real>>(law_.field(), read(), work_.config, stream_);
    }
    if (work_.all_contacts) {
      (void)work_.all_contacts->search(stream_, state());
      work_.all_contacts->enqueue_counts(stream_, values.data());
    } else if (work_.contacts) {
      search_contacts();
      work_.contacts->enqueue_counts(stream_, values.data());
    }
  }
  return values.data();
}

/// Waits for the last publishing.
template <class Real>
void CudaEngine<Real>::account_publish() {
  timing_.publish = publish_timer_.elapsed_ms();
  const double begin = event_clock_.when(publish_timer_.begin());
  timing_.publish_when = {begin, begin + 1e-3 * timing_.publish};
}

template <class Real>
void CudaEngine<Real>::publish(InstanceSink& sink) {
  use_device();
  TRI_EXPECTS(whole_ && sink.instances.size() >= n_);
  const bool host = sink.place == InstanceSink::Place::host;
  if (host && instances_.size() == 0) {
    require_device_memory(n_ * sizeof(Instance), "the picture of the bodies", "Use fewer bodies");
    instances_ = DeviceBuffer<Instance>(n_);
    published_ = PinnedBuffer<Instance>(n_);
  }
  if (std::exchange(publishing_, false)) account_publish();
  event_clock_.set(stream_);
  const auto turn = static_cast<cudaStream_t>(sink.stream);
  if (turn != nullptr) {
    sink_free_.record(turn);
    TRI_CUDA(cudaStreamWaitEvent(stream_, sink_free_));
  }
  publish_timer_.start(stream_);
  const float* const scalar = this->scalar(sink.scalar);
  enqueue_instances(stream_, arrays(), scalar, host ? instances_.data() : sink.instances.data());
  if (host) {
    TRI_CUDA(
        cudaMemcpyAsync(published_.data(), instances_.data(), published_.bytes(), cudaMemcpyDeviceToHost, stream_));
  }
  publish_timer_.stop(stream_);
  if (turn != nullptr) {
    sink_written_.record(stream_);
    TRI_CUDA(cudaStreamWaitEvent(turn, sink_written_));
    publishing_ = true;  // its time is known by the next one
    return;
  }
  account_publish();
  if (host) std::memcpy(sink.instances.data(), published_.data(), published_.bytes());
}

template class CudaEngine<float>;
template class CudaEngine<double>;

}  // namespace tri::cuda
