#pragma once
/// What a device can do at most, measured on the spot, and the least time that follows from it for a run of a bench
/// kernel. A kernel's share is that time over the measured one.

#include <optional>
#include <string>
#include <string_view>

#include "sim/backend/bench_case.hpp"

namespace tri {

/// A rate that the device reaches when it does nothing else, > 0, and how it was measured (a phrase).
struct FloorRate {
  double per_s = 0;
  std::string how;
};

/// Lanes: float32 multiply-adds, one a lane of a vector instruction; other instructions of a lane count the same.
/// Bytes: written to memory far larger than the caches, with the widest stores. Launches: blocks of 256 threads that do
/// nothing; on a cpu parallel loops over nothing, on all threads.
struct Floors {
  FloorRate lanes, bytes, launches;
};

/// What bounds a kernel.
enum class FloorKind : u8 { arithmetic, memory, launches };
const char* to_string(FloorKind kind);

struct KernelFloor {
  FloorKind kind = FloorKind::arithmetic;
  double ms = 0;  ///< > 0
};

/// Instructions of a lane that a pair or a triple takes at least as the backend computes it, in float32 with fast sums;
/// 0 where other things count. The cuda figures are those of docs/performance.md, the cpu ones are counted in the loops
/// of sim/cpu/kernels (tests count those of the laws).
double lanes_an_item(const BenchSpec& spec, std::string_view backend);

/// The largest of three times: instructions, bytes, and on a GPU the blocks that the map needs (`useful` of them, or
/// threads of a map in thread space). Nothing for baselines, for typed laws, for arithmetic other than float32 with
/// fast sums without tensor cores, and for forms besides the default: their floors are others.
///
/// bytes: BenchCase::bytes(). For the gasket whole sectors (GPU, 32 bytes) or cache lines (64) count, since no memory
/// moves less.
std::optional<KernelFloor> kernel_floor(const BenchSpec& spec, std::string_view backend, u64 bytes, u64 useful,
                                        const Floors& floors);

}  // namespace tri
