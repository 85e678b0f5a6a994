#pragma once
/// Kernels over bodies: steps, changes of the state, diagnostics, jerks, their order on a curve.
///
/// Integrator stages on the device: accelerations from the sums of the laws, kicks, drifts, and a fault flag for bad
/// numbers. Steps need no host synchronisation, so that many can be enqueued, or captured into a graph, at once.
///
/// A step is divided into segments: a force evaluation (or none), then the kicks and drifts up to the next one. The end
/// of a step may lie inside a segment: kdk's segments are [forces, kick, end of step, kick, drift]. Each has two
/// kernels:
///
///     combine_accelerations   accelerations of the current state; tests the state at the end of the step;
///                             changes no state
///     kick_drift              the kicks and drifts
///
/// combine_accelerations records the first bad number in the fault flag; later kernels then change nothing, and the
/// state stays the one in which the bad number was found. (Kicks and drifts cannot be undone exactly, hence the test
/// before them.)
///
/// Thread i handles body i. All functions only enqueue; device memory belongs to the caller and must outlive the work.

#include <cstddef>

#include <cuda_runtime_api.h>

#include "sim/backend/engine.hpp"
#include "sim/base/platform.hpp"
#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/cuda/kernels/pairs.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/laws/contact_impulse.hpp"
#include "sim/laws/wall.hpp"

namespace tri::cuda {

/// Faults; within one segment the first in this list has precedence.
enum class Fault : u32 {
  acceleration,  ///< the acceleration of `body` is not finite
  state,         ///< position or velocity of `body` is not finite at the end of the step
  overlaps,      ///< more pairs overlap than the list holds; no impulse was given
  contacts,      ///< more pairs overlap than the list holds, or more bodies come than a domain of them (contacts.hpp)
                 ///< has room for; no force was summed, and nothing moved
};

/// In device memory; reset by the host before a batch.
struct FaultFlag {
  static constexpr unsigned long long kNone = ~0ull;
  static constexpr u32 kMaxSegments = 1u << 29;

  unsigned long long first = kNone;  ///< minimum over faults of segment << 34 | Fault << 32 | body
  u32 base = 0;                      ///< added to segment numbers: graphs count theirs from 0

  TRI_HD static unsigned long long key(u32 segment, Fault fault, u32 body) {
    return static_cast<unsigned long long>(segment) << 34 | static_cast<unsigned long long>(fault) << 32 | body;
  }
  static u32 segment_of(unsigned long long key) { return static_cast<u32>(key >> 34); }
  static Fault fault_of(unsigned long long key) { return static_cast<Fault>(key >> 32 & 3u); }
  static u32 body_of(unsigned long long key) { return static_cast<u32>(key); }
};

/// A sequence of kicks and drifts.
template <class Real>
struct KickDrifts {
  static constexpr u32 kMax = 4;
  static constexpr u32 kNoEnd = ~0u;

  enum class Kind : u32 {
    kick,
    drift,  ///< includes mirrors and periodic wrapping
    walls,  ///< after the one sweep of elastic impulses: wall impulses, and wrapping of shifted bodies; time: |dt|
  };
  Kind kind[kMax] = {};
  Real time[kMax] = {};
  u32 count = 0;
  u32 end = kNoEnd;  ///< index of the move before which a step ends
};

/// Effects on single bodies, and the meaning of the sums of the laws.
template <class Real>
struct BodyField {
  double uniform[3];   ///< acceleration
  bool pairs;          ///< whether there are sums of the pair law
  bool accelerations;  ///< whether those are accelerations, not forces
  bool triples;        ///< whether there are sums of the triple law, which are forces
  bool mirrors;        ///< walls reflect centres
  bool wall_impulses;  ///< whether Kind::walls has an effect
  laws::WallSprings<Real> walls;
  Real low[3], high[3];             ///< the box
  laws::ImpulseRule<Real> impulse;  ///< its step comes from the move
};

/// Device memory of the state and its accelerations, [n] each.
template <class Real>
struct StepArrays {
  Vec4<Real>* position;      ///< x, y, z, m
  Vec4<Real>* velocity;      ///< vx, vy, vz, r
  const Vec4<Real>* sums;    ///< of the pair law
  Vec4<Real>* acceleration;  ///< of the last evaluation, uniform field and walls included
  FaultFlag* fault_flag;
  u32 n;
  const Vec4<Real>* triples = nullptr;  ///< sums of the triple law
  /// The bodies to move, where the arrays also have others (contacts.hpp), and the number of each, [n]. Null: all
  /// n, by their places.
  const BodyRange* own = nullptr;
  const u32* body = nullptr;

  /// The place of the k-th body to move; false if there are fewer.
  TRI_HD bool place_of(u32 k, u32& place) const {
    place = own == nullptr ? k : own->low + k;
    return place < (own == nullptr ? n : own->high);
  }
  TRI_HD u32 number_of(u32 place) const { return body == nullptr ? place : body[place]; }
};

/// combine: computes accelerations from the sums; otherwise uses the existing ones. Tests the accelerations (if
/// combined) and the state at the end of the step (if there is one).
template <class Real>
void enqueue_combine_accelerations(cudaStream_t stream, const StepArrays<Real>& arrays, const BodyField<Real>& field,
                                   const KickDrifts<Real>& moves, u32 segment, bool combine);

template <class Real>
void enqueue_kick_drift(cudaStream_t stream, const StepArrays<Real>& arrays, const BodyField<Real>& field,
                        const KickDrifts<Real>& moves, u32 segment);

/// Adds `segments` to the fault flag's base, at the end of a graph of that many segments.
void enqueue_count(cudaStream_t stream, FaultFlag* fault_flag, u32 segments);

// Whether two arrays in device memory have the same bits.

/// Sets *differ to 1 if the arrays differ, and leaves it as it is otherwise. All device memory; `bytes` is a multiple
/// of 16, and so are both addresses. Asynchronous.
void enqueue_compare(cudaStream_t stream, const void* a, const void* b, std::size_t bytes, u32* differ);

// Compensated float64 sums over the bodies, as in sim/model/diagnostics.cpp on the host, in an order that depends on n
// only; and instances of the bodies for a renderer.

/// Indices into the array of sums. The centre is sum m r, not divided by the mass.
enum BodySum : u32 {
  kKinetic,
  kPotential,  ///< uniform field and spring walls
  kMass,
  kMomentum,     ///< x, y, z
  kAngular = 6,  ///< x, y, z
  kCentre = 9,   ///< x, y, z
  kBodySums = 12,
};

/// Parameters of single-body energies, in float64, unrounded like on the host.
struct OneBodyField {
  double uniform[3];
  laws::WallSprings<double> walls;
};

/// Scratch memory of enqueue_body_sums() for n bodies, in doubles.
u32 body_sum_scratch(u32 n);

/// sums: [kBodySums], device memory; scratch: [body_sum_scratch(n)].
template <class Real>
void enqueue_body_sums(cudaStream_t stream, const StepArrays<Real>& arrays, const OneBodyField& field, double* scratch,
                       double* sums);

/// instances: [n], device-writable memory. scalar: [n] published instead of the mass; null: the mass.
template <class Real>
void enqueue_instances(cudaStream_t stream, const StepArrays<Real>& arrays, const float* scalar, Instance* instances);

// One body's part of steps from accelerations and jerks, in float64 (integrator.hpp, integrator.hpp). All
// functions only enqueue; thread i handles body i.

/// Accelerations and jerks of one state, [n] each.
struct MotionArrays {
  Vec4<double>* a;
  Vec4<double>* j;
};

/// Device memory of a step, [n] each.
struct JerkArrays {
  Vec4<double>* position;  ///< x, y, z, m
  Vec4<double>* velocity;  ///< vx, vy, vz, r
  Vec4<double>* rest;      ///< of the positions; null: none
  Vec4<double>* trial_position;
  Vec4<double>* trial_velocity;
  MotionArrays begin, end;
  Vec4<double>* snap;     ///< at the begin of the step
  Vec4<double>* crackle;  ///< over the step
  u32 n;
};

/// What the host learns of an evaluation and an attempt, in device memory. Reset by enqueue_reset().
struct StepReport {
  PairRates rates;
  unsigned long long begin2, end2;  ///< bits of the smallest laws::aarseth_step2() at both ends; all ones: none yet
  u32 bad;                          ///< the first body whose acceleration or jerk is not finite; all ones: none
};

void enqueue_reset(cudaStream_t stream, StepReport* report);
/// Adds the uniform field to the accelerations, and finds the first bad body.
void enqueue_complete(cudaStream_t stream, const MotionArrays& motion, const double (&uniform)[3], u32 n,
                      StepReport* report);

/// hermite: the trial state after h by the Taylor series; snap and crackle are known (again) or not.
void enqueue_predict(cudaStream_t stream, const JerkArrays& arrays, double h, bool again);
/// hermite: snap and crackle from both ends, and the smallest steps there.
void enqueue_interpolate(cudaStream_t stream, const JerkArrays& arrays, double h, StepReport* report);
/// hermite: the corrected state.
void enqueue_correct(cudaStream_t stream, const JerkArrays& arrays, double h);

/// kdk: the trial positions after half a kick and the drift; and the whole step.
void enqueue_drift(cudaStream_t stream, const JerkArrays& arrays, double h);
void enqueue_kicks(cudaStream_t stream, const JerkArrays& arrays, double h);

// Bodies in the order of a Hilbert curve.

/// The order of n bodies, and what enqueue_body_order() needs to find it.
class BodyOrder {
 public:
  /// Throws CudaError and MemoryError.
  explicit BodyOrder(u32 n);
  static u64 bytes(u64 n);

  /// [n]: the index of the body that is the s-th on the curve.
  u32* data() { return order_.data(); }
  /// Puts them as they are given. Waits.
  void keep_order();

 private:
  friend void enqueue_body_order(cudaStream_t stream, const DeviceState<float>& state, BodyOrder& to);

  DeviceBuffer<u32> order_, identity_, box_;
  DeviceBuffer<u64> keys_, sorted_;
  DeviceBuffer<unsigned char> sort_;
};

/// Finds the order of the bodies along the curve. It depends on the positions alone; bodies in the same cell (2^-16 of
/// the cloud's extent) keep their order. May be captured.
void enqueue_body_order(cudaStream_t stream, const DeviceState<float>& state, BodyOrder& to);

// Bodies that come as arrays of the caller's, and the forces on them as an array that goes back: kernels before and
// after the sums of the laws.

/// Rows of positions, with what else bodies have: [n] each or one number for all, where the array is null.
template <class Real>
struct BodyRows {
  const Real* positions;  ///< [n, 3]
  u32 n;
  const Real* masses;
  Real mass;
  const Real* radii;
  Real radius;
  const Real* velocities;  ///< [n, 3]; null: at rest
};

/// From low to high along each axis; open where `periodic` is false.
template <class Real>
struct WrapWalls {
  Real low[3], high[3];
  bool periodic;
};

/// What a look at bodies finds; floats as ordered_bits().
struct BodySurvey {
  unsigned long long odd = 0;  ///< bodies with a value that is not finite, negative where it may not be, or a mass that
                               ///< is subnormal in Real
  unsigned long long heaviest = 0;
  unsigned long long low[3] = {~0ull, ~0ull, ~0ull}, high[3] = {0, 0, 0};  ///< of the positions as they came
};

/// Has the order of the values; `value` is that of ordered_bits().
TRI_HD inline unsigned long long ordered_bits(unsigned long long bits) {
  return (bits >> 63) != 0 ? ~bits : bits | 1ull << 63;
}
TRI_HD inline unsigned long long bits_in_order(unsigned long long ordered) {
  return (ordered >> 63) != 0 ? ordered & ~(1ull << 63) : ~ordered;
}

/// Packs x, y, z, m of the rows into bodies[n], taken into the walls by whole sides, and adds to survey[1], which the
/// caller has set to BodySurvey{}.
template <class Real>
void enqueue_body_rows(cudaStream_t stream, const BodyRows<Real>& rows, const WrapWalls<Real>& walls,
                       Vec4<Real>* bodies, BodySurvey* survey);

/// Sets out[n, 3] to the forces: sums of pairs, times the mass where they are accelerations, and sums of triples,
/// either of which may be null. Adds the number of bodies with one that is not finite to odd[1].
template <class Real>
void enqueue_force_rows(cudaStream_t stream, const Vec4<Real>* bodies, u32 n, const Vec4<Real>* pairs,
                        bool accelerations, const Vec4<Real>* triples, Real* out, unsigned long long* odd);

/// Sets columns[features, n] to rows[n, features]. Adds the number of rows with a value that is not finite to odd[1].
template <class Real>
void enqueue_columns(cudaStream_t stream, const Real* rows, u32 n, u32 features, double* columns,
                     unsigned long long* odd);

// Spheres that come as arrays of the caller's, and their contacts as an array that goes back: kernels before and after
// a search (pair_jobs.hpp).

/// What a look at spheres finds; floats as the bits of a double, which have the order of their values from 0 on.
struct SphereSurvey {
  unsigned long long odd = 0;           ///< spheres with a value that is not finite, or a negative radius
  unsigned long long largest = 0;       ///< radius
  unsigned long long smallest = ~0ull;  ///< radius > 0
  unsigned long long farthest = 0;      ///< |coordinate|
};

/// Rows of one to three coordinates, with a radius each or one for all.
template <class Real>
struct SphereRows {
  const Real* centres;  ///< [n, columns]
  u32 n, columns;
  const Real* radii;  ///< [n]; null: `radius` is that of all
  Real radius;
};

/// Packs the rows into spheres[n], every step-th also into sample[(n - 1) / step + 1], and adds to survey[1], which the
/// caller has set to SphereSurvey{}.
template <class Real>
void enqueue_sphere_rows(cudaStream_t stream, const SphereRows<Real>& rows, Sphere<Real>* spheres, u32 step,
                         Sphere<Real>* sample, SphereSurvey* survey);

/// Takes the centres into a periodic box from low[3] to high[3] by whole sides, with the bits of pack_spheres().
template <class Real>
void enqueue_wrapped(cudaStream_t stream, Sphere<Real>* spheres, u32 n, const Real (&low)[3], const Real (&high)[3]);

/// Bytes for sorting so many pairs. Throws CudaError.
u64 pair_sort_bytes(u64 count);

/// Writes the pairs (i, j), i > j, of n bodies to out[count, 2] as (j, i), sorted. Destroys `pairs`; spare[count], and
/// scratch as pair_sort_bytes() says. count > 0.
void enqueue_sorted_pairs(cudaStream_t stream, u32 n, uint2* pairs, u64 count, uint2* spare, void* scratch, i64* out);

/// Sets out[n] to from[n].
void enqueue_widened(cudaStream_t stream, const u32* from, u64 n, i64* out);

}  // namespace tri::cuda
