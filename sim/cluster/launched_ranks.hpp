#pragma once
/// Finds out whether a launcher started this process as one of many.

#include <functional>
#include <memory>
#include <string>

#include "sim/backend/communicator.hpp"

namespace tri {

/// The ranks with which mpirun, or srun with PMI or PMIx, started this process; null if it is alone, or where
/// TRIANGULUM_RANKS=off says that it shall be. Throws BackendError if a launcher started others that MPI does not
/// reach: they would all write the same files.
std::unique_ptr<Communicator> launched_ranks();

/// The number of processes that a launcher says it started, by the variables that `get` reads; 0 without a launcher.
u32 launched_count(const std::function<const char*(const char*)>& get);

}  // namespace tri
