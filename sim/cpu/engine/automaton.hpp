#pragma once
/// Automata on host threads.

#include <memory>

#include "sim/fractal/automaton.hpp"

namespace tri::cpu {

/// The default tile side: the largest of at most 64 cells.
u32 default_fractal_block(const FractalShape& shape, u64 n);

/// Throws ConfigError and MemoryError. threads: the backend's count, used where the spec gives none.
std::unique_ptr<Automaton> make_automaton(const AutomatonSpec& spec, u32 threads);

}  // namespace tri::cpu
