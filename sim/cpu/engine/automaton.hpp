#pragma once
/// Automata on the host's threads.

#include <memory>

#include "sim/fractal/automaton.hpp"

namespace tri::cpu {

/// Where none was asked for: the largest of at most 64 cells a side.
u32 default_fractal_block(const FractalShape& shape, u64 n);

/// Throws ConfigError and MemoryError. threads: of the backend, where the spec names none.
std::unique_ptr<Automaton> make_automaton(const AutomatonSpec& spec, u32 threads);

}  // namespace tri::cpu
