#pragma once
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

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/collisions/collision.hpp"
#include "sim/cuda/kernels/pairs/device_state.hpp"
#include "sim/laws/contact_impulse.hpp"
#include "sim/laws/wall.hpp"

namespace tri::cuda {

/// Faults; within one segment the first in this list has precedence.
enum class Fault : u32 {
  acceleration,  ///< the acceleration of `body` is not finite
  state,         ///< position or velocity of `body` is not finite at the end of the step
  overlaps,      ///< more pairs overlap than the list holds; no impulse was given
  contacts,  ///< more pairs overlap than the list holds, or more bodies come than a domain of them (body_domains.hpp)
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
  /// The bodies to move, where the arrays also have others (body_domains.hpp), and the number of each, [n]. Null: all
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

}  // namespace tri::cuda
