// Construction of an engine, and what a change of field or configuration rebuilds.

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "sim/backend/arithmetic.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/engine/cuda_engine.hpp"
#include "sim/cuda/engine/device_range.hpp"
#include "sim/cuda/engine/device_tuning.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/jit/runtime_kernel.hpp"
#include "sim/cuda/runtime/device_memory.hpp"

namespace tri::cuda {
namespace {

/// Configurations kept: all maps of a domain.
constexpr std::size_t kMaxKept = 16;
/// Bodies to which steps are short beside a change of configuration, and tables and copies of the bodies small.
constexpr u32 kMaxKeptBodies = 32768, kMaxKeptTriples = 8192;

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
  if (long_steps) bytes += n * 2 * (fp32 ? sizeof(Vec4<float>) : sizeof(Vec4<double>));  // the state before a step
  if (sums_over_all_pairs(field)) bytes += pair_forces_bytes(config, n);
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
    : device_(device),
      ranks_(ranks),
      n_(fitting(bodies, field, config, device)),
      positions_(n_),
      velocities_(n_),
      sums_(n_),
      acceleration_(n_),
      fault_flag_(1),
      body_sums_(kBodySums + body_sum_scratch(n_)),
      group_(bodies.group),
      species_(bodies.species),
      seen_(1),
      on_a_line_(on_a_line(bodies)),
      work_{field, config, config, tri::cuda::body_field<Real>(field), nullptr, nullptr, nullptr},
      rest_(std::is_same_v<Real, double> ? bodies.rest : std::vector<double>()) {
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
  Work work{field, asked, config, tri::cuda::body_field<Real>(field), nullptr, nullptr, nullptr};
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
  keep_rest();
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
bool CudaEngine<Real>::take_kept(const EngineConfig& asked) {
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
  if (config.precision != work_.config.precision) {
    throw ConfigError("an engine keeps its precision; make a new one to go from " + to_string(work_.config.precision) +
                      " to " + to_string(config.precision) + ".");
  }
  if (take_kept(config)) return;
  // Download bodies only for a grid; a viewer changes maps often.
  Work work = make_work(work_.field, config, work_.field.pair == PairLaw::contact ? read() : Bodies{});
  set_aside();
  take(std::move(work));
}

template <class Real>
void CudaEngine<Real>::set_field(const ForceField& field) {
  use_device();
  make_whole();
  constexpr Precision kPrecision = std::is_same_v<Real, float> ? Precision::fp32 : Precision::fp64;
  const Bodies bodies = read();
  check(field, largest_radius(bodies));
  check_device_range(bodies, field, kPrecision);
  // Choices left to the backend are made again, since another law may prefer other tiles.
  Work work = make_work(field, work_.asked, bodies);
  kept_.clear();
  bare_.reset();
  take(std::move(work));
  wrap_positions();
}

template class CudaEngine<float>;
template class CudaEngine<double>;

}  // namespace tri::cuda
