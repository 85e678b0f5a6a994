// Forces on bodies in arrays of the caller's: a look at the bodies, and the sums of the laws as an engine has them.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

#include "sim/backend/arithmetic.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/engine/device_range.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/jobs/capture.hpp"
#include "sim/cuda/jobs/device_arrays.hpp"
#include "sim/cuda/kernels/bodies/body_arrays.hpp"
#include "sim/cuda/runtime/check.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_scope.hpp"
#include "sim/laws/uses.hpp"
#include "sim/model/float_range.hpp"
#include "sim/model/typed_range.hpp"

namespace tri {
namespace {

using cuda::DeviceBuffer;
using cuda::Vec4;

/// Bodies that are looked at for a line, and for a typed law.
constexpr u64 kSampledBodies = 4096;

/// Of BodySurvey, as numbers.
struct Found {
  double heaviest, low[3], high[3];
};

double number_of(unsigned long long ordered) { return std::bit_cast<double>(cuda::bits_in_order(ordered)); }

bool is_normal(double value, const FloatLimits& limits) { return value >= limits.least && value <= limits.largest; }

/// Whether check_float_range() has nothing against the gravity of these bodies: none is farther from the centre of mass
/// than the diagonal is long.
bool gravity_fits(const GravityParams& gravity, u64 n, double heaviest, double diagonal2, const FloatLimits& limits) {
  const double G = std::abs(gravity.G);
  if (G == 0 || !(heaviest > 0) || n < 2) return true;
  const double r = std::sqrt(diagonal2 + gravity.softening * gravity.softening);
  const double least = std::min({1.0, G, G * heaviest}) / (r * r * r);
  return is_normal(G * heaviest, limits) && least >= limits.least;
}

/// The same of triples without lennard-jones. The spacing of the bodies is one between that of two at the ends of the
/// longest side, all others in their middle, and that of all at the ends of the diagonal.
bool triples_fit(double nu, u64 n, double longest, double diagonal2, const FloatLimits& limits) {
  if (nu == 0 || n < 3) return true;
  const double count = static_cast<double>(n), across = std::cbrt(count);
  for (const double r : {2 * longest / std::sqrt(2 * count) / across, std::sqrt(diagonal2) / across}) {
    for (const double term : {std::pow(r, 6), std::pow(r, -6), 3 * std::abs(nu) / std::pow(r, 11)}) {
      if (!is_normal(term, limits)) return false;
    }
  }
  return true;
}

/// Whether check_device_range() would pass, typed laws apart. Throws as it does for parameters.
bool fits(const Found& found, u64 n, const ForceField& field, Precision precision) {
  Bodies three;  // at one place, without mass: of these only the parameters can be refused
  three.resize(3);
  cuda::check_device_range(three, field, precision);
  const double most = cuda::reach(precision);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(found.low[axis] >= -most && found.high[axis] <= most)) return false;
  }
  const FloatLimits limits = limits_of(precision);
  double longest = 0, diagonal2 = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double side = found.high[axis] - found.low[axis];
    longest = std::max(longest, side), diagonal2 += side * side;
  }
  if (field.pair == PairLaw::gravity && !gravity_fits(field.gravity, n, found.heaviest, diagonal2, limits))
    return false;
  const bool triples = field.triple == TripleLaw::axilrod_teller && field.pair != PairLaw::lennard_jones;
  return !triples || triples_fit(field.axilrod_teller.nu, n, longest, diagonal2, limits);
}

/// Packs the bodies. Nothing for values that are to be looked at on the host.
template <class Real>
std::optional<Found> survey(cudaStream_t stream, const DeviceBodies<Real>& bodies, const Box& box, Vec4<Real>* packed) {
  cuda::WrapWalls<Real> walls{{}, {}, box.boundary == Boundary::periodic};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    walls.low[axis] = static_cast<Real>(box.low[axis]), walls.high[axis] = static_cast<Real>(box.high[axis]);
  }
  DeviceBuffer<cuda::BodySurvey> survey(1);
  const std::array<cuda::BodySurvey, 1> none{};
  survey.upload(none, stream);
  cuda::enqueue_body_rows<Real>(stream,
                                {bodies.positions, static_cast<u32>(bodies.n), bodies.masses, bodies.mass, bodies.radii,
                                 bodies.radius, bodies.velocities},
                                walls, packed, survey.data());
  const cuda::BodySurvey found = survey.download(stream)[0];
  if (found.odd > 0) return std::nullopt;
  const auto numbers = [](const unsigned long long(&of)[3]) {
    return std::array<double, 3>{number_of(of[0]), number_of(of[1]), number_of(of[2])};
  };
  const auto low = numbers(found.low), high = numbers(found.high);
  return Found{number_of(found.heaviest), {low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

/// Each step-th of n elements.
template <class T>
std::vector<T> sample_of(cudaStream_t stream, const T* from, u64 n) {
  const u64 step = (n - 1) / kSampledBodies + 1, count = (n - 1) / step + 1;
  std::vector<T> sample(count);
  TRI_CUDA(cudaMemcpy2DAsync(sample.data(), sizeof(T), from, step * sizeof(T), sizeof(T), count, cudaMemcpyDeviceToHost,
                             stream));
  TRI_CUDA(cudaStreamSynchronize(stream));
  return sample;
}

/// Evenly spaced bodies. charges: may be null.
template <class Real>
Bodies sample_bodies(cudaStream_t stream, const Vec4<Real>* packed, const Real* charges, u64 n) {
  const std::vector<Vec4<Real>> sample = sample_of(stream, packed, n);
  Bodies bodies;
  bodies.resize(sample.size());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    bodies.x[i] = sample[i].x, bodies.y[i] = sample[i].y, bodies.z[i] = sample[i].z, bodies.m[i] = sample[i].w;
  }
  if (charges != nullptr) {
    const std::vector<Real> q = sample_of(stream, charges, n);
    bodies.q.assign(q.begin(), q.end());
  }
  return bodies;
}

/// Whether typed laws keep their digits among evenly spaced bodies.
bool typed_laws_fit(const Bodies& sample, const ForceField& field, Precision precision) {
  const auto fits = [&](const expression::TypedLaw& typed) {
    return typed_law_loss(sample, typed, field.box, precision).empty();
  };
  return (field.pair != PairLaw::typed || fits(field.typed_pair)) &&
         (field.triple != TripleLaw::typed || fits(field.typed_triple));
}

}  // namespace

template <class Real>
std::optional<double> device_forces(const DeviceQueue& queue, const DeviceBodies<Real>& bodies, const ForceField& field,
                                    const EngineConfig& asked, bool energy, Real* out) {
  check(field);
  const cuda::DeviceScope current(queue.device);
  const auto stream = static_cast<cudaStream_t>(queue.stream);
  cuda::refuse_capture(stream, "forces waits for the GPU, which a capture into a CUDA graph cannot; call it outside.");
  // Radii are in no array here.
  const bool radii = field.pair == PairLaw::contact || (pair_uses(field) & laws::kRadius) != 0;
  if (radii || bodies.n > cuda::kMaxElements) return std::nullopt;
  const u32 n = static_cast<u32>(bodies.n);
  DeviceBuffer<Vec4<Real>> packed(n);
  const std::optional<Found> found = survey(stream, bodies, field.box, packed.data());
  if (!found || !fits(*found, n, field, asked.precision)) return std::nullopt;
  EngineConfig config = asked;
  const bool gravity = field.pair == PairLaw::gravity && field.triple == TripleLaw::none;
  if (gravity && config.precision == Precision::fp32 && config.arithmetic == Arithmetic::automatic &&
      on_a_line(sample_bodies<Real>(stream, packed.data(), nullptr, n))) {
    config.arithmetic = Arithmetic::float32;
  }
  DeviceBuffer<Real> one_charge;
  const Real* charges = bodies.charges;
  if (charges == nullptr && bodies.charge != 0) {
    one_charge = DeviceBuffer<Real>(n);
    one_charge.upload(std::vector<Real>(n, bodies.charge), stream);
    charges = one_charge.data();
  }
  const bool typed = field.pair == PairLaw::typed || field.triple == TripleLaw::typed;
  if (typed && !typed_laws_fit(sample_bodies<Real>(stream, packed.data(), charges, n), field, config.precision)) {
    return std::nullopt;
  }
  const cuda::DeviceState<Real> state{packed.data(), nullptr, n, charges};
  std::optional<cuda::PairForces<Real>> pairs;
  std::optional<cuda::TripleForces<Real>> triples;
  DeviceBuffer<Vec4<Real>> of_pairs, of_triples;
  if (field.pair != PairLaw::none) {
    pairs.emplace(field, config, n, queue.device);
    of_pairs = DeviceBuffer<Vec4<Real>>(n);
    pairs->keep_sorted(stream, state, 1);
    pairs->enqueue(stream, state, of_pairs.data());
  }
  if (field.triple != TripleLaw::none) {
    triples.emplace(field, config, n, queue.device);
    of_triples = DeviceBuffer<Vec4<Real>>(n);
    triples->enqueue(stream, state, of_triples.data());
  }
  DeviceBuffer<unsigned long long> odd(1);
  odd.fill_bytes(0, stream);
  cuda::enqueue_force_rows<Real>(stream, packed.data(), n, of_pairs.data(), sums_are_accelerations(field),
                                 of_triples.data(), out, odd.data());
  if (odd.download(stream)[0] > 0) return std::nullopt;
  if (!energy) return 0.0;
  return (pairs ? pairs->energy(stream, state).potential : 0) + (triples ? triples->energy(stream, state) : 0);
}

template std::optional<double> device_forces(const DeviceQueue&, const DeviceBodies<float>&, const ForceField&,
                                             const EngineConfig&, bool, float*);
template std::optional<double> device_forces(const DeviceQueue&, const DeviceBodies<double>&, const ForceField&,
                                             const EngineConfig&, bool, double*);

}  // namespace tri
