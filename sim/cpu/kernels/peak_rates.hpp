#pragma once
/// Loops that do one thing only, to find out how fast this machine does it at most.

#include <cstddef>

#include "sim/base/platform.hpp"

namespace tri::cpu {

/// float32 multiply-adds that multiply_adds() does a turn: one a lane of as many independent vectors as hide their
/// latency.
u32 lanes_a_turn();

/// `turns` times lanes_a_turn() multiply-adds in registers of the widest vectors of this processor. Returns a number
/// that depends on all of them, and is 1 to rounding.
float multiply_adds(u64 turns);

/// Writes `count` floats, a multiple of 16 at an address that is one of 64, past the caches where the processor can.
void stream_fill(float* to, std::size_t count, float value);

}  // namespace tri::cpu
