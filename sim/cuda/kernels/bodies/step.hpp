#pragma once
/// Integrator stages on the device: from the sums of the laws to accelerations, kicks, drifts, and the fault flag over
/// bad numbers. A step needs no word from the host, so that many may be enqueued, or captured into a graph, at once.
///
/// A step is cut into segments: an evaluation of the forces (or none), then the kicks and drifts up to the next. The
/// end of a step may lie inside a segment: kdk's segments are [forces, kick, end of step, kick, drift]. Each is two
/// kernels:
///
///     combine_accelerations     accelerations of the present state; looks ahead to the state at the end of the step;
///     changes no state kick_drift                the kicks and drifts
///
/// combine_accelerations writes the first bad number into the fault flag, and then no later kernel changes anything:
/// the state stays that in which the bad number was found. (Kick and drift cannot be undone exactly, which is why
/// combine_accelerations comes before.)
///
/// Thread i has body i. All functions only enqueue; device memory is the caller's and must outlive the work.

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/pairs/collision.hpp"
#include "sim/cuda/kernels/pairs/distances.hpp"
#include "sim/laws/contact_impulse.hpp"
#include "sim/laws/wall.hpp"

namespace tri::cuda {

/// What the fault flag can hold; of one segment the earliest in this list counts.
enum class Fault : u32 {
  acceleration,  ///< that of `body` is not finite
  state,         ///< position or velocity of `body` is not finite at the end of the step
  overlaps,      ///< more pairs overlap than the list holds; no impulse was given
  contacts,      ///< more pairs overlap than the list holds; no force was summed, and nothing moved
};

/// One in device memory; reset by the host before a batch.
struct FaultFlag {
  static constexpr unsigned long long kNone = ~0ull;
  static constexpr u32 kMaxSegments = 1u << 29;

  unsigned long long first = kNone;  ///< segment << 34 | Fault << 32 | body; the least that was found
  u32 base = 0;                      ///< added to the number of a segment: graphs count theirs from 0

  TRI_HD static unsigned long long key(u32 segment, Fault fault, u32 body) {
    return static_cast<unsigned long long>(segment) << 34 | static_cast<unsigned long long>(fault) << 32 | body;
  }
  static u32 segment_of(unsigned long long key) { return static_cast<u32>(key >> 34); }
  static Fault fault_of(unsigned long long key) { return static_cast<Fault>(key >> 32 & 3u); }
  static u32 body_of(unsigned long long key) { return static_cast<u32>(key); }
};

/// Kicks and drifts in order.
template <class Real>
struct KickDrifts {
  static constexpr u32 kMax = 4;
  static constexpr u32 kNoEnd = ~0u;

  enum class Kind : u32 {
    kick,
    drift,  ///< and what mirrors or periodic walls do to it
    walls,  ///< after impulses: those of the walls, or what periodic walls do to a push; time: |dt|
  };
  Kind kind[kMax] = {};
  Real time[kMax] = {};
  u32 count = 0;
  u32 end = kNoEnd;  ///< moves before this one belong to a step that ends there
};

/// What acts on a body alone, and what the sums of the pair law mean.
template <class Real>
struct BodyField {
  double uniform[3];   ///< acceleration
  bool pairs;          ///< whether there are sums at all
  bool accelerations;  ///< and whether they are that, not forces
  bool triples;        ///< whether there are sums of the triple law, which are forces
  bool mirrors;        ///< walls turn centres back
  bool wall_impulses;  ///< Kind::walls does something
  laws::WallSprings<Real> walls;
  Real low[3], high[3];             ///< the box
  laws::ImpulseRule<Real> impulse;  ///< its step is not set: that is a move's
};

/// Device memory of the state and beside it, [n] each.
template <class Real>
struct StepArrays {
  Vec4<Real>* position;      ///< x, y, z, m
  Vec4<Real>* velocity;      ///< vx, vy, vz, r
  const Vec4<Real>* sums;    ///< of the pair law
  Vec4<Real>* acceleration;  ///< of the last evaluation, uniform field and walls included
  FaultFlag* fault_flag;
  u32 n;
  const Vec4<Real>* triples = nullptr;  ///< sums of the triple law
};

/// combine: accelerations from the sums; else those there are. Looks at the accelerations (when combined) and at the
/// end of the step (when there is one).
template <class Real>
void enqueue_combine_accelerations(cudaStream_t stream, const StepArrays<Real>& arrays, const BodyField<Real>& field,
                                   const KickDrifts<Real>& moves, u32 segment, bool combine);

template <class Real>
void enqueue_kick_drift(cudaStream_t stream, const StepArrays<Real>& arrays, const BodyField<Real>& field,
                        const KickDrifts<Real>& moves, u32 segment);

/// Adds `segments` to the fault flag's base: the end of a graph of as many segments.
void enqueue_count(cudaStream_t stream, FaultFlag* fault_flag, u32 segments);

}  // namespace tri::cuda
