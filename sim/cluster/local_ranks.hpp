#pragma once
/// Ranks that are threads of this process.

#include <memory>
#include <vector>

#include "sim/backend/communicator.hpp"

namespace tri {

/// One communicator for each of `size` threads, size >= 1. They may be destroyed in any order, but not while one waits.
std::vector<std::unique_ptr<Communicator>> make_local_ranks(u32 size);

}  // namespace tri
